"""The live view without a browser: what sliders change, what comes of it, and the file that is exported."""

import math
import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

import stiction

pytest.importorskip("viser", reason="the extra stiction[view] is not installed")
from stiction.view import Session, View, export_html  # noqa: E402
from stiction.view._bodies import Shapes  # noqa: E402
from stiction.view._stage import between, cone_mesh  # noqa: E402
from stiction.view._view import answer_html, contact_html  # noqa: E402


@pytest.fixture
def scenarios(root):
    return root / "scenarios"


def flip(ask, low, high, step):
    """The last value on the slider's grid that fails and the first that holds."""
    lower, upper = round(low / step), round(high / step)
    while upper - lower > 1:
        middle = (lower + upper) // 2
        verdict = ask(middle * step)
        assert verdict in ("holds", "fails")
        lower, upper = (middle, upper) if verdict == "fails" else (lower, middle)
    return lower * step, upper * step


def test_friction_flips_at_the_tangent_of_the_slope(scenarios):
    session = Session(scenarios / "box_on_slope.yaml")
    slope, mu = math.tan(math.radians(20)), 0.4
    for key, limit in (("friction", slope / mu), ("contacts.bottom.mu", slope)):
        slider = next(slider for slider in session.sliders if slider.key == key)
        fails, holds = flip(lambda value: session.ask({key: value}).report.verdict, slider.low, slider.high, slider.step)
        assert fails < limit <= holds and holds - fails == pytest.approx(slider.step)


def test_slope_flips_at_the_friction_angle(tmp_path, root):
    scenario = {"stiction": 1, "ground": {"slope": "5 deg", "toward": [0, 1], "mu": 0.5},
                "models": {"box": {"urdf": str(root / "urdf/box.urdf"), "pose": {"on": "ground"}}},
                "contacts": "auto", "question": "all_sticking"}
    session = Session(scenario)
    slider = next(slider for slider in session.sliders if slider.key == "slope")
    assert slider.value == pytest.approx(5.0, abs=1e-9)
    holds, fails = flip(lambda value: {"holds": "fails", "fails": "holds"}[session.ask({"slope": value}).report.verdict],
                        0.0, 60.0, slider.step)  # it holds below
    assert holds <= math.degrees(math.atan(0.5)) < fails
    raised = session.ask({"slope": 20.0}).picture["surfaces"][0]["normal"]
    np.testing.assert_allclose(raised, [0.0, -math.sin(math.radians(20)), math.cos(math.radians(20))], atol=1e-12)


def test_base_turns_in_degrees(scenarios):
    """Contacts are fixed to the box: what turns is the slope."""
    session = Session(scenarios / "box_on_slope.yaml")
    slider = next(slider for slider in session.sliders if slider.key == "models.box.pose.rpy.1")
    assert slider.value == pytest.approx(20.0)
    limit = math.degrees(math.atan(0.4))
    assert session.ask({slider.key: limit - 0.1}).report.verdict == "holds"
    assert session.ask({slider.key: limit + 0.1}).report.verdict == "fails"


def test_push_and_weight_are_loads_that_the_scenario_keeps(scenarios, root):
    """A box of 1 kg, edges of 0.2 m, on level ground: it slides from mu m g on, and tips when its weight leaves it."""
    box = {"stiction": 1, "models": {"box": {"urdf": str(root / "urdf/box.urdf"), "pose": {"xyz": [0, 0, 0.1]}}},
           "loads": [{"link": "box/box", "force": [0, 0, -1.0]}],
           "contacts": [{"name": "floor", "link": "box/box", "normal": [0, 0, 1], "mu": 0.2,
                         "points": [[0.05, 0.08, -0.1], [-0.1, 0.08, -0.1], [-0.1, -0.1, -0.1], [0.05, -0.1, -0.1]]}],
           "question": "equilibrium"}
    session = Session(box)
    limit = 0.2 * (9.81 + 1.0)
    assert session.ask({"push.x": 0.99 * limit}).report.verdict == "holds"
    assert session.ask({"push.x": 1.01 * limit}).report.verdict == "fails"
    for axis, edges in (("x", (0.05, -0.1)), ("y", (0.08, -0.1))):
        for edge in edges:
            limit = edge * (9.81 + 1.0) / 9.81  # the load stays in the middle
            inside, outside = (session.ask({f"weight.box.{axis}": share * limit}) for share in (0.99, 1.01))
            assert (inside.report.verdict, outside.report.verdict) == ("holds", "fails")
            moved = inside.picture["masses"][0]["center"]["xy".index(axis)]
            assert moved == pytest.approx(0.99 * limit, abs=1e-12)
    assert not any(slider.key.startswith("weight") for slider in Session(scenarios / "box_on_slope.yaml").sliders)


def test_answers_are_those_of_the_program(scenarios, program):
    """After any moves: as `stiction check` with the command that the panel shows."""
    session = Session(scenarios / "quadruped_standing.yaml")
    joint = next(slider for slider in session.sliders if slider.group.startswith("joints"))
    base = next(slider for slider in session.sliders if slider.key == "models.robot.pose.xyz.2")
    values = {"friction": 0.5, "push.y": 20.0, joint.key: joint.value + 1.0, base.key: base.value + 0.1}
    answer = session.ask(values)
    assert answer.changes["models.robot.pose.xyz"] == pytest.approx([0.0, 0.0, base.value + 0.1])
    words = session.command(answer.changes)
    code, output, errors = program(*shlex.split(words)[1:])
    assert answer.report is not None, answer.error
    assert output == answer.report.text, errors
    assert session.ask({}).report.to_json() == session.first.report.to_json()  # nothing is left of it


def test_what_cannot_be_asked_is_a_message(scenarios, tmp_path):
    session = Session(scenarios / "box_on_slope.yaml")
    answer = session.ask({"contacts.bottom.mu": -1.0})  # as a client that is not ours might send it
    assert answer.report is None and "mu" in answer.error
    assert answer.picture is session.first.picture
    assert "CANNOT BE ASKED" in answer_html(answer) and "mu" in answer_html(answer)
    assert session.ask({"contacts.bottom.mu": 0.4}).report.verdict == "holds"
    pitched = Session(scenarios / "quadruped_foot_slips.yaml").ask({"models.robot.pose.rpy.1": 45.0})
    assert pitched.report is None and "want no velocity across the surface" in pitched.error  # a foot that slides
    with pytest.raises(KeyError):
        session.ask({"contacts.top.mu": 0.4})
    with pytest.raises(stiction.InputError, match="problem file"):
        matrices = tmp_path / "matrices.json"
        matrices.write_text(stiction.Scenario(scenarios / "box_on_slope.yaml").problem_text())
        Session(matrices)


def test_moved_joints_move_links(scenarios):
    """The picture's frame of a foot is where the scene has it."""
    session = Session(scenarios / "quadruped_standing.yaml")
    joint = next(slider for slider in session.sliders if slider.group.startswith("joints"))
    change = {joint.key: math.radians(joint.value + 10.0)}
    scene = stiction.Scene(stiction.Scenario(scenarios / "quadruped_standing.yaml", set=change))
    picture = session.ask({joint.key: joint.value + 10.0}).picture
    frames = {frame["link"]: frame["pose"] for frame in picture["frames"] if frame["role"] != "ghost"}
    for link, pose in frames.items():
        np.testing.assert_allclose(pose, scene.link_pose(link), atol=1e-12)
    before = {frame["link"]: frame["pose"] for frame in session.first.picture["frames"]}
    assert max(np.abs(frames[link] - before[link]).max() for link in frames) > 1e-3


def test_shapes_are_where_the_urdf_has_them(tmp_path):
    import trimesh

    trimesh.creation.box([0.2, 0.2, 0.2]).export(tmp_path / "cube.stl")
    at = '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>'
    shapes = {"box": ('<box size="0.2 0.4 0.6"/>', [0.4, 0.2, 0.6]), "ball": ('<sphere radius="0.1"/>', [0.2, 0.2, 0.2]),
              "rod": ('<cylinder radius="0.1" length="0.5"/>', [0.2, 0.2, 0.5]),
              "mesh": ('<mesh filename="cube.stl" scale="1 -2 3"/>', [0.4, 0.2, 0.6])}
    links = "".join(f'<link name="{name}"><visual>{at}<geometry>{shape}</geometry></visual></link>'
                    f'<joint name="j_{name}" type="fixed"><parent link="root"/><child link="{name}"/></joint>'
                    for name, (shape, _) in shapes.items())
    gone = '<visual><geometry><mesh filename="gone.stl"/></geometry></visual>'
    stand_in = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    (tmp_path / "robot.urdf").write_text(
        f'<robot name="r"><link name="root"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"'
        f' iyz="0"/></inertial>{gone}{stand_in}</link>{links}</robot>')
    session = Session({"stiction": 1, "models": {"r": {"urdf": "robot.urdf"}}, "question": "all_sticking"}, folder=tmp_path)
    read = Shapes(session.description, session.urdfs)
    for name, (_, size) in shapes.items():
        (body,) = read.of(f"r/{name}", collision=False)
        low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
        np.testing.assert_allclose(high - low, size, atol=2e-3)  # round ones have corners
        np.testing.assert_allclose(0.5 * (low + high), [1, 2, 3], atol=1e-6)
        corners = body.vertices[body.faces]
        volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
        assert volume > 0.0  # faces look outwards, also where the scale mirrors
    (body,) = read.of("r/root", collision=False)
    np.testing.assert_allclose(np.ptp(body.vertices, axis=0), 1.0)
    assert len(read.notes) == 1 and "gone.stl" in read.notes[0]


def test_cone_has_the_angle_of_its_friction():
    apex, axis = np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.6, 0.8])
    for mu in (0.1, 0.5, 2.0):
        vertices, faces = cone_mesh(apex, axis, mu, 0.3)
        rim = vertices[1:] - apex
        along = rim @ axis
        across = np.linalg.norm(rim - np.outer(along, axis), axis=1)
        np.testing.assert_allclose(across / along, mu, rtol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(rim, axis=1), 0.3)
        assert faces.max() == len(vertices) - 1


def test_ghosts_go_from_the_body_to_the_end_of_the_motion(scenarios):
    picture = Session(scenarios / "box_on_steep_slope.yaml").first.picture
    body, ghost = ([f["pose"] for f in picture["frames"] if f["role"] == role][0] for role in ("body", "ghost"))
    way = ghost[:3, 3] - body[:3, 3]
    np.testing.assert_allclose(way / np.linalg.norm(way), [math.cos(math.radians(25)), 0, -math.sin(math.radians(25))],
                               atol=1e-3)
    np.testing.assert_allclose(between(body, ghost, 0.0), body, atol=1e-12)
    np.testing.assert_allclose(between(body, ghost, 1.0), ghost, atol=1e-12)


def test_contact_shows_its_numbers_and_names_are_escaped(root):
    box = {"stiction": 1, "name": "<b>&", "models": {"box": {"urdf": str(root / "urdf/box.urdf")}},
           "contacts": [{"name": "<script>", "link": "box/box", "at": [0, 0, -0.1], "normal": [0, 0, 1], "mu": 0.25}],
           "question": "all_sticking"}
    session = Session(box)
    words = contact_html(session.first.report, [0])
    assert "&lt;script&gt;" in words and "<script>" not in words
    assert "mu 0.25" in words and "9.81 N" in words
    page = export_html(session.first.report)
    assert "<script>" not in page[page.index("<body>") : page.index("position:fixed") + 3000].split("</div>")[0]


def test_view_asks_again_and_resets(scenarios):
    with View(scenarios / "box_on_slope.yaml", port=0) as view:
        assert view.url.startswith("http://127.0.0.1:")
        assert "(holds)" in view._words.content
        assert view.move(friction=0.9).report.verdict == "fails"
        assert "(fails)" in view._words.content and view.stage.moves
        view._contact_clicked(0)
        assert "bottom" in view._contact_words.content and "N" in view._contact_words.content
        assert view.move(friction=0.91).report.verdict == "holds"
        assert not view.stage.moves
        view.reset()
        assert view.wait().changes == {}
        view._contacts = [99]  # as if another answer had had more
        view.session.ask = lambda *_: 1 / 0
        assert "please report it" in view.move(friction=0.5).error and "CANNOT BE ASKED" in view._words.content
        assert "HOLDS" in view.to_html()  # the last answer


def test_exported_file_loads_nothing(scenarios, tmp_path):
    """No element that would fetch something; the words of the answer are in it, and it is not empty."""
    report = stiction.check(scenarios / "box_on_steep_slope.yaml")
    shown = report.show(height=300)
    shown.save(tmp_path / "box.html")
    page = (tmp_path / "box.html").read_text(encoding="utf-8")
    assert "FAILS" in page and "__VISER_EMBED_DATA__" in page
    assert not re.findall(r'<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)\s*=\s*["\']?(?:https?:)?//', page)
    assert "srcdoc=" in shown._repr_html_() and 'height="300"' in shown._repr_html_()


def test_missing_package_says_what_to_install(root):
    code = ("import sys; sys.modules['viser'] = None\n"
            "from stiction.view.__main__ import main\n"
            "sys.exit(main(['scenarios/box_on_slope.yaml', '--html', 'never.html']))")
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 2 and "pip install 'stiction[view]'" in done.stderr


def test_program_hands_over(root, tmp_path):
    """`stiction view` of the wheel; bad input has the program's message and exit code."""
    program = os.path.join(os.path.dirname(stiction.__file__), "bin", "stiction")
    paths = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]

    def run(*arguments, path=paths):
        return subprocess.run([program, "view", *map(str, arguments)], cwd=root, capture_output=True, text=True,
                              env={**os.environ, "PATH": path})

    out = tmp_path / "box.html"
    done = run("scenarios/box_on_slope.yaml", "--set", "contacts.bottom.mu=0.3", "--html", out)
    assert done.returncode == 0, done.stderr
    assert "FAILS" in out.read_text(encoding="utf-8")
    bad = run("scenarios/box_on_slope.yaml", "--set", "contacts.bottom.nu=0.3", "--html", out)
    assert bad.returncode == 2 and bad.stderr.startswith("stiction: ") and "nu" in bad.stderr
    assert "SCENARIO" in run("--help").stdout
    nothing = run("scenarios/box_on_slope.yaml", path=str(tmp_path))
    assert nothing.returncode == 2 and "python3" in nothing.stderr
