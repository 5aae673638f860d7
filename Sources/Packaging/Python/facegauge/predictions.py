"""Writing `predictions.h5` from arrays: Datasets/FORMAT.md, format 4."""

from __future__ import annotations

import glob
import hashlib
import json
import os
from pathlib import Path
from typing import Any, Mapping, Sequence

from .dataset import BLENDSHAPES, named_blendshapes, renamed, shaped, typed, whole, written_to
from .running import FaceGaugeError, PathLike, command

#: Path, type, shape behind the number of faces and value where it is not given, of what the program reads of each face.
_TABLES = {
    "tracked": ("faces/tracked", "u1", (), 0), "scores": ("faces/detection_score", "f4", (), float("nan")),
    "presences": ("faces/presence", "f4", (), float("nan")), "tongue_out": ("faces/tongue_out", "f4", (), float("nan")),
    "regions": ("faces/region", "f4", (5,), float("nan")), "boxes": ("faces/box", "f4", (4,), float("nan")),
}
_OPTIONAL = {
    "identity": ("faces/identity", "i4", ()), "blendshapes": ("faces/blendshapes", "f4", (52,)),
    "poses": ("faces/pose", "f4", (4, 4)),
}
#: Schemes of eyes, nose and mouth, whose points span no face.
_INNER = ("five", "dlib5", "blazeface6")


def to_predictions(path: PathLike, dataset: PathLike, *, face_frame: Sequence[int], boxes: Any = None,
                   points: Any = None, scheme: str | None = None, scores: Any = None, presences: Any = None,
                   identity: Any = None, poses: Any = None, blendshapes: Any = None,
                   blendshape_names: Sequence[str] | None = None, attributes: Mapping[str, Any] | None = None,
                   milliseconds: Any = None, mode: str = "image", settings: Mapping[str, Any] | None = None,
                   check: bool = True) -> Path:
    """Writes what another tracker gave for a dataset of N images, M faces; returns its path.

    dataset: a file, or several as the program takes them: a pattern such as "shards/*.h5", or a JSON that lists them.
    face_frame: [M], the image of each face, ascending; images without a face have no row. boxes: [M, 4], x, y, width,
    height in pixels; without them those around the known points; without both, blendshapes and poses alone are compared.
    points: [M, K, 2 or 3] in pixels of `scheme` ("ibug68", "mediapipe478" …), NaN for unknown ones. scores: [M], the
    confidence that ranks faces, in [0, 1] if it is a probability. presences: [M], in [0, 1]. identity: [M], a number for
    each person within a video. poses: [M, 4, 4], face to camera. blendshapes: [M, C] with the C names of their columns, of
    MediaPipe or ARKit in any order, or a table that has them. attributes: [M] by name. milliseconds: [N], time for each
    image, NaN for unknown. mode: "image", or "video" where frames of videos were tracked. settings: of the tracker, by name.
    check: let the program read them as `facegauge check` does, and raise FaceGaugeError where it cannot.
    """
    import h5py  # type: ignore[import-untyped, unused-ignore]
    import numpy as np

    frames = whole(np.reshape(face_frame, -1), (np.size(face_frame),), "face_frame", np)
    if np.any(np.diff(frames) < 0):
        raise ValueError("expected face_frame in ascending order")
    blendshapes, others = named_blendshapes(blendshapes, blendshape_names, frames.size, np)
    attributes = {**others, **(attributes or {})}
    if (points is None) != (scheme is None):
        raise ValueError("expected points and their scheme together, such as scheme='ibug68'")
    files, name = _files(dataset)
    tables, names = [], set()
    for one in files:
        with h5py.File(one) as file:
            tables.append(file["images/size"][:].astype("i4"))
            names.add(str(file.attrs.get("name", Path(one).stem)))
    name = name or (names.pop() if len(names) == 1 else Path(dataset).stem)
    sizes = np.concatenate(tables)
    count = len(sizes)
    if frames.size and not (0 <= frames[0] and frames[-1] < count):
        raise ValueError(f"expected face_frame from 0 to {count - 1}, found {frames[0]} to {frames[-1]}")
    landmarks = None
    if points is not None:
        landmarks = np.asarray(points, "f4")
        if landmarks.ndim != 3 or len(landmarks) != frames.size or landmarks.shape[2] not in (2, 3):
            raise ValueError(f"expected points of shape [{frames.size}, K, 2 or 3], found {list(landmarks.shape)}")
        if landmarks.shape[2] == 2:
            landmarks = np.concatenate([landmarks, np.full((*landmarks.shape[:2], 1), np.nan, "f4")], 2)
    if boxes is None and landmarks is None and blendshapes is None and poses is None and frames.size:
        raise ValueError("expected boxes or points of the faces, found neither")
    own = np.full((frames.size, 4), np.nan) if boxes is None else shaped(boxes, (frames.size, 4), "boxes", np)
    inverted = np.flatnonzero((own[:, 2:] < 0).any(axis=1))
    if inverted.size:
        width, height = own[inverted[0], 2:]
        raise ValueError("expected boxes of a size that is not negative, "
                         f"found {width:.10g} x {height:.10g} for face {inverted[0]}")
    around = own if landmarks is None else _around(landmarks, own, scheme in _INNER, np)
    placeless = np.flatnonzero(~np.isfinite(around).all(axis=1))
    if placeless.size and blendshapes is None and poses is None:
        raise ValueError(f"expected a box or points of each face, found NaN for face {placeless[0]}")
    given = {"boxes": around, "scores": scores, "presences": presences, "identity": identity, "poses": poses,
             "blendshapes": blendshapes}

    def read(temporary: Path, path: Path) -> None:
        try:
            command("check", dataset, temporary, progress=False, accept=(0, 3))
        except FaceGaugeError as error:
            raise FaceGaugeError(error.status, renamed(str(error), temporary, path)) from None

    with written_to(Path(path), read if check else None) as temporary:
        with h5py.File(temporary, "w") as file:
            text = h5py.string_dtype()
            file.attrs.update(
                format="facegauge.predictions", version=4, dataset_name=name, dataset_sha256=_sha256(files),
                dataset_path=os.path.abspath(os.fspath(dataset)), mode=mode, candidate_floor=0.0)
            file.attrs["options"] = np.array(
                ["tracker=arrays", *(f"{key}={value}" for key, value in (settings or {}).items())], text)
            file.attrs["facts"] = np.array(["detector_boxes"] if boxes is not None else [], text)
            file["frames/status"], file["frames/size"] = np.zeros(count, "u1"), sizes
            file["frames/detector_ran"] = np.ones(count, "u1")
            file["frames/stage_ns"] = _nanoseconds(milliseconds, count, np)
            file["frames/stage_ns"].attrs["stages"] = np.array(["total"], text)
            file["frames/stage_ns"].attrs["did_not_run"] = str(2 ** 64 - 1)
            file["faces/frame"], file["faces/kept"] = frames.astype("i4"), np.ones(frames.size, "u1")
            for key, (place, kind, shape, missing) in _TABLES.items():
                value = given.get(key)
                file[place] = (np.full((frames.size, *shape), missing, kind) if value is None
                               else typed(value, kind, (frames.size, *shape), key, np))
            for key, (place, kind, shape) in _OPTIONAL.items():
                if given[key] is not None:
                    file[place] = typed(given[key], kind, (frames.size, *shape), key, np)
            if blendshapes is not None:
                file["faces/blendshapes"].attrs["names"] = np.array(BLENDSHAPES, text)
            if landmarks is not None:
                file[f"faces/landmarks/{scheme}/points"] = landmarks
            for key, value in (attributes or {}).items():
                file[f"faces/attributes/{key}"] = shaped(value, (frames.size,), key, np)
            _write_detections(file, frames, around if boxes is None else own, np)
    return Path(path)


def _write_detections(file: Any, frames: Any, boxes: Any, np: Any) -> None:
    """The faces as detections, by descending score; a score of 1 in every row stands for none."""
    scores = file["faces/detection_score"][:].astype("f8")
    if np.isnan(scores).any():
        if not np.isnan(scores).all():
            raise ValueError("expected a score for each face or for none, found NaN in some")
        scores = np.ones(len(scores))
    known = np.isfinite(boxes).all(axis=1)
    order = [row for row in np.lexsort((-scores, frames)) if known[row]]
    file["detections/frame"], file["detections/box"] = frames[order].astype("i4"), boxes[order].astype("f4")
    file["detections/score"] = scores[order].astype("f4")
    file["detections/keypoints"] = np.full((len(order), 6, 2), np.nan, "f4")
    file["detector/offsets"] = np.zeros(len(file["frames/status"]) + 1, "u8")
    file["detector/anchor"], file["detector/score"] = np.zeros(0, "i4"), np.zeros(0, "f4")
    file["detector/regressors"] = np.zeros((0, 16), "f4")


def _around(points: Any, own: Any, are_inner: bool, np: Any) -> Any:
    """The boxes around known points, or a face's own one: of inner points, and where fewer than half are known."""
    places = points[..., :2].astype("f8")
    known = np.isfinite(places).all(axis=2)
    count = known.sum(axis=1)
    low = np.where(known[..., None], places, np.inf).min(axis=1)
    high = np.where(known[..., None], places, -np.inf).max(axis=1)
    stays = np.isfinite(own).all(axis=1) & (are_inner | (2 * count < points.shape[1]))
    taken = (count > 0) & ~stays
    around = own.copy()
    around[taken] = np.concatenate([low, high - low], axis=1)[taken]
    return around


def _nanoseconds(milliseconds: Any, count: int, np: Any) -> Any:
    times = np.full((count, 1), 2 ** 64 - 1, "u8")
    if milliseconds is not None:
        values = shaped(milliseconds, (count,), "milliseconds", np)
        known = np.isfinite(values)
        wrong = np.flatnonzero(known & ~((values >= 0) & (values <= 1e12)))
        if wrong.size:
            raise ValueError("expected milliseconds of 0 to 1e12, NaN where they are unknown, "
                             f"found {values[wrong[0]]:.10g} for image {wrong[0]}")
        times[known, 0] = np.round(values[known] * 1e6).astype("u8")
    return times


def _files(dataset: PathLike) -> tuple[list[str], str | None]:
    """The files of a dataset, of which a pattern or a JSON names several, and the name that a JSON gives it."""
    path = os.fspath(dataset)
    if os.path.exists(path):
        with open(path, "rb") as stream:
            lists = path.lower().endswith(".json") or stream.read(64).lstrip().startswith(b"{")
        if lists:
            found = json.loads(Path(path).read_text(encoding="utf-8"))
            return [os.path.join(os.path.dirname(path), one) for one in found["files"]], found.get("name")
    elif any(one in path for one in "*?["):
        return sorted(glob.glob(path), key=os.fsencode) or [path], None
    return [path], None


def _sha256(files: Sequence[str]) -> str:
    """The digest of the bytes of a file; of several that of a line for each."""
    digests = []
    for file in files:
        digest = hashlib.sha256()
        with open(file, "rb") as stream:
            for part in iter(lambda: stream.read(1 << 20), b""):
                digest.update(part)
        digests.append(digest.hexdigest())
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("".join(f"{one}\n" for one in digests).encode()).hexdigest()
