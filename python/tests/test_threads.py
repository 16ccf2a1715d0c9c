"""The interpreter's lock is released, objects may be shared, and nothing leaks."""

import gc
import pathlib
import resource
import threading
import time

import numpy as np

import stiction
from test_batch import grasps

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_shared_checkers_scenes_and_problems_give_the_same_answers():
    scene = stiction.Scene(ROOT / "scenarios/box_on_slope.yaml")
    checkers = stiction.StickingChecker(), stiction.EquilibriumChecker(), stiction.ClosureChecker()
    columns = grasps(40)
    hands = [stiction.Grasp(p, n, m) for p, n, m in zip(columns["points"], columns["normals"], columns["mu"])]
    angles = np.linspace(0.0, 0.6, 40)

    def answers():
        found = []
        for angle, grasp in zip(angles, hands):
            problem = scene.problem(scene.state(rpy=[0, angle, 0]))
            found.append((checkers[0].check(problem).forces.tobytes(), checkers[1].check(problem).verdict,
                          checkers[2].closed(grasp), stiction.check_batch({"points": [grasp_points(grasp)], "normals": [[[0, 0, 1]] * 4], "mu": 0.3})["closed"][0]))
        return found

    def grasp_points(grasp):
        return [contact.point for contact in grasp.contacts]

    expected, results = answers(), [None] * 6

    def run(k):
        results[k] = answers()

    threads = [threading.Thread(target=run, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result == expected for result in results)


def test_python_goes_on_while_a_batch_computes():
    columns = {**grasps(40, 5), "torque_length": 0.05}
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    counter = threading.Thread(target=tick)
    counter.start()
    started = time.perf_counter()
    stiction.check_batch(columns, ask=["epsilon"], gap=0.1)
    lasted = time.perf_counter() - started
    done.set()
    counter.join()
    assert sum(started < t < started + lasted for t in ticks) > 20 * min(1.0, lasted)


def test_no_memory_leaks():
    def peak():
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024   # MB

    columns = grasps(20000)
    grasp = stiction.Grasp(columns["points"][0], columns["normals"][0], 0.5)
    checker = stiction.ClosureChecker()
    problem = stiction.Scenario(ROOT / "scenarios/box_on_slope.yaml").problem()
    sticking = stiction.StickingChecker()

    def work(times):
        for _ in range(times):
            checker.closed(grasp)
            problem.J, problem.contacts[0].axes
            try:
                stiction.Contact("x", 0.1, 0, side="no")
            except stiction.InputError:
                pass
        for _ in range(times // 100):
            result = sticking.check(problem, largest_slack=False, explain=False)
            result.forces, result.contacts, result.certificate.leaves
        for _ in range(times // 2000):
            stiction.check_batch(columns)
            stiction.check(problem)._repr_html_()

    work(4000)
    before = peak()
    work(40000)
    assert peak() - before < 8.0   # 200 bytes per call would show
