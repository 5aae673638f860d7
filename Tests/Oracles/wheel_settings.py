#!/usr/bin/env python3
"""MediaPipe's own FaceLandmarkerGraph in video mode at several confidences, on the frames of a shared clip.

The 0.10.21 wheel takes the detection confidence for the presence too, so both have the same value. Writes
expected/wheel_settings.json: for each setting, frame by frame, whether the detector ran and how many faces
came out, as runs of equal values. Needs FACEGAUGE_SHARED and ffmpeg.
"""
import json, os, subprocess, sys
from importlib.metadata import version
from itertools import groupby

os.environ.setdefault("GLOG_minloglevel", "3")
import mediapipe as mp
import numpy as np
from mediapipe.python import packet_creator, packet_getter
from mediapipe.tasks.cc.components.containers.proto import landmarks_detection_result_pb2  # noqa: F401
from mediapipe.framework.formats import rect_pb2
from mediapipe.tasks.python import BaseOptions, vision
from mediapipe.tasks.python.core import task_info
from mediapipe.python._framework_bindings import task_runner

HERE = os.path.dirname(os.path.abspath(__file__))
if "FACEGAUGE_SHARED" not in os.environ:
    print("left out: needs FACEGAUGE_SHARED")
    sys.exit(0)
SHARED = os.environ["FACEGAUGE_SHARED"]
CLIP = "videos/short_hamilton_clip.mp4"
SIZE = (640, 360)
INTERVAL = 33_366  # microseconds, at 29.97 frames a second
SETTINGS = [0.1, 0.3, 0.5, 0.7, 0.9]


def frames():
    raw = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", f"{SHARED}/data/{CLIP}", "-map", "0:V:0",
         "-fps_mode", "passthrough", "-pix_fmt", "rgb24", "-f", "rawvideo", "pipe:1"],
        check=True, capture_output=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, SIZE[1], SIZE[0], 3)


def runs(values):
    return [[value, len(list(group))] for value, group in groupby(values)]


def run(clip, confidence, faces):
    options = vision.FaceLandmarkerOptions(
        base_options=BaseOptions(model_asset_path=f"{SHARED}/models/face_landmarker.task"),
        running_mode=vision.RunningMode.VIDEO, num_faces=faces,
        min_face_detection_confidence=confidence, min_face_presence_confidence=confidence)
    info = task_info.TaskInfo(
        task_graph="mediapipe.tasks.vision.face_landmarker.FaceLandmarkerGraph",
        input_streams=["IMAGE:image_in", "NORM_RECT:norm_rect_in"],
        output_streams=["NORM_LANDMARKS:landmarks", "DETECTIONS:detections", "IMAGE:image_out"],
        task_options=options)
    runner = task_runner.TaskRunner.create(info.generate_graph_config(), None)
    whole = rect_pb2.NormalizedRect(x_center=0.5, y_center=0.5, width=1, height=1)
    ran, counts = [], []
    for index, pixels in enumerate(clip):
        time = index * INTERVAL
        image = mp.Image(image_format=mp.ImageFormat.SRGB, data=np.ascontiguousarray(pixels))
        packets = runner.process({
            "image_in": packet_creator.create_image(image).at(time),
            "norm_rect_in": packet_creator.create_proto(whole).at(time)})
        ran.append(int(not packets["detections"].is_empty()))
        landmarks = packets["landmarks"]
        counts.append(0 if landmarks.is_empty() else len(packet_getter.get_proto_list(landmarks)))
    return {"confidence": confidence, "faces": faces, "detected": runs(ran), "counts": runs(counts)}


clip = frames()
result = {
    "library": f"mediapipe {version('mediapipe')}", "clip": CLIP, "frames": len(clip),
    "interval": INTERVAL,
    "settings": [run(clip, confidence, faces) for faces in (1, 2) for confidence in SETTINGS],
}
with open(os.path.join(HERE, "expected", "wheel_settings.json"), "w") as out:
    json.dump(result, out, separators=(",", ":"))
    out.write("\n")
