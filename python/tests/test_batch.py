"""check_batch and batch: rows equal single answers, whatever the order and the threads."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import stiction

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODES = {1: "holds", 0: "fails", -1: "undecided"}


def grasps(rows, fingers=4, seed=3):
    """Fingers on an ellipsoid, pushing along its inward normals."""
    rng = np.random.default_rng(seed)
    axes = np.array([0.03, 0.04, 0.06])
    sphere = rng.normal(size=(rows, fingers, 3))
    sphere /= np.linalg.norm(sphere, axis=2, keepdims=True)
    normals = -sphere / axes
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    return {"points": sphere * axes, "normals": normals, "mu": rng.uniform(0.2, 0.8, (rows, fingers))}


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        assert a[name].dtype == b[name].dtype and a[name].tobytes() == b[name].tobytes() if a[name].dtype != object else (
            a[name].tolist() == b[name].tolist()), name


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_few_costly_rows_are_shared_by_threads():
    """Epsilon takes milliseconds per row: eight rows are worth four threads."""
    columns, seen, done = grasps(8, 5), [], threading.Event()

    def count():
        while not done.is_set():
            seen.append(len(os.listdir("/proc/self/task")))
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    before = len(os.listdir("/proc/self/task"))
    try:
        shared = stiction.check_batch({**columns, "torque_length": 0.05}, ask=["epsilon"], gap=0.02, threads=4)
    finally:
        done.set()
        counter.join()
    assert max(seen) == before + 4
    same(shared, stiction.check_batch({**columns, "torque_length": 0.05}, ask=["epsilon"], gap=0.02))


def test_rows_are_what_the_checker_says():
    columns = grasps(40)
    columns["torsion"] = np.where(np.arange(40) % 2 == 0, 0.0, 0.01)
    columns["center"] = np.array([0.001, 0.0, 0.0])
    columns["torque_length"] = 0.05
    columns["wrench"] = np.array([0.0, 0.1, -1.0, 0.0, 0.01, 0.0])
    answers = stiction.check_batch(columns, ask=["closed", "forms", "least_friction", "epsilon", "epsilon_linf"], gap=0.3)
    checker = stiction.ClosureChecker()
    for i in range(40):
        grasp = stiction.Grasp(columns["points"][i], columns["normals"][i], columns["mu"][i], torsion=columns["torsion"][i],
                               center=columns["center"], torque_length=0.05)
        result = checker.check(grasp, epsilon_l1=True, epsilon_linf=True, minimal_friction=True, epsilon_gap=0.3, explain=False)
        assert CODES[answers["closed"][i]] == result.frictional_form_closure.verdict == checker.closed(grasp)
        assert CODES[answers["forms"][i]] == result.form_closure.verdict
        assert CODES[answers["resists"][i]] == checker.resists(grasp, columns["wrench"]).verdict
        assert (answers["epsilon"][i], answers["epsilon_upper"][i]) == (result.epsilon_l1.lower, result.epsilon_l1.upper)
        assert (answers["epsilon_linf"][i], answers["epsilon_linf_upper"][i]) == (
            result.epsilon_linf.lower, result.epsilon_linf.upper)
        if result.friction_factor.state == "none":
            assert np.isinf(answers["least_friction"][i])
        else:
            assert (answers["least_friction_lower"][i], answers["least_friction"][i]) == (
                result.friction_factor.lower, result.friction_factor.upper)
    assert {0, 1} <= set(answers["closed"].tolist()) and {0, 1} <= set(answers["resists"].tolist())


def test_a_grasp_of_known_quality():
    """Two soft fingers and a third: closed with mu above the least one only; four fingers on a square have a known least mu."""
    points = np.array([[[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]], dtype=float)
    columns = {"points": points, "normals": -points, "mu": 0.5}
    answers = stiction.check_batch(columns, ask=["closed", "least_friction", "epsilon"])
    assert answers["closed"][0] == 1 and 0 <= answers["least_friction_lower"][0] <= answers["least_friction"][0] < 0.01
    frictionless = stiction.check_batch({**columns, "mu": 0.0}, ask=["closed", "forms", "least_friction"])
    assert frictionless["closed"][0] == 0 and frictionless["forms"][0] == 0
    pinch = stiction.check_batch({"points": points[:, :2], "normals": -points[:, :2], "mu": 0.5}, ask=["closed", "least_friction"])
    assert pinch["closed"][0] == 0 and pinch["least_friction"][0] == np.inf   # two hard fingers let it turn
    soft = stiction.check_batch({"points": points[:, :2], "normals": -points[:, :2], "mu": 0.5, "torsion": 0.01})
    assert soft["closed"][0] == 1


def test_cutoff_is_proved():
    columns = {**grasps(60, 5), "torque_length": 0.05}
    full = stiction.check_batch(columns, ask=["epsilon"], gap=0.1)
    cutoff = float(np.nanmedian(full["epsilon"]))
    quick = stiction.check_batch(columns, ask=["epsilon"], gap=0.1, cutoff=cutoff)
    cut = quick["epsilon"] != full["epsilon"]
    assert 5 < cut.sum() < 60
    assert (quick["epsilon"][cut] == 0).all() and (quick["epsilon_upper"][cut] < cutoff).all()
    assert (quick["epsilon_upper"][cut] >= full["epsilon"][cut]).all()   # what is proved contains what is known


def test_threads_order_and_raggedness_change_nothing():
    columns = grasps(300)
    ask = ["closed", "forms", "least_friction"]
    one = stiction.check_batch(columns, ask=ask)
    same(one, stiction.check_batch(columns, ask=ask, threads=3))
    back = stiction.check_batch({name: column[::-1] for name, column in columns.items()}, ask=ask)
    same(one, {name: column[::-1].copy() for name, column in back.items()})
    ragged = {name: column.reshape(-1, *column.shape[2:]) for name, column in columns.items()}
    same(one, stiction.check_batch({**ragged, "offsets": np.arange(301) * 4}, ask=ask))
    mixed = np.array([0, 3, 3, 8, 12])
    answers = stiction.check_batch({name: column[:12] for name, column in ragged.items()} | {"offsets": mixed})
    checker = stiction.ClosureChecker()
    for i, (first, last) in enumerate(zip(mixed, mixed[1:])):
        part = slice(first, last)
        expected = checker.closed(stiction.Grasp(*(ragged[name][part] for name in ("points", "normals", "mu"))))
        assert CODES[answers["closed"][i]] == expected


def test_bad_rows_do_not_stop_the_others():
    columns = grasps(10)
    columns["normals"][3] *= 2.0
    columns["mu"][7] = -1.0
    answers = stiction.check_batch(columns)
    assert answers["status"].tolist() == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0]
    assert "normal" in answers["error"][3] and "mu" in answers["error"][7] and answers["error"][0] == ""
    assert (answers["closed"][[3, 7]] == -1).all() and (np.delete(answers["closed"], [3, 7]) >= 0).all()
    nothing = stiction.check_batch({"points": np.zeros((0, 3, 3)), "normals": np.zeros((0, 3, 3)), "mu": 0.5})
    assert nothing["closed"].shape == nothing["status"].shape == (0,)


@pytest.mark.parametrize("change, path", [
    ({"points": None}, "points"), ({"normals": np.zeros((10, 4, 2))}, "normals"), ({"mu": np.zeros(7)}, "mu"),
    ({"mu": "rough"}, "mu"), ({"center": [0, 0]}, "center"), ({"wrench": np.zeros(5)}, "wrench"), ({"friction": 1}, "columns"),
    ({"offsets": np.arange(11) * 4}, "points"), ({"torque_length": np.ones(3)}, "torque_length"),
])
def test_arrays_of_the_wrong_shape_are_refused(change, path):
    with pytest.raises(stiction.InputError) as error:
        stiction.check_batch({**grasps(10), **change})
    assert error.value.path == path


def test_arguments_are_checked():
    for options in ({"ask": ["closd"]}, {"question": "impact"}, {"threads": 0}, {"gap": 0}, {"plane": "xyz"}, {"cone": {"inner": 2}}):
        with pytest.raises(stiction.InputError):
            stiction.check_batch(grasps(2), **options)
    ragged = {"points": np.zeros((4, 3)), "normals": np.zeros((4, 3)), "mu": 0.5}
    for offsets in ([0, 5], [1, 4], [0, 3, 2, 4], [0.0, 4.0], []):
        with pytest.raises(stiction.InputError):
            stiction.check_batch({**ragged, "offsets": np.array(offsets)})


@pytest.fixture(scope="module")
def biped():
    return stiction.Scene(ROOT / "scenarios/biped_standing.yaml")


def test_robot_rows_are_what_the_checker_says():
    rng = np.random.default_rng(5)
    biped = stiction.Scene(stiction.Scenario(ROOT / "scenarios/biped_standing.yaml", set={"models.robot.effort": "limits"}, question="equilibrium"))
    described = biped.state()
    q = np.array([biped.integrate(described.q, 0.1 * rng.normal(size=biped.nv) * (np.arange(biped.nv) >= 6)) for _ in range(30)])
    active = rng.random((30, 8)) < 0.8
    mu = rng.uniform(0.1, 0.9, (30, 8))
    answers = stiction.check_batch({"q": q, "active": active, "mu": mu}, scene=biped, ask=["friction_scale", "culprit", "slack"])
    same(answers, stiction.check_batch({"q": q, "active": active, "mu": mu}, scene=biped,
                                       ask=["friction_scale", "culprit", "slack"], threads=2))
    checker = stiction.EquilibriumChecker()
    for i in range(30):
        whole = biped.problem(biped.state(q=q[i]))
        kept = [k for k in range(8) if active[i, k]]
        rows = [3 * k + r for k in kept for r in range(3)]
        contacts = [stiction.Contact(whole.contacts[k].name, mu[i, k], 3 * n) for n, k in enumerate(kept)]
        problem = stiction.ContactProblem(whole.M, whole.F, whole.J[rows], contacts, actuators=whole.actuators)
        result = checker.check(problem, friction_scale=True)
        assert CODES[answers["verdict"][i]] == result.verdict
        if result.verdict == "holds":
            assert answers["friction_scale"][i] == result.friction_scale.upper
            shares = [c.utilisation for c in result.contacts]
            assert answers["utilisation"][i] == max(shares) and answers["culprit"][i] == kept[int(np.argmax(shares))]
        else:
            assert answers["culprit"][i] == -1 or active[i, answers["culprit"][i]]
            assert stiction.CAUSE_CODES[answers["cause"][i]] == result.failure.cause and np.isnan(answers["slack"][i])
    assert {0, 1} <= set(answers["verdict"].tolist())


def test_robots_of_the_scenario_itself(biped):
    report = stiction.check(ROOT / "scenarios/biped_standing.yaml")
    answers = stiction.check_batch({"q": biped.state().q[None]}, scene=biped, ask=["friction_scale"])
    assert CODES[answers["verdict"][0]] == report.verdict == "holds"
    assert answers["friction_scale"][0] == pytest.approx(report.margins["friction_scale"].value, rel=1e-3, abs=1e-5)
    lifted = stiction.check_batch({"q": biped.state().q[None], "active": np.zeros(8, bool)}, "equilibrium", scene=biped)
    assert lifted["verdict"][0] == 0
    pushed = stiction.check_batch({"q": biped.state().q[None], "v": np.r_[0.1, np.zeros(11)]}, scene=biped)
    assert pushed["status"][0] == 1 and "m/s" in pushed["error"][0]
    for change in ({"q": np.zeros((2, 3))}, {"active": np.ones(8)}, {"mu": np.ones(7)}, {"points": np.zeros(3)}):
        with pytest.raises(stiction.InputError):
            stiction.check_batch({"q": biped.state().q[None], **change}, scene=biped)
    nan = stiction.check_batch({"q": np.full((1, biped.nq), np.nan)}, scene=biped)
    assert nan["status"][0] == 1


def test_batch_is_that_of_the_program(program, tmp_path):
    file = "scenarios/box_on_slope.yaml"
    columns = {"contacts.bottom.mu": [0.3, 0.36, 0.37, 0.5, -1], "models.box.pose.rpy": [[0, a, 0] for a in (0.3, 0.35, 0.35, 0.1, 0)]}
    with open(tmp_path / "rows.jsonl", "w") as rows:
        for i in range(5):
            rows.write(json.dumps({path: column[i] for path, column in columns.items()}) + "\n")
    code, _, _ = program("batch", file, "--inputs", tmp_path / "rows.jsonl", "--out", tmp_path / "out.jsonl", "--quiet")
    written = [json.loads(line) for line in open(tmp_path / "out.jsonl")]
    answers = stiction.batch(ROOT / file, columns, threads=2)
    assert code == 2 and answers["status"].tolist() == [0, 0, 0, 0, 1]
    for i, row in enumerate(written[:4]):
        assert CODES[answers["verdict"][i]] == row["verdict"] and answers["summary"][i] == row["summary"]
        assert answers["utilisation"][i] == row["utilisation"] and answers["slack"][i] == row["slack"]
    assert "mu" in answers["error"][4]
    with pytest.raises(stiction.InputError):
        stiction.batch(ROOT / file, {"contacts.bottom.mu": [0.3], "name": ["a", "b"]})


def test_an_interrupt_ends_a_long_batch():
    code = textwrap.dedent("""
        import sys; sys.path.insert(0, sys.argv[1])
        import test_batch, stiction
        columns = {**test_batch.grasps(100000, 5), "torque_length": 0.05}
        print("started", flush=True)
        stiction.check_batch(columns, ask=["epsilon"], gap=0.1, threads=2)
    """)
    child = subprocess.Popen([sys.executable, "-c", code, os.path.dirname(__file__)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert child.stdout.readline() == "started\n"
    import time
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=30)   # the batch alone would take many minutes
    assert "KeyboardInterrupt" in errors and child.returncode != 0
