"""python -m stiction.distribute: every row once, whatever is lost on the way."""

import glob
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import stiction
from stiction import distribute
from test_tables import grasps, same, slopes

try:
    import ray
except ModuleNotFoundError:
    ray = None

needs_ray = pytest.mark.skipif(
    ray is None, reason="NOT TESTED HERE: Ray is not installed (pip install 'stiction[ray]')"
)
ENGINES = ["processes", pytest.param("ray", marks=needs_ray)]
ROOT = pathlib.Path(__file__).resolve().parents[2]
SLOPE = str(ROOT / "scenarios" / "box_on_slope.yaml")


def run(*arguments, quiet=True):
    return distribute.main([*map(str, arguments), *(["--quiet"] if quiet else [])])


def command(*arguments):
    return [sys.executable, "-m", "stiction.distribute", *map(str, arguments)]


def contents(folder):
    """SHA-256 of every file of results, and of what says what they answer."""
    return {
        name: hashlib.sha256(pathlib.Path(folder, name).read_bytes()).hexdigest()
        for name in sorted(os.listdir(folder))
        if not name.startswith(".")
    }


def answers(folder, suffix=".npz"):
    parts = [stiction.read_table(path) for path in sorted(glob.glob(f"{folder}/*{suffix}"))]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@pytest.fixture
def rows(tmp_path):
    """Three files of rows for SLOPE, as arrays: 25, 1 and 0 rows."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for name, count in (("a", 25), ("b", 1), ("c", 0)):
        stiction.write_table(folder / f"{name}.npz", slopes(count, seed=len(name) + count))
    return folder


@pytest.fixture(scope="module")
def local_ray():
    """Ray of this process, which runs then share: starting it takes seconds."""
    if ray is None:
        yield
        return
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.parametrize("engine", ENGINES)
def test_answers_are_those_of_batch(rows, tmp_path, engine):
    arguments = [SLOPE, "--inputs", rows / "*.npz", "--engine", engine, "--workers", 2, "--block", 10]
    try:
        assert run(*arguments, "--out", tmp_path / "out") == 0
    finally:
        if ray is not None:
            ray.shutdown()
    names = [name for name in contents(tmp_path / "out") if name.endswith(".npz")]
    assert names == [f"a.0000{i}-of-00003.npz" for i in (1, 2, 3)] + ["b.npz", "c.npz"]
    found = answers(tmp_path / "out")
    tables = [stiction.read_table(rows / f"{name}.npz") for name in "abc"]
    columns = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    wanted = stiction.batch(SLOPE, columns)
    assert found["id"].tolist() == [*range(1, 26), 1]
    same(
        {name: found[name] for name in ("verdict", "slack", "utilisation", "summary")},
        {name: wanted[name] for name in ("verdict", "slack", "utilisation", "summary")},
    )
    assert 0 < np.count_nonzero(found["verdict"] == 1) < 26


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_lines_are_answered_as_the_program_does(tmp_path, suffix):
    columns = slopes(23)
    columns["contacts.bottom.mu"][11] = -1
    (tmp_path / "rows").mkdir()
    path = tmp_path / "rows" / f"lines{suffix}"
    stiction.write_table(path, columns)
    assert (
        run(SLOPE, "--inputs", path, "--out", tmp_path / "out", "--engine", "processes", "--workers", 1, "--block", 8)
        == 2
    )
    parts = [pathlib.Path(name).read_bytes() for name in sorted(glob.glob(f"{tmp_path}/out/*{suffix}"))]
    assert len(parts) == 3
    whole = tmp_path / f"whole{suffix}"
    assert (
        subprocess.run([distribute.PROGRAM, "batch", SLOPE, "--inputs", path, "--out", whole, "--quiet"]).returncode
        == 2
    )
    assert b"".join(parts) == whole.read_bytes()
    told = json.loads((tmp_path / "out" / f"lines.00002-of-00003{suffix}.inputs").read_text())
    written = json.loads(pathlib.Path(f"{whole}.inputs").read_text())
    assert {part: told[part] for part in written if part != "shard"} == {
        part: written[part] for part in written if part != "shard"
    }
    assert (told["shard"], told["answered"], told["bad"]) == ("2/3", 8, 1)


def test_grasps_and_robots(tmp_path):
    (tmp_path / "rows").mkdir()
    table = grasps(30)
    mu = table.pop("mu")
    stiction.write_table(tmp_path / "rows" / "g.npz", table)
    common = ["--engine", "processes", "--workers", 1]
    assert (
        run(
            "--grasps",
            "--inputs",
            tmp_path / "rows" / "g.npz",
            "--out",
            tmp_path / "g",
            "--ask",
            "closed,forms",
            "--set",
            "mu=0.5",
            "--block",
            11,
            *common,
        )
        == 0
    )
    found = answers(tmp_path / "g")
    wanted = stiction.check_batch({**table, "mu": 0.5}, ask=["closed", "forms"])
    same({name: found[name] for name in ("closed", "forms")}, {name: wanted[name] for name in ("closed", "forms")})
    assert len({*found["closed"]}) == 2 and len(mu) == len(table["points"])

    scene = stiction.Scene(SLOPE)
    q = np.tile(scene.state().q, (4, 1))
    stiction.write_table(tmp_path / "rows" / "q.npz", {"q": q})
    assert (
        run(
            SLOPE,
            "--robots",
            "--inputs",
            tmp_path / "rows" / "q.npz",
            "--out",
            tmp_path / "q",
            "--ask",
            "friction_scale",
            *common,
        )
        == 0
    )
    same(
        {"f": answers(tmp_path / "q")["friction_scale"]},
        {"f": stiction.check_batch({"q": q}, scene=scene, ask=["friction_scale"])["friction_scale"]},
    )


def test_finished_files_are_not_done_again(rows, tmp_path, capsys):
    out = tmp_path / "out"
    arguments = [
        SLOPE,
        "--inputs",
        rows / "*.npz",
        "--out",
        out,
        "--engine",
        "processes",
        "--workers",
        1,
        "--block",
        10,
    ]
    assert run(*arguments) == 0
    wanted = contents(out)
    times = {name: os.stat(out / name).st_mtime_ns for name in wanted}
    assert run(*arguments) == 2 and "want a folder without results, or --resume" in capsys.readouterr().err
    (out / "b.npz").unlink()
    (out / "a.00002-of-00003.npz.inputs").unlink()
    (out / "a.00003-of-00003.npz").write_bytes(b"damaged")
    (out / ".a.00001-of-00003.npz.host.123.part.npz").write_bytes(b"left behind")
    assert run(*arguments, "--resume", quiet=False) == 0
    assert "26 rows (8 before), 5 of 5 files" in capsys.readouterr().err
    assert contents(out) == wanted
    assert [name for name in wanted if os.stat(out / name).st_mtime_ns == times[name]] == [
        "a.00001-of-00003.npz",
        "a.00001-of-00003.npz.inputs",
        "c.npz",
        "c.npz.inputs",
    ]
    assert not glob.glob(f"{out}/.*.part*")


def test_results_of_anything_else_are_refused(rows, tmp_path, capsys):
    out = tmp_path / "out"
    arguments = ["--inputs", rows / "*.npz", "--engine", "processes", "--workers", 1, "--resume", "--out"]

    def said(*changed):
        assert run(*changed) == 2
        return capsys.readouterr().err

    assert run(SLOPE, *arguments, out) == 0
    wanted = contents(out)
    same_of = "--resume: want results of the same "
    assert same_of + "scenario" in said(ROOT / "scenarios" / "box_on_steep_slope.yaml", *arguments, out)
    assert same_of + "set" in said(SLOPE, *arguments, out, "--set", "contacts.bottom.mu=0.7")
    assert same_of + "set" in said(SLOPE, *arguments, out, "--question", "equilibrium")
    assert "want results of these inputs only" in said(SLOPE, *arguments, out, "--block", 7)
    stiction.write_table(rows / "b.npz", slopes(1, seed=77))
    assert same_of + "rows" in said(SLOPE, *arguments, out)
    (rows / "b.npz").unlink()
    assert "want results of these inputs only" in said(SLOPE, *arguments, out)
    assert contents(out) == wanted
    assert "want another folder than that of the inputs" in said(SLOPE, *arguments, rows)
    assert "want existing files" in said(SLOPE, "--inputs", rows / "none.npz", "--out", out)
    assert "want one, or --grasps" in said("--inputs", rows / "a.npz", "--out", out)
    assert "SCENARIO" in said(SLOPE, "--grasps", "--inputs", rows / "a.npz", "--out", out)
    assert "mu: want" in said(
        SLOPE, "--inputs", rows / "a.npz", "--out", tmp_path / "x", "--set", "contacts.bottom.mu=-1"
    )
    os.makedirs(tmp_path / "other")
    stiction.write_table(tmp_path / "other" / "a.npz", slopes(3))
    assert "want files of different names" in said(
        SLOPE,
        "--inputs",
        rows / "a.npz",
        tmp_path / "other" / "a.npz",
        "--out",
        tmp_path / "x",
        "--engine",
        "processes",
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_that_cannot_be_used_ends_the_run(tmp_path, capfd, engine):
    (tmp_path / "rows").mkdir()
    stiction.write_table(tmp_path / "rows" / "a.npz", {**slopes(3), "points": np.zeros((3, 2, 3))})
    arguments = ["--grasps", "--inputs", tmp_path / "rows" / "a.npz", "--out", tmp_path / "out", "--workers", 2]
    try:
        assert run(*arguments, "--engine", engine) == 2
    finally:
        if ray is not None:
            ray.shutdown()
    assert "stiction: columns: want center, mu, normals" in capfd.readouterr().err
    assert contents(tmp_path / "out") == {}


def test_a_bad_row_is_answered_and_counted(tmp_path, capsys):
    (tmp_path / "rows").mkdir()
    columns = slopes(5)
    columns["contacts.bottom.mu"][3] = -1
    stiction.write_table(tmp_path / "rows" / "a.npz", columns)
    assert (
        run(
            SLOPE,
            "--inputs",
            tmp_path / "rows" / "a.npz",
            "--out",
            tmp_path / "out",
            "--engine",
            "processes",
            "--workers",
            1,
            quiet=False,
        )
        == 2
    )
    assert "5 rows, 1 bad, 1 of 1 files" in capsys.readouterr().err
    found = answers(tmp_path / "out")
    assert found["status"].tolist() == [0, 0, 0, 1, 0] and "mu" in found["error"][3] and found["verdict"][3] == -1


def test_an_input_that_changes_is_noticed(rows):
    entry = distribute.Input.of(str(rows / "a.npz"))
    stiction.write_table(rows / "a.npz", slopes(24))
    with pytest.raises(stiction.InputError, match="as it was at first"):
        distribute.answer_block(None, distribute.Block(entry, 1, 1, "nowhere.npz"))


def children(pid):
    """Processes that a process started, directly or not."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            fields = open(path).read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found += [int(path.split("/")[2]), *children(int(path.split("/")[2]))]
    return found


def many_grasps(folder, files=8, each=20):
    """Enough work to be interrupted: epsilon takes milliseconds."""
    folder.mkdir()
    for i in range(files):
        stiction.write_table(folder / f"g{i}.npz", grasps(each, seed=i, fingers=4))
    return ["--grasps", "--ask", "closed,epsilon", "--inputs", folder / "*.npz"]


def wait_for(folder, count, process):
    """Until so many files are whole."""
    while process.poll() is None and len(glob.glob(f"{folder}/*.inputs")) < count:
        time.sleep(0.01)
    assert process.poll() is None, "it was done before it could be interrupted"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_lost_processes_and_a_lost_driver(tmp_path):
    arguments = [*many_grasps(tmp_path / "rows"), "--engine", "processes", "--quiet"]
    assert run(*arguments, "--workers", 1, "--out", tmp_path / "whole") == 0
    wanted = contents(tmp_path / "whole")
    out = tmp_path / "out"
    process = subprocess.Popen(
        command(*arguments, "--workers", 2, "--out", out), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for(out, 2, process)
    workers = [
        pid for pid in children(process.pid) if b"spawn_main" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    os.kill(workers[0], signal.SIGKILL)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0 and "a worker was lost" in said
    assert contents(out) == wanted

    again = tmp_path / "again"
    process = subprocess.Popen(command(*arguments, "--workers", 2, "--out", again), start_new_session=True)
    wait_for(again, 2, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert len(contents(again)) < len(wanted)
    done = subprocess.run(command(*arguments, "--workers", 2, "--out", again, "--resume"))
    assert done.returncode == 0 and contents(again) == wanted
    assert not glob.glob(f"{out}/.*.part.*") and not glob.glob(f"{again}/.*.part.*")


@needs_ray
def test_ray_data_answers_as_check_batch_does(local_ray):
    table = grasps(200, fingers=4)
    shaped = {
        "points": table["points"].reshape(200, 4, 3),
        "normals": table["normals"].reshape(200, 4, 3),
        "mu": table["mu"].reshape(200, 4),
    }
    wanted = stiction.check_batch(shaped, ask=["closed", "least_friction"])
    ds = ray.data.from_items([{"id": i, **{name: column[i] for name, column in shaped.items()}} for i in range(200)])
    found = ds.map_batches(
        stiction.BatchChecker,
        fn_constructor_kwargs={"ask": ["closed", "least_friction"]},
        batch_format="numpy",
        batch_size=32,
        compute=ray.data.ActorPoolStrategy(size=2),
    ).take_all()
    found.sort(key=lambda row: row["id"])
    assert [row["id"] for row in found] == list(range(200))
    for name in ("closed", "least_friction", "least_friction_lower", "status", "error"):
        same({name: np.array([row[name] for row in found])}, {name: wanted[name]})

    ragged = grasps(50, seed=9)
    split = {name: np.split(ragged[name], ragged["offsets"][1:-1]) for name in ("points", "normals", "mu")}
    ds = ray.data.from_items([{"id": i, **{name: part[i].tolist() for name, part in split.items()}} for i in range(50)])
    found = sorted(
        ds.map_batches(
            stiction.BatchChecker, batch_format="numpy", batch_size=7, compute=ray.data.ActorPoolStrategy(size=1)
        ).take_all(),
        key=lambda row: row["id"],
    )
    assert [row["closed"] for row in found] == stiction.check_batch(ragged)["closed"].tolist()

    columns = slopes(40)
    ds = ray.data.from_items([{"id": i, **{name: column[i] for name, column in columns.items()}} for i in range(40)])
    found = sorted(
        ds.map_batches(
            stiction.BatchChecker,
            fn_constructor_kwargs={"scenario": SLOPE},
            batch_format="numpy",
            batch_size=16,
            compute=ray.data.ActorPoolStrategy(size=1),
        ).take_all(),
        key=lambda row: row["id"],
    )
    wanted = stiction.batch(SLOPE, columns)
    for name in ("verdict", "slack", "utilisation", "summary"):
        same({name: np.array([row[name] for row in found])}, {name: np.asarray(wanted[name])})


@needs_ray
def test_lost_ray_workers_nodes_and_drivers(tmp_path):
    from ray.cluster_utils import Cluster

    if ray.is_initialized():
        ray.shutdown()
    arguments = [*many_grasps(tmp_path / "rows", files=24, each=40), "--quiet"]
    assert run(*arguments, "--engine", "processes", "--workers", 1, "--out", tmp_path / "whole") == 0
    wanted = contents(tmp_path / "whole")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        second = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        arguments += ["--address", cluster.address]
        for what in ("worker", "node", "driver"):
            out = tmp_path / what
            process = subprocess.Popen(
                command(*arguments, "--out", out), stderr=subprocess.PIPE, text=True, start_new_session=True
            )
            wait_for(out, 4, process)
            if what == "worker":
                busy = [int(path.split("/")[2]) for path in glob.glob("/proc/[0-9]*/cmdline")]
                busy = [pid for pid in busy if answers_a_block(pid)]
                os.kill(busy[0], signal.SIGKILL)
            elif what == "node":
                raylet = second.all_processes["raylet"][0].process.pid
                while process.poll() is None and not any(answers_a_block(pid) for pid in children(raylet)):
                    time.sleep(0.01)
                cluster.remove_node(second, allow_graceful=False)
            else:
                process.kill()
            _, said = process.communicate(timeout=300)
            if what == "driver":
                assert len(contents(out)) < len(wanted)
                assert subprocess.run(command(*arguments, "--out", out, "--resume")).returncode == 0
            else:
                assert process.returncode == 0 and "a worker was lost" in said, said
            assert contents(out) == wanted, what
            if what == "node":
                cluster.add_node(num_cpus=1)
    finally:
        cluster.shutdown()


def answers_a_block(pid):
    """Whether a process is a worker of Ray that is at work."""
    try:
        return b"ray::answer_block" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
