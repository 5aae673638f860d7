"""Expected matches of labelled and predicted faces, from scipy's assignment.

    python face_matching.py

writes expected/face_matching.json for FaceMatching; the boxes follow from the case's number.
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import linear_sum_assignment

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 300


def boxes(stream, crowded):
    """Up to seven boxes about a few centres, as left, top, width, height."""
    result = []
    for _ in range(stream.below(8)):
        center = 60 * stream.below(3 if crowded else 7)
        result.append([center + stream.between(0, 16), stream.between(0, 16),
                       stream.between(36, 60) if stream.below(12) else 0.0,
                       stream.between(36, 60)])
    return result


def areas(first, second):
    width = min(first[0] + first[2], second[0] + second[2]) - max(first[0], second[0])
    height = min(first[1] + first[3], second[1] + second[3]) - max(first[1], second[1])
    shared = width * height if width > 0 and height > 0 else 0.0
    return shared, first[2] * first[3] + second[2] * second[3] - shared


def assign(labels, rows, faces, columns):
    overlap = np.zeros((len(rows), len(columns)))
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            shared, union = areas(labels[row], faces[column])
            overlap[i, j] = shared / union if union > 0 else 0.0
    overlap[overlap < 0.5] = 0
    pairs = zip(*linear_sum_assignment(overlap, maximize=True))
    return [[rows[i], columns[j], overlap[i, j]] for i, j in pairs if overlap[i, j] > 0]


def case(number):
    stream = CaseStream(number)
    crowded = number % 2 == 0
    labels, faces = boxes(stream, crowded), boxes(stream, crowded)
    kinds = [stream.below(8) for _ in labels]  # 6: ignored, 7: crowd
    counted = [i for i, kind in enumerate(kinds) if kind < 6]
    matches = assign(labels, counted, faces, list(range(len(faces))))
    free = [j for j in range(len(faces)) if j not in [m[1] for m in matches]]
    single = [i for i, kind in enumerate(kinds) if kind == 6]
    ignored = [m[1] for m in assign(labels, single, faces, free)]
    for j in free:
        area = faces[j][2] * faces[j][3]
        if j not in ignored and area > 0 and any(
                areas(labels[i], faces[j])[0] >= 0.5 * area
                for i, kind in enumerate(kinds) if kind == 7):
            ignored.append(j)
    return {
        "matches": [m[:2] for m in sorted(matches)],
        "total": sum(m[2] for m in matches),
        "missed": [i for i in counted if i not in [m[0] for m in matches]],
        "unmatched": [j for j in free if j not in ignored],
        "ignored": sorted(ignored),
    }


def crowd(number):
    """The largest sum of IoUs of 300 labels and 250 faces that all lie within a few pixels of one another."""
    stream = CaseStream(number)
    labels, faces = ([[stream.between(0, 24), stream.between(0, 24), stream.between(36, 60), stream.between(36, 60)]
                      for _ in range(count)] for count in (300, 250))
    return sum(match[2] for match in assign(labels, list(range(300)), faces, list(range(250))))


def main():
    content = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__},
               "cases": [case(number) for number in range(CASES)],
               "crowds": [crowd(CASES + number) for number in range(4)]}
    (EXPECTED / "face_matching.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
