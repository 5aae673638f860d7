"""How often intervals of few clusters hold the truth: proportions, other metrics, paired differences.

    python interval_coverage.py proportions [--samples 4000]
    python interval_coverage.py metrics [--samples 1000] [--spread 0.8] [--rate 0.9]

Needs numpy and scipy. The intervals are those of Sources/Metrics/Resampling, written again with scipy as in
Tests/Oracles/cluster_intervals.py, whose numbers the program's equal to 1e-9; plain percentiles are printed too.
Clusters (videos, subjects) have sizes exp(N(ln 10, spread²)), a difficulty of their own that all of their faces
share, and a beta-distributed rate of found faces with a correlation of .2 within a cluster. Both runs of a pair are
of the same clusters. A sample whose clusters are worth fewer than 5 gets no interval and is not counted.
"""

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy import stats
from scipy.special import expit, logit

LEVEL, RESAMPLES = 0.95, 799
UNIT = {"precision", "f1", "average precision", "AUROC"}
POSITIVE = {"false positives per image", "mean error", "losses per minute", "median error"}
SIGNED = {"correlation"}


def proportion(parts, wholes):
    """Bounds of many samples at once, one per row: Clopper and Pearson's of the effective sample size."""
    n, clusters = wholes.sum(1), parts.shape[1]
    share = parts.sum(1) / n
    d = parts - share[:, None] * wholes
    squares = (d ** 2).sum(1)
    worth = n ** 2 / (wholes ** 2).sum(1)
    inside = (share > 0) & (share < 1)
    with np.errstate(all="ignore"):
        freedom = np.maximum(1, np.minimum(worth - 1, squares ** 2 / (d ** 4).sum(1)))
        caution = stats.norm.ppf((1 + LEVEL) / 2) / stats.t.ppf((1 + LEVEL) / 2, np.where(inside, freedom, 1))
        variance = clusters / (clusters - 1) * squares / n ** 2
        effective = np.where(inside, np.clip(share * (1 - share) / variance * caution ** 2, worth, n), worth)
        tail, yes, no = (1 - LEVEL) / 2, share * effective, (1 - share) * effective
        low = np.where(yes > 0, stats.beta.ppf(tail, yes, no + 1), 0)
        high = np.where(no > 0, stats.beta.ppf(1 - tail, yes + 1, no), 1)
    return low, high


def percentile(parts, wholes, rng):
    bounds = []
    for part, whole in zip(parts, wholes):
        w = rng.multinomial(len(part), np.full(len(part), 1 / len(part)), size=199)
        bounds.append(np.quantile((w @ part) / (w @ whole), [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    return np.array(bounds).T


def sizes(rng, shape, spread):
    return np.maximum(1, np.round(np.exp(rng.normal(np.log(10), spread, shape)))).astype(int)


def proportions(samples):
    print("| rate | correlation | clusters | unequal (spread) | holds | width | percentiles hold |")
    print("|---|---|---|---|---|---|---|")
    for rate in (0.9, 0.98, 1):
        for correlation in (0, 0.1, 0.3, 1):
            for clusters in (10, 30, 300):
                for spread in (0.8, 1.2):
                    rng = np.random.default_rng(clusters)
                    wholes = sizes(rng, (samples, clusters), spread)
                    if rate == 1 or correlation == 0:
                        own = np.full(wholes.shape, float(rate))
                    elif correlation == 1:
                        own = (rng.random(wholes.shape) < rate).astype(float)
                    else:
                        strength = (1 - correlation) / correlation
                        own = rng.beta(rate * strength, (1 - rate) * strength, wholes.shape)
                    parts = rng.binomial(wholes, own)
                    low, high = proportion(parts, wholes)
                    few = slice(0, min(samples, 500))
                    plain = percentile(parts[few], wholes[few], rng)
                    held = np.mean((low <= rate) & (rate <= high))
                    held_plain = np.mean((plain[0] <= rate) & (rate <= plain[1]))
                    print(f"| {rate} | {correlation} | {clusters} | {spread} | {100 * held:.1f} % | "
                          f"{np.mean(high - low):.3f} | {100 * held_plain:.1f} % |", flush=True)


def sample(rng, clusters, spread, rate):
    """The metrics of one sample as functions of how often each cluster is taken, a row a draw; and the sizes."""
    n = sizes(rng, clusters, spread)
    difficulty = rng.normal(0, 1, clusters)
    own = rng.beta(rate * 4, (1 - rate) * 4, clusters)
    found = rng.binomial(n, own)
    false = rng.poisson(n * 0.15 * np.exp(0.8 * difficulty - 0.32))
    found2 = rng.binomial(n, np.clip(own + rng.normal(0, 0.03, clusters), 0, 1))
    false2 = rng.poisson(n * 0.15 * np.exp(0.8 * difficulty - 0.365 + 0.3 * rng.normal(0, 1, clusters)))
    of_face = np.repeat(np.arange(clusters), n)
    total = lambda values: np.bincount(of_face, values, clusters)
    error, error2 = (total(0.05 * np.exp(0.4 * difficulty[of_face] + rng.normal(0, 0.6, n.sum()))) for _ in range(2))
    loss, loss2 = (rng.poisson(n * 0.05 * np.exp(difficulty - 0.5)) for _ in range(2))
    true_of, false_of = np.repeat(np.arange(clusters), found), np.repeat(np.arange(clusters), false)
    score = np.concatenate([rng.normal(1.2 - 0.3 * difficulty[true_of], 1), rng.normal(-0.2 - 0.3 * difficulty[false_of], 1)])
    order = np.argsort(-score)
    of = np.concatenate([true_of, false_of])[order]
    true = (np.arange(len(order)) < len(true_of)).astype(float)[order]
    labelled = rng.normal(0, 1, n.sum())
    given = 0.8 * labelled + 0.6 * rng.normal(0, 1, n.sum()) * np.exp(0.3 * difficulty[of_face]) + 0.3 * difficulty[of_face]
    moments = [total(v) for v in (np.ones_like(labelled), labelled, given, labelled ** 2, given ** 2, labelled * given)]
    single = np.abs(rng.normal(0, 1, n.sum())) * np.exp(0.4 * difficulty[of_face])
    by_error = np.argsort(single)

    def ratio(part, whole):
        return lambda w: (w @ part) / np.where(w @ whole == 0, np.nan, w @ whole)

    def f1(tp, fp):
        return lambda w: 2 * (w @ tp) / (w @ (tp + fp + n))

    def average_precision(w):
        w, labels = w[:, of], w @ n
        hits = np.cumsum(w * true, 1)
        precision = hits / np.maximum(np.cumsum(w, 1), 1e-9)
        return np.sum(np.maximum.accumulate(precision[:, ::-1], 1)[:, ::-1] * w * true, 1) / labels

    def auroc(w):
        w = w[:, of]
        return np.sum(np.cumsum(w * true, 1) * w * (1 - true), 1) / np.maximum((w @ true) * (w @ (1 - true)), 1e-9)

    def correlation(w):
        m, a, b, aa, bb, ab = (w @ moment for moment in moments)
        return (ab - a * b / m) / np.sqrt((aa - a * a / m) * (bb - b * b / m))

    def median(w):
        heavy = np.cumsum(w[:, of_face[by_error]], 1)
        return single[by_error][np.argmax(heavy >= heavy[:, -1:] / 2, 1)]

    def difference(one, other):
        return lambda w: other(w) - one(w)

    return {
        "precision": ratio(found, found + false), "f1": f1(found, false),
        "false positives per image": ratio(false, n), "mean error": ratio(error, n),
        "losses per minute": ratio(loss, n), "average precision": average_precision, "AUROC": auroc,
        "correlation": correlation, "median error": median,
        "difference of recall": difference(ratio(found, n), ratio(found2, n)),
        "difference of precision": difference(ratio(found, found + false), ratio(found2, found2 + false2)),
        "difference of f1": difference(f1(found, false), f1(found2, false2)),
        "difference of mean error": difference(ratio(error, n), ratio(error2, n)),
        "difference of losses": difference(ratio(loss, n), ratio(loss2, n)),
        "difference of false positives": difference(ratio(false, n), ratio(false2, n)),
    }, n


def interval(name, value, values, n):
    worth = n.sum() ** 2 / (n ** 2).sum()
    tail = (1 - LEVEL) / 2
    ends = (0, 1) if name in UNIT else (-1, 1) if name in SIGNED else None
    error = values.std(ddof=1)
    if error <= 1e-12 * max(1, abs(value)):
        if ends and value in ends:
            span = (1 - tail ** (1 / worth)) * (ends[1] - ends[0])
            return (value, value + span) if value == ends[0] else (value - span, value)
        return (value, value) if name.startswith("difference") else None
    reach = stats.t.ppf(1 - tail, worth - 1) * np.sqrt(worth / (worth - 1))
    quantiles = np.quantile(values, [stats.norm.cdf(-reach), stats.norm.cdf(reach)])
    low, high = value - reach * error, value + reach * error
    if ends:
        width, unit = ends[1] - ends[0], (value - ends[0]) / (ends[1] - ends[0])
        low, high = value, value
        if 0 < unit < 1:
            step = reach * error / (width * unit * (1 - unit))
            low, high = (ends[0] + width * expit(logit(unit) + side * step) for side in (-1, 1))
    elif name in POSITIVE and value > 0:
        low, high = value * np.exp(-reach * error / value), value * np.exp(reach * error / value)
    return min(low, quantiles[0]), max(high, quantiles[1])


def metrics(samples, spread, rate):
    whole, _ = sample(np.random.default_rng(12345), 40000, spread, rate)
    truth = {name: value(np.ones((1, 40000)))[0] for name, value in whole.items()}
    table = {}
    for clusters in (10, 12, 20, 50):
        rng = np.random.default_rng(clusters)
        for _ in range(samples):
            functions, n = sample(rng, clusters, spread, rate)
            if n.sum() ** 2 / (n ** 2).sum() < 5:
                continue
            draws = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=RESAMPLES)
            draws = np.vstack([np.ones((1, clusters)), draws]).astype(float)
            for name, function in functions.items():
                value, *values = function(draws)
                values = np.array(values)[~np.isnan(values)]
                bounds = interval(name, value, values, n) if len(values) > 0.95 * RESAMPLES else None
                if bounds is None or np.isnan(value):
                    continue
                plain = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
                row = table.setdefault((name, clusters), [0, 0, 0])
                row[0] += 1
                row[1] += bounds[0] <= truth[name] <= bounds[1]
                row[2] += plain[0] <= truth[name] <= plain[1]
    print(f"spread of sizes {spread}, rate {rate}, {samples} samples; in brackets plain percentiles")
    print("| metric | 10 clusters | 12 | 20 | 50 |\n|---|---|---|---|---|")
    for name in whole:
        cells = (table[name, k] for k in (10, 12, 20, 50))
        print(f"| {name} | " + " | ".join(f"{100 * c[1] / c[0]:.1f} % ({100 * c[2] / c[0]:.1f})" for c in cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["proportions", "metrics"])
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--spread", type=float, default=0.8)
    parser.add_argument("--rate", type=float, default=0.9)
    given = parser.parse_args()
    if given.what == "proportions":
        proportions(given.samples)
    else:
        metrics(given.samples, given.spread, given.rate)


if __name__ == "__main__":
    main()
