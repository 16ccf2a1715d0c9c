#!/usr/bin/env python3
"""No two constants with one name, and no tolerance without one: says which are declared twice in src and include, and where a number
such as 1e-9 or 0x1p-44 is neither a constant nor the default of something that has a name (exit 1).

The judges in rational arithmetic (src/exact) share no code with the others: theirs may repeat a name with its value."""
import collections
import pathlib
import re
import sys

DECLARED = re.compile(r"(?<![.\w:])(k[A-Z]\w*)\s*(?:\[[^\]]*\])?\s*(?:=(?!=)\s*((?:Q\([^;]*?\)|[^,;])*)|\{)")

SMALL = re.compile(r"(?<![\w.])(?:[\d.]+e-\d+|0x[\da-fA-F.]+p-\d+)[fL]?\b")
NAMED = re.compile(r"\bk[A-Z]\w*\s*(?:\[[^\]]*\])?\s*=(?!=)|\bdouble\s+\w+\s*=\s*$")


def value_of(text):
    """A number, where it is one: power_of_two(-44), 0x1p-44L and 2^-44 are the same; else the text."""
    number = re.sub(r"(?<=\d)'(?=\d)", "", text.strip())
    number = re.sub(r"power_of_two\((-?\d+)\)|0x1p(-?\d+)L?", lambda m: f"2.0**{m[1] or m[2]}", number)
    number = re.sub(r"Q\(([\d.]+), ([\d.]+)\)", r"(\1/\2)", number)
    number = re.sub(r"(?<=[\d.])L\b", "", number)
    return float(eval(number)) if re.fullmatch(r"[\d.e()*/+ -]+", number) else number


def code_of(path):
    """Without comments and texts, lines kept."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda found: "\n" * found[0].count("\n"), path.read_text(), flags=re.S)


def nameless(text):
    for number in SMALL.finditer(text):
        statement = text[max(text.rfind(end, 0, number.start()) for end in (";", "{\n", "}\n")) + 1:number.start()]
        whole = re.match(r"\s*[;,)}]", text[number.end():])  # a double with a name is that number, and not a term of it
        if not any(whole or found[0].startswith("k") for found in NAMED.finditer(statement)):
            yield text.count("\n", 0, number.start()) + 1, number[0]


def declarations(text):
    text = re.sub(r"\benum\b[^;{]*\{[^}]*\}", "", text)
    return [(match[1], value_of(match[2] or "{")) for match in DECLARED.finditer(text)]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    places = collections.defaultdict(list)
    bad = 0
    for path in sorted([*root.glob("src/**/*.[ch]pp"), *root.glob("include/**/*.hpp")]):
        text = code_of(path)
        for name, value in declarations(text):
            places[name].append((path.relative_to(root), value))
        for line, number in nameless(text):
            bad += 1
            print(f"{path.relative_to(root)}:{line}: {number} has no name")
    if len(places) < 100:
        sys.exit(f"constants: found only {len(places)}, this script reads nothing")
    for name, found in places.items():
        ours = [place for place in found if place[0].parts[1] != "exact"]
        if len(ours) > 1 or len(found) - len(ours) > 1 or len({value for _, value in found}) > 1:
            bad += 1
            print(f"{name}: " + ", ".join(f"{path} ({value})" for path, value in found))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
