"""Expected intervals of metrics and proportions of few clusters, from scipy's distributions and numpy's quantiles.

    python cluster_intervals.py

writes expected/cluster_intervals.json for ClusterIntervalTests: quantiles of Student's t and of the beta distribution,
the wider of expanded percentiles and Student's t on a metric's own scale, and Clopper and Pearson's bounds of the
effective sample size. Written from the definitions, without a look at the Swift code.
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy import stats
from scipy.special import expit, logit

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
RANGES = {"unit": (0, 1), "signedUnit": (-1, 1), "atLeastZero": None, "any": None}


def uniform(stream):
    return (stream.next() >> 11) / (1 << 53)


def students():
    stream = CaseStream(31)
    for _ in range(60):
        freedom, share = 0.5 + 60 * uniform(stream) ** 2, 0.001 + 0.49 * uniform(stream)
        yield {"freedom": freedom, "share": share, "distance": float(stats.t.isf(share, freedom))}


def betas():
    stream = CaseStream(32)
    for number in range(80):
        scale = [1, 30, 1000, 1e6][number % 4]
        a, b = scale * (0.01 + uniform(stream)), scale * (0.01 + uniform(stream))
        share = 0.001 + 0.998 * uniform(stream)
        yield {"a": a, "b": b, "share": share, "quantile": float(stats.beta.ppf(share, a, b))}


def metric(number):
    stream = CaseStream(7000 + number)
    name = list(RANGES)[number % 4]
    ends = RANGES[name]
    level = [0.95, 0.9, 0.99][stream.below(3)]
    clusters = 10 + stream.below(40)
    sizes = [1 + stream.below(6) for _ in range(clusters)]
    low, high = ends or ((0, 9) if name == "atLeastZero" else (-4, 4))
    centre = low + (high - low) * (0.1 + 0.8 * uniform(stream))
    spread = 0.05 * min(centre - low, high - centre)
    values = [centre + spread * (uniform(stream) + uniform(stream) - 1) for _ in range(99)]
    value = centre + 0.2 * spread * uniform(stream)
    worth = sum(sizes) ** 2 / sum(size * size for size in sizes)
    reach = stats.t.ppf((1 + level) / 2, worth - 1) * np.sqrt(worth / (worth - 1))
    share = stats.norm.cdf(-reach)
    error = np.std(values, ddof=1)
    if ends:
        unit = (value - low) / (high - low)
        slope = 1 / ((high - low) * unit * (1 - unit))
        own = [low + (high - low) * expit(logit(unit) + side * reach * error * slope) for side in (-1, 1)]
    elif name == "atLeastZero":
        own = [np.exp(np.log(value) + side * reach * error / value) for side in (-1, 1)]
    else:
        own = [value - reach * error, value + reach * error]
    quantiles = np.quantile(values, [share, 1 - share])
    return {"range": name, "level": level, "sizes": sizes, "value": value, "values": values,
            "low": float(min(own[0], quantiles[0])), "high": float(max(own[1], quantiles[1]))}


def proportion(number):
    stream = CaseStream(8000 + number)
    level = [0.95, 0.9, 0.99][stream.below(3)]
    clusters = 10 + stream.below(60)
    rate = [0, 0.5, 0.9, 0.98, 1][number % 5]
    wholes = [1 + stream.below([1, 4, 40][stream.below(3)]) for _ in range(clusters)]
    parts = []
    for whole in wholes:
        own = min(1, max(0, rate + (0.3 * uniform(stream) - 0.15 if 0 < rate < 1 else 0)))
        parts.append(sum(uniform(stream) < own for _ in range(whole)))
    x, n = np.array(parts, float), np.array(wholes, float)
    share = x.sum() / n.sum()
    worth_of_sizes = n.sum() ** 2 / (n ** 2).sum()
    d = x - share * n
    if 0 < share < 1:
        variance = clusters / (clusters - 1) * (d ** 2).sum() / n.sum() ** 2
        freedom = max(1, min(worth_of_sizes - 1, (d ** 2).sum() ** 2 / (d ** 4).sum()))
        z, t = stats.norm.ppf((1 + level) / 2), stats.t.ppf((1 + level) / 2, freedom)
        worth = min(max(share * (1 - share) / variance * (z / t) ** 2, worth_of_sizes), n.sum())
    else:
        worth = worth_of_sizes
    tail, yes, no = (1 - level) / 2, share * worth, (1 - share) * worth
    return {"level": level, "parts": parts, "wholes": wholes, "worth": float(worth),
            "low": float(stats.beta.ppf(tail, yes, no + 1)) if yes > 0 else 0.0,
            "high": float(stats.beta.ppf(1 - tail, yes + 1, no)) if no > 0 else 1.0}


def main():
    content = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__},
               "students": list(students()), "betas": list(betas()),
               "metrics": [metric(number) for number in range(60)],
               "proportions": [proportion(number) for number in range(100)]}
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    (EXPECTED / "cluster_intervals.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
