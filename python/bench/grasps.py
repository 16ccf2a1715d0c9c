"""The same grasps through other people's tools and through stiction, in one run: microseconds of processor time per grasp.

    pip install scipy cvxpy clarabel; python python/bench/grasps.py [grasps for the slow ones]

Closed: an interior combination of contact wrenches is zero (and they span). scipy's linprog and Qhull need cones with eight edges; Clarabel has
round ones.
"""

import multiprocessing
import sys
import time

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

import stiction

EDGES, MU, LENGTH = 8, 0.5, 0.05


def grasps(rows, fingers=5, seed=1):
    rng = np.random.default_rng(seed)
    sphere = rng.normal(size=(rows, fingers, 3))
    sphere /= np.linalg.norm(sphere, axis=2, keepdims=True)
    return {"points": LENGTH * sphere, "normals": -sphere, "mu": MU, "torque_length": LENGTH}


def edge_wrenches(points, normals):
    """(6, fingers * EDGES): wrenches of unit normal force along the edges of inner pyramids."""
    columns = []
    for point, normal in zip(points, normals):
        t1 = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
        t1 /= np.linalg.norm(t1)
        t2 = np.cross(normal, t1)
        for angle in (2 * np.arange(EDGES) + 1) * np.pi / EDGES:
            force = normal + MU * (np.cos(angle) * t1 + np.sin(angle) * t2)
            columns.append(np.r_[force, np.cross(point, force) / LENGTH])
    return np.array(columns).T


def closed_by_linprog(points, normals):
    W = edge_wrenches(points, normals)
    found = linprog(np.ones(W.shape[1]), A_eq=W, b_eq=np.zeros(6), bounds=(1, None), method="highs")
    return found.status == 0 and np.linalg.matrix_rank(W) == 6


def epsilon_by_qhull(points, normals):
    hull = ConvexHull(edge_wrenches(points, normals).T)
    return max(0.0, -hull.equations[:, -1].max())


def closed_by_cvxpy():
    """One parametrised problem, compiled once, as cvxpy's manual advises."""
    import cvxpy

    fingers = 5
    G, f = cvxpy.Parameter((6, 3 * fingers)), cvxpy.Variable(3 * fingers)
    s = cvxpy.Variable()
    cones = [cvxpy.norm(f[3 * i + 1:3 * i + 3]) <= MU * f[3 * i] - s for i in range(fingers)]
    problem = cvxpy.Problem(cvxpy.Maximize(s), [G @ f == 0, s <= 1, *cones])

    def closed(points, normals):
        G.value = stiction.Grasp(points, normals, MU, torque_length=LENGTH).G
        problem.solve(solver=cvxpy.CLARABEL)
        return s.value > 1e-6 and np.linalg.matrix_rank(G.value) == 6

    return closed


def timed(label, work, rows, note="", clock=time.process_time):
    """The best of three; processor time, so that what else the machine does matters less."""

    def measure():
        started = clock()
        work()
        return clock() - started

    work()
    seconds = min(measure() for _ in range(3))
    print(f"| {label} | {1e6 * seconds / rows:.3g} | {rows / seconds:.3g} | {note} |", flush=True)


def chunk(columns):
    return stiction.check_batch(columns)["closed"]


def main():
    few = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    many = grasps(10000)
    some = list(zip(many["points"][:few], many["normals"][:few]))
    part = {**many, "points": many["points"][:few], "normals": many["normals"][:few]}
    ours = stiction.check_batch(many)["closed"]
    print("| tool | µs per grasp | grasps per second | |\n|---|---|---|---|")
    facets = sum(closed_by_linprog(*g) for g in some)
    timed("closed: scipy linprog (HiGHS), 8 edges", lambda: [closed_by_linprog(*g) for g in some], few, f"{facets} of {few} closed")
    try:
        closed = closed_by_cvxpy()
        agree = sum(closed(*g) == (v == 1) for g, v in zip(some, ours))
        timed("closed: cvxpy and Clarabel, round cones", lambda: [closed(*g) for g in some], few, f"{agree} of {few} as stiction says")
    except ImportError:
        print("| closed: cvxpy and Clarabel | not installed | | |")
    timed("closed: `check_batch`, proved", lambda: stiction.check_batch(many), 10000, f"{(ours[:few] == 1).sum()} of {few} closed")
    timed("closed: `ClosureChecker.closed`, one call each", one_by_one(many), 1000)
    pieces = [{**many, "points": p, "normals": n} for p, n in zip(np.split(many["points"], 10), np.split(many["normals"], 10))]
    with multiprocessing.Pool(2) as pool:
        timed("closed: `check_batch` in a `multiprocessing.Pool` of 2", lambda: pool.map(chunk, pieces), 10000, "by the clock", time.perf_counter)
    timed("closed: `check_batch`, threads=2", lambda: stiction.check_batch(many, threads=2), 10000, "by the clock", time.perf_counter)
    timed("epsilon: Qhull, 8 edges", lambda: [epsilon_by_qhull(*g) for g in some], few)
    timed("epsilon: `check_batch`, gap 0.1, proved", lambda: stiction.check_batch(part, ask=["epsilon"], gap=0.1), few)
    timed("least friction: `check_batch`, proved", lambda: stiction.check_batch(part, ask=["least_friction"]), few)
    box = {"contacts.bottom.mu": np.linspace(0.3, 0.6, 200)}
    timed("rows of a scenario: `batch`", lambda: stiction.batch("scenarios/box_on_slope.yaml", box), 200)


def one_by_one(columns):
    checker = stiction.ClosureChecker()
    made = [stiction.Grasp(p, n, MU) for p, n in zip(columns["points"][:1000], columns["normals"][:1000])]
    return lambda: [checker.closed(grasp) for grasp in made]


if __name__ == "__main__":
    main()
