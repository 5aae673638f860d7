"""Expected binomial tails, gate verdicts and ranks of order-statistic intervals, from scipy.

    python binomial_gates.py

writes expected/binomial_gates.json. A gate on the p-quantile with t of n samples over the limit passes where
P(Bin(n, 1 - p) <= t) <= 1 - c, fails where P(Bin(n, 1 - p) >= t) <= 1 - c, and else is inconclusive. An interval of the
p-quantile at a level has the closest ranks l and u with P(Bin(n, p) <= l - 1) and P(Bin(n, p) >= u) at most half of
1 - level each; it is null where one of them is no rank.
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.stats import binom

EXPECTED = Path(__file__).parent / "expected"
PERCENTS = [50, 90, 95, 99]


def tails(rng):
    cases = [(1, 0.5, 0), (1, 0.5, 1), (2, 0.01, 2), (100, 0.01, 1), (15, 0.5, 7), (16, 0.5, 8), (17, 0.9, 16)]
    while len(cases) < 250:
        n = int(10 ** rng.uniform(0, 6))
        q = float(rng.choice([0.5, 0.1, 0.05, 0.01, rng.uniform(0.001, 0.999)]))
        spread = np.sqrt(n * q * (1 - q))
        k = int(np.clip(round(n * q + rng.normal(0, 3) * spread), 0, n))
        cases.append((n, q, k))
    return [{"n": n, "q": q, "k": k, "atMost": float(binom.cdf(k, n, q)), "atLeast": float(binom.sf(k - 1, n, q))}
            for n, q, k in cases]


def verdict(percent, n, t, confidence):
    q = (100 - percent) / 100
    if binom.cdf(t, n, q) <= 1 - confidence:
        return "pass"
    return "fail" if binom.sf(t - 1, n, q) <= 1 - confidence else "inconclusive"


def verdicts(rng):
    cases = []
    while len(cases) < 300:
        percent = int(rng.choice(PERCENTS))
        n = int(10 ** rng.uniform(0, 4))
        q = (100 - percent) / 100
        t = int(np.clip(round(n * q + rng.normal(0, 3) * np.sqrt(n * q * (1 - q) + 1)), 0, n))
        confidence = float(rng.choice([0.9, 0.95, 0.99, 0.999]))
        tail = min(abs(binom.cdf(t, n, q) - (1 - confidence)), abs(binom.sf(t - 1, n, q) - (1 - confidence)))
        if tail > 1e-9:
            cases.append({"percent": percent, "n": n, "t": t, "confidence": confidence,
                          "verdict": verdict(percent, n, t, confidence)})
    return cases


def needed(percent, t, confidence):
    n = t + 1
    while verdict(percent, n, t, confidence) != "pass":
        n += 1
    return {"percent": percent, "t": t, "confidence": confidence, "n": n}


def ranks(percent, n, level):
    p = percent / 100
    tail = (1 - level) / 2
    counts = np.arange(0, n + 2)
    lower = counts[binom.cdf(counts - 1, n, p) <= tail].max()
    upper = counts[binom.sf(counts - 1, n, p) <= tail].min()
    found = lower >= 1 and upper <= n
    return {"percent": percent, "n": n, "level": level, "ranks": [int(lower), int(upper)] if found else None}


def main():
    rng = np.random.default_rng(20260)
    sizes = [1, 2, 5, 6, 9, 20, 35, 36, 37, 72, 73, 74, 100, 367, 368, 369, 600, 1000, 5000]
    content = {
        "versions": {"scipy": scipy.__version__, "numpy": np.__version__},
        "tails": tails(rng),
        "verdicts": verdicts(rng),
        "needed": [needed(percent, t, confidence) for percent in PERCENTS for t in (0, 1, 2, 7)
                   for confidence in (0.95, 0.99)],
        "ranks": [ranks(percent, n, level) for percent in PERCENTS for n in sizes for level in (0.95, 0.99)],
    }
    (EXPECTED / "binomial_gates.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
