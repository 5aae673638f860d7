"""A plan of shards, as `plan.json` next to their parts has it."""


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
