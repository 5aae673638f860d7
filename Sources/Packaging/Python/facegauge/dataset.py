"""Writing `dataset.h5` from arrays: Datasets/FORMAT.md, format 1."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Sequence

from .running import FaceGaugeError, PathLike, command

#: The 52 coefficients in MediaPipe's order.
BLENDSHAPES = """
_neutral browDownLeft browDownRight browInnerUp browOuterUpLeft browOuterUpRight cheekPuff cheekSquintLeft
cheekSquintRight eyeBlinkLeft eyeBlinkRight eyeLookDownLeft eyeLookDownRight eyeLookInLeft eyeLookInRight
eyeLookOutLeft eyeLookOutRight eyeLookUpLeft eyeLookUpRight eyeSquintLeft eyeSquintRight eyeWideLeft eyeWideRight
jawForward jawLeft jawOpen jawRight mouthClose mouthDimpleLeft mouthDimpleRight mouthFrownLeft mouthFrownRight
mouthFunnel mouthLeft mouthLowerDownLeft mouthLowerDownRight mouthPressLeft mouthPressRight mouthPucker mouthRight
mouthRollLower mouthRollUpper mouthShrugLower mouthShrugUpper mouthSmileLeft mouthSmileRight mouthStretchLeft
mouthStretchRight mouthUpperUpLeft mouthUpperUpRight noseSneerLeft noseSneerRight
""".split()


def to_dataset(path: PathLike, images: Any, *, face_frame: Sequence[int] = (), boxes: Any = (),
               landmarks: Mapping[str, Any] | None = None, identity: Any = None, ignore: Any = None,
               poses: Any = None, blendshapes: Any = None, blendshape_names: Sequence[str] | None = None,
               scores: Any = None, attributes: Mapping[str, Any] | None = None, names: Sequence[str] | None = None,
               fps: float | None = None, subject: str = "", name: str | None = None, labelled: bool = True,
               check: bool = True) -> Path:
    """Writes a dataset of N images and M faces; returns its path.

    images: uint8 RGB of shape [N, H, W, 3], or N of them: arrays [H, W, 3] of any sizes, stored without loss, paths or
    bytes of JPEG or PNG, stored unchanged.
    face_frame: [M], the image of each face, ascending. boxes: [M, 4], x, y, width, height in pixels.
    landmarks: by scheme ("ibug68", "five" ...), [M, K, 2] or [M, K, 3] in pixels, NaN where not labelled.
    identity, ignore, scores: [M]. poses: [M, 4, 4]. blendshapes: [M, C] with the C names of their
    columns, of MediaPipe or ARKit in any order, or a table that has them. attributes: [M] by name.
    fps: the images are one video of that rate, of `subject`; without it each is a still.
    labelled: False where faces are unknown, so that an image without a face says nothing.
    check: run `facegauge validate` first, and raise FaceGaugeError with its findings where it has errors.
    Whatever is raised, no file is left, and one that had the path before is as it was.
    """
    import h5py  # type: ignore[import-untyped, unused-ignore]
    import numpy as np

    path = Path(path)
    frames = whole(np.reshape(face_frame, -1), (np.size(face_frame),), "face_frame", np)
    if np.size(boxes) and not frames.size:
        raise ValueError("expected face_frame, the number of the image of each box")
    blendshapes, others = named_blendshapes(blendshapes, blendshape_names, frames.size, np)
    attributes = {**others, **(attributes or {})}
    # The numbers of a face that have a place of their own: path, type and shape behind the number of faces.
    tables = [
        ("boxes", boxes if np.size(boxes) else np.empty((0, 4)), "faces/box", "f4", (4,)),
        ("identity", identity, "faces/identity", "i4", ()), ("ignore", ignore, "faces/ignore", "u1", ()),
        ("poses", poses, "faces/pose", "f4", (4, 4)), ("blendshapes", blendshapes, "faces/blendshapes", "f4", (52,)),
        ("scores", scores, "faces/score", "f4", ()),
    ]
    if np.any(np.diff(frames) < 0):
        raise ValueError("expected face_frame in ascending order")
    with written_to(path, _validate if check else None) as temporary:
        with h5py.File(temporary, "w") as file:
            file.attrs.update(format="facegauge.dataset", version=1, name=name or path.stem, labelled=int(labelled))
            count = _write_images(file, images, np)
            if frames.size and not (0 <= frames[0] and frames[-1] < count):
                raise ValueError(f"expected face_frame from 0 to {count - 1}, found {frames[0]} to {frames[-1]}")
            shown = [str(one) for one in names] if names is not None else [f"{i:06d}" for i in range(count)]
            if len(shown) != count:
                raise ValueError(f"expected {count} names, found {len(shown)}")
            file["images/name"] = shown
            if fps is not None:
                _write_video(file, count, float(fps), subject, name or path.stem, np)
            file["faces/frame"] = frames.astype("i4")
            for key, value, place, kind, shape in tables:
                if value is not None:
                    file[place] = typed(value, kind, (frames.size, *shape), key, np)
            if blendshapes is not None:
                file["faces/blendshapes"].attrs["names"] = BLENDSHAPES
            for scheme, points in (landmarks or {}).items():
                _write_landmarks(file, scheme, points, frames.size, np)
            for key, value in (attributes or {}).items():
                file[f"faces/attributes/{key}"] = shaped(value, (frames.size,), key, np)
    return path


@contextlib.contextmanager
def written_to(path: Path, check: Callable[[Path, Path], None] | None) -> Iterator[Path]:
    """A file to write, which takes the place of `path` when it is closed and `check` has raised nothing about it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        if check is not None:
            check(temporary, path)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _validate(file: Path, path: Path) -> None:
    """Raises what `facegauge validate` finds wrong with `file`, which messages call `path`."""
    done = command("validate", file, json=True, accept=(0, 65))
    if done.returncode == 0:
        return
    checks = json.loads(done.stdout)["checks"] if done.stdout.strip() else []
    errors = [f"{one['count']} x {one['what']}: {'; '.join(one['examples'])}" for one in checks if one["outcome"] == "error"]
    said = f"{path} is not well-formed: {'; '.join(errors)}" if errors else done.stderr.strip().removeprefix("error: ")
    raise FaceGaugeError(done.returncode, " ".join(renamed(said, file, path).split()))


def renamed(said: str, file: Path, path: Path) -> str:
    """A message with the path that the caller knows."""
    for name in (str(file.absolute()), str(file.resolve()), str(file)):
        said = said.replace(name, str(path))
    return said


def _write_images(file: Any, images: Any, np: Any) -> int:
    if isinstance(images, np.ndarray) and images.ndim == 4:
        if images.dtype != np.uint8 or images.shape[3] != 3:
            raise ValueError(f"expected uint8 of shape [N, H, W, 3], found {images.dtype} of {list(images.shape)}")
        file.create_dataset("images/pixels", data=images, chunks=(1, *images.shape[1:]))
        file["images/size"] = np.tile(np.array([images.shape[2], images.shape[1]], "i4"), (len(images), 1))
        return len(images)
    blobs = [_encoded(one, np) for one in images]
    file["images/offsets"] = np.cumsum([0] + [len(blob) for blob in blobs]).astype("u8")
    file.create_dataset("images/bytes", data=np.frombuffer(b"".join(blobs), "u1"), chunks=(1 << 20,), maxshape=(None,))
    file["images/size"] = np.array([_size(blob) for blob in blobs], "i4").reshape(-1, 2)
    return len(blobs)


def _encoded(image: Any, np: Any) -> bytes:
    """The bytes of a file of the image: those that are given, or a PNG of an array [H, W, 3]."""
    if isinstance(image, (bytes, bytearray)):
        return bytes(image)
    if not isinstance(image, np.ndarray):
        return Path(image).read_bytes()
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
        raise ValueError(f"expected images of uint8 and shape [H, W, 3], found {image.dtype} of {list(image.shape)}")
    height, width = image.shape[:2]
    # Each row begins with its filter: none.
    rows = np.concatenate([np.zeros((height, 1), "u1"), image.reshape(height, 3 * width)], axis=1)
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
             (b"IDAT", zlib.compress(rows.tobytes(), 1)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts)


def _write_video(file: Any, count: int, fps: float, subject: str, name: str, np: Any) -> None:
    file["frames/sequence"] = np.zeros(count, "i4")
    file["frames/timestamp_us"] = np.round(np.arange(count) * 1e6 / fps).astype("i8")
    for key, value in {"name": [name], "kind": ["video"], "subject": [subject], "first": np.array([0], "i4"),
                       "count": np.array([count], "i4"), "fps": np.array([fps])}.items():
        file[f"sequences/{key}"] = value


def named_blendshapes(values: Any, names: Sequence[str] | None, faces: int, np: Any) -> tuple[Any, dict[str, Any]]:
    """Coefficients [M, 52] in MediaPipe's order, NaN where no name is given, and ARKit's tongueOut, which is none of them.

    A table or a mapping has its names itself; without values there are none.
    """
    if names is None and hasattr(values, "keys"):
        names = list(values.keys())
        values = np.stack([np.asarray(values[name]) for name in names], axis=1)
    if (values is None) != (names is None):
        raise ValueError("expected blendshapes and blendshape_names together")
    if values is None or names is None:
        return None, {}
    table = shaped(values, (faces, len(names)), "blendshapes", np)
    places = {one: place for place, one in enumerate(BLENDSHAPES)}
    spelled = {one.lower(): place for one, place in places.items() if one != "_neutral"}
    for one in BLENDSHAPES:
        for side in ("Left", "Right"):
            if one.endswith(side):
                spelled[one[:-len(side) + 1].lower()] = places[one]
    result, others, seen = np.full((faces, len(BLENDSHAPES)), np.nan), {}, set()
    for name, column in zip(map(str, names), table.T):
        plain = name.lower().translate({ord(one): None for one in "_- "})
        place = places.get(name, spelled.get(plain))
        if plain != "tongueout" and place is None:
            raise ValueError(f"expected blendshape_names of MediaPipe or ARKit, such as 'jawOpen', found {name!r}")
        if place in seen:
            raise ValueError(f"expected each of blendshape_names once, found {name!r} again")
        seen.add(place)
        if place is None:
            others["tongueOut"] = column
        else:
            result[:, place] = column
    return result, others


def _write_landmarks(file: Any, scheme: str, points: Any, faces: int, np: Any) -> None:
    points = np.array(points, "f4")
    if points.ndim != 3 or points.shape[0] != faces or points.shape[2] not in (2, 3):
        raise ValueError(f"expected {scheme} of shape [{faces}, K, 2 or 3], found {list(points.shape)}")
    there = np.isfinite(points[..., :2]).all(axis=2)
    points[~there] = np.nan
    file[f"faces/landmarks/{scheme}/points"] = points
    file[f"faces/landmarks/{scheme}/visible"] = there.astype("u1") * np.uint8(2)


def shaped(value: Any, shape: tuple[int, ...], what: str, np: Any) -> Any:
    """An array of numbers of that shape."""
    try:
        table = np.asarray(value, "f8")
    except (TypeError, ValueError) as error:
        hint = " (np.unique(names, return_inverse=True)[1] numbers names)" if what == "identity" else ""
        raise ValueError(f"expected numbers in {what}, found others: {error}{hint}") from None
    if table.shape != shape:
        raise ValueError(f"expected {what} of shape {list(shape)}, found {list(table.shape)}")
    return table


def whole(value: Any, shape: tuple[int, ...], what: str, np: Any, *, missing: int | None = None) -> Any:
    """An array of whole numbers of that shape; `missing` takes the place of NaN and None."""
    table = shaped(value, shape, what, np)
    if missing is not None:
        table = np.where(np.isnan(table), missing, table)
    wrong = table[~(np.isfinite(table) & (table == np.floor(table)) & (np.abs(table) < 2 ** 31))]
    if wrong.size:
        raise ValueError(f"expected whole numbers below 2^31 in {what}, found {wrong[0]:.10g}")
    return table.astype("i8")


def typed(value: Any, kind: str, shape: tuple[int, ...], what: str, np: Any) -> Any:
    """An array of that shape and type; an identity that is NaN or None is unknown."""
    if kind == "f4":
        return shaped(value, shape, what, np).astype(kind)
    table = whole(value, shape, what, np, missing=-1 if what == "identity" else None)
    if kind == "u1" and not np.isin(table, (0, 1)).all():
        raise ValueError(f"expected 0 or 1 in {what}, found {table[~np.isin(table, (0, 1))][0]}")
    return table.astype(kind)


def _size(image: bytes) -> tuple[int, int]:
    """Width and height of a JPEG or PNG file, as its header says."""
    if image[:8] == b"\x89PNG\r\n\x1a\n":
        return struct.unpack(">II", image[16:24])
    position = 2
    while image[:2] == b"\xff\xd8" and position + 9 <= len(image) and image[position] == 0xFF:
        marker, length = image[position + 1], int.from_bytes(image[position + 2:position + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", image[position + 5:position + 9])
            return width, height
        position += 1 if marker == 0xFF else 2 + length
    raise ValueError("expected a JPEG or PNG file, found other bytes")
