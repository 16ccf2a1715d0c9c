"""What the launch files share."""

from launch.actions import RegisterEventHandler
from launch.event_handlers import OnProcessExit


def fail_with(action):
    """Ends the launch, with an exit code that is not 0, when the process of `action` ends by itself and not well.

    `ros2 launch` returns 0 whatever its processes do, unless an exception comes out of a handler.
    """
    def ended(event, context):
        if event.returncode != 0 and not context.is_shutdown:
            raise RuntimeError(f'{event.process_name} ended with exit code {event.returncode}')
    return RegisterEventHandler(OnProcessExit(target_action=action, on_exit=ended))
