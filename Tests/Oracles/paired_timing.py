"""Expected metrics of paired timings, from NumPy and SciPy.

    python paired_timing.py

writes expected/paired_timing.json for PairedRatioTests and MedianShiftTests: median and Hodges-Lehmann estimate of log
ratios, p of the rank sums, and shifts by a search of every position with scipy.stats.mannwhitneyu. The inputs follow from
the number of the case, the same in Swift.
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.stats import mannwhitneyu

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES, MIN_COUNT, SIGNIFICANCE = 150, 5, 0.05


def times(number):
    """Nanoseconds of base and candidate: spread, ties, equal, tiny with zeros, one pair."""
    stream = CaseStream(4200 + number)
    kind = stream.below(5)
    count = 1 if kind == 4 else 1 + stream.below(60)
    base, candidate = [], []
    for _ in range(count):
        one = [1 + stream.below(5_000_000), 1000 * (1 + stream.below(4)), 7000, stream.below(3),
               1 + stream.below(100)][kind]
        other = one if kind == 2 else one * (80 + stream.below(60)) // 100
        base.append(one)
        candidate.append(other)
    return base, candidate


def pairs(number):
    base, candidate = times(number)
    ratios = np.log(np.maximum(candidate, 1) / np.maximum(base, 1))
    walsh = [(x + y) / 2 for i, x in enumerate(ratios) for y in ratios[i:]]
    return {"median": float(np.median(ratios)), "hodges_lehmann": float(np.median(walsh))}


def series(number):
    """Values with none, one or two steps, some rounded so that they tie."""
    stream = CaseStream(8800 + number)
    count, steps = 4 + stream.below(50), stream.below(3)
    positions = sorted(stream.below(count) for _ in range(steps))
    coarse = stream.below(3) == 0
    values, level = [], 10.0
    for index in range(count):
        for position in positions:
            if position == index:
                level += stream.between(-3, 3)
        noise = stream.between(-1, 1)
        values.append(round(level + noise) if coarse else level + noise)
    return [float(v) for v in values]


def p_value(first, second):
    if len(set(first + second)) == 1:
        return 1.0
    return float(mannwhitneyu(first, second).pvalue)


def shifts(values, low, high):
    if high - low < 2 * MIN_COUNT:
        return []
    positions = range(low + MIN_COUNT, high - MIN_COUNT + 1)
    candidates = [(p_value(values[low:position], values[position:high]), position) for position in positions]
    p = min(1.0, min(p for p, _ in candidates) * len(candidates))
    if p > SIGNIFICANCE:
        return []
    # The place is where the values are nearest to the medians of both sides.
    costs = [sum(np.abs(part - np.median(part)).sum() for part in (np.array(values[low:position]), np.array(values[position:high])))
             for position in positions]
    position = positions[int(np.argmin(costs))]
    return shifts(values, low, position) + [[position, p]] + shifts(values, position, high)


def shift_case(number):
    values = series(number)
    middle = len(values) // 2
    return {"p": p_value(values[:middle], values[middle:]), "shifts": shifts(values, 0, len(values))}


def main():
    EXPECTED.mkdir(exist_ok=True)
    content = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__},
               "pairs": [pairs(number) for number in range(CASES)],
               "series": [shift_case(number) for number in range(CASES)]}
    (EXPECTED / "paired_timing.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
