"""Counts and checksums of public MAT-files of version 5 by scipy.io, and of HDF5 files by h5py.

    FACEGAUGE_SHARED=FOLDER python3 Tests/Oracles/matlab_files.py    writes Tests/Oracles/expected/matlab_files.json

A checksum is the CRC-32 of little-endian f32: points as x, y (and depth) face by face, boxes as x, y, width, height.
Points and boxes of AFLW2000 and COFW68 are reduced by 1 before, for MATLAB counts pixels from 1.
"""

import json
import os
import pathlib
import zlib

import h5py
import numpy as np
from scipy.io import loadmat

HERE = pathlib.Path(__file__).resolve().parent
DATA = pathlib.Path(os.environ["FACEGAUGE_SHARED"]) / "data"


def crc(array):
    return zlib.crc32(np.ascontiguousarray(array, "<f4").tobytes())


def aflw2000():
    files = sorted((DATA / "aflw2000-prnet").glob("*.mat"))
    points, angles = [], []
    for file in files:
        mat = loadmat(file)
        points.append(mat["pt3d_68"].T.astype("f8") - [1, 1, 0])
        angles.append(mat["Pose_Para"][0, :3].astype("f8"))
    points, angles = np.array(points), np.array(angles)
    first = loadmat(files[0])
    return {
        "faces": len(files),
        "points": crc(points),
        "angles": crc(angles),
        "roi": [int(v) for v in first["roi"][0]],
        "scale": float(first["Pose_Para"][0, 6]),
        "first": [float(v) for v in points[0, 30]],
    }


def cofw68():
    folder = DATA / "cofw68/COFW68_Data"
    boxes = loadmat(folder / "cofw68_test_bboxes.mat")["bboxes"].astype("f8") - [1, 1, 0, 0]
    mats = [loadmat(folder / f"test_annotations/{n}_points.mat") for n in range(1, len(boxes) + 1)]
    points = np.array([mat["Points"] - 1 for mat in mats])
    return {
        "faces": len(mats),
        "points": crc(points),
        "boxes": crc(boxes),
        "occluded": int(sum(mat["Occ"].sum() for mat in mats)),
        "first": [float(v) for v in points[0, 0]],
    }


def wider():
    folder = DATA / "wider-eval-gt"
    base = loadmat(folder / "wider_face_val.mat")
    levels = {n: loadmat(folder / f"wider_{n}_val.mat")["gt_list"] for n in ("easy", "medium", "hard")}
    names, boxes, sums = [], [], {}
    counted = {n: [] for n in levels}
    for event in range(len(base["event_list"])):
        folder_name = base["event_list"][event, 0][0]
        for row in range(len(base["file_list"][event, 0])):
            names.append(f"{folder_name}/{base['file_list'][event, 0][row, 0][0]}.jpg")
            found = base["face_bbx_list"][event, 0][row, 0]
            boxes.append(found)
            for label in ("blur", "expression", "illumination", "invalid", "occlusion", "pose"):
                values = base[f"{label}_label_list"][event, 0][row, 0]
                assert values.shape == (len(found), 1)
                sums[label] = sums.get(label, 0) + int(values.sum())
            for level, lists in levels.items():
                flags = np.zeros(len(found))
                flags[lists[event, 0][row, 0].ravel().astype(int) - 1] = 1
                counted[level].append(flags)
    boxes = np.concatenate(boxes).astype("f8")
    negative = int((boxes[:, 2:] < 0).any(1).sum())
    boxes[:, 2:] = np.maximum(boxes[:, 2:], 0)
    return {
        "images": len(names),
        "names": zlib.crc32("\n".join(names).encode()),
        "faces": len(boxes),
        "boxes": crc(boxes),
        "negative": negative,
        "labels": sums,
        "levels": {n: int(np.concatenate(v).sum()) for n, v in counted.items()},
        "flags": {n: crc(np.concatenate(v)) for n, v in counted.items()},
    }


def pixels(values, low, high):
    levels = (values - low) / (high - low) * 255
    # Half-way cases are rounded away from zero.
    return np.clip(np.floor(levels + 0.5), 0, 255).astype("u1")


def hdf5():
    folder = DATA / "hdf5-real"
    signs = h5py.File(folder / "coursera-signs/test_signs.h5")
    mpii = h5py.File(folder / "mpii-newell/valid.h5")
    solver = h5py.File(folder / "caffe/solver_data.h5")
    sample = h5py.File(folder / "caffe/sample_data.h5")
    side = mpii["scale"][:] * 200
    boxes = np.column_stack([mpii["center"][:] - side[:, None] / 2 - 1, side, side])
    names = mpii["imgname"].asstr()[:]
    order = {}
    for row, name in enumerate(names):
        order.setdefault(name, []).append(row)
    rows = [row for rows in order.values() for row in rows]
    floats = solver["data"][:].astype("f8")
    return {
        "signs": {
            "images": len(signs["test_set_x"]),
            "pixels": zlib.crc32(signs["test_set_x"][:].tobytes()),
            "classes": [int(v) for v in np.bincount(signs["test_set_y"][:])],
        },
        "mpii": {
            "images": len(order),
            "faces": len(names),
            "boxes": crc(boxes[rows]),
            "torsoangle": float(np.nansum(mpii["torsoangle"][:])),
            "person": float(mpii["person"][:].sum()),
        },
        "solver": {
            "images": len(floats),
            "pixels": zlib.crc32(pixels(floats.transpose(0, 2, 3, 1), -4, 4).tobytes()),
            "clipped": int((np.abs(floats) > 4.01).sum()),
        },
        "sample": {
            "images": len(sample["data"]),
            "pixels": zlib.crc32(
                pixels(sample["data"][:, :3].astype("f8").transpose(0, 2, 3, 1), 0, 2399).tobytes()
            ),
        },
    }


def main():
    expected = {"aflw2000": aflw2000(), "cofw68": cofw68(), "wider": wider(), "hdf5": hdf5()}
    with open(HERE / "expected" / "matlab_files.json", "w") as out:
        json.dump(expected, out, sort_keys=True, separators=(",", ":"))
        out.write("\n")


main()
