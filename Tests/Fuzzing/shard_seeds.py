"""A plan of shards, as `plan.json` next to their parts has it, and parts of a sweep."""

import io
import json

import h5py
import numpy as np


def plan():
    return {
        "schema": "facegauge.shards", "version": 2, "command": "evaluate", "bounds": [0, 2, 2, 5], "arguments": ["faces.h5"],
        "tool": {"name": "facegauge", "version": "1", "build": "release"},
        "dataset": {"name": "faces", "sha256": "0", "frames": 5, "sequences": 5},
        "options": {"mode": "image"}, "landmarks": "v2",
        "models": [{"name": "m", "stage": "detection", "sha256": "0", "isPinned": True}],
        "absent": [{"stage": "blendshapes", "reason": "no model"}],
        "numerics": {"kernels": "x86-64-v3", "blas": "OpenBLAS", "core": "Haswell"},
    }


def sweep_part(stretches, compression=None):
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        file.attrs["format"] = "facegauge.sweep-part"
        file.attrs["version"] = 1
        file.attrs["part_plan"] = "0" * 8
        file.attrs["part_host"] = "h"
        file.attrs["part_numerics"] = "n"
        for name in ["index", "first_sequence", "first_frame"]:
            file.attrs["part_" + name] = 0
        for name in ["count", "end_sequence", "attempt"]:
            file.attrs["part_" + name] = 1
        file.attrs["part_noise"] = ["busy"]
        for work in ["start", "digest", "work"]:
            file.attrs[f"part_{work}_s"] = 0.5
            file.attrs[f"part_{work}_cpu_s"] = 0.25
            file.attrs[f"part_{work}_bytes"] = 9
        file.attrs["frames"] = 4
        file.attrs["models_loaded"] = 1
        file.attrs["stages"] = "[]"
        file.attrs["cost"] = ["reads=3", "detectorRuns=4"]

        def put(path, values, kind):
            values = np.asarray(values, kind)
            options = {"chunks": (max(1, len(values)),), "compression": compression} if compression and path.startswith("sums") else {}
            file.create_dataset(path, data=values, **options)

        ends = 2 * np.arange(1, stretches + 1)
        put("stretches/first_frame", np.arange(stretches), "i4")
        for name in ["settings", "sums", "errors"]:
            put(f"stretches/{name}_end", ends, "u8")
        rows = np.arange(2 * stretches)
        put("settings/setting", rows % 3, "i4")
        put("sums/position", rows, "i4")
        put("sums/value", rows / 2, "f8")
        put("errors/frame", rows % 4, "i4")
        put("errors/count", rows, "i4")
        for name in ["detection", "presence"]:
            put(f"scores/{name}/score", rows / 9, "f8")
            put(f"scores/{name}/face", rows % 2, "u1")
        put("broken/frame", [2], "i4")
        put("times/detector_ns", [7, 9], "u8")
        put("times/region_ns", [], "u8")
    return buffer.getvalue()


def seeds():
    yield "shard-plan", json.dumps(plan())
    for content in [sweep_part(0), sweep_part(3), sweep_part(5, "gzip")]:
        yield "sweep-part", content
