"""Faces of a source as two readers give them: the import of FaceGauge, and one that does not know it."""
from dataclasses import dataclass, field
from typing import Callable

import h5py
import numpy as np


@dataclass
class Face:
    """One face: a box x, y, width, height, points [K, 2 or 3] that are NaN where not labelled, and other values by name."""
    box: object = None
    points: object = None
    values: dict = field(default_factory=dict)

    def __post_init__(self):
        self.points = None if self.points is None else np.asarray(self.points, np.float64)
        if self.box is None and self.points is not None:
            self.box = tight(self.points)
        if self.box is not None:
            self.box = np.asarray(self.box, np.float64)

    @property
    def labelled(self):
        return 0 if self.points is None else int(np.isfinite(self.points[:, :2]).all(1).sum())


def tight(points):
    low, high = np.nanmin(points[:, :2], 0), np.nanmax(points[:, :2], 0)
    return np.concatenate([low, high - low])


class Frames(dict):
    """Faces by frame, and the frames' times in microseconds by name."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.times = {}


@dataclass
class Case:
    """A source with what reads it independently: frames by name, with their faces."""
    format: str
    source: str
    reader: str
    arguments: list
    truth: Callable
    # The dataset that the file is predictions of: arguments of the import that makes it.
    of: list = None
    # What the reader's own rounding may lose, in pixels.
    digits: float = 0.0


class Imported:
    """The frames and faces of a dataset, or of predictions of one."""

    def __init__(self, path, dataset=None):
        with h5py.File(dataset or path) as file:
            self.names = [n.decode() for n in file["images/name"][:]]
            self.splits = {n: set(file[f"splits/{n}"][:].tolist()) for n in file.get("splits", {})}
            self.times = file["frames/timestamp_us"][:] if "frames/timestamp_us" in file else None
            self.sizes = file["images/size"][:]
        self.file = h5py.File(path)
        faces = self.file["faces"]
        kept = np.flatnonzero(faces["kept"][:]) if "kept" in faces else np.arange(len(faces["frame"]))
        self.frame, self.kept = faces["frame"][:][kept], kept
        self.box = faces["box"][:][kept].astype(np.float64)
        schemes = list(faces.get("landmarks", {}))
        self.schemes = schemes
        self.points = {s: faces[f"landmarks/{s}/points"][:][kept].astype(np.float64) for s in schemes}
        self.columns = {}

    def alike(self, face):
        """The tables of points that have as many as the face."""
        return [p for p in self.points.values() if face.points is not None and p.shape[1] == len(face.points)]

    def apart(self, rows, face):
        """How far faces are from another one, to pair those of a frame."""
        total = np.abs(self.box[rows] - face.box).sum(1)
        for points in self.alike(face):
            total = total + np.nansum(np.abs(points[rows, :, :2] - face.points[:, :2]), (1, 2))
        for name, value in face.values.items():
            if not isinstance(value, str) and np.ndim(value) == 0 and np.isfinite(value):
                total = total + np.nan_to_num(np.abs(self.column(name)[rows].astype(float) - value))
        return total

    def column(self, name):
        """A column of the faces: score, an attribute, `blendshape:NAME`, `box`, `pose`, `expression`."""
        if name in self.columns:
            return self.columns[name]
        faces = self.file["faces"]
        if name.startswith("blendshape:"):
            names = [n.decode() if isinstance(n, bytes) else n for n in faces["blendshapes"].attrs["names"]]
            found = faces["blendshapes"][:, names.index(name.split(":")[1])]
        elif name == "score" and "detection_score" in faces:
            scores, presence = faces["detection_score"][:], faces["presence"][:]
            found = np.where(np.isfinite(scores), scores, presence)
        elif name in faces:
            found = faces[name][:]
        elif "attributes" in faces and name in faces["attributes"]:
            found = faces[f"attributes/{name}"][:]
        else:
            raise SystemExit(f"the import has no {name} of faces, only {', '.join([*faces, *faces.get('attributes', {})])}")
        self.columns[name] = found[self.kept]
        return self.columns[name]

    def face(self, index, like):
        points = next((p[index] for p in self.alike(like) if np.isfinite(p[index, :, :2]).any()), None)
        return Face(self.box[index], points, {name: self.column(name)[index] for name in like.values})


def apart(ours, theirs, form=np.float32):
    """Largest difference of two arrays after rounding to the import's type; infinite where one is undefined alone."""
    ours, theirs = np.asarray(ours, form), np.asarray(theirs, form)
    if (np.isfinite(ours) != np.isfinite(theirs)).any():
        return np.inf
    both = np.isfinite(ours)
    return float(np.abs(ours[both].astype(np.float64) - theirs[both]).max(initial=0))


@dataclass
class Comparison:
    frames: tuple = (0, 0)
    faces: tuple = (0, 0)
    points: tuple = (0, 0)
    pixels: float = float("nan")
    values: float = float("nan")
    compared: int = 0
    fault: str = ""

    def add(self, ours, theirs):
        if theirs.box is not None:
            self.pixels = max(np.nan_to_num(self.pixels), apart(ours.box, theirs.box))
        if theirs.points is not None:
            if ours.points is None:
                self.fault = self.fault or "a face lacks its points"
            else:
                wide = theirs.points.shape[1]
                self.pixels = max(np.nan_to_num(self.pixels), apart(ours.points[:, :wide], theirs.points))
        for name, value in theirs.values.items():
            self.compared += 1
            own = ours.values[name]
            if isinstance(value, str):
                if (own.decode() if isinstance(own, bytes) else own) != value:
                    self.fault = self.fault or f"{name} is {own} and not {value}"
                continue
            form = np.asarray(own).dtype
            difference = apart(own, value, form if form.kind == "f" else np.float64)
            if not difference < np.inf:
                self.fault = self.fault or f"{name} is {own} and not {value}"
            self.values = max(np.nan_to_num(self.values), difference)


def compare(imported, truth):
    """Differences of the import from the frames by name that the other reader found."""
    result = Comparison(frames=(len(imported.names), len(truth)),
                        faces=(len(imported.frame), sum(map(len, truth.values()))))
    order = {name: i for i, name in enumerate(imported.names)}
    unknown = [name for name in truth if name not in order]
    if unknown:
        result.fault = f"no frame {unknown[0]}, but {imported.names[0]}"
        return result
    for name, time in getattr(truth, "times", {}).items():
        result.compared += 1
        result.values = max(np.nan_to_num(result.values), abs(int(imported.times[order[name]]) - time))
    rows = {}
    for index, frame in enumerate(imported.frame):
        rows.setdefault(int(frame), []).append(index)
    ours, theirs = 0, 0
    for name, faces in truth.items():
        left = rows.get(order[name], [])
        theirs += sum(face.labelled for face in faces)
        if len(left) != len(faces):
            result.fault = result.fault or f"{name} has {len(left)} faces and not {len(faces)}"
            continue
        left = np.array(left)
        for face in faces:
            at = 0 if face.box is None else int(imported.apart(left, face).argmin())
            found = imported.face(left[at], face)
            left = np.delete(left, at)
            ours += found.labelled
            result.add(found, face)
    result.points = (ours, theirs)
    return result
