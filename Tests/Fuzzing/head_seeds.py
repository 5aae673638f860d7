"""A blendshape head, as `fit blendshapes` writes it, and cards of models of the user's own."""
import json


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


def cards():
    shared = {"version": 1, "name": "n", "file": "m.tflite",
              "input": {"size": [32, 24], "channels": "bgr", "layout": "nhwc", "mean": [1, 2, 3], "divisor": 255, "fit": "letterbox"}}
    yield {"schema": "facegauge.landmark-model", **shared, "scheme": "five", "crop": {"scale": 1.2, "shift": [0, 0.1]},
           "output": {"index": 0, "order": "xyz", "unit": "pixels"}, "presence": {"index": 1, "column": 1, "activation": "logistic"}}
    detector = {"schema": "facegauge.detector-model", **shared, "outputs": [{"boxes": 0, "scores": 1}],
                "score": {"column": 1, "activation": "none"}, "keypoints": {"first": 4, "count": 5}}
    yield {**detector, "box": {"form": "corners-yx", "unit": "input"}}
    yield {**detector, "anchors": {"strides": [{"stride": 8, "boxes": [[16, 16], [32, 32]]}], "variance": [0.1, 0.2],
                                   "sizes": "exponential"}}


def write(seed):
    seed("blendshape-head", json.dumps(head()))
    for card in cards():
        seed("model-card", json.dumps(card))
