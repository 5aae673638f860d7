"""Expected percentile intervals, from scipy.stats.bootstrap on the resamples that ClusterBootstrap draws.

    python bootstrap.py

writes expected/bootstrap.json for ClusterBootstrapTests. Clusters are (sum, n) pairs and the metric is the ratio of the
sums. How often each cluster is in a draw follows from the seed as SplitMix64 has it; scipy gets the resampled metrics as
its `bootstrap_result`, so that its own quantiles, level and undefined handling are compared and not its generator.
"""

import json
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import scipy
from scipy.stats import bootstrap

from case_stream import MASK, CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 150
LEVELS = [0.95, 0.9, 0.5, 0.99]


def below(stream, bound):
    """A whole number in 0..<bound as Swift's `Int.random(in:using:)` makes it: Lemire's multiplication."""
    product = stream.next() * bound
    if product & MASK < bound:
        threshold = (1 << 64) % bound
        while product & MASK < threshold:
            product = stream.next() * bound
    return product >> 64


def copies(seed, draw, clusters):
    second = CaseStream(CaseStream(seed).next() ^ draw)
    stream = CaseStream(second.next())
    counts = np.zeros(clusters, int)
    for _ in range(clusters):
        counts[below(stream, clusters)] += 1
    return counts


def case(number):
    stream = CaseStream(9000 + number)
    clusters = 10 + stream.below(90)
    resamples = [1, 2, 19, 99, 200][stream.below(5)]
    seed, level = stream.next(), LEVELS[stream.below(4)]
    kind = stream.below(4)  # zero variance, ties, and two of any values
    sums, sizes = [], []
    for _ in range(clusters):
        size = 1 + stream.below(20)
        mean = 0.5 if kind == 0 else stream.below(3) if kind == 1 else stream.between(-3, 9)
        sizes.append(size)
        sums.append(mean * size)
    sums, sizes = np.array(sums, float), np.array(sizes, float)
    counts = [copies(seed, draw, clusters) for draw in range(resamples)]
    values = np.array([(count * sums).sum() / (count * sizes).sum() for count in counts])
    data = np.arange(clusters)

    def ratio(index, axis=-1):
        return sums[index].sum(axis=axis) / sizes[index].sum(axis=axis)

    # With no resamples of its own, scipy states the percentile interval of those that it is given.
    given = SimpleNamespace(bootstrap_distribution=values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = bootstrap((data,), ratio, n_resamples=0, method="percentile", confidence_level=level,
                           bootstrap_result=given)
    interval = result.confidence_interval
    return {"first": [int(n) for n in counts[0]], "low": float(interval.low), "high": float(interval.high)}


def main():
    content = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__},
               "cases": [case(number) for number in range(CASES)]}
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    (EXPECTED / "bootstrap.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
