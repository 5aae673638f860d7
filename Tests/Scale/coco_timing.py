"""Time of our COCO evaluation and of pycocotools', on the same generated arrays in one run.

    swift build -c release --product coco-timing
    python Tests/Scale/coco_timing.py .build/release/coco-timing [--categories 80]

5,000 images, 36,000 labelled boxes and 100 detections an image, the size of COCO's val2017. The two take turns,
three rounds each; making the arrays, reading the file and pycocotools' index are outside the times. Both run on one
thread. Fails where a statistic differs by more than 1e-9 or we are not 20 times as fast.
"""

import argparse
import contextlib
import io
import os
import platform
import subprocess
import tempfile
import time

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

IMAGES, LABELS, PER_IMAGE, ROUNDS, MIN_RATIO = 5_000, 36_000, 100, 3, 20


def arrays(categories):
    """Labels as image, category, box, and detections with their scores; half of the labels are found."""
    rng = np.random.default_rng(2017)
    image = np.sort(rng.integers(0, IMAGES, LABELS))
    size = np.exp(rng.uniform(np.log(8), np.log(300), (LABELS, 2)))
    corner = rng.uniform(0, 1, (LABELS, 2)) * (640 - size)
    category = rng.integers(1, categories + 1, LABELS)
    labels = np.column_stack([image, category, corner, size])
    found = labels[rng.random(LABELS) < 0.8]
    noise = rng.normal(0, 0.12, (len(found), 4)) * np.tile(found[:, 4:], 2)
    near = found[:, 2:] + noise
    rows = [[] for _ in range(IMAGES)]
    for row, box in zip(found, near):
        if len(rows[int(row[0])]) < PER_IMAGE:
            rows[int(row[0])].append([row[0], row[1], *box[:2], *np.maximum(box[2:], 1), rng.beta(4, 2)])
    for index, own in enumerate(rows):
        missing = PER_IMAGE - len(own)
        extent = np.exp(rng.uniform(np.log(8), np.log(300), (missing, 2)))
        stray = np.column_stack([np.full(missing, index), rng.integers(1, categories + 1, missing),
                                 rng.uniform(0, 1, (missing, 2)) * (640 - extent), extent,
                                 rng.beta(1.5, 6, missing)])
        own.extend(stray.tolist())
    return labels, np.array([row for own in rows for row in own])


def index(labels, detections, categories):
    truth = COCO()
    truth.dataset = {
        "images": [{"id": i} for i in range(IMAGES)],
        "categories": [{"id": i} for i in range(1, categories + 1)],
        "annotations": [{"id": i + 1, "image_id": int(row[0]), "category_id": int(row[1]), "bbox": row[2:].tolist(),
                         "area": row[4] * row[5], "iscrowd": 0} for i, row in enumerate(labels)]}
    with contextlib.redirect_stdout(io.StringIO()):
        truth.createIndex()
        return truth, truth.loadRes(detections[:, [0, 2, 3, 4, 5, 6, 1]])


def theirs(truth, found):
    evaluation = COCOeval(truth, found, "bbox")
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return time.perf_counter() - start, evaluation.stats


def ours(program, path):
    words = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout.split()
    return float(words[0]), np.array(words[1:], float)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--categories", type=int, default=1)
    options = parser.parse_args()
    labels, detections = arrays(options.categories)
    truth, found = index(labels, detections, options.categories)
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    print(f"{cpu}, {os.cpu_count()} cores, {platform.system()}; {len(labels)} labels, {len(detections)} detections, "
          f"{options.categories} categories")
    ratios, worst = [], 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "arrays")
        np.concatenate([[IMAGES, len(labels), len(detections)], labels.ravel(), detections.ravel()]).tofile(path)
        for turn in range(ROUNDS):
            load = os.getloadavg()[0]
            own, statistics = ours(options.program, path)
            other, expected = theirs(truth, found)
            worst = max(worst, np.abs(statistics - expected).max())
            ratios.append(other / own)
            print(f"round {turn + 1}: pycocotools {other:.2f} s, ours {own:.3f} s, ratio {other / own:.1f}, "
                  f"load {load:.1f}")
    print(f"median ratio {np.median(ratios):.1f}, largest difference of a statistic {worst:.1e}")
    if worst > 1e-9 or np.median(ratios) < MIN_RATIO:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
