"""stiction.track: a box on a slope that grows, and what it refuses."""

import numpy as np
import pytest

import stiction


def test_a_slope_that_grows_slides_the_box(root):
    time = np.arange(40) * 0.01
    slope = np.linspace(0.0, 0.6, 40)  # tan(slope) = mu = 0.4 at 0.3805
    gravity = 9.81 * np.column_stack([np.sin(slope), 0 * slope, -np.cos(slope)])
    found = stiction.track(root / "scenarios" / "box_pushed.yaml", {"time": time, "gravity": gravity}, set={"options.margins": True})
    first = int(np.argmax(np.tan(slope) > 0.4))
    assert found.verdict == stiction.Verdict.FAILS
    assert np.array_equal(found.columns["verdict"] == "fails", np.arange(40) >= first)
    assert np.allclose(found.columns["friction_scale"].astype(float), np.tan(slope) / 0.4, atol=1e-6)
    assert found.columns["cause"][first] == "slides"
    assert f"first failure: {time[first]:.6g} s (row {first + 1})" in found.summary
    assert np.allclose(found.columns["time"].astype(float), time)


def test_a_slope_that_grows_tips_the_box_over_its_lower_edge(root):
    """A cube with enough friction: its weight passes over the edge at x = 0.1, the first two corners, at 45 degrees."""
    slope = np.linspace(0.0, 1.2, 20)
    gravity = 9.81 * np.column_stack([np.sin(slope), 0 * slope, -np.cos(slope)])
    found = stiction.track(
        root / "scenarios" / "box_pushed.yaml", {"time": 0.01 * np.arange(20), "gravity": gravity}, set={"contacts.ground.mu": 5}
    )
    tips = slope > np.pi / 4
    assert np.array_equal(found.columns["verdict"] == "fails", tips)
    assert {*found.columns["cause"][tips]} == {"tips"} and {*found.columns["cause"][~tips]} == {None}
    assert {*found.columns["culprit"][tips]} == {"ground/0, ground/1"}
    assert "ground/2 and ground/3 lift while ground/0 and ground/1 carry" in found.summary


@pytest.mark.parametrize("script, words", [("kill -SEGV $$", "signal 11"), ("echo out of luck >&2; exit 4", "exit code 4: out of luck")])
def test_a_program_that_breaks_down_is_no_bad_input(root, tmp_path, monkeypatch, script, words):
    broken = tmp_path / "stiction"
    broken.write_text(f"#!/bin/sh\n{script}\n")
    broken.chmod(0o755)
    monkeypatch.setattr("stiction._program.PROGRAM", str(broken))
    with pytest.raises(RuntimeError, match=words):
        stiction.track(root / "scenarios" / "box_pushed.yaml", {"time": np.arange(3.0)})
    with pytest.raises(RuntimeError, match=words):
        stiction.BatchChecker(root / "scenarios" / "box_pushed.yaml")


def test_refusals_are_input_errors(root):
    with pytest.raises(stiction.InputError, match="--window"):
        stiction.track(root / "scenarios" / "box_pushed.yaml", {"time": np.arange(3.0)}, window=2)
    found = stiction.track(root / "scenarios" / "box_pushed.yaml", {"time": np.zeros(4)})
    assert found.verdict is None
    assert "want times that increase" in found.columns["error"][1]
