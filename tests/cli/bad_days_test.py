#!/usr/bin/env python3
"""What happens on bad days: files without end, scenes out of all proportion, full disks, names that rewrite terminals,
results in the place of inputs. Each is answered within seconds and a gigabyte, by an exit code from 0 to 3 and a sentence.

Usage: bad_days_test.py STICTION SOURCE_DIR
"""
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

stiction, source = map(os.path.abspath, sys.argv[1:])
scenarios = os.path.join(source, "scenarios")
MOST_SECONDS = 5    # of processor time
MOST_MEMORY = 1 << 30


def run(*arguments, stdout=subprocess.PIPE):
    """Exit code, standard output, standard error; fails where it takes longer or more than allowed."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (2 * MOST_SECONDS, 2 * MOST_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run([stiction, *arguments], stdout=stdout, stderr=subprocess.PIPE, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    out, err = (result.stdout or b"").decode(), result.stderr.decode()
    assert result.returncode in (0, 1, 2, 3), (arguments, result.returncode, err[:300])
    assert spent < MOST_SECONDS, (arguments, spent)
    return result.returncode, out, err


def refuses(sentence, *arguments):
    code, out, err = run(*arguments)
    assert code == 2 and sentence in err and out == "", (arguments, code, out[:200], err[:300])
    assert re.fullmatch(r"stiction: [^\x00-\x1f\x7f]+\n", err), err


def answers(*arguments):
    code, out, err = run(*arguments)
    assert code in (0, 1, 3) and out and not err, (arguments, code, out[:200], err[:300])
    return out


INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def chain(joints):
    links = "".join(f'<link name="l{i}">{INERTIAL}</link>' for i in range(joints + 1))
    return '<robot name="chain">' + links + "".join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/><origin xyz="0 0 0.1"/>'
        f'<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1000" velocity="1"/></joint>'
        for i in range(1, joints + 1)) + "</robot>"


def on_points(question, count):
    """A ring of points below a box."""
    points = [[math.cos(2 * math.pi * i / count), math.sin(2 * math.pi * i / count), -0.1] for i in range(count)]
    model, contact = {"urdf": "box.urdf"}, {"name": "f", "link": "b/l0", "points": points, "normal": [0, 0, 1], "mu": 0.5}
    if question == "sliding":
        model["twist"], contact["slides"] = {"linear": [1, 0, 0]}, [1, 0, 0]
    if question == "impact":
        model["twist"] = {"linear": [0.1, 0, -1], "angular": [0.1, 0.2, 0]}
    return json.dumps({"stiction": 1, "models": {"b": model}, "contacts": [contact], "question": question,
                       "options": {"object": "b"}})


def big_scenes():
    write("box.urdf", chain(0))
    for question in ("all_sticking", "equilibrium", "closure", "region", "sliding", "impact", "couplings"):
        for count in (30, 100, 300, 1000, 3000):
            write("points.yaml", on_points(question, count))
            code, out, err = run("check", "points.yaml")
            assert code != 2 or "rows of contacts (three per point) and degrees of freedom together" in err, err
            assert count > 30 or code != 2, (question, err)
    for count in (10_000, 100_000):
        write("points.yaml", on_points("all_sticking", count))
        refuses("contacts: want at most ", "check", "points.yaml")
    for joints in (300, 1000, 4000):
        write("chain.urdf", chain(joints))
        for question in ("equilibrium", "region", "sliding", "impact", "couplings"):
            write("chain.yaml", json.dumps({
                "stiction": 1, "models": {"r": {"urdf": "chain.urdf", "effort": "limits" if question == "equilibrium" else "none"}},
                "contacts": [{"name": "f", "link": "r/l0", "normal": [0, 0, 1], "mu": 0.5,
                              "points": [[0.1, 0.1, 0], [-0.1, 0.1, 0], [0.1, -0.1, 0], [-0.1, -0.1, 0]]}],
                "question": question}))
            code, out, err = run("check", "chain.yaml")
            assert code != 2 or "want at most " in err, err
            assert code != 2 or joints > 300 or question == "sliding", (question, err)
        run("inspect", "chain.urdf")


def files():
    with open("/dev/full", "w") as full:
        for arguments in (["--help"], ["--version"], ["check", "--help"], ["check", f"{scenarios}/block_on_ground.yaml"]):
            code, _, err = run(*arguments, stdout=full)
            assert code == 2 and "standard output" in err, (arguments, code, err)
    refuses("scenario: want at most 16 MiB, got more in '/dev/zero'", "check", "/dev/zero")
    refuses("report: want at most 128 MiB, got more in '/dev/zero'", "verify", "/dev/zero")
    refuses("/dev/zero: want at most 8 MiB, got more in '/dev/zero'", "inspect", "/dev/zero")
    os.symlink("/dev/zero", "zero.jsonl")
    refuses("--inputs: want lines, got 64 MiB without an end of line", "batch", f"{scenarios}/block_on_ground.yaml",
            "--inputs", "zero.jsonl", "--out", "out.jsonl", "--quiet")
    write("long.yaml", "stiction: 1\nname: " + "x" * 100_000_000)
    refuses("want at most 16 MiB", "check", "long.yaml")
    write("long.yaml", "stiction: 1\nname: " + "x" * 16_000_000)
    refuses("models: want an entry 'models', got none", "check", "long.yaml")
    write("keys.yaml", "".join(f"k{i}: 1\n" for i in range(300_000)))
    refuses("want a known key", "check", "keys.yaml")
    write("deep.yaml", "stiction: " + "[" * 100_000 + "]" * 100_000)
    refuses("want at most 32 nested levels, got more", "check", "deep.yaml")
    write("deep.json", '{"stiction": ' + "[" * 80_000 + "]" * 80_000 + "}")
    refuses("want at most 64 nested levels, got more", "verify", "deep.json")


def inputs_stay():
    text = open(f"{scenarios}/biped_region.yaml").read().replace("../urdf/biped.urdf", "robot.urdf")
    urdf = open(f"{source}/urdf/biped.urdf").read()
    write("region.yaml", text)
    write("robot.urdf", urdf)
    os.symlink("robot.urdf", "link.svg")
    for option in ("--svg", "--csv"):
        for out in ("region.yaml", "robot.urdf", "link.svg"):
            refuses(f"{option}: want another file than the inputs, got '{out}'", "region", "region.yaml", option, out)
    assert open("region.yaml").read() == text and open("robot.urdf").read() == urdf
    answers("region", "region.yaml", "--svg", "new.svg")
    slope = open(f"{scenarios}/box_on_slope.yaml").read().replace("../urdf/", f"{source}/urdf/")
    write("slope.yaml", slope)
    write("slopes.jsonl", '{"contacts.bottom.mu": 0.5}\n')
    batch = ["batch", "slope.yaml", "--inputs", "slopes.jsonl", "--out", "slopes.out.jsonl", "--quiet", "--plot"]
    for target in ("slope.yaml", "slopes.jsonl", "slopes.out.jsonl"):
        os.symlink(target, f"{target}.svg")
        refuses(f"--plot: want another file than the inputs, got '{target}.svg'", *batch, f"{target}.svg")
    assert open("slope.yaml").read() == slope
    code, _, err = run(*batch, "slopes.svg")
    assert code == 0 and not err and os.path.getsize("slopes.svg") > 1000, (code, err)


def names():
    text = open(f"{scenarios}/block_on_ground.yaml").read().replace("../urdf", f"{source}/urdf")
    for bad in ('"a\\nb"', '"\\e[2J"', '"\\x9b2J"'):
        write("names.yaml", text.replace("name: left", "name: " + bad))
        refuses("contacts[1].name: want a name in UTF-8 without control characters", "check", "names.yaml")
    write("names.yaml", text)
    refuses("contacts[1].name: want a name", "check", "names.yaml", "--set", 'contacts.left.name="\\e[2J"')
    refuses("--set", "check", "names.yaml", "--set", "contacts.\x1b[2J.mu=1")
    refuses("want an existing file", "check", "no\x1b[2Jfile.yaml")
    refuses("want an existing file", "check", b"no\xfffile.yaml")
    write("esc.urdf", '<robot name="r"><link name="a&#27;[2J"/></robot>')
    refuses("want a name in UTF-8 without control characters", "inspect", "esc.urdf")


def one_batch_per_file():
    with open("rows.jsonl", "w") as rows:
        for i in range(20_000):
            rows.write(json.dumps({"id": i, "models.box.pose.rpy": [0, 1e-5 * i, 0]}) + "\n")
    batch = ["batch", f"{scenarios}/box_on_slope.yaml", "--inputs", "rows.jsonl", "--out", "results.jsonl", "--quiet"]
    first = subprocess.Popen([stiction, *batch])
    while not os.path.exists("results.jsonl.inputs"):
        time.sleep(0.01)
    refuses("--out: want a file that no other batch is writing, got 'results.jsonl'", *batch)
    refuses("--out: want a file that no other batch is writing, got 'results.jsonl'", *batch, "--resume")
    while first.poll() is None and os.path.getsize("results.jsonl") == 0:
        time.sleep(0.01)
    first.kill()
    first.wait()
    code, _, err = run(*batch[:-1], "--resume", "--quiet", "--question", "equilibrium")
    assert code == 2 and "--resume: want results of the same set" in err, err


def write(name, text):
    with open(name, "w") as stream:
        stream.write(text)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for part in (files, inputs_stay, names, one_batch_per_file, big_scenes):
        part()
