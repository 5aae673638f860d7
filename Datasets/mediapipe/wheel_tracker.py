#!/usr/bin/env python3
"""MediaPipe's Face Landmarker as a tracker for `facegauge track` and `facegauge profile`.

    facegauge track clips.h5 --tracker 'python3 wheel_tracker.py face_landmarker.task' -o wheel.h5

Needs the package mediapipe (0.10). A frame is a line of JSON followed by RGB, the answer a line of JSON; see the guide
TrackerProtocol. Options: --mode video|image, --num-faces N. The time is that of the graph, without reading and printing.
"""
import argparse, json, sys, time

import mediapipe as mp
import numpy as np
from mediapipe.tasks.python import BaseOptions, vision

parser = argparse.ArgumentParser()
parser.add_argument("bundle")
parser.add_argument("--mode", choices=["video", "image"], default="video")
parser.add_argument("--num-faces", type=int, default=1)
arguments = parser.parse_args()


def landmarker(is_video):
    return vision.FaceLandmarker.create_from_options(vision.FaceLandmarkerOptions(
        BaseOptions(model_asset_path=arguments.bundle), num_faces=arguments.num_faces,
        running_mode=vision.RunningMode.VIDEO if is_video else vision.RunningMode.IMAGE,
        output_face_blendshapes=True, output_facial_transformation_matrixes=True))


def send(message):
    print(json.dumps(message), flush=True)


def rounded(values):
    return [round(float(value), 4) for value in values]


def face(points, shapes, matrix, width, height):
    """One face; z has the unit of x."""
    flat = [c for p in points for c in (p.x * width, p.y * height, p.z * width)]
    return {"points": rounded(flat), "blendshapes": {s.category_name: round(s.score, 6) for s in shapes},
            "transform": matrix.ravel().tolist()}


still, clip, last = landmarker(False), None, -1
# The first images take longer than all others.
grey = mp.Image(image_format=mp.ImageFormat.SRGB, data=np.full((480, 640, 3), 128, np.uint8))
for _ in range(5):
    still.detect(grey)
send({"protocol": "facegauge.tracker", "version": 1, "name": f"mediapipe {mp.__version__}", "inputs": ["rgb"],
      "stages": ["total"], "scheme": "mediapipe478",
      "options": {"mode": arguments.mode, "num-faces": str(arguments.num_faces)}})

for line in sys.stdin.buffer:
    request = json.loads(line)
    width, height = request["width"], request["height"]
    data = sys.stdin.buffer.read(request["rgb_bytes"])
    image = mp.Image(image_format=mp.ImageFormat.SRGB,
                     data=np.frombuffer(data, np.uint8).reshape(height, width, 3))
    is_tracked = request["video"] and arguments.mode == "video"
    if is_tracked and (request["reset"] or clip is None):
        if clip:
            clip.close()
        clip, last = landmarker(True), -1
        clip.detect_for_video(grey, 0)  # an image without a face leaves no track
        last = 0
    if is_tracked:
        last = max(last + 1, request["timestamp_us"] // 1000)
    begin = time.perf_counter_ns()
    result = clip.detect_for_video(image, last) if is_tracked else still.detect(image)
    took = time.perf_counter_ns() - begin
    answer = {"frame": request["frame"], "stages_ns": {"total": took}}
    if not request.get("times_only"):
        answer["faces"] = [face(*found, width, height) for found in zip(
            result.face_landmarks, result.face_blendshapes, result.facial_transformation_matrixes)]
    send(answer)
