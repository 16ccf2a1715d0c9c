"""Tables in files, and BatchChecker on what is in them."""

import hashlib
import json
import pickle

import numpy as np
import pytest

import stiction
from stiction._tables import TABLE_SUFFIXES, count_rows

try:
    import pyarrow
    import pyarrow.parquet
except ModuleNotFoundError:
    pyarrow = None

FORMATS = [
    pytest.param(
        suffix, marks=pytest.mark.skipif(suffix == ".parquet" and pyarrow is None, reason="pyarrow is not installed")
    )
    for suffix in TABLE_SUFFIXES
]


def same(got, wanted):
    assert list(got) == list(wanted)
    for name in wanted:
        one, other = np.asarray(got[name]), np.asarray(wanted[name])
        if one.dtype == object or other.dtype == object:
            assert len(one) == len(other)
            for a, b in zip(one, other):
                assert np.array_equal(a, b) if isinstance(b, np.ndarray) else a == b, name
        else:
            assert np.array_equal(one, other, equal_nan=other.dtype.kind == "f"), name


def grasps(rows, seed=5, fingers=None):
    """Points on a sphere and normals near its centre; (rows, fingers) or two to six contacts per row."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, 7, rows) if fingers is None else np.full(rows, fingers)
    points = rng.normal(size=(counts.sum(), 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    normals = -points + 0.3 * rng.normal(size=points.shape)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return {
        "points": points,
        "normals": normals,
        "mu": rng.uniform(0.2, 1.0, counts.sum()),
        "offsets": np.concatenate([[0], np.cumsum(counts)]),
    }


def by_row(table):
    """The same grasps with a list of contacts per row."""
    parts = {}
    for name in ("points", "normals", "mu"):
        parts[name] = np.empty(len(table["offsets"]) - 1, dtype=object)
        parts[name][:] = np.split(table[name], table["offsets"][1:-1])
    return parts


@pytest.mark.parametrize("suffix", FORMATS)
def test_columns_come_back(tmp_path, suffix):
    columns = {
        "id": np.array(["a", 'b,"c"', "ü", "d", "e"], dtype=object),
        "contacts.left.mu": np.array([0.1, 0.2, 1 / 3, 1e-300, 5.0]),
        "models.b.pose.xyz": np.arange(15.0).reshape(5, 3) / 7,
        "count": np.array([1, 2, 3, 4, 5]),
    }
    path = tmp_path / f"table{suffix}"
    stiction.write_table(path, columns)
    assert count_rows(path) == 5
    same(stiction.read_table(path), columns)
    for first, last in ((0, 2), (2, 5), (3, 3), (4, 5)):
        same(
            {name: column for name, column in stiction.read_table(path, first, last).items()},
            {name: column[first:last] for name, column in columns.items()}
            if first < last or suffix in (".npz", ".parquet")
            else stiction.read_table(path, first, last),
        )
        assert {len(column) for column in stiction.read_table(path, first, last).values()} <= {last - first}
    first_bytes = hashlib.sha256(path.read_bytes()).digest()
    stiction.write_table(path, columns)
    assert hashlib.sha256(path.read_bytes()).digest() == first_bytes


@pytest.mark.parametrize("suffix", FORMATS)
def test_nothing_is_not_a_number(tmp_path, suffix):
    path = tmp_path / f"table{suffix}"
    if suffix == ".npz":  # has no place for nothing: nan stays nan
        stiction.write_table(path, {"x": np.array([1.0, np.nan])})
        assert np.isnan(stiction.read_table(path)["x"][1])
        return
    stiction.write_table(path, {"x": np.array([1.5, None], dtype=object)})
    assert stiction.read_table(path)["x"][1] is None


@pytest.mark.parametrize("suffix", FORMATS)
def test_ragged_grasps_are_answered_as_arrays_are(tmp_path, suffix):
    table = grasps(40)
    wanted = stiction.check_batch(table, ask=["closed", "least_friction"])
    path = tmp_path / f"grasps{suffix}"
    stiction.write_table(path, table if suffix == ".npz" else by_row(table))
    checker = stiction.BatchChecker(ask=["closed", "least_friction"])
    assert len({*wanted["closed"]}) == 2
    same(checker(stiction.read_table(path)), wanted)
    parts = [checker(stiction.read_table(path, first, first + 8)) for first in range(0, 40, 8)]
    same({name: np.concatenate([part[name] for part in parts]) for name in wanted}, wanted)


def test_a_bad_grasp_is_one_row():
    rows = by_row(grasps(6))
    rows["points"][2] = rows["points"][2][:, :2]
    rows["normals"][4] = None
    rows["mu"][5] = rows["mu"][5][:-1]
    answers = stiction.BatchChecker(keep=["name"])({**rows, "id": np.arange(6), "name": np.array(list("abcdef"))})
    assert answers["status"].tolist() == [0, 0, 1, 0, 1, 1]
    assert answers["closed"][[2, 4, 5]].tolist() == [-1, -1, -1]
    assert answers["error"][2] == "points: want shape (k, 3), got " + str(rows["points"][2].shape)
    assert "want as many contacts in each" in answers["error"][5] and answers["error"][0] == ""
    assert answers["name"].tolist() == list("abcdef") and answers["id"].tolist() == list(range(6))
    good = [0, 1, 3]
    alone = stiction.BatchChecker()({name: column[good] for name, column in rows.items()})
    assert alone["closed"].tolist() == answers["closed"][good].tolist()


def slopes(rows, seed=2):
    rng = np.random.default_rng(seed)
    tilt = rng.uniform(0, 0.6, rows)
    return {"contacts.bottom.mu": rng.uniform(0.2, 0.8, rows), "models.box.pose.rpy": np.c_[0 * tilt, tilt, 0 * tilt]}


def test_a_checker_answers_as_batch_does(root):
    scenario, columns = root / "scenarios" / "box_on_slope.yaml", slopes(30)
    columns["contacts.bottom.mu"][7] = -1
    wanted = stiction.batch(scenario, columns)
    checker = stiction.BatchChecker(scenario)
    answers = checker({**columns, "id": np.arange(30)})
    assert answers.pop("id").tolist() == list(range(30))
    assert list(answers) == ["verdict", "utilisation", "slack", "summary", "status", "error"]
    same(answers, {name: wanted[name] for name in answers})
    assert answers["status"].tolist() == [int(i == 7) for i in range(30)]
    again = pickle.loads(pickle.dumps(checker))
    same(
        again({name: column[::-1] for name, column in columns.items()}),
        {name: column[::-1] for name, column in answers.items()},
    )


def test_columns_do_not_depend_on_the_rows(root):
    """Engines put batches together: all rows bad, or none that holds, must not change names or types."""
    for name in ("box_on_slope", "hook_grasp", "block_tips", "com_region"):
        scenario = root / "scenarios" / f"{name}.yaml"
        if not scenario.exists():
            continue
        checker = stiction.BatchChecker(scenario)
        good, bad = checker({"name": ["x"]}), checker({"no.such.path": [1.0]})
        assert good["status"].tolist() == [0] and bad["status"].tolist() == [1]
        assert [(k, v.dtype) for k, v in good.items()] == [(k, v.dtype) for k, v in bad.items()]


def test_word_columns_are_those_of_the_gallery(root):
    from stiction._checker import _WORD_COLUMNS

    seen = set()
    for scenario in sorted((root / "scenarios").glob("*.yaml")):
        if "package://" in scenario.read_text():
            continue
        for name, column in stiction.batch(scenario, {"name": ["x"]}).items():
            if name not in ("verdict", "summary", "status", "error"):
                assert isinstance(column[0], str) == (name in _WORD_COLUMNS), (scenario.stem, name)
                seen.add(name)
    assert _WORD_COLUMNS - {"force_closure"} <= seen  # asked of real hands only


def test_a_scenario_that_changes_is_noticed(root, tmp_path):
    text = (root / "scenarios" / "box_on_slope.yaml").read_text().replace("../urdf", str(root / "urdf"))
    own = tmp_path / "own.yaml"
    own.write_text(text)
    checker = stiction.BatchChecker(own)
    checker(slopes(2))
    own.write_text(text + "# another\n")
    with pytest.raises(stiction.InputError, match="as it was at first"):
        checker(slopes(2))


def test_files_that_cannot_be_used(tmp_path):
    for name, data in (
        ("a.txt", b""),
        ("a.npz", b"PK"),
        ("a.jsonl", b"[1]\n"),
        ("a.jsonl", b"{nonsense\n"),
        ("a.csv", b"a,b\n1\n"),
        ("a.csv", b"a\n\xff\n"),
        ("none.npz", None),
    ):
        path = tmp_path / name
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(stiction.InputError):
            stiction.read_table(path)
    with pytest.raises(stiction.InputError, match="as many rows"):
        stiction.write_table(tmp_path / "b.csv", {"a": [1], "b": [1, 2]})
    np.savez(tmp_path / "c.npz", a=np.zeros(3), b=np.zeros(4))
    with pytest.raises(stiction.InputError, match="as many rows"):
        stiction.read_table(tmp_path / "c.npz")
    np.savez(tmp_path / "d.npz", a=np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(stiction.InputError, match="Python objects"):
        stiction.read_table(tmp_path / "d.npz")
    with pytest.raises(stiction.InputError):
        stiction.BatchChecker(tmp_path / "none.yaml")


def test_infinities_in_lines(tmp_path):
    stiction.write_table(tmp_path / "a.jsonl", {"x": np.array([np.inf, -np.inf, np.nan, 1.0])})
    assert [json.loads(line)["x"] for line in open(tmp_path / "a.jsonl")] == ["inf", "-inf", None, 1.0]


@pytest.mark.skipif(pyarrow is None, reason="pyarrow is not installed")
def test_arrow_tables_are_answered_as_arrays_are(tmp_path):
    ragged, even = grasps(60), grasps(40, fingers=4)
    checker = stiction.BatchChecker(ask=["closed", "least_friction"], keep=["object"])
    for table in (ragged, even):
        wanted = stiction.check_batch(table, ask=["closed", "least_friction"])
        rows = by_row(table)
        names = [f"mug {i}" for i in range(len(rows["mu"]))]
        arrow = pyarrow.table({"object": names, **{name: [row.tolist() for row in rows[name]] for name in rows}})
        got = checker(pyarrow.concat_tables([arrow[:7], arrow[7:]]))  # in chunks
        assert got.pop("object").tolist() == names
        same(got, wanted)
        pyarrow.parquet.write_table(arrow, tmp_path / "rows.parquet")
        flat = stiction.read_table(tmp_path / "rows.parquet", 3, 20, flat=True)
        part = slice(table["offsets"][3], table["offsets"][20])
        assert np.array_equal(flat["points"], table["points"][part]) and np.array_equal(flat["mu"], table["mu"][part])
        assert np.array_equal(flat["offsets"], table["offsets"][3:21] - table["offsets"][3])

    # One coefficient per grasp; contacts of which one has no normal: only that row is bad.
    arrow = pyarrow.table({name: [row.tolist() for row in column] for name, column in by_row(ragged).items()})
    single = arrow.set_column(arrow.column_names.index("mu"), "mu", pyarrow.array(np.full(60, 0.5)))
    wanted = stiction.check_batch({**ragged, "mu": np.full(60, 0.5)})
    same(stiction.BatchChecker()(single), wanted)
    short = arrow["normals"].to_pylist()
    short[4] = short[4][:-1]
    column = arrow.column_names.index("normals")
    answers = stiction.BatchChecker()(arrow.set_column(column, "normals", pyarrow.array(short)))
    assert np.flatnonzero(answers["status"]).tolist() == [4] and "want as many contacts" in answers["error"][4]
