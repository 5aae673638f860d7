"""Writes HDF5 files of each version with large groups, many attributes, shared messages and types of all kinds, and prints
what h5py reads from them as JSON.

    python3 Tests/Oracles/hdf5_structures.py FOLDER

Values are listed flat, row-major; a field of a compound type is `path:field`.
"""

import ctypes
import glob
import json
import os
import pathlib
import sys

import h5py
import numpy as np

VERSIONS = ["earliest", "v108", "v110", "v112", "v114", "v200"]
# h5py has no call for shared messages.
LIBRARY = ctypes.CDLL(glob.glob(os.path.dirname(h5py.__file__) + "/../h5py.libs/libhdf5-*")[0])
DATASPACE, DATATYPE, FILL_VALUE, FILTERS, ATTRIBUTE = (1 << kind for kind in (1, 3, 5, 11, 12))
BRAIN_FLOATS = {0x3F80: 1.0, 0xC020: -2.5, 0x4049: 3.140625, 0x0001: 2.0**-133}


def stored(file, name, kind, shape, values):
    space = h5py.h5s.create_simple(shape) if shape else h5py.h5s.create(h5py.h5s.SCALAR)
    dataset = h5py.h5d.create(file.id, name.encode(), kind, space)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values, mtype=kind)


def types(file):
    half = [0, -0.0, 1, -2.5, 65504, 2.0**-24, 2.0**-14, np.inf, -np.inf, 1 / 3]
    file["half"] = np.array(half, "<f2")
    file["swapped"] = np.array(half, ">f2")
    brain = h5py.h5t.IEEE_F16LE.copy()
    brain.set_fields(15, 7, 8, 0, 7)
    brain.set_ebias(127)
    stored(file, "brain", brain, (4,), np.array(list(BRAIN_FLOATS), "<u2"))
    file["flags"] = np.array([True, False, True])
    kinds = h5py.enum_dtype({"face": 0, "mask": 1, "other": 9}, ">i2")
    file.create_dataset("kinds", data=np.array([0, 9, 1]), dtype=kinds)
    array = h5py.h5t.array_create(h5py.h5t.IEEE_F32LE, (2, 3))
    stored(file, "arrays", array, (5,), np.arange(30, dtype="f4"))
    stored(file, "array", array, (), np.arange(6, dtype="f4"))
    file["opaque"] = np.void(b"\xff\xd8\xff\x00 jpeg")
    file["opaques"] = np.array([b"ab\x00", b"\x01cd"], "V3")
    file.create_dataset("texts", data=["a", "bc", "é"], dtype=h5py.string_dtype())
    if file.file.libver[1] in ("latest", "v200"):
        stored(file, "complex", h5py.h5t.COMPLEX_IEEE_F32LE, (2,), np.array([1 + 2j, 3], "c8"))
    for name, value in {"half": np.float16(0.25), "flag": True, "flags": np.array([True, False]),
                        "kinds": np.array([1, 2], ">i2"), "texts": ["x", "y"]}.items():
        file.attrs[name] = value
    file.attrs.create("kind", 9, dtype=kinds)
    # Types that are not read, which nobody asks for.
    file.attrs["compound"] = np.zeros(2, [("x", "f4")])
    file.attrs["complex"] = 1 + 2j


def compounds(file):
    kind = np.dtype([
        ("id", "<i4"), ("bbox", ">f4", (4,)), ("name", "S8"), ("score", "f8"), ("ok", "?"),
        ("pose", [("yaw", "f4"), ("roll", "<f2")]), ("points", [("x", "f4"), ("y", "<i2")], (3,)),
        ("raw", "V5"), ("text", h5py.string_dtype())])
    rows = np.zeros(700, kind)
    for row in range(len(rows)):
        rows[row] = (
            row, [row, row + 1, row + 2, row / 4], f"n{row}".encode(), row / 3, row % 2,
            (row / 2, row / 4), [(row, 1), (row + 0.5, -2), (row + 0.25, row)],
            bytes([row % 256, 1, 2, 3, 4]), f"t{row}")
    file["table"] = rows
    file.create_dataset("chunked", data=rows[:10], chunks=(3,), compression="gzip", shuffle=True)
    file["grid"] = rows[:6].reshape(2, 3)
    file["one"] = rows[3]
    gaps = {"names": ["a", "b"], "formats": ["<i2", "<f8"], "offsets": [3, 16], "itemsize": 40}
    file["gaps"] = np.array([(1, 0.5), (2, 0.25)], np.dtype(gaps))
    file["single"] = np.array([(1.5,), (2.5,)], [("x", "f4")])


def large(count):
    def fill(file):
        group = file.create_group("group", track_order=count % 2 == 1)
        for number in range(count):
            # Long names and targets are stored apart from the others.
            long = "long " * 900 if number % 40 == 7 else ""
            group[f"{long}ünïcode {number}"] = h5py.SoftLink("/number" + "/." * (2500 if long else 1))
        file["number"] = 7
        inner = group.create_group("inner")
        for number in range(20):
            inner[f"{number}"] = np.float32(number)
    return fill


def attributes(file):
    dataset = file.create_dataset("dataset", data=[1.5, 2])
    file.create_group("group", track_order=True)
    for number in range(150):
        dataset.attrs[f"a{number}"] = f"value {number}" * (number % 7)
        file["group"].attrs[f"a{number}"] = number
        file.attrs[f"a{number}"] = np.arange(number % 5 + 1) / 4
    # Attributes of the older format have less than 64 KiB.
    for number in range(3 if file.libver[0] != "earliest" else 0):
        dataset.attrs[f"huge {number}"] = np.arange(9000 + 5000 * number) % 11


def named(file):
    file["types/half"] = np.dtype("<f2")
    file["types/kinds"] = h5py.enum_dtype({"x": 0, "y": 5}, "i4")
    file["types/table"] = np.dtype([("a", "f4"), ("b", "i2", (2,))])
    file.create_dataset("half", data=[1, 2.5, 3], dtype=file["types/half"])
    file.create_dataset("kinds", data=[5, 0], dtype=file["types/kinds"])
    file.create_dataset("table", data=np.ones(3, file["types/table"].dtype), dtype=file["types/table"])
    file.attrs.create("kinds", [0, 5], dtype=file["types/kinds"])
    file["half"].attrs.create("half", 2.5, dtype=file["types/half"])


def shared(file):
    for number in range(12):
        dataset = file.create_dataset(
            f"d{number}", data=np.arange(24, dtype="f4").reshape(6, 4) + number, chunks=(2, 4),
            compression="gzip", fillvalue=-1)
        dataset.attrs["unit"] = "pixels of the image"
        dataset.attrs["range"] = [0.0, 1.5, number % 3]
    file["text"] = np.array([b"abc", b"de"], "S9")
    types(file.create_group("types"))


FILLS = {
    "types": types, "compounds": compounds, "links 9": large(9), "links 60": large(60),
    "links 1301": large(1301), "attributes": attributes, "named": named}


def create(path, version, options):
    bounds = (version, "latest") if version == "earliest" else (version, version)
    return h5py.File(path, "w", libver=bounds, **options)


def create_shared(path, is_list):
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    identifier = ctypes.c_int64(creation.id)
    assert LIBRARY.H5Pset_shared_mesg_nindexes(identifier, 2) >= 0
    kinds = DATASPACE | DATATYPE | FILL_VALUE | FILTERS
    assert LIBRARY.H5Pset_shared_mesg_index(identifier, 0, kinds, 1) >= 0
    assert LIBRARY.H5Pset_shared_mesg_index(identifier, 1, ATTRIBUTE, 1) >= 0
    if not is_list:
        assert LIBRARY.H5Pset_shared_mesg_phase_change(identifier, 2, 1) >= 0
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
    access.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    return h5py.File(h5py.h5f.create(str(path).encode(), h5py.h5f.ACC_TRUNC, creation, access))


def describe(values, name, found):
    values = np.asarray(values)
    if values.dtype.names:
        for field in values.dtype.names:
            describe(values[field], f"{name}:{field}", found)
        return
    if values.dtype.kind == "V":
        values = np.frombuffer(values.tobytes(), "u1").reshape(*values.shape, values.itemsize)
    if values.dtype.kind in "SUO":
        texts = [text if isinstance(text, str) else text.decode() for text in values.reshape(-1).tolist()]
        found[name] = {"shape": values.shape, "texts": texts}
    else:
        numbers = [str(float(value)) for value in values.reshape(-1)]
        found[name] = {"shape": values.shape, "numbers": numbers}


def look(path):
    datasets, attributes, members = {}, {}, {}
    with h5py.File(path, "r") as file:
        def visit(name, item):
            for key in item.attrs:
                if key in ("compound", "complex"):
                    continue
                describe(item.attrs[key], key, attributes.setdefault(name, {}))
            if isinstance(item, h5py.Group):
                members[name] = sorted(item.keys(), key=str.encode)
            elif isinstance(item, h5py.Dataset) and not name.endswith("complex"):
                if name.endswith("brain"):
                    datasets[name] = {"shape": [4], "numbers": [str(x) for x in BRAIN_FLOATS.values()]}
                else:
                    describe(item[()], name, datasets)
        visit("/", file)
        file.visititems(visit)
    return {"datasets": datasets, "attributes": attributes, "members": members}


def main():
    folder = pathlib.Path(sys.argv[1])
    seen = {}
    for version in VERSIONS:
        for name, fill in FILLS.items():
            path = folder / f"{name}, {version}.h5"
            options = {"userblock_size": 512} if version == "v110" else {}
            options["track_order"] = version == "v112"
            with create(path, version, options) as file:
                fill(file)
            seen[path.name] = look(path)
    with h5py.File(folder / "default.h5", "w") as file:
        large(60)(file)
        types(file.create_group("types"))
        compounds(file.create_group("compounds"))
    seen["default.h5"] = look(folder / "default.h5")
    # h5py has no call for the filters of a group either.
    creation = h5py.h5p.create(h5py.h5p.GROUP_CREATE)
    assert LIBRARY.H5Pset_deflate(ctypes.c_int64(creation.id), 4) >= 0
    with create(folder / "compressed.h5", "v110", {}) as file:
        h5py.h5g.create(file.id, b"group", gcpl=creation)
        for number in range(60):
            file[f"group/{number}"] = number
    for is_list in [True, False]:
        path = folder / f"shared, {'list' if is_list else 'tree'}.h5"
        with create_shared(path, is_list) as file:
            shared(file)
        seen[path.name] = look(path)
    print(json.dumps({"files": seen}))


if __name__ == "__main__":
    main()
