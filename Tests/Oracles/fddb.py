"""FDDB's discrete and continuous rates, with OpenCV's masks and SciPy's assignment.

Draws made-up images with ellipses and scored boxes, some beyond the image's edge, and computes both ROC
curves as the official program does: at each distinct score of an image the detections of that score or
more are assigned to the ellipses by the largest sum of IoUs; the IoUs are of pixels drawn with
cv2.ellipse and cv2.rectangle. Writes expected/fddb.json.

    python3 fddb.py                                        writes the expected values
    python3 fddb.py ELLIPSES DETECTIONS [DISCROC CONTROC]  prints the rates of real lists next to given curves

With real lists the sizes of images are not known, so that regions reach beyond them; the official
program cuts them off.
"""

import json
import math
import pathlib
import random
import sys

import cv2
import numpy as np
import scipy
from scipy.optimize import linear_sum_assignment

OUTPUT = pathlib.Path(__file__).parent / "expected" / "fddb.json"
LIMITS = [100, 500, 1000]


def ellipse(label, shape, offset):
    major, minor, angle, x, y = label
    mask = np.zeros(shape, np.uint8)
    centre = (int(np.rint(x)) + offset, int(np.rint(y)) + offset)
    cv2.ellipse(mask, centre, (int(major), int(minor)), math.degrees(angle), 0, 360, 1, -1)
    return mask


def rectangle(box, shape, offset):
    x, y, w, h = box
    mask = np.zeros(shape, np.uint8)
    low = (int(np.rint(x)) + offset, int(np.rint(y)) + offset)
    high = (int(np.rint(x + w)) + offset, int(np.rint(y + h)) + offset)
    cv2.rectangle(mask, low, high, 1, -1)
    return mask


def overlaps(labels, boxes, size):
    """IoU of each ellipse with each box inside the image, or anywhere where the size is not known."""
    offset = 0 if size else 400
    shape = (size[1], size[0]) if size else (1400, 1400)
    table = np.zeros((len(labels), len(boxes)))
    for i, label in enumerate(labels):
        reach = label[0] + 2
        own = None
        for j, (x, y, w, h) in enumerate(boxes):
            if x > label[3] + reach or x + w < label[3] - reach or y > label[4] + reach or y + h < label[4] - reach:
                continue
            own = ellipse(label, shape, offset) if own is None else own
            other = rectangle(boxes[j], shape, offset)
            both = np.count_nonzero(own & other)
            table[i, j] = both / np.count_nonzero(own | other) if both else 0
    return table


def curve(images):
    """Points (score, true, overlap, false) of the whole set; an image is labels, boxes, scores and a size or None."""
    steps = []
    for labels, boxes, scores, size in images:
        table = overlaps(labels, boxes, size)
        last = (0, 0.0, 0)
        for score in sorted(set(scores), reverse=True):
            columns = [j for j, own in enumerate(scores) if own >= score]
            i, j = linear_sum_assignment(table[:, columns], maximize=True)
            values = table[:, columns][i, j]
            now = (int((values > 0.5).sum()), float(values.sum()), len(columns))
            steps.append((score, *(n - l for n, l in zip(now, last))))
            last = now
    points, total = {}, [0, 0.0, 0]
    for score, *step in sorted(steps, key=lambda s: -s[0]):
        total = [t + s for t, s in zip(total, step)]
        points[score] = (total[0], total[1], total[2] - total[0])
    return points


def rates(images):
    faces = sum(len(image[0]) for image in images)
    points = curve(images).values()
    return [[max((p[k] / faces for p in points if p[2] <= limit), default=0) for k in (0, 1)]
            for limit in LIMITS]


def made(seed):
    draw = random.Random(seed)
    images = []
    for _ in range(60):
        width, height = draw.randrange(150, 300), draw.randrange(150, 300)
        labels, boxes, scores = [], [], []
        for _ in range(draw.randrange(4)):
            major = draw.uniform(15, 60)
            labels.append([round(v, 6) for v in (major, major * draw.uniform(.6, .9), draw.uniform(-1.5, 1.5),
                                                 draw.uniform(0, width), draw.uniform(0, height))])
        for label in labels:
            for _ in range(draw.choice([0, 1, 1, 2])):
                w, h = label[1] * draw.uniform(1.3, 2.4), label[0] * draw.uniform(1.3, 2.2)
                x, y = label[3] - w / 2 + draw.gauss(0, 8), label[4] - h / 2 + draw.gauss(0, 8)
                boxes.append([round(v, 3) for v in (x, y, w, h)])
                scores.append(round(draw.uniform(.2, 1), 1))
        for _ in range(draw.randrange(8)):
            boxes.append([round(draw.uniform(a, b), 3) for a, b in
                          [(-20, width), (-20, height), (5, 90), (5, 90)]])
            scores.append(round(draw.uniform(0, .9), 1))
        images.append((labels, boxes, scores, [width, height] if seed % 2 else None))
    return images


def lists(path):
    rows = [row.strip() for row in open(path)]
    found, at = {}, 0
    while at < len(rows):
        if rows[at]:
            count = int(rows[at + 1])
            found[rows[at]] = [[float(v) for v in row.split()] for row in rows[at + 2:at + 2 + count]]
            at += 1 + count
        at += 1
    return found


def real(ellipses, detections, *given):
    labels, found = lists(ellipses), lists(detections)
    images = [([row[:5] for row in rows], [d[:4] for d in found.get(name, [])],
               [d[4] for d in found.get(name, [])], None) for name, rows in labels.items()]
    print(len(labels), "images,", sum(map(len, labels.values())), "ellipses")
    published = [[[float(v) for v in row.split()] for row in open(path)] for path in given]
    for limit, own in zip(LIMITS, rates(images)):
        theirs = [max(row[0] for row in rows if row[1] <= limit) for rows in published]
        print(f"at {limit} false positives: discrete and continuous {own[0]:.6f} {own[1]:.6f}", *theirs)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        real(*sys.argv[1:])
    else:
        cases = []
        for seed in range(1, 5):
            images = made(seed)
            cases.append({"images": [{"labels": l, "boxes": b, "scores": s, "size": z or [0, 0]} for l, b, s, z in images],
                          "rates": rates(images),
                          "points": [[s, *p] for s, p in curve(images).items()]})
        text = {"versions": {"cv2": cv2.__version__, "scipy": scipy.__version__}, "cases": cases}
        OUTPUT.write_text(json.dumps(text, separators=(",", ":")) + "\n")
        print(OUTPUT, OUTPUT.stat().st_size, "bytes")
