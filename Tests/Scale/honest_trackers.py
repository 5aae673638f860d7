"""Simulates trackers with real errors and asks `check`: `honest_trackers.py PROGRAM [--count 200] LABELS.h5 …`.

Each tracker has a bias and a scale of its boxes, noise that grows with the face, another share of missed and false faces,
scores that tell right faces from wrong ones more or less well, and smoothing or a lag of one frame in clips. Points,
coefficients and poses that are labelled have errors too: noise, a gain, an offset, dead channels. None of it is a mistake
of units, order or time, so that no finding may be suspect. Prints those that are; the status is 1 where there is one.
Needs h5py and NumPy.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np


def smoothed(values, frame, sequence, weight):
    """An exponential filter over the faces of a clip, restarted where frames or faces are not one after the other."""
    values = values.copy()
    for row in range(1, len(values)):
        if frame[row] - frame[row - 1] == 1 and sequence[frame[row]] == sequence[frame[row - 1]]:
            values[row] = weight * values[row - 1] + (1 - weight) * values[row]
    return values


def turned(rotations, degrees, random):
    """Rotations turned by small random angles, radians normally distributed about each axis."""
    x, y, z = np.radians(random.normal(0, degrees, (3, len(rotations))))
    zero, one = np.zeros_like(x), np.ones_like(x)
    about = np.array([[one, -z, y], [z, one, -x], [-y, x, one]]).transpose(2, 0, 1)
    left, _, right = np.linalg.svd(about @ rotations)
    return left @ right


class Tracker:
    def __init__(self, labels, seed):
        self.random = random = np.random.default_rng(seed)
        with h5py.File(labels) as file:
            self.name = file.attrs["name"]
            frames = file["frames/sequence"].shape[0]
            self.sequence = file["frames/sequence"][:]
            kinds = [kind.decode() if isinstance(kind, bytes) else kind for kind in file.get("sequences/kind", [])]
            is_clip = bool(kinds) and all(kind == "video" for kind in kinds)
            self.sizes = file["images/size"][:]
            crowd = file["faces/crowd"][:] if "faces/crowd" in file else 0
            ignored = file["faces/ignore"][:] if "faces/ignore" in file else 0
            usable = np.flatnonzero((crowd + ignored + 0 * file["faces/frame"][:]) == 0)
            found = usable[random.random(len(usable)) >= random.choice([0, 0.05, 0.15, 0.3])]
            self.frame = file["faces/frame"][:][found].astype(int)
            box = file["faces/box"][:][found].astype(float)
            self.points = {
                name: group["points"][:][found].astype(float)[..., :2]
                for name, group in file.get("faces/landmarks", {}).items()}
            self.identity = file["faces/identity"][:][found] if "faces/identity" in file else None
            self.coefficients = file["faces/blendshapes"][:][found] if "faces/blendshapes" in file else None
            self.names = dict(file["faces/blendshapes"].attrs) if self.coefficients is not None else {}
            self.pose = file["faces/pose"][:][found] if "faces/pose" in file else None
        side = np.sqrt(np.maximum(box[:, 2] * box[:, 3], 1))[:, None]
        noise = random.choice([0.01, 0.02, 0.04])
        middle = box[:, :2] + box[:, 2:] / 2 + side * random.normal(0, 0.02, 2)
        shape = box[:, 2:] * random.uniform(0.93, 1.08, 2)
        middle += side * random.normal(0, noise, middle.shape)
        shape = shape * np.exp(random.normal(0, noise, shape.shape))
        self.box = np.hstack([middle - shape / 2, shape])
        error = np.abs(self.box - box).max(1) / side[:, 0]
        for name, values in self.points.items():
            values += side[:, None] * (random.normal(0, 0.01, 2) + random.normal(0, noise / 2, values.shape))
        if self.coefficients is not None:
            gain = np.clip(random.normal(0.8, 0.2, self.coefficients.shape[1]), 0.2, 1.2)
            gain[random.random(len(gain)) < 0.1] = 0
            self.coefficients = np.clip(
                self.coefficients * gain + np.abs(random.normal(0, 0.03, gain.shape))
                + random.normal(0, 0.03, self.coefficients.shape), 0, 1)
        if self.pose is not None:
            self.pose[:, :3, :3] = turned(self.pose[:, :3, :3], random.choice([1.0, 3.0, 6.0]), random)
        if is_clip:
            # Smoothing lags by up to a frame and a half; no tracker here comes two frames late.
            weight, late = random.choice([(0, 0), (0, 1), (0.3, 0), (0.5, 0)])
            late = int(late)
            self.box = smoothed(self.box, self.frame, self.sequence, weight)
            for name, values in self.points.items():
                self.points[name] = smoothed(values, self.frame, self.sequence, weight)
            moved = np.minimum(self.frame + late, frames - 1)
            kept = (moved - self.frame == late) & (self.sequence[moved] == self.sequence[self.frame])
            self.frame = np.where(kept, moved, -1)
        sharpness = random.choice([0.5, 2, 6])
        # Smaller and worse faces have lower scores, false ones lower still.
        self.score = 1 / (1 + np.exp(-(2 + sharpness * (0.1 - error) * 5 + np.log(side[:, 0] / 100)
                                       + random.normal(0, 0.7, len(error)))))
        keep = self.frame >= 0
        self.select(keep)
        false = random.choice(frames, int(frames * random.choice([0, 0.03, 0.1])), replace=False)
        self.add_false(np.sort(false))

    def select(self, rows):
        for name in ("frame", "box", "score", "identity", "coefficients", "pose"):
            values = getattr(self, name)
            if values is not None:
                setattr(self, name, values[rows])
        self.points = {name: values[rows] for name, values in self.points.items()}

    def add_false(self, frames):
        """Faces at random places, as large as others and with their points, coefficients and poses, under low scores."""
        if not len(self.frame) or not len(frames):
            return
        rows = np.concatenate([np.arange(len(self.frame)), self.random.integers(0, len(self.frame), len(frames))])
        count = len(self.frame)
        self.select(rows)
        self.frame[count:] = frames
        limits = np.maximum(self.sizes[frames].astype(float), self.box[count:, 2:] + 1)
        move = self.random.uniform(0, 1, (len(frames), 2)) * (limits - self.box[count:, 2:]) - self.box[count:, :2]
        self.box[count:, :2] += move
        for values in self.points.values():
            values[count:] += move[:, None]
        if self.identity is not None:
            self.identity[count:] = 10_000 + np.arange(len(frames))
        self.score[count:] = 1 / (1 + np.exp(-self.random.normal(-0.5, 1, len(frames))))

    def write(self, path, labels):
        order = np.lexsort((-self.score, self.frame))
        self.select(order)
        text, frames, count = h5py.string_dtype(), len(self.sizes), len(self.frame)
        with h5py.File(path, "w") as file:
            file.attrs.update(
                format="facegauge.predictions", version=4, candidate_floor=0.01,
                dataset_sha256=hashlib.sha256(Path(labels).read_bytes()).hexdigest(), dataset_name=self.name, dataset_path=str(Path(labels).resolve()), mode="video")
            for name, values in {"models": [], "model_stages": [], "model_sha256": [], "options": ["tracker=simulated"],
                                 "facts": ["detector_boxes"]}.items():
                file.attrs.create(name, np.array(values, object), dtype=text)
            tables = {
                "frames/status": np.zeros(frames, "u1"), "frames/size": self.sizes.astype("i4"),
                "frames/detector_ran": np.zeros(frames, "u1"), "detections/frame": self.frame.astype("i4"),
                "detections/box": self.box.astype("f4"), "detections/score": self.score.astype("f4"),
                "detections/keypoints": np.full((count, 6, 2), np.nan, "f4"), "detector/offsets": np.zeros(frames + 1, "u8"),
                "detector/anchor": np.zeros(0, "i4"), "detector/score": np.zeros(0, "f4"),
                "detector/regressors": np.zeros((0, 16), "f4"), "faces/frame": self.frame.astype("i4"),
                "faces/kept": np.ones(count, "u1"), "faces/tracked": np.zeros(count, "u1"),
                "faces/box": self.box.astype("f4"), "faces/detection_score": self.score.astype("f4"),
                "faces/presence": np.full(count, np.nan, "f4"), "faces/tongue_out": np.full(count, np.nan, "f4"),
                "faces/region": np.full((count, 5), np.nan, "f4")}
            if self.identity is not None:
                tables["faces/identity"] = self.identity.astype("i4")
            if self.coefficients is not None:
                tables["faces/blendshapes"] = self.coefficients.astype("f4")
            if self.pose is not None:
                tables["faces/pose"] = self.pose.astype("f4")
            # A tracker gives one set of points.
            for name in list(self.points)[:1]:
                points = np.dstack([self.points[name], np.zeros(self.points[name].shape[:2])])
                tables[f"faces/landmarks/{name}/points"] = points.astype("f4")
            for name, values in tables.items():
                file[name] = values
            for key, value in self.names.items():
                file["faces/blendshapes"].attrs[key] = value
            stages = file.create_dataset("frames/stage_ns", data=np.ones((frames, 1), "u8"))
            stages.attrs.create("stages", ["total"], dtype=text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("labels", nargs="+")
    parser.add_argument("--count", type=int, default=200)
    arguments = parser.parse_args()
    alarms = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.h5"
        for seed in range(arguments.count):
            labels = arguments.labels[seed % len(arguments.labels)]
            Tracker(labels, seed).write(path, labels)
            done = subprocess.run([arguments.program, "check", labels, str(path)], capture_output=True, text=True)
            if done.returncode not in (0, 3):
                sys.exit(f"{labels}, tracker {seed}: {done.stderr}")
            suspect = [line for line in done.stdout.splitlines() if line.startswith("suspect")]
            alarms += len(suspect)
            for line in suspect:
                print(f"{labels}, tracker {seed}: {line}")
    print(f"{arguments.count} trackers on {len(arguments.labels)} datasets, {alarms} suspect findings")
    sys.exit(1 if alarms else 0)


if __name__ == "__main__":
    main()
