"""Writes HDF5 files of each version with chunks of every index and filter, and prints what h5py reads from them as JSON.

    python3 Tests/Oracles/hdf5_chunks.py FOLDER

One file a version of the format, one group a combination of filters. The JSON has shape and CRC-32 of the values as little-endian u4.
"""

import ctypes
import glob
import json
import pathlib
import sys
import zlib

import h5py
import numpy as np

VERSIONS = ["earliest", "v108", "v110", "v112", "v114", "v200"]
FILTERS = {
    "none": {},
    "gzip": {"compression": "gzip"},
    "shuffle-gzip": {"compression": "gzip", "shuffle": True},
    "lzf": {"compression": "lzf"},
    "shuffle-lzf-sum": {"compression": "lzf", "shuffle": True, "fletcher32": True},
    "sum": {"fletcher32": True},
}
DONT_FILTER_PARTIAL = 2


def numbers(*shape):
    # Runs for the compressors, and values that they cannot shorten.
    values = np.arange(int(np.prod(shape)), dtype="u4")
    return np.where(values % 97 < 40, 7, values * 2654435761 >> 9).astype("u4").reshape(shape)


def shapes(group, options):
    def make(name, values, chunks, **more):
        group.create_dataset(name, data=values, chunks=chunks, **options, **more)

    fixed = group.create_group("fixed")
    group, parent = fixed, group
    make("edges", numbers(7, 10, 3), (3, 4, 2))
    make("whole", numbers(8, 6), (2, 3))
    make("single", numbers(5, 9), (5, 9))
    make("limited", numbers(5, 6), (2, 2), maxshape=(11, 7))
    make("paged", numbers(1500), (1,))
    hole = group.create_dataset("hole", (40, 9), "u4", chunks=(3, 4), fillvalue=4_000_000_000, **options)
    hole[13:15, 2:7] = 5
    group.create_dataset("unwritten", (4, 3), "u2", chunks=(2, 2), fillvalue=9, **options)
    group = parent.create_group("growing")
    grown = group.create_dataset("rows", (1, 3), ">u2", chunks=(2, 3), maxshape=(None, 3), **options)
    for count in range(1, 700, 97):
        grown.resize(count, 0)
        grown[max(0, count - 97):] = numbers(count, 3)[max(0, count - 97):] % 65536
    make("columns", numbers(6, 210, 3), (4, 2, 2), maxshape=(9, None, 3))
    make("both", numbers(60, 70), (2, 3), maxshape=(None, None))
    make("shrunk", numbers(90, 5), (4, 2), maxshape=(None, 5))
    group["shrunk"].resize(41, 0)
    make("three", numbers(5, 6, 7), (2, 2, 2), maxshape=(None, None, None))
    none = group.create_dataset("none", (0, 3), "u4", chunks=(2, 3), maxshape=(None, 3), **options)
    assert none.shape == (0, 3)


def early(file):
    """Chunks that are allocated when the dataset is made, which without filters need no index."""
    for name, fill in {"written": True, "zeros": False}.items():
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk((3, 4))
        plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        made = h5py.h5d.create(
            file.require_group("early").id, name.encode(), h5py.h5t.STD_U32LE, h5py.h5s.create_simple((10, 9)), plan)
        if fill:
            made.write(h5py.h5s.ALL, h5py.h5s.ALL, numbers(10, 9))


def distant(file):
    """Single chunks far into an index that grows, in its super blocks and in their pages."""
    # Chunks may be as many as the file has bytes.
    file["padding"] = np.zeros(300_000, "u1")
    for name, options in {"plain": {}, "packed": {"compression": "lzf"}}.items():
        table = file.create_dataset(
            f"distant/{name}", (290_000,), "u1", chunks=(1,), maxshape=(None,), fillvalue=3, **options)
        for start in [0, 3, 19, 51, 115, 900, 8_000, 131_075, 131_076, 133_200, 200_000, 289_990]:
            table[start:start + 5] = np.arange(5) + start % 200
    table = file.create_dataset("distant/tree", (300, 300), "u1", chunks=(1, 1), maxshape=(None, None))
    table[17:49, 100:190] = numbers(32, 90) % 251


def edges(file):
    """Edge chunks that the filters leave alone, which h5py itself has no call for."""
    folder = pathlib.Path(h5py.__file__).parent.parent / "h5py.libs"
    library = ctypes.CDLL(glob.glob(str(folder / "libhdf5-*.so*"))[0])
    library.H5Pset_chunk_opts.argtypes = [ctypes.c_int64, ctypes.c_uint]
    for name, shape, limits in [
        ("fixed", (7, 10), (7, 10)), ("growing", (7, 10), (None, 10)), ("both", (7, 10), (None, None)),
    ]:
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk((3, 4))
        plan.set_shuffle()
        plan.set_deflate(6)
        assert library.H5Pset_chunk_opts(plan.id, DONT_FILTER_PARTIAL) >= 0
        space = h5py.h5s.create_simple(shape, tuple(h5py.h5s.UNLIMITED if n is None else n for n in limits))
        made = h5py.h5d.create(
            file.require_group("edges").id, name.encode(), h5py.h5t.STD_U32LE, space, plan)
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, numbers(7, 10))


def main():
    folder = pathlib.Path(sys.argv[1])
    seen = {}
    for version in VERSIONS:
        path = folder / f"{version}.h5"
        with h5py.File(path, "w", libver="earliest" if version == "earliest" else (version, version)) as file:
            for name, options in FILTERS.items():
                shapes(file.create_group(name), options)
            early(file)
            if version not in ["earliest", "v108"]:
                edges(file)
            if version in ["v110", "v200"]:
                distant(file)
        with h5py.File(path) as file:
            tables = {}

            def visit(name, item):
                if isinstance(item, h5py.Dataset) and name != "padding":
                    values = np.ascontiguousarray(item[()], "<u4")
                    tables[name] = {"shape": list(item.shape), "crc": zlib.crc32(values.tobytes())}
            file.visititems(visit)
            seen[version] = tables
    print(json.dumps({"h5py": h5py.__version__, "hdf5": h5py.version.hdf5_version, "files": seen}))


if __name__ == "__main__":
    main()
