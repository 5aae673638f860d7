"""Expected ranks of runs on the same frames, from NumPy and SciPy.

    python run_ranks.py

writes expected/run_ranks.json for RankSharesTests and RunRankingTests; inputs follow from the case's number.
"""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import scipy
from scipy.stats import permutation_test, rankdata

from case_stream import MASK, CaseStream

EXPECTED = Path(__file__).parent / "expected"
FRAMES, RUNS, DRAWS = 12, 4, 5000


def draws(number):
    """A value per run and draw, with ties."""
    stream = CaseStream(61_000 + number)
    runs, count = 2 + stream.below(5), 1 + stream.below(40)
    levels = 2 + stream.below(30)
    return [[stream.below(levels) for _ in range(runs)] for _ in range(count)]


def shares(values):
    """How often each run has each rank, 1 the largest; ties share their ranks."""
    values = np.asarray(values, float)
    best = rankdata(-values, method="min", axis=1)
    last = rankdata(-values, method="max", axis=1)
    ranks = np.arange(1, values.shape[1] + 1)
    inside = (best[:, :, None] <= ranks) & (ranks <= last[:, :, None])
    return (inside / inside.sum(axis=2, keepdims=True)).mean(axis=0).tolist()


def decided(number):
    """Pairs of runs that differ: the better first, in a random order of the runs."""
    stream = CaseStream(62_000 + number)
    runs, often = 2 + stream.below(6), 1 + stream.below(4)
    pairs = []
    for first, second in combinations(range(runs), 2):
        if stream.below(4) < often:
            pairs.append((first, second) if stream.below(2) else (second, first))
    return runs, pairs


def ranges(number):
    runs, pairs = decided(number)
    better = np.zeros((runs, runs), int)
    for first, second in pairs:
        better[first, second] = 1
    low = 1 + better.sum(axis=0)
    return np.stack([low, np.maximum(low, runs - better.sum(axis=1))], axis=1).tolist()


def found(number):
    """Found faces of two in each frame, run by run."""
    stream = CaseStream(63_000 + number)
    return np.array([[1 + (stream.below(8) > run) for _ in range(FRAMES)] for run in range(RUNS)])


def draw_copies(seed, draw):
    """How often ClusterBootstrap takes each frame: Lemire's bounded numbers from SplitMix64."""
    stream = CaseStream(CaseStream(CaseStream(seed).next() ^ draw).next())
    copies = np.zeros(FRAMES, int)
    for _ in range(FRAMES):
        product = stream.next() * FRAMES
        if product & MASK < FRAMES:
            while product & MASK < (1 << 64) % FRAMES:
                product = stream.next() * FRAMES
        copies[product >> 64] += 1
    return copies


def paired_p(first, second):
    return float(permutation_test(
        (second, first), lambda a, b, axis: np.mean(a, axis=axis) - np.mean(b, axis=axis),
        permutation_type="samples", vectorized=True, n_resamples=np.inf,
        alternative="two-sided").pvalue)


def whole(number):
    values = found(number)
    copies = np.array([draw_copies(1, draw) for draw in range(DRAWS)])
    pairs = list(combinations(range(RUNS), 2))
    return {
        "recall": (values.sum(axis=1) / (2 * FRAMES)).tolist(),
        "p": [paired_p(values[a], values[b]) for a, b in pairs],
        "shares": shares(copies @ values.T),
    }


if __name__ == "__main__":
    written = {
        "scipy": scipy.__version__,
        "numpy": np.__version__,
        "shares": [shares(draws(number)) for number in range(60)],
        "ranges": [ranges(number) for number in range(100)],
        "runs": [whole(number) for number in range(3)],
    }
    path = EXPECTED / "run_ranks.json"
    path.write_text(json.dumps(written, separators=(",", ":")) + "\n")
    print(f"{path.name}: {len(written['shares'])} and {len(written['ranges'])} cases of ranks")
