#!/usr/bin/env python3
"""YuNet, the face detector of OpenCV, with its five points, as a tracker for `facegauge track`.

    facegauge track faces.h5 --tracker 'python3 yunet_tracker.py face_detection_yunet_2023mar.onnx' -o yunet.h5

Needs requirements-yunet.txt, and the model from OpenCV's model zoo (github.com/opencv/opencv_zoo) or from its authors
(github.com/ShiqiYu/libfacedetection.train). Each frame is analysed alone. The time includes resizing.
"""
import argparse, hashlib, pathlib

import cv2
import numpy as np

from line_protocol import answer_requests, rounded

parser = argparse.ArgumentParser()
parser.add_argument("model", help="an ONNX file of YuNet")
parser.add_argument("--min-score", type=float, default=0.02,
                    help="lowest score to report; 'evaluate' applies its own on top (default: 0.02)")
parser.add_argument("--max-iou", type=float, default=0.45,
                    help="IoU above which two boxes are one face (default: 0.45)")
parser.add_argument("--longer-side", type=int, default=0,
                    help="reduce larger images to this longer side in pixels, as usual for close faces (default: 0, no)")
arguments = parser.parse_args()
detector = cv2.FaceDetectorYN.create(arguments.model, "", (320, 320), arguments.min_score, arguments.max_iou, 5000)


def analyse(image, request):
    height, width = image.shape[:2]
    scale = min(1, arguments.longer_side / max(width, height)) if arguments.longer_side else 1
    if scale < 1:
        image = cv2.resize(image, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
    detector.setInputSize((image.shape[1], image.shape[0]))
    rows = detector.detect(cv2.cvtColor(image, cv2.COLOR_RGB2BGR))[1]
    rows = np.zeros((0, 15)) if rows is None else rows.astype(float)
    rows[:, :14] *= np.tile([width / image.shape[1], height / image.shape[0]], 7)
    return rows


def faces(rows, width, height):
    """A row is the box, five points in the order of the scheme 'five', and the score."""
    return [{"box": rounded(row[:4]), "points": rounded(row[4:14]), "score": float(row[14])} for row in rows]


answer_requests(f"YuNet, OpenCV {cv2.__version__}", analyse, faces, scheme="five", facts=["detector_boxes"],
                models=[{"name": pathlib.Path(arguments.model).name, "stage": "detection",
                         "sha256": hashlib.sha256(pathlib.Path(arguments.model).read_bytes()).hexdigest()}],
                options={"min-score": str(arguments.min_score), "max-iou": str(arguments.max_iou),
                         "longer-side": str(arguments.longer_side)})
