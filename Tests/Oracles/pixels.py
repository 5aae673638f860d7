#!/usr/bin/env python3
"""Writes expected/pixels.json: warps, blurs and reductions of a small image by SciPy and NumPy, before rounding.

Needs: numpy, scipy, opencv.  Run: python3 Tests/Oracles/pixels.py
"""
import base64
import json
import math
import pathlib

import cv2
import numpy as np
from scipy import ndimage

WIDTH, HEIGHT = 23, 17
random = np.random.default_rng(5)
rgb = random.integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
planes = [rgb[..., channel].astype(float) for channel in range(3)]


def rounded(values):
    return [round(float(v), 4) for v in np.asarray(values).reshape(-1)]


def per_channel(function):
    return np.stack([function(plane) for plane in planes], -1)


def warp(matrix, width, height, fill):
    """SciPy's coordinates are (row, column) of pixel centres: half a pixel comes off on both sides."""
    (xx, xy, x0), (yx, yy, y0) = matrix
    rows = np.array([[yy, yx], [xy, xx]])
    offset = np.array([y0, x0]) + rows @ [0.5, 0.5] - 0.5
    def one(channel):
        mode = "nearest" if fill is None else "grid-constant"
        return ndimage.affine_transform(
            planes[channel], rows, offset, (height, width), order=1, mode=mode, cval=0 if fill is None else fill[channel])
    return np.stack([one(channel) for channel in range(3)], -1)


def turn(radians, scale, x, y):
    c, s = scale * math.cos(radians), scale * math.sin(radians)
    return [[c, -s, x - c * x + s * y], [s, c, y - s * x - c * y]]


maps = [
    [[1, 0, 0], [0, 1, 0]], [[1, 0, 0.25], [0, 1, -0.5]], [[1, 0, -9], [0, 1, 12.3]], [[0.5, 0, 0], [0, 0.5, 0]],
    turn(0.3, 1, 11.5, 8.5), turn(-2.1, 0.7, 3, 14), turn(math.pi / 2, 1.3, 11.5, 8.5), [[0.9, 0.4, -3], [-0.2, 1.1, 2]]]
warps = []
for index, matrix in enumerate(maps):
    for fill in (None, [10, 200, 90]):
        size = [(WIDTH, HEIGHT), (31, 9), (5, 26)][index % 3]
        warps.append({"matrix": [v for row in matrix for v in row], "size": size, "fill": fill,
                      "values": rounded(warp(matrix, *size, fill))})


def reduce(longest):
    scale = longest / max(WIDTH, HEIGHT)
    width, height = (max(1, math.floor(side * scale + 0.5)) for side in (WIDTH, HEIGHT))
    def share(count, parts):
        edges = np.arange(parts + 1) * count / parts
        cells = np.arange(count)
        low, high = edges[:-1, None], edges[1:, None]
        return np.clip(np.minimum(high, cells + 1) - np.maximum(low, cells), 0, None) / (high - low)
    values = per_channel(lambda plane: share(HEIGHT, height) @ plane @ share(WIDTH, width).T)
    peer = cv2.resize(rgb.astype(np.float32), (width, height), interpolation=cv2.INTER_AREA)
    assert np.abs(values - peer).max() < 0.01
    return {"longestSide": longest, "size": [width, height], "values": rounded(values)}


target = pathlib.Path(__file__).parent / "expected" / "pixels.json"
target.write_text(json.dumps({
    "image": {"width": WIDTH, "height": HEIGHT, "rgb": base64.b64encode(rgb.tobytes()).decode()},
    "warps": warps,
    "gaussians": [{"parameter": s, "values": rounded(per_channel(
        lambda plane: ndimage.gaussian_filter(plane, s, mode="nearest", truncate=4)))} for s in (0.5, 1, 2.7, 9)],
    "reductions": [reduce(n) for n in (22, 12, 11, 5, 1)],
}, separators=(",", ":")) + "\n")
print(target, target.stat().st_size, "bytes")
