"""A scenario with sliders: which there are, what they change, what the answer is. Knows no browser."""

from __future__ import annotations

import json
import math
import os
import shlex
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _stiction
from .._scenario import Scenario
from .._stiction import Report
from .._types import InputError


@dataclass(frozen=True)
class Slider:
    """A number that somebody may change; outside of `low` to `high` it is not offered."""

    key: str  #: unique, such as "contacts.left.mu"
    group: str  #: what it is shown under: "friction", "push" …
    label: str  #: with its unit
    low: float
    high: float
    step: float
    value: float  #: as the scenario has it


@dataclass(frozen=True)
class Answer:
    """What was asked and what came of it: a report with its picture, or a message about what cannot be asked."""

    changes: dict[str, Any]  #: entries of the scenario that are replaced, as after --set
    report: Report | None
    picture: dict[str, Any] | None  #: plain data in the world; of the last answer where there is none
    error: str  #: empty: there is a report
    milliseconds: float  #: for both


@dataclass(frozen=True)
class _Joint:
    name: str
    turns: bool
    low: float  # rad or m
    high: float


def parse_urdf(model: Mapping[str, Any]) -> ElementTree.Element:
    """The XML of a described model, which the library has accepted."""
    if model["urdf_text"]:
        return ElementTree.fromstring(model["urdf_text"])
    return ElementTree.parse(model["urdf_file"]).getroot()


def _joints(robot: ElementTree.Element) -> list[_Joint]:
    """Those with one degree of freedom that follow no other."""
    found = []
    for joint in robot.findall("joint"):
        kind, limit = joint.get("type"), joint.find("limit")
        if kind not in ("revolute", "continuous", "prismatic") or joint.find("mimic") is not None:
            continue
        low, high = (-math.pi, math.pi) if kind != "prismatic" else (-1.0, 1.0)
        if kind != "continuous" and limit is not None:
            low, high = float(limit.get("lower", "0")), float(limit.get("upper", "0"))
        if high > low:
            found.append(_Joint(joint.get("name", ""), kind != "prismatic", low, high))
    return found


def _root_link(robot: ElementTree.Element) -> str:
    children = {child.get("link") for child in robot.findall("joint/child")}
    return next(link.get("name", "") for link in robot.findall("link") if link.get("name") not in children)


def _round_up(value: float) -> float:
    """1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return power * next(digit for digit in (1.0, 2.0, 5.0, 10.0) if digit * power >= value * (1.0 - 1e-9))


def _torque_of_shift(shift: np.ndarray, mass: float, gravity: np.ndarray) -> np.ndarray:
    """Of a weight that acts `shift` further on."""
    return np.cross(shift, mass * gravity)


class Session:
    """Arguments as for stiction.Scenario."""

    def __init__(self, source: str | os.PathLike[str] | Mapping, **arguments: Any):
        self._checker, self._pictures = _stiction._ScenarioChecker(), _stiction._PictureMaker()
        self._scenario = scenario = Scenario(source, **arguments)
        if not scenario.models:
            raise InputError("models: want a scenario with robots, got a problem file, which has no bodies", "models")
        self.name, self.question = scenario.name, scenario.question
        self.description = scenario._read._description()
        self.urdfs = {model["name"]: parse_urdf(model) for model in self.description["models"]}
        self._known: Answer | None = None
        self.first = self.ask({})
        if self.first.error:
            raise InputError(self.first.error)
        size = float(np.max(np.ptp(self.first.picture["focus"], axis=0)))
        self._masses = {mass["model"]: mass["mass"] for mass in self.first.picture["masses"]}
        self.push_links = [
            f"{name}/{link.get('name')}" for name, urdf in self.urdfs.items() for link in urdf.findall("link")
        ]
        floating = [model for model in self.description["models"] if model["floating"]] or self.description["models"]
        self.push_link = f"{floating[0]['name']}/{_root_link(self.urdfs[floating[0]['name']])}"
        self.sliders = [
            *self._friction_sliders(),
            *self._slope_slider(),
            *self._push_sliders(),
            *self._weight_sliders(size),
            *self._joint_sliders(),
            *self._base_sliders(size),
        ]

    def _takes(self, changes: Mapping[str, Any]) -> bool:
        """Whether the file is written so that these entries can be replaced."""
        try:
            self._scenario._read_with(changes)
        except InputError:
            return False
        return True

    # Sliders, and what the scenario has where they are not moved.

    def _coefficients(self) -> dict[str, float]:
        """Friction by its entry: of contacts, or of what they are found on."""
        found = {f"contacts.{c['name']}.mu": c["mu"] for c in self.description["contacts"] if not c["mu_of_surface"]}
        if any(contact["mu_of_surface"] for contact in self.description["contacts"]):
            surfaces = {f"obstacles.{o['name']}.mu": o["mu"] for o in self.description["obstacles"]}
            surfaces["ground.mu"] = self.description["ground"].get("mu")
            found.update({path: mu for path, mu in surfaces.items() if mu is not None})
        return {path: mu for path, mu in found.items() if math.isfinite(mu) and self._takes({path: mu})}

    def _friction_sliders(self) -> list[Slider]:
        self._mu = self._coefficients()
        if not self._mu:
            return []
        return [
            Slider("friction", "friction", "every mu, times", 0.0, 2.0, 0.01, 1.0),
            *(
                Slider(path, "friction", path.removesuffix(".mu").split(".", 1)[-1] + ": mu", 0.0,
                       max(1.0, _round_up(2.0 * mu)) if mu > 0.0 else 1.0, 0.01, mu)
                for path, mu in self._mu.items()
            ),
        ]

    def _slope_slider(self) -> list[Slider]:
        ground = self.description["ground"]
        if not ground:
            return []
        angle = math.degrees(math.acos(min(max(float(ground["normal"][2]), -1.0), 1.0)))
        for slope in (angle, -angle):
            change = {"ground.slope": f"{slope!r} deg"}
            if not self._takes(change):
                return []  # given by a normal
            normal = self._scenario._read_with(change)._description()["ground"]["normal"]
            if np.allclose(normal, ground["normal"], atol=1e-9):
                return [Slider("slope", "slope", "slope of the ground [deg]", min(0.0, slope), 60.0, 0.5, slope)]
        return []

    def _push_sliders(self) -> list[Slider]:
        weight = sum(self._masses.values()) * float(np.linalg.norm(self.description["gravity"]))
        most = _round_up(weight) if weight > 0.0 else 10.0
        if not self._takes({"loads": []}):
            return []
        return [Slider(f"push.{axis}", "push", f"{axis} [N]", -most, most, most / 200.0, 0.0) for axis in "xyz"]

    def _weight_sliders(self, size: float) -> list[Slider]:
        """Only where nothing accelerates is a weight that acts somewhere else the same as a centre of mass there."""
        if self.question != "equilibrium" or not np.any(self.description["gravity"]):
            return []
        reach = _round_up(0.5 * size)
        return [
            Slider(f"weight.{model['name']}.{axis}", "centre of mass", f"{model['name']}: {axis} [m]", -reach, reach,
                   reach / 200.0, 0.0)
            for model in self.description["models"]
            if model["floating"] and not model["accelerates"] and self._masses.get(model["name"], 0.0) > 0.0
            for axis in "xy"
        ]

    def _joint_sliders(self) -> list[Slider]:
        self._joint_units: dict[str, float] = {}
        sliders = []
        for model in self.description["models"]:
            for joint in _joints(self.urdfs[model["name"]]):
                value = model["joints"].get(joint.name, min(max(0.0, joint.low), joint.high))
                unit = math.pi / 180.0 if joint.turns else 1.0
                path = f"models.{model['name']}.joints.{joint.name}"
                self._joint_units[path] = unit
                low, high = min(joint.low, value) / unit, max(joint.high, value) / unit
                label = f"{joint.name} [{'deg' if joint.turns else 'm'}]"
                step = 0.5 if joint.turns else 0.001
                sliders.append(Slider(path, f"joints of {model['name']}", label, low, high, step, value / unit))
        return sliders

    def _base_sliders(self, size: float) -> list[Slider]:
        self._poses: dict[str, tuple[np.ndarray, float]] = {}
        sliders = []
        for model in self.description["models"]:
            if not model["floating"]:
                continue
            for key, axes, unit, step, reach in (
                ("xyz", "xy" if model["placed"] else "xyz", 1.0, 0.002, _round_up(0.5 * size)),
                ("rpy", ("roll", "pitch", "yaw"), math.pi / 180.0, 0.5, 45.0),
            ):
                path, now = f"models.{model['name']}.pose.{key}", model[key]
                if not self._takes({path: now}):
                    continue
                self._poses[path] = now, unit
                word = "m" if key == "xyz" else "deg"
                for i, axis in enumerate(axes):
                    at = float(now[i]) / unit
                    sliders.append(Slider(f"{path}.{i}", f"base of {model['name']}", f"{axis} [{word}]", at - reach,
                                          at + reach, step, at))
        return sliders

    # What moved sliders mean.

    def changes(self, values: Mapping[str, float], push_link: str = "") -> dict[str, Any]:
        """Entries of the scenario that slider values replace; those of sliders that have not moved stay."""
        unknown = values.keys() - {slider.key for slider in self.sliders}
        if unknown:
            raise KeyError(f"no such slider: {sorted(unknown)}")
        now = {slider.key: values.get(slider.key, slider.value) for slider in self.sliders}
        moved = {slider.key for slider in self.sliders if now[slider.key] != slider.value}
        changes: dict[str, Any] = {}
        for path in self._mu:
            if path in moved or "friction" in moved:
                changes[path] = now["friction"] * now[path]
        if "slope" in moved:
            changes["ground.slope"] = f"{now['slope']!r} deg"
        for path, unit in self._joint_units.items():
            if path in moved:
                changes[path] = now[path] * unit
        for path, (described, unit) in self._poses.items():
            if any(f"{path}.{i}" in moved for i in range(3)):
                changes[path] = [
                    now[f"{path}.{i}"] * unit if f"{path}.{i}" in moved else float(described[i]) for i in range(3)
                ]
        added = self._added_loads(now, push_link or self.push_link)
        if added:
            changes["loads"] = [*self._described_loads(), *added]
        return changes

    def _described_loads(self) -> list[dict[str, Any]]:
        return [{key: _listed(value) for key, value in load.items()} for load in self.description["loads"]]

    def shifts(self, now: Mapping[str, float]) -> dict[str, np.ndarray]:
        """How far the centres of mass of models are moved, m."""
        shifts = {}
        for model in self._masses:
            shift = np.array([now.get(f"weight.{model}.{axis}", 0.0) for axis in "xy"] + [0.0])
            if np.any(shift):
                shifts[model] = shift
        return shifts

    def _added_loads(self, now: Mapping[str, float], push_link: str) -> list[dict[str, Any]]:
        loads = []
        push = [now.get(f"push.{axis}", 0.0) for axis in "xyz"]
        if any(push):
            loads.append({"link": push_link, "force": push})
        for model, shift in self.shifts(now).items():
            torque = _torque_of_shift(shift, self._masses[model], self.description["gravity"])
            loads.append({"link": f"{model}/{_root_link(self.urdfs[model])}", "torque": _listed(torque)})
        return loads

    # Answers.

    def ask(self, values: Mapping[str, float], push_link: str = "") -> Answer:
        """The answer for slider values; keys that are missing stay as in the scenario. What cannot be asked is a
        message, not an exception."""
        changes = self.changes(values, push_link) if values else {}
        began = time.perf_counter()
        report, picture, error = None, self._known.picture if self._known else None, ""
        try:
            report = self._checker.check(self._scenario._read_with(changes))
            picture = self._pictures.picture(report)
        except InputError as cannot:
            report, error = None, str(cannot)
        if report is not None and values:
            shifts = self.shifts(values)
            for mass in picture["masses"]:
                mass["center"] = mass["center"] + shifts.get(mass["model"], 0.0)
        answer = Answer(changes, report, picture, error, 1e3 * (time.perf_counter() - began))
        if not error:
            self._known = answer
        return answer

    def command(self, changes: Mapping[str, Any]) -> str:
        """What to type for the same answer; empty where the scenario is no file."""
        asked = self._scenario
        if isinstance(asked._source, Mapping):
            return ""
        words = ["stiction check", _quoted(os.fspath(asked._source))]
        for path, value in {**asked._set, **changes}.items():
            text = value if isinstance(value, str) else json.dumps(_listed(value))
            words.append("--set " + _quoted(f"{path}={text}"))
        return " ".join([*words, *("--package-path " + _quoted(folder) for folder in asked._folders)])


def _listed(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _quoted(word: str) -> str:
    return shlex.quote(word)
