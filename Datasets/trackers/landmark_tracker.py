#!/usr/bin/env python3
"""Any landmark model, through ONNX Runtime or LiteRT, as a tracker for `facegauge track`.

    facegauge track faces.h5 --tracker 'python3 landmark_tracker.py pfld.json --boxes run/predictions.h5' -o pfld.h5

Needs requirements-landmarks.txt. The card (pfld.json) names the model's file and says what it expects and gives:

    {"schema": "facegauge.landmark-model", "version": 1, "name": "PFLD", "file": "pfld.onnx", "scheme": "ibug68",
     "input": {"size": [112, 112], "channels": "rgb", "layout": "nchw", "mean": 0, "divisor": 255},
     "crop": {"scale": 1.1, "shift": [0, 0]},
     "output": {"index": 0, "order": "xy", "unit": "crop"}, "presence": {"index": 1, "activation": "logistic"}}

size      width and height of the input in pixels
channels  rgb, bgr or gray; a value of the input is (byte - mean) / divisor, one number or one for each channel
layout    nchw or nhwc
crop      a square around the box's centre, `scale` times its longer side, moved by `shift` times that side; optional
output    index of the tensor of points; order xy (x, y of each point in turn), xyz, or xxyy (all x, then all y);
          unit crop (0 to 1 over the crop) or pixels (of the input)
presence  index of the tensor, and column in it, of the probability of a face, or of its logit with activation logistic
          (otherwise none); optional

`facegauge evaluate --landmark-model` runs the same card, with a .tflite model, in FaceGauge's own pipeline.

The boxes come from a file: labelled boxes of a dataset, as landmark benchmarks give each method the face's box, or the
boxes and scores of another tracker's predictions. The time includes crop and model, and no detector.
"""
import argparse, collections, hashlib, json, pathlib, sys

import cv2
import h5py
import numpy as np

from line_protocol import answer_requests, rounded

ORDERS = {"xy": 2, "xyz": 3, "xxyy": 2}
DEFAULTS = {"input": {"channels": "rgb", "mean": 0, "divisor": 1}, "crop": {"scale": 1, "shift": [0, 0]},
            "output": {"index": 0, "order": "xy"}, "presence": {"column": 0}}
REQUIRED = {"input": {"size", "layout"}, "crop": set(), "output": {"unit"}, "presence": {"index", "activation"}}
VALUES = {"activation": {"none", "logistic"}, "channels": {"rgb", "bgr", "gray"}, "layout": {"nchw", "nhwc"}, "order": set(ORDERS), "unit": {"crop", "pixels"}}


def stop(place, expected, found):
    sys.exit(f"error: cannot use {arguments.card}, {place}: expected {expected}, found {found}")


def read_card(path):
    """The card with its defaults; ends the program if a key is missing, unknown or has another value."""
    try:
        card = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        stop("file", "a card in JSON", error)
    if not isinstance(card, dict):
        stop("file", "a JSON object", type(card).__name__)
    for key, value in (("schema", "facegauge.landmark-model"), ("version", 1)):
        if card.get(key) != value:
            stop(key, value, card.get(key, "nothing"))
    for key in ("name", "file", "scheme"):
        if not isinstance(card.get(key), str):
            stop(key, "a text", card.get(key, "nothing"))
    for part, defaults in DEFAULTS.items():
        if part == "presence" and part not in card:
            continue
        given = card.get(part, {})
        allowed = defaults.keys() | REQUIRED[part]
        if not isinstance(given, dict) or given.keys() - allowed:
            stop(part, "the keys " + ", ".join(sorted(allowed)),
                 ", ".join(sorted(given.keys() - allowed)) if isinstance(given, dict) else given)
        for key in sorted(REQUIRED[part] - given.keys()):
            stop(f"{part}.{key}", "a value", "nothing")
        card[part] = {**defaults, **given}
        for key, value in card[part].items():
            if key in VALUES and value not in VALUES[key]:
                stop(f"{part}.{key}", "one of " + ", ".join(sorted(VALUES[key])), value)
    size = card["input"]["size"]
    if not (isinstance(size, list) and len(size) == 2 and all(isinstance(n, int) and 0 < n <= 4096 for n in size)):
        stop("input.size", "width and height, 1 to 4096 each", size)
    return card


def load(path):
    """A function from the input tensor to all output tensors."""
    if path.suffix == ".tflite":
        from ai_edge_litert.interpreter import Interpreter
        interpreter = Interpreter(str(path), num_threads=1)
        interpreter.allocate_tensors()
        source, targets = interpreter.get_input_details()[0]["index"], interpreter.get_output_details()

        def run(tensor):
            interpreter.set_tensor(source, tensor)
            interpreter.invoke()
            return [interpreter.get_tensor(target["index"]) for target in targets]
        return run
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda tensor: session.run(None, {session.get_inputs()[0].name: tensor})


def read_boxes(path):
    """Boxes and scores by frame: the kept faces of predictions, or the labelled faces of a dataset, which have no score."""
    boxes = collections.defaultdict(list)
    with h5py.File(path) as file:
        faces = file["faces"]
        count = len(faces["frame"])
        kept = faces["kept"][:] if "kept" in faces else np.ones(count)
        scores = faces["detection_score"][:].astype(float) if "detection_score" in faces else np.full(count, np.nan)
        for frame, box, score, is_kept in zip(faces["frame"][:].tolist(), faces["box"][:].astype(float), scores, kept):
            if is_kept and np.isfinite(box).all() and (box[2:] > 0).all():
                boxes[frame].append((box, score))
    return boxes


def square_around(box):
    """Left, top and side of the crop in pixels of the image."""
    side = max(box[2], box[3])
    center = box[:2] + box[2:] / 2 + np.asarray(card["crop"]["shift"], float) * side
    return *(center - side * card["crop"]["scale"] / 2), side * card["crop"]["scale"]


def cut(image, left, top, side):
    """The square at the size of the model's input; black outside of the image. Large squares are averaged first."""
    x, y = (min(max(0, int(begin)), end - 1) for begin, end in zip((left, top), (image.shape[1], image.shape[0])))
    part = image[y:max(y, int(top + side)) + 1, x:max(x, int(left + side)) + 1]
    steps = np.maximum(1, side // size).astype(int)
    reduced = cv2.resize(part, (-(-part.shape[1] // steps[0]), -(-part.shape[0] // steps[1])), interpolation=cv2.INTER_AREA)
    scale = np.array([part.shape[1] / reduced.shape[1], part.shape[0] / reduced.shape[0]])
    ratio = size * scale / side  # pixels of the input in a pixel of the reduced part
    begin = (np.array([left, top]) - (x, y)) / scale
    to_input = np.column_stack([np.diag(ratio), (0.5 - begin) * ratio - 0.5])  # centres of pixels are at .5
    return cv2.warpAffine(reduced, to_input, tuple(size.tolist()), flags=cv2.INTER_LINEAR)


def points_in(image, box):
    left, top, side = square_around(box)
    crop, form = cut(image, left, top, side), card["input"]
    if form["channels"] != "rgb":
        crop = cv2.cvtColor(crop, cv2.COLOR_RGB2BGR if form["channels"] == "bgr" else cv2.COLOR_RGB2GRAY)
    tensor = (crop.reshape(size[1], size[0], -1) - np.asarray(form["mean"], float)) / np.asarray(form["divisor"], float)
    tensor = tensor.transpose(2, 0, 1) if form["layout"] == "nchw" else tensor
    outputs = run(tensor[None].astype(np.float32))
    values = outputs[card["output"]["index"]].astype(float).ravel()
    order = card["output"]["order"]
    points = values.reshape(2, -1).T if order == "xxyy" else values.reshape(-1, ORDERS[order])
    unit = np.ones(2) if card["output"]["unit"] == "crop" else size
    points[:, :2] = points[:, :2] / unit * side + (left, top)
    points[:, 2:] *= side / unit[0]
    return points, presence(outputs)


def presence(outputs):
    if "presence" not in card:
        return None
    part = card["presence"]
    value = float(outputs[part["index"]].ravel()[part["column"]])
    return value if part["activation"] == "none" else 1 / (1 + np.exp(-value))


def analyse(image, request):
    return [(box, score, *points_in(image, box)) for box, score in boxes[request["frame"]]]


def faces(found, width, height):
    return [{"box": rounded(box), "points": rounded(points.ravel())} | ({"score": score} if np.isfinite(score) else {})
            | ({} if chance is None else {"presence": chance}) for box, score, points, chance in found]


parser = argparse.ArgumentParser(usage="landmark_tracker.py card.json --boxes file.h5")
parser.add_argument("card", type=pathlib.Path, help="the model's card, see the beginning of this file")
parser.add_argument("--boxes", required=True, help="a dataset or predictions with a box for each face")
arguments = parser.parse_args()
card = read_card(arguments.card)
size, model, boxes = np.array(card["input"]["size"]), arguments.card.parent / card["file"], read_boxes(arguments.boxes)
try:
    run = load(model)
except Exception as error:
    stop("file", "a model that loads", error)
answer_requests(card["name"], analyse, faces, scheme=card["scheme"],
                models=[{"name": model.name, "stage": "landmarks", "sha256": hashlib.sha256(model.read_bytes()).hexdigest()}],
                options={"boxes": pathlib.Path(arguments.boxes).name, "card": json.dumps(card, sort_keys=True)})
