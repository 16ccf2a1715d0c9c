"""Many grasps, robot states or scenarios at once: columns in, columns out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _stiction
from ._scenario import _folders, _overrides, _text
from ._scene import Scene
from ._types import InputError

#: What verdicts are in columns: 1 holds, 0 fails, -1 undecided (or the row was bad: see "status").
VERDICT_CODES = {1: "holds", 0: "fails", -1: "undecided"}

#: What "cause" of a failing row means: what alone would help (-1: it does not fail, or was not asked).
CAUSE_CODES = {0: "unknown", 1: "motors", 2: "effort", 3: "limits", 4: "friction", 5: "several", 6: "nothing"}

_GRASP_COLUMNS = {"points", "normals", "mu", "torsion", "offsets", "center", "torque_length", "wrench"}
_ROBOT_COLUMNS = {"q", "v", "a", "tau", "mu", "active"}


def _numbers(value: Any, path: str, dtype: type = np.float64) -> np.ndarray:
    try:
        return np.asarray(value, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: want numbers, got: {error}", path) from None


def _shaped(value: Any, path: str, *shapes: tuple[int, ...], to: tuple[int, ...] | None = None, dtype: type = np.float64) -> np.ndarray:
    """The array, which has one of the shapes (-1: any), as a view of the shape `to`."""
    array = _numbers(value, path, dtype)
    for shape in shapes:
        if array.ndim == len(shape) and all(want in (-1, got) for want, got in zip(shape, array.shape)):
            return array if to is None else np.broadcast_to(array, to)
    wanted = " or ".join(str(shape).replace("-1", "any") for shape in shapes)
    raise InputError(f"{path}: want shape {wanted}, got {array.shape}", path)


def _known(columns: Mapping[str, Any], names: set[str], needed: Iterable[str]) -> None:
    for name in columns:
        if name not in names:
            raise InputError(f"columns: want {', '.join(sorted(names))}, got '{name}'", "columns")
    for name in needed:
        if name not in columns:
            raise InputError(f"columns: want '{name}', got none", "columns")


def _with_errors(columns: dict[str, np.ndarray], bad: Sequence[tuple[int, str]]) -> dict[str, np.ndarray]:
    errors = np.full(len(columns["status"]), "", dtype=object)
    for row, message in bad:
        errors[row] = message
    columns["error"] = errors
    return columns


def _per_contact(value: Any, path: str, rows: int, fingers: int | None, offsets: np.ndarray, total: int) -> np.ndarray:
    """One number per contact of every row: given for all, per row, or per contact."""
    array = _numbers(value, path)
    if array.ndim == 0:
        return np.broadcast_to(array, (total,))
    if fingers is not None and array.shape == (rows, fingers):
        return array.reshape(-1)
    if array.shape == (rows,) and rows != total:
        return np.repeat(array, np.diff(offsets))
    if array.shape == (total,):
        return array
    shapes = f"(), ({rows},)" + (f" or ({rows}, {fingers})" if fingers is not None else f" or ({total},)")
    raise InputError(f"{path}: want shape {shapes}, got {array.shape}", path)


def _grasps(columns: Mapping[str, Any]) -> dict[str, np.ndarray | None]:
    _known(columns, _GRASP_COLUMNS, ("points", "normals", "mu"))
    points = _numbers(columns["points"], "points")
    if "offsets" in columns:
        points = _shaped(points, "points", (-1, 3))
        total, fingers = len(points), None
        given = np.asarray(columns["offsets"])
        if given.dtype.kind not in "iu" or given.ndim != 1 or len(given) == 0:
            raise InputError("offsets: want one row of integers, at least the 0, got "
                             f"{given.dtype} of shape {given.shape}", "offsets")
        offsets = np.ascontiguousarray(given, dtype=np.int64)
        if offsets[0] != 0 or offsets[-1] != total or np.any(np.diff(offsets) < 0):
            raise InputError(f"offsets: want numbers that rise from 0 to {total}, the length of points", "offsets")
        normals = _shaped(columns["normals"], "normals", (total, 3))
    else:
        points = _shaped(points, "points", (-1, -1, 3))
        fingers = points.shape[1]
        total = points.shape[0] * fingers
        offsets = np.arange(points.shape[0] + 1, dtype=np.int64) * fingers
        normals = _shaped(columns["normals"], "normals", points.shape)
    rows = len(offsets) - 1
    wrench = columns.get("wrench")
    return {
        "points": points.reshape(-1, 3),
        "normals": normals.reshape(-1, 3),
        "mu": _per_contact(columns["mu"], "mu", rows, fingers, offsets, total),
        "torsion": _per_contact(columns.get("torsion", 0.0), "torsion", rows, fingers, offsets, total),
        "offsets": offsets,
        "center": _shaped(columns.get("center", np.zeros(3)), "center", (3,), (rows, 3), to=(rows, 3)),
        "torque_length": _shaped(columns.get("torque_length", 1.0), "torque_length", (), (rows,), to=(rows,)),
        "wrench": None if wrench is None else wrench,
    }


def _check_grasps(columns: Mapping[str, Any], ask, threads, gap, cutoff, plane, cone) -> dict[str, np.ndarray]:
    grasps = _grasps(columns)
    if grasps["wrench"] is not None:
        rows, size = len(grasps["offsets"]) - 1, 3 if plane else 6
        grasps["wrench"] = _shaped(grasps["wrench"], "wrench", (size,), (rows, size), to=(rows, size))
    if ask is None:
        ask = ("closed",)
    return _with_errors(*_stiction._grasp_batch(
        **grasps, plane=plane, cone=cone, ask=list(ask), gap=gap, cutoff=cutoff, threads=threads))


def _check_robots(columns: Mapping[str, Any], question, scene, ask, threads, cone) -> dict[str, np.ndarray]:
    _known(columns, _ROBOT_COLUMNS, ("q",))
    contacts = len(scene.contact_names)
    q = _shaped(columns["q"], "q", (-1, scene.nq))
    rows = len(q)

    def optional(name: str, size: int, dtype: type = np.float64):
        if columns.get(name) is None:
            return None
        return _shaped(columns[name], name, (size,), (rows, size), to=(rows, size), dtype=dtype)

    if columns.get("active") is not None and np.asarray(columns["active"]).dtype != bool:
        raise InputError(f"active: want booleans, got {np.asarray(columns['active']).dtype}", "active")
    return _with_errors(*_stiction._robot_batch(
        scene._scene, q, optional("v", scene.nv), optional("a", scene.nv), optional("tau", scene.nv),
        optional("mu", contacts), optional("active", contacts, bool), question, cone, list(ask or ()), threads))


def check_batch(
    columns: Mapping[str, Any],
    question: str | None = None,
    *,
    scene: Scene | None = None,
    ask: Sequence[str] | None = None,
    threads: int = 1,
    gap: float = 0.01,
    cutoff: float | None = None,
    plane: str = "",
    cone: Any = None,
) -> dict[str, np.ndarray]:
    """Answers n rows of arrays: a pure function, the same bits for every number of threads and order of rows.

    Grasps (question "closure", the default without a scene); k contacts each, or ragged with offsets:
      points    (n, k, 3) m; or (total, 3) with offsets (n + 1,): row i has the contacts offsets[i] to offsets[i + 1]
      normals   like points: unit vectors into the object
      mu        a number, (n,), (n, k) or (total,): Coulomb coefficients; torsion: the same, m, soft fingers, 0
      center    (3,) or (n, 3) m: what torques are about, the origin; torque_length: a number or (n,), m, 1
      wrench    (6,) or (n, 6), N and N m about center: what acts on the object; answered by "resists"
    ask, and the columns that it brings (int8 verdicts: 1 holds, 0 fails, -1 undecided; nan: there is no such number):
      "closed"         closed: frictional form closure (the default)
      "forms"          forms: form closure, by normals alone
      "least_friction" least_friction, least_friction_lower: the least factor on every mu with which it is closed, and one
                       with which it is proved not to be; inf: no factor is enough
      "epsilon"        epsilon <= the quality of Ferrari and Canny (sum of normal forces <= 1) <= epsilon_upper, proved, to
                       the relative gap; with cutoff, grasps that are proved to be below it have epsilon 0
      "epsilon_linf"   the same with each normal force <= 1

    Robots (a scene; question "equilibrium" or "all_sticking", by default that of its scenario):
      q         (n, nq); v, a, tau: (n, nv) or (nv,), else as described (tau: given efforts, N m or N)
      active    (n, contacts) or (contacts,) booleans: contacts that are there; mu: the same shape, coefficients
    verdict, and with ask:
      "friction_scale" friction_scale, friction_scale_lower: the least factor on every mu that holds
      "effort"         effort, effort_lower: the least factor on all effort limits that holds (equilibrium)
      "slack"          slack, as in a report; nan unless it holds
      "culprit"        culprit: index of the contact nearest to slipping, or that moves most in the failing motion, or -1;
                       utilisation of that contact when it holds; cause: what alone would help a failing row (CAUSE_CODES)

    Always: status (0, or 1: this row cannot be used) and error (why, "" otherwise); the others are answered all the same.
    """
    if scene is not None:
        if cutoff is not None or plane:
            raise InputError("cutoff: want none beside a scene: it is about grasps", "cutoff")
        own = scene._question if scene._question in ("equilibrium", "all_sticking") else "equilibrium"
        return _check_robots(columns, question or own, scene, ask, threads, cone)
    if question not in (None, "closure"):
        raise InputError(f"question: want closure, or a scene for equilibrium and all_sticking, got '{question}'", "question")
    return _check_grasps(columns, ask, threads, gap, cutoff, plane, cone)


def _cell(value: Any, path: str) -> str:
    """A cell as YAML; nothing is replaced by an empty one."""
    if value is None or (isinstance(value, str) and value == ""):
        return ""
    return value if isinstance(value, str) else _text(value, path)


def batch(
    scenario: str | os.PathLike[str] | Mapping,
    columns: Mapping[str, Sequence],
    *,
    set: Mapping[str, Any] | None = None,
    question: str | None = None,
    package_path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    folder: str | os.PathLike[str] = ".",
    threads: int = 1,
) -> dict[str, np.ndarray]:
    """Answers rows that replace entries of a scenario, as `stiction batch` does.

    columns: by path, n entries each: {"models.robot.joints.knee": [0.1, 0.2], "contacts.toe.mu": [0.3, 0.4]}.
    Returns verdict, summary, status, error as check_batch does, and the columns of the question (docs/batch.md).
    """
    if isinstance(scenario, Mapping):
        text, where, source = _text(scenario, ""), os.fspath(folder), "scenario"
    else:
        source = os.fspath(scenario)
        where = os.path.dirname(source)
        _stiction._Scenario.read_file(source, [], [])  # says why it cannot be read
        with open(source, encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
    fixed = _overrides(set, question)
    values = {path: [_cell(value, path) for value in column] for path, column in columns.items()}
    lengths = {path: len(column) for path, column in values.items()}
    if len({*lengths.values()}) > 1:
        raise InputError(f"columns: want as many rows in each, got {lengths}", "columns")
    rows = next(iter(lengths.values()), 0)
    paths = [path for path, _ in fixed] + list(values)
    cells = [[value] * rows for _, value in fixed] + list(values.values())
    verdict, summary, numbers, bad = _stiction._scenario_batch(
        text, where, source, paths, cells, _folders(package_path), threads)
    result = {"verdict": verdict, "summary": np.array(summary, dtype=object)}
    names = list(dict.fromkeys(name for row in numbers for name in row))
    for name in names:
        column = [row.get(name) for row in numbers]
        if any(isinstance(value, str) for value in column):
            result[name] = np.array(column, dtype=object)
        else:
            result[name] = np.array([np.nan if value is None else value for value in column])
    result["status"] = np.zeros(rows, dtype=np.int8)
    result["status"][[row for row, _ in bad]] = 1
    return _with_errors(result, bad)
