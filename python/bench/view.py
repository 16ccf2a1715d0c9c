"""Processor time of an answer with its picture after a slider moved, as the live view asks. Usage: view.py SCENARIO…"""

import statistics
import sys
import time

from stiction.view import Session

MOVES = 60

for scenario in sys.argv[1:]:
    session = Session(scenario)
    sliders = [s for s in session.sliders if s.group in ("friction", "push") or s.group.startswith("joints")]
    times = []
    for move in range(MOVES):
        slider = sliders[move % len(sliders)]
        small = slider.step * (1 + move // len(sliders))
        value = slider.value - small if slider.value - small >= slider.low else slider.value + small
        began = time.process_time()
        answer = session.ask({slider.key: value})
        times.append(1e3 * (time.process_time() - began))
    print(f"{scenario}: median {statistics.median(times):.1f} ms, longest {max(times):.1f} ms")
