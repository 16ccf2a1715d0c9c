#!/usr/bin/env python3
"""Prints the decide/* results of stiction_bench as Markdown: the table of the README, then all of them with times.

    make bench                        # or: stiction_bench --benchmark_filter='^(decide|sequence)/' --benchmark_format=json
    bench/decide_table.py [build/bench.json]

Every ratio is to the native engine with exact cones on the same programs in the same run.
"""
import json
import sys

FACETS = 8   # of the others, in the README


def read(path):
    """cpu times in µs by (row, contacts), medians where there are repetitions; wrong answers by row."""
    with open(path) as file:
        report = json.load(file)
    times, wrong = {}, {}
    for entry in report["benchmarks"]:
        parts = entry["name"].split("/")
        if entry.get("run_type") == "aggregate" or len(parts) < 4 or parts[0] not in ("decide", "sequence"):
            continue
        row, size = "/".join(parts[:3]), int(parts[3])
        times.setdefault((row, size), []).append(entry["cpu_time"])
        wrong[row] = wrong.get(row, 0) + int(entry.get("wrong", 0))
    return {key: sorted(values)[len(values) // 2] for key, values in times.items()}, wrong


def rounded(ratio):
    return f"{ratio:.2g}" if ratio < 100 else f"{ratio:.3g}" if ratio < 1000 else f"{100 * round(ratio / 100):,}".replace(",", " ")


def readme_table(times):
    columns = {"qpOASES, QP behind (57), cold": "qpoases_bare", "GLPK": "glpk", "Clp": "clp"}
    print("| contacts | " + " | ".join(columns) + " | native, exact cones |")
    print("|---|" + "---|" * (len(columns) + 1))
    for size in sorted(size for row, size in times if row == "decide/native/exact"):
        native = times["decide/native/exact", size]
        cells = []
        for solver in columns.values():
            time = times.get((f"decide/{solver}/inner{FACETS}", size))
            cells.append("not run" if time is None else rounded(time / native) + "×")
        print(f"| {size} | " + " | ".join(cells) + f" | {native:.2g} µs |" if native < 10 else
              f"| {size} | " + " | ".join(cells) + f" | {native:.0f} µs |")


def full_table(times, wrong):
    contacts = sorted({size for _, size in times})
    print("| solver, cones | " + " | ".join(f"{size} contacts" for size in contacts) + " | wrong |")
    print("|---|" + "---:|" * (len(contacts) + 1))
    for row in wrong:
        kind, solver, shape = row.split("/")
        cells = []
        for size in contacts:
            time, reference = times.get((row, size)), times.get((f"{kind}/native/exact", size))
            if time is None or reference is None:
                cells.append("–")
            elif solver == "native" and shape == "exact":
                cells.append(f"**{time:.2f} µs**")
            else:
                cells.append(f"{time / reference:.3g}× ({time:.4g} µs)")
        label = f"{solver} {shape}" + (", sequence" if kind == "sequence" else "")
        print(f"| {label} | " + " | ".join(cells) + f" | {wrong[row]} |")


def main():
    times, wrong = read(sys.argv[1] if len(sys.argv) > 1 else "build/bench.json")
    readme_table(times)
    print()
    full_table(times, wrong)


main()
