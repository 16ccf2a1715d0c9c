#!/usr/bin/env python3
"""Draws every scenario into docs/pictures and lists them in docs/gallery.md. Usage: scripts/pictures.py BUILD_DIR [--check]

With --check nothing is written: 1 when a drawing or the page is not what the program draws now. Coordinates may differ by a
fifth of a pixel, as processors round differently. Scenarios of robots that are not installed stay as they are.
"""
import math
import os
import re
import subprocess
import sys
import tempfile

SHOWN_MOVING = "block_tips"  # above the fold of README.md
# Plots of rows, with what they are rows of: scenario, command and its options.
PLOTS = {
    "friction_sweep": ["batch", "scenarios/box_on_slope.yaml", "--set", "options.margins=true"],
    "ship_deck": ["track", "scenarios/biped_standing.yaml", "--question", "equilibrium", "--set", "options.margins=true",
                  "--set", "models.robot.effort=limits", "--set", "name=a biped on the deck of a ship"],
}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def same(a, b):
    x, y = NUMBER.findall(a), NUMBER.findall(b)
    return NUMBER.sub("#", a) == NUMBER.sub("#", b) and all(abs(float(p) - float(q)) <= 0.21 for p, q in zip(x, y))


def question_of(scenario):
    with open(scenario, encoding="utf-8") as file:
        return re.search(r"^question: *(\w+)", file.read(), re.M)[1]


def draw(stiction, scenario, out, *more):
    """None: its robot is not installed."""
    done = subprocess.run([stiction, "check", scenario, "--svg", out, *more], capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        with open(scenario, encoding="utf-8") as file:
            if "package://" in file.read():
                return None
        sys.exit(done.stderr)
    with open(out, encoding="utf-8") as file:
        return file.read()


def rows_of(name):
    """The rows of a plot as CSV."""
    if name == "friction_sweep":
        return "contacts.bottom.mu\n" + "".join(f"{0.25 + 0.005 * i:.3f}\n" for i in range(61))
    lines = ["time,gravity,contact.left,contact.right\n"]  # on a ship's deck that rolls more and more, lifting one foot, then the other
    for i in range(401):
        time = 0.02 * i
        roll = math.radians(2.0 * time) * math.sin(0.5 * math.pi * time)
        gravity = f'"[{9.81 * math.sin(roll):.5f}, 0, {-9.81 * math.cos(roll):.5f}]"'
        lines.append(f"{time:.2f},{gravity},{int(not 5.0 <= time < 5.6)},{int(not 3.0 <= time < 3.6)}\n")
    return "".join(lines)


def plot(stiction, name, folder):
    command, scenario, *options = PLOTS[name]
    rows, results, out = (os.path.join(folder, name + end) for end in (".csv", ".jsonl", ".svg"))
    with open(rows, "w", encoding="utf-8") as file:
        file.write(rows_of(name))
    subprocess.run([stiction, command, scenario, "--inputs", rows, "--out", results, "--plot", out, "--quiet", *options],
                   capture_output=True, text=True)
    with open(out, encoding="utf-8") as file:
        return file.read()


def page_of(names):
    """Markdown with every drawing, by question."""
    lines = ["# Gallery", "", "Every [scenario](../scenarios), as `stiction check SCENARIO --svg OUT.svg` draws it ([how to read"
             " it](drawings.md)). `make pictures` draws them anew.", ""]
    with open("include/stiction/question_list.hpp", encoding="utf-8") as file:
        questions = re.findall(r"question\(\w+, (\w+)\)", file.read())
    for question in questions:
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
        moving = os.path.join(folder, "moving.svg")
        results[f"docs/pictures/{SHOWN_MOVING}_moving.svg"] = draw(stiction, f"scenarios/{SHOWN_MOVING}.yaml", moving, "--animate")
        for name in PLOTS:
            results[f"docs/pictures/{name}.svg"] = plot(stiction, name, folder)
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
