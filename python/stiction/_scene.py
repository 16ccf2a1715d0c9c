"""Robots in a state: URDF in, contact problems out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import _stiction
from ._scenario import Scenario
from ._stiction import ContactProblem, Grasp, RegionInput
from ._types import InputError


#: What names of the Python package robot_descriptions begin with, in scenarios too.
_NAMED = "robot_descriptions:"


@dataclass
class State:
    """Configuration and motion of a scene, in its own coordinates (Pinocchio's; docs/python.md).

    q: (nq,). v: (nv,). a: (nv,), prescribed acceleration. tau: (nv,), given efforts, N m or N; empty: those described.
    """

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray

    def _arrays(self):
        return self.q, self.v, self.a, self.tau


def _described_urdf(name: str) -> str:
    """Path of the URDF that the Python package robot_descriptions knows by this name."""
    import importlib

    try:
        return importlib.import_module(f"robot_descriptions.{name}").URDF_PATH
    except ModuleNotFoundError as error:
        if error.name == "robot_descriptions":
            raise InputError("urdf: want the Python package robot_descriptions for a name without a file", "urdf") from None
        raise InputError(f"urdf: want a file or a name of robot_descriptions, got '{name}'", "urdf") from None
    except AttributeError:
        raise InputError(f"urdf: want a description with a URDF, got '{name}', which has none", "urdf") from None


def _robot(urdf: str | os.PathLike[str]) -> tuple[str, str]:
    """(file, text) of a URDF: one of them is empty."""
    given = os.fspath(urdf)
    if given.lstrip().startswith("<"):
        return "", given
    if given.startswith(_NAMED):
        return _described_urdf(given.removeprefix(_NAMED)), ""
    if given.endswith("_description") and not os.path.exists(given):
        return _described_urdf(given), ""
    return given, ""


class Scene:
    """Bodies, contacts and loads, loaded once; recomputes the contact problem for any state. Threads may share one.

    source: a Scenario, a scenario file or dict; or one robot: a URDF file, its text, or a name of the Python package
    robot_descriptions, "robot_descriptions:go2_description" or without that beginning. The others are about a robot only,
    and as in a scenario:

    name: of the model. base: "floating" or "fixed". closures, loads, obstacles: lists of dicts. contacts: the same, or
    "auto". ground: {"mu": …, "slope": "15 deg", …}. effort: "limits", "unlimited", "none" or {joint: N m}.
    pose: {"xyz": …, "rpy": …} or {"on": "ground"}. joints: {joint: rad or m}.

    A pose on the ground, and contacts that are found from collision shapes, are those of the described state; every other
    state has these contacts, at their places in their links.
    """

    def __init__(
        self,
        source: Scenario | Mapping | str | os.PathLike[str],
        *,
        name: str = "robot",
        base: str = "floating",
        contacts: Sequence[Mapping] | str = (),
        closures: Sequence[Mapping] = (),
        loads: Sequence[Mapping] = (),
        ground: Mapping[str, Any] | None = None,
        obstacles: Sequence[Mapping] = (),
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        effort: str | Mapping[str, float] = "limits",
        pose: Mapping[str, Any] | None = None,
        joints: Mapping[str, float] | None = None,
        package_path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    ):
        texts: dict[str, str] = {}
        if not isinstance(source, (Scenario, Mapping)) and not os.fspath(source).endswith((".yaml", ".yml", ".json")):
            file, text = _robot(source)
            model: dict[str, Any] = {"urdf": os.path.abspath(file) if file and "://" not in file else file or "text",
                                     "base": base, "effort": effort}
            if text:
                texts[name] = text
            if pose is not None:
                model["pose"] = pose
            if joints is not None:
                model["joints"] = joints
            source = {"stiction": 1, "gravity": gravity, "models": {name: model}, "loads": loads, "contacts": contacts,
                      "closures": closures, "obstacles": obstacles, "question": "equilibrium"}
            if ground is not None:
                source["ground"] = ground
            source = {key: value for key, value in source.items() if not isinstance(value, (list, tuple)) or len(value)}
        if not isinstance(source, Scenario):
            source = Scenario(source, package_path=package_path)
        self._scene = _stiction._Scene(source._read, texts)
        self._question = source.question

    @property
    def nq(self) -> int:
        return self._scene.nq

    @property
    def nv(self) -> int:
        return self._scene.nv

    @property
    def contact_names(self) -> list[str]:
        """Of its contact problems: a patch has several."""
        return self._scene.contact_names

    @property
    def warnings(self) -> list[str]:
        """What is allowed but looks wrong, in the scenario and in what collision shapes say of it."""
        return self._scene.warnings

    def state(
        self,
        *,
        joints: Mapping[str, float] | None = None,
        rates: Mapping[str, float] | None = None,
        xyz: Sequence[float] | None = None,
        rpy: Sequence[float] | None = None,
        model: str = "",
        **arrays: np.ndarray,
    ) -> State:
        """The described state, with changes: positions and rates of joints and the pose of a model (its name is needed
        where there are several), or whole arrays q, v, a, tau."""
        state = State(*self._scene.state(model, dict(joints or {}), dict(rates or {}), xyz, rpy))
        unknown = arrays.keys() - {"q", "v", "a", "tau"}
        if unknown:
            raise TypeError(f"state() got unexpected arguments {sorted(unknown)}")
        return replace(state, **{key: np.asarray(value, dtype=float) for key, value in arrays.items()})

    def problem(self, state: State | None = None) -> ContactProblem:
        """The contact problem in a state; None: the described one."""
        return self._scene.problem(*(state or self.state())._arrays())

    def center_of_mass(self, state: State | None = None, model: str = "") -> np.ndarray:
        """(3,) m, in the world: of everything that can move, or of one model."""
        return self._scene.center_of_mass(*(state or self.state())._arrays(), model)

    def mass(self, model: str = "") -> float:
        """kg, of everything that can move, or of one model."""
        return self._scene.mass(model)

    def link_pose(self, link: str, state: State | None = None) -> np.ndarray:
        """(4, 4): frame of "model/link" in the world."""
        return self._scene.link_pose(*(state or self.state())._arrays(), link)

    def integrate(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """(nq,): q moved along dv = v dt, (nv,)."""
        return self._scene.integrate(q, dv)

    def region_input(self, state: State | None = None, model: str = "") -> RegionInput:
        """What the support region of a model with a floating base is asked about."""
        return self._scene.region_input(*(state or self.state())._arrays(), model)

    def grasp(self, state: State | None = None, object: str = "", cone: Any = None) -> Grasp:
        """The grasp of the model `object` by everything else in the scene."""
        return self._scene.grasp(*(state or self.state())._arrays(), object, cone)

    def __repr__(self) -> str:
        return f"<Scene: nv {self.nv}, {len(self.contact_names)} contacts>"
