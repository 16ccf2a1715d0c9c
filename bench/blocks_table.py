#!/usr/bin/env python3
"""Times of many bodies: `blocks_table.py build/bench/stiction_bench [FOLDER]`.

Runs blocks/* and problems/* of the benchmark, and Clarabel (package clarabel, scipy) on the same published problems,
in one go. A published problem is: find f with J'f = F, f in the friction cones, rows of closures free."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import clarabel
import numpy as np
from scipy import sparse


def clarabel_problem(path):
    """A, b and cones of A f + s = b, s in the cones."""
    problem = json.loads(path.read_text())
    load = np.array(problem["F"])
    triplets = problem["J"]
    rows = problem["rows"]
    J = sparse.csc_matrix((triplets["value"], (triplets["row"], triplets["col"])), shape=(rows, len(load)))
    contacts = problem["contacts"]
    if isinstance(contacts, dict):
        contacts = [{"tangents": contacts.get("tangents", 2), "mu": mu} for mu in contacts["mu"]]
    cone_rows, cone_cols, values, cones, row, at = [], [], [], [], 0, 0
    for contact in contacts:
        row = contact.get("row", row)
        size = 1 + contact.get("tangents", 2)
        cone_rows += range(at, at + size)
        cone_cols += range(row, row + size)
        values += [-contact["mu"]] + [-1.0] * (size - 1)
        cones.append(clarabel.SecondOrderConeT(size))
        if contact["mu"] == 0.0:  # the cone says that tangents are zero: the normal force is not negative
            cone_rows.append(at + size)
            cone_cols.append(row)
            values.append(-1.0)
            cones.append(clarabel.NonnegativeConeT(1))
            at += 1
        at += size
        row += size
    inside = sparse.csc_matrix((values, (cone_rows, cone_cols)), shape=(at, rows))
    return (sparse.vstack([J.T, inside]).tocsc(), np.concatenate([load, np.zeros(at)]),
            [clarabel.ZeroConeT(len(load))] + cones)


def clarabel_answer(path, runs=3):
    """Its status and the median of the times it takes, in ms, setting up included."""
    A, b, cones = clarabel_problem(path)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        nothing = sparse.csc_matrix((A.shape[1], A.shape[1]))
        status = clarabel.DefaultSolver(nothing, np.zeros(A.shape[1]), A, b, cones, settings).solve().status
        times.append(1e3 * (time.perf_counter() - start))
    return str(status), sorted(times)[runs // 2]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else
                          os.environ.get("STICTION_PROBLEMS", root / ".." / "shared" / "data" / "problems"))
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([sys.argv[1], "--benchmark_filter=^(blocks|problems)/", f"--benchmark_out={out.name}",
                        "--benchmark_out_format=json"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "STICTION_PROBLEMS": str(folder)})
        found = json.loads(pathlib.Path(out.name).read_text())["benchmarks"]
    print("| blocks | ms | ms per 1000 blocks | verdict |\n|---|---|---|---|")
    for run in found:
        if run["name"].startswith("blocks/"):
            print(f"| {run['name'][7:]} ({run['blocks']:.0f}) | {run['real_time']:.3g} "
                  f"| {1e3 * run['real_time'] / run['blocks']:.3g} | {run.get('label')} |")
    print("\n| problem | times Clarabel's | ms | Clarabel, ms | verdict | Clarabel says |\n|---|---|---|---|---|---|")
    for run in found:
        if not run["name"].startswith("problems/"):
            continue
        name = run["name"][9:]
        status, peer = clarabel_answer(folder / f"{name}.json")
        print(f"| {name} | {run['real_time'] / peer:.3g} | {run['real_time']:.3g} | {peer:.3g} | {run.get('label')} "
              f"| {status} |", flush=True)


if __name__ == "__main__":
    main()
