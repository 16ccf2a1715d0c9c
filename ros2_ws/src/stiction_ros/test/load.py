#!/usr/bin/env python3
"""A long run by hand: two clients at once, a malformed request every tenth call, the robot's publisher killed and restarted.

Prints latency and the server's memory per tenth of the run; docs/ros2.md records a run. `load.py [CALLS]`
"""

import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

os.environ['ROS_DOMAIN_ID'] = str(1 + os.getpid() % 50)  # nobody else's nodes
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from cart_client import check_request, Client, start_server  # noqa: E402
import rclpy  # noqa: E402
from stiction_msgs.msg import Error, Verdict  # noqa: E402

PUBLISHER = """
import rclpy, time, cart_client
rclpy.init()
client = cart_client.Client('robot_publisher')
publisher = client.publish_robot()
time.sleep(3600)
"""


def start_publisher():
    return subprocess.Popen([sys.executable, '-c', PUBLISHER], cwd=os.path.dirname(os.path.abspath(__file__)))


def memory(process):
    """Resident, MB."""
    with open(f'/proc/{process.pid}/status', encoding='ascii') as status:
        return int(re.search(r'VmRSS:\s+(\d+)', status.read()).group(1)) / 1024


def request_and_answer(i):
    """The i-th request, and what its answer must be: an error code and a verdict."""
    if i % 10 == 9:
        request = check_request()
        kind = i // 10 % 5
        if kind == 0:
            request.scenario.contacts[0].normal.z = 2.0
        elif kind == 1:
            request.scenario.contacts[0].link = 'no_such_link'
        elif kind == 2:
            request.scenario.models[0].joint_state.position = [float('nan')]
        elif kind == 3:
            request.scenario.question = 'luck'
        else:
            request.scenario.models[0].urdf = '<robot'
        return request, Error.BAD_ROBOT if kind == 4 else Error.BAD_REQUEST, None
    slide = -0.8 + 1.6 * (i * 0.6180339887 % 1.0)
    return check_request(slide), Error.NONE, Verdict.HOLDS if abs(slide) < 0.4 else Verdict.FAILS


def main():
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    rclpy.init()
    server, publisher = start_server('monitor.rate:=0.0'), start_publisher()
    main_client = Client('load')
    if not main_client.wait_until(lambda: main_client.check(check_request()).error.code == Error.NONE):
        sys.exit('the robot never arrived')
    latencies, wrong, memories = [None] * calls, [], {0: memory(server)}

    def ask(client, first):
        for i in range(first, calls, 2):
            request, code, verdict = request_and_answer(i)
            lost = client.unanswered
            begin = time.perf_counter()
            response = client.check(request)
            latencies[i] = time.perf_counter() - begin if client.unanswered == lost else None
            if response.error.code != code or (verdict is not None and response.result.verdict.value != verdict):
                wrong.append((i, response.error))
            if first == 0 and (i + 2) % (calls // 10) == 0:
                memories[i + 2] = memory(server)
    other = Client('other')
    threads = [threading.Thread(target=ask, args=(client, k)) for k, client in enumerate((main_client, other))]
    for thread in threads:
        thread.start()
    restarts = 0
    while any(thread.is_alive() for thread in threads):
        time.sleep(5.0)
        publisher.kill()
        publisher.wait()
        publisher = start_publisher()
        restarts += 1
    publisher.kill()
    unanswered = main_client.unanswered + other.unanswered
    print(f'{calls} calls, {len(wrong)} answered wrongly, {unanswered} asked again because no answer came, '
          f'publisher of robot_description killed {restarts} times')
    for i, error in wrong[:5]:
        print(f'  call {i}: {error}')
    print('calls            median [ms]  99 % [ms]  memory after [MB]')
    for k in range(10):
        part = [latency for latency in latencies[k * calls // 10:(k + 1) * calls // 10] if latency is not None]
        end = (k + 1) * calls // 10
        print(f'{k * calls // 10:6d} - {end:6d}  {1e3 * statistics.median(part):11.3f}  '
              f'{1e3 * sorted(part)[int(0.99 * len(part))]:9.3f}  {memories[end]:17.1f}')
    print(f'memory before: {memories[0]:.1f} MB')
    server.send_signal(signal.SIGINT)
    code = server.wait(20)
    print(f'the server ended with {code} when interrupted')
    return 1 if wrong or code else 0


if __name__ == '__main__':
    sys.exit(main())
