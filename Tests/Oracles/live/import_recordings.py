"""Recordings and trackers' output: published files compared with readers of tables, packets and videos, and MediaPipe's own results."""
import dataclasses
import gzip
import json
import os
import re
import struct
from functools import partial
from pathlib import Path

import numpy as np
import pandas

from import_faces import Case, Face, Frames

# Live Link's columns that are no blendshapes of MediaPipe, and the attributes that they become.
ANGLES = [f"{part}{angle}" for part in ("Head", "LeftEye", "RightEye") for angle in ("Yaw", "Pitch", "Roll")]


def lowered(name):
    return name[0].lower() + name[1:]


def channel(name, value):
    """Where the import keeps a channel of Live Link."""
    return (lowered(name) if name in (*ANGLES, "TongueOut") else f"blendshape:{lowered(name)}"), float(value)


def livelink(path):
    table = pandas.read_csv(path)
    names = list(table.columns[2:63])
    return {f"{path.stem}/{row[0]}": [Face(None, None, dict(map(channel, names, row[2:63])))]
            for row in table.itertuples(index=False)}


def packets(path, names):
    data, frames = gzip.decompress(path.read_bytes()), {}
    count, at = struct.unpack_from(">I", data, 1)[0], 5
    for _ in range(count):
        (length,) = struct.unpack_from(">I", data, at)
        packet, at = data[at + 4:at + 4 + length], at + 4 + length
        skip = 1
        for _ in range(2):
            skip += 4 + struct.unpack_from(">I", packet, skip)[0]
        number, _, _, _, channels = struct.unpack_from(">IfIIB", packet, skip)
        values = struct.unpack_from(f">{channels}f", packet, skip + 17)
        frames[f"{path.name.split('.')[0]}/{number}"] = [Face(None, None, dict(map(channel, names, values)))] if channels else []
    return frames


def openface(path):
    table = pandas.read_csv(path, skipinitialspace=True)
    frames = Frames()
    for _, row in table.iterrows():
        name = f"{path.stem}/{int(row['frame']) - 1}"
        points = np.array([[row[f"{axis}_{i}"] for axis in "xy"] for i in range(68)])
        units = {c: float(row[c]) for c in table.columns if re.fullmatch(r"AU\d+_[rc]|gaze_.*", c)}
        frames.setdefault(name, []).append(Face(None, points, {"score": float(row["confidence"]), **units}))
        frames.times[name] = round(row["timestamp"] * 1e6)
    start = min(frames.times.values())
    frames.times = {name: time - start for name, time in frames.times.items()}
    return frames


def pyfeat(path, boxes=True):
    """The box of predictions with points is theirs."""
    table = pandas.read_csv(path)
    frames = {}
    mesh = "mesh_x_0" in table
    kept = [c for c in table.columns if re.fullmatch(r"AU\d+|anger|disgust|fear|happiness|sadness|surprise|neutral", c)]
    for _, row in table.iterrows():
        clip = Path(row["input"]).name
        faces = frames.setdefault(clip if clip.endswith((".jpg", ".png")) else f"{clip}/{int(row['frame'])}", [])
        if np.isfinite(row["FaceRectX"]):
            points = [[row[f"mesh_{axis}_{i}"] for axis in "xy"] for i in range(478)] if mesh else \
                [[row[f"{axis}_{i}"] for axis in "xy"] for i in range(68)]
            box = [row[f"FaceRect{side}"] for side in ("X", "Y", "Width", "Height")]
            faces.append(Face(box if boxes else None, points, {"score": float(row["FaceScore"]), **{c: float(row[c]) for c in kept}}))
    return frames


def mot(path, name, frames=None):
    import motmetrics
    table = motmetrics.io.loadtxt(path, fmt="mot15-2D", min_confidence=-1)
    last = frames or max(number for number, _ in table.index)
    found = {f"{name}/{number}": [] for number in range(1, last + 1)}
    for (number, identity), row in table.iterrows():
        # motmetrics subtracts 1 from the corner itself.
        box = [row.X, row.Y, row.Width, row.Height]
        found[f"{name}/{number}"].append(Face(box, None, {"identity": float(identity)}))
    return found


def otb(folder, results=None):
    if results:
        boxes = np.array(json.loads(results.read_text())[0]["res"], float)
    else:
        boxes = np.loadtxt(folder / "groundtruth_rect.txt", delimiter=",")
    return {f"{folder.name}/{i + 1:04d}.jpg": [Face([x - 1, y - 1, width, height])]
            for i, (x, y, width, height) in enumerate(boxes)}


def clip(path):
    import av
    frames = Frames()
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        for number, frame in enumerate(container.decode(stream)):
            name = f"{path.name}/{number}"
            frames[name], frames.times[name] = [], round(frame.pts * stream.time_base * 1_000_000)
    return frames


class Landmarker:
    """MediaPipe's Face Landmarker on images, and its results as programs write them down."""

    def __init__(self, images):
        import mediapipe
        from mediapipe.tasks.python import BaseOptions, vision
        model = Path(os.environ["FACEGAUGE_MODELS"]) / "face_landmarker.task"
        options = vision.FaceLandmarkerOptions(
            BaseOptions(str(model)), num_faces=10, output_face_blendshapes=True, output_facial_transformation_matrixes=True)
        self.results = {}
        with vision.FaceLandmarker.create_from_options(options) as landmarker:
            for path in sorted(images.glob("*.jpg")):
                image = mediapipe.Image.create_from_file(str(path))
                self.results[path.name] = (image.width, image.height, landmarker.detect(image))

    def truth(self, poses=True):
        frames = {}
        for name, (width, height, result) in self.results.items():
            frames[name] = []
            for points, shapes, matrix in zip(result.face_landmarks, result.face_blendshapes,
                                              result.facial_transformation_matrixes):
                values = {f"blendshape:{shape.category_name}": shape.score for shape in shapes}
                frames[name].append(Face(None, [[p.x * width, p.y * height, p.z * width] for p in points],
                                         {**values, **({"pose": matrix} if poses else {})}))
        return frames

    def own_lines(self):
        """FaceGauge's own lines, as its guide writes them."""
        yield json.dumps({"schema": "facegauge.mediapipe", "version": 1, "kind": "still", "name": "images"})
        for number, (name, (width, height, result)) in enumerate(self.results.items()):
            faces = [{"landmarks": [[p.x, p.y, p.z] for p in points], "matrix": matrix.tolist(),
                      "blendshapes": {s.category_name: s.score for s in shapes}}
                     for points, shapes, matrix in zip(result.face_landmarks, result.face_blendshapes,
                                                       result.facial_transformation_matrixes)]
            yield json.dumps({"name": name, "number": number, "width": width, "height": height, "faces": faces})

    def python_lines(self):
        """dataclasses.asdict of each result."""
        for name, (width, height, result) in self.results.items():
            plain = dataclasses.asdict(result)
            plain["facial_transformation_matrixes"] = [m.tolist() for m in result.facial_transformation_matrixes]
            yield json.dumps({"image": name, "width": width, "height": height, **plain})

    def script_lines(self):
        """JavaScript's keys, with matrices by columns."""
        for name, (width, height, result) in self.results.items():
            yield json.dumps({
                "image": name, "width": width, "height": height,
                "faceLandmarks": [[{"x": p.x, "y": p.y, "z": p.z} for p in points] for points in result.face_landmarks],
                "faceBlendshapes": [{"categories": [{"categoryName": s.category_name, "score": s.score} for s in shapes]}
                                    for shapes in result.face_blendshapes],
                "facialTransformationMatrixes": [{"rows": 4, "columns": 4, "data": m.T.ravel().tolist()}
                                                 for m in result.facial_transformation_matrixes]})


def mediapipe_cases(images, folder):
    landmarker = Landmarker(images)
    for title, lines in [("guide's lines", landmarker.own_lines), ("Python's asdict", landmarker.python_lines),
                         ("JavaScript's keys", landmarker.script_lines)]:
        path = folder / f"mediapipe-{len(title)}.json"
        path.write_text("\n".join(lines()) + "\n")
        arguments = ["mediapipe", path, "--images", images]
        yield Case("mediapipe", f"12 images of dlib, {title}", "mediapipe", arguments, landmarker.truth)
        yield Case("mediapipe", "the same, --of", "mediapipe", ["mediapipe", path], landmarker.truth,
                   of=["images", images])


def cases(shared, folder, chosen):
    if {"livelink", "livelink-packets"} & set(chosen):
        table = shared("livelink-alexdjulin") / "anim/alex_rom_4.csv"
        tables = [table, *sorted(shared("livelink-neurosync").rglob("*.csv"))]
        for path in tables:
            yield Case("livelink", "/".join(path.parts[-2:]) if path.parent.parent.name == "animations" else path.name,
                       "pandas", ["livelink", path], partial(livelink, path))
        names = list(pandas.read_csv(table, nrows=1).columns[2:63])
        for path in sorted(shared("livelink-llv").rglob("*.gesichter")):
            if path.stem in ("dao", "debug-all-blendshapes", "debug-browdownleft"):
                yield Case("livelink-packets", path.name, "gzip, struct", ["livelink-packets", path],
                           partial(packets, path, names))
    tests = "feat/tests/data"
    if "openface" in chosen:
        path = shared("pyfeat") / tests / "OpenFace_Test.csv"
        labels = ["openface", path]
        yield Case("openface", path.name, "pandas", labels, partial(openface, path))
        yield Case("openface", "the same, --of", "pandas", labels, partial(openface, path), of=labels)
    if "pyfeat" in chosen:
        path = shared("pyfeat") / tests / "Feat_Test.csv"
        yield Case("pyfeat", "Feat_Test.csv, a still", "pandas", ["pyfeat", path], partial(pyfeat, path))
        clips = [shared("pyfeat") / tests / "001.csv", *sorted((shared("pyfeat") / "docs/data/news_sample").glob("0*.csv"))[:3]]
        for path in clips:
            title = f"{path.parent.name}/{path.name}"
            yield Case("pyfeat", title, "pandas", ["pyfeat", path], partial(pyfeat, path))
            yield Case("pyfeat", f"{title}, --of", "pandas", ["pyfeat", path], partial(pyfeat, path, boxes=False), of=["pyfeat", path])
    if "mot" in chosen:
        path = shared("mot-tud") / "motmetrics/data/TUD-Campus"
        labels = ["mot", path / "gt.txt", "--fps", "25"]
        yield Case("mot", "TUD-Campus gt.txt", "motmetrics", labels, partial(mot, path / "gt.txt", path.name))
        yield Case("mot", "test.txt, --of", "motmetrics", ["mot", path / "test.txt"],
                   partial(mot, path / "test.txt", path.name, frames=71), of=labels)
    if "otb" in chosen:
        path = shared("otb-sample") / "data/Football1"
        yield Case("otb", "Football1", "numpy", ["otb", path], partial(otb, path))
        for results in sorted((path.parents[1] / "results").rglob("*.json")):
            yield Case("otb", f"{results.parent.name}, --of", "json", ["otb", results], partial(otb, path, results),
                       of=["otb", path])
    if "video" in chosen:
        clips = [*sorted(shared("videos").glob("*.mp4")), *sorted((shared("pyfeat") / tests).glob("*.mp4"))]
        for path in clips:
            yield Case("video", path.name, "PyAV", ["video", path], partial(clip, path))
    if "mediapipe" in chosen and "FACEGAUGE_MODELS" in os.environ:
        yield from mediapipe_cases(shared("dlib-faces"), folder)
