#!/usr/bin/env python3
"""A long run of the monitor by hand: Talos on both feet, swaying, as fast as it is asked to.

Prints per tenth of the run how many judgements arrived, how old the posture was when its verdict arrived, and the
server's memory; docs/ros2.md records a run. `soak.py TALOS.urdf [SECONDS] [HZ] [monitor parameters…]`
"""

import math
import os
import signal
import sys
import threading
import time

os.environ['ROS_DOMAIN_ID'] = str(1 + os.getpid() % 50)  # nobody else's nodes
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from cart_client import Client, LATCHED, start_server  # noqa: E402
from geometry_msgs.msg import Point, PoseStamped  # noqa: E402
from load import memory  # noqa: E402
import rclpy  # noqa: E402
from rclpy.qos import qos_profile_sensor_data  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from stiction_msgs.msg import Contact, ContactArray, Stability, Verdict  # noqa: E402

POSTURE = {'arm_left_1_joint': 0.25847, 'arm_left_2_joint': 0.173046, 'arm_left_4_joint': -0.525366,
           'arm_left_7_joint': 0.1, 'arm_right_1_joint': -0.25847, 'arm_right_2_joint': -0.173046,
           'arm_right_4_joint': -0.525366, 'arm_right_7_joint': 0.1, 'leg_left_3_joint': -0.411354,
           'leg_left_4_joint': 0.859395, 'leg_left_5_joint': -0.448041, 'leg_right_3_joint': -0.411354,
           'leg_right_4_joint': 0.859395, 'leg_right_5_joint': -0.448041}
HEIGHT = 1.01927  # of the base on straight soles, m


def joints_of(urdf):
    import xml.etree.ElementTree as ElementTree
    return [joint.get('name') for joint in ElementTree.fromstring(urdf).findall('joint')
            if joint.get('type') != 'fixed' and joint.find('mimic') is None]


def soles():
    contacts = []
    for side in ('left', 'right'):
        contact = Contact(name=side, link=side + '_sole_link', mu=0.7)
        contact.normal.z = 1.0
        contact.points = [Point(x=x, y=y, z=0.0) for x in (0.1, -0.1) for y in (0.06, -0.06)]
        contacts.append(contact)
    return contacts


class Robot(threading.Thread):
    """Publishes a posture `rate` times a second; only the torso and the arms sway, so that the feet stay."""

    def __init__(self, urdf, rate):
        super().__init__(daemon=True)
        self.client = Client('talos')
        self.robot = self.client.publish_robot(urdf)
        self.names, self.rate, self.stop = joints_of(urdf), rate, False
        self.joints = self.client.node.create_publisher(JointState, 'joint_states', qos_profile_sensor_data)
        self.base = self.client.node.create_publisher(PoseStamped, 'base_pose', qos_profile_sensor_data)
        self.contacts = self.client.node.create_publisher(ContactArray, 'contacts', LATCHED)
        self.published = 0

    def run(self):
        begin = time.monotonic()
        while not self.stop:
            now = self.client.node.get_clock().now().to_msg()
            sway = 0.1 * math.sin(time.monotonic() - begin)
            state = JointState(name=self.names)
            state.header.stamp = now
            state.position = [POSTURE.get(name, 0.0) + (sway if name.startswith(('torso', 'arm')) else 0.0)
                              for name in self.names]
            pose = PoseStamped()
            pose.header.stamp, pose.header.frame_id, pose.pose.position.z = now, 'world', HEIGHT
            self.base.publish(pose)
            self.joints.publish(state)
            if self.published % max(1, round(self.rate / 10)) == 0:
                contacts = ContactArray(contacts=soles())
                contacts.header.stamp = now
                self.contacts.publish(contacts)
            self.published += 1
            time.sleep(max(0.0, begin + self.published / self.rate - time.monotonic()))


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        urdf = file.read()
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1800.0
    rate = float(sys.argv[3]) if len(sys.argv) > 3 else 500.0
    rclpy.init()
    server = start_server(f'monitor.rate:={rate}', 'monitor.base_source:=topic', *sys.argv[4:])
    robot, watcher = Robot(urdf, rate), Client('watcher')
    ages, verdicts = [], {}

    def take(message):
        verdict = 'stale' if message.stale else {Verdict.HOLDS: 'holds', Verdict.FAILS: 'fails'}.get(
            message.verdict.value, 'undecided')
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
        if not message.stale:
            now = watcher.node.get_clock().now().nanoseconds
            ages.append(1e-6 * (now - message.header.stamp.sec * 10**9 - message.header.stamp.nanosec))
    watcher.node.create_subscription(Stability, '/stability_server/stability', take, 100)
    robot.start()
    watcher.wait_until(lambda: ages, 60.0)
    verdicts.clear()
    print(f'{rate:g} Hz for {seconds:g} s; load of the machine at the start: {os.getloadavg()[0]:.1f}')
    print('          judged [1/s]  age of the posture: median [ms]  99 % [ms]  memory [MB]', flush=True)
    for part in range(10):
        ages.clear()
        begin = time.monotonic()
        watcher.wait_until(lambda: False, seconds / 10)
        passed, found = time.monotonic() - begin, sorted(ages) or [math.nan]
        print(f'{(part + 1) * seconds / 10:8.0f} s  {len(ages) / passed:12.1f}  {found[len(found) // 2]:31.2f}  '
              f'{found[int(0.99 * len(found))]:9.2f}  {memory(server):11.1f}', flush=True)
    print(f'verdicts: {verdicts}; postures published: {robot.published}; load at the end: {os.getloadavg()[0]:.1f}')
    robot.stop = True
    robot.join()
    server.send_signal(signal.SIGINT)
    code = server.wait(20)
    print(f'the server ended with {code} when interrupted')
    return code


if __name__ == '__main__':
    sys.exit(main())
