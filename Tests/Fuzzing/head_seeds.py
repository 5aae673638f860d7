"""A blendshape head, as `fit blendshapes` writes it."""


def head():
    source = {"name": "n", "sha256": "0" * 64}
    return {
        "schema": "facegauge.blendshape-head", "version": 1, "tool": "t", "toolVersion": "1", "created": "c",
        "scheme": "mediapipe478", "notes": [], "landmarks": [3], "centre": [0, 1, 2],
        "fitted": {"teachers": [source], "runs": [{"dataset": source, "faces": 1}], "faces": 1, "clusters": 1,
                   "folds": 0, "ridge": 0.01, "margin": 0.001},
        "mesh": {"vertices": [0] * 1404, "weights": [1] * 468, "faces": 1},
        "channels": [{"name": "jawOpen", "constant": 0, "weights": [0, 0.5, 1]}],
    }
