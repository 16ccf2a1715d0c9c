"""Node com_slider: the shipped quadruped, whose centre of mass follows sliders.

Publishes what a real robot would: robot_description, joint_states, tf and contacts. The sliders are parameters with a
range (rqt_reconfigure and `ros2 param set` move them) and, where there is a display, a small window.
"""

from math import copysign, sqrt
import os
import signal

from geometry_msgs.msg import Point, TransformStamped
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, SetParametersResult
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from stiction_msgs.msg import Contact, ContactArray
from tf2_msgs.msg import TFMessage

from stiction_bringup.swaying_quadruped import LEGS, SwayingQuadruped

SLIDERS = (  # name, lowest, highest, first value, description
    ('com_x', -0.3, 0.3, 0.0, 'Centre of mass along x, m. The feet are at about +-0.25.'),
    ('com_y', -0.2, 0.2, 0.0, 'Centre of mass along y, m. The feet are at +-0.15.'),
    ('mu', 0.0, 1.5, 0.7, 'Friction coefficient of every foot.'),
)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def quaternion(turn):
    """(x, y, z, w) of a rotation matrix."""
    w = sqrt(max(0.0, 1 + turn[0, 0] + turn[1, 1] + turn[2, 2])) / 2
    x = sqrt(max(0.0, 1 + turn[0, 0] - turn[1, 1] - turn[2, 2])) / 2
    y = sqrt(max(0.0, 1 - turn[0, 0] + turn[1, 1] - turn[2, 2])) / 2
    z = sqrt(max(0.0, 1 - turn[0, 0] - turn[1, 1] + turn[2, 2])) / 2
    return (copysign(x, turn[2, 1] - turn[1, 2]), copysign(y, turn[0, 2] - turn[2, 0]),
            copysign(z, turn[1, 0] - turn[0, 1]), w)


class ComSlider(Node):

    def __init__(self):
        super().__init__('com_slider')
        urdf = self.declare_parameter('urdf', '', ParameterDescriptor(
            description='URDF file of the quadruped.', read_only=True)).value
        rate = self.declare_parameter('rate', 30.0, ParameterDescriptor(
            description='Postures per second.', read_only=True,
            floating_point_range=[FloatingPointRange(from_value=1.0, to_value=1000.0)])).value
        self.fixed_frame = self.declare_parameter('fixed_frame', 'world', ParameterDescriptor(
            description='Name of the frame in which the ground does not move.', read_only=True)).value
        self.wants_window = self.declare_parameter('window', True, ParameterDescriptor(
            description='Show sliders where there is a display.', read_only=True)).value
        for name, lowest, highest, first, description in SLIDERS:
            self.declare_parameter(name, first, ParameterDescriptor(
                description=description,
                floating_point_range=[FloatingPointRange(from_value=lowest, to_value=highest)]))
        with open(urdf, encoding='utf-8') as file:
            text = file.read()
        self.robot = SwayingQuadruped(text)
        self.descriptions = self.create_publisher(String, 'robot_description', LATCHED)
        self.descriptions.publish(String(data=text))
        self.contacts = self.create_publisher(ContactArray, 'contacts', LATCHED)
        self.joint_states = self.create_publisher(JointState, 'joint_states', 10)
        self.transforms = self.create_publisher(TFMessage, '/tf', 100)
        self.move()
        self.add_on_set_parameters_callback(self.on_parameters)
        self.create_timer(1.0 / rate, self.publish_posture)

    def move(self, **wanted):
        """Raises ValueError where the legs do not reach."""
        target = [wanted.get(name, self.get_parameter(name).value) for name in ('com_x', 'com_y')]
        self.posture = self.robot.sway_to(target)

    def on_parameters(self, parameters):
        new = {parameter.name: parameter.value for parameter in parameters}
        try:
            self.move(**new)
        except ValueError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def publish_contacts(self, stamp):
        message = ContactArray()
        message.header.frame_id = self.fixed_frame
        message.header.stamp = stamp
        mu = self.get_parameter('mu').value
        for leg in LEGS:
            contact = Contact(name=leg, link=leg + '_foot', mu=mu, normal_frame=Contact.FRAME_WORLD)
            contact.points = [Point()]  # the origin of the foot's frame
            contact.normal.z = 1.0
            message.contacts.append(contact)
        self.contacts.publish(message)

    def publish_posture(self):
        body, angles, frames = self.posture
        stamp = self.get_clock().now().to_msg()
        state = JointState(name=list(angles), position=list(angles.values()))
        state.header.stamp = stamp
        self.joint_states.publish(state)
        transforms = TFMessage()
        for link, (turn, place) in frames.items():
            transform = TransformStamped(child_frame_id=link)
            transform.header.frame_id = self.fixed_frame
            transform.header.stamp = stamp
            vector, rotation = transform.transform.translation, transform.transform.rotation
            vector.x, vector.y, vector.z = place.tolist()
            rotation.x, rotation.y, rotation.z, rotation.w = quaternion(turn)
            transforms.transforms.append(transform)
        self.transforms.publish(transforms)
        self.publish_contacts(stamp)


def show_window(node):
    """Shows a slider per parameter until the window is closed; returns at once where there is no display.

    The node is spun from the window's own loop: Tk ends a program in which a second thread frees what is its own.
    """
    if not os.environ.get('DISPLAY'):
        node.get_logger().info('no display, no window: move the sliders with rqt_reconfigure or `ros2 param set`')
        return
    try:
        import tkinter
        window = tkinter.Tk()
    except Exception as error:  # no tkinter, or its own TclError: no such display
        node.get_logger().info(f'no window: {error}')
        return
    window.title('stiction: centre of mass')

    def set_parameter(name, text):
        result = node.set_parameters([rclpy.parameter.Parameter(name, value=float(text))])[0]
        message.set('' if result.successful else result.reason)

    message = tkinter.StringVar()
    for name, lowest, highest, _, description in SLIDERS:
        tkinter.Label(window, text=description, anchor='w').pack(fill='x')
        scale = tkinter.Scale(window, from_=lowest, to=highest, resolution=0.005, orient='horizontal', length=500)
        scale.set(node.get_parameter(name).value)
        scale.configure(command=lambda text, name=name: set_parameter(name, text))
        scale.pack(fill='x')
    tkinter.Label(window, textvariable=message, anchor='w', fg='red').pack(fill='x')
    interrupted = []

    def spin():
        if interrupted or not rclpy.ok():
            window.destroy()
            return
        for _ in range(10):
            rclpy.spin_once(node, timeout_sec=0)
        window.after(5, spin)

    def on_error(kind, value, traceback):  # Tk would print an interrupt and go on
        interrupted.append(value)
    window.report_callback_exception = on_error
    spin()
    window.mainloop()
    if interrupted:
        raise interrupted[0]


def main():
    rclpy.init()
    node = ComSlider()
    try:
        if node.wants_window:
            show_window(node)
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal and a launch send one interrupt each
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
