#!/usr/bin/env python3
"""Draws every scenario into docs/pictures and lists them in docs/gallery.md. Usage: scripts/pictures.py BUILD_DIR [--check]

With --check nothing is written: 1 when a drawing or the page is not what the program draws now. Coordinates may differ by a
fifth of a pixel, as processors round differently. Scenarios of robots that are not installed stay as they are.
"""
import os
import re
import subprocess
import sys
import tempfile

QUESTIONS = ["all_sticking", "equilibrium", "region", "closure", "sliding", "impact", "couplings"]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def same(a, b):
    x, y = NUMBER.findall(a), NUMBER.findall(b)
    return NUMBER.sub("#", a) == NUMBER.sub("#", b) and all(abs(float(p) - float(q)) <= 0.21 for p, q in zip(x, y))


def question_of(scenario):
    with open(scenario, encoding="utf-8") as file:
        return re.search(r"^question: *(\w+)", file.read(), re.M)[1]


def draw(stiction, scenario, out):
    """None: its robot is not installed."""
    done = subprocess.run([stiction, "check", scenario, "--svg", out], capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        with open(scenario, encoding="utf-8") as file:
            if "package://" in file.read():
                return None
        sys.exit(done.stderr)
    with open(out, encoding="utf-8") as file:
        return file.read()


def page_of(names):
    """Markdown with every drawing, by question."""
    lines = ["# Gallery", "", "Every [scenario](../scenarios), as `stiction check SCENARIO --svg OUT.svg` draws it ([how to read"
             " it](drawings.md)). `make pictures` draws them anew.", ""]
    for question in QUESTIONS:
        lines += [f"## [{question}]({question}.md)", ""]
        for name in names:
            if question_of(f"scenarios/{name}.yaml") == question:
                lines += [f"[{name}.yaml](../scenarios/{name}.yaml)", "", f"![{name}](pictures/{name}.svg)", ""]
    return "\n".join(lines).rstrip() + "\n"


def main():
    stiction = os.path.abspath(os.path.join(sys.argv[1], "stiction"))
    check = "--check" in sys.argv
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    names = sorted(f.removesuffix(".yaml") for f in os.listdir("scenarios") if f.endswith(".yaml"))
    results = {"docs/gallery.md": page_of(names)}
    skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            svg = draw(stiction, f"scenarios/{name}.yaml", os.path.join(folder, "drawing.svg"))
            if svg is None:
                skipped += 1
            else:
                results[f"docs/pictures/{name}.svg"] = svg
    os.makedirs("docs/pictures", exist_ok=True)
    old = []
    for path, text in results.items():
        known = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        if same(known, text):
            continue
        old.append(path)
        if not check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    print("\n".join(old))
    print(f"{len(results)} files, {skipped} without their robots, {len(old)} {'not current' if check else 'drawn anew'}")
    return 1 if check and old else 0


if __name__ == "__main__":
    sys.exit(main())
