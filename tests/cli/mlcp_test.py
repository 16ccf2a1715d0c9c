"""Solves the complementarity problems that `check --mlcp` writes, with nothing of ours, and compares with the report.

An MLCP is solved by trying which of its inequalities are equalities; (57) by the linear program that asks whether its optimum is 0.
Usage: mlcp_test.py STICTION SOURCE_DIR
"""
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy.optimize import linprog
except ImportError:
    print("skipped: numpy and scipy are missing")
    sys.exit(77)


def solutions(entry, tolerance=1e-9):
    """All z with Q z + q = w, w = 0 on equalities, 0 <= z, w and z w = 0 elsewhere, one per choice of what is active."""
    Q, q, first = np.array(entry["Q"]), np.array(entry["q"]), entry["equalities"]
    found = []
    for active in itertools.product([False, True], repeat=len(q) - first):
        use = list(range(first)) + [first + k for k, on in enumerate(active) if on]
        z = np.zeros(len(q))
        if use:
            z[use] = np.linalg.lstsq(Q[np.ix_(use, use)], -q[use], rcond=None)[0]
        w, size = Q @ z + q, np.abs(Q) @ np.abs(z) + np.abs(q) + 1e-12
        equal = np.abs(w[use]) <= tolerance * size[use].max() if use else True
        if np.all(equal) and np.all(z[first:] >= -tolerance * (1 + np.abs(z).max())) and np.all(w[first:] >= -tolerance * size.max()):
            found.append(z)
    return found


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{arguments}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def numbers_by_joint(values):
    flat = []
    for value in values.values():
        flat.extend(value if isinstance(value, list) else [value])
    return np.array(flat)


def close(what, got, want, tolerance=1e-8):
    scale = 1 + np.abs(want).max() if np.size(want) else 1
    if np.size(want) and np.abs(np.array(got) - np.array(want)).max() > tolerance * scale:
        sys.exit(f"{what}: got {got}, want {want}")


def sticks(facets):
    """Whether some z has A z + F = 0, C z + D >= 0."""
    A, F, C, D = (np.array(facets[key]) for key in ("A", "F", "C", "D"))
    found = linprog(np.zeros(A.shape[1]), A_ub=-C, b_ub=D, A_eq=A, b_eq=-F, bounds=(None, None), method="highs")
    return found.status == 0


def check_sticking(name, file, report):
    found = solutions(file["mlcp"])
    if not found:
        sys.exit(f"{name}: the MLCP has no solution")
    kinds = [unknown["kind"] for unknown in file["mlcp"]["unknowns"]]
    accelerations = [i for i, kind in enumerate(kinds) if kind == "acceleration"]
    dofs = {i: unknown["index"] for i, unknown in enumerate(file["mlcp"]["unknowns"])}
    want = numbers_by_joint(report["acceleration"]["values"])
    for z in found:
        close(f"{name}: acceleration", [z[i] for i in sorted(accelerations, key=dofs.get)], want)
    normals = solutions(file["normals"])
    for contact in report["contacts"]:
        at = [i for i, unknown in enumerate(file["normals"]["unknowns"]) if unknown["name"] == contact["name"] + " normal"]
        for z in normals:
            close(f"{name}: normal force of {contact['name']}", z[at[0]], contact["normal_force"], 1e-7)
    forces = solutions(file["forces"])
    if not forces:
        sys.exit(f"{name}: (62) has no solution")
    facets = file.get("facets")
    if facets and not facets["hypotheses_failed"] and sticks(facets) != (report["verdict"] == "holds"):
        sys.exit(f"{name}: polygons say {sticks(facets)}, the report {report['verdict']}")
    return bool(facets)


def check_sliding(name, file, report):
    """The same number of motions, none where it jams."""
    found = solutions(file["mlcp"])
    if bool(found) != (report["verdict"] == "holds"):
        sys.exit(f"{name}: {len(found)} solutions of the MLCP, but the report says {report['verdict']}")


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    sticking = ["block_at_rest", "block_on_ground", "block_slides", "block_on_corner", "block_with_pendulum", "pinch_on_guide",
                "pinch_too_weak", "pinch_free_fingers", "rectangle_in_three_fingers", "rectangle_slips",
                "ball_in_three_arms"]
    with_facets = 0
    with tempfile.TemporaryDirectory() as folder:
        out = folder + "/mlcp.json"
        for name in sticking:
            report = json.loads(run(program, "check", f"{source}/scenarios/{name}.yaml", "--json", "--mlcp", out))
            with open(out) as stream:
                with_facets += check_sticking(name, json.load(stream), report)
        inner = ["--set", "options={cone: {inner: 8}}"]
        report = json.loads(run(program, "check", f"{source}/scenarios/ball_in_three_arms.yaml", "--json", "--mlcp", out, *inner))
        with open(out) as stream:
            with_facets += check_sticking("ball_in_three_arms with facets", json.load(stream), report)
        for name in ["painleve_jammed", "painleve_two_futures"]:
            report = json.loads(run(program, "check", f"{source}/scenarios/{name}.yaml", "--json", "--mlcp", out))
            with open(out) as stream:
                check_sliding(name, json.load(stream), report)
    if with_facets < 10:
        sys.exit(f"only {with_facets} cases had facets")
    print(f"{len(sticking) + 3} complementarity problems solved, {with_facets} with facets")


main()
