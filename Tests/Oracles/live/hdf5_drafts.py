#!/usr/bin/env python3
"""HDF5 files of faces as people have them, drafted, imported as drafted, and compared with what was put in.

    python Tests/Oracles/live/hdf5_drafts.py IMAGES --facegauge .build/release/facegauge

IMAGES is a folder of photographs of faces, of which twelve patches of 96 x 128 pixels are made. Thirteen layouts are
written by h5py in three bounds of library versions with each filter that is at hand: none, gzip and LZF, and those of
hdf5plugin if it is installed. A line per layout says how many files came out right without an edit, and then what each
other file was refused for. The status is 1 where a file without filter, with gzip or with LZF is not right.
"""
import argparse
import collections
import io
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np
from PIL import Image

from comparing import binary_of

COUNT, WIDTH, HEIGHT = 12, 96, 128
VERSIONS = {"earliest": "earliest", "v108": ("v108", "v108"), "latest": "latest"}
PLAIN = {"none": {}, "gzip": {"compression": "gzip", "shuffle": True}, "lzf": {"compression": "lzf"}}


def filters():
    try:
        import hdf5plugin
    except ImportError:
        return PLAIN
    return {**PLAIN, "Blosc": dict(hdf5plugin.Blosc()), "Zstd": dict(hdf5plugin.Zstd())}


class Faces:
    """The images with a box and 68 points each: an oval of jaw, brows, nose, eyes and mouth, unlike in each."""

    def __init__(self, folder):
        paths = sorted(p for p in Path(folder).rglob("*") if p.suffix.lower() in (".jpg", ".jpeg", ".png"))
        if not paths:
            sys.exit(f"cannot go on: no photographs in {folder}")
        sizes = np.random.default_rng(3)
        opened = [Image.open(paths[n % len(paths)]).convert("RGB") for n in range(COUNT)]
        self.images = np.stack([np.asarray(one.resize((WIDTH, HEIGHT))) for one in opened])
        # No two images are the same, so that their order is seen.
        self.images[:, :4, :4] = 20 * np.arange(COUNT)[:, None, None, None]
        files = [io.BytesIO() for _ in range(COUNT)]
        for image, file in zip(self.images, files):
            Image.fromarray(image).save(file, "JPEG", quality=92)
        self.files = [np.frombuffer(file.getvalue(), "u1") for file in files]
        width = sizes.uniform(30, 45, COUNT)
        left, top = sizes.uniform(10, 45, COUNT), sizes.uniform(30, 60, COUNT)
        self.boxes = np.stack([left, top, width, 1.2 * width], 1).astype("f4")
        angle = np.linspace(-np.pi, 0, 17)
        jaw = np.stack([0.5 + 0.48 * np.cos(angle), 0.45 - 0.5 * np.sin(angle)], 1)
        inner = [np.stack([np.linspace(a, b, n), np.full(n, y) + 0.02 * np.sin(np.arange(n))], 1) for a, b, y, n in [
            (0.1, 0.4, 0.2, 5), (0.6, 0.9, 0.2, 5), (0.48, 0.52, 0.45, 4), (0.4, 0.6, 0.55, 5), (0.15, 0.4, 0.32, 6),
            (0.6, 0.85, 0.32, 6), (0.3, 0.7, 0.75, 20)]]
        self.points = (np.concatenate([jaw, *inner]) * self.boxes[:, None, 2:] + self.boxes[:, None, :2]).astype("f4")
        self.fractions = self.points / np.float32([WIDTH, HEIGHT])
        self.people = np.arange(COUNT) // 4


def rows(group, names, faces, part, options):
    """Images, points and boxes of some rows under these names."""
    images, points, boxes = names
    group.create_dataset(images, data=faces.images[part], chunks=(1, HEIGHT, WIDTH, 3), **options)
    if points:
        group[points] = faces.points[part]
    if boxes:
        group[boxes] = faces.boxes[part]


def normalised_patches(f, faces, options):
    f.create_dataset("face_patch", data=faces.images[..., ::-1], chunks=(1, HEIGHT, WIDTH, 3), **options)
    f["frame_index"], f["face_gaze"] = np.arange(COUNT)[:, None], np.zeros((COUNT, 2))


def growing(f, faces, options):
    kept = f.create_dataset("face_patch", (0, HEIGHT, WIDTH, 3), "u1", maxshape=(None, HEIGHT, WIDTH, 3), **options)
    points = f.create_dataset("facial_landmarks", (0, 68, 2), "f4", maxshape=(None, 68, 2), chunks=(1, 68, 2))
    for n in range(COUNT):
        for array, values in (kept, faces.images), (points, faces.points):
            array.resize(n + 1, 0)
            array[n] = values[n]


def training_set(f, faces, options):
    f["metadata/video_names"] = [f"clip{one}" for one in faces.people]
    f["metadata/quality_scores"] = np.linspace(0.2, 0.9, COUNT)
    f["au_intensities"], f["global_params"] = np.zeros((COUNT, 17)), np.ones((COUNT, 6))
    rows(f, ("images", "landmarks", "bboxes"), faces, slice(None), options)


def floats(f, faces, options):
    f.create_dataset("X", data=(faces.images / 255).astype("f4"), chunks=(4, HEIGHT, WIDTH, 3), **options)
    f["y"] = faces.fractions.reshape(COUNT, -1)


def half_floats(f, faces, options):
    planes = (faces.images / 255).transpose(0, 3, 1, 2).astype("f2")
    f.create_dataset("data", data=planes, chunks=(1, 3, HEIGHT, WIDTH), **options)
    f["label"] = faces.fractions.reshape(COUNT, -1)


def files_of_any_length(f, faces, options):
    kept = f.create_dataset("image", (COUNT,), h5py.vlen_dtype("u1"))
    for n, file in enumerate(faces.files):
        kept[n] = file
    f["bbox"], f["landmarks"] = faces.boxes, faces.points


def group_per_image(f, faces, options):
    for n in range(COUNT):
        group = f.create_group(f"{n:06d}")
        group.create_dataset("image", data=faces.images[n], chunks=(HEIGHT, WIDTH, 3), **options)
        group["bbox"], group["landmarks"] = faces.boxes[n], faces.points[n]
        group.attrs["subject"] = int(faces.people[n])


def group_per_subject(f, faces, options):
    for one in range(3):
        group, part = f.create_group(f"subject{one:02d}"), faces.people == one
        rows(group, ("frames", "landmarks", "bbox"), faces, part, options)
        group["time"] = np.arange(part.sum()) / 30


def group_per_split(f, faces, options):
    # The order of names, in which groups are read.
    for n, name in enumerate(["test", "train", "val"]):
        rows(f.create_group(name), ("images", "landmarks", "bbox"), faces, slice(4 * n, 4 * n + 4), options)


def keys(f, faces, options):
    for n in range(COUNT):
        f[f"image-{n:09d}"], f[f"label-{n:09d}"] = faces.files[n], faces.boxes[n]
    f["num-samples"] = COUNT


def opaque(f, faces, options):
    f["image"] = np.array([file.tobytes() for file in faces.files], f"V{max(map(len, faces.files))}")
    f["bbox"] = faces.boxes


def identities(f, faces, options):
    for n in range(COUNT):
        f[f"id{faces.people[n]:05d}/{n:05d}.jpg"] = np.void(faces.files[n].tobytes())


def table(f, faces, options):
    kind = np.dtype([("name", "S16"), ("bbox", "f4", (4,)), ("landmarks", "f4", (68, 2)), ("id", "i4")])
    values = np.zeros(COUNT, kind)
    values["name"], values["id"] = [b"%d.jpg" % n for n in range(COUNT)], faces.people
    values["bbox"], values["landmarks"], f["faces"] = faces.boxes, faces.points, values
    rows(f, ("images", None, None), faces, slice(None), options)


# What a file states: boxes (else the tight ones of points, else whole images), points, and whether images are JPEG.
LAYOUTS = {
    normalised_patches: "", growing: "points", training_set: "boxes points", floats: "points", half_floats: "points",
    files_of_any_length: "boxes points jpeg", group_per_image: "boxes points", group_per_subject: "boxes points",
    group_per_split: "boxes points", keys: "boxes jpeg", opaque: "boxes jpeg", identities: "jpeg",
    table: "boxes points"}


def difference(path, faces, stated):
    """The first thing in a dataset that is not as it was put in; None where nothing is."""
    with h5py.File(path) as f:
        offsets, content = f["images/offsets"][:], f["images/bytes"][:]
        boxes = f["faces/box"][:]
        if len(offsets) != COUNT + 1 or list(f["faces/frame"]) != list(range(COUNT)):
            return f"{len(offsets) - 1} frames, {len(boxes)} faces"
        for n in range(COUNT):
            file = content[offsets[n]:offsets[n + 1]]
            exact = np.array_equal(file, faces.files[n]) if "jpeg" in stated else np.array_equal(
                np.asarray(Image.open(io.BytesIO(file.tobytes())).convert("RGB")), faces.images[n])
            if not exact:
                return f"other pixels in image {n}"
        tight = np.concatenate([faces.points.min(1), np.ptp(faces.points, 1)], 1)
        whole = np.float32([[0, 0, WIDTH, HEIGHT]] * COUNT)
        wanted = faces.boxes if "boxes" in stated else tight if "points" in stated else whole
        # Fractions are of 32 bits, and sides differences of two.
        if np.abs(boxes - wanted).max() > 1e-4:
            return f"boxes that differ by up to {np.abs(boxes - wanted).max():.3g}"
        if "points" in stated:
            path = "faces/landmarks/ibug68/points"
            if path not in f or np.abs(f[path][:] - faces.points).max() > 1e-4:
                return "other points"
    return None


def run(binary, folder, faces, stated):
    for old in ("mapping.json", "out.h5"):
        (folder / old).unlink(missing_ok=True)
    for arguments in [("faces.h5", "--draft", "mapping.json"), ("mapping.json", "-o", "out.h5")]:
        done = subprocess.run([binary, "import", "hdf5", *arguments], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            return done.stderr.strip().splitlines()[-1]
    return difference(folder / "out.h5", faces, stated)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images")
    parser.add_argument("--facegauge", default=".build/release/facegauge", help="the built tool")
    arguments = parser.parse_args()
    binary, faces = str(Path(binary_of(arguments.facegauge)).resolve()), Faces(arguments.images)
    right, total, wrong, reasons = collections.Counter(), collections.Counter(), 0, {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for layout, stated in LAYOUTS.items():
            for filter_name, options in filters().items():
                for version, bounds in VERSIONS.items():
                    with h5py.File(folder / "faces.h5", "w", libver=bounds) as f:
                        layout(f, faces, options)
                    reason = run(binary, folder, faces, stated)
                    total[filter_name] += 1
                    right[filter_name] += reason is None
                    if reason is not None:
                        reasons[f"{layout.__name__}, {version}, {filter_name}"] = reason
                        wrong += filter_name in PLAIN
    for name in total:
        print(f"{name}: {right[name]} of {total[name]} right without an edit")
    for name, reason in reasons.items():
        print(f"{name}: {reason}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
