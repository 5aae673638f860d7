"""Expected lag against labels, from its definition in NumPy.

    python labelled_lag.py

writes expected/labelled_lag.json for LabelledLag; the clips follow from the case's number.
"""

import json
from pathlib import Path

import numpy as np

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 160
RANGE, FEWEST = 30, 20


def sequence(stream):
    """Times, and for each person what is labelled and predicted: rows of numbers, NaN where a frame has none."""
    is_video, has_box = stream.below(8) > 0, stream.below(3) > 0
    length, people = [12, 40, 70, 120][stream.below(4)], 1 + stream.below(2)
    people = people if has_box else 1  # without a position nobody tells two persons apart
    delay, noise, reach = stream.below(13) - 6, stream.below(4), [0, 1, 4, 9][stream.below(4)]
    times, time = [], 0
    for _ in range(length):
        time += 33_000 + stream.below(700)
        times.append(time)
    persons = []
    for person in range(people):
        if has_box:
            place = np.array([200.0 + 900 * person, 300.0])
        else:
            place = np.array([0.5, 0.5, 0.5])
        truth, step = [], np.zeros(len(place))
        for _ in range(length + 12):  # six frames before and after, for delays
            if stream.below(5) == 0:
                step = np.array([stream.between(-reach, reach) if reach else 0.0 for _ in place])
            place = place + (step if has_box else step / 64)
            truth.append(place)
        truth = np.array(truth)
        errors = np.array([[stream.between(-noise, noise) if noise else 0.0 for _ in place]
                           for _ in range(length)])
        there = [stream.below(15) > 0 for _ in range(length)]
        found = [stream.below(8) > 0 for _ in range(length)]
        labelled, given = truth[6:6 + length], truth[6 - delay:6 - delay + length]
        given = given + (errors if has_box else errors / 64)
        if has_box:
            labelled = np.hstack([labelled, labelled + 400])
            given = np.hstack([given, given + 400])
        labelled, given = np.float32(labelled).astype(float), np.float32(given).astype(float)
        there, found = np.array(there), np.array(found)
        labelled[~there] = np.nan
        given[~(there & found)] = np.nan
        persons.append((labelled, given))
    return is_video, has_box, np.array(times), persons


def correlation(labelled, given, shift):
    """Pearson's, means per signal, sums over signals, and the samples that both have."""
    length = len(labelled)
    first = labelled[max(0, -shift):min(length, length - shift)]
    second = given[max(0, -shift) + shift:min(length, length - shift) + shift]
    known = ~np.isnan(first[:, 0]) & ~np.isnan(second[:, 0])
    if known.sum() < 2:
        return 0.0, 0
    first = first[known] - first[known].mean(axis=0)
    second = second[known] - second[known].mean(axis=0)
    scale = np.sqrt((first ** 2).sum() * (second ** 2).sum())
    return ((first * second).sum() / scale if scale > 0 else 0.0), int(known.sum())


def is_moving(labelled, has_box):
    variances = np.nanvar(labelled, axis=0)
    if not has_box:
        return np.sqrt(variances.sum()) >= 0.05
    sides = labelled[:, 2:] - labelled[:, :2]
    return np.sqrt(variances.mean()) / np.nanmean(np.sqrt(sides.prod(axis=1))) >= 0.02


def delay_of(labelled, given, has_box):
    there = np.flatnonzero(~np.isnan(labelled[:, 0]))
    labelled, given = labelled[there[0]:there[-1] + 1], given[there[0]:there[-1] + 1]
    if min((~np.isnan(side[:, 0])).sum() for side in (labelled, given)) < FEWEST:
        return None
    if not is_moving(labelled, has_box):
        return None
    reach = min(RANGE, len(labelled) // 3)
    r, n = map(np.array, zip(*[correlation(labelled, given, shift) for shift in range(-reach, reach + 1)]))
    peaks = [i for i in range(1, 2 * reach) if r[i] >= .5 and r[i] >= r[i - 1] and r[i] >= r[i + 1]]
    if not peaks or max(r[peaks]) < max(r[0], r[-1]):
        return None
    good = [i for i in peaks if 1 - r[i] <= 1.25 * (1 - max(r[peaks])) + 1e-12]
    peak = min(good, key=lambda i: (abs(i - reach), i))
    curvature = 2 * r[peak] - r[peak - 1] - r[peak + 1]
    if curvature <= 1e-9 or (1 - r[peak] ** 2) / (n[peak] * curvature) > 0.25:
        return None
    a, b, _ = np.polyfit([-1, 0, 1], r[peak - 1:peak + 2], 2)
    return peak - reach - b / (2 * a)


def case(number):
    stream = CaseStream(9000 + number)
    frames, milliseconds = [], []
    for is_video, has_box, times, persons in [sequence(stream) for _ in range(1 + stream.below(3))]:
        interval = np.sort(np.diff(times))[(len(times) - 2) // 2]
        for labelled, given in persons if is_video else []:
            delay = delay_of(labelled, given, has_box)
            if delay is not None:
                frames.append(delay)
                milliseconds.append(delay * interval / 1000)
    return [float(np.mean(values)) if values else None for values in (frames, milliseconds)]


def main():
    content = {"versions": {"numpy": np.__version__}, "names": ["lag.labels.frames", "lag.labels.ms"],
               "cases": [case(number) for number in range(CASES)]}
    (EXPECTED / "labelled_lag.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
