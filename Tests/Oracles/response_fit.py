"""Expected response of predicted coefficients to labelled ones, from NumPy's least squares.

    python response_fit.py

writes expected/response_fit.json for ResponseFit; the inputs follow from the case's number. Each person has a
constant of their own in the regression.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

from case_stream import CaseStream

CASES = 20


def rounded(numbers):
    return [None if number is None else round(float(number), 12) for number in numbers]


def faces(number):
    """Labels and predictions of four coefficients, and the person of each face."""
    stream = CaseStream(9100 + number)
    g, p, person = [], [], []
    for index in range(3 + stream.below(3)):
        shift = stream.below(16) / 64
        for _ in range(60 + stream.below(20)):
            a, b, c, d = (stream.below(64) / 64 for _ in range(4))
            e = [stream.below(64) / 64 for _ in range(4)]
            g.append([a, b, c, d])
            p.append([a / 2 + shift + e[0] / 8, b * b + e[1] / 16, d / 4 + e[2] / 8, c / 2 + a / 4 + shift / 2 + e[3] / 16])
            person.append(index)
    return np.array(g), np.array(p), np.array(person)


def shape(x, y):
    """Nonlinearity, dead zone and saturation of a curve, the last two by stepping along it."""
    rise = y[-1] - y[0]
    if len(x) < 3 or abs(rise) < 0.05:
        return None, None, None
    line = np.polynomial.Polynomial.fit(x, y, 1)
    steps = np.linspace(x[0], x[-1], 2_000_001)
    done = (np.interp(steps, x, y) - y[0]) / rise
    return np.abs(y - line(x)).max() / abs(rise), steps[np.argmax(done >= 0.1)], steps[np.flatnonzero(done < 0.9)[-1]]


def case(number):
    g, p, person = faces(number)
    constants = (person[:, None] == np.arange(person.max() + 1)).astype(float)
    design = np.column_stack([g, constants])
    slopes = np.linalg.lstsq(design, p, rcond=None)[0]
    rest = p - design @ slopes
    slopes = slopes[:4].T
    numbers = []
    for channel in range(4):
        gain = slopes[channel, channel]
        offset = p[:, channel].mean() - slopes[channel] @ g.mean(axis=0)
        level = np.clip(np.floor(10 * g[:, channel] + 0.5), 0, 10)
        levels = [level == k for k in range(11) if (level == k).sum() >= 3]
        x = np.array([g[at, channel].mean() for at in levels])
        y = np.array([(offset + gain * g[at, channel] + rest[at, channel]).mean() for at in levels])
        errors = []
        for index in range(person.max() + 1):
            own = person == index
            line = np.polynomial.Polynomial.fit(p[~own, channel], g[~own, channel], 1)
            errors += list(g[own, channel] - line(p[own, channel]))
        column = slopes[:, channel]
        numbers.append({
            "numbers": rounded([gain, offset, (y[-1] - y[0]) / (x[-1] - x[0]), *shape(x, y), gain ** 2 / (column @ column),
                                np.sqrt(np.mean((p - g)[:, channel] ** 2))]),
            "rank": int(1 + (np.abs(column) > abs(gain)).sum()), "calibrated": round(float(np.sqrt(np.mean(np.square(errors)))), 12)})
    return {"slopes": [rounded(row) for row in slopes], "channels": numbers}


def main():
    content = {"versions": {"numpy": version("numpy")}, "cases": [case(n) for n in range(CASES)]}
    path = Path(__file__).parent / "expected" / "response_fit.json"
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
