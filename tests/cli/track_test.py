"""Trajectories through the program: answers known in closed form, to the row, and what a run must keep to.

Usage: track_test.py STICTION SOURCE_DIR [PACKAGES]
"""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
PACKAGES = ["--package-path", sys.argv[3]] if len(sys.argv) > 3 else []
G = 9.81

TABLE = """<robot name="table">
  <link name="floor"/>
  <link name="plate"><inertial><mass value="10"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision><geometry><box size="1 1 0.1"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="floor"/><child link="plate"/><axis xyz="1 0 0"/>
    <limit lower="-2" upper="2" effort="1000" velocity="10"/></joint>
</robot>"""


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def run(*arguments, codes=(0, 1)):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    expect(done.returncode in codes, arguments, "exit code", done.returncode, done.stderr)
    return done


def track(folder, scenario, inputs, *more, out="out.jsonl", codes=(0, 1)):
    done = run("track", scenario, "--inputs", inputs, "--out", folder / out, "--quiet", *more, codes=codes)
    text = (folder / out).read_text()
    rows = [json.loads(line) for line in text.splitlines()] if out.endswith(".jsonl") else list(csv.DictReader(text.splitlines()))
    return rows, done.stdout


def write_csv(path, header, rows):
    with open(path, "w") as file:
        file.write(",".join(header) + "\n")
        for row in rows:
            file.write(",".join(repr(float(x)) if isinstance(x, float) else str(x) for x in row) + "\n")


def shaken_box(folder, contacts="given"):
    """A box on a plate that shakes along x: it slides exactly when the plate's acceleration is beyond mu g."""
    (folder / "table.urdf").write_text(TABLE)
    where = (
        "- {name: foot, link: box/box, on: table/plate, points: [[0.1, 0.1, -0.1], [-0.1, 0.1, -0.1], [-0.1, -0.1, -0.1], "
        "[0.1, -0.1, -0.1]], normal: [0, 0, 1], mu: 0.3}"
        if contacts == "given"
        else "- {name: foot, detect: {links: [box/box], with: table/plate, within: 1 mm}, mu: 0.3}"
    )
    scenario = folder / f"shaken_{contacts}.yaml"
    scenario.write_text(
        f"stiction: 1\nmodels:\n  table: {{urdf: table.urdf, base: fixed, effort: unlimited}}\n"
        f"  box: {{urdf: {SOURCE}/urdf/box.urdf, pose: {{xyz: [0, 0, 0.15]}}}}\ncontacts:\n  {where}\nquestion: equilibrium\n"
    )
    return scenario


def test_shaken_box(folder):
    scenario = shaken_box(folder)
    omega, step, count = 2.0 * math.pi * 1.37, 0.01, 300
    amplitude = 1.4 * 0.3 * G / omega**2
    times = [step * k for k in range(count)]
    x = [amplitude * math.sin(omega * t) for t in times]
    a = [-amplitude * omega**2 * math.sin(omega * t) for t in times]
    slips = [abs(value) > 0.3 * G for value in a]
    nearest = min(abs(abs(value) / (0.3 * G) - 1.0) for value in a)
    expect(nearest > 1e-2, "no row may be nearer to the limit than what differencing leaves", nearest)
    expect(50 < sum(slips) < 250, "both answers occur")

    # Positions alone.
    write_csv(folder / "shake.csv", ["time", "slide", "base.x", "base.y", "base.z"], zip(times, x, x, [0.0] * count, [0.15] * count))
    rows, summary = track(folder, scenario, folder / "shake.csv")
    expect(len(rows) == count)
    for k, row in enumerate(rows):
        expect(row["verdict"] == ("fails" if slips[k] else "holds"), k, times[k], a[k], row)
        expect(row["time"] == times[k] and row["contacts"] == 4)
        expect(row["correction_speed"] < 1e-9, row)
        if slips[k]:
            expect(row["cause"] == "slides" and row["culprit"].startswith("foot/0"), row)
        else:
            expect(row["cause"] is None and row["joint"] == "table/slide", row)
            expect(abs(row["joint_effort"] - 11.0 * a[k]) < 0.01 * 11.0 * 0.42 * G, row, a[k])
    # The summary: how much of the time, by its own rule, worst instant and first failure.
    held = sum(0.5 * step for k in range(count - 1) for s in (slips[k], slips[k + 1]) if not s)
    expect(f"{100.0 * held / (step * (count - 1)):5.1f} % of the time, {count - sum(slips)} rows" in summary, summary)
    expect(f"first failure: {times[slips.index(True)]:.6g} s (row {slips.index(True) + 1})" in summary, summary)

    # Velocities and accelerations given: exact at every row, without neighbours.
    v = [amplitude * omega * math.cos(omega * t) for t in times]
    header = ["time", "slide", "rate.slide", "acceleration.slide", "base.x", "base.y", "base.z"]
    header += ["base.vx", "base.vy", "base.vz", "base.dvx", "base.dvy", "base.dvz"]
    zero, high = [0.0] * count, [0.15] * count
    write_csv(folder / "given.csv", header, zip(times, x, v, a, x, zero, high, v, zero, zero, a, zero, zero))
    rows, _ = track(folder, scenario, folder / "given.csv", "--set", "options.margins=true")
    for k, row in enumerate(rows):
        expect(row["verdict"] == ("fails" if slips[k] else "holds"), k, row)
        expect(abs(row["friction_scale"] - abs(a[k]) / (0.3 * G)) < 1e-4, row, a[k])
    # Velocities given, accelerations differenced.
    write_csv(folder / "rates.csv", [h for h in header if ".d" not in h and "acc" not in h], zip(times, x, v, x, zero, high, v, zero, zero))
    rows, _ = track(folder, scenario, folder / "rates.csv")
    expect([row["verdict"] == "fails" for row in rows] == slips)
    # A plate that leaves the box behind: the contact does not stick, and the row says how fast.
    write_csv(folder / "left.csv", ["time", "slide"], zip(times, x))
    rows, _ = track(folder, scenario, folder / "left.csv", codes=(2,))
    expect("contacts.foot/" in rows[0]["error"] and "--tolerance" in rows[0]["error"], rows[0])
    tolerated, _ = track(folder, scenario, folder / "left.csv", "--tolerance", "10")
    expect(all("verdict" in row for row in tolerated))
    fastest = max(abs(value) for value in v)
    expect(abs(max(row["correction_speed"] for row in tolerated) - fastest) < 1e-2 * fastest, "what was taken out is told")
    # Contacts found anew for every row.
    rows, _ = track(folder, shaken_box(folder, "detected"), folder / "shake.csv")
    expect([row["verdict"] == "fails" for row in rows] == slips)
    # A box that is lifted off: what was found near leaves the contact, and nothing holds it.
    rise = [0.15 + (0.05 * max(0.0, t - 1.0)) for t in times]
    write_csv(folder / "lifted.csv", ["time", "slide", "base.x", "base.y", "base.z"], zip(times, zero, zero, zero, rise))
    rows, _ = track(folder, shaken_box(folder, "detected"), folder / "lifted.csv", codes=(1, 2))
    expect(rows[50]["contacts"] == 4 and rows[50]["verdict"] == "holds")
    expect(rows[102]["contacts"] == 0 and rows[102]["verdict"] == "fails", "apart at 50 mm/s, within 1 mm", rows[102])
    expect(rows[200]["contacts"] == 0)


def test_machinery(folder):
    """Threads, resume and formats: the same answers; bad rows are told and the rest goes on."""
    scenario = shaken_box(folder)
    header = ["id", "time", "slide", "base.x", "base.y", "base.z"]
    lines = [[f"r{k}", 0.01 * k, 0.02 * math.sin(8.0 * 0.01 * k)] for k in range(900)]
    rows = [[i, t, x, x, 0.0, 0.15] for i, t, x in lines]
    write_csv(folder / "long.csv", header, rows)
    out = folder / "one.csv"
    run("track", scenario, "--inputs", folder / "long.csv", "--out", out, "--quiet", "--threads", "1")
    whole = out.read_bytes()
    run("track", scenario, "--inputs", folder / "long.csv", "--out", folder / "three.csv", "--quiet", "--threads", "3")
    expect((folder / "three.csv").read_bytes() == whole, "threads change nothing")
    for cut in (0, 1000, len(whole) // 3, len(whole) - 5):  # wherever it was killed: windows reach back into what is done
        out.write_bytes(whole[:cut])
        said = run("track", scenario, "--inputs", folder / "long.csv", "--out", out, "--quiet", "--resume", "--threads", "2")
        expect(out.read_bytes() == whole, "resumed at", cut)
        expect("900 rows, 0 s to 8.99 s" in said.stdout, said.stdout)
    for changed in (["--set", "contacts.foot.mu=0.2"], ["--window", "7"], ["--tolerance", "0.5"]):
        refused = run("track", scenario, "--inputs", folder / "long.csv", "--out", out, "--resume", *changed, codes=(2,))
        expect("--resume: want results of the same" in refused.stderr, changed, refused.stderr)
    # JSON lines say the same.
    with open(folder / "long.jsonl", "w") as file:
        for row in rows:
            file.write(json.dumps(dict(zip(header, row))) + "\n")
    run("track", scenario, "--inputs", folder / "long.jsonl", "--out", folder / "json.csv", "--quiet")
    expect((folder / "json.csv").read_bytes() == whole, "lines of JSON say the same")
    try:
        import numpy as np
    except ImportError:
        print("without numpy: arrays not tried")
    else:
        table = np.array([row[1:] for row in rows])
        arrays = dict(zip(header[1:], table.T))
        np.savez(folder / "long.npz", **arrays)
        by_number = track(folder, scenario, folder / "long.npz", out="npz.csv")[0]
        with_ids = list(csv.DictReader(whole.decode().splitlines()))
        for mine, other in zip(by_number, with_ids, strict=True):
            expect({**mine, "id": ""} == {**other, "id": ""}, mine, other)
        # The scene's own coordinates: base of the box, then ... in the order of models.
        q = np.zeros((len(rows), 8))
        q[:, 0] = q[:, 1] = table[:, 1]
        q[:, 3], q[:, 7] = 0.15, 1.0
        for order in ("C", "F"):
            np.savez(folder / "q.npz", time=table[:, 0], q=np.asarray(q, order=order))
            rows_q = track(folder, scenario, folder / "q.npz", out="npz.csv")[0]
            expect([r["verdict"] for r in rows_q] == [r["verdict"] for r in by_number])
            expect(all(abs(float(a["slack"] or 0) - float(b["slack"] or 0)) < 1e-6 for a, b in zip(rows_q, by_number)))
        np.savez_compressed(folder / "small.npz", **arrays)
        refused = run("track", scenario, "--inputs", folder / "small.npz", "--out", out, codes=(2,))
        expect("savez_compressed" in refused.stderr, refused.stderr)
        np.savez(folder / "bad.npz", time=table[:, 0], slide=table[:-1, 1])
        refused = run("track", scenario, "--inputs", folder / "bad.npz", "--out", out, codes=(2,))
        expect("want 900 rows" in refused.stderr, refused.stderr)
        torn = (folder / "long.npz").read_bytes()
        for cut in range(0, len(torn), 997):
            (folder / "torn.npz").write_bytes(torn[:cut])
            run("track", scenario, "--inputs", folder / "torn.npz", "--out", out, codes=(2,))

    # Bad rows.
    bad = [list(row) for row in rows[:40]]
    bad[10][1] = bad[9][1]
    bad[20][2] = "x"
    write_csv(folder / "bad.csv", header, bad)
    answers, said = track(folder, scenario, folder / "bad.csv", codes=(2,))
    expect("time: want times that increase, got 0.09 after 0.09" in answers[10]["error"], answers[10])
    expect("models.table.joints.slide" in answers[20]["error"], answers[20])
    expect([k for k, row in enumerate(answers) if "error" in row] == [10, 20], "the others are answered")
    expect("bad" in said and "2 rows" in said, said)
    for header_bad, message in (
        (["time", "slid"], "want time, a joint, base.x, contact.NAME"),
        (["time", "slide", "contact.feet"], "want one of foot, got 'feet'"),
        (["time", "slide", "base.x"], "want 3 numbers for pose.xyz, got no base."),
        (["slide"], "time: want the time of the row"),
    ):
        write_csv(folder / "wrong.csv", header_bad, [[0.01 * k] * len(header_bad) for k in range(3)])
        answers, _ = track(folder, scenario, folder / "wrong.csv", codes=(2,))
        expect(message in answers[0]["error"], answers[0])
    for arguments, message in (
        (["--window", "4"], "--window: want an odd number of rows"),
        (["--tolerance", "-1"], "--tolerance: want a velocity"),
        (["--question", "couplings"], "question: want equilibrium, all_sticking or region"),
    ):
        refused = run("track", scenario, "--inputs", folder / "long.csv", "--out", out, *arguments, codes=(2,))
        expect(message in refused.stderr, refused.stderr)


def test_schedule(folder):
    """Contacts that are on and off by columns: a quadruped lifts feet, and stands on two of them only above their line."""
    scenario = SOURCE / "scenarios" / "quadruped_standing.yaml"
    names = ["lf", "rf", "lh", "rh"]
    patterns = [(1, 1, 1, 1), (1, 1, 0, 0), (1, 0, 0, 1), (0, 0, 0, 0), (1, 1, 1, 1)]
    rows = [[0.01 * (4 * p + k), *pattern] for p, pattern in enumerate(patterns) for k in range(4)]
    write_csv(folder / "steps.csv", ["time", *[f"contact.{name}" for name in names]], rows)
    stand = ["--question", "equilibrium", "--set", "models.robot.effort=limits"]
    answers, _ = track(folder, scenario, folder / "steps.csv", *stand)
    for k, row in enumerate(answers):
        pattern = patterns[k // 4]
        changes = [x for name, on in zip(names, pattern) for x in ("--set", f"contacts.{name}.active={'true' if on else 'false'}")]
        alone = json.loads(run("check", scenario, "--json", *stand, *changes).stdout)
        expect(row["verdict"] == alone["verdict"] and row["contacts"] == sum(pattern), row, alone["summary"])
        if pattern == (1, 1, 0, 0):
            expect(row["verdict"] == "fails" and row["cause"] == "gives way" and row["culprit"] == "robot/base", row)
    expect(answers[0]["verdict"] == "holds" and answers[-1]["summary"] == answers[0]["summary"])


def test_squat(folder):
    """G1 bends its knees, 500 rows of joints and base pose at 100 Hz: every row is answered, and margins are smooth."""
    scenario = SOURCE / "scenarios" / "g1_standing.yaml"
    joints = {"hip_pitch": -1.0, "knee": 2.0, "ankle_pitch": -1.0}
    rows = []
    for k in range(500):
        t = 0.01 * k
        bend = 0.2 + 0.35 * 0.5 * (1.0 - math.cos(2.0 * math.pi * t / 2.5))
        rows.append([t] + [factor * bend for side in "lr" for factor in joints.values()])
    header = ["time"] + [f"{side}_{joint}_joint" for side in ("left", "right") for joint in joints]
    write_csv(folder / "squat.csv", header, rows)
    done = subprocess.run([PROGRAM, "check", scenario, *PACKAGES], capture_output=True, text=True)
    if done.returncode == 2:
        print("skipped the squat:", done.stderr.strip())
        return
    answers, said = track(folder, scenario, folder / "squat.csv", "--set", "options.margins=true", *PACKAGES)
    expect(len(answers) == 500 and all(row.get("verdict") == "holds" for row in answers), said)
    for name in ("friction_scale", "effort"):
        values = [row[name] for row in answers]
        steps = [abs(b - a) for a, b in zip(values[3:-3], values[4:-3])]
        expect(max(steps) < 0.05 * max(values), name, "is smooth", max(steps), max(values))
        expect(max(values) > 1.05 * min(values), name, "changes")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for test in (test_shaken_box, test_machinery, test_schedule, test_squat):
            own = pathlib.Path(folder) / test.__name__
            os.mkdir(own)
            test(own)
            print(test.__name__, "passed")


main()
