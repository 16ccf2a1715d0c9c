"""Both launch files, as people start them."""

import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

os.environ['ROS_DOMAIN_ID'] = str(51 + os.getpid() % 50)  # nobody else's nodes

from ament_index_python.packages import get_package_share_directory, PackageNotFoundError  # noqa: E402
import pytest  # noqa: E402
from rcl_interfaces.msg import Parameter, ParameterValue  # noqa: E402
from rcl_interfaces.srv import GetParameters, SetParameters  # noqa: E402
import rclpy  # noqa: E402
from rclpy.qos import DurabilityPolicy  # noqa: E402
from stiction_msgs.msg import ContactArray, Error, Stability, Verdict  # noqa: E402
from stiction_msgs.srv import Check  # noqa: E402
import yaml  # noqa: E402

pytestmark = pytest.mark.skipif(not shutil.which('ros2'), reason='ros2 launch is not installed')


@pytest.fixture
def launched(request):
    # In a session of its own: a shell may have made it ignore the interrupts that end a launch.
    process = subprocess.Popen(['ros2', 'launch', 'stiction_bringup', *request.param], start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    rclpy.init()
    yield rclpy.create_node('watcher')
    rclpy.shutdown()
    os.killpg(process.pid, signal.SIGINT)
    process.wait(30)


def spin_until(node, condition, timeout=60.0):
    end = time.monotonic() + timeout
    while time.monotonic() < end and not condition():
        rclpy.spin_once(node, timeout_sec=0.1)
    assert condition()


def call(node, kind, name, request):
    client = node.create_client(kind, name)
    assert client.wait_for_service(60.0)
    future = client.call_async(request)
    spin_until(node, future.done)
    return future.result()


@pytest.mark.parametrize('launched', [['demo.launch.py', 'rviz:=false', 'window:=false']], indirect=True)
def test_demo(launched):
    seen = []
    launched.create_subscription(Stability, '/stability_server/stability', seen.append, 10)
    spin_until(launched, lambda: seen and seen[-1].verdict.value == Verdict.HOLDS)

    def move(x):
        value = ParameterValue(type=3, double_value=x)
        return call(launched, SetParameters, '/com_slider/set_parameters',
                    SetParameters.Request(parameters=[Parameter(name='com_x', value=value)])).results[0]
    assert move(0.2).successful
    spin_until(launched, lambda: seen[-1].verdict.value == Verdict.HOLDS and seen[-1].margin.value[0] < 0.1)
    assert move(0.28).successful  # beyond the feet
    spin_until(launched, lambda: seen[-1].verdict.value == Verdict.FAILS)
    assert move(0.0).successful
    spin_until(launched, lambda: seen[-1].verdict.value == Verdict.HOLDS)
    assert not move(0.4).successful  # out of its range


@pytest.mark.parametrize('launched', [['check.launch.py']], indirect=True)
def test_check(launched):
    assert call(launched, Check, '/stability_server/check', Check.Request()).error.code == Error.NO_ROBOT


# What RViz's displays subscribe to; None: nothing.
DISPLAYS = {'rviz_default_plugins/Grid': None,
            'rviz_default_plugins/MarkerArray': 'visualization_msgs/msg/MarkerArray',
            'rviz_default_plugins/RobotModel': 'std_msgs/msg/String'}


@pytest.mark.parametrize('launched', [['demo.launch.py', 'rviz:=false', 'window:=false']], indirect=True)
def test_what_rviz_shows_is_there(launched):
    with open(os.path.join(os.path.dirname(__file__), '..', 'rviz', 'demo.rviz'), encoding='utf-8') as file:
        manager = yaml.safe_load(file)['Visualization Manager']
    assert manager['Global Options']['Fixed Frame'] == 'world'  # com_slider's, and the monitor's
    for display in manager['Displays']:
        kind = DISPLAYS[display['Class']]
        topic = display.get('Topic') or display.get('Description Topic')
        assert (topic is None) == (kind is None)
        if kind is None:
            continue
        spin_until(launched, lambda: launched.get_publishers_info_by_topic(topic['Value']))
        for publisher in launched.get_publishers_info_by_topic(topic['Value']):
            assert publisher.topic_type == kind
            if topic['Durability Policy'] == 'Transient Local':
                assert publisher.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
    try:
        plugins = os.path.join(get_package_share_directory('rviz_default_plugins'), 'plugins_description.xml')
    except PackageNotFoundError:
        return
    classes = {entry.get('name') for entry in ElementTree.parse(plugins).iter('class')}
    assert {display['Class'] for display in manager['Displays'] + manager['Tools']} <= classes
    assert manager['Views']['Current']['Class'] in classes


def start(*command):
    return subprocess.Popen(command, start_new_session=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def test_launch_fails_where_the_node_refuses_its_parameters(tmp_path):
    file = tmp_path / 'parameters.yaml'
    file.write_text('/**: {ros__parameters: {monitor.base: fixed}}')  # with a margin that needs a floating one
    assert start('ros2', 'launch', 'stiction_bringup', 'check.launch.py', f'params_file:={file}').wait(60) != 0


@pytest.mark.parametrize('given, wanted', [([], 12.5), (['rate:=3.0'], 3.0)])
def test_parameter_file_says_what_no_argument_says(tmp_path, given, wanted):
    file = tmp_path / 'parameters.yaml'
    file.write_text('/**: {ros__parameters: {monitor.rate: 12.5}}')
    process = start('ros2', 'launch', 'stiction_bringup', 'check.launch.py', f'params_file:={file}', 'namespace:=lab',
                    'log_level:=warn', *given)
    rclpy.init()
    try:
        answer = call(rclpy.create_node('asker'), GetParameters, '/lab/stability_server/get_parameters',
                      GetParameters.Request(names=['monitor.rate', 'use_sim_time']))
        assert answer.values[0].double_value == wanted and not answer.values[1].bool_value
    finally:
        rclpy.shutdown()
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(30) == 0


@pytest.mark.parametrize('display', [False, True])
def test_com_slider_ends_when_it_is_interrupted(display):
    environment = dict(os.environ)
    if display and not environment.get('DISPLAY'):
        pytest.skip('no display')
    if not display:
        environment.pop('DISPLAY', None)
    urdf = os.path.join(os.path.dirname(__file__), '..', 'urdf', 'quadruped.urdf')
    process = subprocess.Popen([sys.executable, '-m', 'stiction_bringup.com_slider', '--ros-args', '-p', f'urdf:={urdf}'],
                               env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    rclpy.init()
    seen = []
    watcher = rclpy.create_node('watcher')
    watcher.create_subscription(ContactArray, 'contacts', seen.append, 10)
    try:
        spin_until(watcher, lambda: seen)
    finally:
        rclpy.shutdown()
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)  # as a terminal and a launch do
    assert process.wait(30) == 0
    assert 'Traceback' not in process.stderr.read()
