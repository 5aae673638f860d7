"""Expected values for the calibrators: scikit-learn's, netcal's, and SciPy's optimum of the beta map.

    python calibrators.py

writes expected/calibrators.json. netcal's histogram is the oracle of ours; its logistic maps need
PyTorch and Pyro, so the beta map is scikit-learn's unpenalised regression over netcal's two features,
refitted as netcal does where a weight is below 0, and checked against SciPy's bounded optimum. Of netcal
only NumPy's part runs: `pip install --no-deps netcal==1.4.0`.
"""

import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.calibration import _SigmoidCalibration, _TemperatureScaling
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from case_stream import CaseStream
from confidence_metrics import AbsentFinder

EXPECTED = Path(__file__).parent / "expected"
CASES = 120
LEVELS = [10, 64, 1 << 30]
PROBES = [0.0, 1e-9, 0.01, 0.123, 0.25, 0.41, 0.5, 0.625, 0.77, 0.9, 0.999, 1.0]
EPSILON = 2.0 ** -52


def random_case(seed):
    """Both classes on both ends, so that no score separates them; some scores are 0 and 1."""
    stream = CaseStream(seed)
    count, levels = 20 + stream.below(80), LEVELS[stream.below(len(LEVELS))]
    is_weighted, kind = stream.below(2) == 1, stream.below(3)
    scores, truths, weights = [], [], []
    for index in range(count):
        draws = [1 + stream.below(levels - 1) for _ in range(2)]
        truth = stream.below(2) if index > 3 else index % 2
        score = (max(draws) if truth else min(draws)) / levels
        if index in (0, 1):
            score = 15 / 16
        if index in (2, 3):
            score = 1 / 16
        if kind == 1 and index > 3 and stream.below(10) == 0:
            score = 1.0 if truth else 0.0
        if kind == 2:
            score = score * score
        scores.append(score)
        truths.append(truth)
        weights.append(1 + stream.below(3) if is_weighted else 1)
    return np.array(scores), np.array(truths), np.array(weights, float)


def clipped(values):
    return np.clip(values, EPSILON, 1 - EPSILON)


def logistic(features, truths, weights):
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-13, max_iter=1000)
    model.fit(features, truths, sample_weight=weights)
    return model.coef_[0], model.intercept_[0]


def loss(theta, features, truths, weights):
    z = features @ theta[:-1] + theta[-1]
    return np.average(np.logaddexp(0, z) - truths * z, weights=weights)


def beta(scores, truths, weights):
    pair = np.stack([np.log(clipped(scores)), -np.log(1 - clipped(scores))], axis=1)
    (a, b), c = logistic(pair, truths, weights)
    if a < 0:
        (b,), c = logistic(pair[:, 1:], truths, weights)
        a = 0.0
    elif b < 0:
        (a,), c = logistic(pair[:, :1], truths, weights)
        b = 0.0
    if a < 0 or b < 0:
        return None
    bounded = minimize(loss, [1, 1, 0], (pair, truths, weights), bounds=[(0, None)] * 2 + [(None, None)],
                       options={"ftol": 1e-15, "gtol": 1e-9})
    assert abs(bounded.fun - loss(np.array([a, b, c]), pair, truths, weights)) < 1e-7
    return [float(v) for v in (a, b, c)]


def expected(seed, binning):
    scores, truths, weights = random_case(seed)
    probes = np.array(PROBES)
    (slope,), intercept = logistic(scores[:, None], truths, weights)
    sigmoid = _SigmoidCalibration().fit(scores, truths, weights)
    logits = np.log(clipped(scores)) - np.log(1 - clipped(scores))
    temperature = _TemperatureScaling().fit(logits, truths, weights)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(scores, truths, weights)
    histogram = None
    if np.all(weights == 1):
        model = binning.HistogramBinning(10)
        model.fit(scores, truths)
        # Its fit has bins [a, b) and its use (a, b]: compared where no score lies on an edge.
        if not np.any(np.isin(scores, np.linspace(0, 1, 11)[1:-1])):
            histogram = model.transform(probes).tolist()
    outputs = 1 / (1 + np.exp(-(slope * probes + intercept)))
    return {
        "plain": [float(slope), float(intercept)], "plainOutputs": outputs.tolist(),
        "smooth": [-float(sigmoid.a_), -float(sigmoid.b_)],
        "smoothOutputs": sigmoid.predict(probes).tolist(),
        # Its two logits are -x and x, whose difference is twice ours.
        "inverseTemperature": 2 * float(temperature.beta_),
        "isotonicScores": isotonic.X_thresholds_.tolist(),
        "isotonicShares": isotonic.y_thresholds_.tolist(),
        "isotonicOutputs": isotonic.predict(probes).tolist(),
        "beta": beta(scores, truths, weights), "histogram": histogram}


def main():
    warnings.simplefilter("ignore")
    sys.meta_path.insert(0, AbsentFinder())
    import netcal.binning as binning

    content = {"versions": {n: version(n) for n in ("numpy", "scipy", "scikit-learn", "netcal")},
               "probes": PROBES, "cases": [expected(s, binning) for s in range(CASES)]}
    (EXPECTED / "calibrators.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
