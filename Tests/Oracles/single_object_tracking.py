"""Expected metrics of following one target, from OTB's and VOT's definitions in NumPy.

    python single_object_tracking.py

writes expected/single_object_tracking.json for SingleObjectTracking and FaceErrorTime; the clips follow from the case's
number. The thresholds of VOT are placed as its toolkit places them (`determine_thresholds`).
"""

import json
from pathlib import Path

import numpy as np

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 140
NAMES = ["success_auc", "precision@20px", "mean_iou", "vot.f", "vot.pr", "vot.re", "vot.confidence",
         "missed_s_per_minute", "false_track_s_per_minute"]
FLOOR = 0.25


def iou(first, second):
    low = np.maximum(first[:2], second[:2])
    high = np.minimum(first[:2] + first[2:], second[:2] + second[2:])
    shared = np.prod(np.maximum(high - low, 0))
    return shared / (np.prod(first[2:]) + np.prod(second[2:]) - shared)


def sequence(stream, has_scores):
    """Frames as time, whether analysed, state (0 absent, 1 ignored, 2 there), box, given box and confidence."""
    is_video, has_second = stream.below(6) > 0, stream.below(8) == 0
    length = [0, 1, 15, 60, 130][stream.below(5)]
    noise, coarse, often = 1 + stream.below(25), stream.below(3) == 0, 3 + stream.below(10)
    corner, there, found, time, frames = [100.0, 100.0], True, True, 0, []
    for _ in range(length):
        time += 30_000 + stream.below(5_000)
        is_analysed = stream.below(30) > 0
        if stream.below(often) == 0:
            there = not there
        if stream.below(often) == 0:
            found = not found
        state = 0 if not there else 1 if stream.below(20) == 0 else 2
        corner = [corner[0] + stream.between(-4, 4), corner[1] + stream.between(-4, 4)]
        box = np.array([corner[0], corner[1], 40, 50])
        given = box + np.array([stream.between(-noise, noise) for _ in range(4)]) * [1, 1, .5, .5]
        score = stream.below(4) / 4 if coarse else stream.below(1 << 20) / (1 << 20)
        frames.append((time, is_analysed, state, box, given if found else None, score if has_scores else None))
    return is_video, has_second, frames


def thresholds(scores):
    scores = sorted(scores, reverse=True)
    if len(scores) > 98:
        delta = len(scores) // 98
        indices = np.round(np.linspace(delta, len(scores) - delta, num=98)).astype(int)
        scores = [scores[index] for index in indices]
    return [np.inf, *scores, -np.inf]


def long_term(sequences):
    scores = [f[5] for frames in sequences for f in frames if f[4] is not None]
    if not scores or None in scores:
        return [None] * 4
    curve = []
    for threshold in thresholds(scores):
        precision, recall = [], []
        for frames in sequences:
            overlap = np.array([iou(f[3], f[4]) if f[2] == 2 else 0 for f in frames
                                if f[4] is not None and f[5] >= threshold])
            precision.append(overlap.mean() if len(overlap) else 1)
            recall.append(overlap.sum() / sum(f[2] == 2 for f in frames))
        pr, re = np.mean(precision), np.mean(recall)
        curve.append((2 * pr * re / (pr + re) if pr + re else 0, pr, re, threshold))
    best = max(curve, key=lambda point: point[0])  # the first of equal ones: the highest threshold
    # Sums in another order may move the last bits: no other point may come so near.
    assert all(p[1:3] == best[1:3] or abs(p[0] - best[0]) > 1e-12 for p in curve), "a tie of F"
    confidence = min(scores) if best[3] == -np.inf else best[3]
    return [best[0], best[1], best[2], confidence if best[0] else None]


def otb(frames):
    labelled = [f for f in frames if f[2] == 2]
    given = [f[4] if f[4] is not None and (f[5] is None or f[5] >= FLOOR) else None for f in labelled]
    overlap = np.array([0 if g is None else iou(f[3], g) for f, g in zip(labelled, given)])
    centre = np.array([np.inf if g is None else np.hypot(*(f[3][:2] + f[3][2:] / 2 - g[:2] - g[2:] / 2))
                       for f, g in zip(labelled, given)])
    success = [(overlap > threshold).mean() for threshold in np.arange(21) / 20]
    return [np.mean(success), (centre <= 20).mean(), overlap.mean()]


def missed_and_false_time(videos):
    missed = spent = whole = 0
    for frames, second in videos:
        for frame, after in zip(frames, frames[1:]):
            time = after[0] - frame[0]
            whole += time
            is_given = frame[4] is not None and (frame[5] is None or frame[5] >= FLOOR)
            missed += time * int(frame[2] == 2 and not (is_given and iou(frame[3], frame[4]) >= 0.5))
            # On an ignored label a face counts neither way; the second face of some clips is on nothing.
            wrong = is_given and (frame[2] == 0 or iou(frame[3], frame[4]) < 0.5)
            spent += time * (int(wrong) + int(second))
    return [60 * missed / whole, 60 * spent / whole] if whole else [None, None]


def case(number):
    stream = CaseStream(6000 + number)
    has_scores = stream.below(4) > 0
    videos = [([f for f in frames if f[1]], second)
              for is_video, second, frames in [sequence(stream, has_scores) for _ in range(1 + stream.below(3))] if is_video]
    single = [[f for f in frames if f[2] != 1] for frames, second in videos
              if not second and any(f[2] == 2 for f in frames)]
    metrics = [*np.mean([otb(frames) for frames in single], axis=0), *long_term(single)] if single else [None] * 7
    return [None if value is None else float(value) for value in [*metrics, *missed_and_false_time(videos)]]


def main():
    content = {"versions": {"numpy": np.__version__}, "names": ["tracking." + name for name in NAMES],
               "cases": [case(number) for number in range(CASES)]}
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    (EXPECTED / "single_object_tracking.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
