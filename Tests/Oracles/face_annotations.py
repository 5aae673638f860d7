#!/usr/bin/env python3
"""Writes expected/face_annotations.json: lightness, contrast, sharpness and skin tone of faces, by scikit-image and OpenCV.

Images are triangle waves of whole numbers, so that the tests make the same bytes.
Needs: numpy, opencv, scikit-image.  Run: python3 Tests/Oracles/face_annotations.py
"""

import json
import math
from pathlib import Path

import cv2
import numpy as np
import skimage
from skimage.color import rgb2lab

# width, height, steps of the waves (red, green, blue), levels (lowest, span) of each channel, box, and the points of
# the scheme `five` or None.
CASES = [
    (96, 80, (3, 2, 5), ((150, 60), (100, 50), (70, 60)), (10.2, 8.7, 60.1, 64.3),
     ((28, 28), (52, 30), (40, 42), (30, 56), (51, 57))),
    (200, 220, (1, 1, 1), ((60, 90), (40, 70), (30, 40)), (-12.0, 20.5, 128, 128),
     ((40, 70), (85, 66), (60, 90), (42, 120), (80, 118))),
    (640, 600, (2, 1, 3), ((10, 60), (8, 40), (5, 30)), (40, 30, 512, 512),
     ((200, 180), (400, 200), (290, 300), (210, 400), (390, 410))),
    (64, 48, (40, 25, 30), ((200, 55), (180, 60), (150, 70)), (30.5, 2.5, 60, 40), None),
    (160, 120, (9, 9, 9), ((20, 200), (20, 200), (20, 200)), (20, 20, 90, 80),
     ((40, 45), (90, 45), (65, 65), (45, 85), (88, 85))),
]


def wave(x, y, step, low, span):
    phase = (step * (2 * x + 3 * y)) % (2 * span)
    return low + np.abs(phase - span)


def image(case):
    width, height, steps, levels = case[:4]
    y, x = np.mgrid[0:height, 0:width]
    return np.stack([wave(x, y, s, *level) for s, level in zip(steps, levels)], axis=2).astype(np.uint8)


def whole(low, high, count):
    """The pixels whose centres are in [low, high) and in the image."""
    pixels = [p for p in range(count) if low <= p + 0.5 < high]
    return slice(pixels[0], pixels[-1] + 1)


def reduced(pixels, longest):
    height, width = pixels.shape[:2]
    if max(width, height) <= longest:
        return pixels
    scale = longest / max(width, height)
    return cv2.resize(pixels, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)


def sharpness(face):
    face = reduced(face, 128)
    height, width = face.shape[:2]
    scale = 128 / max(width, height)
    if scale > 1:
        size = (round(width * scale), round(height * scale))
        face = np.floor(cv2.resize(face.astype(np.float32), size, interpolation=cv2.INTER_LINEAR) + 0.5)
    gray = cv2.cvtColor(face.astype(np.float32), cv2.COLOR_RGB2GRAY).astype(np.float64)
    return float(cv2.Laplacian(gray, cv2.CV_64F, ksize=1).std())


def skin_tone(pixels, points):
    right_eye, left_eye, _, right_mouth, left_mouth = points
    half = 0.15 / 2 * math.dist(right_eye, left_eye)
    colors = []
    for eye, mouth in ((right_eye, right_mouth), (left_eye, left_mouth)):
        x, y = (eye[0] + mouth[0]) / 2, (eye[1] + mouth[1]) / 2
        patch = pixels[whole(y - half, y + half, pixels.shape[0]), whole(x - half, x + half, pixels.shape[1])]
        colors.append(rgb2lab(patch).reshape(-1, 3))
    lightness, _, yellow = np.median(np.concatenate(colors), axis=0)
    return math.degrees(math.atan2(lightness - 50, yellow)) if yellow >= 1 else None


def expected(case):
    pixels = image(case)
    x, y, width, height = case[4]
    face = pixels[whole(y, y + height, pixels.shape[0]), whole(x, x + width, pixels.shape[1])]
    lightness = rgb2lab(reduced(face, 256))[:, :, 0]
    return {
        "size": case[:2], "steps": case[2], "levels": case[3], "box": case[4], "points": case[5],
        "luminance": float(lightness.mean()), "contrast": float(lightness.std()),
        "sharpness": sharpness(reduced(face, 256)),
        "skinTone": None if case[5] is None else skin_tone(pixels, case[5]),
    }


if __name__ == "__main__":
    result = {
        "versions": {"numpy": np.__version__, "opencv": cv2.__version__, "scikit-image": skimage.__version__},
        "cases": [expected(case) for case in CASES],
    }
    path = Path(__file__).parent / "expected" / "face_annotations.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
