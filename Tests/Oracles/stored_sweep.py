"""Expected counts of sweeps over stored faces: thresholds and suppression by NumPy, matching by SciPy.

    python stored_sweep.py

writes expected/stored_sweep.json for StoredSweepTests; inputs follow from the case's number.
"""

import itertools
import json
from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import linear_sum_assignment

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
SCORES = [0.125, 0.375, 0.625]
PRESENCES = [0.0, 0.25, 0.5]
OVERLAPS = [0.25, 0.5, 1.0]
SIDE = 16


def frames(number):
    """For each frame the left edges of labels, and of predictions x, y, score and presence."""
    stream = CaseStream(52_000 + number)
    made = []
    for _ in range(2 + stream.below(4)):
        labels = [40 * place for place in range(4) if stream.below(4) > 0]
        given = []
        for place in range(5):
            for _ in range(stream.below(4)):
                given.append((40 * place + stream.below(9), stream.below(5),
                              stream.below(65) / 64, stream.below(65) / 64))
        made.append((labels, given))
    return made


def overlaps(first, second):
    """IoU of squares of one side, by their upper left corners."""
    first, second = np.asarray(first, float).reshape(-1, 2), np.asarray(second, float).reshape(-1, 2)
    shared = np.clip(SIDE - np.abs(first[:, None, :] - second[None, :, :]), 0, None).prod(axis=2)
    return shared / (2 * SIDE * SIDE - shared)


def kept(given, score, presence, overlap):
    rest = [one for one in given if one[2] >= score and one[3] >= presence]
    rest.sort(key=lambda one: -one[2])
    chosen = []
    while rest:
        best, rest = rest[0], rest[1:]
        chosen.append(best)
        if rest:
            near = overlaps([best[:2]], [one[:2] for one in rest])[0]
            rest = [one for one, iou in zip(rest, near) if iou <= overlap]
    return chosen


def counts(number, score, presence, overlap):
    found = wrong = labelled = 0
    for labels, given in frames(number):
        faces = kept(given, score, presence, overlap)
        weights = overlaps([(x, 0) for x in labels], [one[:2] for one in faces])
        weights[weights < 0.5] = 0
        rows, columns = linear_sum_assignment(weights, maximize=True)
        matched = int((weights[rows, columns] > 0).sum())
        found += matched
        wrong += len(faces) - matched
        labelled += len(labels)
    return [found, wrong, labelled]


if __name__ == "__main__":
    settings = list(itertools.product(SCORES, PRESENCES, OVERLAPS))
    written = {
        "scipy": scipy.__version__,
        "numpy": np.__version__,
        "settings": settings,
        "counts": [[counts(number, *setting) for setting in settings] for number in range(30)],
    }
    path = EXPECTED / "stored_sweep.json"
    path.write_text(json.dumps(written, separators=(",", ":")) + "\n")
    print(f"{path.name}: {len(written['counts'])} cases of {len(settings)} settings")
