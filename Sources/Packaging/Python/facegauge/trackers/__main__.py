"""A tracker as a program of the line protocol: python -m facegauge.trackers mediapipe face_landmarker.task"""

from __future__ import annotations

import argparse
import sys
from typing import Any, Callable

from . import landmarks, mediapipe, yunet
from ..tracking import Tracker, serve


def tracker(words: list[str]) -> Tracker:
    """The tracker of a command line."""
    parser = argparse.ArgumentParser(prog="python -m facegauge.trackers", description=__doc__)
    named = parser.add_subparsers(dest="name", required=True)
    one = named.add_parser("mediapipe", help="MediaPipe's Face Landmarker")
    one.add_argument("bundle", help="face_landmarker.task")
    one.add_argument("--mode", choices=["video", "image"], default="video", help="image detects in each frame anew")
    one.add_argument("--num-faces", type=int, default=1, help="maximum number of faces in a frame (default: 1)")
    one = named.add_parser("yunet", help="YuNet, OpenCV's face detector")
    one.add_argument("model", help="an ONNX file of YuNet")
    one.add_argument("--min-score", type=float, default=0.02, help="lowest score to report (default: 0.02)")
    one.add_argument("--max-iou", type=float, default=0.45, help="IoU above which two boxes are one face (default: 0.45)")
    one.add_argument("--longer-side", type=int, default=0, help="reduce larger images to this side in pixels (default: 0, no)")
    one = named.add_parser("landmarks", help="a landmark model by its card")
    one.add_argument("card", help="the model's card, a JSON file")
    one.add_argument("--boxes", required=True, help="a dataset or predictions with a box for each face")
    options = vars(parser.parse_args(words))
    known: dict[str, Callable[..., Any]] = {"mediapipe": mediapipe, "yunet": yunet, "landmarks": landmarks}
    made: Tracker = known[options.pop("name")](**options)
    return made


if __name__ == "__main__":
    try:
        found = tracker(sys.argv[1:])
    except (ImportError, OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    serve(found)
