"""Expected metrics of expressions, from scikit-learn with soft labels as sample weights.

    python expression_metrics.py

writes expected/expression_metrics.json for ExpressionAccuracy and ExpressionClassification; faces follow from the case's number.
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
METRICS = ["f1", "precision", "recall", "balanced_accuracy", "mcc", "auroc"]


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


def measured(faces, name):
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


def counted(votes):
    """FER+: single votes are mistakes."""
    return {name: n if n > 1 else 0 for name, n in votes.items()}


def soft_labels(votes):
    """FER+'s distribution for cross entropy (Barsoum et al. 2016, section 3.4); None where it is for nothing."""
    votes = counted(votes)
    whole, rest, taken = sum(votes.values()), dict(votes), {}
    while sum(taken.values()) < 0.75 * whole and len(taken) < 3:
        max_votes = max(rest.values())
        leaders = [name for name in VOTED if rest.get(name) == max_votes]
        taken.update({name: rest.pop(name) for name in leaders if name not in ("unknown", "NF")})
        if "unknown" in leaders or "NF" in leaders:
            break
    if sum(taken.values()) <= 0.5 * whole or len(taken) > 3:
        return None
    return {name: n / sum(taken.values()) for name, n in taken.items()}


def predicted(reading):
    """The active expression farthest beyond its threshold, neutral where no other is; None where one is not known."""
    values, active = reading
    if None in active.values():
        return "missed"
    known = [name for name in EXPRESSIONS if active[name] and name != "neutral"]
    return max(known, key=values.get) if known else "neutral"


def classification(faces):
    """Accuracy, macro F1 and how many faces count."""
    if not faces:
        return [None, None, 0]
    truth, guess = zip(*faces)
    if set(guess) == {"missed"}:
        return [None, None, len(faces)]
    names = sorted((set(truth) | set(guess)) - {"missed"})
    return [metrics.accuracy_score(truth, guess),
            metrics.f1_score(truth, guess, labels=names, average="macro", zero_division=0), len(faces)]


def case(number):
    stream = CaseStream(9000 + number)
    count, misses, few = stream.below(40), stream.below(3) > 0, stream.below(4) == 0
    faces, undecided, classes = [], 0, []
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
            winner = word
        else:
            n = counted(votes)
            winner = next((w for w in VOTED if 2 * n[w] > sum(n.values())), None)
            weights = soft_labels(votes)
            shares = None if weights is None else {
                name: sum(n for word, n in weights.items() if word in words)
                for name, words in EXPRESSIONS.items()}
        label = next((name for name, words in EXPRESSIONS.items() if winner in words), None)
        if label:
            classes.append((label, "missed" if reading is None else predicted(reading)))
        if shares is None:
            undecided += 1
            continue
        faces.append((shares, reading))
    found = sum(face[1] is not None for face in faces)
    row = [found / len(faces) if faces else None,
           float(undecided) if faces or undecided else None]
    for name in EXPRESSIONS:
        values = measured(faces, name) if found else [None] * len(METRICS)
        row += [None if value is None else float(value) for value in values]
    return row, classification(classes)


def main():
    names = ["found_share", "undecided_votes"] + [f"{e}.{f}" for e in EXPRESSIONS for f in METRICS]
    rows = [case(number) for number in range(150)]
    content = {"versions": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
               "names": ["expressions." + name for name in names],
               "cases": [row for row, _ in rows], "classes": [row for _, row in rows]}
    (EXPECTED / "expression_metrics.json").write_text(
        json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
