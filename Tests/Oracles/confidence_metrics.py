"""Expected values for ReliabilityBins, BrierScore and ClassProbabilities.

    python confidence_metrics.py

writes expected/confidence_metrics.json. Brier scores and likelihoods are scikit-learn's; errors of
bins are NumPy's over `(a, b]`, and equal those made from scikit-learn's calibration_curve in every
case and netcal's ECE and MCE where no confidence lies on an edge (its bins are `[a, b)`); the script
stops where they do not. netcal asks for PyTorch, which its measures never call: install it with
`pip install --no-deps netcal==1.4.0`; what it imports of PyTorch and others is left empty here.
"""

import importlib.abc
import importlib.machinery
import json
import sys
import types
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, log_loss

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 150
LEVELS = [10, 15, 64, 1000, 1 << 53]
NAMES = ["ece10", "mce10", "ece15", "mce15", "ece10.mass", "mce10.mass", "ece15.mass", "mce15.mass",
         "brier", "reliability", "resolution", "uncertainty", "within", "nll"]


class Absent(types.ModuleType):
    """A module of nothing but empty names."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__getattr__": lambda self, key: None})


class AbsentFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("torch", "pyro", "gpytorch", "tensorboard"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


def random_case(seed):
    stream = CaseStream(seed)
    count = 0 if seed % 25 == 0 else 1 + stream.below(80)
    levels, kind = LEVELS[stream.below(len(LEVELS))], stream.below(6)
    confidences, truths = [], []
    for _ in range(count):
        confidences.append(stream.below(levels + 1) / levels)
        coin = stream.below(2)
        truths.append(1 if kind == 0 else 0 if kind == 1 else coin)
    return np.array(confidences), np.array(truths, int), levels


def class_case(seed):
    stream = CaseStream(10_000 + seed)
    classes = 2 + stream.below(5)
    rows, truths = [], []
    for _ in range(1 + stream.below(20)):
        weights = [stream.below(8) for _ in range(classes)]
        weights[stream.below(classes)] += 1
        rows.append([w / sum(weights) for w in weights])
        truths.append(stream.below(classes))
    return np.array(rows), np.array(truths)


def bins_of(confidences, edges):
    """Each confidence's bin: the first whose upper edge is not below it."""
    return np.searchsorted(edges, confidences, side="left")


def errors(confidences, truths, edges):
    indices = bins_of(confidences, edges)
    gaps = {int(k): abs(confidences[indices == k].mean() - truths[indices == k].mean())
            for k in np.unique(indices)}
    weights = {k: (indices == k).mean() for k in gaps}
    return [float(sum(gaps[k] * weights[k] for k in gaps)), float(max(gaps.values()))]


def width_edges(bins):
    return [k / bins for k in range(1, bins + 1)]


def mass_edges(confidences, bins):
    ranked = np.sort(confidences)
    return [ranked[-(-k * len(ranked) // bins) - 1] for k in range(1, bins)] + [1.0]


def metrics(confidences, truths, levels, netcal):
    if len(confidences) == 0:
        return [None] * len(NAMES)
    values = []
    for bins in (10, 15):
        ours = errors(confidences, truths, width_edges(bins))
        shares, means = calibration_curve(truths, confidences, n_bins=bins)
        counts = np.bincount(bins_of(confidences, width_edges(bins)))
        counts = counts[counts > 0]
        gaps = np.abs(shares - means)
        np.testing.assert_allclose(ours, [gaps @ counts / counts.sum(), gaps.max()], atol=1e-12)
        if levels == 1 << 53:
            theirs = [m(bins).measure(confidences, truths) for m in (netcal.ECE, netcal.MCE)]
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
        values += ours
    for bins in (10, 15):
        values += errors(confidences, truths, mass_edges(confidences, bins))
    brier = brier_score_loss(truths, confidences, pos_label=1)
    indices, mean = bins_of(confidences, width_edges(10)), truths.mean()
    reliability = resolution = 0.0
    for k in np.unique(indices):
        inside = indices == k
        share = truths[inside].mean()
        reliability += inside.mean() * (confidences[inside].mean() - share) ** 2
        resolution += inside.mean() * (share - mean) ** 2
    uncertainty = mean * (1 - mean)
    within = brier - (reliability - resolution + uncertainty)
    likelihood = log_loss(truths, confidences, labels=[0, 1])
    return values + [float(v) for v in (brier, reliability, resolution, uncertainty, within,
                                        likelihood)]


def class_metrics(rows, truths):
    targets = np.eye(rows.shape[1])[truths]
    tops, hits = rows.max(axis=1), (rows.argmax(axis=1) == truths).astype(float)
    return [float(hits.mean()), errors(tops, hits, width_edges(10))[0],
            float(log_loss(truths, rows, labels=range(rows.shape[1]))),
            float(((rows - targets) ** 2).sum(axis=1).mean())]


def main():
    warnings.simplefilter("ignore")
    sys.meta_path.insert(0, AbsentFinder())
    import netcal.metrics as netcal

    content = {"versions": {n: version(n) for n in ("numpy", "scikit-learn", "netcal")},
               "names": NAMES, "cases": [metrics(*random_case(s), netcal) for s in range(CASES)],
               "classNames": ["accuracy", "ece", "nll", "brier"],
               "classCases": [class_metrics(*class_case(s)) for s in range(CASES)]}
    (EXPECTED / "confidence_metrics.json").write_text(
        json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
