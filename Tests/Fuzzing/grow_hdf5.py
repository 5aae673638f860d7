"""Runs the built program on small HDF5 files that are large once they are decompressed: `grow_hdf5.py PROGRAM`.

Each file is made with h5py and is below 5 MB. It goes through `inspect`, `validate`, `merge`, `export`, `subset`,
`evaluate --predictions` and `overlay`. Ends with status 1 where a run took more than 512 MB or 20 s, ended by a signal,
printed anything but one line of error, or wrote more than 64 times the bytes that it read and 256 MB.

Foreign files of up to 300 million values go through `import hdf5` with each role of a mapping: at most 300 MB, in an address
space of 3 GB, and 2 s (--seconds; a debug build needs more) where the file is refused.
"""

import argparse
import hashlib
import io
import itertools
import json
import os
import pathlib
import shutil
import sys
import tempfile
import zlib

import h5py
import numpy as np
from PIL import Image

from mutate_hdf5 import Bench

ZIP = {"compression": "gzip", "compression_opts": 9, "shuffle": True}
MAX_FILE, MAX_WRITTEN = 5 << 20, 256 << 20


def dataset(path, frames, faces, tables, boxes=((1, 1, 4, 4),)):
    """`faces` faces in each frame, and tables of a shape and a value per face by name."""
    rows = frames * faces
    stream = io.BytesIO()
    Image.new("RGB", (8, 8)).save(stream, "PNG")
    image = stream.getvalue()
    with h5py.File(path, "w", libver=("earliest", "v110")) as file:
        file.attrs["format"], file.attrs["version"], file.attrs["name"] = "facegauge.dataset", 1, "grown"
        file["images/bytes"] = np.frombuffer(image * frames, "u1")
        file["images/offsets"] = np.arange(frames + 1, dtype="u8") * len(image)
        file["images/size"] = np.full((frames, 2), 8, "i4")
        file.create_dataset("faces/frame", data=np.repeat(np.arange(frames, dtype="i4"), faces), **ZIP)
        file.create_dataset("faces/box", data=np.tile(np.asarray(boxes, "f4"), (rows // len(boxes), 1)), **ZIP)
        for name, (shape, value) in tables.items():
            value = np.asarray(value)
            per_row = max(1, int(np.prod(shape))) * value.dtype.itemsize
            chunk = max(1, min(rows, (2 << 20) // per_row))
            file.create_dataset(
                f"faces/{name}", shape=(rows, *shape), dtype=value.dtype, chunks=(chunk, *shape), fillvalue=value, **ZIP)
            table = file[f"faces/{name}"]
            for start in range(0, rows, chunk):
                table[start:start + chunk] = value
    return path


def predictions(path, seen, frames, boxes=((1, 1, 4, 4),)):
    """A face in each frame for each of `boxes`."""
    count = len(boxes)
    with h5py.File(path, "w", libver=("earliest", "v110")) as file:
        file.attrs["format"], file.attrs["version"] = "facegauge.predictions", 4
        for name in ["dataset_name", "dataset_path", "mode"]:
            file.attrs[name] = "grown"
        file.attrs["dataset_sha256"] = hashlib.sha256(seen.read_bytes()).hexdigest()
        file.attrs["candidate_floor"] = 0.01
        for name, words in {
            "models": [], "model_stages": [], "model_sha256": [], "options": ["tracker=a seed"],
        }.items():
            file.attrs.create(name, np.array(words, object), dtype=h5py.string_dtype())
        for name, value, kind in [
            ("frames/status", [0], "u1"), ("frames/size", [[8, 8]], "i4"), ("frames/stage_ns", [[1000]], "u8"),
            ("frames/detector_ran", [1], "u1"), ("detections/box", boxes, "f4"),
            ("detections/score", [0.5] * count, "f4"), ("detections/keypoints", np.ones((count, 6, 2)), "f4"),
            ("detector/anchor", [3], "i4"), ("detector/score", [0.5], "f4"),
            ("detector/regressors", np.ones((1, 16)), "f4"), ("faces/kept", [1] * count, "u1"),
            ("faces/tracked", [0] * count, "u1"), ("faces/detection_score", [0.5] * count, "f4"),
            ("faces/presence", [0.5] * count, "f4"), ("faces/tongue_out", [0.5] * count, "f4"),
            ("faces/region", np.full((count, 5), 0.5), "f4"), ("faces/box", boxes, "f4"),
        ]:
            file.create_dataset(name, data=np.tile(np.asarray(value, kind), (frames, *[1] * (np.ndim(value) - 1))),
                                **ZIP)
        file["frames/stage_ns"].attrs.create("stages", ["total"], dtype=h5py.string_dtype())
        for name in ["detections/frame", "faces/frame"]:
            file[name] = np.repeat(np.arange(frames, dtype="i4"), count)
        file["detector/offsets"] = np.arange(frames + 1, dtype="u8")
    return path


def points(count):
    return {f"landmarks/mediapipe{count}/points": ((count, 3), np.float32(1)),
            f"landmarks/mediapipe{count}/visible": ((count,), np.uint8(2))}


def attributes(count, kind="f8"):
    return {f"attributes/a{index}": ((), np.asarray(1, kind)) for index in range(count)}


KINDS = {
    # Beyond the limits, and as near below them as whole numbers of tables come.
    "150 attributes of 26 x 10000 faces": (26, 10_000, attributes(150)),
    "12 attributes of 26 x 10000 faces": (26, 10_000, attributes(12)),
    "150 small attributes of 26 x 10000 faces": (26, 10_000, attributes(150, "u1")),
    "400 attributes of 9000 frames": (9000, 1, attributes(400)),
    "100 attributes of one frame": (1, 10_000, attributes(100)),
    "150 attributes of one frame": (1, 10_000, attributes(150)),
    "meshes of 4500 faces": (1, 4500, {"meshes/arkit1220": ((1220, 3), np.float32(0))}),
    "meshes of 20000 faces": (20, 1000, {"meshes/arkit1220": ((1220, 3), np.float32(0))}),
    "478 points of 10000 faces": (2, 5000, points(478)),
    "478 points of 200000 faces": (20, 10_000, points(478)),
    "words of 200 bytes of 260000 faces": (26, 10_000, {"expression": ((), np.bytes_(b"x" * 200))}),
    "words of 2000 bytes of 260000 faces": (26, 10_000, {"expression": ((), np.bytes_(b"x" * 2000))}),
}


MANY, FEW = 300_000_000, 262_144


def zeros(file, name, shape, kind="u1"):
    """An array of zeros in chunks of about 1 MiB, which deflate stores in a thousandth."""
    kind = np.dtype(kind)
    chunk, room = [], (1 << 20) // kind.itemsize
    for extent in reversed(shape):
        chunk.insert(0, max(1, min(extent, room)))
        room //= chunk[0]
    table = file.create_dataset(name, shape=shape, dtype=kind, chunks=tuple(chunk), compression="gzip")
    data = zlib.compress(bytes(int(np.prod(chunk)) * kind.itemsize), 9)
    for start in itertools.product(*map(range, [0] * len(shape), shape, chunk)):
        table.id.write_direct_chunk(start, data)


def repeated(file, name, shape, chunk, packing):
    """An array of zeros whose chunks are all what h5py makes of one."""
    table = file.create_dataset(name, shape=shape, dtype="u1", chunks=chunk, compression=packing)
    table[tuple(slice(0, extent) for extent in chunk)] = 0
    stored = table.id.read_direct_chunk((0,) * len(shape))[1]
    for start in itertools.product(*map(range, [0] * len(shape), shape, chunk)):
        table.id.write_direct_chunk(start, stored)


def shared_text(file, name, rows, length):
    """Texts of variable length that are all the same bytes of the heap."""
    table = file.create_dataset(name, shape=(rows,), dtype=h5py.string_dtype(), chunks=(rows,))
    table[0] = "x" * length
    reference = table.id.read_direct_chunk((0,))[1][:16]
    table.id.write_direct_chunk((0,), reference * rows)


def unwritten(file, name, rows, kind):
    file.create_dataset(name, shape=(rows,), dtype=kind, chunks=(1 << 20,), compression="gzip")


def mapped():
    """Arrays by path, and what a mapping makes of them: images, faces, and more."""
    box = {"form": "xywh", "path": "b"}
    two = {"n": lambda f, n: f.create_dataset(n, data=np.arange(2, dtype="u1")),
           "b": lambda f, n: f.create_dataset(n, data=np.ones((2, 4), "f4"))}
    names = {"names": "n"}

    def zero(*shape, kind="u1"):
        return lambda file, name: zeros(file, name, shape, kind)

    for kind in ["u1", "f8", "S1", "S64"]:
        yield f"names of {kind}", {**two, "n": zero(MANY, kind=kind)}, names, {"box": box}, {}
    texts = h5py.string_dtype()
    yield "names of variable length", {**two, "n": lambda f, n: unwritten(f, n, MANY, texts)}, names, {"box": box}, {}
    yield "names that share a text", {**two, "n": lambda f, n: shared_text(f, n, FEW, 1 << 20)}, names, {"box": box}, {}
    record = np.dtype([("a", "f4"), ("b", [("c", "i4", (2,)), ("d", "S3")])])
    yield "names of a nested type", {**two, "n": zero(MANY // 20, kind=record)}, names, {"box": box}, {}
    yield "texts of 32 KiB", {**two, "n": zero(1000, kind="S32768")}, names, {"box": box}, {}
    large = [
        ("image", (MANY,), {"image": {"path": "x", "base": 0}}),
        ("image by name", (MANY,), {"image": {"names": "x"}}),
        ("box", (MANY // 4, 4), {"box": {**box, "path": "x"}}),
        ("box of one row", (1, MANY), {"box": {**box, "path": "x", "columns": [0, 4]}}),
        ("box of the last axis", (4, MANY // 4), {"box": {**box, "path": "x"}}),
        ("center", (MANY // 2, 2), {"box": {"form": "center-scale", "center": "x", "scale": "n"}}),
        ("points", (MANY // 10, 5, 2), {"points": [{"path": "x", "count": 5}]}),
        ("points of the last axis", (5, 2, MANY // 10), {"points": [{"path": "x", "count": 5, "layout": "KDN"}]}),
        ("few points of the last axis", (5, 2, FEW * 16), {"points": [{"path": "x", "count": 5, "layout": "KDN"}]}),
        ("pose", (MANY // 9, 3, 3), {"pose": {"form": "matrix", "path": "x", "axes": "y-up"}}),
        ("identity", (MANY,), {"identity": "x"}), ("ignore", (MANY,), {"ignore": "x"}),
        ("category", (MANY,), {"category": "x"}),
        ("blendshapes", (MANY // 52, 52), {"blendshapes": {"path": "x", "names": "n"}}),
        ("names of blendshapes", (MANY,), {"blendshapes": {"path": "b", "names": "x"}}),
        ("expression", (MANY,), {"expression": "x"}),
        ("expression by number", (MANY,), {"expression": {"path": "x", "names": ["a"]}}),
        ("attribute", (MANY,), {"attributes": {"score": "x"}}),
        ("4096 attributes", (2, 1 << 20), {"attributes": {
            f"a{index}": {"path": "x", "columns": [index, index + 1]} for index in range(4096)}}),
    ]
    for name, shape, faces in large:
        yield name, {**two, "x": zero(*shape)}, names, {"box": box, **faces}, {}
    for key in ["sequence", "subject"]:
        yield key, {**two, "x": zero(MANY)}, {**names, key: "x"}, {"box": box}, {}
    yield "time", {**two, "x": zero(MANY)}, {**names, "sequence": "n", "time": {"path": "x", "unit": "s"}}, {"box": box}, {}
    yield "split", {**two, "x": zero(MANY)}, names, {"box": box}, {"splits": {"test": {"path": "x", "base": 0}}}
    # Each image takes all chunks, whose rows are more than are kept together.
    yield "wide chunks", {"x": lambda f, n: repeated(f, n, (300, 600, 600, 1), (300, 8, 8, 1), "gzip")}, {
        "pixels": {"path": "x", "layout": "NHWC", "range": [0, 255]}}, {"box": {"form": "image"}}, {}
    yield "names in LZF", {**two, "n": lambda f, n: repeated(f, n, (MANY,), (1 << 20,), "lzf")}, names, {"box": box}, {}
    yield "pixels", {"x": zero(MANY, 1, 1, 1)}, {"pixels": {"path": "x", "layout": "NHWC", "range": [0, 255]}}, {
        "box": {"form": "image"}}, {}
    for kind in ["u1", "f8"]:
        yield f"a large image of {kind}", {"x": zero(1, 8191, 8191, 1, kind=kind)}, {
            "pixels": {"path": "x", "layout": "NHWC", "range": [0, 255]}}, {"box": {"form": "image"}}, {}
    yield "bytes", {"x": zero(MANY), "y": lambda f, n: f.create_dataset(n, data=np.asarray([0, MANY], "u8"))}, {
        "bytes": "x", "offsets": "y"}, {"box": {"form": "image"}}, {}
    yield "offsets", {"x": zero(8), "y": zero(MANY)}, {"bytes": "x", "offsets": "y"}, {"box": {"form": "image"}}, {}
    yield "padded files", {"x": zero(2, MANY)}, {"bytes": "x"}, {"box": {"form": "image"}}, {}
    table = np.dtype([("box", "f4", (4,)), ("name", "S16")])
    yield "a field", {**two, "x": zero(MANY // 20, kind=table)}, names, {"box": {**box, "path": "x:box"}}, {}
    yield "names of a field", {**two, "x": zero(MANY // 20, kind=table)}, {"names": "x:name"}, {"box": box}, {}
    grouped = {"pixels": {"path": "{image}/x", "layout": "HW", "range": [0, 255]}}
    for name, rows in [("of", "1/b"), ("of the last of", "2/b")]:
        small = {f"{n}/{key}": zero(*shape) for n in "12" for key, shape in [("x", (8, 8)), ("b", (2, 4))]}
        yield f"boxes {name} the groups", {**small, rows: zero(MANY // 4, 4)}, grouped, {
            "box": {**box, "path": "{image}/b"}}, {}
    # Rows that are accepted, in each role that stays in memory.
    rows = FEW // 64
    yield "few rows of everything", {
        "n": lambda f, n: f.create_dataset(n, data=np.arange(rows, dtype="i4"), **ZIP), "b": zero(rows, 4),
        "x": zero(rows), "p": zero(rows, 68, 2)}, {**names, "subject": "x"}, {
        "box": box, "image": {"path": "n", "base": 0}, "expression": "x", "identity": "x", "attributes": {"a": "x"},
        "points": [{"path": "p", "count": 68}]}, {}


def imported(words, folder):
    """Runs `import hdf5` on each of them; how many were wrong."""
    bad = 0
    for name, arrays, images, faces, more in mapped():
        if words.only not in f"mapped as {name}":
            continue
        bench = Bench(os.path.abspath(words.program), folder, 300, words.seconds, 3_000_000 << 10)
        path = folder / "mapped.h5"
        with h5py.File(path, "w", libver=("earliest", "v110")) as file:
            for key, make in arrays.items():
                make(file, key)
        (folder / "mapping.json").write_text(json.dumps({
            "schema": "facegauge.hdf5-mapping", "version": 1, "files": [path.name], "images": images, "faces": faces,
            **more}))
        labels = [] if "pixels" in images or "bytes" in images else ["--labels-only"]
        status, wrong = bench.run("import", "hdf5", folder / "mapping.json", "-o", folder / "out.h5", "--force", *labels)
        line = (folder / "log").read_text().splitlines()[-1:]
        print(f"mapped as {name}, {path.stat().st_size} bytes: {wrong or status}; {bench.largest['MB']:.0f} MB, "
              f"{bench.largest['s']:.1f} s; {line[0][:160] if line else ''}", flush=True)
        bad += wrong is not None
        for rest in folder.glob("out*"):
            shutil.rmtree(rest) if rest.is_dir() else rest.unlink()
    return bad


def crowd(kind):
    """10,000 labels and 10,000 predictions of one image, as boxes."""
    draw = np.random.default_rng(1)
    centres = draw.uniform(0, {"apart": 1000, "crowded": 100, "near": 0.4, "equal": 0}[kind], (2, 10_000, 2))
    return [np.concatenate([centre, np.full((10_000, 2), 4)], 1).astype("f4") for centre in centres]


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("program")
    words.add_argument("--seconds", type=float, default=2, help="to refuse a mapped file")
    words.add_argument("--only", default="", help="part of the name of a file")
    words = words.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="facegauge-grown-"))
    bad = 0
    try:
        bad += imported(words, folder)
        one = [[1, 1, 4, 4]]
        kinds = {name: (*kind, one, one) for name, kind in KINDS.items()}
        kinds |= {f"{kind} labels and predictions": (1, 10_000, {}, *crowd(kind))
                  for kind in ["apart", "crowded", "near", "equal"]}
        for name, (frames, faces, tables, labelled, found_boxes) in kinds.items():
            if words.only not in name:
                continue
            bench = Bench(os.path.abspath(words.program), folder)
            grown = dataset(folder / "grown.h5", frames, faces, tables, labelled)
            given = predictions(folder / "given.h5", grown, frames, found_boxes)
            size = grown.stat().st_size
            assert size < MAX_FILE, f"{name}: {size} bytes"
            found = []
            for step in [
                ("inspect", grown), ("validate", grown), ("merge", grown, grown, "-o", folder / "out.h5", "--force"),
                ("export", "coco", grown, "-o", folder / "out"),
                ("subset", grown, "-o", folder / "out.h5", "--where", "box.width>1", "--force"),
                ("evaluate", grown, "--predictions", given, "-o", folder / "run", "--resamples", "20", "--force"),
                ("overlay", folder / "run", "-o", folder / "drawn", "--dataset", grown, "--force", "--parts", "labels"),
            ]:
                if step[0] == "overlay" and not (folder / "run").exists():
                    continue
                status, wrong = bench.run(*step)
                written = sum(path.stat().st_size for path in folder.rglob("out*") if path.is_file())
                if written > max(MAX_WRITTEN, 64 * size):
                    wrong = wrong or f"{written} bytes written from {size}"
                found.append(f"{step[0]} {wrong or status}")
                bad += wrong is not None
                for path in [*folder.glob("out*")]:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            for path in [folder / "run", folder / "drawn"]:
                shutil.rmtree(path, ignore_errors=True)
            print(f"{name}, {size} bytes: {', '.join(found)}; "
                  f"at most {bench.largest['MB']:.0f} MB, {bench.largest['s']:.1f} s", flush=True)
    finally:
        shutil.rmtree(folder)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
