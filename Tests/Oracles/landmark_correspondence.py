"""How far MediaPipe's mesh points are from the labelled points that they stand for.

    FACEGAUGE_SHARED=folder python landmark_correspondence.py

writes expected/landmark_correspondence.json: the official wheel and bundle on the labelled faces of
Helen's test set and dlib's examples; for each of the 68 points the mean distance, over the distance
of the outer eye corners, from its own mesh point and from the nearest of the other 67.
"""

import json
import os
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

EXPECTED = Path(__file__).parent / "expected"
SHARED = Path(os.environ.get("FACEGAUGE_SHARED", "absent"))

MESH_OF_IBUG68 = [
    127, 234, 93, 58, 172, 136, 149, 148, 152, 377, 378, 365, 397, 288, 323, 454, 356,
    70, 63, 105, 66, 107, 336, 296, 334, 293, 300,
    168, 197, 195, 4, 75, 97, 2, 326, 305,
    33, 160, 158, 133, 153, 144, 362, 385, 387, 263, 373, 380,
    61, 39, 37, 0, 267, 269, 291, 405, 314, 17, 84, 181,
    78, 82, 13, 312, 308, 317, 14, 87,
]


def images():
    """Set, image file and labelled faces of 68 points."""
    for file in sorted((SHARED / "data/helen68/testset").glob("*.pts")):
        yield "helen", file.with_suffix(".jpg"), [np.loadtxt(file) - 1]  # counted from 1
    folder = SHARED / "data/dlib-faces"
    for part in ("testing", "training"):
        root = ElementTree.parse(folder / f"{part}_with_face_landmarks.xml").getroot()
        for image in root.iter("image"):
            yield "dlib", folder / image.get("file"), [
                np.array([[float(p.get("x")), float(p.get("y"))]
                          for p in sorted(box.iter("part"), key=lambda p: int(p.get("name")))])
                for box in image.iter("box")]


def iou(first, second):
    low, high = np.maximum(first.min(0), second.min(0)), np.minimum(first.max(0), second.max(0))
    shared = np.prod(np.clip(high - low, 0, None))
    return shared / (np.prod(np.ptp(first, axis=0)) + np.prod(np.ptp(second, axis=0)) - shared)


def main():
    if not SHARED.exists():
        print("skipped: FACEGAUGE_SHARED is not set")
        sys.exit(0)
    import cv2
    import mediapipe
    import scipy
    from mediapipe.tasks.python import BaseOptions, vision
    from scipy.optimize import linear_sum_assignment

    landmarker = vision.FaceLandmarker.create_from_options(vision.FaceLandmarkerOptions(
        base_options=BaseOptions(
            model_asset_path=str(SHARED / "models/face_landmarker.task")), num_faces=10))
    sets, errors, labelled = [], [], {"helen": 0, "dlib": 0}
    for name, file, faces in images():
        rgb = cv2.cvtColor(cv2.imread(str(file)), cv2.COLOR_BGR2RGB)
        size = np.array([rgb.shape[1], rgb.shape[0]])
        found = [np.array([[p.x, p.y] for p in face]) * size for face in landmarker.detect(
            mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=rgb)).face_landmarks]
        labelled[name] += len(faces)
        overlap = np.array([[iou(f, g) for f in found] for g in faces]).reshape(len(faces), -1)
        overlap[overlap < 0.5] = 0
        for i, j in zip(*linear_sum_assignment(overlap, maximize=True)):
            if overlap[i, j] > 0:
                sets.append(name)
                table = found[j][MESH_OF_IBUG68]
                distance = np.linalg.norm(faces[i][:, None] - table[None], axis=2)
                errors.append(distance / np.linalg.norm(faces[i][36] - faces[i][45]))
    errors, sets = np.array(errors), np.array(sets)
    means = errors.mean(axis=0)
    own = np.diag(means)
    others = means + np.diag(np.full(68, np.inf))
    content = {
        "versions": {"mediapipe": mediapipe.__version__, "opencv": cv2.__version__,
                     "scipy": scipy.__version__},
        "mesh": MESH_OF_IBUG68,
        "faces": {name: {
            "labelled": labelled[name], "found": int((sets == name).sum()),
            "nme": float(np.mean([np.diag(e).mean() for e in errors[sets == name]]))}
            for name in labelled},
        "points": [{"own": round(own[i], 5), "nearest": int(others[i].argmin()),
                    "other": round(others[i].min(), 5)} for i in range(68)],
    }
    (EXPECTED / "landmark_correspondence.json").write_text(
        json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
