"""Expected values for SettingTable's Pareto fronts, found by comparing every pair of settings.

    python pareto_fronts.py

writes expected/pareto_fronts.json.
"""

import itertools
import json
from pathlib import Path

import numpy as np

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 240


def case(seed):
    """Settings on a grid, and one to four columns of few distinct values, some undefined."""
    stream = CaseStream(seed)
    metrics = 1 + stream.below(4)
    parameters = [1 + stream.below(7), 1 + stream.below(7)]
    settings = list(itertools.product(range(parameters[0]), range(parameters[1])))
    levels = [2, 5, 1000][stream.below(3)]
    undefined = [0, 8, 2][stream.below(3)]
    higher = [stream.below(2) == 1 for _ in range(metrics)]
    columns = np.full((len(settings), metrics), np.nan)
    for metric in range(metrics):
        for setting in range(len(settings)):
            value = stream.below(levels)
            if undefined == 0 or stream.below(undefined) != 0:
                columns[setting, metric] = value
    return settings, higher, columns


def front(settings, higher, columns):
    losses = columns * np.where(higher, -1, 1)
    complete = [s for s in range(len(settings)) if not np.isnan(losses[s]).any()]
    kept = []
    for one in complete:
        beaten = any(
            (losses[other] <= losses[one]).all()
            and ((losses[other] < losses[one]).any() or settings[other] > settings[one])
            for other in complete
            if other != one
        )
        if not beaten:
            kept.append(one)
    return sorted(kept, key=lambda s: tuple(losses[s]))


def main():
    fronts = [front(*case(seed)) for seed in range(CASES)]
    content = {"versions": {"numpy": np.__version__}, "fronts": fronts}
    (EXPECTED / "pareto_fronts.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
