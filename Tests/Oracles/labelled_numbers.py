"""Expected metrics of labelled numbers, from scikit-learn, SciPy, pingouin and NumPy.

    python labelled_numbers.py

writes expected/labelled_numbers.json for AttributeAccuracy: numbers, decisions, angles and directions with
missed faces; the inputs follow from the case's number.
"""

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy import stats
from scipy.spatial.transform import Rotation
from sklearn import metrics

from blendshape_agreement import agreement
from case_stream import CaseStream

warnings.filterwarnings("ignore")
CASES = 100
NUMBERS = ["mae", "rmse", "bias", "pcc", "ccc", "icc31"]
DECISIONS = ["f1", "precision", "recall", "balanced_accuracy", "mcc", "auroc"]


def names(kind):
    def pairs(items):
        return [item + end for item in items for end in ("", ".conditional")]
    own, means = {
        "number": (["found_share", *pairs(NUMBERS)], pairs(["pcc", "ccc", "icc31"])),
        "binary": (["found_share", "prevalence", *DECISIONS], ["f1", "auroc"]),
        "angle": (["found_share", *pairs(["angle", "angle_bias"])], []),
        "direction": (["found_share", *pairs(["angle"])], []),
    }[kind]
    return [f"attributes.x.{name}" for name in own] + [f"attributes.{name}" for name in means]


def share(missed):
    return [None if not len(missed) else float(np.mean(~missed))]


def in_pairs(values, missed):
    """Each value where no face was missed, then the value over found faces."""
    return [v for value in values for v in (None if missed.any() else value, value)]


def number_case(number):
    stream = CaseStream(7000 + number)
    kind, n, step = stream.below(6), stream.below(40), [1, 8, 32][stream.below(3)]
    misses = stream.below(3) > 0
    p, g, missed = [], [], []
    for _ in range(n):
        a, b = stream.below(72) // step * step / 64, stream.below(72) // step * step / 64
        missed.append(stream.below(6) == 0 and misses)
        g.append(0.25 if kind in (1, 3) else a)
        p.append(0.5 if kind in (2, 3) else a if kind == 4 else b)
    p, g, missed = np.array(p), np.array(g), np.array(missed, bool)
    if number % 2:
        p = 2 * p - 0.5
    x, y = p[~missed], g[~missed]
    if not len(x):
        values = [None] * 6
    else:
        bias, mae, rmse, pcc, ccc, icc = agreement(x, y)
        values = [mae, rmse, bias] + ([None] * 3 if np.ptp(y) == 0 else [pcc, ccc, icc])
    return share(missed) + in_pairs(values, missed) + in_pairs(values[3:], missed)


def binary_case(number):
    stream = CaseStream(7200 + number)
    n, step, kind = stream.below(40), [1, 8, 32][stream.below(3)], stream.below(6)
    misses = stream.below(3) > 0
    g, p, missed = [], [], []
    for _ in range(n):
        g.append(4 if kind == 1 else stream.below(6))
        p.append(1.0 if kind == 2 else stream.below(72) // step * step / 64)
        missed.append(stream.below(6) == 0 and misses)
    missed = np.array(missed, bool)
    if n == 0:
        return [None] * len(names("binary"))
    yes = np.array(g) > 1
    if missed.all():
        return [0.0, float(yes.mean())] + [None] * 8
    score = np.array(p) if number % 2 else -np.array(p)
    said = (np.array(p) > 0.5 if number % 2 else np.array(p) <= 0.5) & ~missed
    score[missed] = -99
    keep = ~missed | yes  # A missed face is no success for what it is not.
    yes_kept, said, score = yes[keep], said[keep], score[keep]
    both = len(set(yes_kept)) == 2
    values = [
        float(metrics.f1_score(yes_kept, said)) if (yes_kept | said).any() else None,
        float(metrics.precision_score(yes_kept, said)) if said.any() else None,
        float(metrics.recall_score(yes_kept, said)) if yes_kept.any() else None,
        float(metrics.balanced_accuracy_score(yes_kept, said)) if both else None,
        float(metrics.matthews_corrcoef(yes_kept, said)) if both and len(set(said)) == 2 else None,
        float(metrics.roc_auc_score(yes_kept, score)) if both else None]
    return share(missed) + [float(yes.mean())] + values + [values[0], values[5]]


def angle_case(number):
    stream = CaseStream(7400 + number)
    n, misses = stream.below(30), stream.below(3) > 0
    g, p, missed = [], [], []
    for _ in range(n):
        g.append(stream.below(800) / 64 - 6)
        p.append(stream.below(800) / 64 - 6 if number % 2 else 8 * stream.below(90) - 360.0)
        missed.append(stream.below(6) == 0 and misses)
    missed = np.array(missed, bool)
    turns = (np.degrees(p) if number % 2 else np.array(p)) - np.degrees(g)
    turns = turns[~missed]
    values = [None, None]
    if len(turns):
        size = Rotation.from_euler("z", turns[:, None], degrees=True).magnitude()
        values = [float(np.degrees(size).mean()), float(stats.circmean(turns, high=180, low=-180))]
    return share(missed) + in_pairs(values, missed)


def direction_case(number):
    stream = CaseStream(7600 + number)
    n, misses = stream.below(20), stream.below(3) > 0
    angles, missed = [], []
    for _ in range(n):
        vector = [stream.below(9) - 4.0, stream.below(9) - 4.0, 1.0 + stream.below(4)]
        yaw, pitch = stream.below(128) / 64 - 1, stream.below(128) / 64 - 1
        missed.append(stream.below(6) == 0 and misses)
        # z towards yaw 0, x towards positive yaw, y towards positive pitch.
        ahead = Rotation.from_euler("YX", [yaw, -pitch]).apply([0, 0, 1])
        turn, _ = Rotation.align_vectors([vector], [ahead])
        angles.append(np.degrees(turn.magnitude()))
    missed = np.array(missed, bool)
    found = np.array(angles)[~missed] if n else np.array([])
    return share(missed) + in_pairs([float(found.mean()) if len(found) else None], missed)


def main():
    makers = {"number": number_case, "binary": binary_case, "angle": angle_case,
              "direction": direction_case}
    versions = {m: version(m) for m in ("numpy", "pingouin", "scipy", "scikit-learn")}
    content = {kind: {"versions": versions, "names": names(kind),
                      "cases": [make(number) for number in range(CASES)]}
               for kind, make in makers.items()}
    path = Path(__file__).parent / "expected" / "labelled_numbers.json"
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
