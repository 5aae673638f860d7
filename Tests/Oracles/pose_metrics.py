"""Expected rotations and errors of head poses, from scipy.spatial.transform.Rotation.

    python pose_metrics.py

writes expected/pose_metrics.json for PoseAccuracy and Rotation; the poses follow from the case's
number: matrices of quaternions of whole numbers, which float32 holds exactly, with their scale.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import scipy
from scipy.spatial.transform import Rotation

from case_stream import CaseStream

warnings.filterwarnings("ignore")
EXPECTED = Path(__file__).parent / "expected"
NAMES = ["found_share", *[n + e for n in ("geodesic", "mae.yaw", "mae.pitch", "mae.roll", "mae",
                                          "geodesic.aligned") for e in ("", ".conditional")],
         "excluded"]


def product(a, b):
    (w, x, y, z), (s, t, u, v) = a, b
    return (w * s - x * t - y * u - z * v, w * t + x * s + y * v - z * u,
            w * u - x * v + y * s + z * t, w * v + x * u - y * t + z * s)


def rotation(q):
    return Rotation.from_quat([q[1], q[2], q[3], q[0]])


def angles_of(turn):
    """Pitch, yaw and roll: of the two triples of a rotation the one with the smaller |pitch| + |roll|."""
    a, b, c = turn.as_euler("XYZ", degrees=True)
    other = [a - 180 if a > 0 else a + 180, 180 - b if b >= 0 else -180 - b, c - 180 if c > 0 else c + 180]
    assert np.allclose(Rotation.from_euler("XYZ", other, degrees=True).as_matrix(), turn.as_matrix())
    return other if abs(other[0]) + abs(other[2]) < abs(a) + abs(c) - 1e-9 else [a, b, c]


def case(number):
    stream = CaseStream(7000 + number)

    def whole(reach):
        return tuple(stream.below(2 * reach + 1) - reach for _ in range(4))

    count, misses, exact = stream.below(16), stream.below(3) > 0, stream.below(8) == 0
    turn = (6, *whole(2)[1:])
    faces = []
    for _ in range(count):
        label = whole([1, 6][stream.below(2)])
        noise, missed = whole(1), stream.below(6) == 0 and misses
        small = (12, *noise[1:])
        predicted = label if exact else product(product(label, turn), small)
        if any(label):
            faces.append((rotation(label), None if missed else rotation(predicted)))
    if not faces:
        return [None] * len(NAMES)
    found = [face for face in faces if face[1] is not None]
    angles = [np.array([angles_of(g), [np.nan] * 3 if p is None else angles_of(p)])
              for g, p in faces]
    kept = [a for a in angles if (np.abs(a[0]) <= 99).all()]
    evaluated = [a for a in kept if not np.isnan(a).any()]

    def both(value, complete):
        return [value if complete else None, value]

    row = [len(found) / len(faces)]
    complete = len(found) == len(faces)
    row += both(float(np.mean([np.degrees((g.inv() * p).magnitude()) for g, p in found]))
                if found else None, complete)
    for axis in (1, 0, 2):
        error = [abs((a[0, axis] - a[1, axis] + 180) % 360 - 180) for a in evaluated]
        row += both(float(np.mean(error)) if error else None, len(evaluated) == len(kept))
    turns = [abs((a[0] - a[1] + 180) % 360 - 180).mean() for a in evaluated]
    row += both(float(np.mean(turns)) if turns else None, len(evaluated) == len(kept))
    aligned = None
    if len(found) > 1:
        best = Rotation.concatenate([p.inv() * g for g, p in found]).mean()
        aligned = float(np.mean([np.degrees((g.inv() * p * best).magnitude()) for g, p in found]))
    return row + both(aligned, complete) + [float(len(faces) - len(kept))]


def nearest(number):
    """The rotation nearest to a noisy matrix, as a quaternion w, x, y, z."""
    stream = CaseStream(8000 + number)
    w, x, y, z = q = [stream.below(17) - 8 for _ in range(4)]
    if not any(q):
        return None
    matrix = np.array([
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]], float)
    matrix = 16 * matrix + np.array([stream.below(2 * 33 + 1) - 33 for _ in range(9)]).reshape(3, 3)
    scale = np.sqrt((matrix ** 2).sum() / 3)
    if scale == 0 or np.linalg.det(matrix / scale) < 0.9:
        return None
    found = Rotation.align_vectors(matrix.T, np.eye(3))[0].as_quat()
    return [float(found[3]), *map(float, found[:3])]


def main():
    content = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__},
               "names": ["pose." + name for name in NAMES],
               "cases": [case(number) for number in range(150)],
               "nearest": [nearest(number) for number in range(150)]}
    (EXPECTED / "pose_metrics.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
