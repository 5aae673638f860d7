#!/usr/bin/env python3
"""Sampled outputs of the full-range face detector in the folder FACEGAUGE_MODELS.

Writes expected/tflite_full_range.json: for each seed, 96 entries or fewer of each
output of LiteRT with XNNPACK. The input of
a seed is a linear congruential sequence that the tests repeat: state' = (1664525 state + 1013904223) mod 2^32 from
state = seed, value = (state' >> 8) / 2^23 - 1, in [-1, 1). Even seeds are smoothed: each value is held for 16 floats.
Needs numpy and ai-edge-litert.
"""
import json
import os

import numpy as np
from ai_edge_litert.interpreter import Interpreter


def inputs(seed, count):
    values, state = np.empty(count, np.float32), seed
    for i in range(count):
        if i % 16 == 0 or seed % 2:
            state = (1664525 * state + 1013904223) % 2**32
        values[i] = np.float32(state >> 8) / np.float32(2**23) - np.float32(1)
    return values


def sample(file, name, size, seeds):
    model = os.path.join(os.environ["FACEGAUGE_MODELS"], file)
    if not os.path.exists(model):
        print(f"{file} is not in FACEGAUGE_MODELS: {name} stays as it is")
        return
    runner = Interpreter(model_path=model, num_threads=1)
    runner.allocate_tensors()
    detail = runner.get_input_details()[0]
    records = []
    for seed in seeds:
        runner.set_tensor(detail["index"], inputs(seed, size * size * 3).reshape(detail["shape"]))
        runner.invoke()
        outputs = []
        for output in runner.get_output_details():
            values = runner.get_tensor(output["index"]).ravel()
            indices = np.random.default_rng(seed).choice(values.size, min(96, values.size), replace=False)
            outputs.append({
                "name": output["name"], "positions": indices.tolist(), "greatest": float(np.abs(values).max()),
                "values": [float(values[i]) for i in indices]})
        records.append({"seed": seed, "outputs": outputs})
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected", name)
    with open(path, "w") as file:
        json.dump(records, file)
        file.write("\n")
    print(len(records), "inputs,", os.path.getsize(path), "bytes")


sample("face_detection_full_range_sparse.tflite", "tflite_full_range.json", 192, range(1, 25))
