#!/usr/bin/env python3
"""Writes expected/slice_gaps.json: gaps between slices with Holm's p, intervals and needed n, by NumPy and SciPy.

The resampled values come from a seed (case_stream.py). Needs: numpy, scipy.  Run: python3 Tests/Oracles/slice_gaps.py
"""
import itertools
import json
import math
import pathlib

import numpy as np
import scipy
from scipy import stats

from case_stream import CaseStream

RESAMPLES = 60
# (property, metric, whether higher is better, [(slice, n, clusters)])
GROUPS = [
    ("yaw", "recall", True, [("0-30", 120, 40), ("30-60", 60, 25), ("60-", 31, 12)]),
    ("yaw", "nme", False, [("0-30", 110, 40), ("30-60", 50, 25)]),
    ("light", "recall", True, [("dark", 90, 30), ("bright", 121, 38)]),
]

stream = CaseStream(77)
cases, pairs = [], []
for number, (dimension, metric, is_higher, slices) in enumerate(GROUPS):
    members = []
    for position, (name, n, clusters) in enumerate(slices):
        value = stream.between(4, 6) / 10 - 0.08 * position * (1 if is_higher else -1)
        values = [value + (stream.between(0, 2) - 1) / 20 for _ in range(RESAMPLES)]
        members.append((name, n, clusters, value, np.array(values)))
    for first, second in itertools.combinations(members, 2):
        clusters = min(first[2], second[2])
        error = np.std(first[4] - second[4], ddof=1) * math.sqrt(clusters / (clusters - 1))
        difference = first[3] - second[3]
        p = 2 * stats.t.sf(abs(difference) / error, clusters - 1)
        pairs.append({"group": number, "first": first, "second": second, "difference": difference, "error": error,
                      "p": p, "freedom": clusters - 1, "higher": is_higher})

order = sorted(range(len(pairs)), key=lambda i: pairs[i]["p"])
largest = 0
for rank, index in enumerate(order):
    largest = max(largest, min(1, (len(pairs) - rank) * pairs[index]["p"]))
    pairs[index]["adjusted"] = largest

findings = []
for number, (dimension, metric, is_higher, _) in enumerate(GROUPS):
    pair = max((p for p in pairs if p["group"] == number), key=lambda p: abs(p["difference"]))
    is_first_worse = (pair["difference"] < 0) == is_higher
    worst, best = (pair["first"], pair["second"]) if is_first_worse else (pair["second"], pair["first"])
    gap, reach = abs(pair["difference"]), pair["error"] * stats.t.isf(0.025, pair["freedom"])
    reach_of_test = sum(stats.t.isf(share, pair["freedom"]) for share in (0.025 / len(pairs), 0.2))
    variance = pair["error"] ** 2 / (1 / worst[1] + 1 / best[1])
    findings.append({
        "metric": metric, "worst": f"{dimension}={worst[0]}", "best": f"{dimension}={best[0]}", "gap": gap,
        "low": gap - reach, "high": gap + reach, "p": pair["adjusted"], "visible": reach_of_test * pair["error"],
        "needed": math.ceil(2 * variance * (reach_of_test / gap) ** 2)})

expected = {"made_with": {"numpy": np.__version__, "scipy": scipy.__version__}, "findings": findings}
path = pathlib.Path(__file__).parent / "expected" / "slice_gaps.json"
path.write_text(json.dumps(expected, indent=1) + "\n")
