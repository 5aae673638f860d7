"""Predictions through h5py alone, to test that Datasets/FORMAT.md is all one needs to know.

    python3 Tests/Oracles/h5py_predictions.py              writes Tests/Oracles/expected/h5py_predictions.json
    python3 Tests/Oracles/h5py_predictions.py read FILE.h5 prints what h5py sees, as JSON
    python3 Tests/Oracles/h5py_predictions.py show FILE.h5 runs FORMAT.md's example on a file

The expected values are a file written with h5py, zlib-compressed base64, with what h5py reads.
"""

import base64
import json
import math
import pathlib
import re
import sys
import tempfile
import zlib

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
FORMAT = HERE.parent.parent / "Datasets" / "FORMAT.md"
POINTS = 68
DID_NOT_RUN = 2 ** 64 - 1


def names():
    text = (HERE.parent.parent / "Sources" / "FaceCore" / "Blendshape.swift").read_text()
    cases = re.findall(r'^  case (\w+)(?: = "(\w+)")?$', text, re.M)
    return [raw or case for case, raw in cases]


def write(path):
    """Four frames: two faces and one rejected, dropped, none, broken."""
    rng = np.random.default_rng(7)
    with h5py.File(path, "w") as f:
        f.attrs.update(
            format="facegauge.predictions", version=4, dataset_name="naïve", dataset_sha256="12ab",
            dataset_path="clips/a.h5", mode="video", candidate_floor=0.25)
        f.attrs["models"] = ["detector", "mesh"]
        f.attrs["model_stages"] = ["detection", "landmarks"]
        f.attrs["model_sha256"] = ["00", "11"]
        f.attrs["options"] = ["num-faces=2", "compatibility=ios"]
        f["frames/status"] = np.array([0, 2, 0, 1], "u1")
        f["frames/size"] = np.array([[640, 480], [0, 0], [32, 16], [0, 0]], "i4")
        f["frames/stage_ns"] = np.array(
            [[5, 10 ** 15], [DID_NOT_RUN] * 2, [DID_NOT_RUN, 7], [DID_NOT_RUN] * 2], "u8")
        f["frames/stage_ns"].attrs["stages"] = ["decode", "total"]
        f["frames/stage_ns"].attrs["did_not_run"] = str(DID_NOT_RUN)
        f["frames/readings"] = [[0, np.nan], [np.nan] * 2, [1.5, 0.25], [np.nan] * 2]
        f["frames/readings"].attrs["names"] = ["answered_s", "battery"]
        f["frames/detector_ran"] = np.array([1, 0, 0, 0], "u1")
        f["detections/frame"] = np.array([0, 0], "i4")
        f["detections/box"] = rng.normal(100, 50, (2, 4)).astype("f4")
        f["detections/score"] = np.array([0.75, 0.5], "f4")
        keypoints = rng.normal(100, 50, (2, 6, 2)).astype("f4")
        keypoints[1] = np.nan
        f["detections/keypoints"] = keypoints
        f["detector/offsets"] = np.array([0, 3, 3, 3, 3], "u8")
        f["detector/anchor"] = np.array([5, 895, 17], "i4")
        f["detector/score"] = np.array([0.9, 0.3, 0.25], "f4")
        f["detector/regressors"] = rng.normal(0, 20, (3, 16)).astype("f4")
        f["faces/frame"] = np.array([0, 0, 0], "i4")
        f["faces/kept"] = np.array([1, 1, 0], "u1")
        f["faces/tracked"] = np.array([1, 0, 0], "u1")
        f["faces/detection_score"] = np.array([np.nan, 0.75, 0.5], "f4")
        f["faces/presence"] = np.array([0.99, 0.6, 0.1], "f4")
        f["faces/identity"] = np.array([7, -1, 0], "i4")
        f["faces/tongue_out"] = np.array([np.nan, 0.125, 0], "f4")
        f["faces/region"] = rng.normal(0.5, 0.2, (3, 5)).astype("f4")
        points = rng.normal(200, 80, (3, POINTS, 3)).astype("f4")
        low, high = points[:, :, :2].min(axis=1), points[:, :, :2].max(axis=1)
        f["faces/box"] = np.concatenate([low, high - low], axis=1)
        f["faces/landmarks/ibug68/points"] = points
        f["faces/landmarks/ibug68/unsmoothed"] = (points + 1).astype("f4")
        blendshapes = rng.uniform(0, 1, (3, 52)).astype("f4")
        blendshapes[2] = np.nan
        f["faces/blendshapes"] = blendshapes
        f["faces/blendshapes"].attrs["names"] = names()
        pose = rng.normal(0, 1, (3, 4, 4)).astype("f4")
        pose[:, 3] = [0, 0, 0, 1]
        pose[1] = np.nan
        f["faces/pose"] = pose


def plain(value):
    if isinstance(value, list):
        return [plain(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read(path):
    seen = {"tables": {}, "types": {}, "attributes": {}}

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            seen["tables"][name] = plain(item[:].ravel().tolist())
            seen["types"][name] = f"{item.dtype.str[1:]} {list(item.shape)}"
        for key, value in item.attrs.items():
            value = value.tolist() if hasattr(value, "tolist") else value
            seen["attributes"][f"{name}@{key}"] = [str(v) for v in np.ravel(np.array(value, object))]

    with h5py.File(path) as f:
        visit("", f)
        f.visititems(visit)
    return seen


def show(path):
    block = re.findall(r"```python\n(.*?)```", FORMAT.read_text(), re.S)[-1]
    exec(block.replace("predictions.h5", path).replace("mediapipe478", "ibug68"), {})


def expected():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/file.h5"
        write(path)
        data = pathlib.Path(path).read_bytes()
        packed = {"bytes": len(data), "zlib": base64.b64encode(zlib.compress(data, 9)).decode()}
        with open(HERE / "expected" / "h5py_predictions.json", "w") as out:
            json.dump(packed | {"seen": read(path)}, out, ensure_ascii=False, separators=(",", ":"))
            out.write("\n")


if __name__ == "__main__":
    match sys.argv[1:]:
        case []: expected()
        case ["read", file]: json.dump(read(file), sys.stdout)
        case ["show", file]: show(file)
        case _: sys.exit(__doc__)
