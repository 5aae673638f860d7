#!/usr/bin/env python3
"""Writes expected/crops.json: 8-bit crops of a synthetic image by OpenCV's warpPerspective, as checksums.

The corners follow MediaPipe's converter in single precision; the homography, its inverse and the sampling are
OpenCV's own. Half of the regions are upright with sizes that put many samples exactly between two of the
1/32-pixel positions, where the last bit of the matrix decides.

Needs: numpy, opencv.  Run: python3 Tests/Oracles/crops.py
"""
import ctypes
import json
import math
import pathlib
import zlib

import cv2
import numpy as np

cv2.setNumThreads(1)
f32 = np.float32
libm = ctypes.CDLL("libm.so.6")
for name in ("cosf", "sinf"):
    getattr(libm, name).restype = ctypes.c_float
    getattr(libm, name).argtypes = [ctypes.c_float]
random = np.random.default_rng(3)
IMAGES = [(200, 150), (97, 131), (64, 3), (1, 1), (640, 480)]


def image(width, height):
    """The bytes of a linear congruential generator: cheap to repeat elsewhere."""
    state, out = 12345, bytearray()
    for _ in range(width * height * 3):
        state = (state * 1664525 + 1013904223) % 2**32
        out.append(state >> 24)
    return np.frombuffer(bytes(out), np.uint8).reshape(height, width, 3)


def corners(cx, cy, w, h, rotation):
    degrees = f32(float(f32(rotation) * f32(180)) / math.pi)
    angle = float(degrees) * math.pi / 180
    b, a = f32(math.cos(angle)) * f32(0.5), f32(math.sin(angle)) * f32(0.5)
    p0 = (f32(cx - a * h - b * w), f32(cy + b * h - a * w))
    p1 = (f32(cx + a * h - b * w), f32(cy - b * h - a * w))
    return np.array([p0, p1, (f32(2 * cx - p0[0]), f32(2 * cy - p0[1])), (f32(2 * cx - p1[0]), f32(2 * cy - p1[1]))], f32)


def crop(rgb, region, tw, th, keep, replicate):
    height, width = rgb.shape[:2]
    xc, yc, w, h, rotation = (f32(v) for v in region)
    cx, cy, w, h = xc * f32(width), yc * f32(height), w * f32(width), h * f32(height)
    if keep:
        aspect = f32(th) / f32(tw)
        if aspect > h / w:
            h = w * aspect
        else:
            w = h / aspect
    target = np.array([[0, th], [0, 0], [tw, 0], [tw, th]], f32)
    matrix = cv2.getPerspectiveTransform(corners(cx, cy, w, h, rotation), target)
    border = cv2.BORDER_REPLICATE if replicate else cv2.BORDER_CONSTANT
    out = cv2.warpPerspective(rgb, matrix, (tw, th), flags=cv2.INTER_LINEAR, borderMode=border)
    c, d = f32(libm.cosf(float(rotation))), f32(libm.sinf(float(rotation)))
    g, k = f32(1) / f32(width), f32(1) / f32(height)
    projection = [
        w * c * g, -h * d * g, 0, (f32(-0.5) * w * c + f32(0.5) * h * d + cx) * g,
        w * d * k, h * c * k, 0, (f32(-0.5) * h * c - f32(0.5) * w * d + cy) * k,
        0, 0, w * g, 0, 0, 0, 0, 1]
    return out, [float(v) for v in projection]


cases = []
for index in range(400):
    width, height = IMAGES[[0, 0, 1, 4, 2, 1, 3][index % 7] if index % 5 else 4]
    tw, th = [(256, 256), (128, 128), (192, 192), (40, 24), (200, 7), (65, 17), (1, 1)][index % 7 if index % 3 else 0]
    keep, replicate = bool(index % 2), bool(index // 2 % 2)
    if index % 2:
        scale = random.integers(1, 40, 2) / np.array([8, 16])
        w, h = scale[0] * tw / width, scale[1] * th / height
        region = [random.integers(-8, 40) / 32, random.integers(-8, 40) / 32, w, h, 0.0]
    else:
        region = [*random.uniform(-0.2, 1.2, 2), *random.uniform(0.01, 1.8, 2), random.uniform(-4, 4)]
    if index % 40 == 7:
        region = [0.5, 0.5, 1.0, 1.0, 0.0]
    region = [float(f32(v)) for v in region]
    out, projection = crop(image(width, height), region, tw, th, keep, replicate)
    cases.append({
        "image": [width, height], "region": region, "tensor": [tw, th], "keepsAspectRatio": keep,
        "replicates": replicate, "checksum": zlib.crc32(np.ascontiguousarray(out).tobytes()), "projection": projection})

target = pathlib.Path(__file__).parent / "expected" / "crops.json"
target.write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
print(target, target.stat().st_size, "bytes,", len(cases), "crops")
