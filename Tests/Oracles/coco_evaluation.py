"""Expected values for COCODetection and DetectionOutcome, from pycocotools.

    python coco_evaluation.py [COCO-EVAL-FOLDER]

writes expected/coco_random.json (inputs and values of seeded random cases) and, given the folder
with the 100 COCO images, expected/coco_100.json (values only; the files stay where they are).
Label i of a case has the id i; here all are shifted by 1, because pycocotools reads an id of 0 as
unmatched.
"""

import contextlib
import io
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

EXPECTED = Path(__file__).parent / "expected"
CASES = 240
OPERATING_SCORE = 0.5
NAMES = ["ap", "ap50", "ap75", "ap_small", "ap_medium", "ap_large",
         "ar1", "ar10", "ar100", "ar_small", "ar_medium", "ar_large"]


class Evaluation(COCOeval):
    """COCOeval that also honours an ignore flag; its own _prepare overwrites it with the crowd flag."""

    def _prepare(self):
        explicit = {g["id"]: g.get("ignore", 0) for g in self.cocoGt.dataset["annotations"]}
        super()._prepare()
        for group in self._gts.values():
            for label in group:
                label["ignore"] = bool(label["ignore"] or explicit[label["id"]])


def index(images, categories, annotations):
    coco = COCO()
    coco.dataset = {"images": [{"id": p} for p in images],
                    "categories": [{"id": c} for c in categories],
                    "annotations": annotations}
    coco.createIndex()
    return coco


def coco_pair(case):
    categories = sorted({l[1] for l in case["labels"]} | {d[1] for d in case["detections"]} | {1})
    labels = [{"id": i + 1, "image_id": f, "category_id": c, "bbox": [x, y, w, h], "area": a,
               "iscrowd": crowd, "ignore": ignore}
              for i, (f, c, x, y, w, h, a, crowd, ignore) in enumerate(case["labels"])]
    found = [{"id": i + 1, "image_id": f, "category_id": c, "bbox": [x, y, w, h], "area": w * h,
              "iscrowd": 0, "score": s}
             for i, (f, c, x, y, w, h, s) in enumerate(case["detections"])]
    return index(case["frames"], categories, labels), index(case["frames"], categories, found)


def defined(values):
    return [None if v == -1 else float(v) for v in values]


def statistics(truth, found):
    evaluation = Evaluation(truth, found, "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    precision = evaluation.eval["precision"][0, :, :, 0, 2]
    precision = precision[:, precision[0] > -1]
    curve = [float(v) for v in precision.mean(axis=1)] if precision.size else None
    return defined(evaluation.stats), curve


def operating_outcome(case):
    """Per frame: true positives, false positives, misses, ignored detections; faces only."""
    kept = dict(case, detections=[d for d in case["detections"] if d[6] >= OPERATING_SCORE])
    truth, found = coco_pair(kept)
    evaluation = Evaluation(truth, found, "bbox")
    p = evaluation.params
    p.catIds, p.iouThrs, p.maxDets = [1], np.array([0.5]), [10**6]
    p.areaRng, p.areaRngLbl = [[0, 1e12]], ["all"]
    evaluation.evaluate()
    rows = []
    for image in evaluation.evalImgs:
        if image is None:
            continue
        matched, ignored = image["dtMatches"][0] > 0, image["dtIgnore"][0].astype(bool)
        label_found, label_ignored = image["gtMatches"][0] > 0, image["gtIgnore"].astype(bool)
        rows.append([int(image["image_id"]), int((matched & ~ignored).sum()),
                     int((~matched & ~ignored).sum()),
                     int((~label_found & ~label_ignored).sum()), int(ignored.sum())])
    return rows


def random_case(seed):
    rng = np.random.default_rng([20140, seed])
    frames = [int(f) for f in rng.permutation(60)[: rng.integers(1, 9)]]
    categories = list(range(1, 1 + int(rng.choice([1, 1, 1, 2, 4]))))
    crowd_share, ignore_share = rng.choice([0, 0.2, 1], p=[0.4, 0.55, 0.05]), rng.choice([0, 0.15])
    levels = int(rng.choice([2, 5, 20, 1000]))
    labels, detections = [], []
    quarter = lambda v: float(np.round(v * 4) / 4)
    score = lambda: float(rng.integers(0, levels + 1) / levels)

    def box():
        side = rng.choice([8, 30, 60, 150])
        w, h = rng.uniform(0.6, 1.6, 2) * side
        x, y = rng.uniform(-20, 300, 2)
        return [quarter(v) for v in (x, y, w, h)]

    def label(frame):
        b = box()
        edge = rng.random()
        if edge < 0.08:
            b[2:] = [32.0, 32.0]
        elif edge < 0.16:
            b[2:] = [96.0, 96.0]
        elif edge < 0.18:
            b[2:] = [0.0, 12.0]
        area = b[2] * b[3]
        if rng.random() < 0.15:
            area = float(rng.choice([1024, 9216, np.nextafter(1024, 0), np.nextafter(9216, 1e5),
                                     area * 0.7]))
        crowd = int(rng.random() < crowd_share)
        ignore = int(rng.random() < ignore_share)
        return [frame, int(rng.choice(categories)), *b, area, crowd, ignore]

    for frame in frames:
        kind = rng.random()
        faces = 0 if kind < 0.2 else int(rng.integers(1, 7))
        mine = [label(frame) for _ in range(faces)]
        labels += mine
        if kind > 0.9:
            continue
        count = int(rng.integers(0, 5)) + faces
        if seed % 24 == 0 and frame == frames[0]:
            count = 130
        for _ in range(count):
            if mine and rng.random() < 0.75:
                source = mine[rng.integers(len(mine))]
                x, y, w, h = source[2:6]
                variant = rng.random()
                if variant < 0.15:
                    b = [x, y, w, h]
                elif variant < 0.3:
                    b = [x, y, w, h / 2]
                elif variant < 0.4:
                    b = [x + w / 4, y + h / 4, w / 2, h / 2]
                else:
                    dx, dy, dw, dh = rng.normal(0, 0.12, 4)
                    b = [quarter(x + dx * w), quarter(y + dy * h),
                         quarter(w * (1 + abs(dw))), quarter(h * (1 + abs(dh)))]
                category = source[1] if rng.random() < 0.9 else int(rng.choice(categories))
            else:
                b, category = box(), int(rng.choice(categories + [9]))
            detections.append([frame, category, *b, score()])
        if rng.random() < 0.25:
            # The first detection overlaps both labels equally; which one it takes decides whether
            # the second finds the other.
            x, y = [quarter(v) for v in rng.uniform(400, 600, 2)]
            twins = [[x, y, 40.0, 40.0], [x + 20, y, 40.0, 40.0]]
            labels += [[frame, 1, *b, 1600.0, 0, 0] for b in twins]
            detections.append([frame, 1, x + 10, y, 40.0, 40.0, 1.0])
            detections.append([frame, 1, *twins[rng.integers(2)], 0.75])
    if seed % 40 == 7:
        detections = []
    if seed % 40 == 17:
        labels = []
    order = rng.permutation(len(detections))
    return {"frames": frames, "labels": labels, "detections": [detections[i] for i in order]}


def versions():
    return {"pycocotools": version("pycocotools"), "numpy": np.__version__}


def write(name, content):
    EXPECTED.mkdir(exist_ok=True)
    (EXPECTED / name).write_text(json.dumps(content, separators=(",", ":")) + "\n")


def random_cases():
    cases = []
    for seed in range(CASES):
        case = random_case(seed)
        case["statistics"], curve = statistics(*coco_pair(case))
        if seed % 8 == 0:
            case["curve"] = curve
        case["operating"] = operating_outcome(case)
        cases.append(case)
    return {"versions": versions(), "statistics": NAMES, "operatingScore": OPERATING_SCORE,
            "label": ["frame", "category", "x", "y", "width", "height", "area", "crowd", "ignore"],
            "detection": ["frame", "category", "x", "y", "width", "height", "score"],
            "operating": ["frame", "true", "false", "missed", "ignored"], "cases": cases}


def coco_100(folder):
    truth = COCO(str(folder / "dataset/cocoapi/instances_val2014_100.json"))
    found = truth.loadRes(str(folder / "dataset/cocoapi/instances_val2014_fakebbox100_results.json"))
    evaluation = COCOeval(truth, found, "bbox")
    evaluation.params.imgIds = sorted(truth.getImgIds())[:100]
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    precision = evaluation.eval["precision"][0, :, :, 0, 2]
    curve = precision[:, precision[0] > -1].mean(axis=1)
    return {"versions": versions(), "statistics": defined(evaluation.stats),
            "curve": [float(v) for v in curve]}


def main():
    with contextlib.redirect_stdout(io.StringIO()):
        write("coco_random.json", random_cases())
        if len(sys.argv) > 1:
            write("coco_100.json", coco_100(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
