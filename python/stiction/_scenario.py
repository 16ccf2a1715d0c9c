"""Scenarios: files, dicts and matrices in, reports out."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _stiction
from ._stiction import ContactProblem, Report, Verification
from ._types import InputError

Source = Union[str, "os.PathLike[str]", Mapping, "Scenario", ContactProblem]


def _plain(value: Any) -> Any:
    """What JSON has: lists for arrays, "inf" for infinity."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if hasattr(value, "tolist"):  # numpy
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _text(value: Any, path: str) -> str:
    """A value as JSON, which is YAML."""
    try:
        return json.dumps(_plain(value))
    except TypeError as error:
        raise InputError(f"{path}: want numbers, texts, lists and dicts, got: {error}", path) from None


def _overrides(set: Mapping[str, Any] | None, question: str | None = None) -> list[tuple[str, str]]:
    """Texts go as they are, as after `--set`: "{inner: 8}", "equilibrium"."""
    changes = [(path, value if isinstance(value, str) else _text(value, path)) for path, value in (set or {}).items()]
    if question is not None:
        changes.append(("question", question))
    return changes


def _folders(package_path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    if isinstance(package_path, (str, os.PathLike)):
        return [os.fspath(package_path)]
    return [os.fspath(folder) for folder in package_path]


class Scenario:
    """A scenario or problem, read and checked; nothing is loaded yet.

    source: a scenario file (YAML), a problem file (JSON), or the same as a dict, whose URDF files are relative to `folder`.
    set: entries that replace others, by path: ``{"contacts.left.mu": 0.3}``; texts are YAML, as after ``--set``.
    package_path: folders searched for ``package://``, after ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Mapping,
        *,
        set: Mapping[str, Any] | None = None,
        question: str | None = None,
        package_path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
        folder: str | os.PathLike[str] = ".",
    ):
        self._source, self._folder = source, os.fspath(folder)
        self._set, self._folders = dict(_overrides(set, question)), _folders(package_path)
        self._read = self._read_with({})

    def _read_with(self, changes: Mapping[str, Any]) -> _stiction._Scenario:
        """The same, read again, with more entries replaced."""
        changed = list({**self._set, **dict(_overrides(changes))}.items())
        if isinstance(self._source, Mapping):
            text = _text(self._source, "")
            return _stiction._Scenario.read_text(text, self._folder, changed, self._folders)
        return _stiction._Scenario.read_file(os.fspath(self._source), changed, self._folders)

    @classmethod
    def of_problem(
        cls, problem: ContactProblem, question: str = "all_sticking", *, name: str = "", v=None, a=None
    ) -> Scenario:
        """A question about matrices. v: (nv,) velocity, a: (nv,) prescribed acceleration; None is zero."""
        scenario = cls.__new__(cls)
        scenario._read = _stiction._Scenario.of_problem(problem, question, name, v, a)
        return scenario

    @property
    def name(self) -> str:
        return self._read.name

    @property
    def question(self) -> str:
        return self._read.question

    @property
    def models(self) -> list[str]:
        """Names of its models; none: it is a problem."""
        return self._read.models

    @property
    def contacts(self) -> list[str]:
        """Names of its contacts, as described: a patch has one name."""
        return self._read.contacts

    def check(self) -> Report:
        """Answers its question, with every extra that its options do not turn off."""
        return self._read.check()

    def problem(self) -> ContactProblem:
        """Its matrices in the described state."""
        return self._read.problem()

    def problem_text(self) -> str:
        """The same question as a problem file (docs/problem.md)."""
        return self._read.problem_text()

    def __repr__(self) -> str:
        return f"<Scenario {self.name!r}: {self.question}>"


def check(
    source: Source,
    *,
    set: Mapping[str, Any] | None = None,
    question: str | None = None,
    package_path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    folder: str | os.PathLike[str] = ".",
) -> Report:
    """Answers a question, as `stiction check` does.

    source: a scenario or problem file, the same as a dict, a Scenario, or a ContactProblem.
    Other arguments as for Scenario; a Scenario has its own already.
    """
    if isinstance(source, ContactProblem):
        source = Scenario.of_problem(source, question or "all_sticking")
        question = None
    if isinstance(source, Scenario):
        if set or question or package_path:
            raise InputError("set: want none beside a Scenario, which has its own", "set")
        return source.check()
    changes, folders = _overrides(set, question), _folders(package_path)
    if isinstance(source, Mapping):
        return _stiction._check_text(_text(source, ""), os.fspath(folder), changes, folders)
    return _stiction._check_file(os.fspath(source), changes, folders)


def verify(
    report: str | Report,
    *,
    scenario: str | os.PathLike[str] | None = None,
    set: Mapping[str, Any] | None = None,
    package_path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    exact: bool = False,
) -> Verification:
    """Re-checks the proof of a report (a Report, or the JSON text of one) from its own numbers, without any solver.

    scenario: the file that the report must be about, asked with the changes `set`. exact: also in rational arithmetic.
    """
    text = report.to_json() if isinstance(report, Report) else report
    about = "" if scenario is None else os.fspath(scenario)
    return _stiction._verify(text, "report", about, _overrides(set), _folders(package_path), exact)
