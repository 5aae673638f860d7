#!/usr/bin/env python3
"""Writes expected/face_mesh_connections.json: the pairs of points of MediaPipe's named outlines of a face.

They come from the Tasks API and must agree with those of the older face mesh of the same wheel.

Needs: mediapipe.  Run: python3 Tests/Oracles/face_mesh_connections.py
"""
import json
import pathlib
from importlib.metadata import version

from mediapipe.python.solutions import face_mesh_connections as older
from mediapipe.tasks.python.vision.face_landmarker import FaceLandmarksConnections as tasks

NAMES = {
    "lips": "LIPS", "leftEye": "LEFT_EYE", "leftEyebrow": "LEFT_EYEBROW", "leftIris": "LEFT_IRIS",
    "rightEye": "RIGHT_EYE", "rightEyebrow": "RIGHT_EYEBROW", "rightIris": "RIGHT_IRIS",
    "faceOval": "FACE_OVAL",
}
edges = {}
for ours, theirs in NAMES.items():
    pairs = {tuple(sorted((c.start, c.end))) for c in getattr(tasks, f"FACE_LANDMARKS_{theirs}")}
    assert pairs == {tuple(sorted(pair)) for pair in getattr(older, f"FACEMESH_{theirs}")}, theirs
    edges[ours] = sorted(pairs)
target = pathlib.Path(__file__).parent / "expected" / "face_mesh_connections.json"
text = json.dumps({"mediapipe": version("mediapipe"), "edges": edges}, separators=(",", ":"))
target.write_text(text + "\n")
print(f"{target.name}: {sum(map(len, edges.values()))} edges")
