"""A tracker of the line protocol that computes for each frame as many steps of an integer loop as its argument says.

What it computes is the same for each frame, so that two numbers of steps differ by their ratio and nothing else.
"""

import json
import sys
import time


def work(steps):
    number = 1
    for _ in range(steps):
        number = (number * 1103515245 + 12345) & 0x7FFFFFFF
    return number


def main(steps):
    print(json.dumps({"protocol": "facegauge.tracker", "version": 1, "name": f"busy {steps}", "inputs": ["dataset"]}),
          flush=True)
    for line in sys.stdin:
        frame = json.loads(line)["frame"]
        start = time.perf_counter_ns()
        number = work(steps)
        elapsed = time.perf_counter_ns() - start
        # The number is part of the answer, so that the loop is not in vain.
        faces = [{"box": [10, 10, 40 + number % 2, 30], "score": 0.9}]
        print(json.dumps({"frame": frame, "faces": faces, "stages_ns": {"total": elapsed}}), flush=True)


main(int(sys.argv[1]))
