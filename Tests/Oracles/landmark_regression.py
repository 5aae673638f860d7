"""Expected metrics of landmarks after regression, from their definition in NumPy.

    python landmark_regression.py

writes expected/landmark_regression.json for LandmarkRegression; points follow from the case's number.
The fits are least squares by SVD over the observations and the ridge's own rows, not normal equations.
The tables of points are inputs and read from the source.
"""

import json
import re
from pathlib import Path

import numpy as np

from case_stream import MASK, CaseStream

EXPECTED = Path(__file__).parent / "expected"
TABLES = (Path(__file__).parents[2]
          / "Sources/Metrics/Landmarks/LandmarkCorrespondence.swift").read_text()
CASES = 120
NORMALIZERS = ["interocular", "interpupil", "box", "diagonal"]
SCHEMES = ["IBUG68", "WFLW98", "COFW29", "Five"]
CORNERS = {"IBUG68": (36, 45), "WFLW98": (60, 72), "COFW29": (8, 9)}
EYES = {"IBUG68": (range(36, 42), range(42, 48)), "WFLW98": (range(60, 68), range(68, 76)),
        "COFW29": ([8, 10, 12, 13], [9, 11, 14, 15]), "Five": ([0], [1])}
ANCHORS = [33, 263, 4, 61, 291, 0, 152]
UPRIGHT = np.array([-0.94 - 1.03j, 0.94 - 1.03j, -0.31j, -0.59 + 0.36j, 0.59 + 0.36j, 0.25j, 1.4j])


def table(name):
    text = re.search(rf"mediapipe478To{name} = .*?indices: (\[.*?\])(?:\)|\.map| *\n *\.map)", TABLES, re.S)
    entries = json.loads(re.sub(r",(\s*\])", r"\1", text.group(1)))
    return [entry if isinstance(entry, list) else [entry] for entry in entries]


def case(number):
    """Scheme of the labels and their faces: frame, group, label, visibility, box, prediction or None."""
    stream = CaseStream(7000 + number)
    scheme = SCHEMES[stream.below(4)]
    sources = table(scheme)
    used = sorted({i for entry in sources for i in entry} | set(ANCHORS))
    base = np.zeros((478, 2))
    for i in used:
        base[i] = stream.between(-100, 100), stream.between(-100, 100)
    bias = np.array([[stream.between(-8, 8), stream.between(-8, 8)] for _ in sources])
    frames = [3, 19, 21, 26, 30, 38, 44][stream.below(7)]
    grouping = stream.below(6)
    groups = [1, 4, 6, 12, frames, frames][grouping]
    misses = stream.below(2) == 1
    faces = []
    for frame in range(frames):
        name = f"picture{frame}.jpg" if grouping > 3 else f"clip{frame % groups}"
        for position in range(1 + (stream.below(4) == 0)):
            kind = stream.below(24)
            turn = complex(stream.between(-2, 2), stream.between(-2, 2))
            offset = complex(1000 + 9000 * position, stream.between(-50, 50))
            moved = base.copy()
            for i in used:
                moved[i] += stream.between(-6, 6), stream.between(-6, 6)
            if kind == 5:
                moved[ANCHORS] = moved[ANCHORS[0]]
            lean = (moved[ANCHORS[0]] - base[ANCHORS[0]]) / 2
            mesh = np.full(478, moved[used[0]] @ [1, 1j])
            mesh[used] = moved[used] @ [1, 1j]
            own = np.array([moved[entry].mean(axis=0) for entry in sources]) + bias + lean
            noise = np.array([[stream.between(-2, 2), stream.between(-2, 2)] for _ in sources])
            mesh = mesh * turn + offset
            mesh = mesh.real.astype(np.float32) + 1j * mesh.imag.astype(np.float32).astype(float)
            label = (own + noise) @ [1, 1j] * turn + offset
            visibility = np.full(len(sources), 2)
            if kind == 1:
                visibility[CORNERS.get(scheme, (0, 0))[0]] = 0
            elif kind == 2:
                visibility = np.array([stream.below(3) for _ in sources])
            elif kind == 3:
                visibility = np.array([2 * (stream.below(3) == 0) for _ in sources])
            box = around(mesh if scheme == "Five" else label)
            if misses and kind == 4:
                mesh[used[3]] = complex(np.nan, mesh[used[3]].imag)
            faces.append({"frame": frame, "group": group(name), "label": label, "box": box,
                          "visibility": visibility, "mesh": None if misses and kind in (0, 6) else mesh})
    return scheme, sources, faces


def around(points):
    return np.array([points.real.min(), points.imag.min(), points.real.max(), points.imag.max()])


def overlap(a, b):
    shared = np.prod(np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None))
    whole = np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - shared
    return shared / whole if whole > 0 else 0.0


def group(name):
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def lengths(scheme, points, visibility):
    known = points[visibility > 0]

    def center(indices):
        indices = list(indices)
        return points[indices].mean() if (visibility[indices] > 0).all() else None

    def apart(first, second):
        return None if first is None or second is None else abs(first - second)

    corners = CORNERS.get(scheme)
    side = np.diff(around(known).reshape(2, 2), axis=0)[0]
    values = [apart(*(center([i]) for i in corners)) if corners else None,
              apart(*(center(eye) for eye in EYES[scheme])),
              np.sqrt(side[0] * side[1]), np.hypot(*side)]
    return [value if value is not None and value > 0 else None for value in values]


def measure(scheme, sources, faces):
    """Faces that count, each with lengths and, where found, offsets in its frame."""
    counted = []
    for face in faces:
        known = face["visibility"] > 0
        if not known.any():
            continue
        face["lengths"] = lengths(scheme, face["label"], face["visibility"])
        counted.append(face)
        mesh = face["mesh"]
        spans = scheme != "Five" and 2 * known.sum() >= len(sources)
        box = around(face["label"][known]) if spans else face["box"]
        face["found"] = (mesh is not None and bool(np.isfinite(mesh).all())
                         and overlap(box, around(mesh)) >= 0.5)
        if not face["found"]:
            continue
        way = face["label"] - np.array([mesh[entry].mean() for entry in sources])
        anchors = mesh[ANCHORS] - mesh[ANCHORS].mean()
        scale = np.sqrt((abs(anchors) ** 2).mean())
        if scale > 1e-6:
            turn = (anchors.conj() * UPRIGHT).sum()
            unit = turn / abs(turn) / scale
            anchors = anchors * unit
            face["anchors"] = np.stack([anchors.real, anchors.imag], 1).ravel().astype(np.float32)
        else:
            face["anchors"], scale, unit = None, 1.0, 1.0
        way = way * unit
        face["way"] = np.where(known[:, None], np.stack([way.real, way.imag], 1), np.nan
                               ).astype(np.float32).astype(float)
        face["scale"] = scale
    return counted


def regress(faces, points):
    groups = sorted({face["group"] for face in faces})
    folds = min(10, len(groups))
    fold = np.array([groups.index(face["group"]) % folds for face in faces])
    ways = np.array([face["way"] for face in faces])
    framed = np.array([face["anchors"] is not None for face in faces])
    anchors = np.array([face["anchors"] if face["anchors"] is not None else np.zeros(14)
                        for face in faces], dtype=float)
    rest = ways.copy()
    for out in range(folds):
        for point in range(points):
            others = framed & (fold != out) & np.isfinite(ways[:, point, 0])
            if others.sum() < 10:
                continue
            x, y = anchors[others], ways[others, point]
            mean, level = x.mean(axis=0), y.mean(axis=0)
            weights = np.linalg.lstsq(np.vstack([x - mean, np.eye(14)]),
                                      np.vstack([y - level, np.zeros((14, 2))]), rcond=None)[0]
            own = framed & (fold == out)
            rest[own, point] -= level + (anchors[own] - mean) @ weights
    return rest


def metrics(scheme, sources, faces):
    faces = measure(scheme, sources, faces)
    found = [face for face in faces if face["found"]]
    fits = len(found) >= 20 and len({face["group"] for face in found}) >= 5
    rest = regress(found, len(sources)) if fits else None
    errors = {}
    for index, face in enumerate(found):
        table = np.nanmean(np.hypot(*face["way"].T)) * face["scale"]
        errors[id(face)] = (table, np.nanmean(np.hypot(*rest[index].T)) * face["scale"] if fits else None)
    result = []
    for index in range(len(NORMALIZERS)):
        known = [face for face in faces if face["lengths"][index] is not None]
        pairs = [(errors[id(face)], face["lengths"][index]) for face in known if face["found"]]
        if not fits or not pairs:
            result += [None, None, None]
            continue
        table = float(np.mean([pair[0] / length for pair, length in pairs]))
        regressed = float(np.mean([pair[1] / length for pair, length in pairs]))
        result += [regressed if len(pairs) == len(known) else None, regressed, table - regressed]
    return result


def names():
    return [name for d in NORMALIZERS for name in
            (f"landmarks.nme.{d}.regressed", f"landmarks.nme.{d}.regressed.conditional",
             f"landmarks.bias_floor.{d}")]


def main():
    cases = [metrics(*case(number)) for number in range(CASES)]
    content = {"versions": {"numpy": np.__version__}, "names": names(), "cases": cases}
    (EXPECTED / "landmark_regression.json").write_text(
        json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
