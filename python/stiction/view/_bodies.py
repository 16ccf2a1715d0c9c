"""Shapes of links and obstacles as triangles."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import trimesh

from .. import _stiction
from .._types import InputError

GREY = (170, 175, 180)


@dataclass(frozen=True)
class Body:
    """Triangles in the frame of a link, or in the world."""

    vertices: np.ndarray  #: (n, 3) m
    faces: np.ndarray  #: (m, 3)
    colour: tuple[int, int, int]
    primitive: bool = False  #: a box, ball, cylinder or capsule
    coloured: trimesh.Scene | None = None  #: the same with the materials of its file


def pose_of(xyz: np.ndarray, rpy: np.ndarray) -> np.ndarray:
    """(4, 4), as URDF means it."""
    pose = trimesh.transformations.euler_matrix(*rpy, axes="sxyz")
    pose[:3, 3] = xyz
    return pose


def _numbers(text: str | None, default: tuple[float, ...]) -> np.ndarray:
    return np.array([float(word) for word in text.split()] if text else default)


def _colour(rgba: str | None) -> tuple[int, int, int] | None:
    if not rgba:
        return None
    red, green, blue = (int(round(255 * min(max(float(part), 0.0), 1.0))) for part in rgba.split()[:3])
    return red, green, blue


def _mean_colour(loaded: trimesh.Scene) -> tuple[int, int, int] | None:
    """Of the materials of a mesh file, by area; None: it has none."""
    total, area = np.zeros(3), 0.0
    for mesh in loaded.geometry.values():
        if isinstance(mesh, trimesh.Trimesh) and mesh.visual.defined:
            total += mesh.area * np.asarray(mesh.visual.to_color().main_color[:3], dtype=float)
            area += mesh.area
    if not area > 0.0:
        return None
    red, green, blue = (int(round(part)) for part in total / area)
    return red, green, blue


class Shapes:
    """Reads the shapes of a described scenario once. Files that cannot be read are left out, with a note."""

    def __init__(self, description: Mapping[str, Any], urdfs: Mapping[str, ElementTree.Element]):
        self._paths = description["package_paths"]
        self.notes: list[str] = []
        self._read: dict[str, trimesh.Scene] = {}
        self.visual: dict[str, list[Body]] = {}  #: by "model/link"
        self.collision: dict[str, list[Body]] = {}
        for model in description["models"]:
            robot = urdfs[model["name"]]
            coloured = [entry for entry in robot.findall("material") if entry.find("color") is not None]
            self._materials = {entry.get("name"): _rgba(entry) for entry in coloured}
            for link in robot.findall("link"):
                name = f"{model['name']}/{link.get('name')}"
                self.visual[name] = self._bodies(link, "visual", name, model["urdf_file"])
                self.collision[name] = self._bodies(link, "collision", name, model["urdf_file"])
        self.obstacles = [body for obstacle in description["obstacles"] for body in self._obstacle(obstacle)]

    def of(self, link: str, collision: bool) -> list[Body]:
        """What a link looks like; the one where there is nothing of the other kind."""
        wanted, other = (self.collision, self.visual) if collision else (self.visual, self.collision)
        return wanted.get(link) or other.get(link) or []

    def _bodies(self, link: ElementTree.Element, kind: str, name: str, urdf: str) -> list[Body]:
        bodies = []
        for entry in link.findall(kind):
            origin, geometry = entry.find("origin"), entry.find("geometry")
            if geometry is None or len(geometry) == 0:
                continue
            at = {} if origin is None else origin.attrib
            pose = pose_of(_numbers(at.get("xyz"), (0, 0, 0)), _numbers(at.get("rpy"), (0, 0, 0)))
            material = entry.find("material")
            colour = None if material is None else _rgba(material) or self._materials.get(material.get("name"))
            try:
                bodies.append(self._body(geometry[0], pose, colour, urdf, f"{name}: {kind}"))
            except (InputError, ValueError, OSError, ImportError, KeyError) as error:  # of the readers of trimesh
                self.notes.append(f"not drawn: {name}: {error}")
        return bodies

    def _body(self, shape: ElementTree.Element, pose: np.ndarray, colour: tuple[int, int, int] | None, urdf: str,
              path: str) -> Body:
        get = shape.get
        if shape.tag == "mesh":
            file = _stiction._mesh_file(get("filename", ""), urdf, self._paths, path)
            return self._mesh(file, _numbers(get("scale"), (1, 1, 1)), pose, colour)
        if shape.tag == "box":
            mesh = trimesh.creation.box(_numbers(get("size"), (1, 1, 1)))
        elif shape.tag == "sphere":
            mesh = trimesh.creation.uv_sphere(float(get("radius", "1")), count=[24, 24])
        elif shape.tag == "cylinder":
            mesh = trimesh.creation.cylinder(float(get("radius", "1")), float(get("length", "1")), sections=32)
        elif shape.tag == "capsule":
            length = float(get("length", "1"))
            mesh = trimesh.creation.capsule(length, float(get("radius", "1")), count=[24, 24])
            if mesh.bounds[0][2] > -0.5 * length:  # from the origin on, in older versions
                mesh.apply_translation([0.0, 0.0, -0.5 * length])
        else:
            raise ValueError(f"want a box, sphere, cylinder, capsule or mesh, got {shape.tag}")
        mesh.apply_transform(pose)
        return Body(np.asarray(mesh.vertices), np.asarray(mesh.faces), colour or GREY, primitive=True)

    def _mesh(self, file: str, scale: np.ndarray, pose: np.ndarray, colour: tuple[int, int, int] | None) -> Body:
        if file not in self._read:
            self._read[file] = trimesh.load_scene(file)
        if len(self._read[file].to_mesh().faces) == 0:
            raise ValueError(f"no triangles that trimesh can read in {os.path.basename(file)}")
        loaded = self._read[file].copy()
        loaded.apply_transform(pose @ np.diag([*scale, 1.0]))  # turns triangles over where it mirrors
        mesh = loaded.to_mesh()
        own = None if colour else _mean_colour(self._read[file])
        return Body(np.asarray(mesh.vertices), np.asarray(mesh.faces), colour or own or GREY,
                    coloured=loaded if own else None)

    def _obstacle(self, obstacle: Mapping[str, Any]) -> list[Body]:
        if obstacle["plane"]:
            return []  # one of the surfaces of every picture
        pose = pose_of(obstacle["xyz"], obstacle["rpy"])
        try:
            if obstacle["mesh_file"]:
                return [self._mesh(obstacle["mesh_file"], obstacle["size"], pose, GREY)]
            mesh = trimesh.creation.box(obstacle["size"], transform=pose)
            return [Body(np.asarray(mesh.vertices), np.asarray(mesh.faces), GREY, primitive=True)]
        except (ValueError, OSError, ImportError, KeyError) as error:
            self.notes.append(f"not drawn: {obstacle['name']}: {error}")
            return []


def _rgba(material: ElementTree.Element) -> tuple[int, int, int] | None:
    colour = material.find("color")
    return None if colour is None else _colour(colour.get("rgba"))
