#!/usr/bin/env python3
# Asks a running server whether the box on the floor holds when it is pushed; see docs/ros2.md.
from geometry_msgs.msg import Point, Vector3
import rclpy
from stiction_msgs.msg import Contact, Error, Load
from stiction_msgs.srv import Check

rclpy.init()
node = rclpy.create_node('push_box')
client = node.create_client(Check, '/stability_server/check')
client.wait_for_service()

floor = Contact(name='floor', link='box', mu=0.6, normal=Vector3(z=1.0))
floor.points = [Point(x=x, y=y, z=-0.1) for x in (0.1, -0.1) for y in (0.1, -0.1)]
for push in (4.0, 8.0):  # friction can carry 0.6 * 9.81 N
    request = Check.Request()
    request.scenario.contacts = [floor]
    request.scenario.loads = [Load(link='box', force=Vector3(x=push))]
    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future)
    response = future.result()
    wrong = response.error.code != Error.NONE
    print(f'{push:g} N:', 'error: ' + response.error.message if wrong else response.result.summary)
rclpy.shutdown()
