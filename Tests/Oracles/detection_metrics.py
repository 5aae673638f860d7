"""Expected values for RankedDetections, VOCDetection and WIDERDetection.

    python detection_metrics.py

reads the inputs of expected/coco_random.json and writes expected/detection_metrics.json. Matches are
pycocotools'; FROC, LRP (Oksuz et al.), ECE, Brier, D-ECE and LaECE are NumPy from the papers'
formulas. VOC follows its development kit, image by image, with the recalls k / 10 rather than
NumPy's multiples of 0.1, which are above 0.3, 0.6 and 0.7. WIDER follows its evaluation code, with
all 1000 thresholds tried one by one. No released library has LRP or LaECE alone.
"""

import contextlib
import io
import json
from fractions import Fraction

import numpy as np

from coco_evaluation import EXPECTED, Evaluation, coco_pair, versions, write

OPERATING_SCORE = 0.5
RATES = [0.125, 0.25, 0.5, 1, 2, 4, 8]


def matched(case):
    """Labels that count, and (score, IoU or nan) of the faces' detections that count, by pycocotools."""
    truth, found = coco_pair(case)
    evaluation = Evaluation(truth, found, "bbox")
    p = evaluation.params
    p.catIds, p.iouThrs, p.maxDets = [1], np.array([0.5]), [10**6]
    p.areaRng, p.areaRngLbl = [[0, 1e12]], ["all"]
    evaluation.evaluate()
    labelled, rows = 0, []
    for image in evaluation.evalImgs:
        if image is None:
            continue
        key = (image["image_id"], 1)
        indices = {g["id"]: i for i, g in enumerate(evaluation._gts[key])}
        labelled += int((~np.asarray(image["gtIgnore"], bool)).sum())
        for rank, score in enumerate(image["dtScores"]):
            if image["dtIgnore"][0][rank]:
                continue
            label = image["dtMatches"][0][rank]
            rows.append((score, evaluation.ious[key][rank, indices[label]] if label else np.nan))
    return labelled, np.array(rows).reshape(-1, 2)


def lrp(labelled, rows):
    true = ~np.isnan(rows[:, 1])
    missed = labelled - true.sum()
    if len(rows) + missed == 0:
        return None
    localisation = ((1 - rows[true, 1]) / (1 - 0.5)).sum()
    return float((localisation + (~true).sum() + missed) / (len(rows) + missed))


def calibration_error(scores, outcomes, bins):
    if len(scores) == 0:
        return None
    edges = np.array([k / bins for k in range(bins + 1)])
    error = 0.0
    for k in range(bins):
        inside = (scores <= edges[k + 1]) & ((scores > edges[k]) | (k == 0))
        if inside.any():
            error += inside.mean() * abs(scores[inside].mean() - outcomes[inside].mean())
    return float(error)


def ranked_metrics(case):
    labelled, rows = matched(case)
    kept = rows[rows[:, 0] >= OPERATING_SCORE]
    images = len(case["frames"])
    scores, true = rows[:, 0], ~np.isnan(rows[:, 1])
    froc = olrp = best_score = None
    if labelled:
        thresholds = np.unique(scores)
        recalls = [max([true[scores >= t].sum() / labelled for t in thresholds
                        if (~true[scores >= t]).sum() / images <= rate], default=0)
                   for rate in RATES]
        froc, olrp = float(np.mean(recalls)), 1.0
        errors = [(lrp(labelled, rows[scores >= t]), t) for t in thresholds[::-1]]
        for error, threshold in errors:
            if error < olrp:
                olrp, best_score = error, float(threshold)
    brier = float(((scores - true) ** 2).mean()) if len(rows) else None
    return [froc, lrp(labelled, kept), olrp, best_score,
            calibration_error(scores, true.astype(float), 10), brier,
            calibration_error(kept[:, 0], (~np.isnan(kept[:, 1])).astype(float), 20),
            calibration_error(kept[:, 0], np.nan_to_num(kept[:, 1]), 25)]


def inclusive_overlaps(box, others):
    """IoU of x, y, w, h with rows of the same, each side 1 longer."""
    left, top = np.maximum(box[0], others[:, 0]), np.maximum(box[1], others[:, 1])
    right = np.minimum(box[0] + box[2], others[:, 0] + others[:, 2])
    bottom = np.minimum(box[1] + box[3], others[:, 1] + others[:, 3])
    width, height = right - left + 1, bottom - top + 1
    shared = np.where((width > 0) & (height > 0), width * height, 0)
    areas = (others[:, 2] + 1) * (others[:, 3] + 1)
    return shared / ((box[2] + 1) * (box[3] + 1) + areas - shared)


def falling_area(recalls, precisions):
    recalls = np.concatenate([[0], recalls, [1]])
    precisions = np.concatenate([[0], precisions, [0]])
    envelope = np.maximum.accumulate(precisions[::-1])[::-1]
    steps = np.where(recalls[1:] != recalls[:-1])[0]
    return float(((recalls[steps + 1] - recalls[steps]) * envelope[steps + 1]).sum())


def voc_metrics(case, threshold):
    faces = {f: np.array([l[2:] for l in case["labels"] if l[0] == f and l[1] == 1]).reshape(-1, 7)
             for f in case["frames"]}
    labelled = sum(int(((r[:, 5] == 0) & (r[:, 6] == 0)).sum()) for r in faces.values())
    if labelled == 0:
        return [None, None]
    found = [d for f in sorted(case["frames"]) for d in case["detections"]
             if d[0] == f and d[1] == 1]
    taken = {f: np.zeros(len(r), bool) for f, r in faces.items()}
    true, false = [], []
    for k in np.argsort([-d[6] for d in found], kind="stable"):
        frame, rows = found[k][0], faces[found[k][0]]
        best, index = -np.inf, None
        if len(rows):
            overlaps = inclusive_overlaps(found[k][2:6], rows[:, :4])
            index, best = overlaps.argmax(), overlaps.max()
        if best >= threshold:
            if rows[index, 5] or rows[index, 6]:
                continue
            true.append(not taken[frame][index])
            taken[frame][index] = True
        else:
            true.append(False)
        false.append(not true[-1])
    recalled, wrong = np.cumsum(true), np.cumsum(false)
    recalls, precisions = recalled / labelled, recalled / np.maximum(recalled + wrong, 1)
    eleven = [max([p for hits, p in zip(recalled, precisions)
                   if Fraction(int(hits), labelled) >= Fraction(k, 10)], default=0)
              for k in range(11)]
    return [falling_area(recalls, precisions), float(np.mean(eleven))]


def wider_metrics(case):
    """AP of levels 0, 1, 2; level k counts the label in row i where (31 i + 17 k) mod 5 < 3."""
    images = {}
    for frame in case["frames"]:
        indices = [i for i, l in enumerate(case["labels"]) if l[0] == frame and l[1] == 1]
        found = np.array([d[2:] for d in case["detections"] if d[0] == frame and d[1] == 1])
        found = found.reshape(-1, 5)
        images[frame] = (indices, np.array([case["labels"][i][2:6] for i in indices]),
                           found[np.argsort(-found[:, 4], kind="stable")])
    scores = np.concatenate([f[:, 4] for _, _, f in images.values()])
    if not any(indices for indices, _, _ in images.values()):
        return [None] * 3
    values = []
    for level in range(3):
        counted = {f: np.array([(31 * i + 17 * level) % 5 < 3 for i in p[0]], bool)
                   for f, p in images.items()}
        total = sum(int(c.sum()) for c in counted.values())
        if total == 0 or (len(scores) and scores.max() == scores.min()):
            values.append(None)
            continue
        if len(scores) == 0:
            values.append(0.0)
            continue
        sums = np.zeros((1000, 2))
        for frame, (indices, boxes, found) in images.items():
            if not indices or not len(found):
                continue
            stretched = (found[:, 4] - scores.min()) / (scores.max() - scores.min())
            recall_list = np.zeros(len(indices))
            proposals, recalled = np.ones(len(found)), np.zeros(len(found))
            for h, row in enumerate(found):
                overlaps = inclusive_overlaps(row[:4], boxes)
                best = overlaps.argmax()
                if overlaps[best] >= 0.5:
                    if not counted[frame][best]:
                        recall_list[best], proposals[h] = -1, -1
                    elif recall_list[best] == 0:
                        recall_list[best] = 1
                recalled[h] = (recall_list == 1).sum()
            for t in range(1000):
                reached = np.where(stretched >= 1 - (t + 1) / 1000)[0]
                if len(reached):
                    sums[t] += [(proposals[: reached[-1] + 1] == 1).sum(), recalled[reached[-1]]]
        precisions = np.where(sums[:, 0] > 0, sums[:, 1] / np.maximum(sums[:, 0], 1), 0)
        values.append(falling_area(sums[:, 1] / total, precisions))
    return values


def main():
    inputs = json.loads((EXPECTED / "coco_random.json").read_text())["cases"]
    names = ["froc", "lrp", "olrp", "olrp.score", "ece", "brier", "d_ece", "la_ece",
             "voc.ap", "voc.ap11", "wider.easy", "wider.medium", "wider.hard"]
    cases, loose = [], []
    with contextlib.redirect_stdout(io.StringIO()):
        for case in inputs:
            cases.append(ranked_metrics(case) + voc_metrics(case, 0.5) + wider_metrics(case))
            loose.append(voc_metrics(case, 0.3))
    write("detection_metrics.json",
          {"versions": versions(), "operatingScore": OPERATING_SCORE,
           "names": [f"detection.{n}" for n in names], "cases": cases, "vocAtThreeTenths": loose})


if __name__ == "__main__":
    main()
