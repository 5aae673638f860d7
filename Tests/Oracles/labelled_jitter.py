"""Expected normalised mean jitter, from its definition in NumPy.

    python labelled_jitter.py

writes expected/labelled_jitter.json for LabelledJitter; the clips follow from the case's number.
"""

import json
from pathlib import Path

import numpy as np

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 240


def sequence(stream):
    """Frames as analysed or not, and faces: person to points, visibility and prediction or None."""
    is_video, is_flat = stream.below(6) > 0, stream.below(12) == 0
    length, people, noise = [0, 1, 8, 25][stream.below(4)], 1 + stream.below(2), stream.below(6)
    shapes = [np.array([[0.0, 0.0] if is_flat else [stream.between(-60, 60), stream.between(-60, 60)]
                        for _ in range(68)]) for _ in range(people)]
    frames = []
    for index in range(length):
        is_analysed, faces = stream.below(25) > 0, {}
        for person, shape in enumerate(shapes):
            center = np.array([200 + 700 * person + stream.between(-5, 5), 300 + stream.between(-5, 5)])
            points = shape * (1 + index / 64) + center
            visibility = np.array([min(stream.below(12), 2) for _ in range(68)])
            offsets = np.array([[stream.between(-noise, noise) if noise else 0 for _ in range(2)]
                                for _ in range(68)])
            is_there, is_found = stream.below(9) > 0, stream.below(9) > 0 and not is_flat
            if is_there:
                faces[person] = (points, visibility, points + offsets if is_found else None)
        frames.append((is_analysed, faces))
    return is_video, frames


def square(before, now):
    """Of one person in two frames; None where a prediction or the length is missing."""
    if before[2] is None or now[2] is None:
        return None
    sides = np.ptp(before[0][before[1] > 0], axis=0)
    if sides.prod() == 0:
        return None
    known = (before[1] > 0) & (now[1] > 0)
    change = (before[0] - before[2]) - (now[0] - now[2])
    jitter = 100 * np.linalg.norm(change[known], axis=1) / np.sqrt(sides.prod() / 256 ** 2)
    return (jitter ** 2).mean()


def case(number):
    stream = CaseStream(7000 + number)
    values = []
    for is_video, frames in [sequence(stream) for _ in range(stream.below(4))]:
        squares = []
        for (first_ran, before), (then_ran, now) in zip(frames, frames[1:]):
            if is_video and first_ran and then_ran:
                squares += [square(before[person], now[person]) for person in before if person in now]
        squares = [value for value in squares if value is not None]
        if squares:
            values.append(np.sqrt(np.mean(squares)))
    return [float(np.mean(values)) if values else None]


def main():
    content = {"versions": {"numpy": np.__version__}, "names": ["jitter.nmj"],
               "cases": [case(number) for number in range(CASES)]}
    (EXPECTED / "labelled_jitter.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
