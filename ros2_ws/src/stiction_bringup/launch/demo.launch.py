"""A shipped quadruped whose centre of mass follows sliders, the monitor, and RViz where it is installed."""

import os

from ament_index_python.packages import get_package_prefix, get_package_share_directory, PackageNotFoundError
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def installed(package):
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True


def generate_launch_description():
    share = get_package_share_directory('stiction_bringup')
    urdf = os.path.join(share, 'urdf', 'quadruped.urdf')
    has_rviz = installed('rviz2')
    actions = [
        DeclareLaunchArgument('window', default_value='true', choices=['true', 'false'],
                              description='Show sliders where there is a display.'),
        DeclareLaunchArgument('rviz', default_value=str(has_rviz).lower(), choices=['true', 'false'],
                              description='Start RViz.'),
        Node(package='stiction_bringup', executable='com_slider', output='screen',
             parameters=[{'urdf': urdf, 'window': LaunchConfiguration('window')}]),
        Node(package='stiction_ros', executable='stability_server', output='screen',
             parameters=[os.path.join(share, 'config', 'demo.yaml')]),
        Node(package='rviz2', executable='rviz2', arguments=['-d', os.path.join(share, 'rviz', 'demo.rviz')],
             condition=IfCondition(LaunchConfiguration('rviz'))),
    ]
    if not has_rviz:
        actions.append(LogInfo(msg='rviz2 is not installed: look at /stability_server/stability instead'))
    return LaunchDescription(actions)
