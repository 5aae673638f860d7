"""Expected metrics of tracking, from their definitions in NumPy.

    python tracking_metrics.py

writes expected/tracking_metrics.json for FaceTracking; the sequences follow from the case's number.
"""

import json
from pathlib import Path

import numpy as np

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 160
NAMES = ["tracked_share", "losses", "losses_per_minute", "reacquire_ms.median", "reacquire_ms.p95",
         "longest_gap_ms", "detector_rate", "dropped_frames", "largest_change_share"]


def sequence(stream):
    """Frames as time, status, whether the detector ran, labelled faces; and whether it is video."""
    is_video, is_labelled = stream.below(5) > 0, stream.below(2) == 1
    has_identity = stream.below(2) == 1
    stands_still = stream.below(10) == 0
    often = 2 + stream.below(9)
    time, there, found, frames = 0, [True, True], [stream.below(2) == 1, True], []
    for _ in range(stream.below(90)):
        status = {0: "dropped", 1: "broken"}.get(stream.below(14), "analysed")
        ran = stream.below(3) == 0
        for face in range(2):
            if stream.below(often) == 0:
                found[face] = not found[face]
            if stream.below(10) == 0:
                there[face] = not there[face]
        # Face 0 may be labelled and given out; face 1 exists only where there are labels.
        faces = [(face, found[face]) for face in range(2) if there[face]] if is_labelled else []
        # All boxes are of one size: of two the first that is given out counts, which is face 1.
        given = [face for face, hit in faces if hit] if is_labelled else [0] * found[0]
        if not has_identity:
            faces = [(position, hit) for position, (_, hit) in enumerate(faces)]
        frames.append((time, status, ran, dict(faces), found[0], given))
        if not stands_still:
            time += 30_000 + stream.below(5_000)
    return is_video, frames


def runs(flags):
    """Starts and ends of the stretches of False."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.logical_not(flags), [0]]).astype(int)))
    return edges.reshape(-1, 2)


def case(number):
    stream = CaseStream(2000 + number)
    k = 1 + stream.below(4)
    analysed = detector = dropped = occasions = found = 0
    gaps, minutes, any_face = [], 0.0, False
    compared = changes = 0
    for is_video, frames in [sequence(stream) for _ in range(stream.below(7))]:
        if not is_video:
            continue
        dropped += sum(f[1] == "dropped" for f in frames)
        for before, now in zip(frames, frames[1:]):
            if before[1] == now[1] == "analysed" and before[5] and now[5] \
                    and max(len(before[5]), len(now[5])) > 1:
                compared += 1
                changes += max(before[5]) != max(now[5])
        seen = [f for f in frames if f[1] == "analysed"]
        analysed += len(seen)
        detector += sum(f[2] for f in seen)
        times = np.array([f[0] for f in seen], dtype=float)
        tracks = []
        faces = sorted({face for f in seen for face in f[3]})
        if faces:
            for face in faces:
                labelled = np.array([face in f[3] for f in seen])
                for start, end in runs(~labelled):
                    tracks.append((start, [f[3][face] for f in seen[start:end]], 0))
        else:
            hits = [f[4] for f in seen]
            tracks.append((0, hits, hits.index(True) if True in hits else len(hits)))
        has_face = bool(faces) or any(f[4] for f in seen)
        if has_face:
            any_face = True
            minutes += (frames[-1][0] - frames[0][0]) / 60e6
        for offset, hits, first in tracks:
            occasions += len(hits)
            found += sum(hits)
            for start, end in runs(hits):
                if start < first:
                    continue
                returns = end < len(hits)
                until = offset + (end if returns else end - 1)
                gaps.append((end - start, returns, (times[until] - times[offset + start]) / 1000))
    losses = [gap for gap in gaps if gap[0] >= k]
    waits = np.array([gap[2] for gap in losses if gap[1]])

    def percentile(percent, needs):
        return float(np.percentile(waits, percent, method="inverted_cdf")) if len(waits) >= needs \
            else None

    frames = analysed + dropped
    return [
        found / occasions if occasions else None,
        float(len(losses)) if any_face else None,
        len(losses) / minutes if any_face and minutes > 0 else None,
        percentile(50, 2), percentile(95, 20),
        max([gap[2] for gap in gaps], default=0.0) if any_face else None,
        detector / analysed if analysed else None,
        float(dropped) if frames else None,
        changes / compared if compared else None,
    ]


def main():
    content = {"versions": {"numpy": np.__version__}, "names": ["tracking." + n for n in NAMES],
               "cases": [case(number) for number in range(CASES)]}
    (EXPECTED / "tracking_metrics.json").write_text(
        json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
