"""Batches of rows for engines that distribute them: one object per worker, which loads what it needs once."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._batch import batch as _batch, check_batch
from ._program import run_program, words_of
from ._scene import Scene
from ._scenario import Scenario, _folders, _overrides
from ._tables import columns_of_arrow
from ._types import InputError

#: Columns of scenarios whose entries are words; the others are numbers.
_WORD_COLUMNS = {"form_closure", "frictional_form_closure", "force_closure", "resists", "region", "unique", "count"}


def sha256_of(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def scenario_arguments(scenario: str, changes: Sequence[tuple[str, str]], folders: Sequence[str]) -> list[str]:
    """The program's arguments for a scenario with changes."""
    arguments = [scenario]
    for path, value in changes:
        arguments += ["--set", f"{path}={value}"]
    for folder in folders:
        arguments += ["--package-path", folder]
    return arguments


def describe_results(
    scenario: str, changes: Sequence[tuple[str, str]], folders: Sequence[str]
) -> tuple[list[str], dict[str, str]]:
    """What rows of a scenario are answered by, and what the answers depend on: the columns between verdict and summary,
    and the hashes of RESULTS.inputs, as the program has them. @raises InputError with its words."""
    with tempfile.TemporaryDirectory() as folder:
        rows, out = os.path.join(folder, "rows.csv"), os.path.join(folder, "out.csv")
        with open(rows, "w", encoding="utf-8") as file:
            file.write("id\n")
        done = run_program(
            "batch",
            *scenario_arguments(scenario, changes, folders),
            *("--inputs", rows, "--out", out, "--threads", "1", "--quiet"),
        )
        if done.returncode != 0:
            raise InputError(words_of(done), "scenario")
        with open(out, encoding="utf-8") as file:
            header = file.readline().rstrip("\n").split(",")
        with open(out + ".inputs", encoding="utf-8") as file:
            origin = json.load(file)
    return header[2:-2], origin


def _stacked(value: Any, width: int | None) -> np.ndarray:
    """What a row has for its contacts, as an array (k,) or (k, width); @raises ValueError."""
    array = np.asarray(value)
    if array.dtype == object:
        array = (
            np.stack([np.asarray(entry, dtype=float) for entry in array]) if len(array) else np.empty((0, width or 0))
        )
    array = array.astype(float, copy=False)
    if array.size == 0:
        return np.empty((0,) if width is None else (0, width))
    if array.ndim != (1 if width is None else 2) or (width is not None and array.shape[1] != width):
        raise ValueError(f"want shape {'(k,)' if width is None else f'(k, {width})'}, got {array.shape}")
    return array


def _joined(column: np.ndarray, width: int | None) -> tuple[np.ndarray, list[int]] | None:
    """What all rows have for their contacts in one array, and how many each; None when a row has something else."""
    try:
        entries = list(itertools.chain.from_iterable(column))
        lengths = [len(row) for row in column]
        if width is not None and {len(entry) for entry in entries} != {width}:
            return None
        flat = np.array(entries, dtype=float) if width is None else np.concatenate(entries).astype(float, copy=False)
    except (TypeError, ValueError):
        return None
    return (flat.reshape(-1, width), lengths) if width and flat.ndim == 1 else (flat, lengths) if flat.ndim == 1 else None


def _joined_row_by_row(columns: Mapping[str, Any], widths: Mapping[str, int | None]):
    """The same where rows are bad: those become a contact without a place. Also returns why they are."""
    bad: dict[int, str] = {}
    parts: dict[str, list[np.ndarray]] = {name: [] for name in widths}
    for row in range(len(columns[next(iter(widths))])):
        try:
            entry = {name: _stacked(columns[name][row], width) for name, width in widths.items()}
            counts = {name: len(array) for name, array in entry.items()}
            if len({*counts.values()}) != 1:
                raise ValueError(f"want as many contacts in each, got {counts}")
        except (ValueError, TypeError) as error:
            bad[row] = f"{'points' if 'points' in widths else next(iter(widths))}: {error}"
            entry = {name: np.full((1, width) if width else (1,), np.nan) for name, width in widths.items()}
        for name, array in entry.items():
            parts[name].append(array)
    empty = {name: np.empty((0, width) if width else 0) for name, width in widths.items()}
    joined = {name: (np.concatenate([empty[name], *parts[name]]), [len(p) for p in parts[name]]) for name in widths}
    return joined, bad


def _flatten_grasps(columns: dict[str, Any]) -> dict[int, str]:
    """Grasps with a list of contacts per row become arrays with offsets, in place. Returns rows that cannot be used,
    which are then a contact without a place."""
    ragged = [
        name
        for name in ("points", "normals", "mu", "torsion")
        if name in columns and getattr(columns[name], "dtype", None) == object
    ]
    if not ragged or "offsets" in columns:
        return {}
    for name in {"points", "normals"} & columns.keys() - {*ragged}:  # of one length here, as others need not be
        columns[name] = _objects(list(columns[name]))
        ragged.append(name)
    widths = {name: 3 if name in ("points", "normals") else None for name in ragged}
    joined = {name: _joined(columns[name], widths[name]) for name in ragged}
    bad: dict[int, str] = {}
    first = joined[ragged[0]]
    if any(found is None or first is None or found[1] != first[1] for found in joined.values()):
        joined, bad = _joined_row_by_row(columns, widths)
    for name, (flat, _) in joined.items():
        columns[name] = flat
    lengths = joined[ragged[0]][1]
    columns["offsets"] = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    for name in ("mu", "torsion"):  # one per contact everywhere
        if name in columns and name not in ragged:
            given = np.asarray(columns[name], dtype=float)
            columns[name] = (
                given if given.ndim == 0 else np.repeat(given, lengths) if given.ndim == 1 else given.reshape(-1)
            )
    return bad


def _objects(values: list) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array


class BatchChecker:
    """Answers batches of columns; a pure function of its arguments and the row, so that engines may repeat and reorder
    batches. Made for Ray Data, and for multiprocessing:

        ds.map_batches(stiction.BatchChecker, fn_constructor_kwargs={"scenario": "grasp.yaml"},
                       batch_format="pyarrow", batch_size=4096, compute=ray.data.ActorPoolStrategy(size=8))

    scenario: a file whose entries rows replace, as stiction.batch does; every column but `keep` is a path in it.
    scene:    a scenario file or robot (URDF) whose states are the rows: columns as for robots in stiction.check_batch.
    neither:  rows are grasps, columns as in check_batch; lists of contacts in "points", "normals" … have any length.

    set, question, package_path, ask, gap, cutoff, plane, cone, threads: as there.
    constants: columns that are the same for every row, such as {"mu": 0.5}.
    keep: columns that are passed on, such as names of objects; "id" always is.
    """

    def __init__(
        self,
        scenario: str | os.PathLike[str] | None = None,
        *,
        scene: str | os.PathLike[str] | None = None,
        set: Mapping[str, Any] | None = None,
        question: str | None = None,
        package_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
        ask: Sequence[str] | None = None,
        gap: float = 0.01,
        cutoff: float | None = None,
        plane: str = "",
        cone: Any = None,
        constants: Mapping[str, Any] | None = None,
        keep: Sequence[str] = (),
        threads: int = 1,
    ):
        if scenario is not None and (
            scene is not None or ask or cutoff is not None or plane or cone is not None or constants
        ):
            raise InputError(
                "scenario: want no scene, ask, cutoff, plane, cone or constants beside it: they are about arrays",
                "scenario",
            )
        self._arguments = dict(
            scenario=scenario,
            scene=scene,
            set=set,
            question=question,
            package_path=package_path,
            ask=ask,
            gap=gap,
            cutoff=cutoff,
            plane=plane,
            cone=cone,
            constants=constants,
            keep=keep,
            threads=threads,
        )
        self._keep = [*dict.fromkeys(("id", *keep))]
        if scenario is not None:
            self._path = os.path.abspath(os.fspath(scenario))
            self._columns, self.origin = describe_results(
                self._path, _overrides(set, question), [os.path.abspath(folder) for folder in _folders(package_path)]
            )
        elif scene is not None:
            changed = Scenario(scene, set=set, package_path=package_path) if set else scene
            self._scene = Scene(changed, package_path=package_path) if not set else Scene(changed)

    def __reduce__(self):
        return _checker_of, (self._arguments,)

    def __call__(self, batch: Mapping[str, Any] | Any) -> dict[str, np.ndarray]:
        """One row of answers per row: kept columns, then those of stiction.batch or check_batch, always the same.

        batch: columns by name, or a pyarrow.Table, of which lists of contacts are taken without a loop over rows."""
        a = self._arguments
        if not isinstance(batch, Mapping):
            batch = columns_of_arrow(batch, flat=a["scenario"] is None and a["scene"] is None)
        columns = {name: column for name, column in batch.items() if name not in self._keep}
        kept = {name: np.asarray(batch[name]) for name in self._keep if name in batch}
        if a["scenario"] is not None:
            if not columns and kept:  # rows that change nothing: an empty cell replaces nothing either
                columns = {"name": [""] * len(next(iter(kept.values())))}
            return {**kept, **self._answer_scenario(columns)}
        columns.update(a["constants"] or {})
        if a["scene"] is not None:
            return {
                **kept,
                **check_batch(
                    columns, a["question"], scene=self._scene, ask=a["ask"], threads=a["threads"], cone=a["cone"]
                ),
            }
        bad = _flatten_grasps(columns)
        answers = check_batch(
            columns,
            a["question"],
            ask=a["ask"],
            threads=a["threads"],
            gap=a["gap"],
            cutoff=a["cutoff"],
            plane=a["plane"],
            cone=a["cone"],
        )
        for row, message in bad.items():
            answers["error"][row] = message
        return {**kept, **answers}

    def _answer_scenario(self, columns: dict[str, Any]) -> dict[str, np.ndarray]:
        a = self._arguments
        if sha256_of(self._path) != self.origin["scenario"]:
            raise InputError(f"scenario: want '{self._path}' as it was at first, got another", "scenario")
        answers = _batch(
            self._path,
            columns,
            set=a["set"],
            question=a["question"],
            package_path=a["package_path"],
            threads=a["threads"],
        )
        rows = len(answers["verdict"])
        result = {"verdict": answers["verdict"]}
        for name in self._columns:  # always the same, as engines need them, whatever these rows have
            if name in _WORD_COLUMNS:
                result[name] = _objects([word or "" for word in answers.get(name, [""] * rows)])
            else:
                result[name] = np.asarray(answers.get(name, np.full(rows, np.nan)), dtype=np.float64)
        for name in ("summary", "status", "error"):
            result[name] = answers[name]
        return result


def _checker_of(arguments: dict[str, Any]) -> BatchChecker:
    return BatchChecker(arguments.pop("scenario"), **arguments)
