"""Expected intervals of percentiles of times in clusters, from scipy's distributions.

    python percentile_intervals.py

writes expected/percentile_intervals.json for PercentileIntervalTests: both ends in milliseconds of p50, p90, p95 and
p99, null where there is none. Written from the definitions (Woodruff's bounds with Korn and Graubard's share of times,
and the percentile of log-normal clusters), without a look at the Swift code.
"""

import json

import numpy as np
import scipy
from scipy import stats

from case_stream import CaseStream
from cluster_intervals import EXPECTED

NEEDS = {50: 6, 90: 36, 95: 72, 99: 368}


def sample(number):
    """Times in nanoseconds with their clusters; the same as in PercentileIntervalTests."""
    stream = CaseStream(62_000 + number)
    clusters = 1 if number % 5 == 4 else 8 + stream.below(60)
    times, of = [], []
    for cluster in range(clusters):
        base = 2_000_000 + stream.below(4_000_001)
        size = 20 + stream.below(600) if clusters == 1 else 1 + stream.below(30)
        for _ in range(size):
            times.append(base + stream.below(3_000_001))
            of.append(cluster)
    return np.array(times, float), np.array(of), clusters == 1


def share_bounds(part, whole):
    n, share, worth = whole.sum(), part.sum() / whole.sum(), whole.sum() ** 2 / (whole ** 2).sum()
    d = part - share * whole
    if 0 < share < 1 and (d ** 2).sum() > 0:
        freedom = max(1, min(worth - 1, (d ** 2).sum() ** 2 / (d ** 4).sum()))
        variance = len(whole) / (len(whole) - 1) * (d ** 2).sum() / n ** 2
        caution = stats.norm.ppf(0.975) / stats.t.ppf(0.975, freedom)
        worth = min(max(share * (1 - share) / variance * caution ** 2, worth), n)
    yes, no = share * worth, (1 - share) * worth
    return (min(share, stats.beta.ppf(0.025, yes, no + 1)),
            max(share, stats.beta.ppf(0.975, yes + 1, no) if no > 0 else 1))


def case(number):
    times, of, is_clip = sample(number)
    n = len(times)
    if is_clip:
        of = np.arange(n) * 10 // n
    _, of = np.unique(of, return_inverse=True)
    whole = np.bincount(of).astype(float)
    worth = n ** 2 / (whole ** 2).sum()
    logs = np.log(times)
    means = np.bincount(of, logs) / whole
    between = (whole * (means - logs.mean()) ** 2).sum() / (len(whole) - 1)
    within = ((logs - means[of]) ** 2).sum() / (n - len(whole))
    size = (n - (whole ** 2).sum() / n) / (len(whole) - 1)
    spread = np.sqrt(max(0, (between - within) / size))
    ends = []
    for percent, needs in NEEDS.items():
        if (n < needs or len(whole) < 10 or worth < 5
                or (not is_clip and (100 - percent) * len(whole) < 50)):
            ends.append(None)
            continue
        value = np.percentile(times, percent, method="inverted_cdf")
        low, high = share_bounds(np.bincount(of, times <= value), whole)
        ranked = np.sort(times)
        z, t = stats.norm.ppf(percent / 100), stats.t.ppf(0.975, worth - 1)
        reach = t * spread * np.sqrt(1 / worth + z * z / (2 * (worth - 1)))
        ends.append([ranked[max(int(np.floor(n * low)), 1) - 1] / 1e6,
                     max(ranked[min(int(np.ceil(n * high)), n) - 1], value * np.exp(reach)) / 1e6])
    return ends


def main():
    content = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__},
               "cases": [case(number) for number in range(120)]}
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    (EXPECTED / "percentile_intervals.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
