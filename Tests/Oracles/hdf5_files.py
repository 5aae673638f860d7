"""Makes small HDF5 files with h5py and writes them, with what they hold, as JSON.

    python3 Tests/Oracles/hdf5_files.py > Tests/Oracles/expected/hdf5_files.json

Each file is zlib-compressed base64 so that the tests need no h5py. Values are listed flat, row-major.
"""

import base64
import io
import json
import zlib

import h5py
import numpy

TYPES = ["u1", "i1", "<u2", ">u2", "<i2", ">i2", "<u4", ">u4", "<i4", ">i4",
         "<u8", ">u8", "<i8", ">i8", "<f4", ">f4", "<f8", ">f8"]
NAMES = {"u1": "u8", "i1": "i8", "u2": "u16", "i2": "i16", "u4": "u32", "i4": "i32",
         "u8": "u64", "i8": "i64", "f4": "f32", "f8": "f64"}


def values_of(dtype):
    dtype = numpy.dtype(dtype)
    if dtype.kind == "f":
        info = numpy.finfo(dtype)
        return numpy.array([[0, -1.5, info.max], [info.tiny, 1 / 3, -info.max]], dtype)
    info = numpy.iinfo(dtype)
    return numpy.array([[0, 1, info.max], [info.min, info.max // 3, 7]], dtype)


def build(fill, **options):
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", **options) as file:
        fill(file)
    datasets, attributes = {}, []
    with h5py.File(buffer, "r") as file:
        def visit(name, item):
            for key in item.attrs:
                value = item.attrs[key]
                if isinstance(value, h5py.Empty):
                    continue
                if isinstance(value, bytes):
                    value = value.decode()
                elif isinstance(value, numpy.ndarray) and value.dtype.kind == "S":
                    value = [text.decode() for text in value]
                elif isinstance(value, (numpy.ndarray, numpy.generic)):
                    value = value.tolist()
                attributes.append({"object": name, "name": key, "value": value})
            if isinstance(item, h5py.Dataset):
                datasets[name] = describe(item)
        visit("/", file)
        file.visititems(visit)
    data = base64.b64encode(zlib.compress(buffer.getvalue(), 9)).decode()
    return {"bytes": len(buffer.getvalue()), "zlib": data, "datasets": datasets,
            "attributes": attributes}


def describe(dataset):
    shape = [0] if dataset.shape is None else list(dataset.shape)
    if dataset.shape is None:
        return {"type": NAMES[dataset.dtype.str[1:]], "shape": shape, "numbers": []}
    if dataset.dtype.kind in "SO":
        texts = numpy.asarray(dataset[()]).reshape(-1).tolist()
        return {"type": "string", "shape": shape, "texts": [text.decode() for text in texts]}
    if dataset.dtype.kind == "b":
        return {"type": "u8", "shape": shape,
                "numbers": [str(int(value)) for value in dataset[()].reshape(-1)]}
    # As text, because JSON numbers lose 64-bit integers.
    flat = numpy.asarray(dataset[()]).reshape(-1)
    return {"type": NAMES[dataset.dtype.str[1:]], "shape": shape,
            "numbers": [repr(value) for value in flat.tolist()]}


def types(file):
    # Groups of at most 8 members, which the newer format keeps in the group's header.
    order = {"<": "little", ">": "big"}
    for name in TYPES:
        file[f"type/{order.get(name[0], 'byte')}/{name.lstrip('<>')}"] = values_of(name)
    other = file.create_group("other")
    other["bool"] = numpy.array([True, False, True])
    other["scalar"] = numpy.float32(2.5)
    other["empty"] = numpy.zeros((0, 4), "f4")
    other["null"] = h5py.Empty("f4")
    other["soft"] = h5py.SoftLink("/type/byte/u1")
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple((2, 3))
    made = h5py.h5d.create(other.id, b"compact", h5py.h5t.STD_I16BE, space, compact)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.array([[1, -2, 3], [4, 5, -600]], "<i2"))
    text = file.create_group("text")
    text["fixed"] = numpy.array([b"left eye", b"", b"full 8 b"], "S8")
    padded = h5py.h5t.FORTRAN_S1.copy()
    padded.set_size(4)
    space = h5py.h5d.create(text.id, b"space", padded, h5py.h5s.create_simple((2,)))
    space.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.array([b"ab  ", b"cdef"], "S4"), mtype=padded)
    texts = ["", "Zoë", "顔", "👁\u200d🗨", "x" * 5000, "left\nright"]
    text.create_dataset("texts", data=texts, dtype=h5py.string_dtype())
    text.create_dataset("text", data="one", dtype=h5py.string_dtype())


def chunks(file, grows=True):
    numbers = numpy.arange(7 * 5 * 3).reshape(7, 5, 3)
    file.create_dataset("plain", data=numbers.astype("i4"), chunks=(2, 2, 2))
    file.create_dataset("gzip", data=numbers.astype("f4") / 4, chunks=(3, 4, 3),
                        compression="gzip", shuffle=True, fletcher32=True)
    file.create_dataset("checksum", data=numbers.astype("u1"), chunks=(4, 5, 3), fletcher32=True)
    file.create_dataset("one", data=numbers.astype("i8"), chunks=(7, 5, 3), compression="gzip")
    if grows:
        growing(file)
    file = file.create_group("more")
    single = numpy.arange(12, dtype="u2").reshape(3, 4)
    file.create_dataset("single", data=single, chunks=(3, 4))
    file.create_dataset("limited", data=single, chunks=(2, 3), maxshape=(5, 9), compression="gzip")
    hole = file.create_dataset("hole", (10, 4), "f4", chunks=(2, 4), fillvalue=-1.25)
    hole[4:6] = 3
    file.create_dataset("unwritten", (3, 2), "f8", fillvalue=9.5)
    file.create_dataset("texts", data=[["a", "bb"], ["ccc", ""]], dtype=h5py.string_dtype(),
                        chunks=(1, 2), compression="gzip")


def paged(file):
    # A page of the index holds 1024 entries.
    file.create_dataset("paged", data=numpy.arange(1030) % 251, dtype="u1", chunks=(1,))
    some = file.create_dataset("some", (3, 1030), "u1", chunks=(1, 1), compression="gzip")
    some[1, 1000:] = 9


def large(file):
    for number in range(9):
        file[f"d{number}"] = numpy.uint8(number)
        file.attrs[f"a{number}"] = number


def growing(file):
    grown = file.create_dataset("grown", (2, 3), "i2", chunks=(4, 3), maxshape=(None, 3))
    grown[...] = [[1, 2, 3], [4, 5, 6]]
    grown.resize((9, 3))
    grown[8] = [7, 8, 9]
    both = file.create_dataset("both", (6, 5), "u2", chunks=(2, 2), maxshape=(None, None))
    both[...] = numpy.arange(30).reshape(6, 5)


def packed(file):
    # Filtered entries, data blocks and super blocks of an index that grows, and nodes of a tree.
    rows = file.create_dataset("rows", (150, 2), "u2", chunks=(1, 2), maxshape=(None, 2), compression="lzf")
    rows[...] = numpy.arange(300).reshape(150, 2) % 5
    file.create_dataset("columns", data=numpy.arange(60, dtype="i4").reshape(3, 20) // 9, chunks=(2, 3),
                        maxshape=(3, None), compression="lzf", shuffle=True, fletcher32=True)
    file.create_dataset("both", data=numpy.arange(120, dtype="u1").reshape(10, 12) // 50, chunks=(1, 1),
                        maxshape=(None, None), compression="gzip")
    file.create_dataset("fixed", data=numpy.arange(40, dtype="u4").reshape(10, 4) // 3, chunks=(3, 4), compression="lzf")
    file.create_dataset("one", data=numpy.arange(40, dtype="u4") // 3, chunks=(40,), compression="lzf")


def attributes(file):
    file.attrs["format"] = "facegauge.dataset"
    file.attrs["unicode"] = "Bösendorfer 顔"
    file.attrs["bytes"] = numpy.bytes_("fixed")
    file.attrs["version"] = 1
    file.attrs["small"] = numpy.int8(-5)
    file.attrs["big"] = numpy.array(2**40, ">u8")
    file.attrs["flag"] = True
    file.attrs["ratio"] = numpy.float32(0.25)
    file.create_group("faces").attrs["names"] = ["browDownLeft", "jawOpen", ""]
    faces = file.create_dataset("faces/blendshapes", data=numpy.zeros((2, 3), "f4"))
    faces.attrs["means"] = [0.5, -1e300, 3.0]
    faces.attrs["counts"] = numpy.array([1, 2, 3], "u2")
    faces.attrs["labels"] = numpy.array([b"aa", b"b"], "S2")
    faces.attrs["empty"] = h5py.Empty("S1")


files = {
    "types": build(types),
    "types, version 1.10": build(types, libver=("v110", "v110")),
    "types behind a user block": build(types, userblock_size=512),
    "chunks": build(chunks),
    "chunks, version 1.10": build(lambda file: chunks(file, grows=False), libver=("v110", "v110")),
    "large group, version 1.10": build(large, libver=("v110", "v110")),
    "growing chunks, version 1.10": build(growing, libver=("v110", "v110")),
    "growing chunks, version 2.0": build(packed, libver=("v200", "v200")),
    "chunks behind a user block": build(chunks, userblock_size=1024),
    "paged chunks, version 1.10": build(paged, libver=("v110", "v110")),
    "attributes": build(attributes),
    "attributes in order of creation": build(attributes, track_order=True),
    "attributes, version 1.8": build(attributes, libver=("v108", "v108")),
}
lines = [f"{json.dumps(name)}: {json.dumps(made)}" for name, made in files.items()]
print('{"h5py": "%s", "hdf5": "%s", "files": {\n%s\n}}'
      % (h5py.__version__, h5py.version.hdf5_version, ",\n".join(lines)))
