"""Checks drawings: SVG files as anybody's eyes and tools meet them. Usage: svg_judge.py STICTION SOURCE_DIR [ROBOTS]

Draws every scenario of the gallery and asks of each drawing: well-formed XML; no number that is not finite; no text
smaller than 8 pt; nothing outside of the frame; no text on top of other text. It knows nothing of the program but SVG.
"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

SVG = "{http://www.w3.org/2000/svg}"
PT = 4.0 / 3.0  # pixels


def numbers(text):
    return [float(n) for n in re.findall(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", text)]


def path_points(d):
    """Points of a path of M, L, H, V, A, Z and their relative forms."""
    points, x, y = [], 0.0, 0.0
    for command, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", d):
        n = numbers(rest)
        relative = command.islower()
        upper = command.upper()
        step = {"M": 2, "L": 2, "H": 1, "V": 1, "A": 7, "Z": 0}[upper]
        for i in range(0, len(n), step) if step else []:
            part = n[i : i + step]
            dx, dy = (x, y) if relative else (0.0, 0.0)
            if upper == "H":
                x = part[0] + dx
            elif upper == "V":
                y = part[0] + dy
            else:
                x, y = part[-2] + dx, part[-1] + dy
            points.append((x, y))
    return points


def points_of(element):
    tag, get = element.tag.removeprefix(SVG), element.get
    if tag == "path":
        return path_points(get("d"))
    if tag == "polygon":
        n = numbers(get("points"))
        return list(zip(n[::2], n[1::2]))
    if tag == "circle":
        x, y, r = float(get("cx")), float(get("cy")), float(get("r"))
        return [(x - r, y - r), (x + r, y + r)]
    if tag == "rect":
        x, y = float(get("x", 0)), float(get("y", 0))
        return [(x, y), (x + float(get("width")), y + float(get("height")))]
    return []


def font_size(element, root, css):
    for name in (element.get("class") or "").split():
        match = re.search(r"\.%s\{[^}]*font-size:([\d.]+)px" % name, css)
        if match:
            return float(match[1])
    return float(element.get("font-size") or root.get("font-size") or 16)


def text_box(element, size):
    """Where text is, for letters of DejaVu Sans on average; capitals and bold ones are wider."""
    text = "".join(element.itertext())
    width = 0.56 * size * len(text)
    x, y = float(element.get("x")), float(element.get("y"))
    left = x - {"middle": 0.5, "end": 1.0}.get(element.get("text-anchor"), 0.0) * width
    if element.get("transform"):  # upright
        return None
    return (left, y - 0.75 * size, left + width, y + 0.2 * size)


def flaws(svg):
    """What is wrong with a drawing, in words."""
    if re.search(r"\b(nan|inf)\b", re.sub(r">[^<]*<", "><", svg), re.I):
        yield "a number is not finite"
    root = ET.fromstring(svg)
    width, height = float(root.get("width")), float(root.get("height"))
    if numbers(root.get("viewBox")) != [0.0, 0.0, width, height]:
        yield "units are not pixels"
    css = "".join(element.text for element in root.iter(SVG + "style"))
    for size in re.findall(r"font-size:([\d.]+)", css):
        if float(size) < 8 * PT:
            yield f"letters of {size} px"
    hidden = {id(e) for defs in root.iter(SVG + "defs") for e in defs.iter()}
    boxes = []
    for element in root.iter():
        if id(element) in hidden:
            continue
        for x, y in points_of(element):
            if not (-0.05 <= x <= width + 0.05 and -0.05 <= y <= height + 0.05):
                yield f"outside of the frame: {ET.tostring(element)[:200]}"
        if element.tag != SVG + "text":
            continue
        size = font_size(element, root, css)
        if size < 8 * PT:
            yield f"letters of {size} px: {element.text}"
        box = text_box(element, size)
        if box is None:
            continue
        if box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height:
            yield f"text outside of the frame: {element.text}"
        for other, text in boxes:
            across = min(box[2], other[2]) - max(box[0], other[0])
            down = min(box[3], other[3]) - max(box[1], other[1])
            if across > 2.0 and down > 2.0:
                yield f"text on text: {element.text!r} and {text!r}"
        boxes.append((box, element.text))
    if root.find(SVG + "rect") is None or root.find(SVG + "rect").get("fill") != "#fff":
        yield "no white background"


def force_flaws(svg, report):
    """Whether force arrows, read back from the planar drawing, are the report's forces to scale; x right, z up."""
    root = ET.fromstring(svg)
    per_newton = float(root.get("data-pixels-per-newton"))
    drawn = {}
    for path in root.iter(SVG + "path"):
        if path.get("data-name") and path.get("class") in ("force", "beyond"):
            (x0, y0), (x1, y1) = path_points(path.get("d"))
            drawn[path.get("data-name")] = ((x1 - x0) / per_newton, (y0 - y1) / per_newton)
    for contact in report["contacts"]:
        wanted = contact["force_world"][0], contact["force_world"][2]
        if contact["name"] not in drawn:
            yield f"no arrow for {contact['name']}"
        elif math.dist(drawn[contact["name"]], wanted) > 0.15 / per_newton:
            yield f"{contact['name']}: drawn {drawn[contact['name']]} N, reported {wanted} N"


def draw(stiction, scenario, out, *more):
    done = subprocess.run([stiction, "check", scenario, "--svg", out, *more], capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        return None, done.stderr
    with open(out, encoding="utf-8") as file:
        return file.read(), done.stdout


def plot_flaws(stiction, scenarios, folder):
    """What is wrong with plots of rows, and with an animated drawing."""
    rows, out = os.path.join(folder, "rows.csv"), os.path.join(folder, "out.csv")

    def plotted(command, scenario, text, end, *more):
        with open(rows, "w", encoding="utf-8") as file:
            file.write(text)
        file = os.path.join(folder, "plot" + end)
        subprocess.run([stiction, command, os.path.join(scenarios, scenario + ".yaml"), "--inputs", rows, "--out", out, "--quiet",
                        "--set", "options.margins=true", "--plot", file, *more], check=command == "batch", capture_output=True)
        with open(file, encoding="utf-8") as plot:
            return plot.read()

    sweep = plotted("batch", "box_on_slope", "contacts.bottom.mu\n" + "".join(f"{0.4 - 0.01 * i:.2f}\n" for i in range(10)), ".svg")
    yield from (f"sweep: {flaw}" for flaw in flaws(sweep))
    if "fails at 0.36, holds at 0.37" not in sweep:  # tan 20 degrees = 0.364, whatever the order of the rows
        yield "sweep: where the verdict turns is not told"
    tilted = "".join(f'{i},"[{9.81 * math.sin(0.1 * i):.4f}, 0, {-9.81 * math.cos(0.1 * i):.4f}]",{int(i != 2)},{"x" if i == 4 else 1}\n' for i in range(8))
    track = plotted("track", "biped_standing", "time,gravity,contact.left,contact.right\n" + tilted, ".svg",
                    "--question", "equilibrium", "--set", "models.robot.effort=limits")
    yield from (f"track: {flaw}" for flaw in flaws(track))
    for wanted in ("first failure and worst instant at", "least friction that holds", ">left<", ">right<", "bad rows", "band_fails"):
        if wanted not in track:
            yield f"track: no {wanted}"
    page = plotted("batch", "box_on_slope", "contacts.bottom.mu\n0.3\n0.4\n", ".html")
    if not page.startswith("<!DOCTYPE html>") or re.search(r"(src|href)=|url\((?!#)", page):
        yield "page: it needs other files"
    yield from (f"page: {flaw}" for flaw in flaws(page[page.index("<svg") : page.index("</svg>") + 6]))
    moving, _ = draw(stiction, os.path.join(scenarios, "block_tips.yaml"), os.path.join(folder, "moving.svg"), "--animate")
    yield from (f"moving: {flaw}" for flaw in flaws(moving))
    if "ROS_PACKAGE_PATH" in os.environ:  # what limits a heavily loaded quadruped on a corner: its knees, and across it tips: two feet may carry it, as tan 20 degrees < 0.7
        region = os.path.join(folder, "region.svg")
        subprocess.run([stiction, "region", os.path.join(scenarios, "anymal_on_corner.yaml"), "--set", "models.anymal.effort=limits", "--set",
                        "options.box=3", "--set", "loads=[{link: anymal/base, force: [0, 0, -600]}]", "--svg", region], capture_output=True)
        with open(region, encoding="utf-8") as file:
            limits = set(re.findall(r"<title>(friction|tipping|effort of .._KFE)[^<]*</title></path>", file.read()))
        if limits != {"tipping"} | {f"effort of {leg}_KFE" for leg in ("LF", "RF", "LH", "RH")}:
            yield f"region: limited by {limits}"
    # Moments go from the body to its ghost: the corner that lifts rises from one to the next.
    heights = [min(y for x, y in points_of(p)) for g in ET.fromstring(moving).iter(SVG + "g") if g.get("class", "").startswith("moment")
               for p in g.iter(SVG + "polygon")]
    if len(heights) != 12 or any(a <= b for a, b in zip(heights, heights[1:])):
        yield f"moving: heights {heights}"


def main():
    stiction, source = sys.argv[1:3]
    if len(sys.argv) > 3:
        os.environ["ROS_PACKAGE_PATH"] = sys.argv[3]
    scenarios = os.path.join(source, "scenarios")
    # The checks themselves must be able to fail.
    bad = ('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100" viewBox="0 0 100 100" font-size="10">'
           '<rect width="100" height="100" fill="#fff"/><path d="M0 0L101 0"/><text x="1" y="20">abc</text><text x="2" y="20">abc</text></svg>')
    assert len(list(flaws(bad))) == 4, list(flaws(bad))
    failures, skipped = [], 0
    with tempfile.TemporaryDirectory() as folder:
        def judge(name):
            path = os.path.join(scenarios, name)
            svg, said = draw(stiction, path, os.path.join(folder, name + ".svg"))
            if svg is None:
                with open(path, encoding="utf-8") as file:
                    if len(sys.argv) <= 3 and "package://" in file.read():
                        return None
                return [f"{name}: {said}"]
            return [f"{name}: {flaw}" for flaw in flaws(svg)]

        names = sorted(n for n in os.listdir(scenarios) if n.endswith(".yaml"))
        with ThreadPoolExecutor(2) as pool:
            for found in pool.map(judge, names):
                if found is None:
                    skipped += 1
                else:
                    failures += found
        for name in ("pinch_free_fingers", "pinch_too_weak"):
            path = os.path.join(scenarios, name + ".yaml")
            svg, _ = draw(stiction, path, os.path.join(folder, "forces.svg"), "--view", "side")
            report = json.loads(subprocess.run([stiction, "check", path, "--json"], capture_output=True, text=True).stdout)
            assert report["contacts"]
            failures += [f"{name}: {flaw}" for flaw in force_flaws(svg, report)]
        failures += plot_flaws(stiction, scenarios, folder)
    print("\n".join(failures))
    print(f"{len(names)} drawings, {skipped} skipped, {len(failures)} flaws")
    return 1 if failures or len(names) < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
