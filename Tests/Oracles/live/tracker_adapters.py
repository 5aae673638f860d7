#!/usr/bin/env python3
"""Runs the trackers of the Python module through `facegauge track`, and prints how far their points are from known ones.

    python tracker_adapters.py WORK --facegauge PROGRAM [--bundle face_landmarker.task --images FOLDER]

The landmark model is made here: a TFLite network whose five points are all the centre of brightness of its input, so a
light square on black has a known place, whatever the crop. With a bundle MediaPipe's tracker and `facegauge serve`
process the same images. Prints JSON: the largest errors, in pixels of the network's input for each order of channels,
and what each wrong card was answered with.
"""
import argparse, json, pathlib, subprocess, sys

import h5py
import numpy as np
from ai_edge_litert import schema_py_generated as schema
import flatbuffers

MODULE = pathlib.Path(__file__).resolve().parents[3] / "Sources" / "Packaging" / "Python"
SIZE, POINTS = (48, 32), 5


def tensor(shape, name, buffer=0):
    one = schema.TensorT()
    one.shape, one.name, one.buffer, one.type = shape, name, buffer, schema.TensorType.FLOAT32
    return one


def operator(index, inputs, output, kind, options):
    one = schema.OperatorT()
    one.opcodeIndex, one.inputs, one.outputs = index, inputs, [output]
    one.builtinOptionsType, one.builtinOptions = kind, options
    return one


def center_of_brightness(path, channels):
    """Sums of brightness times place, over the sum of brightness; places are centres of pixels, 0 to 1 over the input."""
    width, height = SIZE
    x, y = np.meshgrid((np.arange(width) + .5) / width, (np.arange(height) + .5) / height)
    places = np.repeat(np.stack([x, y] * POINTS).reshape(2 * POINTS, -1), channels, axis=1).astype(np.float32)
    model, graph, empty = schema.ModelT(), schema.SubGraphT(), schema.BufferT()
    buffers = [empty]
    for values in (places, np.ones((1, places.shape[1]), np.float32)):
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(values.tobytes(), np.uint8)
        buffers.append(buffer)
    graph.tensors = [tensor([1, height, width, channels], "image"), tensor(list(places.shape), "places", 1),
                     tensor([1, places.shape[1]], "ones", 2), tensor([1, 2 * POINTS], "moments"),
                     tensor([1, 1], "mass"), tensor([1, 2 * POINTS], "points")]
    dense, ratio = schema.BuiltinOptions.FullyConnectedOptions, schema.BuiltinOptions.DivOptions
    graph.operators = [operator(0, [0, 1, -1], 3, dense, schema.FullyConnectedOptionsT()),
                       operator(0, [0, 2, -1], 4, dense, schema.FullyConnectedOptionsT()),
                       operator(1, [3, 4], 5, ratio, schema.DivOptionsT())]
    graph.inputs, graph.outputs = [0], [5]
    model.version, model.subgraphs, model.buffers, model.operatorCodes = 3, [graph], buffers, []
    for code in (schema.BuiltinOperator.FULLY_CONNECTED, schema.BuiltinOperator.DIV):
        one = schema.OperatorCodeT()
        one.builtinCode, one.deprecatedBuiltinCode, one.version = code, code, 1
        model.operatorCodes.append(one)
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    path.write_bytes(bytes(builder.Output()))


def write_squares(path):
    """Images with one light square each, and the box of the crop around it; returns the centres of the squares."""
    random = np.random.default_rng(7)
    images, boxes, centers = np.zeros((8, 240, 320, 3), np.uint8), [], []
    for image in images:
        side = random.integers(6, 17)
        x, y = random.integers(60, 240), random.integers(60, 160)
        image[y:y + side, x:x + side] = 200
        centers.append((x + side / 2, y + side / 2))
        # Some boxes reach over the border of the image, and all are of another shape than the input.
        boxes.append((x - random.integers(40, 90), y - random.integers(40, 90), *random.integers(150, 260, 2)))
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": "facegauge.dataset", "version": np.int32(1), "name": "squares"})
        file["images/pixels"], file["images/size"] = images, np.tile(np.array([320, 240], "i4"), (8, 1))
        file["faces/frame"], file["faces/box"] = np.arange(8, dtype="i4"), np.array(boxes, "f4")
    return np.array(centers)


def points_of(path):
    with h5py.File(path) as file:
        (scheme,) = file["faces/landmarks"]
        kept = file["faces/kept"][:] == 1
        return (file["faces/frame"][kept], file[f"faces/landmarks/{scheme}/points"][kept].astype(float),
                file["faces/box"][kept])


def track(tracker, dataset, output):
    done = subprocess.run([arguments.facegauge, "track", dataset, "--mode", "image", "--input", "rgb", "--tracker", tracker,
                           "-o", output, "--force"], capture_output=True, text=True)
    return done.returncode, done.stderr.strip()


def check_landmarks():
    work, cards = arguments.work, {}
    centers = write_squares(work / "squares.h5")
    errors = []
    for channels, order, unit in (("rgb", "xy", "crop"), ("gray", "xy", "crop"), ("bgr", "xy", "crop")):
        model = work / f"{channels}.tflite"
        center_of_brightness(model, 1 if channels == "gray" else 3)
        card = {"schema": "facegauge.landmark-model", "version": 1, "name": "centre", "file": model.name, "scheme": "five",
                "input": {"size": list(SIZE), "channels": channels, "layout": "nhwc", "divisor": 255},
                "crop": {"scale": 1.25, "shift": [0.02, -0.03]}, "output": {"order": order, "unit": unit}}
        cards[channels] = card
        (work / "card.json").write_text(json.dumps(card))
        status, said = track(command("landmarks", "card.json", "--boxes squares.h5"), work / "squares.h5",
                             work / "points.h5")
        if status:
            sys.exit(said)
        _, points, boxes = points_of(work / "points.h5")
        with h5py.File(work / "squares.h5") as file:
            kept_boxes = bool(np.allclose(boxes, file["faces/box"][:], atol=1e-3))
        pixel = 1.25 * boxes[:, 2:].max(axis=1)[:, None, None] / SIZE  # of the input, in pixels of the image
        errors.append(float((np.abs(points[:, :, :2] - centers[:, None]) / pixel).max()))
    said = []
    for part, key, value in (("input", "layout", "nhcw"), ("output", "unit", None), ("crop", "sise", 1), (None, "version", 2)):
        wrong = json.loads(json.dumps(cards["rgb"]))
        target = wrong[part] if part else wrong
        target[key] = value
        if value is None:
            del target[key]
        (work / "card.json").write_text(json.dumps(wrong))
        status, line = track(command("landmarks", "card.json", "--boxes squares.h5"), work / "squares.h5",
                             work / "none.h5")
        said.append({"status": status, "line": line.split("last error line: ")[-1], "wrote": (work / "none.h5").exists()})
    return {"errors": errors, "keptBoxes": kept_boxes, "said": said}


def command(tracker, *parts):
    return (f"cd '{arguments.work}' && PYTHONPATH='{MODULE}' '{sys.executable}' -m facegauge.trackers {tracker} "
            + " ".join(parts))


def check_mediapipe():
    work = arguments.work
    subprocess.run([arguments.facegauge, "import", "images", arguments.images, "-o", work / "images.h5", "--force"], check=True,
                   capture_output=True)
    found = []
    for name, tracker in (
            ("ours", f"'{arguments.facegauge}' serve --models '{arguments.bundle}' --mode image --num-faces 9"),
            ("theirs", command("mediapipe", f"'{arguments.bundle}'", "--mode image --num-faces 9"))):
        status, said = track(tracker, work / "images.h5", work / f"{name}.h5")
        if status:
            sys.exit(said)
        found.append(points_of(work / f"{name}.h5"))
    (frames, ours, boxes), (their_frames, theirs, _) = found
    same = np.array_equal(frames, their_frames)
    # Faces of one frame come in another order where scores are equal: the nearest face of the same frame.
    distances = [min(np.abs(one[:, :2] - other[:, :2]).max() for other in theirs[their_frames == frame])
                 for frame, one in zip(frames, ours)]
    sys.path.insert(0, str(MODULE))
    import facegauge
    import os
    os.environ["FACEGAUGE"] = arguments.facegauge
    facegauge.track(work / "images.h5", facegauge.trackers.mediapipe(arguments.bundle, mode="image", num_faces=9),
                    work / "module.h5", mode="image", force=True)
    same = same and all(np.array_equal(one, other) for one, other in zip(points_of(work / "module.h5"), found[1]))
    return {"faces": len(frames), "same": bool(same),
            "largest": float(np.max(np.array(distances) / np.sqrt(boxes[:, 2] * boxes[:, 3])))}


parser = argparse.ArgumentParser()
parser.add_argument("work", type=pathlib.Path)
parser.add_argument("--facegauge", required=True)
parser.add_argument("--bundle")
parser.add_argument("--images")
arguments = parser.parse_args()
arguments.work = arguments.work.resolve()
result = check_landmarks()
if arguments.bundle:
    result["mediapipe"] = check_mediapipe()
print(json.dumps(result))
