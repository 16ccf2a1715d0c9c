"""The bare server: services, and the monitor where the parameter file or `rate` asks for it."""

import os

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from stiction_bringup.launching import fail_with


def start_server(context):
    def given(name):
        return LaunchConfiguration(name).perform(context)
    # Only what was given: everything else is up to the parameter file.
    parameters = {}
    if given('rate'):
        parameters['monitor.rate'] = float(given('rate'))
    if given('use_sim_time'):
        parameters['use_sim_time'] = given('use_sim_time') == 'true'
    if given('urdf'):
        with open(given('urdf'), encoding='utf-8') as file:
            parameters['robot_description'] = file.read()
    server = Node(package='stiction_ros', executable='stability_server', name='stability_server', output='screen',
                  namespace=given('namespace'), arguments=['--ros-args', '--log-level', given('log_level')],
                  parameters=[given('params_file'), parameters])
    return [server, fail_with(server)]


def generate_launch_description():
    share = get_package_share_directory('stiction_bringup')
    return LaunchDescription([
        DeclareLaunchArgument('params_file', default_value=os.path.join(share, 'config', 'stability_server.yaml'),
                              description='Parameter file.'),
        DeclareLaunchArgument('urdf', default_value='',
                              description='URDF file of the robot; empty: the parameter file says, or the topic '
                                          'robot_description.'),
        DeclareLaunchArgument('rate', default_value='',
                              description='Judgements of the monitor per second, Hz, 0: services only; empty: the '
                                          'parameter file says.'),
        DeclareLaunchArgument('use_sim_time', default_value='', choices=['', 'true', 'false'],
                              description='Time from the topic /clock; empty: the parameter file says.'),
        DeclareLaunchArgument('namespace', default_value='', description='Of the node, its topics and its services.'),
        DeclareLaunchArgument('log_level', default_value='info', choices=['debug', 'info', 'warn', 'error', 'fatal'],
                              description='What is logged.'),
        OpaqueFunction(function=start_server),
    ])
