"""Trajectories, instant by instant: docs/trajectories.md."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._checker import scenario_arguments
from ._program import run_program, words_of
from ._scenario import _folders, _overrides
from ._tables import read_table
from ._types import InputError, Verdict


@dataclass(frozen=True)
class Track:
    """What a trajectory does."""

    verdict: Verdict | None  #: HOLDS: all the time; FAILS: somewhere; UNDECIDED: somewhere; None: a row is bad
    columns: dict[str, np.ndarray]  #: one entry per row: time, verdict, slack, cause, culprit, error …
    summary: str  #: how much of the time, the worst instant, the first failure

    def __str__(self) -> str:
        return self.summary


def track(
    scenario: str | os.PathLike[str],
    rows: Mapping[str, Any],
    *,
    window: int = 5,
    tolerance: float = 0.02,
    question: str | None = None,
    set: Mapping[str, Any] | None = None,
    package_path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    threads: int = 1,
) -> Track:
    """Answers every instant of a trajectory over a scenario file.

    rows: columns with an entry per row, as `stiction track` has them: "time" (n,), joints by name (n,), "base.x" … (n,),
    "contact.NAME" (n,), or "q" (n, nq), "v" (n, nv), "a" (n, nv), "tau" (n, nv) in the order of Pinocchio.
    """
    with tempfile.TemporaryDirectory() as folder:
        inputs, out = os.path.join(folder, "rows.npz"), os.path.join(folder, "out.csv")
        np.savez(inputs, **{name: np.asarray(column) for name, column in rows.items()})
        arguments = scenario_arguments(os.fspath(scenario), _overrides(set, question), _folders(package_path))
        arguments += ["--inputs", inputs, "--out", out, "--window", str(window), "--tolerance", repr(float(tolerance))]
        done = run_program("track", *arguments, "--threads", str(threads), "--quiet")
        if done.returncode == 2 and not done.stdout:
            raise InputError(words_of(done), "track")
        verdict = {0: Verdict.HOLDS, 1: Verdict.FAILS, 3: Verdict.UNDECIDED}.get(done.returncode)
        return Track(verdict, read_table(out), done.stdout)
