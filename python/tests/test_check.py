"""check, Report and verify: the same bits and words as the program."""

import os
import pathlib
import pickle

import pytest

import stiction

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENARIOS = sorted((ROOT / "scenarios").glob("*.yaml"))
HAVE_ROBOTS = any((pathlib.Path(p) / "example-robot-data").is_dir() for p in os.environ.get("ROS_PACKAGE_PATH", "").split(":"))
EXIT_CODES = {"holds": 0, "fails": 1, "undecided": 3}


@pytest.fixture(autouse=True)
def from_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda p: p.stem)
def test_gallery_is_the_programs_bit_for_bit(path, program):
    if "package://example-robot-data" in path.read_text() and not HAVE_ROBOTS:
        pytest.skip("needs the wheel example-robot-data")
    file = os.path.relpath(path, ROOT)
    report = stiction.check(file)
    code, json_text, _ = program("check", file, "--json")
    assert report.to_json() == json_text
    assert code == EXIT_CODES[report.verdict]
    assert report.text == str(report) == program("check", file)[1]
    typed = report.to_dict()
    assert (report.verdict, report.summary, report.name, report.question) == (
        typed["verdict"], typed["summary"], typed["name"], typed["question"])
    assert report.certificate == typed["certificate"]
    assert report.verify().valid == (report.verdict != "undecided")


def test_fields_are_those_of_the_report():
    report = stiction.check("scenarios/talos_equilibrium.yaml") if HAVE_ROBOTS else stiction.check("scenarios/biped_standing.yaml")
    typed = report.to_dict()
    assert [c.name for c in report.contacts] == [c["name"] for c in typed["contacts"]]
    for contact, written in zip(report.contacts, typed["contacts"]):
        assert contact.state == written["state"]
        assert contact.normal_force == written["normal_force"]
        assert list(contact.force_world) == written["force_world"]
        assert contact.utilisation == written["utilisation"]
    assert report.efforts == {name: value for name, value in typed["efforts"].items()}
    for name, margin in report.margins.items():
        assert margin.name == name and margin.lower <= margin.value <= margin.upper
        assert float(margin) == typed["margins"][name]


def test_a_dict_is_a_scenario():
    scenario = {
        "stiction": 1,
        "models": {"box": {"urdf": "urdf/box.urdf", "pose": {"rpy": [0, 0.3490658503988659, 0]}}},
        "contacts": [{"name": "bottom", "link": "box/box", "normal": [0, 0, 1], "mu": 0.4,
                      "points": [[0.1, 0.1, -0.1], [0.1, -0.1, -0.1], [-0.1, 0.1, -0.1], [-0.1, -0.1, -0.1]]}],
        "question": "all_sticking",
    }
    assert stiction.check(scenario).verdict == "holds"
    assert stiction.check(scenario, set={"contacts.bottom.mu": 0.36}).verdict == "fails"
    assert stiction.check(scenario, question="equilibrium").question == "equilibrium"
    same = stiction.Scenario(scenario)
    assert (same.models, same.contacts, same.question) == (["box"], ["bottom"], "all_sticking")
    assert stiction.check(same).summary == stiction.check("scenarios/box_on_slope.yaml").summary
    problem = same.problem()
    assert stiction.check(problem).verdict == "holds"
    assert stiction.check(problem, question="equilibrium").verdict == "holds"


@pytest.mark.parametrize("arguments, options", [
    (["scenarios/nowhere.yaml"], {}),
    (["scenarios"], {}),
    (["scenarios/box_on_slope.yaml", "--set", "contacts.botom.mu=0.3"], {"set": {"contacts.botom.mu": 0.3}}),
    (["scenarios/box_on_slope.yaml", "--set", "contacts.bottom.mu=-1"], {"set": {"contacts.bottom.mu": -1}}),
    (["scenarios/box_on_slope.yaml", "--set", "contacts.bottom.normal=[0, 0, 0]"], {"set": {"contacts.bottom.normal": [0, 0, 0]}}),
    (["scenarios/box_on_slope.yaml", "--question", "stiking"], {"question": "stiking"}),
    (["scenarios/box_on_slope.yaml", "--set", "models.box.urdf=nowhere.urdf"], {"set": {"models.box.urdf": "nowhere.urdf"}}),
    (["scenarios/box_on_slope.yaml", "--set", "options.cone={inner: 2}"], {"set": {"options.cone": "{inner: 2}"}}),
])
def test_errors_have_the_words_of_the_program(program, arguments, options):
    code, _, said = program("check", *arguments)
    assert code == 2
    with pytest.raises(stiction.InputError) as error:
        stiction.check(arguments[0], **options)
    assert said == f"stiction: {error.value}\n"
    assert isinstance(error.value, ValueError)
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.path) == (str(error.value), error.value.path)


def test_verify_refuses_what_was_changed():
    report = stiction.check("scenarios/box_on_slope.yaml")
    assert report.verify(scenario="scenarios/box_on_slope.yaml").valid
    assert not report.verify(scenario="scenarios/box_on_steep_slope.yaml").valid
    assert report.verify(exact=True).valid
    other = stiction.check("scenarios/box_on_slope.yaml", set={"contacts.bottom.mu": 0.5})
    assert other.verify(scenario="scenarios/box_on_slope.yaml").valid
    assert stiction.verify(other, scenario="scenarios/box_on_slope.yaml", set={"contacts.bottom.mu": 0.5}).valid
    assert not stiction.verify(other, scenario="scenarios/box_on_slope.yaml").valid
    text = report.to_json()
    assert stiction.verify(text).valid
    assert not stiction.verify(text.replace('"holds"', '"fails"', 1)).valid
    with pytest.raises(stiction.InputError):
        stiction.verify("{}")


def test_a_verdict_is_no_truth_value():
    verdict = stiction.check("scenarios/box_on_slope.yaml").verdict
    assert verdict is stiction.Verdict.HOLDS and f"{verdict}" == str(verdict) == "holds"
    with pytest.raises(TypeError):
        bool(verdict)


def test_notebooks_show_it():
    html = stiction.check("scenarios/block_tips.yaml")._repr_html_()
    assert "FAILS" in html and "<table>" in stiction.check("scenarios/box_on_slope.yaml")._repr_html_()
    assert "<b>" not in stiction.check("scenarios/box_on_slope.yaml", set={"name": "'<b>x'"})._repr_html_().split(":")[0].replace("<div><b>", "")


def test_the_program_comes_with_the_package(program):
    import subprocess
    import sys

    script = pathlib.Path(sys.executable).parent / "stiction"
    done = subprocess.run([script, "check", "scenarios/box_pushed.yaml"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == program("check", "scenarios/box_pushed.yaml")
