#!/usr/bin/env python3
"""Landmark error of MediaPipe's points and of FaceGauge's on the labelled Helen and dlib images.

    python Tests/Oracles/live/nme_beside_mediapipe.py WORK --facegauge .build/release/facegauge > nme.md

The 68 labels are read here, from `.pts` (1-based) and imglab XML (0-based); the 478 points become 68 by the table in
LandmarkCorrespondence.swift; a face belongs to the label with which the tight boxes of all points overlap, by the
assignment of the largest total IoU among pairs of 0.5 or more. The error is the mean distance over that of the outer
eye corners, averaged over the faces that were found. Ours is computed twice: here from predictions.h5, and by
`evaluate` into record.json. The status is 1 where the three values are not the same to three digits. What is in WORK is
not computed again (--again evaluates again). Needs FACEGAUGE_SHARED and the packages of ../requirements.txt.
"""
import argparse
import io
import json
import os
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import h5py
import numpy as np
from PIL import Image
from scipy.optimize import linear_sum_assignment

from comparing import Predictions, binary_of, facegauge, markdown

ROOT = Path(__file__).resolve().parents[3]
TABLE = ROOT / "Sources/Metrics/Landmarks/LandmarkCorrespondence.swift"
METRIC = "landmarks.nme.interocular.conditional"
OUTER_CORNERS = 36, 45
NUM_FACES = 20


def correspondence():
    text = re.search(r"mediapipe478ToIBUG68 = .*?indices: \[(.*?)\]", TABLE.read_text(), re.S).group(1)
    table = [int(word) for word in text.replace("\n", " ").split(",") if word.strip()]
    assert len(table) == 68, f"expected 68 indices in {TABLE.name}, found {len(table)}"
    return table


def helen(folder):
    labels = {}
    for path in sorted(folder.glob("*.pts")):
        points = [list(map(float, line.split())) for line in path.read_text().splitlines() if line.strip()]
        labels[path.stem] = np.array([points]) - 1
    return labels


def dlib(*files):
    labels = {}
    for file in files:
        for image in xml.parse(file).getroot().iter("image"):
            faces = [sorted((int(p.get("name")), float(p.get("x")), float(p.get("y"))) for p in box.iter("part"))
                     for box in image.iter("box")]
            labels[Path(image.get("file")).stem] = np.array(faces)[:, :, 1:]
    return labels


def tight(points):
    return np.concatenate([points.min(0), points.max(0)])


def iou(a, b):
    shared = np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None).prod()
    return shared / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - shared)


def errors(labels, faces, table):
    """Normalised error of each label that has a face."""
    overlap = np.array([[iou(tight(l), tight(f)) for f in faces] for l in labels]).reshape(len(labels), len(faces))
    overlap[overlap < 0.5] = 0
    found = []
    for i, j in zip(*linear_sum_assignment(overlap, maximize=True)):
        if overlap[i, j] > 0:
            distance = np.linalg.norm(faces[j][table] - labels[i], axis=1).mean()
            left, right = labels[i][list(OUTER_CORNERS)]
            found.append(distance / np.linalg.norm(left - right))
    return found


def images(dataset):
    """Stem of each image's name, and its pixels."""
    with h5py.File(dataset) as file:
        offsets, stored = file["images/offsets"][:].astype(np.int64), file["images/bytes"][:]
        for i, name in enumerate(file["images/name"].asstr()[:]):
            data = stored[offsets[i]:offsets[i + 1]].tobytes()
            yield Path(name).stem, np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def wheel_points(dataset, path, bundle):
    """Points in pixels [F, 478, 2] by image; kept in a file."""
    if not path.exists():
        import wheel

        path.parent.mkdir(parents=True, exist_ok=True)
        landmarker = wheel.Landmarker(bundle, NUM_FACES)
        found = {stem: landmarker.run(wheel.image_of(rgb))["landmarks"][:, :, :2] * (rgb.shape[1], rgb.shape[0])
                 for stem, rgb in images(dataset)}
        partial = path.with_suffix(".partial.npz")
        np.savez_compressed(partial, **found)
        os.replace(partial, path)
    return dict(np.load(path))


def our_points(dataset, predictions):
    with h5py.File(dataset) as file:
        stems = [Path(n).stem for n in file["images/name"].asstr()[:]]
    return {stem: predictions.points[(predictions.frame == i) & predictions.kept][:, :, :2].astype(np.float64)
            for i, stem in enumerate(stems)}


def same(a, b):
    """Whether two numbers differ by less than half a unit of the third digit."""
    return abs(a - b) < 0.5 * 10 ** (np.floor(np.log10(abs(a))) - 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="folder for datasets and results, outside the repository")
    parser.add_argument("--facegauge", metavar="PROGRAM", required=True)
    parser.add_argument("--again", action="store_true", help="evaluate again although there is a run")
    options = parser.parse_args()
    if "FACEGAUGE_SHARED" not in os.environ:
        parser.error("FACEGAUGE_SHARED is not set")
    shared = Path(os.environ["FACEGAUGE_SHARED"])
    bundle = str(shared / "models" / "face_landmarker.task")
    binary = binary_of(options.facegauge)
    data = shared / "data"
    xmls = [data / "dlib-faces" / f"{part}_with_face_landmarks.xml" for part in ("training", "testing")]
    sets = {"helen": (helen(data / "helen68" / "testset"), ["pts", data / "helen68" / "testset"]),
            "dlib": (dlib(*xmls), ["imglab", *xmls])}
    table, rows, equal = correspondence(), [], True
    for name, (labels, source) in sets.items():
        dataset, run = options.work / "nme" / f"{name}.h5", options.work / "run" / f"nme-{name}"
        dataset.parent.mkdir(parents=True, exist_ok=True)
        if not dataset.exists():
            facegauge(binary, "import", *source, "-o", dataset)
        if options.again or not run.exists():
            facegauge(binary, "evaluate", dataset, "-o", run, "--mode", "image", "--num-faces", NUM_FACES,
                      "--models", bundle, "--force")
        theirs = wheel_points(dataset, options.work / "wheel" / f"nme-{name}.npz", bundle)
        ours = our_points(dataset, Predictions(run / "predictions.h5"))
        found = [sum((errors(labels[stem], points[stem], table) for stem in labels), []) for points in (theirs, ours)]
        measured = json.loads((run / "record.json").read_text())["measurements"]
        recorded = next((m for m in measured if m["name"] == METRIC and m["slice"] is None), {"value": None, "n": None})
        means = [np.mean(f) for f in found]
        verdict = recorded["value"] is not None and all(same(means[0], v) for v in (means[1], recorded["value"]))
        equal &= verdict
        rows.append([name, sum(map(len, labels.values())), len(found[0]), len(found[1]), recorded["n"],
                     *(f"{m:.6f}" for m in means), recorded["value"], "yes" if verdict else "**no**"])
    print(f"# {METRIC}, 68 of 478 points\n")
    print(markdown(["set", "labelled faces", "found by MediaPipe", "found by us", "n in record.json", "MediaPipe",
                    "ours, NumPy", "ours, record.json", "same to three digits"], rows))
    sys.exit(0 if equal else 1)


if __name__ == "__main__":
    main()
