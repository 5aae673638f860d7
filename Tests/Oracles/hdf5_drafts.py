"""HDF5 files of faces for which no mapping is written, by h5py: what a draft of one must lead to.

    python3 Tests/Oracles/hdf5_drafts.py    writes Tests/Oracles/expected/hdf5_drafts.json

Beside each file stands what was put in, in the order in which an import of it gives frames: the CRC-32 of the row-major
RGB, box and points of the only face, subject, sequence and splits. Boxes, points and colors are those of faces: inside
of the image, eyes above the mouth, more red than blue.
"""

import base64
import io
import json
import pathlib
import tempfile
import zlib

import h5py
import numpy as np
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
RNG = np.random.default_rng(7)
COUNT, HEIGHT, WIDTH = 6, 24, 32
BLOCKS = RNG.integers(0, 60, (COUNT, HEIGHT // 8, WIDTH // 8, 3)) + [160, 110, 70]
IMAGES = BLOCKS.astype("u1").repeat(8, 1).repeat(8, 2)
SIZES = RNG.integers(40, 60, COUNT) / 4
BOXES = np.stack([RNG.integers(8, 60, COUNT) / 4, RNG.integers(8, 30, COUNT) / 4, SIZES, SIZES * 1.125], 1)
CORNERS = np.concatenate([BOXES[:, :2], BOXES[:, :2] + BOXES[:, 2:]], 1)
# Eyes, nose and mouth as shares of the box.
FIVE = np.array([[0.25, 0.375], [0.75, 0.375], [0.5, 0.625], [0.3125, 0.8125], [0.6875, 0.8125]])
POINTS = BOXES[:, None, :2] + FIVE * BOXES[:, None, 2:]


def encoded(image):
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "PNG")
    return buffer.getvalue()


FILES = [encoded(image) for image in IMAGES]
BYTES = [np.frombuffer(file, "u1") for file in FILES]
PATCH = {"box": [0, 0, WIDTH, HEIGHT], "points": None}


def tight(points):
    return np.concatenate([points.min(0), points.max(0) - points.min(0)]).tolist()


def seen(row, box=BOXES, points=POINTS, **more):
    return {"pixels": zlib.crc32(IMAGES[row].tobytes()), "box": None if box is None else np.asarray(box[row]).tolist(),
            "points": None if points is None else points[row].tolist(), **more}


def rows(**more):
    return [seen(row, **more) for row in range(COUNT)]


def patches_in_bgr(f):
    f["face_patch"] = IMAGES[..., ::-1]
    f["frame_index"], f["cam_index"] = np.arange(COUNT)[:, None], np.ones((COUNT, 1), "i8")
    f["face_gaze"] = RNG.normal(size=(COUNT, 2))
    return [seen(row, [PATCH["box"]] * COUNT, None) for row in range(COUNT)]


def tight_boxes(f):
    f["face_patch"], f["facial_landmarks"] = IMAGES, POINTS.astype("f4")
    return rows(box=[tight(points) for points in POINTS])


def corners_and_others(f):
    f["images"], f["landmarks"], f["bboxes"] = IMAGES, POINTS, CORNERS
    f["extra1"], f["extra2"], f["extra3"] = CORNERS, CORNERS, CORNERS
    f["metadata/quality_scores"] = RNG.random(COUNT)
    f["metadata/video_names"] = ["a", "a", "a", "b", "b", "b"]
    return [seen(row, sequence="ab"[row // 3]) for row in range(COUNT)]


def one_group_an_image(f):
    for row in range(COUNT):
        group = f.create_group(f"{row:05d}")
        group["image"], group["boxes"], group["landmarks"] = BYTES[row], BOXES[row:row + 1], POINTS[row:row + 1]
        group.attrs["subject"] = row % 2
    return [seen(row, subject=str(row % 2)) for row in range(COUNT)]


def one_group_a_subject(f):
    for subject in range(2):
        group, part = f.create_group(f"subject{subject:02d}"), slice(3 * subject, 3 * subject + 3)
        group["frames"], group["bbox"], group["landmarks"] = IMAGES[part], BOXES[part], POINTS[part]
        group["time"] = np.arange(3) / 25
    return [seen(row, sequence=f"0{row // 3}") for row in range(COUNT)]


def linked_groups(f):
    """Each group in itself too, and one with a second path."""
    frames = one_group_a_subject(f)
    for name in "subject00", "subject01":
        f[name]["all"] = f["/"]
    f["the_first"] = f["subject00"]
    return frames


def one_group_a_split(f):
    for name, part in {"test": slice(0, 2), "train": slice(2, 6)}.items():
        group = f.create_group(name)
        group["images"], group["bbox"], group["landmarks"] = IMAGES[part], BOXES[part], POINTS[part]
    return [seen(row, splits=["test" if row < 2 else "train"]) for row in range(COUNT)]


def keys(f):
    for row in range(COUNT):
        f[f"image-{row:09d}"], f[f"label-{row:09d}"] = BYTES[row], BOXES[row]
    f["num-samples"] = COUNT
    return rows(points=None)


def identities(f):
    for row in range(COUNT):
        f[f"id{row // 3:05d}/{row:05d}.jpg"] = np.void(FILES[row])
    return [seen(row, [PATCH["box"]] * COUNT, None, subject=f"{row // 3:05d}") for row in range(COUNT)]


def table(f):
    kind = np.dtype([("name", "S16"), ("bbox", "f4", (4,)), ("landmarks", "f4", (5, 2)), ("id", "i4")])
    values = np.zeros(COUNT, kind)
    values["name"], values["id"] = [b"%d.jpg" % row for row in range(COUNT)], np.arange(COUNT) % 3
    values["bbox"], values["landmarks"] = BOXES, POINTS
    f["faces"], f["images"] = values, IMAGES
    return [seen(row, subject=str(row % 3)) for row in range(COUNT)]


def files_and_times(f):
    f.create_dataset("jpeg", (COUNT,), h5py.vlen_dtype("u1"))
    for row in range(COUNT):
        f["jpeg"][row] = BYTES[row]
    f["clip"], f["timestamps"] = [3, 3, 3, 4, 4, 4], np.arange(COUNT) * 40
    f["rect"], f["kp"] = BOXES, POINTS.transpose(0, 2, 1)
    return [seen(row, sequence=str(3 + row // 3)) for row in range(COUNT)]


def fractions(f):
    f["X"] = (IMAGES / 255).astype("f4").transpose(0, 3, 1, 2)
    f["y"] = (POINTS / [WIDTH, HEIGHT]).reshape(COUNT, -1)
    f["test"] = np.array([4, 5])
    return [seen(row, [tight(points) for points in POINTS], splits=["test"] if row > 3 else None)
            for row in range(COUNT)]


def faces_by_number(f):
    f["blob"], f["offsets"] = np.concatenate(BYTES), np.cumsum([0] + [len(one) for one in BYTES])
    order = np.array([5, 4, 3, 2, 1])
    f["face_image"] = order + 1
    f["boxes"] = BOXES[order]
    return [seen(0, None, None)] + rows(points=None)[1:]


def matlab(f):
    """Matrices as MATLAB stores them, with extents in reverse order."""
    f["pictures"], f["boxes"], f["age"] = IMAGES.transpose(0, 3, 2, 1), BOXES.T, np.arange(COUNT)[None]
    return rows(points=None)


LAYOUTS = [patches_in_bgr, tight_boxes, corners_and_others, one_group_an_image, one_group_a_subject, linked_groups,
           one_group_a_split, keys, identities, table, files_and_times, fractions, faces_by_number, matlab]


def main():
    files = []
    with tempfile.TemporaryDirectory() as folder:
        for layout in LAYOUTS:
            for version, block in [("earliest", 512), ("latest", 512 if layout is matlab else 0)]:
                path = pathlib.Path(folder) / "a.h5"
                with h5py.File(path, "w", libver=version, userblock_size=block) as f:
                    frames = layout(f)
                content = path.read_bytes()
                if layout is matlab and block:
                    content = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512) + content[512:]
                files.append({"layout": f"{layout.__name__}, {version}", "bytes": len(content),
                              "zlib": base64.b64encode(zlib.compress(content, 9)).decode(), "seen": frames})
    text = json.dumps({"h5py": h5py.__version__, "hdf5": h5py.version.hdf5_version, "files": files}, indent=1)
    (HERE / "expected/hdf5_drafts.json").write_text(text + "\n")


main()
