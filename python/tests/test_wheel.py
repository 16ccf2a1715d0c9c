"""What the wheel is linked to, and who else uses the same libraries in one process."""

import importlib.metadata
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import stiction

FOLDER = pathlib.Path(stiction.__file__).parent


@pytest.mark.skipif(shutil.which("readelf") is None, reason="NOT TESTED HERE: no readelf")
def test_every_library_of_another_wheel_is_of_an_exact_version():
    listed = subprocess.run(["readelf", "--dynamic", FOLDER / "libstiction_wheel.so"], capture_output=True, text=True).stdout
    needed = {*re.findall(r"\(NEEDED\).*\[(.*)\]", listed)}
    beside = {file.name for file in (FOLDER.parent / "cmeel.prefix/lib").iterdir()}
    pinned = {*re.findall(r"^([\w-]+)==[\d.]+$", "\n".join(importlib.metadata.requires("stiction")), re.MULTILINE)}
    owners = {}
    for name in pinned:
        for file in importlib.metadata.files(name):
            owners[file.name] = name
    found = needed & beside
    assert {"libpinocchio_default.so", "libcoal.so", "libqpOASES.so.3.2"} <= found
    assert found <= owners.keys(), f"of wheels that are not pinned: {sorted(found - owners.keys())}"


@pytest.mark.skipif(
    importlib.util.find_spec("pinocchio") is None, reason="NOT TESTED HERE: Pinocchio's Python wheel (pin) is not installed"
)
@pytest.mark.parametrize("order", ["pinocchio, stiction", "stiction, pinocchio"])
def test_it_works_beside_pin(root, order):
    code = f"""
import {order}
import numpy as np
file = {str(root / "urdf/quadruped.urdf")!r}
model = pinocchio.buildModelFromUrdf(file, pinocchio.JointModelFreeFlyer())
data = model.createData()
scene = stiction.Scene(file)
q = scene.state(xyz=[1, 2, 3], rpy=[0.1, 0.2, 0.3]).q
problem = scene.problem(scene.state(q=q))
M = pinocchio.crba(model, data, q)
assert np.allclose(problem.M, np.triu(M) + np.triu(M, 1).T, rtol=0, atol=1e-12), "M"
assert np.allclose(problem.F, pinocchio.computeGeneralizedGravity(model, data, q), rtol=0, atol=1e-11), "F"
try:
    stiction.Scene("nowhere.urdf")
except stiction.InputError:
    pinocchio.buildModelFromXML(open(file).read())
    print(scene.nv, model.nv)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.split()[0] == done.stdout.split()[1]
