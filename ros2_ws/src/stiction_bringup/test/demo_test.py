"""Both launch files, as people start them."""

import os
import shutil
import signal
import subprocess
import time

os.environ['ROS_DOMAIN_ID'] = str(51 + os.getpid() % 50)  # nobody else's nodes

import pytest  # noqa: E402
from rcl_interfaces.msg import Parameter, ParameterValue  # noqa: E402
from rcl_interfaces.srv import SetParameters  # noqa: E402
import rclpy  # noqa: E402
from stiction_msgs.msg import Error, Stability, Verdict  # noqa: E402
from stiction_msgs.srv import Check  # noqa: E402

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
    spin_until(launched, lambda: seen[-1].verdict.value == Verdict.HOLDS and seen[-1].margin.value < 0.1)
    assert move(0.28).successful  # beyond the feet
    spin_until(launched, lambda: seen[-1].verdict.value == Verdict.FAILS)
    assert move(0.0).successful
    spin_until(launched, lambda: seen[-1].verdict.value == Verdict.HOLDS)
    assert not move(0.4).successful  # out of its range


@pytest.mark.parametrize('launched', [['check.launch.py']], indirect=True)
def test_check(launched):
    assert call(launched, Check, '/stability_server/check', Check.Request()).error.code == Error.NO_ROBOT
