"""Expected corrections of blendshapes: NumPy's solution of the ridge regressions.

    python blendshape_corrections.py

writes expected/blendshape_corrections.json: for each case the offset, gain and crosstalk of jawOpen and both
eyelids (null where the coefficient stays as it is), for predictions and labels that the case's seed makes.
"""

import json
from pathlib import Path

import numpy as np

from case_stream import CaseStream

CASES = 150
NAMES = ["eyeBlinkLeft", "eyeBlinkRight", "jawOpen"]
RIDGES = [0.0, 1e-3, 0.1]


def random_case(seed):
    """Labels and predictions [n, 3] in multiples of 1/1024, the rest, and the ridge; kinds as in the Swift test."""
    stream = CaseStream(seed)
    count, kind = 15 + stream.below(60), stream.below(8)
    ridge = RIDGES[stream.below(3)]
    gains = [(1 + stream.below(2048)) / 1024 for _ in range(3)]
    cross = [stream.below(512) / 1024 for _ in range(2)]
    rest = [stream.below(128) / 1024 for _ in range(3)]
    labels = np.zeros((count, 3))
    predicted = np.zeros((count, 3))
    for row in range(count):
        values = [stream.below(1024) / 1024 for _ in range(3)]
        noise = [stream.below(64) / 1024 for _ in range(3)]
        if kind == 1:
            values[1] = values[0]
        if kind == 2:
            values[2] = 0.5
        labels[row] = values
        mixed = [gains[0] * values[0] + cross[0] * values[1], gains[1] * values[1] + cross[1] * values[0],
                 gains[2] * values[2]]
        if kind == 3:
            mixed[2] = -mixed[2]
        predicted[row] = [np.floor(1024 * m) / 1024 + r + n for m, r, n in zip(mixed, rest, noise)]
        if kind == 4:
            predicted[row, 1] = 0.25
        if kind == 5 and row % 5 == 0:
            labels[row, stream.below(3)] = np.nan
        if kind == 6 and row % 7 == 0:
            predicted[row, stream.below(3)] = np.nan
    return labels, predicted, np.array(rest), ridge


def solve(inputs, outputs, ridge):
    centred = inputs - inputs.mean(axis=0)
    share = ridge * np.mean(np.var(inputs, axis=0)) * len(inputs)
    matrix = centred.T @ centred + share * np.eye(inputs.shape[1])
    if np.linalg.cond(matrix) > 1e12:
        return None
    weights = np.linalg.solve(matrix, centred.T @ (outputs - outputs.mean(axis=0)))
    return weights, outputs.mean(axis=0) - inputs.mean(axis=0) @ weights


def fit(columns, labels, predicted, rest, ridge):
    keep = np.isfinite(labels[:, columns]).all(axis=1) & np.isfinite(predicted[:, columns]).all(axis=1)
    known, given = labels[keep][:, columns], predicted[keep][:, columns]
    if keep.sum() < 20 or (np.var(known, axis=0) < 1e-6).any() or (np.var(given, axis=0) < 1e-6).any():
        return None
    return solve(given - rest[columns], known, ridge)


def corrections(labels, predicted, rest, ridge):
    found = dict.fromkeys(NAMES)
    # Sides that are always labelled alike cannot be told apart: each is fitted alone.
    differ = (np.isfinite(labels[:, :2]) & np.isfinite(predicted[:, :2])).all(axis=1) & (labels[:, 0] != labels[:, 1])
    sides = fit([0, 1], labels, predicted, rest, ridge) if differ.any() else None
    single = [2]
    if sides is not None and sides[0][0, 0] > 0 and sides[0][1, 1] > 0:
        weights, constant = sides
        found[NAMES[0]] = [constant[0], weights[0, 0], weights[1, 0]]
        found[NAMES[1]] = [constant[1], weights[1, 1], weights[0, 1]]
    else:
        single = [0, 1, 2]
    for column in single:
        line = fit([column], labels, predicted, rest, ridge)
        if line is not None and line[0][0, 0] > 0:
            found[NAMES[column]] = [line[1][0], line[0][0, 0], 0.0]
    return found


def main():
    cases = [corrections(*random_case(seed)) for seed in range(CASES)]
    content = {"versions": {"numpy": np.__version__}, "cases": cases}
    path = Path(__file__).parent / "expected" / "blendshape_corrections.json"
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n")
    print(sum(1 for c in cases for v in c.values() if v is None), "stay as they are")


if __name__ == "__main__":
    main()
