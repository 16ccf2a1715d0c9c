"""What the client test and the load test share: a running server, and the cart of cart.hpp."""

import os
import subprocess
import time

from ament_index_python.packages import get_package_prefix
from geometry_msgs.msg import Point
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from stiction_msgs.msg import Contact, Model
from stiction_msgs.srv import Check

URDF = """<robot name="cart">
  <link name="cube">
    <inertial><mass value="3"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="cube"/><child link="ballast"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="1"/>
  </joint>
  <link name="ballast">
    <inertial><mass value="1"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial>
  </link>
</robot>"""
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def start_server(*parameters, arguments=()):
    """The executable itself, so that its process id is the one to measure and to stop."""
    program = os.environ.get('STABILITY_SERVER') or os.path.join(
        get_package_prefix('stiction_ros'), 'lib', 'stiction_ros', 'stability_server')
    given = [word for parameter in parameters for word in ('-p', parameter)]
    return subprocess.Popen([program, '--ros-args', *given, *arguments])


def feet(mu=0.6):
    """One patch below the cube."""
    contact = Contact(name='foot', link='cube', mu=mu)
    contact.normal.z = 1.0
    contact.points = [Point(x=x, y=y, z=-0.1) for x, y in ((.1, .1), (-.1, .1), (-.1, -.1), (.1, -.1))]
    return contact


def check_request(slide=0.0, mu=0.6, question='equilibrium'):
    """Holds up to a slider at 0.4 m."""
    request = Check.Request()
    model = Model(effort=Model.EFFORT_LIMITS)
    model.pose.position.z = 0.1
    model.joint_state.name = ['slide']
    model.joint_state.position = [slide]
    request.scenario.models = [model]
    request.scenario.contacts = [feet(mu)]
    request.scenario.question = question
    return request


class Client:
    """A node with an executor of its own: several may be used at once, one per thread."""

    def __init__(self, name):
        self.node = rclpy.create_node(name)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.clients = {}
        self.unanswered = 0

    def call(self, kind, name, request):
        """The response. The middleware may lose one when several clients ask at once, whoever serves: then it asks again."""
        if name not in self.clients:
            self.clients[name] = self.node.create_client(kind, name)
            if not self.clients[name].wait_for_service(30.0):
                raise TimeoutError(f'{name} did not appear')
        for timeout in (5.0, 5.0, 30.0):
            future = self.clients[name].call_async(request)
            self.executor.spin_until_future_complete(future, timeout)
            if future.done():
                return future.result()
            self.unanswered += 1
        raise TimeoutError(f'{name} did not answer')

    def check(self, request):
        return self.call(Check, '/stability_server/check', request)

    def publish_robot(self, urdf=URDF):
        publisher = self.node.create_publisher(String, 'robot_description', LATCHED)
        publisher.publish(String(data=urdf))
        return publisher

    def wait_until(self, condition, timeout=30.0):
        """Whether the condition came true in time; callbacks run meanwhile."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if condition():
                return True
            self.executor.spin_once(timeout_sec=0.02)
        return False

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
