"""Expected values of blendshape heads, from NumPy: ridge regressions of logits, and the committed head on made faces.

    python blendshape_head.py

writes expected/blendshape_head.json. The regressions are least squares over the observations and the ridge's own rows, not
normal equations; each cluster is held out once. Faces follow from the case's number and the committed head's mean face;
they are laid over its mesh by a singular value decomposition in double precision.
"""

import json
from pathlib import Path

import numpy as np

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
HEAD = json.loads((Path(__file__).parent / "expected/head.json").read_text())
REGRESSIONS, FACES = 12, 6
DEAD = 1e-6


def regression_case(number):
    """Inputs [n, d], coefficients [n, 3], clusters, ridge and margin; the last coefficient hardly varies."""
    stream = CaseStream(9000 + number)
    count, width = 20 + stream.below(40), 2 + stream.below(5)
    clusters, ridge, margin = 2 + stream.below(6), [1e-3, 0.01, 0.1][stream.below(3)], [1e-4, 1e-3][stream.below(2)]
    inputs = [[stream.between(-4, 4) for _ in range(width)] for _ in range(count)]
    coefficients = [[stream.below(1025) / 1024, stream.below(1025) / 1024, 0.25] for _ in range(count)]
    return np.array(inputs), np.array(coefficients), [row % clusters for row in range(count)], ridge, margin


def fit(inputs, coefficients, ridge, margin):
    clipped = np.clip(coefficients, margin, 1 - margin)
    logits = np.log(clipped / (1 - clipped))
    mean, mean_logit = inputs.mean(0), logits.mean(0)
    penalty = np.sqrt(ridge * inputs.var(0).mean() * len(inputs)) * np.eye(inputs.shape[1])
    weights = np.linalg.lstsq(
        np.vstack([inputs - mean, penalty]), np.vstack([logits - mean_logit, np.zeros((len(penalty), logits.shape[1]))]),
        rcond=None)[0]
    return mean, mean_logit, weights


def regression(number):
    inputs, coefficients, clusters, ridge, margin = regression_case(number)
    varying = coefficients[:, :2]
    mean, mean_logit, weights = fit(inputs, varying, ridge, margin)
    held = np.zeros_like(varying)
    clusters = np.array(clusters)
    for cluster in set(clusters):
        out = clusters == cluster
        m, l, w = fit(inputs[~out], varying[~out], ridge, margin)
        held[out] = 1 / (1 + np.exp(-(l + (inputs[out] - m) @ w)))
    spread = held.var(0) + varying.var(0) + (held.mean(0) - varying.mean(0)) ** 2
    covariance = ((held - held.mean(0)) * (varying - varying.mean(0))).mean(0)
    return {"weights": weights.tolist(), "logits": mean_logit.tolist(), "concordance": (2 * covariance / spread).tolist(),
            "error": np.abs(held - varying).mean(0).tolist()}


def face(number):
    """478 landmarks in pixels: the head's mean face, deformed, turned, scaled and moved."""
    stream = CaseStream(9500 + number)
    mesh = np.float32(HEAD["mesh"]["vertices"]).reshape(-1, 3).astype(float)
    points = np.vstack([mesh, np.zeros((10, 3))])
    for place, index in enumerate(HEAD["landmarks"]):
        if index >= 468:
            points[index] = np.float32(HEAD["centre"][3 * place:3 * place + 3])
    points += np.array([[stream.between(-1, 1) / 8 for _ in range(3)] for _ in points])
    yaw, pitch, roll = (stream.between(-1, 1) / 2 for _ in range(3))
    (a, b), (c, d), (e, f) = [(np.cos(x), np.sin(x)) for x in (yaw, pitch, roll)]
    turn = (np.array([[e, -f, 0], [f, e, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, c, -d], [0, d, c]])
            @ np.array([[a, 0, b], [0, 1, 0], [-b, 0, a]]))
    scale = stream.between(4, 40)
    moved = scale * points @ turn.T * [1, -1, -1] + [stream.between(100, 500), stream.between(100, 400), 0]
    return moved


def coefficients(points):
    """The head's values for landmarks in pixels."""
    mesh = np.float32(HEAD["mesh"]["vertices"]).reshape(-1, 3).astype(float)
    weights = np.float32(HEAD["mesh"]["weights"]).astype(float)
    weights /= weights.sum()
    upright = points * [1, -1, -1]
    centre, aim = weights @ mesh, weights @ upright[:468]
    left, values, right = np.linalg.svd((upright[:468] - aim).T @ ((mesh - centre) * weights[:, None]))
    signs = np.array([1, 1, np.sign(np.linalg.det(left @ right))])
    turn = (left * signs) @ right
    scale = (values * signs).sum() / (weights @ ((mesh - centre) ** 2).sum(1))
    inside = (upright - aim) @ turn / scale + centre
    offsets = inside[HEAD["landmarks"]].ravel() - np.float32(HEAD["centre"]).astype(float)
    logits = [c["constant"] + (np.dot(c["weights"], offsets) if c["weights"] else 0) for c in HEAD["channels"]]
    return (1 / (1 + np.exp(-np.array(logits)))).tolist()


def main():
    result = {
        "numpy": np.__version__,
        "regressions": [regression(number) for number in range(REGRESSIONS)],
        "faces": [coefficients(face(number)) for number in range(FACES)],
    }
    (EXPECTED / "blendshape_head.json").write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
