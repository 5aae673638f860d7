"""Makes a dataset as large as wanted: `make_large_dataset.py OUT.h5 [FRAMES [FACES [FIRST [SIDE]]]]`.

200,000 frames by default, numbered from FIRST (0) on, so that several files make one dataset. JPEGs of 64x64 to 320x240,
none wider than SIDE (320), that look like blurred photographs, no two of the same bytes, in videos of 100 frames with
FACES (1) or one more faces per frame alternately, ibug68 points and attributes. Chunked as FaceGauge writes.
"""

import io
import random
import sys

import h5py
import numpy as np
from PIL import Image

FRAMES = int(sys.argv[2]) if len(sys.argv) > 2 else 200_000
FACES = int(sys.argv[3]) if len(sys.argv) > 3 else 1
FIRST = int(sys.argv[4]) if len(sys.argv) > 4 else 0
SIDE = int(sys.argv[5]) if len(sys.argv) > 5 else 320
SIZES = [size for size in [(64, 64), (128, 96), (160, 120), (240, 180), (256, 256), (320, 240)] if size[0] <= SIDE]
BATCH = 1024


def images(random_state, count=600):
    """Different images, each with its size; the frames take turns with them."""
    made = []
    for index in range(count):
        size = SIZES[index % len(SIZES)]
        coarse = random_state.integers(0, 256, (size[1] // 8, size[0] // 8, 3), dtype=np.uint8)
        image = np.asarray(Image.fromarray(coarse).resize(size, Image.BICUBIC)).astype("f4")
        image += random_state.normal(0, 12, image.shape)
        buffer = io.BytesIO()
        Image.fromarray(image.clip(0, 255).astype("u1")).save(buffer, "JPEG", quality=80)
        made.append((buffer.getvalue(), size))
    return made


def with_number(jpeg, frame):
    """The same image with the frame's number in a comment."""
    comment = b"%09d" % frame
    return jpeg[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + jpeg[2:]


class Table:
    def __init__(self, file, path, form, row=(), chunk=1024):
        self.data = file.create_dataset(
            path, (0, *row), form, maxshape=(None, *row), chunks=(chunk, *row))

    def add(self, values):
        count = self.data.shape[0]
        self.data.resize(count + len(values), axis=0)
        self.data[count:] = values


state = np.random.default_rng(4 + FIRST)
random.seed(4 + FIRST)
base = images(state)
with h5py.File(sys.argv[1], "w") as file:
    file.attrs.update(
        format="facegauge.dataset", version=1, name=f"{FRAMES} generated frames", labelled=1)
    text = h5py.string_dtype()
    offsets = Table(file, "images/offsets", "u8")
    content = Table(file, "images/bytes", "u1", chunk=1 << 20)
    sizes = Table(file, "images/size", "i4", (2,))
    names = Table(file, "images/name", text)
    sequences = Table(file, "frames/sequence", "i4")
    times = Table(file, "frames/timestamp_us", "i8")
    owners = Table(file, "faces/frame", "i4")
    boxes = Table(file, "faces/box", "f4", (4,))
    identities = Table(file, "faces/identity", "i4")
    points = Table(file, "faces/landmarks/ibug68/points", "f4", (68, 2), 256)
    visible = Table(file, "faces/landmarks/ibug68/visible", "u1", (68,))
    yaws = Table(file, "faces/attributes/headYaw", "f8")
    end = 0
    offsets.add([0])
    for start in range(0, FRAMES, BATCH):
        frames = np.arange(start, min(start + BATCH, FRAMES))
        chosen = [base[random.randrange(len(base))] for _ in frames]
        blobs = [with_number(jpeg, FIRST + frame) for (jpeg, _), frame in zip(chosen, frames)]
        ends = end + np.cumsum([len(blob) for blob in blobs])
        offsets.add(ends.astype("u8"))
        end = int(ends[-1])
        content.add(np.frombuffer(b"".join(blobs), "u1"))
        side = np.array([size for _, size in chosen], "i4")
        sizes.add(side)
        names.add([f"{FIRST + frame:06}.jpg" for frame in frames])
        sequences.add(frames // 100)
        times.add(frames % 100 * 40_000)
        rows = np.repeat(np.arange(len(frames)), FACES + frames % 2)
        corner = state.uniform(0, 0.5, (len(rows), 2)) * side[rows]
        extent = state.uniform(0.2, 0.5, (len(rows), 1)) * side[rows]
        owners.add(frames[rows])
        boxes.add(np.hstack([corner, extent]).astype("f4"))
        identities.add(rows % 50)
        points.add(
            (corner[:, None] + state.uniform(0, 1, (len(rows), 68, 2)) * extent[:, None]).astype("f4"))
        visible.add(np.full((len(rows), 68), 2, "u1"))
        yaws.add(state.normal(0, 0.4, len(rows)))
    count = -(-FRAMES // 100)
    first = np.arange(count) * 100
    file.create_dataset("sequences/name", data=[f"clip {FIRST // 100 + i}" for i in range(count)], dtype=text)
    file.create_dataset("sequences/kind", data=["video"] * count, dtype=text)
    file.create_dataset("sequences/subject", data=[f"s{i % 97}" for i in range(count)], dtype=text)
    file["sequences/first"] = first.astype("i4")
    file["sequences/count"] = np.minimum(100, FRAMES - first).astype("i4")
    file["sequences/fps"] = np.full(count, 25.0)
    file["splits/test"] = np.arange(0, FRAMES, 10, "i4")
print(f"{sys.argv[1]}: {FRAMES} frames, {end} bytes of images")
