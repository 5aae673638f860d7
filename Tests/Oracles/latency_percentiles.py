"""Expected percentiles, mean and maximum for StageLatency, from numpy.

    python latency_percentiles.py

writes expected/latency_percentiles.json: samples in nanoseconds, expected values in milliseconds,
null where n(1 - p) < 1 and so the percentile is not claimed.
"""

import json
from pathlib import Path

import numpy as np

EXPECTED = Path(__file__).parent / "expected"
COUNTS = [0, 1, 2, 3, 9, 10, 11, 19, 20, 21, 50, 99, 100, 101, 150, 199, 200, 201, 333, 700, 1000]


def case(count):
    rng = np.random.default_rng([20250, count])
    tied = count % 2 == 0
    samples = rng.lognormal(15, 0.6, count).astype(np.int64)
    if tied:
        samples = samples // 1_000_000 * 1_000_000
    expected = {}
    for percent in (50, 90, 95, 99):
        supported = count * (100 - percent) >= 100
        expected[f"p{percent}"] = (
            float(np.percentile(samples, percent, method="inverted_cdf")) / 1e6
            if supported else None)
    expected["mean"] = float(samples.mean()) / 1e6 if count else None
    expected["max"] = float(samples.max()) / 1e6 if count else None
    return {"nanoseconds": samples.tolist(), "expected": expected}


def main():
    EXPECTED.mkdir(exist_ok=True)
    content = {"versions": {"numpy": np.__version__}, "method": "inverted_cdf",
               "cases": [case(count) for count in COUNTS]}
    (EXPECTED / "latency_percentiles.json").write_text(
        json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
