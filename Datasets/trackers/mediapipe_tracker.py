#!/usr/bin/env python3
"""MediaPipe's Face Landmarker as a tracker for `facegauge track` and `facegauge profile`.

    facegauge track clips.h5 --tracker 'python3 mediapipe_tracker.py face_landmarker.task' -o mediapipe.h5

Needs one of requirements-mediapipe-*.txt. The time is that of the graph, without reading and printing.
"""
import argparse

import mediapipe as mp
import numpy as np
from mediapipe.tasks.python import BaseOptions, vision

from line_protocol import answer_requests, rounded

parser = argparse.ArgumentParser()
parser.add_argument("bundle", help="face_landmarker.task")
parser.add_argument("--mode", choices=["video", "image"], default="video", help="image detects in each frame anew")
parser.add_argument("--num-faces", type=int, default=1, help="maximum number of faces in a frame (default: 1)")
arguments = parser.parse_args()


def landmarker(is_video):
    return vision.FaceLandmarker.create_from_options(vision.FaceLandmarkerOptions(
        BaseOptions(model_asset_path=arguments.bundle), num_faces=arguments.num_faces,
        running_mode=vision.RunningMode.VIDEO if is_video else vision.RunningMode.IMAGE,
        output_face_blendshapes=True, output_facial_transformation_matrixes=True))


def analyse(image, request):
    global clip, last
    frame = mp.Image(image_format=mp.ImageFormat.SRGB, data=image)
    if not request["video"] or arguments.mode == "image":
        return still.detect(frame)
    if request["reset"] or clip is None:
        if clip:
            clip.close()
        clip = landmarker(True)
        clip.detect_for_video(grey, 0)  # an image without a face leaves no track
        last = 0
    last = max(last + 1, request["timestamp_us"] // 1000)
    return clip.detect_for_video(frame, last)


def face(points, shapes, matrix, width, height):
    """One face; z has the unit of x."""
    flat = [c for p in points for c in (p.x * width, p.y * height, p.z * width)]
    return {"points": rounded(flat), "blendshapes": {s.category_name: round(s.score, 6) for s in shapes},
            "transform": np.ravel(matrix).tolist()}


def faces(result, width, height):
    return [face(*found, width, height) for found in zip(
        result.face_landmarks, result.face_blendshapes, result.facial_transformation_matrixes)]


still, clip, last = landmarker(False), None, -1
# The first images take longer than all others.
grey = mp.Image(image_format=mp.ImageFormat.SRGB, data=np.full((480, 640, 3), 128, np.uint8))
for _ in range(5):
    still.detect(grey)
answer_requests(f"mediapipe {mp.__version__}", analyse, faces, scheme="mediapipe478",
                options={"mode": arguments.mode, "num-faces": str(arguments.num_faces)})
