"""Expected figures of expressions, from scikit-learn with soft labels as sample weights.

    python expression_figures.py

writes expected/expression_figures.json for ExpressionAccuracy; faces follow from the case's number.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn import metrics

from case_stream import CaseStream

warnings.filterwarnings("ignore")
EXPECTED = Path(__file__).parent / "expected"
EXPRESSIONS = {"happy": {"happy", "happiness"}, "sad": {"sad", "sadness"},
               "angry": {"angry", "anger"}, "neutral": {"neutral"}, "smirk": {"contempt"}}
WORDS = ["happiness", "sadness", "anger", "neutral", "contempt", "surprise"]
VOTED = ["happiness", "sadness", "anger", "neutral", "contempt", "unknown", "NF"]
FIGURES = ["f1", "precision", "recall", "balanced_accuracy", "mcc", "auroc"]


def read(c):
    """Scores and decisions from smile left and right, frown l r, brow l r, jaw; None is not known."""
    values = {"happy": max(c[0:2]) - 0.3, "sad": max(c[2:4]) - 0.3, "angry": max(c[4:6]) - 0.3,
              "neutral": 0.3 - max(c), "smirk": (c[0] - c[1]) / 2 - 0.1 - 0.05}
    for name, parts in (("happy", c[0:2]), ("sad", c[2:4]), ("angry", c[4:6]), ("neutral", c),
                        ("smirk", c[0:2])):
        if np.isnan(parts).any():
            values[name] = None
    active = {name: None if value is None else value > 0 for name, value in values.items()}
    others = [active[name] for name in active if name != "neutral"]
    rests = values["neutral"] is not None and values["neutral"] >= 0
    active["neutral"] = True if rests else False if True in others else None if None in others \
        else True
    return values, active


def figures(faces, name):
    truth, decided, score, weight = [], [], [], []

    def add(*row):
        if row[3] > 0:
            for column, value in zip((truth, decided, score, weight), row):
                column.append(value)

    for shares, reading in faces:
        share = shares[name]
        if reading is None or reading[0][name] is None or reading[1][name] is None:
            add(1, 0, -1e6, share)
        else:
            add(1, int(reading[1][name]), reading[0][name], share)
            add(0, int(reading[1][name]), reading[0][name], 1 - share)
    keys = {"sample_weight": weight}
    both = len(set(truth)) == 2
    return [
        metrics.f1_score(truth, decided, **keys) if sum(truth) + sum(decided) else None,
        metrics.precision_score(truth, decided, **keys) if sum(decided) else None,
        metrics.recall_score(truth, decided, **keys) if sum(truth) else None,
        metrics.balanced_accuracy_score(truth, decided, **keys) if both else None,
        metrics.matthews_corrcoef(truth, decided, **keys)
        if both and len(set(decided)) == 2 else None,
        metrics.roc_auc_score(truth, score, **keys) if both else None]


def case(number):
    stream = CaseStream(9000 + number)
    count, misses, few = stream.below(40), stream.below(3) > 0, stream.below(4) == 0
    faces, undecided = [], 0
    for _ in range(count):
        kind, missed = stream.below(5), stream.below(7) == 0 and misses
        coefficients = [stream.below(3) * 0.25 if few else stream.below(64) / 64 for _ in range(7)]
        quiet, hole = stream.below(4) == 0, stream.below(40)
        if quiet:
            coefficients = [value / 4 for value in coefficients]
        if hole < 7:
            coefficients[hole] = np.nan
        word = WORDS[stream.below(len(WORDS))]
        votes = {name: stream.below(5) for name in VOTED}
        reading = None if missed else read(np.array(coefficients))
        if kind == 0:
            continue
        if kind < 3 or not any(votes.values()):
            shares = {name: float(word in words) for name, words in EXPRESSIONS.items()}
        else:
            most = max(votes.values())
            leaders = [name for name, n in votes.items() if n == most]
            if len(leaders) > 1 or leaders[0] in ("unknown", "NF"):
                undecided += 1
                continue
            total = sum(votes.values())
            shares = {name: sum(n for word, n in votes.items() if word in words) / total
                      for name, words in EXPRESSIONS.items()}
        faces.append((shares, reading))
    found = sum(face[1] is not None for face in faces)
    row = [found / len(faces) if faces else None,
           float(undecided) if faces or undecided else None]
    for name in EXPRESSIONS:
        values = figures(faces, name) if found else [None] * len(FIGURES)
        row += [None if value is None else float(value) for value in values]
    return row


def main():
    names = ["found_share", "undecided_votes"] + [f"{e}.{f}" for e in EXPRESSIONS for f in FIGURES]
    content = {"versions": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
               "names": ["expressions." + name for name in names],
               "cases": [case(number) for number in range(150)]}
    (EXPECTED / "expression_figures.json").write_text(
        json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
