"""Draws pictures into a viser scene."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import trimesh
import viser
from viser import transforms

from ._bodies import Body, Shapes

# Told apart by colour-blind people too: most are Okabe and Ito's, red is much darker than orange.
BLUE, ORANGE, RED, GREEN, PURPLE, BLACK = (
    (0, 114, 178), (230, 159, 0), (170, 10, 20), (0, 158, 115), (204, 121, 167), (40, 40, 40))
ARROWS = {"force": BLUE, "beyond": RED, "load": BLACK, "push": PURPLE, "impulse": BLUE, "blow": BLACK,
          "before": ORANGE, "after": GREEN, "slip": ORANGE, "motion": GREEN}
#: Arrows of these are drawn to one scale; the others each have theirs, as units differ.
FORCES = {"force", "beyond", "load", "push"}
PERIOD = 2.0  #: s, of the failing motion


def cone_mesh(apex: np.ndarray, axis: np.ndarray, mu: float, side: float) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a friction cone with a side of this length."""
    sides = 32
    height = side / math.sqrt(1.0 + mu * mu)
    radius = max(mu * height, 0.01 * side)  # without friction: a needle
    other = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(axis, other)
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    turn = 2.0 * np.pi * np.arange(sides) / sides
    rim = apex + height * axis + radius * (np.outer(np.cos(turn), first) + np.outer(np.sin(turn), second))
    this, following = np.arange(1, sides + 1), np.roll(np.arange(1, sides + 1), -1)
    return np.vstack([apex, rim]), np.column_stack([np.zeros(sides, dtype=int), this, following])


def fan(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Triangles of a convex polygon."""
    n = len(corners)
    return corners, np.array([[0, i, i + 1] for i in range(1, n - 1)]).reshape(-1, 3)


def between(start: np.ndarray, end: np.ndarray, share: float) -> np.ndarray:
    """A pose on the screw from one to another."""
    first, last = transforms.SE3.from_matrix(start), transforms.SE3.from_matrix(end)
    return (first @ transforms.SE3.exp(share * (first.inverse() @ last).log())).as_matrix()


def place(handle: viser.SceneNodeHandle, pose: np.ndarray) -> None:
    handle.position = pose[:3, 3]
    handle.wxyz = transforms.SO3.from_matrix(pose[:3, :3]).wxyz


class Stage:
    """The scene of a server: links are made once and moved, everything else is made anew for every picture."""

    def __init__(self, server: viser.ViserServer, shapes: Shapes):
        self._server, self._shapes = server, shapes
        self.lock = threading.RLock()
        self._links: dict[tuple[str, str], viser.FrameHandle] = {}  # by role and link
        self._meshes: list[tuple[viser.SceneNodeHandle, str, bool]] = []  # with role, and whether of collision
        self._drawn: list[viser.SceneNodeHandle] = []  # of the last picture
        self._motion: list[tuple[viser.FrameHandle, np.ndarray, np.ndarray]] = []  # ghosts: from, to
        self.shown = {"bodies": True, "collision": False, "cones": True, "forces": True, "labels": True,
                      "motion": True, "ground": True}
        self.notes = shapes.notes  #: what is not drawn
        self.clicked: Callable[[int], None] | None = None  #: receives the index of a cone
        self._picture: Mapping[str, Any] | None = None
        for i, body in enumerate(shapes.obstacles):
            self._mesh(f"/obstacles/{i}", body, opacity=None)

    def _mesh(self, name: str, body: Body, opacity: float | None) -> viser.SceneNodeHandle:
        add = self._server.scene
        if body.coloured is not None and opacity is None:
            return add.add_mesh_trimesh(name, body.coloured)
        colour = body.colour if opacity is None else GREEN
        if opacity is None and body.primitive:
            opacity = 0.75  # so that cones and forces inside are seen
        return add.add_mesh_simple(name, body.vertices, body.faces, color=colour, opacity=opacity, side="double",
                                   flat_shading=True, cast_shadow=opacity is None)

    def _link(self, link: str, role: str) -> viser.FrameHandle:
        """The frame of a link, with its shapes, made when it is first needed."""
        known = self._links.get((role, link))
        if known is not None:
            return known
        name = f"/{'ghosts' if role == 'ghost' else 'links'}/{len(self._links)}"  # names of links have slashes
        frame = self._server.scene.add_frame(name, show_axes=False)
        for collision in (False, True):
            for k, body in enumerate(self._shapes.of(link, collision)):
                mesh = self._mesh(f"{name}/{'collision' if collision else 'visual'}{k}", body,
                                  0.35 if role == "ghost" else None)
                mesh.visible = collision == self.shown["collision"]
                self._meshes.append((mesh, role, collision))
        self._links[role, link] = frame
        return frame

    def look(self, picture: Mapping[str, Any], aside: float = 0.0) -> None:
        """Puts the camera of those who come in front of the picture, aside by a share of its size for the panel."""
        low, high = picture["focus"]
        middle, size = 0.5 * (low + high), max(float(np.max(high - low)), 1e-6)
        middle = middle + aside * size * np.array([0.874, 0.486, 0.0])  # to the right, seen from there
        camera = self._server.initial_camera
        camera.look_at = tuple(middle)
        camera.position = tuple(middle + size * np.array([0.75, -1.35, 0.7]))
        camera.near, camera.far = 0.01 * size, 1000.0 * size

    def draw(self, picture: Mapping[str, Any]) -> None:
        with self.lock, self._server.atomic():
            self._picture = picture
            for handle in self._drawn:
                handle.remove()
            self._drawn.clear()
            size = max(float(np.max(np.ptp(picture["focus"], axis=0))), 1e-6)
            self._place_links(picture)
            self._draw_bars(picture, size)
            if self.shown["ground"]:
                self._draw_surfaces(picture)
            self._draw_areas(picture, size)
            self._draw_masses(picture, size)
            if self.shown["cones"]:
                self._draw_cones(picture, size)
            self._draw_arrows(picture, size)

    def show(self, what: str, on: bool) -> None:
        """Switches one of `shown`."""
        with self.lock:
            self.shown[what] = on
            for mesh, _, collision in self._meshes:
                mesh.visible = collision == self.shown["collision"]
            if self._picture is not None:
                self.draw(self._picture)

    def animate(self, seconds: float) -> None:
        """Puts the ghosts where they are at a time."""
        phase = (seconds % PERIOD) / PERIOD
        share = min(1.5 * phase, 1.0)  # goes, then stays
        with self.lock, self._server.atomic():
            for handle, start, end in self._motion:
                place(handle, between(start, end, share * share * (3.0 - 2.0 * share)))

    @property
    def moves(self) -> bool:
        return bool(self._motion)

    def _place_links(self, picture: Mapping[str, Any]) -> None:
        bodies = {frame["link"]: frame["pose"] for frame in picture["frames"] if frame["role"] != "ghost"}
        ghosts = {frame["link"]: frame["pose"] for frame in picture["frames"] if frame["role"] == "ghost"}
        for link, pose in bodies.items():
            place(self._link(link, "body"), pose)
        self._motion = []
        for link, pose in ghosts.items():
            if self.shown["motion"]:
                handle = self._link(link, "ghost")
                place(handle, pose)
                self._motion.append((handle, bodies[link], pose))
        for (role, link), handle in self._links.items():
            handle.visible = self.shown["motion"] and link in ghosts if role == "ghost" else self.shown["bodies"]

    def _keep(self, handle: viser.SceneNodeHandle) -> viser.SceneNodeHandle:
        self._drawn.append(handle)
        return handle

    def _draw_bars(self, picture: Mapping[str, Any], size: float) -> None:
        for role, colour in (("body", BLACK), ("fixed", BLACK), ("ghost", GREEN)):
            bars = [[bar["from"], bar["to"]] for bar in picture["bars"] if bar["role"] == role]
            if bars and (role != "ghost" or self.shown["motion"]):
                self._keep(self._server.scene.add_line_segments(f"/bars/{role}", np.array(bars), colour,
                                                                thickness=0.008 * size))

    def _draw_surfaces(self, picture: Mapping[str, Any]) -> None:
        for i, surface in enumerate(picture["surfaces"]):
            vertices, faces = fan(surface["corners"])
            self._keep(self._server.scene.add_mesh_simple(f"/surfaces/{i}", vertices, faces, color=(205, 205, 200),
                                                          opacity=0.75, side="double", cast_shadow=False))

    def _draw_areas(self, picture: Mapping[str, Any], size: float) -> None:
        for i, area in enumerate(picture["areas"]):
            corners = area["corners"]
            colour = GREEN if area["held"] else ORANGE
            if area["held"] and len(corners) > 2:
                vertices, faces = fan(corners + np.array([0.0, 0.0, 0.002 * size]))
                self._keep(self._server.scene.add_mesh_simple(f"/areas/{i}", vertices, faces, color=colour, opacity=0.5,
                                                              side="double", cast_shadow=False))
            edges = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
            self._keep(self._server.scene.add_line_segments(f"/edges/{i}", edges, colour, thickness=0.006 * size))

    def _draw_masses(self, picture: Mapping[str, Any], size: float) -> None:
        gravity = picture["gravity"]
        strength = float(np.linalg.norm(gravity))
        low = picture["focus"][0]
        for i, mass in enumerate(picture["masses"]):
            self._keep(self._server.scene.add_icosphere(f"/masses/{i}", radius=0.02 * size, color=BLACK,
                                                        position=mass["center"]))
            if not strength > 0.0:
                continue
            down = gravity / strength  # as far as the focus goes
            length = max(float(np.dot(low - mass["center"], down * (np.abs(down) > 0.5))), 0.1 * size)
            line = np.array([[mass["center"], mass["center"] + length * down]])
            self._keep(self._server.scene.add_line_segments(f"/plumb/{i}", line, BLACK, thickness=0.004 * size))
            if self.shown["labels"]:
                self._label(f"/labels/mass/{i}", f"{mass['model']} {mass['mass']:.3g} kg", mass["center"])

    def _label(self, name: str, text: str, at: np.ndarray) -> None:
        self._keep(self._server.scene.add_label(name, text, position=at, font_screen_scale=0.8, anchor="bottom-left"))

    def _draw_cones(self, picture: Mapping[str, Any], size: float) -> None:
        side = 0.2 * size * min(1.0, 5.0 / max(len(picture["cones"]), 1))  # many are in each other's way
        for i, cone in enumerate(picture["cones"]):
            for k, axis in enumerate([cone["axis"], -cone["axis"]][: 2 if cone["pulls"] else 1]):
                vertices, faces = cone_mesh(cone["apex"], axis, cone["mu"], side)
                handle = self._server.scene.add_mesh_simple(
                    f"/cones/{i}/{k}", vertices, faces, color=ORANGE, opacity=0.45, side="double", cast_shadow=False)
                self._keep(handle)
                if self.clicked is not None:
                    handle.on_click(lambda _, index=i: self.clicked(index))

    def _draw_arrows(self, picture: Mapping[str, Any], size: float) -> None:
        kinds = [kind for kind in ARROWS if (kind in FORCES | {"impulse", "blow"}) <= self.shown["forces"]]
        forces = [a for a in picture["arrows"] if a["kind"] in FORCES]
        for kind in kinds:
            arrows = [a for a in picture["arrows"] if a["kind"] == kind]
            alike = forces if kind in FORCES else arrows
            longest = max((float(np.linalg.norm(a["vector"])) for a in alike), default=0.0)
            if not longest > 0.0 or (kind == "motion" and not self.shown["motion"]):
                continue
            scale = 1.0 if kind == "motion" else 0.45 * size / longest
            drawn = [a for a in arrows if np.linalg.norm(a["vector"]) > 1e-3 * longest]
            if drawn:
                ends = np.array([[a["from"], a["from"] + scale * a["vector"]] for a in drawn])
                self._keep(self._server.scene.add_arrows(
                    f"/arrows/{kind}", ends, ARROWS[kind], shaft_radius=0.006 * size, head_radius=0.015 * size,
                    head_length=0.035 * size))
            for i, arrow in enumerate(arrows):
                if arrow["label"] and self.shown["labels"]:
                    self._label(f"/labels/{kind}/{i}", arrow["label"], arrow["from"] + scale * arrow["vector"])
