"""Plants mistakes into predictions and asks `check`: `planted_faults.py PROGRAM LABELS.h5=PREDICTIONS.h5 …`.

Each kind of mistake is planted into a copy of each predictions file that it applies to: points need points, shifts need
videos, coefficients and poses must be labelled. Before that the pair itself is checked, and must have no suspect finding.
Prints by kind how often a finding was made, and how often it names the right remedy. Files of our own pipeline are
marked as another tracker's, since its conventions are known. What only boxes, 68 points or identities show is planted
into predictions that are made so first, and must have no suspect finding then either. Needs h5py and NumPy.
"""

import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import tempfile

import h5py
import numpy as np

RIGHT_OF = dict(zip(range(17), range(16, -1, -1))) | {
    17: 26, 18: 25, 19: 24, 20: 23, 21: 22, 31: 35, 32: 34, 36: 45, 37: 44, 38: 43, 39: 42, 40: 47, 41: 46, 48: 54, 49: 53,
    50: 52, 55: 59, 56: 58, 60: 64, 61: 63, 65: 67}
SIDES = [0] * 68
for left, right in RIGHT_OF.items():
    SIDES[left], SIDES[right] = right, left
for middle in (27, 28, 29, 30, 33, 51, 57, 62, 66):
    SIDES[middle] = middle


ORACLES = pathlib.Path(__file__).parent.parent / "Oracles/expected"
# The points of MediaPipe's mesh that stand for the 68.
MESH = json.loads((ORACLES / "landmark_correspondence.json").read_text())["mesh"]


class DoesNotApply(Exception):
    pass


def need(condition):
    if not condition:
        raise DoesNotApply


class File:
    def __init__(self, predictions, labels):
        self.file, self.labels = predictions, labels
        self.sizes = predictions["frames/size"][:].astype(float)
        kinds = [kind.decode() if isinstance(kind, bytes) else kind for kind in labels.get("sequences/kind", [])]
        counts = list(labels.get("sequences/count", []))
        self.is_video = any(kind == "video" and count >= 30 for kind, count in zip(kinds, counts))

    def points(self):
        return [group["points"] for group in self.file.get("faces/landmarks", {}).values()]

    def place(self, box, point):
        """Changes boxes and points; both get the sizes of their images."""
        need(self.labels["faces/box"][:, 2].any())
        for group in ("faces", "detections"):
            sizes = self.sizes[self.file[f"{group}/frame"][:]]
            if f"{group}/box" in self.file:
                values = self.file[f"{group}/box"]
                values[...] = box(values[:].astype(float), sizes)
        for values in self.points():
            old = values[:].astype(float)
            sizes = self.sizes[self.file["faces/frame"][:]][:, None, :]
            old[..., :2] = point(old[..., :2], sizes)
            values[...] = old

    def change(self, name, function):
        need(name in self.file and name in self.labels)
        # What the labels do not vary in, no other order and no other sign can be told of.
        known = self.labels[name][:].astype(float)
        if known.ndim == 2:
            need((np.nanstd(known, 0) > 0.03).sum() >= 10)
        elif len(known):
            turn = np.degrees(np.arcsin(np.clip(-known[:, 2, 0], -1, 1))), np.degrees(np.arctan2(known[:, 2, 1], known[:, 2, 2]))
            need(min(np.nanstd(turn[0]), np.nanstd(turn[1])) > 3)
        values = self.file[name]
        values[...] = function(values[:].astype(float))

    def boxes_alone(self):
        need(self.labels["faces/box"][:, 2].any())
        for name in ("faces/landmarks", "faces/blendshapes", "faces/pose"):
            if name in self.file:
                del self.file[name]

    def with_68_points(self):
        if "faces/landmarks/mediapipe478" in self.file:
            points = self.file["faces/landmarks/mediapipe478/points"][:][:, MESH]
            del self.file["faces/landmarks/mediapipe478"]
            self.file["faces/landmarks/ibug68/points"] = points
        need("faces/landmarks/ibug68" in self.file)

    def with_identities(self):
        """Those of the labelled faces that predicted ones overlap, and new ones for others."""
        need(self.is_video and "faces/identity" in self.labels and self.labels["faces/identity"][:].max() >= 0)
        if self.file["faces/identity"][:].max() >= 0:
            return
        frames, boxes = self.labels["faces/frame"][:], self.labels["faces/box"][:].astype(float)
        known, ids = self.labels["faces/identity"][:], []
        for frame, box in zip(self.file["faces/frame"][:], self.file["faces/box"][:].astype(float)):
            own = frames == frame
            inner = np.clip(np.minimum(boxes[own, :2] + boxes[own, 2:], box[:2] + box[2:]) - np.maximum(boxes[own, :2], box[:2]), 0, None)
            cross = inner.prod(1)
            iou = cross / (boxes[own, 2:].prod(1) + box[2:].prod() - cross + 1e-9)
            ids.append(known[own][iou.argmax()] if len(iou) and iou.max() >= 0.5 else known.max() + 1 + len(ids))
        self.file["faces/identity"][...] = ids

    def ranks(self):
        """Whether ten detections, and a tenth, are on no labelled face and mostly have lower scores than the others."""
        frames, boxes = self.labels["faces/frame"][:], self.labels["faces/box"][:].astype(float)
        wrong = []
        for frame, box in zip(self.file["detections/frame"][:], self.file["detections/box"][:].astype(float)):
            own = boxes[frames == frame]
            inner = np.clip(np.minimum(own[:, :2] + own[:, 2:], box[:2] + box[2:]) - np.maximum(own[:, :2], box[:2]), 0, None)
            cross = inner.prod(1)
            wrong.append(not (cross / (own[:, 2:].prod(1) + box[2:].prod() - cross + 1e-9) >= 0.5).any())
        wrong, scores = np.array(wrong), self.file["detections/score"][:].astype(float)
        if wrong.sum() < max(10, 0.1 * len(wrong)) or wrong.all():
            return False
        return (scores[~wrong][:, None] > scores[wrong]).mean() > 0.75

    def shift(self, count):
        need(self.is_video)
        self.renumber(lambda frames: np.arange(frames) + count)

    def renumber(self, function):
        """Gives the faces of frame i to frame function(frames)[i]; those beyond the ends are left out."""
        frames = len(self.sizes)
        for group in ("faces", "detections"):
            moved = function(frames)[self.file[f"{group}/frame"][:].astype(int)]
            order = np.argsort(moved, kind="stable")
            kept = order[(moved[order] >= 0) & (moved[order] < frames)]
            names = []
            self.file[group].visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
            for name in names:
                item = self.file[group][name]
                values = (moved if name == "frame" else item[:])[kept].astype(item.dtype)
                attributes = dict(item.attrs)
                del self.file[group][name]
                new = self.file[group].create_dataset(name, data=values)
                for key, value in attributes.items():
                    new.attrs[key] = value


def double(sizes):
    return np.concatenate([sizes, sizes], 1)


def placing(box, point, needs_sizes=False):
    def plant(file):
        need(not needs_sizes or file.sizes.all())
        file.place(box, point)
    return plant


def boxes_alone(box):
    def plant(file):
        file.boxes_alone()
        file.place(box, lambda point, size: point)
    return plant


def points(function, of_68=False):
    def plant(file):
        if of_68:
            file.with_68_points()
        need(file.points())
        for values in file.points():
            values[...] = function(values[:])
    return plant


def scores(function, needs_ranks=False):
    def plant(file):
        need(len(np.unique(file.file["detections/score"][:])) >= 10)
        need(not needs_ranks or file.ranks())
        for name in ("detections/score", "faces/detection_score"):
            if name in file.file:
                file.file[name][...] = function(file.file[name][:].astype(float))
        if "faces/presence" in file.file:
            file.file["faces/presence"][...] = np.nan
    return plant


def missing(value):
    def function(values):
        values = values.copy()
        values[np.random.RandomState(1).rand(*values.shape[:2]) < 0.1, :2] = value
        return values
    return points(function)


def rotations(function):
    def change(matrices):
        matrices[:, :3, :3] = function(matrices[:, :3, :3])
        return matrices
    return lambda file: file.change("faces/pose", change)


def angles(function):
    def change(r):
        yaw, pitch = np.arcsin(np.clip(-r[:, 2, 0], -1, 1)), np.arctan2(r[:, 2, 1], r[:, 2, 2])
        yaw, pitch, roll = function(yaw, pitch, np.arctan2(r[:, 1, 0], r[:, 0, 0]))
        (cy, sy), (cp, sp), (cr, sr) = [(np.cos(angle), np.sin(angle)) for angle in (yaw, pitch, roll)]
        return np.array([
            [cr * cy, cr * sy * sp - sr * cp, cr * sy * cp + sr * sp],
            [sr * cy, sr * sy * sp + cr * cp, sr * sy * cp - cr * sp], [-sy, cy * sp, cy * cp]]).transpose(2, 0, 1)
    return rotations(change)


def identities(function):
    def plant(file):
        file.with_identities()
        frames = file.file["faces/frame"][:]
        file.file["faces/identity"][...] = function(file.file["faces/identity"][:], frames)
    return plant


def one_identity(ids, frames):
    need(len(np.unique(frames)) < 0.9 * len(frames))
    return 0 * ids + 1


def frozen(file):
    need(file.is_video)
    count = len(file.file["faces/frame"])
    first, last = count // 3, count // 3 + min(60, count // 3)
    names = [name for name in ("faces/blendshapes", "faces/pose", "faces/box") if name in file.file]
    need("faces/blendshapes" in names or "faces/pose" in names or file.points())
    for values in [file.file[name] for name in names] + file.points():
        new = values[:]
        new[first:last] = new[first]
        values[...] = new


def stills(function):
    def plant(file):
        need(not file.is_video and len(file.sizes) >= 40)
        file.renumber(function)
    return plant


def permuted(values, axis=1):
    return np.take(values, np.random.RandomState(3).permutation(values.shape[axis]), axis)


def of_square(values, sizes, side=640):
    """Corners or points of images that were brought to a square, the rest filled on both sides."""
    factor = side / sizes.max(-1, keepdims=True)
    return values * factor + (side - sizes * factor) / 2


def of_crops(values):
    values = values.copy()
    values[..., :2] -= np.nanmin(values[..., :2], 1, keepdims=True)
    return values


def exchanged(first, second, count):
    order = np.arange(68)
    order[first:first + count], order[second:second + count] = np.arange(second, second + count), np.arange(first, first + count)
    return lambda values: values[:, order]


HONEST = {
    "honest": lambda file: None, "honest, boxes alone": File.boxes_alone, "honest, 68 points": File.with_68_points,
    "honest, identities": File.with_identities,
}
KINDS = {
    "fractions": (placing(lambda b, s: b / double(s), lambda p, s: p / s, True), ["fractions"]),
    "halved": (placing(lambda b, s: b / 2, lambda p, s: p / 2), ["predictions again with --repair scale="]),
    "doubled": (placing(lambda b, s: b * 2, lambda p, s: p * 2), ["scale="]),
    "1.5 times": (placing(lambda b, s: b * 1.5, lambda p, s: p * 1.5), ["scale="]),
    "of 640 x 640": (placing(lambda b, s: b / double(s) * 640, lambda p, s: p / s * 640, True), ["scale="]),
    "x and y exchanged": (placing(lambda b, s: b[:, [1, 0, 3, 2]], lambda p, s: p[..., ::-1]), ["exchange-axes"]),
    "y from below": (placing(
        lambda b, s: np.stack([b[:, 0], s[:, 1] - b[:, 1] - b[:, 3], b[:, 2], b[:, 3]], 1),
        lambda p, s: np.stack([p[..., 0], s[..., 1] - p[..., 1]], -1), True), ["from-below"]),
    "mirrored": (placing(
        lambda b, s: np.stack([s[:, 0] - b[:, 0] - b[:, 2], b[:, 1], b[:, 2], b[:, 3]], 1),
        lambda p, s: np.stack([s[..., 0] - p[..., 0], p[..., 1]], -1), True), ["from-right"]),
    "letterboxed": (placing(
        lambda b, s: np.concatenate([of_square(b[:, :2], s), b[:, 2:] * 640 / s.max(1, keepdims=True)], 1), of_square, True),
        ["letterbox=640", "longer-side=640", "scale="]),
    "longer side of 640": (placing(
        lambda b, s: b * 640 / s.max(1, keepdims=True), lambda p, s: p * 640 / s.max(-1, keepdims=True), True),
        ["longer-side=640", "scale="]),
    "top, right, bottom, left": (boxes_alone(
        lambda b, s: np.stack([b[:, 1], b[:, 0] + b[:, 2], b[:, 1] + b[:, 3], b[:, 0]], 1)), ["edges=trbl"]),
    "thousandths, y first": (
        lambda file: (need(file.sizes.all()), boxes_alone(
            lambda b, s: 1000 * (np.concatenate([b[:, :2], b[:, :2] + b[:, 2:]], 1) / double(s))[:, [1, 0, 3, 2]])(file)),
        ["scale=0.001 --repair exchange-axes"]),
    "points alone halved": (points(lambda v: v * np.array([0.5, 0.5, 1])), ["points:scale=2"]),
    "points of crops": (points(of_crops), ["coordinates.points"]),
    "eyes exchanged": (points(exchanged(36, 42, 6), True), ["points.order"]),
    "corners": (boxes_alone(lambda b, s: np.concatenate([b[:, :2], b[:, :2] + b[:, 2:]], 1)), ["--repair corners"]),
    "centre": (boxes_alone(lambda b, s: np.concatenate([b[:, :2] + b[:, 2:] / 2, b[:, 2:]], 1)), ["--repair centre"]),
    "fractions of YOLO": (
        lambda file: (need(file.sizes.all()), boxes_alone(
            lambda b, s: np.concatenate([b[:, :2] + b[:, 2:] / 2, b[:, 2:]], 1) / double(s))(file)),
        ["--repair fractions --repair centre"]),
    "1 - score": (scores(lambda v: 1 - v, needs_ranks=True), ["falling-scores"]),
    "percent of scores": (scores(lambda v: 100 * v), ["--repair percent"]),
    "logits": (scores(lambda v: np.log(np.clip(v, 1e-6, 1 - 1e-6) / (1 - np.clip(v, 1e-6, 1 - 1e-6)))), ["scores.scale"]),
    "one score": (scores(lambda v: 0 * v + 0.9), ["scores.constant"]),
    "no score": (scores(lambda v: 0 * v + 1), ["scores.missing"]),
    "points one late": (points(lambda v: np.roll(v, 1, 1)), ["--points", "--scheme"]),
    "points one early": (points(lambda v: np.roll(v, -1, 1)), ["--points", "--scheme"]),
    "points permuted": (points(permuted), ["--points"]),
    "sides of points": (points(lambda v: v[:, SIDES], True), ["exchange-sides"]),
    "missing points at -1": (missing(-1.0), ["points.missing"]),
    "missing points at 0": (missing(0.0), ["points.missing"]),
    "coefficients one late": (lambda f: f.change("faces/blendshapes", lambda v: np.roll(v, 1, 1)), ["slots=1"]),
    "coefficients one early": (lambda f: f.change("faces/blendshapes", lambda v: np.roll(v, -1, 1)), ["slots=-1"]),
    "coefficients permuted": (lambda f: f.change("faces/blendshapes", permuted), ["coefficients.order"]),
    "percent of coefficients": (lambda f: f.change("faces/blendshapes", lambda v: 100 * v), ["--repair percent"]),
    "1 - coefficient": (lambda f: f.change("faces/blendshapes", lambda v: 1 - v), ["coefficients.inverted"]),
    "coefficients of bytes": (lambda f: f.change("faces/blendshapes", lambda v: 255 * v), ["coefficients.bytes"]),
    "yaw turned around": (angles(lambda y, p, r: (-y, p, r)), ["negate=yaw"]),
    "pitch turned around": (angles(lambda y, p, r: (y, -p, r)), ["negate=pitch"]),
    "yaw and pitch exchanged": (angles(lambda y, p, r: (p, y, r)), ["exchange-angles"]),
    "degrees as radians": (angles(lambda y, p, r: (57.3 * y, 57.3 * p, 57.3 * r)), ["degrees", "radians"]),
    "radians as degrees": (angles(lambda y, p, r: (y / 57.3, p / 57.3, r / 57.3)), ["degrees", "radians"]),
    "camera's axes": (rotations(lambda r: np.diag([1.0, -1.0, -1.0]) @ r), ["angles.axes"]),
    "identities of rows": (identities(lambda ids, frames: np.arange(len(ids))), ["identities.new"]),
    "one identity": (identities(one_identity), ["identities.twice"]),
    "order of text": (stills(lambda frames: np.argsort(np.argsort([str(i) for i in range(frames)]))), ["names or ids"]),
    "three images late": (stills(lambda frames: np.arange(frames) + 3), ["names or ids"]),
    "shuffled": (stills(lambda frames: np.random.default_rng(1).permutation(frames)), ["order of the predictions"]),
    "frozen": (frozen, ["recording.frozen", "recording.dead"]),
} | {
    f"{abs(count)} frames {'late' if count > 0 else 'early'}": (
        lambda file, count=count: file.shift(count), [f"--offset {-count}f"])
    for count in (2, 3, 5, 12, -2, -4)
}


def as_another_trackers(file):
    file.attrs["options"] = np.array(["tracker=planted"], dtype=h5py.string_dtype())
    file.attrs["facts"] = np.array(["detector_boxes"], dtype=h5py.string_dtype())
    if "detector/offsets" in file:
        file["detector/offsets"][...] = 0
        for name in [name for name in file["detector"] if name != "offsets"]:
            shape, kind = file["detector"][name].shape[1:], file["detector"][name].dtype
            del file["detector"][name]
            file["detector"].create_dataset(name, shape=(0, *shape), dtype=kind, maxshape=(None, *shape), chunks=(64, *shape))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("pairs", nargs="+", metavar="LABELS.h5=PREDICTIONS.h5")
    arguments = parser.parse_args()
    outcomes, alarms, honest = collections.defaultdict(list), [], 0

    def check(labels, predictions):
        done = subprocess.run([arguments.program, "check", labels, predictions], capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise SystemExit(f"{labels} {predictions}: {done.stderr}")
        return done.stdout

    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "p.h5"
        for labels, predictions in (pair.split("=") for pair in arguments.pairs):
            for kind, (plant, words) in [(kind, (make, [])) for kind, make in HONEST.items()] + list(KINDS.items()):
                shutil.copy(predictions, copy)
                try:
                    with h5py.File(copy, "r+") as file, h5py.File(labels) as known:
                        as_another_trackers(file)
                        plant(File(file, known))
                except DoesNotApply:
                    continue
                text = check(labels, str(copy))
                if kind in HONEST:
                    honest += 1
                    alarms += [f"{kind}, {predictions}: {line}" for line in text.splitlines() if line.startswith("suspect")]
                    continue
                is_right = any(word in text for word in words)
                outcomes[kind].append((text.startswith("suspect") or is_right, is_right))
                if not is_right:
                    print(f"{kind}, {predictions}: {' '.join(text.split())[:200]}")
    for kind, found in outcomes.items():
        print(f"{kind:26} {len(found):3} planted, {sum(f for f, _ in found):3} found, {sum(r for _, r in found):3} right remedy")
    every = [outcome for found in outcomes.values() for outcome in found]
    share = [sum(outcome[index] for outcome in every) / len(every) for index in (0, 1)]
    print(f"{len(outcomes)} kinds, {len(every)} planted, {share[0]:.1%} found, {share[1]:.1%} right remedy")
    print(f"{honest} honest pairs, {len(alarms)} suspect findings", *alarms, sep="\n")


if __name__ == "__main__":
    main()
