"""The bare server: services, and the monitor if `rate` is not 0."""

import os

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def start_server(context):
    parameters = {'monitor.rate': float(LaunchConfiguration('rate').perform(context))}
    urdf = LaunchConfiguration('urdf').perform(context)
    if urdf:
        with open(urdf, encoding='utf-8') as file:
            parameters['robot_description'] = file.read()
    return [Node(package='stiction_ros', executable='stability_server', output='screen',
                 parameters=[LaunchConfiguration('params'), parameters])]


def generate_launch_description():
    share = get_package_share_directory('stiction_bringup')
    return LaunchDescription([
        DeclareLaunchArgument('urdf', default_value='',
                              description='URDF file of the robot; empty: from the topic robot_description.'),
        DeclareLaunchArgument('rate', default_value='0.0',
                              description='Judgements of the monitor per second, Hz; 0: services only.'),
        DeclareLaunchArgument('params', default_value=os.path.join(share, 'config', 'stability_server.yaml'),
                              description='Parameter file.'),
        OpaqueFunction(function=start_server),
    ])
