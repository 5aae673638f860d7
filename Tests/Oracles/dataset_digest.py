"""The SHA-256 of a dataset as Datasets/FORMAT.md describes it, through h5py and hashlib alone, and other ways to store it.

    python3 Tests/Oracles/dataset_digest.py FILE.h5            prints the digest
    python3 Tests/Oracles/dataset_digest.py FILE.h5 OUT.h5     copies the file with other chunks, filters, types and byte order
"""

import hashlib
import struct
import sys

import h5py
import numpy as np

KNOWN = {
    "": "images frames sequences faces splits camera depth",
    "images": "offsets bytes pixels size name",
    "frames": "sequence timestamp_us attributes",
    "camera": "intrinsics transform",
    "depth": "frame map",
    "sequences": "name subject kind first count fps",
    "faces": "frame box area ignore crowd category identity score landmarks blendshapes pose expression attributes meshes",
    "faces/meshes": "arkit1220",
}


def tables(group, path=""):
    names = sorted(group, key=lambda name: name.encode())
    for name in names:
        if path in KNOWN and name not in KNOWN[path].split():
            continue
        inner = f"{path}/{name}" if path else name
        if isinstance(group[name], h5py.Group):
            yield from tables(group[name], inner)
        else:
            yield inner, group[name]


def digest(path):
    with h5py.File(path) as file:
        labelled = int(file.attrs.get("labelled", 1))
        sha = hashlib.sha256(f"facegauge.dataset 1 labelled {labelled}\n".encode())
        for name, table in tables(file):
            kind = table.dtype.kind
            word = "text" if kind in "OS" else "number" if kind == "f" else "integer"
            sha.update(f"{name} {word} {'x'.join(map(str, table.shape))}\n".encode())
            if word == "text":
                for text in table[()]:
                    sha.update(struct.pack("<q", len(text)) + text)
            elif word == "number":
                values = table[()].astype("<f8")
                values[np.isnan(values)] = np.nan
                sha.update(values.tobytes())
            else:
                values = table[()]
                sha.update(values.tobytes() if table.dtype == np.uint8 else values.astype("<i8").tobytes())
        return sha.hexdigest()


def repack(source, target):
    """Big-endian, wider integers, shuffled and compressed chunks of odd sizes; another time and unknown tables."""
    with h5py.File(source) as old, h5py.File(target, "w") as new:
        new.attrs.update(old.attrs)
        new.attrs["created"] = "1970-01-01T00:00:00Z"
        new["notes"] = "not a table of the format"
        for name, table in tables(old):
            values = table[()]
            if table.dtype.kind == "f" or table.dtype.kind in "iu" and table.dtype.itemsize > 1:
                values = values.astype(">i8" if table.dtype.kind in "iu" else table.dtype.newbyteorder(">"))
            options = {}
            if table.ndim and table.shape[0] > 2 and table.dtype.kind in "fiu":
                options = dict(
                    chunks=(max(table.shape[0] // 3, 1),) + table.shape[1:], maxshape=(None,) + table.shape[1:],
                    compression="gzip", shuffle=True, fletcher32=True)
            copied = new.create_dataset(name, data=values, dtype=table.dtype if table.dtype.kind == "O" else None, **options)
            copied.attrs.update(table.attrs)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(digest(sys.argv[1]))
    else:
        repack(sys.argv[1], sys.argv[2])
