"""A recording is judged as the monitor judges: the cart of cart.hpp, without ROS."""

import csv
import json
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

import pytest

pytest.importorskip('mcap_ros2', reason='the Python package mcap-ros2-support is not installed')
sys.path.insert(0, os.path.dirname(__file__))
from recording import Recorder  # noqa: E402

pytestmark = pytest.mark.skipif(not shutil.which('stiction'), reason='the program stiction is not on the PATH')
HERE = Path(__file__).resolve().parent
URDF = re.search(r'URDF = """(.*?)"""', (HERE / 'cart_client.py').read_text(), re.DOTALL).group(1)
START = 1000.0


def stamp(time):
    return {'sec': int(time), 'nanosec': round(time % 1 * 1e9)}


def header(time, frame=''):
    return {'stamp': stamp(time), 'frame_id': frame}


def slider(position, time, **more):
    return {'header': header(time), 'name': ['slide'], 'position': [position], 'velocity': [], 'effort': [], **more}


def feet(time, mu=0.6, names=('foot',)):
    points = [{'x': x, 'y': y, 'z': -0.1} for x, y in ((.1, .1), (-.1, .1), (-.1, -.1), (.1, -.1))]
    return {'header': header(time), 'contacts': [
        {'name': name, 'link': 'cube', 'on_link': '', 'points': points, 'patch': False, 'at_frame': 0,
         'normal': {'x': 0, 'y': 0, 'z': 1}, 'normal_frame': 0, 'mu': mu, 'side': 0, 'torsion': 0, 'max_normal': -1,
         'slides': [], 'restitution_normal': 0, 'restitution_tangential': 0, 'restitution_spin': 0, 'one_way': False,
         'mu_second': []} for name in names]}


def pose(time):
    return {'header': header(time, 'world'), 'pose': {'position': {'x': 2.0, 'y': 0.0, 'z': 0.1},
                                                      'orientation': {'x': 0, 'y': 0, 'z': 0, 'w': 1}}}


def transform(time, parent, child, xyz, turn=(0.0, 0.0, 0.0, 1.0)):
    return {'transforms': [{'header': header(time, parent), 'child_frame_id': child, 'transform': {
        'translation': dict(zip('xyz', xyz)), 'rotation': dict(zip('xyzw', turn))}}]}


@pytest.fixture
def bag(tmp_path):
    """The folder, and a function that writes a message."""
    recorder = Recorder(tmp_path / 'walk.mcap')
    kinds = {'/joint_states': 'sensor_msgs/msg/JointState', '/contacts': 'stiction_msgs/msg/ContactArray',
             '/base_pose': 'geometry_msgs/msg/PoseStamped', '/tf': 'tf2_msgs/msg/TFMessage',
             '/tf_static': 'tf2_msgs/msg/TFMessage', '/base_twist': 'geometry_msgs/msg/TwistStamped'}

    def write(topic, message, time):
        recorder.write(topic, kinds[topic], message, time)
    recorder.write('/robot_description', 'std_msgs/msg/String', {'data': URDF}, START)
    yield tmp_path, write, recorder
    recorder.close()


def check(bag, *options):
    folder, _, recorder = bag
    recorder.close()
    done = subprocess.run([sys.executable, HERE.parent / 'scripts' / 'bag_check', folder / 'walk.mcap', '--out',
                           folder / 'out', *options], capture_output=True, text=True)
    file = folder / 'out' / 'results.csv'
    rows = list(csv.DictReader(file.open())) if file.exists() else []
    return done, rows


def test_holds_as_long_as_the_centre_of_mass_is_above_the_feet(bag):
    _, write, _ = bag
    slides = [0.02 * i - 0.59 for i in range(61)]
    for i, slide in enumerate(slides):
        time = START + 0.1 * i
        write('/base_pose', pose(time), time)
        write('/contacts', feet(time), time)
        write('/joint_states', slider(slide, time), time)
    done, rows = check(bag)
    assert done.returncode == 1, done.stderr  # it fails somewhere
    assert [row['verdict'] for row in rows] == ['holds' if abs(slide) < 0.4 else 'fails' for slide in slides]
    assert (bag[0] / 'out' / 'plot.svg').read_text().startswith('<svg')
    assert [float(row['time']) for row in rows] == pytest.approx([START + 0.1 * i for i in range(61)])


def test_contacts_come_and_go_and_change_their_friction(bag):
    _, write, _ = bag
    schedule = [(('foot',), 0.6), ((), 0.6), (('foot', 'other'), 0.6), (('foot',), 0.0)]
    turned = (0.0, 0.0998334166468282, 0.0, 0.9950041652780258)  # 0.2 rad about y: tan 0.2 = 0.2027
    write('/tf_static', transform(0.0, 'world', 'odom', (5.0, 0.0, 0.0)), START)
    for i, (names, mu) in enumerate(schedule):
        time = START + 0.1 * i
        write('/tf', transform(time, 'odom', 'cube', (0.0, 0.0, 0.1), turned), time)
        write('/contacts', feet(time, mu, names), time)
        write('/joint_states', slider(0.0, time), time)
    done, rows = check(bag)
    assert [row['verdict'] for row in rows] == ['holds', 'fails', 'holds', 'fails'], done.stderr
    assert [row['contacts'] for row in rows] == ['4', '0', '8', '4']


def test_what_the_monitor_would_not_judge_is_left_out_and_said(bag):
    _, write, _ = bag
    write('/joint_states', slider(0.0, START), START)  # no base pose yet
    write('/base_pose', pose(START + 1.0), START + 1.0)
    write('/joint_states', slider(0.0, START + 1.0), START + 1.0)  # no contacts yet
    write('/contacts', feet(START + 1.0), START + 1.0)
    for i in range(4):  # the base pose and the contacts get old
        write('/joint_states', slider(0.0, START + 1.1 + 0.3 * i), START + 1.1 + 0.3 * i)
    done, rows = check(bag)
    assert [row['verdict'] for row in rows] == ['holds', 'holds'] and done.returncode == 0
    for reason in ('1 instants not judged: no pose of cube in world yet', '1 instants not judged: no contacts yet',
                   '2 instants not judged: joint states, base pose or base twist too old'):
        assert reason in done.stderr


def test_measured_efforts_slide_it(bag):
    _, write, _ = bag
    efforts = [0.0, 20.0, 23.5, 23.6, -30.0]  # friction holds up to 0.6 * 4 * 9.81 = 23.544
    for i, effort in enumerate(efforts):
        time = START + 0.1 * i
        write('/base_pose', pose(time), time)
        write('/contacts', feet(time), time)
        write('/base_twist', {'header': header(time, 'cube'), 'twist': {
            'linear': dict.fromkeys('xyz', 0.0), 'angular': dict.fromkeys('xyz', 0.0)}}, time)
        write('/joint_states', slider(0.0, time, velocity=[0.3], effort=[effort]), time)
    done, rows = check(bag, '--motion', 'measured')
    assert [row['verdict'] for row in rows] == ['holds', 'holds', 'holds', 'fails', 'fails'], done.stderr


def test_bad_recordings_are_refused(tmp_path, bag):
    done, _ = check(bag)
    assert done.returncode == 2 and 'want joint states that can be judged' in done.stderr
    program = [sys.executable, HERE.parent / 'scripts' / 'bag_check', '--out', tmp_path / 'out']
    (tmp_path / 'noise.mcap').write_bytes(b'noise' * 100)
    for file, words in ((tmp_path / 'nothing.mcap', 'no file'), (tmp_path / 'noise.mcap', 'want a whole recording'),
                        (HERE, 'without one')):
        done = subprocess.run([*program, file], capture_output=True, text=True)
        assert done.returncode == 2 and words in done.stderr, done.stderr


def test_scenario_is_one_that_the_program_reads(bag):
    _, write, _ = bag
    write('/base_pose', pose(START), START)
    write('/contacts', feet(START), START)
    write('/joint_states', slider(0.0, START), START)
    check(bag)
    assert json.loads((bag[0] / 'out' / 'scenario.yaml').read_text())['contacts'][0]['name'] == 'foot'
