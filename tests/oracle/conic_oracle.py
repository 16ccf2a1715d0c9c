#!/usr/bin/env python3
"""Distance of cone programs from feasibility, by the conic solver Clarabel.

Reads one problem per line (JSON: E as rows, e, cones, boxes, free) and writes one line each:

    {"distance": min |E x - e| over the cones and boxes, "status": ...}

The problem is feasible iff the distance is 0; any separating y bounds it below by (y'e - sup) / |y|.
Exit code 3: the modules are not installed.
"""
import json
import sys

try:
    import clarabel
    import numpy as np
    from scipy import sparse
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(3)


def distance(problem):
    E = np.array(problem["E"], dtype=float).reshape(len(problem["e"]), -1)
    e = np.array(problem["e"], dtype=float)
    rows, cols = E.shape
    size = np.linalg.norm(e)
    if size == 0.0 and not problem["boxes"]:
        return 0.0, "Solved"
    scale = size if size > 0.0 else 1.0
    # Variables (s, x / scale): minimise s. Clarabel wants A z + slack = b, slack in cones.
    blocks, right, cones = [], [], []

    def block(matrix, b, cone):
        blocks.append(np.atleast_2d(matrix))
        right.append(np.atleast_1d(b))
        cones.append(cone)

    # (s, E x - e) in the second-order cone.
    A = np.zeros((rows + 1, cols + 1))
    A[0, 0] = -1.0
    A[1:, 1:] = -E
    block(A, np.concatenate([[0.0], -e / scale]), clarabel.SecondOrderConeT(rows + 1))

    for cone in problem["cones"]:
        col, tangents, sign = cone["col"], cone["tangents"], cone["sign"]
        normal = np.zeros(cols + 1)
        normal[1 + col] = sign
        block(-normal, 0.0, clarabel.NonnegativeConeT(1))
        if tangents > 0:
            if cone["mu"] > 0.0:
                A = np.zeros((1 + tangents, cols + 1))
                A[0] = -cone["mu"] * normal
                for t in range(tangents):
                    A[1 + t, 2 + col + t] = -1.0
                block(A, np.zeros(1 + tangents), clarabel.SecondOrderConeT(1 + tangents))
            else:
                A = np.zeros((tangents, cols + 1))
                for t in range(tangents):
                    A[t, 2 + col + t] = 1.0
                block(A, np.zeros(tangents), clarabel.ZeroConeT(tangents))
        if cone["torsional"]:
            moment = np.zeros(cols + 1)
            moment[2 + col + tangents] = 1.0
            block(np.array([moment - cone["torsion"] * normal, -moment - cone["torsion"] * normal]), np.zeros(2),
                  clarabel.NonnegativeConeT(2))
    for box in problem["boxes"]:
        entry = np.zeros(cols + 1)
        entry[1 + box["col"]] = 1.0
        if box["upper"] is not None:
            block(entry, box["upper"] / scale, clarabel.NonnegativeConeT(1))
        if box["lower"] is not None:
            block(-entry, -box["lower"] / scale, clarabel.NonnegativeConeT(1))

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    cost = np.zeros(cols + 1)
    cost[0] = 1.0
    solver = clarabel.DefaultSolver(sparse.csc_matrix((cols + 1, cols + 1)), cost,
                                    sparse.csc_matrix(np.vstack(blocks)), np.concatenate(right), cones, settings)
    solution = solver.solve()
    return float(solution.x[0]) * scale, str(solution.status)


def main():
    with open(sys.argv[1]) as problems, open(sys.argv[2], "w") as answers:
        for line in problems:
            value, status = distance(json.loads(line))
            answers.write(json.dumps({"distance": value, "status": status}) + "\n")


main()
