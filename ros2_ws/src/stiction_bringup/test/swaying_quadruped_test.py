"""The demo's robot: its feet stay, its centre of mass goes where it is sent."""

import os
import sys

import numpy as np
import pytest

HERE = os.path.dirname(__file__)
sys.path.insert(0, os.path.join(HERE, '..'))

from stiction_bringup.swaying_quadruped import LEGS, SwayingQuadruped  # noqa: E402

with open(os.path.join(HERE, '..', 'urdf', 'quadruped.urdf'), encoding='utf-8') as file:
    ROBOT = SwayingQuadruped(file.read())


@pytest.mark.parametrize('target', [(0, 0), (0.3, 0), (-0.3, 0), (0, 0.2), (0.1, -0.2), (-0.24, 0.14)])
def test_sways(target):
    _, angles, frames = ROBOT.sway_to(target)
    assert np.linalg.norm(ROBOT.center_of_mass(frames)[:2] - target) < 1e-6
    for leg in LEGS:
        assert np.linalg.norm(frames[leg + '_foot'][1] - ROBOT.feet[leg]) < 1e-9
        assert abs(angles[leg + '_hip']) < 1.0 and abs(angles[leg + '_thigh']) < 2.5  # the URDF's limits


def test_says_where_the_legs_do_not_reach():
    with pytest.raises(ValueError, match='does not reach'):
        ROBOT.sway_to((0.3, 0.2))
