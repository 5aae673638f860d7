"""Expected similarities of faces and metrics of verification, from SciPy and scikit-learn.

    python face_similarity.py

writes expected/face_similarity.json for FaceSimilarity and FaceVerification; inputs follow from the
case's number.
"""

import json
from pathlib import Path

import numpy as np
import scipy
import sklearn
from scipy.interpolate import interp1d
from scipy.optimize import brentq
from scipy.spatial import distance, procrustes
from sklearn import metrics

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"


def shapes(number):
    """Procrustes distance with mirror images, without, and the cosine of coefficients."""
    stream = CaseStream(10_000 + number)
    kind, count = stream.below(6), 1 + stream.below(70)
    a, b = np.empty((count, 2)), np.empty((count, 2))
    for i in range(count):
        for axis in range(2):
            a[i, axis] = stream.between(-50, 50)
            b[i, axis] = stream.between(-50, 50)
    if kind == 1:
        b = a[:, ::-1] * 2 + 7
    elif kind == 2:
        b = a * [1, 2] + b / 8
    elif kind == 3:
        b[:] = 5
    elif kind == 4:
        b = a.copy()
    x, y = np.array([[stream.below(65) / 64 for _ in range(52)] for _ in range(2)])
    holes = [stream.below(10) for _ in range(52)]
    if stream.below(12) == 0:
        x[:] = 0
    known = np.array(holes) > 0
    known[0] = False
    mirrored = proper = None
    if np.ptp(a) > 0 and np.ptp(b) > 0 and count > 1:
        first, second, mirrored = procrustes(a, b)
        first, second = [(m - m.mean(axis=0)) for m in (a, b)]
        u, s, vt = np.linalg.svd((first / np.linalg.norm(first)).T @ (second / np.linalg.norm(second)))
        sign = np.sign(np.linalg.det(u @ vt))
        proper = 1 - (s[0] + sign * s[1]) ** 2
    cosine = 1 - distance.cosine(x[known], y[known]) if x[known].any() and y[known].any() else None
    return [None if value is None else float(value) for value in (mirrored, proper, cosine)]


def verification(number):
    stream = CaseStream(20_000 + number)
    kind, count = stream.below(8), stream.below([40, 400, 3000][stream.below(3)])
    step = [1, 8, 64][stream.below(3)]
    truth, score = [], []
    for _ in range(count):
        belongs = 1 if kind == 0 else 0 if kind == 1 else int(stream.below(3) == 0)
        raw = stream.below(256) + 96 * belongs
        truth.append(belongs)
        score.append(raw // step * step / 256)
    row = [None] * 5
    if len(set(truth)) == 2:
        accepts, hits, _ = metrics.roc_curve(truth, score, drop_intermediate=False)
        curve = interp1d(np.arange(len(accepts)), np.stack([accepts, hits]))
        position = brentq(lambda t: curve(t)[0] + curve(t)[1] - 1, 0, len(accepts) - 1, xtol=1e-14)
        row[0] = float(curve(position)[0])
        row[1] = float(metrics.roc_auc_score(truth, score))
        for index, rate in enumerate((0.1, 0.01, 0.001)):
            if truth.count(0) >= round(1 / rate):
                row[2 + index] = float(hits[accepts <= rate].max())
    return row


def main():
    content = {
        "versions": {"numpy": np.__version__, "scipy": scipy.__version__,
                     "scikit-learn": sklearn.__version__},
        "shapes": [shapes(number) for number in range(150)],
        "names": ["similarity." + n for n in
                  ("eer", "auroc", "tar@far0.1", "tar@far0.01", "tar@far0.001")],
        "cases": [verification(number) for number in range(150)]}
    (EXPECTED / "face_similarity.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
