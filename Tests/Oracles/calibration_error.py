"""Expected calibration errors less what chance adds to them, from scipy's folded normal distribution.

    python calibration_error.py

writes expected/calibration_error.json for ConfidenceTests: the error of the bins as it is, the one for which it is
expected, and the same for errors that are 0.03 higher and lower. Written from the definition, without a look at the
Swift code: the root is Brent's, the expectation scipy.stats.foldnorm's.
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy import optimize, stats

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"


def sample(number):
    """Claims and outcomes, and how many bins; the same as in ConfidenceTests."""
    stream = CaseStream(61_000 + number)
    bins, count = [10, 20, 25][stream.below(3)], 1 + stream.below(250)
    claims, outcomes = [], []
    for _ in range(count):
        claim = stream.below(1001) / 1000
        chance = [claim, claim * claim, 0.7][number % 3]
        degree = (1 + stream.below(64)) / 64 if number % 4 == 3 else 1
        claims.append(claim)
        outcomes.append(degree if stream.below(1000) / 1000 < chance else 0)
    return np.array(claims), np.array(outcomes, float), bins


def case(number):
    claims, outcomes, bins = sample(number)
    place = np.searchsorted(np.arange(1, bins + 1) / bins, claims, side="left")
    gaps, noises = [], []
    for own in np.unique(place):
        claim, outcome = claims[place == own], outcomes[place == own]
        # One more outcome, true with the chance that is claimed.
        chances = np.r_[np.ones(len(outcome)), claim.mean(), 1 - claim.mean()]
        values = np.r_[outcome, 1, 0]
        mean = np.average(values, weights=chances)
        variance = np.average((values - mean) ** 2, weights=chances)
        share = len(claim) / len(claims)
        gaps.append(share * abs(claim.mean() - outcome.mean()))
        noises.append(share * np.sqrt(variance / len(claim)))
    gaps, noises = np.array(gaps), np.array(noises)

    def expected(scale):
        known = noises > 0
        folded = stats.foldnorm.mean(scale * gaps[known] / noises[known], scale=noises[known])
        return folded.sum() + scale * gaps[~known].sum()

    def corrected(error):
        if error <= expected(0):
            return 0.0
        root = optimize.brentq(lambda scale: expected(scale) - error, 0, 2 + error / gaps.sum(), xtol=1e-14)
        return float(min(1, root * gaps.sum()))

    binned = float(gaps.sum())
    return [binned, corrected(binned), corrected(binned + 0.03), corrected(max(0, binned - 0.03))]


def main():
    content = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__},
               "cases": [case(number) for number in range(160)]}
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    (EXPECTED / "calibration_error.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
