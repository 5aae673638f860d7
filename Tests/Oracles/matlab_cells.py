"""A file in the layout of COFW's, and images of variable length, by h5py.

    python3 Tests/Oracles/matlab_cells.py    writes Tests/Oracles/expected/matlab_cells.json

COFW_test_color.mat is HDF5 after MATLAB's header of 512 bytes: IsT holds references to one uint8 array per image under
`#refs#`, and every array has its extents in the other order. The real file is not public enough to be kept; the layout is
the one that readers of it rely on. Checksums are CRC-32 of row-major RGB.
"""

import base64
import json
import pathlib
import tempfile
import zlib

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def cofw(path):
    rng = np.random.default_rng(29)
    points = np.concatenate([rng.integers(4, 40, (5, 58)) / 2, rng.integers(0, 2, (5, 29))], 1)
    boxes = np.array([[1 + n, 2, 10, 12 + n] for n in range(5)], float)
    pixels = []
    with h5py.File(path, "w", userblock_size=512) as f:
        cells = f.create_group("#refs#")
        references = []
        for n in range(5):
            shape = (6 + n, 9, 3) if n % 2 else (6 + n, 9)
            image = rng.integers(0, 256, shape, dtype="u1")
            stored = cells.create_dataset(f"{n}a", data=image.T, compression="gzip" if n > 2 else None)
            references.append(stored.ref)
            pixels.append(image if n % 2 else np.repeat(image[:, :, None], 3, 2))
        f.create_dataset("IsT", data=np.array([references], h5py.ref_dtype), dtype=h5py.ref_dtype)
        f["bboxesT"] = boxes.T
        f["phisT"] = points.T
    header = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM"
    with open(path, "r+b") as f:
        f.write(header)
    return {
        "pixels": [zlib.crc32(p.tobytes()) for p in pixels],
        "sizes": [[p.shape[1], p.shape[0]] for p in pixels],
        "boxes": (boxes - [1, 1, 0, 0]).tolist(),
        "points": [[[row[k] - 1, row[29 + k] - 1] for k in range(29)] for row in points],
        "occluded": [[int(v) for v in row[58:]] for row in points],
    }


def sequences(path):
    blobs = [b"\x89PNG not an image", b"", b"abc"]
    with h5py.File(path, "w") as f:
        f.create_dataset("bytes", (3,), h5py.vlen_dtype("u1"))
        for n, blob in enumerate(blobs):
            f["bytes"][n] = np.frombuffer(blob, "u1")
    return [list(blob) for blob in blobs]


def main():
    expected = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, make in (("cofw", cofw), ("sequences", sequences)):
            path = pathlib.Path(folder) / name
            seen = make(path)
            content = path.read_bytes()
            expected[name] = {
                "bytes": len(content),
                "zlib": base64.b64encode(zlib.compress(content, 9)).decode(),
                "seen": seen,
            }
    with open(HERE / "expected" / "matlab_cells.json", "w") as out:
        json.dump(expected, out, sort_keys=True, separators=(",", ":"))
        out.write("\n")


main()
