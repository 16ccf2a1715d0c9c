"""A session in the browser: sliders, verdict, scene; and the same as a file."""

from __future__ import annotations

import contextlib
import html
import os
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

import rich
import viser

from .. import _stiction
from .._html import _COLOURS, report_html
from .._stiction import Report
from ._bodies import Shapes
from ._session import Answer, Session, parse_urdf
from ._stage import PERIOD, Stage

_FRAMES = 30  # of a recorded motion
_SWITCHES = {"bodies": "robots and objects", "cones": "friction cones", "forces": "forces", "labels": "numbers",
             "motion": "motion", "ground": "ground", "collision": "collision shapes"}


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """While it starts and stops, viser tells where it is, whatever `verbose` says."""
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def _stop(server: viser.ViserServer) -> None:
    with _quiet():
        server.stop()


def _server(host: str, port: int) -> viser.ViserServer:
    with _quiet():
        server = viser.ViserServer(host=host, port=port, verbose=False)
    server.gui.configure_theme(control_width="large", show_logo=False, show_share_button=False)
    server.scene.set_up_direction("+z")
    return server


def _number(value: float) -> str:
    return f"{value:.4g}"


def contact_html(report: Report, contacts: list[int]) -> str:
    """The numbers of some contacts of a report, by index."""
    parts = []
    for index in contacts:
        contact = report.problem.contacts[index]
        rows = [("friction", f"mu {_number(contact.mu)}")]
        if index < len(report.contacts):
            found = report.contacts[index]
            tangential = sum(part * part for part in found.tangential_force) ** 0.5
            rows = [("state", found.state.value), ("normal force", f"{_number(found.normal_force)} N"),
                    ("tangential force", f"{_number(tangential)} N"), *rows,
                    ("friction in use", f"{100.0 * found.utilisation:.0f} %")]
            if found.normal_interval is not None:
                interval = found.normal_interval
                rows.append(("normal force may be", f"{_number(interval.lower)} to {_number(interval.upper)} N"))
        cells = "".join(f"<tr><td>{name}&nbsp;</td><td>{html.escape(value)}</td></tr>" for name, value in rows)
        parts.append(f"<b>{html.escape(contact.name)}</b><table>{cells}</table>")
    return "".join(parts)


def _padded(content: str) -> str:
    return f'<div style="padding:0.2em 1em;font-size:0.85em;overflow-wrap:anywhere">{content}</div>'


def answer_html(answer: Answer, command: str = "") -> str:
    """Verdict, sentence, captions, remedies and margins, or what cannot be asked and why."""
    if answer.report is None:
        return _padded(f'<b style="color:{_COLOURS["undecided"]}">CANNOT BE ASKED</b><br>{html.escape(answer.error)}'
                       "<br>(shown is the last answer)")
    report, picture = answer.report, answer.picture
    colour = _COLOURS[report.verdict.value]
    parts = [f'<b style="color:{colour};font-size:1.4em">{html.escape(picture["headline"])}</b><br>'
             f"{html.escape(picture['sentence'])}"]
    parts += [f"<div>– {html.escape(caption)}</div>" for caption in picture["captions"]]
    if picture["remedies"]:
        parts.append(f"<div>– {html.escape(picture['remedy'])}:</div>")
    parts += [f'<div style="padding-left:1em">· {html.escape(remedy)}</div>' for remedy in picture["remedies"]]
    margins = "".join(
        f"<tr><td>{html.escape(m.name)}&nbsp;</td><td>"
        f"{_number(m.value) if m.value == m.value else m.state.value.replace('_', ' ')}</td></tr>"
        for m in report.margins.values())
    parts.append(f"<table>{margins}</table>" if margins else "")
    parts += [f"<div>⚠ {html.escape(warning)}</div>" for warning in report.warnings]
    parts.append(f'<div style="opacity:0.7">answered in {answer.milliseconds:.1f} ms</div>')
    if command and answer.changes:
        parts.append(f"<details><summary>as a command</summary><code>{html.escape(command)}</code></details>")
    return _padded("".join(parts))


class View:
    """A scenario in the browser, at `url`, until `stop`: every move of a slider asks again.

    source, set, question, package_path, folder: as for stiction.Scenario.
    port: the next free one if it is taken. host: "0.0.0.0" lets other machines see it, and move its sliders.
    """

    def __init__(self, source: Any, *, port: int = 8080, host: str = "127.0.0.1", **arguments: Any):
        self.session = Session(source, **arguments)
        self.answer = self.session.first
        self.server = _server(host, port)
        self.stage = Stage(self.server, Shapes(self.session.description, self.session.urdfs))
        self.stage.clicked = self._contact_clicked
        self._shown = self.answer  # the last that had a report
        self._contacts: list[int] = []  # whose numbers are shown
        self.push_link: viser.GuiDropdownHandle[str] | None = None
        self._wanted, self._stopped = threading.Event(), threading.Event()
        self._asked = threading.Condition()
        self._moves = self._answered = 0
        self._build_panel()
        self.stage.look(self.answer.picture, aside=0.25)
        self._show(self.answer)
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._answer_moves, self._animate)]
        for thread in self._threads:
            thread.start()

    @property
    def url(self) -> str:
        host = self.server.get_host()
        return f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{self.server.get_port()}"

    def _build_panel(self) -> None:
        gui = self.server.gui
        gui.set_panel_label(f"stiction: {self.session.name or self.session.question}")
        self._words = gui.add_html("")
        self._contact_words = gui.add_html("")
        self.sliders: dict[str, viser.GuiInputHandle[float]] = {}
        groups = dict.fromkeys(slider.group for slider in self.session.sliders)
        for group in groups:
            mine = [slider for slider in self.session.sliders if slider.group == group]
            with gui.add_folder(group, expand_by_default=group in ("friction", "slope", "push")):
                for slider in mine:
                    handle = gui.add_slider(slider.label, slider.low, slider.high, slider.step, slider.value)
                    handle.on_update(lambda _: self._moved())
                    self.sliders[slider.key] = handle
                if group == "push":
                    self.push_link = gui.add_dropdown("at the origin of", self.session.push_links,
                                                      initial_value=self.session.push_link)
                    self.push_link.on_update(lambda _: self._moved())
        reset = gui.add_button("as in the file")
        reset.on_click(lambda _: self.reset())
        with gui.add_folder("show", expand_by_default=False):
            for what, label in _SWITCHES.items():
                box = gui.add_checkbox(label, self.stage.shown[what])
                box.on_update(lambda event, what=what: self.stage.show(what, event.target.value))
            if self.stage.notes:
                gui.add_html(_padded("".join(f"<div>{html.escape(note)}</div>" for note in self.stage.notes)))
            save = gui.add_button("save as HTML")
            save.on_click(lambda event: event.client and event.client.send_file_download(
                "stiction.html", self.to_html().encode("utf-8")))

    def move(self, **values: float) -> Answer:
        """Moves sliders by key, "contacts.left.mu" or "friction", and waits for the answer."""
        return self.moved_to(values)

    def moved_to(self, values: Mapping[str, float]) -> Answer:
        """The same for keys that are no Python names."""
        for key, value in values.items():
            self.sliders[key].value = value
        self._moved()
        return self.wait()

    def reset(self) -> None:
        """Puts all sliders where the scenario has them."""
        for slider in self.session.sliders:
            self.sliders[slider.key].value = slider.value
        self._moved()

    def wait(self, seconds: float = 60.0) -> Answer:
        """The answer to everything that was moved before."""
        with self._asked:
            wanted = self._moves
            if not self._asked.wait_for(lambda: self._answered >= wanted, timeout=seconds):
                raise TimeoutError(f"no answer within {seconds} s")
            return self.answer

    def _moved(self) -> None:
        with self._asked:
            self._moves += 1
        self._wanted.set()

    def _answer_moves(self) -> None:
        """Answers the newest position of the sliders; those that passed meanwhile are left out."""
        while True:
            self._wanted.wait()
            if self._stopped.is_set():
                return
            self._wanted.clear()
            with self._asked:
                answers = self._moves
            values = {key: handle.value for key, handle in self.sliders.items()}
            try:
                answer = self.session.ask(values, self.push_link.value if self.push_link else "")
            except Exception as bug:  # the panel must not freeze
                answer = Answer({}, None, self._shown.picture, f"internal error, please report it: {bug}", 0.0)
            self._show(answer)
            with self._asked:
                self.answer, self._answered = answer, answers
                self._asked.notify_all()

    def _animate(self) -> None:
        while not self._stopped.wait(0.05):
            if self.stage.moves and self.server.get_clients():
                self.stage.animate(time.monotonic())

    def _show(self, answer: Answer) -> None:
        self._words.content = answer_html(answer, self.session.command(answer.changes))
        if answer.report is not None:
            self._shown = answer
            self.stage.draw(answer.picture)
            if self._contacts and max(self._contacts) >= len(answer.report.problem.contacts):
                self._contacts = []  # others were found
            self._contact_words.content = (
                _padded(contact_html(answer.report, self._contacts) or "click a friction cone for its numbers"))

    def _contact_clicked(self, cone: int) -> None:
        answer = self._shown
        if cone < len(answer.picture["cones"]):
            self._contacts = answer.picture["cones"][cone]["contacts"]
            self._contact_words.content = _padded(contact_html(answer.report, self._contacts))

    def to_html(self) -> str:
        """What is shown, as one file that needs no network; without sliders."""
        return _recorded(self.server, self.stage, self._shown.report)

    def stop(self) -> None:
        self._stopped.set()
        self._wanted.set()
        for thread in self._threads:
            thread.join()
        _stop(self.server)

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()


def _recorded(server: viser.ViserServer, stage: Stage, report: Report) -> str:
    with stage.lock:  # nobody else moves the ghosts
        serializer = server.get_scene_serializer()
        for frame in range(_FRAMES if stage.moves else 0):
            stage.animate(frame * PERIOD / _FRAMES)
            serializer.insert_sleep(PERIOD / _FRAMES)
        page = serializer.as_html()
    title = html.escape(report.name or report.question)
    words = (f'<div style="position:fixed;top:0;left:0;max-width:26em;padding:0.6em;z-index:1000;font:13px sans-serif;'
             f'background:#fffc;color:#111;pointer-events:none">{report_html(report)}</div>')
    head, body = page.split("<body>", 1)
    start, end = head.index("<title>"), head.index("</title>")
    return f"{head[:start]}<title>stiction: {title}{head[end:]}<body>{words}{body}"


def export_html(report: Report) -> str:
    """A report's scene in 3-D, its failing motion and its words as one HTML file that needs no network."""
    description = report._scenario._description()
    urdfs = {model["name"]: parse_urdf(model) for model in description["models"]}
    picture = _stiction._PictureMaker().picture(report)
    server = _server("127.0.0.1", 0)
    try:
        stage = Stage(server, Shapes(description, urdfs))
        stage.look(picture)
        stage.draw(picture)
        return _recorded(server, stage, report)
    finally:
        _stop(server)


class Shown:
    """A page that notebooks show in a frame; `save` writes it to a file."""

    def __init__(self, page: str, height: int):
        self.page, self.height = page, height

    def save(self, file: str | os.PathLike[str]) -> None:
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(self.page)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.page, quote=True)}" width="100%" height="{self.height}" '
                'style="border:none"></iframe>')

    def __repr__(self) -> str:
        return f"<stiction.view.Shown: {len(self.page)} characters of HTML; save(file) writes them>"


def show(report: Report, *, height: int = 480) -> Shown:
    """What report.show() is: the last expression of a notebook's cell, or .save(file). height: of the frame, pixels."""
    return Shown(export_html(report), height)
