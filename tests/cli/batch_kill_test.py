#!/usr/bin/env python3
"""Kills `stiction batch` at random moments and resumes it: the results are those of an undisturbed run, to the byte.

Usage: batch_kill_test.py STICTION SOURCE_DIR
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

stiction, source = sys.argv[1:]
scenario = os.path.join(source, "scenarios", "box_on_slope.yaml")
rows, kills = 4000, 10
random.seed(3)


def batch(out, *options):
    return [stiction, "batch", scenario, "--inputs", inputs, "--out", out, "--quiet", *options]


with tempfile.TemporaryDirectory() as folder:
    inputs = os.path.join(folder, "in.jsonl")
    with open(inputs, "w") as stream:
        for i in range(rows):
            stream.write(json.dumps({"id": i, "contacts.bottom.mu": random.uniform(0.2, 0.8),
                                     "models.box.pose.rpy": [0, random.uniform(0, 0.6), 0]}) + "\n")
    whole = os.path.join(folder, "whole.jsonl")
    start = time.monotonic()
    subprocess.run(batch(whole, "--threads", "1"), check=True)
    duration = time.monotonic() - start
    want = open(whole, "rb").read()
    assert want.count(b"\n") == rows, "an answer for every row"

    out = os.path.join(folder, "out.jsonl")
    interrupted = 0
    for kill in range(kills):
        process = subprocess.Popen(batch(out, "--resume", "--threads", str(1 + kill % 2)))
        time.sleep(random.uniform(0, 2 * duration / kills))
        process.kill()
        interrupted += process.wait() != 0
        if kill % 3 == 0 and os.path.exists(out):   # a power cut tears the last line
            size = os.path.getsize(out)
            os.truncate(out, max(0, size - random.randrange(1, 40)))
    subprocess.run(batch(out, "--resume", "--threads", "2"), check=True)
    got = open(out, "rb").read()
    assert got == want, "resumed results differ from those of an undisturbed run"
    assert interrupted >= kills // 2, f"only {interrupted} of {kills} runs were interrupted"

    full = os.path.join(folder, "full.jsonl")
    os.symlink("/dev/full", full)
    result = subprocess.run(batch(full), capture_output=True, text=True)
    assert result.returncode == 2 and "--out: want a file that can be written" in result.stderr, result
print(f"{rows} rows, {interrupted} interruptions, undisturbed in {duration:.2f} s")
