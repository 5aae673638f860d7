"""Expected values for ScoreCurve and ThresholdSearch: scikit-learn's curves, areas and metrics.

    python score_curves.py

writes expected/score_curves.json. The best thresholds are found by trying each score.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.metrics import (balanced_accuracy_score, det_curve,
                             fbeta_score, precision_recall_curve, roc_curve)

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 120
LEVELS = [2, 8, 64, 1 << 20]
OBJECTIVES = ["f1", "f0.5", "f2", "balanced_accuracy", "cost"]


def random_case(seed):
    """Scores with ties, truths, and weights that are all 1 in half of the cases; both classes are there."""
    stream = CaseStream(seed)
    count, levels = 2 + stream.below(30), LEVELS[stream.below(len(LEVELS))]
    is_weighted = stream.below(2) == 1
    scores, truths, weights = [], [], []
    for index in range(count):
        truth = stream.below(2) if index > 1 else index
        low = stream.below(levels + 1)
        high = stream.below(levels + 1)
        scores.append((max(low, high) if truth else low) / levels)
        truths.append(truth)
        weights.append(1 + stream.below(4) if is_weighted else 1)
    return np.array(scores), np.array(truths), np.array(weights, float)


def best(values, thresholds, sign):
    """The best of the values; of those that are equal but for rounding the highest threshold."""
    values = np.array(values) * sign
    equal = values >= values.max() - 1e-12
    return float(np.max(thresholds[equal]))


def expected(seed):
    scores, truths, weights = random_case(seed)
    precision, recall, at = precision_recall_curve(truths, scores, sample_weight=weights,
                                                   drop_intermediate=False)
    false_rate, true_rate, _ = roc_curve(truths, scores, sample_weight=weights,
                                         drop_intermediate=False)
    thresholds = np.unique(scores)[::-1]
    # From the highest threshold down; scikit-learn's points of no threshold are left out.
    assert np.array_equal(at[::-1], thresholds)
    det_false, det_miss, det_at = det_curve(truths, scores, sample_weight=weights)
    positions = {float(t): k for k, t in enumerate(thresholds)}
    for x, y, t in zip(det_false, det_miss, det_at):
        if float(t) in positions:
            k = positions[float(t)] + 1
            assert abs(false_rate[k] - x) < 1e-12 and abs(1 - true_rate[k] - y) < 1e-12
    metrics = {name: [] for name in OBJECTIVES}
    recalls, wrongs = [], []
    for threshold in thresholds:
        decided = scores >= threshold
        for beta in ("1", "0.5", "2"):
            metrics["f" + beta].append(fbeta_score(truths, decided, beta=float(beta),
                                                   sample_weight=weights, zero_division=np.nan))
        metrics["balanced_accuracy"].append(
            balanced_accuracy_score(truths, decided, sample_weight=weights))
        wrong = weights[decided & (truths == 0)].sum()
        missed = weights[~decided & (truths == 1)].sum()
        metrics["cost"].append((2 * wrong + 5 * missed) / weights.sum())
        recalls.append(1 - missed / weights[truths == 1].sum())
        wrongs.append(wrong)
    limit = np.array(wrongs) <= 3
    limited = best(np.where(limit, recalls, -1), thresholds, 1) if limit.any() else None
    return {
        "precision": precision[:-1][::-1].tolist(), "recall": recall[:-1][::-1].tolist(),
        "falseRate": false_rate[1:].tolist(), "metrics": [metrics[n] for n in OBJECTIVES],
        "best": [best(metrics[n], thresholds, -1 if n == "cost" else 1) for n in OBJECTIVES],
        "limited": limited}


def main():
    content = {"versions": {n: version(n) for n in ("numpy", "scikit-learn")},
               "objectives": OBJECTIVES, "cases": [expected(s) for s in range(CASES)]}
    (EXPECTED / "score_curves.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
