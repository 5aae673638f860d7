#!/usr/bin/env python3
"""Writes expected/session_drift.json: differences of two sessions by Welch's t-test and Holm, by SciPy.

Needs: numpy, scipy.  Run: python3 Tests/Oracles/session_drift.py
"""
import json
import pathlib

import numpy as np
import scipy
from scipy import stats

NAMES = ["jawOpen", "eyeBlinkLeft", "mouthPucker", "cheekPuff", "browInnerUp", "mouthSmileRight"]


def holm(values):
    adjusted, largest = [0.0] * len(values), 0.0
    for rank, index in enumerate(np.argsort(values, kind="stable")):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = largest
    return adjusted


def case(random):
    sessions, tests = [{}, {}], {}
    for name in NAMES:
        shift = random.choice([0, 0, 0.03, 0.2])
        for session, offset in zip(sessions, (0, shift)):
            count = int(random.integers(2, 7))
            values = 0.1 + offset + random.normal(0, random.choice([0.005, 0.02]), count)
            session[name] = [round(float(v), 6) for v in values]
        result = stats.ttest_ind(sessions[1][name], sessions[0][name], equal_var=False)
        bounds = result.confidence_interval(0.95)
        tests[name] = {
            "difference": float(np.mean(sessions[1][name]) - np.mean(sessions[0][name])),
            "low": float(bounds.low), "high": float(bounds.high), "p": float(result.pvalue),
        }
    for name, p in zip(tests, holm([one["p"] for one in tests.values()])):
        tests[name]["p"] = p
    return {"first": sessions[0], "second": sessions[1], "tests": tests}


if __name__ == "__main__":
    random = np.random.default_rng(20261124)
    path = pathlib.Path(__file__).parent / "expected" / "session_drift.json"
    result = {"scipy": scipy.__version__, "cases": [case(random) for _ in range(12)]}
    path.write_text(json.dumps(result, indent=1) + "\n")
