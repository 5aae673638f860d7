#!/usr/bin/env python3
"""Every shared clip through MediaPipe's Face Landmarker in video mode and through FaceGauge, compared frame by frame.

    python Tests/Oracles/live/wheel_clips.py WORK --facegauge .build/release/facegauge > clips.md

Each clip becomes WORK/clips/NAME.h5 by `import video`. MediaPipe takes whole milliseconds, so the dataset's timestamps
are then rounded to them, each at least 1 ms after the one before, and both sides are given these; both see the pixels
that are stored in the dataset. One more clip is cut together from the others, a dozen frames of one after the other: there,
faces are lost and found again often. The wheel's results are kept in WORK/wheel, ours in WORK/run: what is there is not
computed again (--again evaluates again). The tables go to standard output; the status is 1 where a frame differs and no
score is near the threshold, or where one frame adds a difference of its own. --expected writes what
../expected/mediapipe_clips.json holds. Needs FACEGAUGE_SHARED, ffmpeg and the packages of ../requirements.txt.
"""
import argparse
import hashlib
import io
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

import h5py
import numpy as np
from PIL import Image

from comparing import (CLIP_LIMITS, NAMES, NEAR, IMAGE_LIMITS, QUANTITIES, THRESHOLD, Predictions, binary_of,
                       differences, distribution, facegauge, listed, markdown, near, order, short)

SAME_REGION = "x, y at our region"
# Frames since the wheel's detector last found a face; an upper end for each row of the growth table.
AGES = (0, 1, 2, 5, 10, 20, 50, 100, 200, 10**9)


# One more clip, cut from the others, so that faces are lost and found again often.
CUTS, TURN, CUT_SIZE, CUT_MILLISECONDS = "cuts", 12, (640, 360), 40


def clips(shared):
    folders = (shared / "data" / "videos", shared / "data" / "pyfeat")
    return sorted((p for f in folders for p in f.rglob("*.mp4")), key=lambda p: p.stem)


def centre(rgb):
    (width, height), (rows, columns) = CUT_SIZE, rgb.shape[:2]
    top, left = (rows - height) // 2, (columns - width) // 2
    return rgb[top:top + height, left:left + width]


def cut(clips, path):
    """A dataset of the middles of the clips' frames, some of each clip alternately, until the shortest is used up."""
    frames = [clip.rgb(i) for start in range(0, min(map(len, clips)) - TURN + 1, TURN) for clip in clips
              for i in range(start, start + TURN)]
    blobs = []
    for rgb in frames:
        stream = io.BytesIO()
        Image.fromarray(centre(rgb)).save(stream, "png", compress_level=1)
        blobs.append(stream.getvalue())
    n = len(blobs)
    with h5py.File(path, "w") as file:
        file.attrs.update(format="facegauge.dataset", version=1, name=CUTS)
        file["images/offsets"] = np.cumsum([0] + [len(b) for b in blobs]).astype("u8")
        file["images/bytes"] = np.frombuffer(b"".join(blobs), "u1")
        file["images/size"] = np.tile(np.int32(CUT_SIZE), (n, 1))
        file["frames/sequence"] = np.zeros(n, "i4")
        file["frames/timestamp_us"] = np.arange(n, dtype="i8") * CUT_MILLISECONDS * 1000
        file["sequences/name"], file["sequences/kind"], file["sequences/subject"] = [CUTS], ["video"], [""]
        file["sequences/first"], file["sequences/count"] = np.zeros(1, "i4"), np.array([n], "i4")
        file["sequences/fps"] = np.array([1000 / CUT_MILLISECONDS])
        file["faces/frame"], file["faces/box"] = np.zeros(0, "i4"), np.zeros((0, 4), "f4")


class Clip:
    """Frames of a dataset with one sequence, and their timestamps in whole milliseconds."""

    def __init__(self, path):
        self.name = path.stem
        self.path = path
        with h5py.File(path) as file:
            self.offsets = file["images/offsets"][:].astype(np.int64)
            self.bytes = file["images/bytes"][:]
            self.milliseconds = file["frames/timestamp_us"][:] // 1000

    @staticmethod
    def round(path):
        with h5py.File(path, "r+") as file:
            stamps = file["frames/timestamp_us"]
            whole = np.rint(stamps[:] / 1000).astype(np.int64)
            for i in range(1, len(whole)):
                whole[i] = max(whole[i], whole[i - 1] + 1)
            stamps[:] = whole * 1000

    def __len__(self):
        return len(self.milliseconds)

    def rgb(self, frame):
        stored = self.bytes[self.offsets[frame]:self.offsets[frame + 1]]
        return np.asarray(Image.open(io.BytesIO(stored.tobytes())).convert("RGB"))

    def digest(self):
        """Of the decoded pixels and the timestamps."""
        sha = hashlib.sha256(self.milliseconds.astype("<i8").tobytes())
        for frame in range(len(self)):
            sha.update(self.rgb(frame).tobytes())
        return sha.hexdigest()


def split(archive):
    """One dictionary a frame, from arrays that hold all frames and a count for each."""
    archive = np.load(archive)
    keys = [k for k in archive.files if not k.endswith("_count")]
    parts = {k: np.split(archive[k], np.cumsum(archive[k + "_count"])[:-1]) for k in keys}
    return [{k: parts[k][i] for k in keys} for i in range(len(parts[keys[0]]))]


def run_wheel(clip, digest, results, bundle, num_faces):
    path = results / f"{clip.name}-{num_faces}-{digest[:8]}.npz"
    if not path.exists():
        import wheel

        results.mkdir(parents=True, exist_ok=True)
        landmarker = wheel.Landmarker(bundle, num_faces, video=True)
        frames = []
        for i, milliseconds in enumerate(clip.milliseconds):
            found = landmarker.run(wheel.image_of(clip.rgb(i)), int(milliseconds))
            found["detections_arrived"] = np.array([found["detections_arrived"]])
            frames.append(found)
            text = f"\rwheel {clip.name}, {num_faces} faces: {i + 1} of {len(clip)}"
            print(text, end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        arrays = {k: np.concatenate([f[k] for f in frames]) for k in frames[0]}
        arrays |= {k + "_count": np.array([len(f[k]) for f in frames]) for k in frames[0]}
        partial = results / "partial.npz"
        np.savez_compressed(partial, **arrays)
        os.replace(partial, path)
    return split(path)


def counts(frames):
    return np.array([len(f["landmarks"]) for f in frames])


def detector_runs(frames, num_faces):
    """A detector that finds nothing sends nothing; it runs where the frame before kept fewer faces than wanted."""
    before = np.concatenate([[0], counts(frames)[:-1]])
    ran = before < num_faces
    arrived = np.array([f["detections_arrived"][0] for f in frames])
    assert not np.any(arrived & ~ran), "the wheel detected where by its rule it does not"
    return ran


def changes(found):
    """Frames with fewer and with more faces than the frame before."""
    step = np.diff(found, prepend=0)
    return np.flatnonzero(step < 0), np.flatnonzero(step > 0)


class Comparison:
    """One clip at one number of faces."""

    def __init__(self, clip, frames, predictions, num_faces, bundle):
        self.clip, self.frames, self.predictions, self.num_faces = clip, frames, predictions, num_faces
        self.ours = [predictions.faces(i) for i in range(len(frames))]
        import wheel

        self.wheel, self.detector, self.region = wheel, wheel.Detector(bundle), wheel.Region(bundle)
        self.values = {q: [] for q in (*QUANTITIES, SAME_REGION)}
        self.growth = []
        self.listed = []
        ran = detector_runs(frames, num_faces)
        age = np.iinfo(np.int64).max
        for i, (theirs, ours) in enumerate(zip(frames, self.ours)):
            age = 0 if theirs["detections_arrived"][0] else age + 1
            pair = len(theirs["landmarks"]), len(ours["landmarks"])
            reasons = []
            if pair[0] != pair[1]:
                reasons.append("faces")
            elif pair[0] and list(order(theirs, ours)) != list(range(pair[0])):
                reasons.append("order")
            else:
                apart = differences(theirs, ours)
                for q in QUANTITIES:
                    self.values[q] += list(apart[q])
                if pair[0]:
                    self.growth.append((age, *(np.max(apart[q]) for q in QUANTITIES)))
            if len(ours["landmarks"]):
                image = wheel.image_of(clip.rgb(i))
                self.values[SAME_REGION] += [np.abs(self.region.run(image, r)[1][0] - p)[:, :2].max()
                                             for r, p in zip(ours["regions"], ours["unsmoothed"])]
            if ran[i] != predictions.detector_ran[i]:
                reasons.append("detector ran" if ran[i] else "detector did not run")
            if reasons:
                self.listed.append(self.row(i, pair, reasons))

    def row(self, i, pair, reasons):
        image = self.wheel.image_of(self.clip.rgb(i))
        tracked = self.frames[i - 1]["next_rects"] if i else np.zeros((0, 5), np.float32)
        regions = np.concatenate([tracked, self.wheel.expanded(self.frames[i]["rects"])])
        theirs = [self.region.run(image, r)[0] for r in regions]
        scores, presence = self.predictions.scores(i)
        detected = self.detector.scores(image)
        evaluated = "yes" if near(scores, presence, detected, theirs) else "**no**"
        return [i, f"{pair[0]} / {pair[1]}", ", ".join(reasons), listed(detected), listed(scores), listed(theirs),
                listed(presence), evaluated]

    def holds(self):
        """Frames differ only near a threshold, and no frame adds a difference of its own."""
        added = np.max(self.values[SAME_REGION], initial=0)
        return added <= IMAGE_LIMITS["xy"] and all(row[-1] == "yes" for row in self.listed)

    def summary(self):
        found = counts(self.frames), counts(self.ours)
        (lost, gained), (our_lost, our_gained) = map(changes, found)

        def pair(a, b):
            return f"{len(a)} / {len(b)}" + ("" if np.array_equal(a, b) else " (other frames)")

        ran = detector_runs(self.frames, self.num_faces)
        same = int(np.sum(found[0] == found[1]))
        return [self.clip.name, self.num_faces, len(self.frames), same, pair(lost, our_lost), pair(gained, our_gained),
                f"{ran.sum()} / {int(self.predictions.detector_ran.sum())}", len(self.listed),
                sum(r[-1] != "yes" for r in self.listed)]

    def growth_rows(self):
        rows, low = [], 0
        for high in AGES:
            part = np.array([g[1:] for g in self.growth if low <= g[0] <= high])
            if len(part):
                ages = str(low) if high == low else f"{low}–{high}" if high < 10**9 else f"{low} and more"
                rows.append([self.clip.name, self.num_faces, ages, len(part), short(np.median(part[:, 0])),
                             *map(short, part.max(0))])
            low = high + 1
        return rows


def report(comparisons):
    print(f"# {len(comparisons)} runs of MediaPipe's video mode\n\nPairs are MediaPipe's / ours.\n")
    print(markdown(["clip", "num_faces", "frames", "same number of faces", "losses", "acquisitions", "detector ran",
                    "frames that differ", "of them not near"], [c.summary() for c in comparisons]))
    print("## Largest difference of each face, frames with the same faces\n\n"
          "Tracking carries a difference from frame to frame and enlarges it. At our region: x, y of MediaPipe's\n"
          "landmark model on the region that we tracked, against ours before smoothing: what one frame adds.\n")
    rows = []
    for c in comparisons:
        for q, values in c.values.items():
            n, *metrics = distribution(values)
            limit = CLIP_LIMITS.get(q, IMAGE_LIMITS["xy"])
            if n:
                rows.append([c.clip.name, c.num_faces, NAMES.get(q, q), n, *map(short, metrics), limit,
                             int(np.sum(np.array(values) > limit))])
    print(markdown(["clip", "num_faces", "", "n", "median", "p95", "p99", "max", "limit", "over"], rows))
    print("## Growth of the difference with frames since a detection\n")
    print(markdown(["clip", "num_faces", "frames since", "n", "x, y median", "x, y max", "z max", "blendshapes max",
                    "matrix max"], [r for c in comparisons for r in c.growth_rows()]))
    print(f"## Frames that differ\n\nNear: some score is within {NEAR} of {THRESHOLD}. MediaPipe's presence is of all "
          "regions that it could have looked at: tracked, then detected.\n")
    rows = [[c.clip.name, c.num_faces, *r] for c in comparisons for r in c.listed]
    print(markdown(["clip", "num_faces", "frame", "faces", "why", "its detections", "our detections", "its presence",
                    "our presence", "near"], rows) if rows else "None.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="folder for datasets and results, outside the repository")
    parser.add_argument("--facegauge", metavar="PROGRAM", help="the binary; without it only the wheel runs")
    parser.add_argument("--num-faces", type=int, nargs="+", default=[1, 3])
    parser.add_argument("--again", action="store_true", help="evaluate again although there is a run")
    parser.add_argument("--expected", type=Path, metavar="JSON",
                        help="write the wheel's number of faces by frame, and the timestamps")
    options = parser.parse_args()
    if "FACEGAUGE_SHARED" not in os.environ:
        parser.error("FACEGAUGE_SHARED is not set")
    shared = Path(os.environ["FACEGAUGE_SHARED"])
    bundle = str(shared / "models" / "face_landmarker.task")
    binary = binary_of(options.facegauge) if options.facegauge else None
    datasets = options.work / "clips"
    datasets.mkdir(parents=True, exist_ok=True)
    sources, every = clips(shared), []
    for source in sources:
        dataset = datasets / (source.stem + ".h5")
        if not dataset.exists():
            if not binary:
                raise SystemExit(f"cannot make {dataset}: expected --facegauge")
            partial = datasets / "partial.h5"
            facegauge(binary, "import", "video", source, "-o", partial, "--name", source.stem, "--force")
            Clip.round(partial)
            os.replace(partial, dataset)
        every.append(Clip(dataset))
    cuts = datasets / f"{CUTS}.h5"
    if not cuts.exists():
        cut(every, cuts)
    comparisons, expected = [], {}
    for clip in [*every, Clip(cuts)]:
        digest = clip.digest()
        if clip.name != CUTS:
            source = next(p for p in sources if p.stem == clip.name).relative_to(shared)
            height, width = clip.rgb(0).shape[:2]
            expected[clip.name] = dict(source=str(source), size=[width, height],
                                       milliseconds=clip.milliseconds.tolist(), faces={})
        for num_faces in options.num_faces:
            frames = run_wheel(clip, digest, options.work / "wheel" / "clips", bundle, num_faces)
            if clip.name in expected:
                expected[clip.name]["faces"][num_faces] = counts(frames).tolist()
            if not binary:
                continue
            run = options.work / "run" / f"{clip.name}-{num_faces}"
            if options.again or not run.exists():
                facegauge(binary, "evaluate", clip.path, "-o", run, "--mode", "video", "--num-faces", num_faces,
                          "--models", bundle, "--force")
            comparisons.append(Comparison(clip, frames, Predictions(run / "predictions.h5"), num_faces, bundle))
    if options.expected:
        options.expected.write_text(json.dumps(dict(mediapipe=version("mediapipe"), clips=expected),
                                               separators=(",", ":")) + "\n")
    if comparisons:
        report(comparisons)
        sys.exit(not all(c.holds() for c in comparisons))


if __name__ == "__main__":
    main()
