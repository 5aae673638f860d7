"""Expected p of paired permutation tests and Holm's adjustment, from SciPy and NumPy.

    python paired_permutations.py

writes expected/paired_permutations.json for SignFlips; inputs follow from the case's number.
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.stats import permutation_test

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"


def pairs(number):
    stream = CaseStream(30_000 + number)
    count, kind = 2 + stream.below(11), stream.below(5)
    first = [stream.below(65) / 64 for _ in range(count)]
    second = [stream.below(65) / 64 for _ in range(count)]
    if kind == 0:
        second = list(first)
    elif kind == 1:
        second = [value + 0.25 for value in first]
    elif kind == 2:
        second = [first[i] if i % 2 else second[i] for i in range(count)]
    return first, second


def exact_p(number):
    first, second = pairs(number)
    return float(
        permutation_test(
            (second, first),
            lambda a, b, axis: np.mean(a, axis=axis) - np.mean(b, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
            alternative="two-sided",
        ).pvalue
    )


def holm(number):
    """By the definition of Holm 1979: reject while p(i) <= alpha / (m - i + 1)."""
    stream = CaseStream(31_000 + number)
    values = np.array([stream.below(101) / (100 if stream.below(2) else 1000)
                       for _ in range(1 + stream.below(20))])
    order = np.argsort(values, kind="stable")
    scaled = np.minimum(1, values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty(len(values))
    adjusted[order] = np.maximum.accumulate(scaled)
    return values.tolist(), adjusted.tolist()


if __name__ == "__main__":
    written = {
        "scipy": scipy.__version__,
        "numpy": np.__version__,
        "p": [exact_p(number) for number in range(150)],
        "holm": [holm(number) for number in range(120)],
    }
    path = EXPECTED / "paired_permutations.json"
    path.write_text(json.dumps(written, separators=(",", ":")) + "\n")
    print(f"{path.name}: {len(written['p'])} tests, {len(written['holm'])} families")
