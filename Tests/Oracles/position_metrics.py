"""Expected errors of head positions, from NumPy's least squares and scipy.spatial.transform.Rotation.

    python position_metrics.py

writes expected/position_metrics.json for HeadPosition; the poses follow from the case's number: rotations are matrices of
quaternions of whole numbers with their scale, translations multiples of 1/64, which float32 holds exactly.
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.spatial.transform import Rotation

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
NAMES = ["position", "position.aligned", "distance", "distance.relative", "distance.bias", "distance.slope",
         "distance.offset", "distance.drift"]


def drift(tracks, seconds, errors):
    """The slope per minute of a line with an intercept for each track."""
    keep = [i for i, track in enumerate(tracks) if track is not None]
    kept = sorted({tracks[i] for i in keep})
    if all(len({seconds[i] for i in keep if tracks[i] == track}) < 2 for track in kept):
        return None
    columns = [[seconds[i] / 60, *[float(tracks[i] == track) for track in kept]] for i in keep]
    return float(np.linalg.lstsq(np.array(columns), np.array(errors)[keep], rcond=None)[0][0])


def case(number):
    stream = CaseStream(9000 + number)
    count, misses, alike = stream.below(24), stream.below(3) > 0, stream.below(4) == 0
    faces, frame = [], 0
    for frame in range(count):
        video = stream.below(4) > 0
        sequence, identity = stream.below(2), stream.below(3) - 1
        labelled = [stream.between(-20, 20), stream.between(-15, 15), -40 if alike else stream.between(-90, -30)]
        told = [value + stream.between(-4, 4) for value in labelled]
        turn = [6] + [stream.below(9) - 4 for _ in range(3)]
        missed, unplaced = stream.below(6) == 0 and misses, stream.below(12) == 0
        if not unplaced:
            faces.append((np.array(labelled), None if missed else np.array(told), Rotation.from_quat([*turn[1:], turn[0]]),
                          (sequence, identity) if video else None, frame / 32))
    found = [face for face in faces if face[1] is not None]
    if not found:
        return [None] * 2 * len(NAMES)
    labelled, told = np.array([face[0] for face in found]), np.array([face[1] for face in found])
    far, said = np.linalg.norm(labelled, axis=1), np.linalg.norm(told, axis=1)
    errors = said - far
    values = [np.linalg.norm(told - labelled, axis=1).mean()]
    aligned = None
    if len(found) > 1:
        turns = Rotation.concatenate([face[2] for face in found])
        origin = turns.inv().apply(labelled - told).mean(axis=0)
        aligned = np.linalg.norm(told + turns.apply(origin) - labelled, axis=1).mean()
    values += [aligned, np.abs(errors).mean(), (np.abs(errors) / far).mean(), errors.mean()]
    values += [float(value) for value in np.polyfit(far, said, 1)] if far.max() >= 1.1 * far.min() else [None, None]
    values.append(drift([face[3] for face in found], [face[4] for face in found], errors))
    values = [None if value is None else float(value) for value in values]
    complete = len(found) == len(faces)
    return [one for value in values for one in (value if complete else None, value)]


def main():
    content = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__},
               "names": [f"pose.{name}{end}" for name in NAMES for end in ("", ".conditional")],
               "cases": [case(number) for number in range(150)]}
    (EXPECTED / "position_metrics.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
