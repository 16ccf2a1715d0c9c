#!/usr/bin/env python3
"""Prints the decide/* results of stiction_bench as a Markdown table: times and how many times slower than native exact.

    stiction_bench --benchmark_filter='^(decide|sequence)/' --benchmark_format=json > bench.json
    bench/decide_table.py bench.json
"""
import json
import sys


def main():
    with open(sys.argv[1]) as file:
        report = json.load(file)
    times, wrong, contacts, rows = {}, {}, [], []
    for entry in report["benchmarks"]:
        if entry.get("run_type") == "aggregate" and entry.get("aggregate_name") != "median":
            continue
        parts = entry["name"].split("/")
        if len(parts) < 4 or parts[0] not in ("decide", "sequence"):
            continue
        row, size = "/".join(parts[:3]), int(parts[3])
        times.setdefault((row, size), []).append(entry["cpu_time"])
        wrong[row] = wrong.get(row, 0) + int(entry.get("wrong", 0))
        contacts += [size] if size not in contacts else []
        rows += [row] if row not in rows else []
    contacts.sort()
    median = {key: sorted(values)[len(values) // 2] for key, values in times.items()}

    print("| solver, cones | " + " | ".join(f"{size} contacts" for size in contacts) + " | wrong |")
    print("|---|" + "---:|" * (len(contacts) + 1))
    for row in rows:
        kind, solver, shape = row.split("/")
        cells = []
        for size in contacts:
            time, reference = median.get((row, size)), median.get((f"{kind}/native/exact", size))
            if time is None:
                cells.append("–")
            elif solver == "native" and shape == "exact":
                cells.append(f"**{time:.2f} µs**")
            else:
                cells.append(f"{time / reference:.3g}× ({time:.4g} µs)")
        label = f"{solver} {shape}" + (", sequence" if kind == "sequence" else "")
        print(f"| {label} | " + " | ".join(cells) + f" | {wrong[row]} |")


main()
