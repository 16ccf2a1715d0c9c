#!/usr/bin/env python3
"""No two constants with one name: says which are declared twice in src and include (exit 1).

The judges in rational arithmetic (src/exact) share no code with the others: theirs may repeat a name with its value."""
import collections
import pathlib
import re
import sys

DECLARED = re.compile(r"(?<![.\w:])(k[A-Z]\w*)\s*(?:\[[^\]]*\])?\s*(?:=(?!=)\s*((?:Q\([^;]*?\)|[^,;])*)|\{)")


def value_of(text):
    """A number, where it is one: power_of_two(-44), 0x1p-44L and 2^-44 are the same; else the text."""
    number = re.sub(r"(?<=\d)'(?=\d)", "", text.strip())
    number = re.sub(r"power_of_two\((-?\d+)\)|0x1p(-?\d+)L?", lambda m: f"2.0**{m[1] or m[2]}", number)
    number = re.sub(r"Q\(([\d.]+), ([\d.]+)\)", r"(\1/\2)", number)
    number = re.sub(r"(?<=[\d.])L\b", "", number)
    return float(eval(number)) if re.fullmatch(r"[\d.e()*/+ -]+", number) else number


def declarations(path):
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', "", path.read_text(), flags=re.S)
    text = re.sub(r"\benum\b[^;{]*\{[^}]*\}", "", text)
    return [(match[1], value_of(match[2] or "{")) for match in DECLARED.finditer(text)]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    places = collections.defaultdict(list)
    for path in sorted([*root.glob("src/**/*.[ch]pp"), *root.glob("include/**/*.hpp")]):
        for name, value in declarations(path):
            places[name].append((path.relative_to(root), value))
    if len(places) < 100:
        sys.exit(f"constants: found only {len(places)}, this script reads nothing")
    bad = 0
    for name, found in places.items():
        ours = [place for place in found if place[0].parts[1] != "exact"]
        if len(ours) > 1 or len(found) - len(ours) > 1 or len({value for _, value in found}) > 1:
            bad += 1
            print(f"{name}: " + ", ".join(f"{path} ({value})" for path, value in found))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
