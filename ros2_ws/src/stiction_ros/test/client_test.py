"""The server as its users meet it: other processes, through ROS."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

os.environ['ROS_DOMAIN_ID'] = str(1 + os.getpid() % 50)  # nobody else's nodes
sys.path.insert(0, os.path.dirname(__file__))

from cart_client import check_request, Client, feet, LATCHED, start_server, URDF  # noqa: E402
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus  # noqa: E402
from geometry_msgs.msg import PoseStamped  # noqa: E402
import pytest  # noqa: E402
from rcl_interfaces.msg import Parameter, ParameterValue  # noqa: E402
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters  # noqa: E402
import rclpy  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from stiction_msgs.msg import ContactArray, Error, Model, Noise, Stability, Verdict  # noqa: E402
from stiction_msgs.srv import CheckBatch, CheckScenario  # noqa: E402
from visualization_msgs.msg import Marker, MarkerArray  # noqa: E402
import yaml  # noqa: E402

SHIPPED = os.path.join(os.path.dirname(__file__), '..', '..', 'stiction_bringup', 'config', 'stability_server.yaml')


def flat(tree, above=''):
    """Parameters by their whole names."""
    names = {}
    for key, entry in tree.items():
        names |= flat(entry, above + key + '.') if isinstance(entry, dict) else {above + key: entry}
    return names


@pytest.fixture(scope='module', autouse=True)
def ros():
    rclpy.init()
    yield
    rclpy.try_shutdown()


@pytest.fixture
def client():
    client = Client('client')
    yield client
    client.close()


@pytest.fixture
def server(request):
    process = start_server(*getattr(request, 'param', ['monitor.rate:=0.0']))
    yield process
    assert process.poll() is None, 'the server ended by itself'
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0


def test_robot_comes_and_changes(server, client):
    assert client.check(check_request()).error.code == Error.NO_ROBOT
    first = client.publish_robot()
    assert client.wait_until(lambda: client.check(check_request()).error.code == Error.NONE)
    assert client.check(check_request(0.39)).result.verdict.value == Verdict.HOLDS
    assert client.check(check_request(0.41)).result.verdict.value == Verdict.FAILS
    client.node.destroy_publisher(first)  # whoever published it went away: the robot is still known
    assert client.check(check_request()).result.verdict.value == Verdict.HOLDS
    client.publish_robot(URDF.replace('slide', 'glide'))
    assert client.wait_until(lambda: client.check(check_request()).error.code == Error.BAD_REQUEST)
    client.publish_robot('<robot')
    assert client.wait_until(lambda: client.check(check_request()).error.code == Error.BAD_ROBOT)


def test_services(server, client):
    client.publish_robot()
    assert client.wait_until(lambda: client.check(check_request()).error.code == Error.NONE)
    result = client.check(check_request(0.2)).result
    assert abs(sum(contact.force.z for contact in result.contacts) - 4 * 9.81) < 1e-9
    assert json.loads(result.report)['verdict'] == 'holds'

    bad = check_request()
    bad.scenario.contacts[0].normal.z = 2.0
    error = client.check(bad).error
    assert error.code == Error.BAD_REQUEST and error.message.startswith('contacts[0].normal: ')

    batch = CheckBatch.Request(scenario=check_request().scenario)
    batch.joint_states = [JointState(name=['slide'], position=[x]) for x in (0.0, 0.5, float('nan'), -0.3)]
    response = client.call(CheckBatch, '/stability_server/check_batch', batch)
    assert response.error.code == Error.NONE
    assert [row.verdict.value for row in response.results if row.error.code == Error.NONE] == [
        Verdict.HOLDS, Verdict.FAILS, Verdict.HOLDS]
    assert response.results[2].error.code == Error.BAD_REQUEST

    answer = client.call(CheckScenario, '/stability_server/check_scenario', CheckScenario.Request(scenario='stiction: 2'))
    assert answer.error.code == Error.BAD_SCENARIO and 'stiction' in answer.error.message


def test_two_clients_at_once(server, client):
    client.publish_robot()
    assert client.wait_until(lambda: client.check(check_request()).error.code == Error.NONE)
    wrong = []

    def ask(name, slide, verdict):
        other = Client(name)
        for _ in range(100):
            if other.check(check_request(slide)).result.verdict.value != verdict:
                wrong.append(name)
        other.close()
    threads = [threading.Thread(target=ask, args=arguments)
               for arguments in (('left', 0.0, Verdict.HOLDS), ('right', 0.5, Verdict.FAILS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize('server', [['monitor.rate:=50.0', 'monitor.base_source:=topic']], indirect=True)
def test_monitor(server, client):
    seen = {}
    for kind, topic in ((Stability, '/stability_server/stability'), (DiagnosticArray, '/diagnostics'),
                        (MarkerArray, '/stability_server/markers')):
        client.node.create_subscription(kind, topic, lambda message, kind=kind: seen.update({kind: message}), 1)
    assert client.wait_until(lambda: Stability in seen)
    assert seen[Stability].stale and 'robot_description: none has arrived' in seen[Stability].reason
    client.publish_robot()
    joints = client.node.create_publisher(JointState, 'joint_states', 1)
    contacts = client.node.create_publisher(ContactArray, 'contacts', LATCHED)
    base = client.node.create_publisher(PoseStamped, 'base_pose', 1)
    slide = 0.0

    def publish():
        stamp = client.node.get_clock().now().to_msg()
        pose = PoseStamped()
        pose.pose.position.z = 0.1
        state = JointState(name=['slide'], position=[slide])
        pose.header.stamp = state.header.stamp = stamp
        pose.header.frame_id = 'world'
        joints.publish(state)
        base.publish(pose)
        message = ContactArray(contacts=[feet()])
        message.header.stamp = stamp
        contacts.publish(message)
    timer = client.node.create_timer(0.02, publish)

    def level():
        return seen[DiagnosticArray].status[0].level if DiagnosticArray in seen else None
    assert client.wait_until(lambda: seen[Stability].verdict.value == Verdict.HOLDS)
    assert abs(seen[Stability].margin.value[0] - 0.1) < 1e-3
    assert client.wait_until(lambda: level() == DiagnosticStatus.OK)
    slide = 0.35  # 0.0125 m from the edge
    assert client.wait_until(lambda: level() == DiagnosticStatus.WARN)
    slide = 0.5
    assert client.wait_until(lambda: level() == DiagnosticStatus.ERROR)
    assert client.wait_until(lambda: any(m.ns == 'motion' for m in seen[MarkerArray].markers))
    assert seen[MarkerArray].markers[0].action == Marker.DELETEALL
    client.node.destroy_timer(timer)
    assert client.wait_until(lambda: level() == DiagnosticStatus.STALE)
    assert client.wait_until(lambda: 's old, want at most' in seen[Stability].reason)


@pytest.mark.parametrize('server', [['monitor.rate:=5.0']], indirect=True)
def test_parameters(server, client):
    names = client.call(ListParameters, '/stability_server/list_parameters', ListParameters.Request()).result.names
    ours = [name for name in names if name.split('.')[0] in ('robot_description', 'threads', 'limits', 'monitor', 'markers')]
    with open(SHIPPED, encoding='utf-8') as file:
        documented = flat(yaml.safe_load(file)['/**']['ros__parameters'])
    assert set(ours) == set(documented)
    values = client.call(GetParameters, '/stability_server/get_parameters', GetParameters.Request(names=ours)).values
    for name, value in zip(ours, values):
        got = {1: value.bool_value, 2: value.integer_value, 3: value.double_value, 4: value.string_value,
               8: list(value.double_array_value), 9: list(value.string_array_value)}[value.type]
        if name != 'monitor.rate':  # given here
            assert got == documented[name], name
    described = client.call(DescribeParameters, '/stability_server/describe_parameters',
                            DescribeParameters.Request(names=ours)).descriptors
    for descriptor in described:
        assert descriptor.description, descriptor.name
        assert descriptor.integer_range or descriptor.floating_point_range or descriptor.type not in (2, 3), descriptor.name

    def set_parameter(name, **value):
        request = SetParameters.Request(parameters=[Parameter(name=name, value=ParameterValue(**value))])
        return client.call(SetParameters, '/stability_server/set_parameters', request).results[0]
    assert set_parameter('monitor.warn_below', type=3, double_value=0.1).successful
    assert not set_parameter('monitor.warn_below', type=3, double_value=-1.0).successful
    assert not set_parameter('monitor.rate', type=3, double_value=1.0).successful  # read-only
    for nothing in (float('nan'), float('inf')):
        wrong = set_parameter('monitor.warn_below', type=3, double_value=nothing)
        assert not wrong.successful, wrong
    wrong = set_parameter('monitor.margin', type=4, string_value='luck')
    assert not wrong.successful and wrong.reason == "monitor.margin: want com or friction, got 'luck'"


def test_refuses_to_start_with_parameters_that_make_no_sense():
    server = start_server('monitor.base:=fixed')  # com needs a floating base
    assert server.wait(30) == 1


def long_request():
    """Ten million samples of a grasp: minutes."""
    request = check_request(question='closure')
    request.scenario.models[0] = Model(urdf='<robot name="box"><link name="cube"><inertial><mass value="1"/><inertia '
                                            'ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>')
    request.scenario.options.object = 'robot'
    request.scenario.options.noise = [Noise(position=1e-3, angle=1e-2, samples=10000000)]
    return request


@pytest.mark.parametrize('server', [['monitor.rate:=0.0', 'limits.time:=0.5']], indirect=True)
def test_ends_what_takes_too_long(server, client):
    client.publish_robot()
    assert client.wait_until(lambda: client.check(check_request()).error.code == Error.NONE)
    begin = time.monotonic()
    assert client.check(long_request()).error.code == Error.TOO_LONG
    assert time.monotonic() - begin < 4.0
    text = '{stiction: 1, models: {robot: {urdf: /dev/zero}}}'
    answer = client.call(CheckScenario, '/stability_server/check_scenario', CheckScenario.Request(scenario=text))
    assert answer.error.code == Error.BAD_SCENARIO and 'want a regular file' in answer.error.message
    assert client.check(check_request()).error.code == Error.NONE


def test_ends_in_the_middle_of_requests(client):
    server = start_server('monitor.rate:=0.0', 'limits.time:=0.0')
    client.publish_robot()
    assert client.wait_until(lambda: client.check(check_request()).error.code == Error.NONE)
    calls = [client.clients['/stability_server/check'].call_async(long_request()) for _ in range(4)]
    client.wait_until(lambda: False, 1.0)
    assert not any(call.done() for call in calls), 'the request has to take longer than that'
    begin = time.monotonic()
    server.send_signal(signal.SIGINT)
    assert server.wait(20) == 0
    assert time.monotonic() - begin < 4.0


@pytest.mark.parametrize('server', [['monitor.rate:=20.0', 'monitor.base:=fixed', 'monitor.margin:=friction',
                                     'limits.time:=6.0', 'threads:=2']], indirect=True)
def test_requests_do_not_delay_the_monitor(server, client):
    watcher = Client('watcher')
    seen = []
    watcher.node.create_subscription(Stability, '/stability_server/stability',
                                     lambda _: seen.append(time.monotonic()), 10)
    client.publish_robot()
    assert client.wait_until(lambda: client.check(check_request()).error.code == Error.NONE)
    calls = [client.clients['/stability_server/check'].call_async(long_request()) for _ in range(4)]
    begin = time.monotonic()
    watcher.wait_until(lambda: False, 4.0)
    busy = [t for t in seen if t > begin]
    assert len(busy) > 40, len(busy)
    assert max(b - a for a, b in zip(busy, busy[1:])) < 0.5
    assert client.wait_until(lambda: all(call.done() for call in calls), 30.0)
    watcher.close()


def test_contacts_are_latched(client):
    contacts = client.node.create_publisher(ContactArray, 'contacts', LATCHED)
    contacts.publish(ContactArray(contacts=[feet()]))  # before there is a server
    server = start_server('monitor.rate:=20.0', 'monitor.max_contacts_age:=0.0')
    seen = []
    client.node.create_subscription(Stability, '/stability_server/stability', seen.append, 1)
    try:
        assert client.wait_until(lambda: seen and 'contacts' not in seen[-1].reason)
        assert seen[-1].stale  # there is no robot
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0


def test_parameter_files_are_for_every_name_and_namespace(client, tmp_path):
    file = tmp_path / 'parameters.yaml'
    with open(SHIPPED, encoding='utf-8') as text:
        file.write_text(text.read().replace('rate: 10.0 ', 'rate: 12.5 '))
    server = start_server(arguments=['--params-file', str(file), '-r', '__ns:=/lab', '-r', '__node:=judge'])
    try:
        values = client.call(GetParameters, '/lab/judge/get_parameters',
                             GetParameters.Request(names=['monitor.rate'])).values
        assert values[0].double_value == 12.5
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0


def test_is_a_component(client):
    composition = pytest.importorskip('composition_interfaces.srv')
    from ament_index_python.packages import get_package_prefix
    container = subprocess.Popen([os.path.join(get_package_prefix('rclcpp_components'), 'lib', 'rclcpp_components',
                                               'component_container_mt')])
    try:
        request = composition.LoadNode.Request(package_name='stiction_ros', plugin_name='stiction_ros::StabilityServer')
        response = client.call(composition.LoadNode, '/ComponentManager/_container/load_node', request)
        assert response.success, response.error_message
        assert client.check(check_request()).error.code == Error.NO_ROBOT
    finally:
        container.send_signal(signal.SIGINT)
        container.wait(20)
