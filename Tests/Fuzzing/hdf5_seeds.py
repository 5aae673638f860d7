"""Seeds of `mutate_hdf5.py`: small sound files of several versions, and where their structures lie."""

import collections
import ctypes
import glob
import io
import os
import random
import struct

import h5py
import numpy as np
from PIL import Image

FRAMES = 4
MESSAGES = {
    0x00: "NIL", 0x01: "dataspace", 0x02: "link info", 0x03: "datatype", 0x04: "old fill value",
    0x05: "fill value", 0x06: "link", 0x07: "external files", 0x08: "layout", 0x0A: "group info",
    0x0B: "filters", 0x0C: "attribute", 0x0D: "comment", 0x0E: "old time", 0x10: "continuation",
    0x11: "symbol table", 0x12: "time", 0x13: "B-tree sizes", 0x15: "attribute info",
    0x16: "reference count"}


def create(path, libver, user_block, style, groups):
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    if user_block:
        creation.set_userblock(user_block)
    # Attributes of the newer format in a heap, or in object headers.
    creation.set_attr_phase_change(*(0, 0) if style == "dense" else (64, 32))
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    if style == "shared":
        share_messages(creation)
        access.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    if groups and style not in ("dense", "shared"):
        # Groups of the older format have no heap.
        access.set_libver_bounds(h5py.h5f.LIBVER_EARLIEST, h5py.h5f.LIBVER_V110)
        file = h5py.h5f.create(str(path).encode(), h5py.h5f.ACC_TRUNC, creation, access)
        for name in groups:
            h5py.h5g.create(file, name.encode())
        file.close()
        access.set_libver_bounds(*libver)
        return h5py.File(h5py.h5f.open(str(path).encode(), h5py.h5f.ACC_RDWR, access))
    access.set_libver_bounds(*libver)
    return h5py.File(h5py.h5f.create(str(path).encode(), h5py.h5f.ACC_TRUNC, creation, access))


def share_messages(creation):
    """Dataspaces, types, fill values and filters in one heap, attributes in another; h5py has no call for it."""
    library = ctypes.CDLL(glob.glob(os.path.dirname(h5py.__file__) + "/../h5py.libs/libhdf5-*")[0])
    identifier = ctypes.c_int64(creation.id)
    assert library.H5Pset_shared_mesg_nindexes(identifier, 2) >= 0
    for index, kinds in enumerate([1 << 1 | 1 << 3 | 1 << 5 | 1 << 11, 1 << 12]):
        assert library.H5Pset_shared_mesg_index(identifier, index, kinds, 1) >= 0


def put(file, path, values, style, kind=None):
    folder, name = path.rsplit("/", 1)
    group = file.require_group(folder)
    values = np.asarray(values, kind)
    options = {}
    if style == "chunked" and values.ndim and values.size:
        chunks = (max(1, values.shape[0] // 2),) + values.shape[1:]
        options = {"chunks": chunks, "maxshape": values.shape, "compression": "gzip", "shuffle": True,
                   "fletcher32": True}
    if style == "growing" and values.ndim and values.size:
        # One axis without a limit, or all of them, which have indexes of their own in newer versions.
        free = [None] * values.ndim if values.dtype.kind == "f" else [None, *values.shape[1:]]
        options = {"chunks": (max(1, values.shape[0] // 7),) + values.shape[1:], "maxshape": tuple(free)}
        if values.dtype.itemsize != 4:
            options |= {"compression": "lzf", "shuffle": True}
    if style == "big" and values.dtype.kind in "iuf":
        values = values.astype(values.dtype.newbyteorder(">"))
    if style == "timed":
        options["track_times"] = True
    if values.dtype.kind == "f":
        options["fillvalue"] = np.nan
    group.create_dataset(name, data=values, **options)


def texts(file, path, values, fixed):
    if fixed:
        return put(file, path, np.array([text.encode() for text in values], "S12"), "plain")
    put(file, path, np.array(values, object), "plain", h5py.string_dtype())


def dataset(path, libver, style, user_block=0):
    with create(path, libver, user_block, style, []) as file:
        file.attrs["format"], file.attrs["version"], file.attrs["name"] = "facegauge.dataset", 1, "seed"
        file.attrs["licence"] = np.bytes_("none")
        images = []
        for index in range(FRAMES):
            pixels = random.Random(index).randbytes(32 * 24 * 3)
            buffer = io.BytesIO()
            Image.frombytes("RGB", (32, 24), pixels).save(buffer, "JPEG", quality=30)
            images.append(buffer.getvalue())
        offsets = np.cumsum([0] + [len(image) for image in images])
        put(file, "images/offsets", offsets, style, "u8")
        put(file, "images/bytes", np.frombuffer(b"".join(images), "u1"), style)
        put(file, "images/size", [[32, 24]] * FRAMES, style, "i4")
        texts(file, "images/name", [f"{index}.jpg" for index in range(FRAMES)], style == "big")
        put(file, "frames/sequence", [0] * FRAMES, style, "i4")
        put(file, "frames/timestamp_us", [33_333 * index for index in range(FRAMES)], style, "i8")
        texts(file, "sequences/name", ["clip"], True)
        texts(file, "sequences/kind", ["video"], style != "big")
        texts(file, "sequences/subject", ["someone"], False)
        put(file, "sequences/first", [0], "plain", "i4")
        put(file, "sequences/count", [FRAMES], "plain", "i4")
        put(file, "sequences/fps", [30.0], "plain", "f8")
        rows = FRAMES + 2
        put(file, "faces/frame", sorted(list(range(FRAMES)) + [1, 3]), style, "i4")
        put(file, "faces/box", [[4 + row, 3, 12, 14] for row in range(rows)], style, "f4")
        put(file, "faces/ignore", np.array([False] * rows), style)
        points = np.stack([np.linspace(4, 20, 68), np.linspace(3, 18, 68)], 1)
        put(file, "faces/landmarks/ibug68/points", [points] * rows, style, "f4")
        put(file, "faces/landmarks/ibug68/visible", [[2] * 68] * rows, style, "u1")
        texts(file, "faces/expression", ["happy"] * rows, False)
        texts(file, "faces/category_name", ["with_mask"] * rows, False)
        put(file, "faces/attributes/yaw", np.linspace(-1, 1, rows), style, "f8")
        if style == "dense":
            for name in range(70):
                put(file, f"faces/attributes/{name}", [name] * rows, "plain", "f8")
        put(file, "splits/train", [0, 1], style, "i4")
        if style == "plain":
            file["splits/test"] = h5py.SoftLink("/splits/train")
            file["kind"] = np.dtype("f8")
            file["faces/attributes"].create_dataset("pitch", data=np.zeros(rows), dtype=file["kind"])
            compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            compact.set_layout(h5py.h5d.COMPACT)
            made = h5py.h5d.create(
                file["splits"].id, b"other", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((2,)), compact)
            made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([2, 3], "i4"))


def predictions(path, libver, style, sha256, user_block=0):
    groups = ["frames", "detections", "detector", "faces"]
    with create(path, libver, user_block, style, groups) as file:
        file.attrs["format"], file.attrs["version"] = "facegauge.predictions", 4
        for name in ["dataset_name", "dataset_path", "mode"]:
            file.attrs[name] = "seed"
        file.attrs["dataset_sha256"] = sha256
        file.attrs["candidate_floor"] = 0.01
        for name, words in {
            "models": [], "model_stages": [], "model_sha256": [], "options": ["tracker=a seed"],
        }.items():
            file.attrs.create(name, np.array(words, object), dtype=h5py.string_dtype())
        put(file, "frames/status", [0] * FRAMES, style, "u1")
        put(file, "frames/size", [[32, 24]] * FRAMES, style, "i4")
        put(file, "frames/stage_ns", [[1000]] * FRAMES, style, "u8")
        file["frames/stage_ns"].attrs.create("stages", ["total"], dtype=h5py.string_dtype())
        put(file, "frames/readings", [[frame, 0.5] for frame in range(FRAMES)], style, "f8")
        file["frames/readings"].attrs.create("names", ["answered_s", "battery"], dtype=h5py.string_dtype())
        put(file, "frames/detector_ran", [1] * FRAMES, style, "u1")
        put(file, "detections/frame", range(FRAMES), style, "i4")
        put(file, "detections/box", [[4, 3, 12, 14]] * FRAMES, style, "f4")
        put(file, "detections/score", [0.5] * FRAMES, style, "f4")
        put(file, "detections/keypoints", np.ones((FRAMES, 6, 2)), style, "f4")
        put(file, "detector/offsets", range(FRAMES + 1), style, "u8")
        put(file, "detector/anchor", [3] * FRAMES, style, "i4")
        put(file, "detector/score", [0.5] * FRAMES, style, "f4")
        put(file, "detector/regressors", np.ones((FRAMES, 16)), style, "f4")
        put(file, "faces/frame", range(FRAMES), style, "i4")
        put(file, "faces/kept", [1] * FRAMES, style, "u1")
        put(file, "faces/tracked", [0] * FRAMES, style, "u1")
        for name in ["detection_score", "presence", "tongue_out"]:
            put(file, f"faces/{name}", [0.5] * FRAMES, style, "f4")
        put(file, "faces/region", np.full((FRAMES, 5), 0.5), style, "f4")
        put(file, "faces/box", np.full((FRAMES, 4), 8), style, "f4")
        points = np.zeros((68, 3))
        points[:, 0], points[:, 1] = np.linspace(4, 20, 68), np.linspace(3, 18, 68)
        put(file, "faces/landmarks/ibug68/points", [points] * FRAMES, style, "f4")


# Where things lie.

def lookup3(data):
    def rotate(value, bits):
        return (value << bits | value >> (32 - bits)) & 0xFFFFFFFF

    mask = 0xFFFFFFFF
    a = b = c = (0xDEADBEEF + len(data)) & mask
    padded = data + bytes(-len(data) % 12)
    words = struct.unpack(f"<{len(padded) // 4}I", padded)
    blocks = [words[start:start + 3] for start in range(0, len(words), 3)]
    for x, y, z in blocks[:-1]:
        a, b, c = a + x & mask, b + y & mask, c + z & mask
        a = (a - c & mask) ^ rotate(c, 4); c = c + b & mask
        b = (b - a & mask) ^ rotate(a, 6); a = a + c & mask
        c = (c - b & mask) ^ rotate(b, 8); b = b + a & mask
        a = (a - c & mask) ^ rotate(c, 16); c = c + b & mask
        b = (b - a & mask) ^ rotate(a, 19); a = a + c & mask
        c = (c - b & mask) ^ rotate(b, 4); b = b + a & mask
    if blocks:
        x, y, z = blocks[-1]
        a, b, c = a + x & mask, b + y & mask, c + z & mask
        c = (c ^ b) - rotate(b, 14) & mask
        a = (a ^ c) - rotate(c, 11) & mask
        b = (b ^ a) - rotate(a, 25) & mask
        c = (c ^ b) - rotate(b, 16) & mask
        a = (a ^ c) - rotate(c, 4) & mask
        b = (b ^ a) - rotate(a, 14) & mask
        c = (c ^ b) - rotate(b, 24) & mask
    return c


class Seed:
    """A sound file, the ranges of its structures by name, and its checksummed blocks."""

    def __init__(self, path, base):
        self.data, self.base = path.read_bytes(), base
        self.ranges = collections.defaultdict(list)
        self.sums, self.heap_blocks = [], []
        self.ranges["superblock"].append((base, base + 96))
        with h5py.File(path) as file:
            addresses = {h5py.h5o.get_info(file["/"].id).addr}
            file.visititems(lambda _, item: addresses.add(h5py.h5o.get_info(item.id).addr))
        for address in addresses:
            self.header(base + address)
        for signature, size in [
            (b"TREE", 300), (b"SNOD", 200), (b"HEAP", 120), (b"GCOL", 200), (b"FAHD", 28), (b"FADB", 80),
            (b"BTHD", 38), (b"BTIN", 60), (b"BTLF", 200), (b"FRHP", 146), (b"FHIB", 120), (b"FHDB", 200),
            (b"SMTB", 64), (b"EAHD", 72), (b"EAIB", 200), (b"EASB", 80), (b"EADB", 300),
        ]:
            start = self.data.find(signature)
            while start >= 0:
                self.ranges[signature.decode()].append((start, min(start + size, len(self.data))))
                start = self.data.find(signature, start + 1)
        self.ranges["any byte"].append((0, len(self.data)))
        for signature in [
            b"OHDR", b"OCHK", b"FAHD", b"FADB", b"BTHD", b"BTIN", b"BTLF", b"FRHP", b"FHIB", b"SMTB",
            b"\x89HDF", b"EAHD", b"EAIB", b"EASB", b"EADB",
        ]:
            start = self.data.find(signature)
            while start >= 0:
                self.sum(start)
                start = self.data.find(signature, start + 1)
        start = self.data.find(b"FHDB")
        while start >= 0:
            self.heap_block(start)
            start = self.data.find(b"FHDB", start + 1)

    def sum(self, start):
        for count in range(8, min(900, len(self.data) - start - 4)):
            stored = struct.unpack_from("<I", self.data, start + count)[0]
            if stored and lookup3(self.data[start:start + count]) == stored:
                self.sums.append((start, count))
                return

    def heap_block(self, start):
        """A block's checksum follows its offset of 4 or 5 bytes, and counts as 0."""
        for place in (start + 17, start + 18):
            for count in (512 << power for power in range(8)):
                stored = struct.unpack_from("<I", self.data, place)[0]
                block = self.data[start:place] + bytes(4) + self.data[place + 4:start + count]
                if len(block) == count and lookup3(block) == stored:
                    self.heap_blocks.append((start, place, count))
                    return

    def header(self, start):
        data = self.data
        if data[start:start + 4] == b"OHDR":
            flags = data[start + 5]
            width = 1 << (flags & 3)
            head = 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
            count = int.from_bytes(data[start + head:start + head + width], "little")
            self.ranges["header prefix"].append((start, start + head + width))
            blocks, newer, order = [(start + head + width, count)], True, flags & 4
        else:
            count = struct.unpack_from("<I", data, start + 8)[0]
            self.ranges["header prefix"].append((start, start + 16))
            blocks, newer, order = [(start + 16, count)], False, 0
        first = True
        while blocks:
            position, count = blocks.pop()
            end = position + count
            if newer and not first:
                self.ranges["continued block"].append((position, position + 4))
                position, end = position + 4, end - 4
            first = False
            size = (6 if order else 4) if newer else 8
            while position + size <= end:
                if newer:
                    kind, length = struct.unpack_from("<BH", data, position)
                else:
                    kind, length = struct.unpack_from("<HH", data, position)
                self.ranges[MESSAGES.get(kind, f"message {kind}")].append(
                    (position, position + size + length))
                if kind == 0x10:
                    target, extent = struct.unpack_from("<QQ", data, position + size)
                    blocks.append((self.base + target, extent))
                position += size + length

    def mutant(self, generator):
        data = bytearray(self.data)
        name = generator.choice(sorted(self.ranges))
        for _ in range(generator.choice([1, 1, 1, 2, 3])):
            start, end = generator.choice(self.ranges[name])
            position = generator.randrange(start, max(end, start + 1))
            width = min(generator.choice([1, 1, 2, 4, 8]), len(data) - position)
            old = int.from_bytes(data[position:position + width], "little")
            top = (1 << 8 * width) - 1
            new = generator.choice([
                0, 1, top, top >> 1, top - 1, old ^ 1 << generator.randrange(8 * width), old + 1, old - 1,
                old * 2, generator.randint(0, top), len(data), self.base + generator.randrange(len(data))])
            data[position:position + width] = (new & top).to_bytes(width, "little")
        if generator.random() < 0.5:
            for start, count in self.sums:
                struct.pack_into("<I", data, start + count, lookup3(bytes(data[start:start + count])))
            for start, place, count in self.heap_blocks:
                data[place:place + 4] = bytes(4)
                struct.pack_into("<I", data, place, lookup3(bytes(data[start:start + count])))
        return name, bytes(data)
