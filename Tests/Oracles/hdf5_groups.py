"""HDF5 files as people have them, one group an image, a subject, a sequence or a split, and tables, by h5py.

    python3 Tests/Oracles/hdf5_groups.py    writes Tests/Oracles/expected/hdf5_groups.json

Each file stands next to the mapping that reads it and what was put in: frame by frame its name, subject, sequence, time in
seconds, splits, the CRC-32 of its row-major RGB, and its faces. Numbers fit into 32-bit floats.
"""

import base64
import json
import pathlib
import struct
import tempfile
import zlib

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
RNG = np.random.default_rng(44)
IMAGES = RNG.integers(1, 256, (6, 5, 4, 3), dtype="u1")
BOXES = RNG.integers(1, 400, (6, 4)) / 4
POINTS = RNG.integers(1, 400, (6, 5, 2)) / 4


def png(image):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    height, width, _ = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in image)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


FILES = [png(image) for image in IMAGES]
BYTES = [np.frombuffer(file, "u1") for file in FILES]


def face(n, points=True, **more):
    return {"box": BOXES[n].tolist(), "points": POINTS[n].tolist() if points else None, "attributes": {}, **more}


def frame(name, image, faces=None, **more):
    return {"name": name, "pixels": zlib.crc32(IMAGES[image].tobytes()),
            "faces": [face(image)] if faces is None else faces, **more}


def pixels(path, layout="NHWC"):
    return {"pixels": {"path": path, "layout": layout, "range": [0, 255]}}


def labels(box, points, **more):
    named = {"points": [{"path": points, "scheme": "five"}]} if points else {}
    return {"box": {"form": "xywh", "path": box}, **named, **more}


def one_group_an_image(f):
    """From none to two faces an image, and names that text order would shuffle."""
    f.attrs["made"] = "by h5py"
    f["meta/version"] = 3
    counts = {"img1": [0], "img2": [], "img10": [1, 2]}
    for n, (name, rows) in enumerate(counts.items()):
        group = f.create_group(name)
        group["image"] = IMAGES[n]
        group["boxes"] = BOXES[rows]
        group["points"] = POINTS[rows]
        group["ids"] = np.array(rows, "i8")
        group.attrs["subject"] = "anna" if n else "ben"
        group.attrs["age"] = 30 + n
    seen = [frame(name, n, [{**face(row, identity=row), "attributes": {"age": 30 + n}} for row in rows],
                  subject="anna" if n else "ben") for n, (name, rows) in enumerate(counts.items())]
    return {"images": {**pixels("{image}/image", "HWC"), "subject": "{image}@subject"},
            "faces": labels("{image}/boxes", "{image}/points", identity="{image}/ids",
                            attributes={"age": "{image}@age"})}, seen


def one_group_a_subject(f):
    f.attrs["level"] = 7
    seen = []
    for subject, rows in {"s2": [0, 1, 2], "s10": [3, 4]}.items():
        group = f.create_group(subject)
        group["frames"] = IMAGES[rows].transpose(0, 3, 1, 2)
        group["boxes"], group["points"] = BOXES[rows], POINTS[rows]
        group["age"] = len(rows)
        seen += [{**frame(f"a.h5/{subject}/{n}", row, [{**face(row), "attributes": {"age": len(rows), "level": 7}}]),
                  "subject": subject} for n, row in enumerate(rows)]
    return {"images": pixels("{subject}/frames", "NCHW"),
            "faces": labels("{subject}/boxes", "{subject}/points",
                            attributes={"age": "{subject}/age", "level": "@level"})}, seen


def one_group_a_split(f):
    """Faces by the number of their image within the split."""
    seen = []
    for split, rows in {"train": [0, 1, 2], "val": [3, 4]}.items():
        group = f.create_group(split)
        group["images"] = IMAGES[rows]
        group["names"] = [f"{row}.png" for row in rows]
        group["of"] = np.array([0, 0], "i4")
        group["boxes"], group["points"] = BOXES[rows[:2]], POINTS[rows[:2]]
        seen += [frame(f"{split}/{row}.png", row, [face(r) for r in rows[:2]] if row == rows[0] else [], splits=[split])
                 for row in rows]
    return {"images": {**pixels("{split}/images"), "names": "{split}/names"},
            "faces": labels("{split}/boxes", "{split}/points", image={"path": "{split}/of", "base": 0})}, seen


def one_group_a_frame(f):
    """Sequences of frames in the order of an attribute, with times, from two cameras."""
    seen = []
    for subject, camera, rows in [("a", "left", [1, 0]), ("a", "right", [2]), ("b", "left", [4, 3])]:
        for n, row in enumerate(rows):
            group = f.create_group(f"{subject}/cam-{camera}/take1/{'zyx'[n]}")
            group["jpeg"] = BYTES[row]
            group["box"], group["points"] = BOXES[row], POINTS[row]
            group["time"] = 5 + n / 4
            group.attrs["index"] = n
            seen.append(frame(f"{subject}/{camera}/take1/{'zyx'[n]}", row,
                              [{**face(row), "attributes": {"camera": int(camera == "right")}}], subject=subject,
                              sequence=f"{subject}/{camera}/take1", time=n / 4))
    place = "{subject}/cam-{camera}/{sequence}/{image}"
    return {"images": {"bytes": f"{place}/jpeg", "order": "@index", "time": {"path": f"{place}/time", "unit": "s"}},
            "faces": labels(f"{place}/box", f"{place}/points")}, seen


def keys(f):
    for n in range(6):
        f[f"image-{n:09d}"], f[f"label-{n:09d}"] = BYTES[n], BOXES[n]
    f["num-samples"] = 6
    return {"images": {"bytes": "image-{image}"}, "faces": labels("label-{image}", None)}, [
        frame(f"{n:09d}", n, [face(n, points=False)]) for n in range(6)]


def identities(f):
    """An opaque value for each image."""
    for n in range(6):
        f[f"id{n % 2}/{n}_at.png"] = np.void(FILES[n])
        f[f"id{n % 2}/{n}_at.png"].attrs["box"] = BOXES[n]
    path = "id{subject}/{image}_at.png"
    return {"images": {"bytes": path}, "faces": labels(path + "@box", None)}, [
        frame(f"{n % 2}/{n}", n, [face(n, points=False)], subject=str(n % 2)) for n in [0, 2, 4, 1, 3, 5]]


def compound(f):
    inner = np.dtype([("score", "f4"), ("points", "f4", (5, 2))])
    table = np.zeros(6, np.dtype([("name", "S8"), ("box", "i2", (4,)), ("fit", inner), ("who", "u1")]))
    table["name"], table["box"], table["who"] = [b"n%d" % n for n in range(6)], BOXES, range(6)
    table["fit"]["points"], table["fit"]["score"] = POINTS, np.arange(6) / 8
    f["a/faces"] = table
    f["images"] = np.array(FILES, f"V{max(map(len, FILES))}")
    return {"images": {"bytes": "images", "names": "a/faces:name"},
            "faces": labels("a/faces:box", "a/faces:fit:points", identity="a/faces:who",
                            attributes={"fit": "a/faces:fit:score"})}, [
        frame(f"n{n}", n, [{**face(n, identity=n), "box": BOXES[n].astype("i2").tolist(),
                            "attributes": {"fit": n / 8}}]) for n in range(6)]


def pandas_table(f):
    """What `DataFrame.to_hdf(format='table')` writes."""
    kind = np.dtype([("index", "i8"), ("values_block_0", "f8", (14,)), ("values_block_1", "S5", (1,))])
    table = np.zeros(6, kind)
    table["index"] = range(6)
    table["values_block_0"] = np.concatenate([BOXES, POINTS.reshape(6, -1)], 1)
    table["values_block_1"][:, 0] = [b"%d.png" % n for n in range(6)]
    f.create_dataset("faces/table", data=table, chunks=(4,), maxshape=(None,), compression="gzip")
    f.create_dataset("jpeg", (6,), h5py.vlen_dtype("u1"))
    for n in range(6):
        f["jpeg"][n] = BYTES[n]
    values = "faces/table:values_block_0"
    return {"images": {"bytes": "jpeg", "names": "faces/table:values_block_1"},
            "faces": {"box": {"form": "xywh", "path": values, "columns": [0, 4]},
                      "points": [{"path": values, "columns": [4, 14], "scheme": "five", "layout": "xyxy"}]}}, [
        frame(f"{n}.png", n) for n in range(6)]


def pandas_fixed(f):
    """What `DataFrame.to_hdf(format='fixed')` writes; files of equal length as bytes."""
    f["faces/axis1"], f["faces/block0_values"] = np.arange(6) + 10, BOXES
    size = max(map(len, FILES))
    f["bytes"] = np.stack([np.pad(one, (0, size - len(one))) for one in BYTES])
    return {"images": {"bytes": "bytes", "names": "faces/axis1"}, "faces": labels("faces/block0_values", None)}, [
        frame(str(n + 10), n, [face(n, points=False)]) for n in range(6)]


def matlab(f):
    """A structure array: from none to two faces an image."""
    rows = [[0], [], [1, 2]]
    cells = f.create_group("#refs#")
    data = f.create_group("data")
    data.attrs["MATLAB_class"] = np.bytes_("struct")

    def put(name, arrays):
        stored = data.create_dataset(name, (1, len(arrays)), h5py.ref_dtype)
        for n, array in enumerate(arrays):
            if array.size:
                cell = cells.create_dataset(f"{name}{n}", data=array.T)
            else:
                cell = cells.create_dataset(f"{name}{n}", data=np.array(array.shape, "u8"))
                cell.attrs["MATLAB_empty"] = np.uint8(1)
            stored[0, n] = cell.ref

    put("image", list(IMAGES[:3]))
    put("box", [BOXES[r] for r in rows])
    put("points", [POINTS[r] for r in rows])
    put("name", [np.frombuffer(f"bild {n}".encode("utf-16-le"), "u2")[None] for n in range(3)])
    return {"matlab": True, "images": {**pixels("data/image", "HWC"), "names": "data/name"},
            "faces": labels("data/box", "data/points")}, [
        frame(f"bild {n}", n, [face(r) for r in rows[n]]) for n in range(3)]


def matlab_structures(f):
    """A cell array of structures, and matrices with a row for each."""
    cells = f.create_group("#refs#")
    samples = f.create_dataset("samples", (1, 6), h5py.ref_dtype)
    for n in range(6):
        one = cells.create_group(f"s{n}")
        one["image"], one["box"] = IMAGES[n].T, BOXES[n][:, None]
        one["name"] = np.frombuffer(f"m{n}".encode("utf-16-le"), "u2")[:, None]
        samples[0, n] = one.ref
    f["points"] = POINTS.T
    return {"matlab": True, "images": {**pixels("samples/image", "HWC"), "names": "samples/name"},
            "faces": labels("samples/box", "points")}, [frame(f"m{n}", n) for n in range(6)]


LAYOUTS = [one_group_an_image, one_group_a_subject, one_group_a_split, one_group_a_frame, keys, identities, compound,
           pandas_table, pandas_fixed, matlab, matlab_structures]


def main():
    files = []
    with tempfile.TemporaryDirectory() as folder:
        for layout in LAYOUTS:
            for version in ["earliest", "latest"]:
                path = pathlib.Path(folder) / "a.h5"
                block = 512 if "matlab" in layout.__name__ else 0
                with h5py.File(path, "w", libver=version, userblock_size=block) as f:
                    mapping, seen = layout(f)
                content = path.read_bytes()
                files.append({
                    "layout": f"{layout.__name__}, {version}", "bytes": len(content),
                    "zlib": base64.b64encode(zlib.compress(content, 9)).decode(),
                    "mapping": json.dumps({"schema": "facegauge.hdf5-mapping", "version": 1, "files": ["a.h5"], **mapping}),
                    "seen": seen})
    text = json.dumps({"h5py": h5py.__version__, "hdf5": h5py.version.hdf5_version, "files": files}, indent=1)
    (HERE / "expected/hdf5_groups.json").write_text(text.replace(" \n", "\n") + "\n")


main()
