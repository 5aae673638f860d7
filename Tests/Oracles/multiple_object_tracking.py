"""Expected CLEAR-MOT and ID measures, by motmetrics, and HOTA, in NumPy from the paper (Luiten et al. 2020).

    python multiple_object_tracking.py

writes expected/multiple_object_tracking.json for IdentityTracking; the clips follow from the case's number. The
sequences are evaluated one by one and their counts put together as motmetrics does (`generate_overall`), but for MOTP,
which it makes undefined by a sequence without a match. motmetrics knows neither ignored labels nor faces without
identity: the former are not in these cases, the latter go in as tracks of one frame.
"""

import json
import warnings
from pathlib import Path

import motmetrics
import numpy as np
from scipy.optimize import linear_sum_assignment

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 140
COLUMNS = ["idf1", "idp", "idr", "recall", "precision", "num_unique_objects", "mostly_tracked", "partially_tracked",
           "mostly_lost", "num_false_positives", "num_misses", "num_switches", "num_fragmentations", "mota", "motp"]
NAMES = ["idf1", "idp", "idr", "recall", "precision", "people", "mostly_tracked", "partially_tracked", "mostly_lost",
         "false_positives", "misses", "id_switches", "fragmentations", "mota", "motp"]
HIGHER_ORDER = ["hota", "deta", "assa", "loca"]
ALPHAS = 0.05 * np.arange(1, 20)


def sequence(stream):
    """Frames as labelled (identity, box) and given (identity or None, box)."""
    people = stream.below(5)
    length = [0, 1, 5, 20, 40][stream.below(5)]
    spread = [0, 30, 60][stream.below(3)]
    noise = 1 + stream.below(12)
    often = 2 + stream.below(12)
    is_named = stream.below(4) > 0
    position = [[stream.between(0, 200), stream.between(0, 100)] for _ in range(people)]
    track = list(range(people))
    there, found, fresh, frames = [True] * people, [True] * people, 10, []
    for _ in range(length):
        labels, faces = [], []
        for person in range(people):
            position[person][0] += stream.between(-4, 4)
            position[person][1] += stream.between(-4, 4)
            if stream.below(12) == 0:
                there[person] = not there[person]
            if stream.below(often) == 0:
                found[person] = not found[person]
            change = stream.below(often * 2)
            if change == 0:  # a new track
                track[person] = fresh
                fresh += 1
            elif change == 1:  # somebody else's
                other = stream.below(people)
                track[person], track[other] = track[other], track[person]
        for person in range(people):
            offset = [stream.between(-noise, noise) for _ in range(4)]
            box = [position[person][0] + spread * person, position[person][1], 40 + person, 40]
            if there[person]:
                labels.append((person, box))
            if found[person]:
                faces.append((track[person], [box[0] + offset[0], box[1] + offset[1], box[2] + offset[2] / 2,
                                              box[3] + offset[3] / 2]))
        if stream.below(5) == 0:
            faces.append((900 + stream.below(3), [stream.between(0, 300), stream.between(0, 100), 40, 40]))
        if not is_named:
            faces = [(None if stream.below(3) == 0 else identity, box) for identity, box in faces]
        frames.append((labels, faces))
    return frames


def accumulate(frames):
    accumulator = motmetrics.MOTAccumulator()
    alone = 100_000
    for number, (labels, faces) in enumerate(frames):
        labels = sorted(labels)
        named = sorted([face for face in faces if face[0] is not None])
        nameless = [face for face in faces if face[0] is None]
        tracks = [face[0] for face in named] + [alone + index for index in range(len(nameless))]
        alone += len(nameless)
        boxes = [face[1] for face in named + nameless]
        distances = motmetrics.distances.iou_matrix([box for _, box in labels], boxes, max_iou=0.5)
        accumulator.update([identity for identity, _ in labels], tracks, distances, frameid=number)
    return accumulator


def iou(first, second):
    """IoU of boxes x, y, width, height, a row a box of the first."""
    a, b = np.reshape(first, (-1, 1, 4)), np.reshape(second, (1, -1, 4))
    low = np.maximum(a[..., :2], b[..., :2])
    high = np.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    common = np.prod(np.clip(high - low, 0, None), axis=-1)
    return common / (np.prod(a[..., 2:], axis=-1) + np.prod(b[..., 2:], axis=-1) - common)


def higher_order(sequences):
    """HOTA, DetA, AssA and LocA over the overlaps, counts of all sequences put together."""
    true, found, given = np.zeros(19), 0, 0
    located, associated = np.zeros(19), np.zeros(19)
    for frames in sequences:
        alone, rows = 100_000, []
        for labels, faces in frames:
            tracks = []
            for identity, _ in faces:
                if identity is None:
                    identity, alone = alone, alone + 1
                tracks.append(identity)
            rows.append(([identity for identity, _ in labels], tracks,
                         iou([box for _, box in labels], [box for _, box in faces])))
        people = sorted({identity for row in rows for identity in row[0]})
        tracks = sorted({identity for row in rows for identity in row[1]})
        potential = np.zeros((len(people), len(tracks)))
        lengths = np.zeros((len(people), 1)), np.zeros((1, len(tracks)))
        indexed = [([people.index(i) for i in a], [tracks.index(i) for i in b], s) for a, b, s in rows]
        for a, b, s in indexed:
            lengths[0][a, 0] += 1
            lengths[1][0, b] += 1
            found, given = found + len(a), given + len(b)
            if a and b:
                potential[np.ix_(a, b)] += s / np.maximum(s.sum(0) + s.sum(1)[:, None] - s, 1e-300)
        aligned = potential / (lengths[0] + lengths[1] - potential)
        pairs = np.zeros((19, len(people), len(tracks)))
        for a, b, s in indexed:
            if not a or not b:
                continue
            row, column = linear_sum_assignment(aligned[np.ix_(a, b)] * s, maximize=True)
            for k, alpha in enumerate(ALPHAS):
                for i, j in zip(row, column):
                    if s[i, j] >= alpha - np.finfo(float).eps:
                        true[k] += 1
                        located[k] += s[i, j]
                        pairs[k, a[i], b[j]] += 1
        associated += (pairs * pairs / (lengths[0] + lengths[1] - pairs)).sum(axis=(1, 2))
    detection = true / (found + given - true)
    association = np.divide(associated, true, out=np.zeros(19), where=true > 0)
    location = np.divide(located, true, out=np.ones(19), where=true > 0)
    return [float(np.mean(value)) for value in
            (np.sqrt(detection * association), detection, association, location)]


def case(number):
    stream = CaseStream(5000 + number)
    sequences = [frames for frames in (sequence(stream) for _ in range(stream.below(3) + 1)) if frames]
    if not any(labels for frames in sequences for labels, _ in frames) \
            or not any(face[0] is not None for frames in sequences for _, faces in frames for face in faces):
        return [None] * len(NAMES + HIGHER_ORDER)  # no identities on one side
    host = motmetrics.metrics.create()
    accumulators = [accumulate(frames) for frames in sequences]
    table = host.compute_many(accumulators, metrics=COLUMNS + ["num_objects", "num_predictions", "num_detections"],
                              names=[str(i) for i in range(len(accumulators))], generate_overall=True)
    whole, parts = table.loc["OVERALL"], table.drop(index="OVERALL")
    values = {name: float(whole[name]) for name in COLUMNS}
    detections = parts["num_detections"]
    values["motp"] = float(np.average(parts["motp"][detections > 0], weights=detections[detections > 0])) \
        if detections.sum() else None
    # motmetrics gives NaN or infinity where there is nothing to divide by.
    if whole["num_objects"] == 0:
        values.update(idr=None, recall=None, mota=None)
    if whole["num_predictions"] == 0:
        values.update(idp=None, precision=None)
    return [values[name] for name in COLUMNS] + higher_order(sequences)


def main():
    warnings.simplefilter("ignore")
    content = {"versions": {"motmetrics": motmetrics.__version__, "numpy": np.__version__},
               "names": ["tracking." + name for name in NAMES + HIGHER_ORDER], "cases": [case(number) for number in range(CASES)]}
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    (EXPECTED / "multiple_object_tracking.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
