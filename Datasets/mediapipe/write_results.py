#!/usr/bin/env python3
"""Runs MediaPipe's Face Landmarker and writes its results as JSON that `facegauge import mediapipe` reads.

    python3 write_results.py face_landmarker.task IMAGE... > results.json    images, or one folder of them
    python3 write_results.py face_landmarker.task CLIP.mp4 > results.json      one video

--num-faces N finds up to N faces (10). MediaPipe smooths the points of a video with --num-faces 1 alone, as most apps run it.
Needs the packages mediapipe (0.10) and opencv-python. One JSON object per line: first a header, then one per frame.
"""
import argparse, json, pathlib, time

import cv2
import mediapipe as mp
from mediapipe.tasks.python import BaseOptions, vision

IMAGES = {".jpg", ".jpeg", ".png"}
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("bundle", help="face_landmarker.task")
parser.add_argument("sources", nargs="+", help="images, a folder of them, or one video")
parser.add_argument("--num-faces", type=int, default=10)
given = parser.parse_args()
root = pathlib.Path(given.sources[0])
paths = sorted(p for p in root.rglob("*") if p.suffix.lower() in IMAGES) if root.is_dir() else map(pathlib.Path, given.sources)
paths = list(paths)
is_video = paths[0].suffix.lower() not in IMAGES


def frames():
    """Name, milliseconds and RGB of each frame."""
    if not is_video:
        for path in paths:
            name = path.relative_to(root) if root.is_dir() else path.name
            yield str(name), None, cv2.cvtColor(cv2.imread(str(path), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION),
                                                cv2.COLOR_BGR2RGB)
        return
    number = 0
    while clip.grab():
        stamp = clip.get(cv2.CAP_PROP_POS_MSEC)
        yield f"{paths[0].name}/{number}", stamp, cv2.cvtColor(clip.retrieve()[1], cv2.COLOR_BGR2RGB)
        number += 1


header = {"schema": "facegauge.mediapipe", "version": 1, "kind": "video" if is_video else "still",
          "name": paths[0].name if is_video else root.name, "mediapipe": mp.__version__}
if is_video:
    clip = cv2.VideoCapture(str(paths[0]))
    header["fps"] = clip.get(cv2.CAP_PROP_FPS)
print(json.dumps(header))
mode = vision.RunningMode.VIDEO if is_video else vision.RunningMode.IMAGE
options = vision.FaceLandmarkerOptions(BaseOptions(model_asset_path=given.bundle), running_mode=mode, num_faces=given.num_faces,
                                       output_face_blendshapes=True, output_facial_transformation_matrixes=True)
with vision.FaceLandmarker.create_from_options(options) as landmarker:
    for number, (name, stamp, rgb) in enumerate(frames()):
        image = mp.Image(image_format=mp.ImageFormat.SRGB, data=rgb)
        begin = time.perf_counter_ns()
        result = landmarker.detect_for_video(image, round(stamp)) if is_video else landmarker.detect(image)
        took = time.perf_counter_ns() - begin
        faces = [{"landmarks": [[p.x, p.y, p.z] for p in points],
                  "blendshapes": {s.category_name: s.score for s in shapes}, "matrix": matrix.tolist()}
                 for points, shapes, matrix in zip(result.face_landmarks, result.face_blendshapes,
                                                   result.facial_transformation_matrixes)]
        frame = {"name": name, "number": number, "width": rgb.shape[1], "height": rgb.shape[0], "latency_ns": took}
        print(json.dumps(frame | ({"timestamp_ms": stamp} if is_video else {}) | {"faces": faces}))
