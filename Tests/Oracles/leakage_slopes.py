"""Expected slopes of coefficients on the head and on each other, from NumPy's least squares.

    python leakage_slopes.py

writes expected/leakage_slopes.json for LeakageSlopes; the inputs follow from the case's number. Each clip has
a constant of its own in the regression, the other variables are as they are.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

from case_stream import CaseStream

CASES = 40
MOVING = 4


def rounded(numbers):
    return [round(float(number), 12) for number in numbers]


def case(number):
    stream = CaseStream(8000 + number)
    rows, clip = [], []
    for index in range(2 + stream.below(3)):
        shift = stream.below(32) / 64
        for _ in range(30 + stream.below(20)):
            angles = np.array([stream.between(-40, 40), stream.between(-20, 20),
                               stream.between(-15, 15)])
            noise = [stream.below(64) / 64 for _ in range(MOVING)]
            coefficients = [noise[0] + shift, (noise[0] + noise[1]) / 2,
                            noise[2] / 2 + shift + angles[0] / 128, (noise[3] + noise[1]) / 4]
            rows.append([*coefficients, *(angles / 10), *(abs(angles) / 10)])
            clip.append(index)
    x, clip = np.array(rows), np.array(clip)
    constants = (clip[:, None] == np.arange(clip.max() + 1)).astype(float)

    def slopes(outcome, predictors):
        design = np.column_stack([x[:, predictors], constants])
        found = np.linalg.lstsq(design, x[:, outcome], rcond=None)[0]
        within = x[:, outcome] - constants @ np.linalg.lstsq(constants, x[:, outcome], rcond=None)[0]
        rest = x[:, outcome] - design @ found
        return found[:len(predictors)], 1 - (rest @ rest) / (within @ within)

    angles = list(range(MOVING, MOVING + 6))
    turns = [slopes(outcome, angles) for outcome in range(MOVING)]
    mutual = []
    for outcome in range(MOVING):
        others = [v for v in range(MOVING + 6) if v != outcome]
        mutual.append(np.insert(slopes(outcome, others)[0], outcome, 0.0))
    return {"turns": [rounded(turn[0]) for turn in turns],
            "explained": rounded([turn[1] for turn in turns]),
            "mutual": [rounded(row) for row in mutual]}


def main():
    content = {"versions": {"numpy": version("numpy")}, "cases": [case(n) for n in range(CASES)]}
    path = Path(__file__).parent / "expected" / "leakage_slopes.json"
    text = json.dumps(content, separators=(",", ":"))
    path.write_text(text + "\n")


if __name__ == "__main__":
    main()
