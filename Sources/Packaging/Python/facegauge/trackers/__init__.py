"""Other trackers in one line, each with the packages of an extra:

    facegauge.evaluate("clips.h5", tracker=facegauge.trackers.mediapipe("face_landmarker.task"))   # facegauge[mediapipe]
    facegauge.evaluate("faces.h5", tracker=facegauge.trackers.yunet("yunet.onnx"))                 # facegauge[yunet]
    facegauge.evaluate("faces.h5", tracker=facegauge.trackers.landmarks("pfld.json", "faces.h5"))  # facegauge[landmarks]

`python -m facegauge.trackers NAME …` is the same tracker as a program of the line protocol, which `facegauge track` times
side by side with others.
"""

from __future__ import annotations

from ..running import PathLike
from ._landmarks import Landmarks
from ._mediapipe import MediaPipe
from ._yunet import YuNet

__all__ = ["landmarks", "mediapipe", "yunet"]


def mediapipe(bundle: PathLike, *, mode: str = "video", num_faces: int = 1) -> MediaPipe:
    """MediaPipe's Face Landmarker with a bundle, `face_landmarker.task`: 478 points, blendshapes and pose.

    mode: "video" tracks in clips, "image" detects in each frame anew. num_faces: at most so many faces of a frame.
    """
    return MediaPipe(bundle, mode=mode, num_faces=num_faces)


def yunet(model: PathLike, *, min_score: float = 0.02, max_iou: float = 0.45, longer_side: int = 0) -> YuNet:
    """YuNet, the face detector of OpenCV, with an ONNX file of its model zoo: boxes, scores and five points.

    min_score: lowest score to report; `evaluate` applies its own on top. max_iou: two boxes that overlap more are one face.
    longer_side: larger images are reduced to this side in pixels, as usual for close faces; 0 for none.
    """
    return YuNet(model, min_score=min_score, max_iou=max_iou, longer_side=longer_side)


def landmarks(card: PathLike, boxes: PathLike) -> Landmarks:
    """Any landmark model, .onnx or .tflite, by a JSON card (`facegauge/trackers/_landmarks.py` describes it).

    boxes: a dataset whose labelled boxes it gets, as landmark benchmarks do, or predictions with a detector's boxes, as
    users do.
    """
    return Landmarks(card, boxes)
