"""The line protocol of `facegauge track` for the trackers in this folder; the guide TrackerProtocol describes it.

A tracker calls `answer_requests` with two functions. `analyse(image, request)` is timed; it gets RGB as an array of
height x width x 3 bytes. `faces(result, width, height)` makes the faces of the answer from what `analyse` returned.
"""
import json, sys, time

import numpy as np


def send(message):
    print(json.dumps(message, allow_nan=False), flush=True)


def rounded(values):
    """Numbers as the protocol has them: four decimals, None where unknown."""
    return [round(float(value), 4) if np.isfinite(value) else None for value in values]


def answer_requests(name, analyse, faces, **hello):
    """Sends the first line, then answers until the input ends."""
    send({"protocol": "facegauge.tracker", "version": 1, "name": name, "inputs": ["rgb"], "stages": ["total"], **hello})
    for line in sys.stdin.buffer:
        request = json.loads(line)
        width, height = request["width"], request["height"]
        data = sys.stdin.buffer.read(request["rgb_bytes"])
        image = np.frombuffer(data, np.uint8).reshape(height, width, 3)
        begin = time.perf_counter_ns()
        result = analyse(image, request)
        answer = {"frame": request["frame"], "stages_ns": {"total": time.perf_counter_ns() - begin}}
        if not request.get("times_only"):
            answer["faces"] = faces(result, width, height)
        send(answer)
