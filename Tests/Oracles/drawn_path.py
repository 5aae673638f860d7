"""Metrics of drawn paths, from SciPy and from the definitions in NumPy.

    python drawn_path.py

writes expected/drawn_path.json; the sessions follow from the case's number. Rays are intersected by solving three
linear equations, the Hausdorff distance is SciPy's, the Fréchet distance Eiter and Mannila's recursion.
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.spatial.distance import cdist, directed_hausdorff

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 140
NAMES = ["error.mean", "error.p95", "hausdorff", "frechet", "length_ratio", "hit_share", "other_plane_share"]


class Undecided(Exception):
    """The last bits would decide how many points a line is sampled at."""


def rotation(stream):
    """Columns of the rotation of a whole quaternion, exactly what the test computes."""
    w, x, y, z = [stream.between(-8, 8) for _ in range(4)]
    if w == x == y == z == 0:
        w = 1
    s = 2 / (w * w + x * x + y * y + z * z)
    return np.array([[1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)],
                     [s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)],
                     [s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)]])


def session(stream):
    plane, origin = rotation(stream), np.array([stream.between(-2, 2) for _ in range(3)])
    count = 2 + stream.below(6)
    corners = [(stream.between(-1, 1) / 4, stream.between(-1, 1) / 4) for _ in range(count)]
    reference = [origin + plane[0] * x + plane[2] * z for x, z in corners]
    if all((point == reference[0]).all() for point in reference):
        reference[0] = origin + plane[0]
    frames, kind = [], stream.below(12)
    for _ in range([0, 1, 2, 8, 20, 40, 60][stream.below(7)]):
        # Most cameras look at the plane from in front of it, some from anywhere.
        if stream.below(10) > 0:
            axes, lift = np.array([plane[0], -plane[2], plane[1]]), 0.25 + stream.below(64) / 64
            position = origin + plane[1] * lift + plane[0] * stream.between(-1, 1) / 8
        else:
            axes, position = rotation(stream), origin + np.array([stream.between(-2, 2) for _ in range(3)])
        focal = 1000 + stream.below(800), 1000 + stream.below(800)
        centre = 900 + stream.between(0, 100), 500 + stream.between(0, 100)
        pixel = 900 + stream.between(-400, 400), 500 + stream.between(-400, 400)
        hidden = stream.below(6) == 0 or kind == 0
        frames.append((position, axes, focal, centre, None if hidden else pixel))
    # A rectangle of any direction between the drawing plane and most cameras.
    axes, lift = rotation(stream), (1 + stream.below(16)) / 64
    reach = (1 + stream.below(8)) / 32, (1 + stream.below(8)) / 32
    return plane[1], origin, reference, frames, (axes, origin + plane[1] * lift, reach)


def hit(normal, origin, plane_axes, frame, reach=None):
    """How far along the ray, and where; None where it does not meet the plane."""
    position, axes, focal, centre, pixel = frame
    ray = np.array([(pixel[0] - centre[0]) / focal[0], -(pixel[1] - centre[1]) / focal[1], -1]) @ axes
    if abs(normal @ ray) <= 1e-9 * np.linalg.norm(normal) * np.linalg.norm(ray):
        return None
    # position + t ray = origin + a u + b v
    t, a, b = np.linalg.solve(np.column_stack([ray, -plane_axes[0], -plane_axes[1]]), origin - position)
    if reach is not None:
        if min(abs(abs(a) - reach[0]), abs(abs(b) - reach[1])) < 1e-9:
            raise Undecided
        if abs(a) > reach[0] or abs(b) > reach[1]:
            return None
    return (t, origin + a * plane_axes[0] + b * plane_axes[1]) if t > 0 else None


def spanning(normal):
    u = np.linalg.svd(normal[None])[2][1]
    return u, np.cross(normal / np.linalg.norm(normal), u)


def length(points):
    return sum(np.linalg.norm(b - a) for a, b in zip(points, points[1:]))


def sampled(points, step):
    result = [points[0]]
    for a, b in zip(points, points[1:]):
        exact = np.linalg.norm(b - a) / step
        if abs(exact - round(exact)) < 1e-7 < exact:
            raise Undecided
        parts = max(int(np.ceil(exact)), 1)
        result += [a + (b - a) * (k / parts) for k in range(1, parts + 1)]
    return np.array(result)


def to_segment(point, a, b):
    square = (b - a) @ (b - a)
    part = np.clip((point - a) @ (b - a) / square, 0, 1) if square > 0 else 0
    return np.linalg.norm(a + part * (b - a) - point)


def frechet(first, second):
    distances = cdist(first, second)
    table = np.empty_like(distances)
    table[0] = np.maximum.accumulate(distances[0])
    table[:, 0] = np.maximum.accumulate(distances[:, 0])
    for i in range(1, len(first)):
        for j in range(1, len(second)):
            table[i, j] = max(min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1]), distances[i, j])
    return table[-1, -1]


def case(number):
    normal, origin, reference, frames, (turned, center, reach) = session(CaseStream(11000 + number))
    axes = spanning(normal)
    shown = [frame for frame in frames if frame[4] is not None]
    hits, others = [], 0
    for frame in shown:
        found = hit(normal, origin, axes, frame)
        # Every third session has the rectangle.
        other = None if number % 3 else hit(turned[1], center, (turned[0], turned[2]), frame, reach)
        if found and other and abs(found[0] - other[0]) < 1e-9:
            raise Undecided
        if other and (found is None or other[0] < found[0]):
            hits.append(other[1])
            others += 1
        elif found:
            hits.append(found[1])
    share = len(hits) / len(shown) if shown else None
    if not hits:
        return [None] * 5 + [share, None]
    errors = sorted(min(to_segment(p, a, b) for a, b in zip(reference, reference[1:])) for p in hits)
    step = max(.001, max(length(hits), length(reference)) / 2000)
    first, second = sampled(hits, step), sampled(reference, step)
    both = max(directed_hausdorff(first, second)[0], directed_hausdorff(second, first)[0])
    p95 = np.percentile(errors, 95, method="inverted_cdf")
    ratio = length(hits) / length(reference) if len(hits) > 1 else None
    return [1000 * np.mean(errors), 1000 * p95, 1000 * both, 1000 * frechet(first, second), ratio, share,
            others / len(hits)]


def main():
    cases, numbers = [], []
    number = 0
    while len(cases) < CASES:
        try:
            cases.append([None if value is None else float(value) for value in case(number)])
            numbers.append(number)
        except Undecided:
            pass
        number += 1
    content = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__},
               "names": ["drawing." + name for name in NAMES], "numbers": numbers, "cases": cases}
    (EXPECTED / "drawn_path.json").write_text(json.dumps(content, separators=(",", ":"), allow_nan=False) + "\n")


if __name__ == "__main__":
    main()
