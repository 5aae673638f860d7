#!/usr/bin/env python3
"""Writes expected/degradations.json: labels under crop, resolution and occluder, and blurred and darkened pixels.

The cases come from seeds (case_stream.py); the rules are those of the guide FindingBreakingPoints, by NumPy and SciPy.
Needs: numpy, scipy.  Run: python3 Tests/Oracles/degradations.py
"""
import json
import math
import pathlib

import numpy as np
import scipy
from scipy import ndimage

from case_stream import MASK, CaseStream

SEED, LONGEST_SIDE, POINTS = 7, 320, 29
CROP = [0.08, 0.16, 0.24, 0.32, 0.4]
RESOLUTION = [32, 20, 12, 8, 5]
OCCLUDER = [0.1, 0.2, 0.35, 0.5, 0.7]
OUTER_CORNERS = (8, 9)  # of COFW


def choices(frame):
    """The numbers from 0 up to 1 that all severities of a still share."""
    first = CaseStream(SEED)
    second = CaseStream(first.next() ^ (frame & MASK))
    stream = CaseStream(second.next())
    while True:
        yield (stream.next() >> 11) / 2**53


def half_up(value):
    return math.floor(value + 0.5)


def case(index):
    stream = CaseStream(1000 + index)
    width, height = 200 + stream.below(400), 200 + stream.below(400)
    faces = []
    for _ in range(1 + stream.below(2)):
        x, y = stream.between(-20, width - 60), stream.between(-20, height - 60)
        w, h = stream.between(40, 160), stream.between(40, 160)
        points = np.array([[x + w * stream.between(0, 1), y + h * stream.between(0, 1)] for _ in range(POINTS)])
        states = np.array([min(stream.below(5), 2) for _ in range(POINTS)])
        states[list(OUTER_CORNERS)] = 2
        ignored = stream.below(6) == 0
        faces.append({"box": np.array([x, y, w, h]), "points": points, "states": states, "ignored": ignored})
    faces[0]["ignored"] = False
    return (width, height), faces


def interocular(face):
    a, b = (face["points"][corner] for corner in OUTER_CORNERS)
    return max(np.hypot(*(a - b)), 0.5 * math.sqrt(face["box"][2] * face["box"][3]))


def scaled(size, faces, longest_side):
    """Sides keep their ratio to the nearest pixel, halves up."""
    longest = max(size)
    if longest <= longest_side:
        return size, faces, 1.0
    new = tuple(max(1, (2 * side * longest_side + longest) // (2 * longest)) for side in size)
    factor = np.array(new) / np.array(size)
    moved = [dict(face, box=np.concatenate([face["box"][:2] * factor, face["box"][2:] * factor]),
                  points=face["points"] * factor) for face in faces]
    return new, moved, factor[0]


def inside(points, box):
    return np.all((points >= box[:2]) & (points < box[:2] + box[2:]), axis=1)


def hide(face, where):
    states = face["states"].copy()
    states[(states == 2) & where] = 1
    return dict(face, states=states)


def crop(size, faces, reference, share, frame):
    x, y, w, h = reference["box"]
    side = int(4 * next(choices(frame)))
    left, top, right, bottom = 0, 0, *size
    clamp = lambda value, count: min(max(half_up(value), 0), count)
    if side == 0:
        left = min(clamp(x + share * w, size[0]), size[0] - 1)
    elif side == 1:
        right = max(clamp(x + w - share * w, size[0]), 1)
    elif side == 2:
        top = min(clamp(y + share * h, size[1]), size[1] - 1)
    else:
        bottom = max(clamp(y + h - share * h, size[1]), 1)
    new = (right - left, bottom - top)
    kept = []
    for face in faces:
        box = face["box"] - [left, top, 0, 0]
        points = face["points"] - [left, top]
        overlap = np.clip(np.minimum(box[:2] + box[2:], new) - np.maximum(box[:2], 0), 0, None)
        shown = overlap.prod() / box[2:].prod()
        if shown < 0.1:
            continue
        moved = hide(dict(face, box=box, points=points), ~inside(points, np.array([0, 0, *new])))
        kept.append(dict(moved, ignored=face["ignored"] or bool(shown < 0.5)))
    return new, kept


def occlude(faces, share, frame):
    stream, side, patches = choices(frame), math.sqrt(share), []
    for face in faces:
        if face["ignored"]:
            continue
        across, down = next(stream), next(stream)
        x, y, w, h = face["box"]
        patches.append(np.array([x + across * (w - side * w), y + down * (h - side * h), side * w, side * h]))
    covered = lambda face: np.any([inside(face["points"], patch) for patch in patches], axis=0)
    return [hide(face, covered(face)) for face in faces]


def written(name, size, faces):
    points = [np.where(face["states"][:, None] == 0, -1, face["points"]) for face in faces]
    return {
        "name": name, "size": [int(side) for side in size],
        "boxes": [[round(float(v), 4) for v in face["box"]] for face in faces],
        "points": [[round(float(v), 4) for v in p.reshape(-1)] for p in points],
        "states": ["".join(str(s) for s in face["states"]) for face in faces],
        "ignored": [bool(face["ignored"]) for face in faces],
    }


frames = []
for index in range(5):
    size, faces = case(index)
    counted = [face for face in faces if not face["ignored"]]
    largest = max(range(len(faces)), key=lambda i: (not faces[i]["ignored"], faces[i]["box"][2] * faces[i]["box"][3]))
    distance = interocular(faces[largest])
    base, reduced, factor = scaled(size, faces, LONGEST_SIDE)
    distance *= factor
    frames.append(written(f"{index}/clean", base, reduced))
    for severity, pixels in enumerate(RESOLUTION, 1):
        target = max(base) * pixels / distance
        smaller = (base, reduced, 1) if target >= max(base) else scaled(base, reduced, max(1, half_up(target)))
        frames.append(written(f"{index}/resolution-{severity}", *smaller[:2]))
    for severity, share in enumerate(OCCLUDER, 1):
        frames.append(written(f"{index}/occluder-{severity}", base, occlude(reduced, share, index)))
    for severity, share in enumerate(CROP, 1):
        frames.append(written(f"{index}/crop-{severity}", *crop(base, reduced, reduced[largest], share, index)))


# Pixels, before rounding: an image of 23 x 17 from a seed.
stream = CaseStream(5)
image = np.array([stream.below(256) for _ in range(17 * 23 * 3)], float).reshape(17, 23, 3)


def motion(length, radians):
    """The kernel on a fine grid by brute force: the line's points, each shared among its four pixels."""
    steps, reach = math.ceil(4 * length), math.ceil(length / 2) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1))
    for along in np.linspace(-0.5, 0.5, steps + 1):
        x, y = along * length * math.cos(radians), along * length * math.sin(radians)
        for column in range(-reach, reach + 1):
            for row in range(-reach, reach + 1):
                kernel[row + reach, column + reach] += max(0, 1 - abs(x - column)) * max(0, 1 - abs(y - row))
    kernel /= steps + 1
    return np.stack([ndimage.correlate(image[..., c], kernel, mode="nearest") for c in range(3)], -1)


def decoded(level):
    value = level / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def encoded(light):
    light = np.clip(light, 0, 1)
    return 255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


expected = {
    "made_with": {"numpy": np.__version__, "scipy": scipy.__version__},
    "seed": SEED, "longestSide": LONGEST_SIDE, "frames": frames,
    "motion": [{"length": length, "radians": radians,
                "pixels": [round(float(v), 3) for v in motion(length, radians).reshape(-1)]}
               for length, radians in [(3.0, 0.0), (4.5, 0.7), (9.0, 2.2)]],
    "light": [{"gain": gain, "offset": offset, "pixels": [round(float(v), 3) for v in encoded(
        gain * decoded(image) + offset).reshape(-1)]} for gain, offset in [(0.25, 0.0), (3.0, 0.02)]],
}
path = pathlib.Path(__file__).parent / "expected" / "degradations.json"
path.write_text(json.dumps(expected, separators=(",", ":")) + "\n")
