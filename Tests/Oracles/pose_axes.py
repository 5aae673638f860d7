#!/usr/bin/env python3
"""Writes expected/pose_axes.json: where the axes of MediaPipe's head poses are seen in their images.

The poses are the wheel's own matrices of the golden images. Points go through an OpenGL perspective matrix of 63
degrees vertically (near 1, far 10000) to the viewport, in double precision. Next to them: landmark 4, the tip of
the nose in the mesh, which the projected tip of the canonical nose must be near to.

Needs: numpy and FACEGAUGE_SHARED (the folder with golden/).  Run: python3 Tests/Oracles/pose_axes.py
"""
import json
import math
import os
import pathlib
import sys

import numpy as np

SHARED = os.environ.get("FACEGAUGE_SHARED")
if not SHARED:
    print("skipped: FACEGAUGE_SHARED is not set")
    sys.exit(0)
NEAR, FAR = 1.0, 10000.0
TIP = np.array([0, -0.463, 7.587])
POINTS = {"tip": TIP, "x": TIP + [6, 0, 0], "y": TIP + [0, 6, 0], "z": TIP + [0, 0, 6]}


def perspective(width, height):
    f = 1 / math.tan(math.radians(63) / 2)
    return np.array([
        [f * height / width, 0, 0, 0], [0, f, 0, 0],
        [0, 0, (FAR + NEAR) / (NEAR - FAR), 2 * FAR * NEAR / (NEAR - FAR)], [0, 0, -1, 0]])


def seen(point, matrix, width, height):
    clip = perspective(width, height) @ matrix @ np.append(point, 1.0)
    x, y = clip[:2] / clip[3]
    return [(x + 1) / 2 * width, (1 - y) / 2 * height]


faces = []
for name in ["2008_002506", "2009_004587", "Tom_Cruise_avp_2014_4"]:
    golden = json.loads((pathlib.Path(SHARED) / "golden" / f"{name}.json").read_text())
    width, height = golden["image"]["width"], golden["image"]["height"]
    found = golden["face_landmarker"]
    for points, rows in zip(
            found["face_landmarks"], found["facial_transformation_matrixes_rowmajor"]):
        matrix = np.array(rows, np.float64)
        points = np.array(points) * [width, height, width]
        faces.append({
            "image": name, "size": [width, height], "matrix": matrix.ravel().tolist(),
            "points": {key: seen(point, matrix, width, height) for key, point in POINTS.items()},
            "landmark4": points[4, :2].tolist(),
            "interocular": float(np.linalg.norm(points[33, :2] - points[263, :2]))})
target = pathlib.Path(__file__).parent / "expected" / "pose_axes.json"
target.write_text(json.dumps({"numpy": np.__version__, "faces": faces}, indent=1) + "\n")
print(f"{target.name}: {len(faces)} faces")
for face in faces:
    gap = np.hypot(*np.subtract(face["points"]["tip"], face["landmark4"]))
    print(f"  {face['image']}: tip {gap:.2f} px from landmark 4, interocular {face['interocular']:.1f} px")
