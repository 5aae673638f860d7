#!/usr/bin/env python3
"""What `export` writes, as other programs read it, and as `import` reads it back.

    python Tests/Oracles/live/exports.py WORK --facegauge .build/release/facegauge DATASET.h5... > exports.md
    python Tests/Oracles/live/exports.py WORK --facegauge … --of DATASET.h5 PREDICTIONS.h5...

Each file is written in each format, and read by pycocotools, datumaro, Label Studio's own package, supervision or
motmetrics, and by a few lines here where no package reads points or results. Faces, boxes, points and scores are compared
with what h5py reads from the file, then with what `import` makes of the export. The table has the largest differences in
pixels; the status is 1 where a number of faces differs, where a reader's difference is above the digits of its own numbers,
and where a reimported one is not 0. Needs the packages of requirements-exports.txt.
"""
import argparse
import contextlib
import io
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from urllib.parse import unquote

import h5py
import numpy as np

from comparing import binary_of, markdown

# What a reader that computes with percents, corners or 1-based pixels in 64 bits may lose, and what datumaro rounds away.
DIGITS = {"datumaro": 0.0101}


class Faces:
    """The faces of a file by frame: boxes, points of one scheme, scores, identities, and names of the frames."""

    def __init__(self, dataset, predictions=None):
        with h5py.File(dataset) as file:
            self.names = [n.decode() for n in file["images/name"][:]]
            self.sizes = file["images/size"][:]
            self.files = [n if re.search(r"\.(png|jpe?g)$", n) else f"{n}.{self.ending(file, i)}"
                          for i, n in enumerate(self.names)]
            self.videos = {}
            if "sequences" in file:
                kinds = [k.decode() if isinstance(k, bytes) else k for k in file["sequences/kind"][:]]
                for name, kind, first, count in zip(file["sequences/name"][:], kinds, file["sequences/first"][:],
                                                    file["sequences/count"][:]):
                    if kind == "video":
                        self.videos[name.decode().replace("/", "-")] = (int(first), int(count))
        self.is_prediction = predictions is not None
        with h5py.File(predictions or dataset) as file:
            faces = file["faces"]
            kept = faces["kept"][:].astype(bool) if self.is_prediction else np.ones(len(faces["frame"]), bool)
            self.frame = faces["frame"][:][kept]
            self.scheme, self.points, self.visible = None, None, None
            for scheme in ("ibug68", "wflw98", "lapa106", "cofw29", "five", "mediapipe478"):
                if scheme in faces.get("landmarks", {}):
                    group = faces["landmarks"][scheme]
                    self.scheme = scheme
                    self.points = group["points"][:][kept][:, :, :2].astype(float)
                    self.visible = group["visible"][:][kept] if "visible" in group else \
                        np.where(np.isfinite(self.points).all(2), 2, 0)
                    break
            identity = faces["identity"][:][kept] if "identity" in faces else np.full(len(self.frame), -1)
            self.identity = [int(i) if i >= 0 else None for i in identity]
            if self.is_prediction:
                score = faces["detection_score"][:][kept].astype(float)
                presence = faces["presence"][:][kept].astype(float) if "presence" in faces else score
                self.score = np.where(np.isfinite(score), score, presence)
                self.box = self.boxes_of_predictions(faces, kept)
            else:
                self.score = np.full(len(self.frame), np.nan)
                self.box = faces["box"][:].astype(float)

    @staticmethod
    def ending(file, frame):
        if "images/bytes" not in file:
            return "png"
        start = int(file["images/offsets"][frame])
        return "png" if bytes(file["images/bytes"][start:start + 4]) == b"\x89PNG" else "jpg"

    def boxes_of_predictions(self, faces, kept):
        """The tight box of the points, or the tracker's own."""
        own = faces["box"][:][kept].astype(float) if "box" in faces else np.full((len(self.frame), 4), np.nan)
        if self.points is None:
            return own
        low, high = np.nanmin(self.points, 1), np.nanmax(self.points, 1)
        tight = np.concatenate([low, high - low], 1)
        return np.where(np.isfinite(own), own, tight) if self.scheme == "five" else \
            np.where(np.isfinite(tight), tight, own)

    def __len__(self):
        return len(self.frame)

    def rows(self):
        return [(int(f), i) for i, f in enumerate(self.frame)]


class Read:
    """What another program reads: rows of frame, box, and points, score and identity where it has them."""

    def __init__(self):
        self.by_frame = defaultdict(list)

    def add(self, frame, box, points=None, score=None, identity=None):
        self.by_frame[frame].append((np.asarray(box, float), points, score, identity))

    def compare(self, faces):
        """Number of faces, and the largest differences of boxes, points, scores and identities; nan where not read."""
        number = sum(map(len, self.by_frame.values()))
        worst = dict(box=0.0, points=np.nan, score=np.nan, identity=np.nan)
        if number != len(faces):
            return number, worst
        left = defaultdict(list)
        for frame, index in faces.rows():
            left[frame].append(index)
        for frame, rows in self.by_frame.items():
            for box, points, score, identity in rows:
                index = min(left[frame], key=lambda i: np.abs(faces.box[i] - box).max())
                left[frame].remove(index)
                worst["box"] = max(worst["box"], np.abs(np.float32(faces.box[index]) - np.float32(box)).max())
                if points is not None:
                    seen = faces.visible[index] > 0
                    given = np.asarray(points, float).reshape(len(seen), -1)[:, :2]
                    if seen.any():
                        worst["points"] = np.fmax(worst["points"], np.abs(np.float32(faces.points[index]) - np.float32(given))[seen].max())
                if score is not None:
                    own = faces.score[index] if np.isfinite(faces.score[index]) else 1
                    worst["score"] = np.fmax(worst["score"], abs(np.float32(own) - np.float32(score)))
                if identity is not None:
                    same = identity == (faces.identity[index] if faces.identity[index] is not None else -1)
                    worst["identity"] = np.fmax(worst["identity"], 0 if same else 1)
        return number, worst


def quiet(work):
    with contextlib.redirect_stdout(io.StringIO()):
        return work()


def coco(out, faces):
    from pycocotools.coco import COCO
    if faces.is_prediction:
        truth = quiet(lambda: COCO(str(out / "images.json")))
        rows = quiet(lambda: truth.loadRes(str(out / "results.json"))).anns.values()
    else:
        rows = quiet(lambda: COCO(str(out / "labels.json"))).anns.values()
    read = Read()
    for row in rows:
        points = np.array(row["keypoints"]).reshape(-1, 3) if row.get("num_keypoints") or "keypoints" in row else None
        read.add(row["image_id"], row["bbox"], points, row.get("score"), row.get("track_id"))
    return "pycocotools", read


def cvat(out, faces):
    from datumaro.components.annotation import AnnotationType
    from datumaro.components.dataset import Dataset
    read = Read()
    for item in Dataset.import_from(str(out), "cvat"):
        points = {a.group: a.points for a in item.annotations if a.type == AnnotationType.points}
        for box in (a for a in item.annotations if a.type == AnnotationType.bbox):
            score, identity = box.attributes.get("score"), box.attributes.get("track_id")
            read.add(item.attributes["frame"], box.get_bbox(), points.get(box.group),
                     float(score) if score not in (None, "") else None,
                     int(identity) if identity not in (None, "") else None)
    return "datumaro", read


def cvat_video(out, faces):
    from datumaro.components.annotation import AnnotationType
    from datumaro.components.dataset import Dataset
    read = Read()
    for name, (first, _) in faces.videos.items():
        for item in Dataset.import_from(str(out / name), "cvat"):
            for box in (a for a in item.annotations if a.type == AnnotationType.bbox):
                if box.attributes.get("outside"):
                    continue
                score, identity = box.attributes.get("score"), box.attributes.get("track_id")
                read.add(first + item.attributes["frame"], box.get_bbox(), None,
                         float(score) if score not in (None, "") else None,
                         int(identity) if faces.identity[0] is not None else None)
    return "datumaro", read


def label_studio(out, faces):
    from label_studio_sdk.label_interface import LabelInterface
    interface = LabelInterface((out / "interface.xml").read_text())
    position = {name: i for i, name in enumerate(faces.files)}
    read = Read()
    for task in json.loads((out / "tasks.json").read_text()):
        (work,) = task["predictions" if faces.is_prediction else "annotations"]
        if faces.is_prediction and not interface.validate_prediction(work):
            raise SystemExit("label_studio_sdk refuses a prediction")
        if not faces.is_prediction and not interface.validate_annotation(work):
            raise SystemExit("label_studio_sdk refuses an annotation")
        frame = position[unquote(task["data"]["image"]).split("?d=images/", 1)[1]]
        regions = defaultdict(dict)
        for result in work["result"]:
            value, size = result["value"], (result["original_width"], result["original_height"])
            scaled = [value["x"] * size[0] / 100, value["y"] * size[1] / 100] if "x" in value else []
            if result["type"] == "rectanglelabels":
                scaled += [value["width"] * size[0] / 100, value["height"] * size[1] / 100]
                regions[result["id"]].update(box=scaled, score=result.get("score"))
            elif result["type"] == "number":
                regions[result["id"]]["identity"] = value["number"]
            elif result["type"] == "keypointlabels":
                number = int(re.search(r"-(\d+)$", value["keypointlabels"][0]).group(1)) \
                    if faces.scheme != "five" else \
                    ["right_eye", "left_eye", "nose", "right_mouth", "left_mouth"].index(value["keypointlabels"][0])
                regions[result["parentID"]].setdefault("points", {})[number] = scaled
        for region in regions.values():
            points = region.get("points")
            if points is not None:
                points = [points.get(i, [np.nan, np.nan]) for i in range(faces.points.shape[1])]
            read.add(frame, region["box"], points, region.get("score"), region.get("identity"))
    return "label_studio_sdk", read


def yolo(out, faces):
    import yaml
    facts = yaml.safe_load((out / "data.yaml").read_text())
    read, reader = Read(), "by its documentation"
    position = {name: i for i, name in enumerate(faces.files)}
    if faces.scheme is None and not faces.is_prediction:
        import supervision
        found = supervision.DetectionDataset.from_yolo(
            str(out / "images"), str(out / "labels"), str(out / "data.yaml"))
        for path, _, detections in found:
            for box in detections.xyxy:
                read.add(position[Path(path).relative_to(out / "images").as_posix()],
                         [box[0], box[1], box[2] - box[0], box[3] - box[1]])
        return "supervision", read
    count = facts.get("kpt_shape", [0, 3])[0]
    for frame, name in enumerate(faces.files):
        width, height = faces.sizes[frame]
        file = (out / "labels" / name).with_suffix(".txt")
        for line in file.read_text().splitlines():
            row = list(map(float, line.split()))
            scale = np.array([width, height, width, height])
            middle = np.array(row[1:5]) * scale
            box = [*(middle[:2] - middle[2:] / 2), *middle[2:]]
            points = np.array(row[5:5 + 3 * count]).reshape(-1, 3)[:, :2] * [width, height] if count else None
            rest = row[5 + 3 * count:]
            read.add(frame, box, points, rest[0] if rest else None, int(rest[1]) if len(rest) > 1 else None)
    return reader, read


def mot(out, faces):
    import motmetrics
    read = Read()
    for name, (first, _) in faces.videos.items():
        file = out / f"{name}.txt" if faces.is_prediction else out / name / "gt" / "gt.txt"
        if not file.read_text():
            continue
        table = motmetrics.io.loadtxt(file, fmt="mot15-2D", min_confidence=-1)
        for (number, identity), row in table.iterrows():
            # motmetrics subtracts 1 from the corner itself.
            score = row.Confidence if faces.is_prediction and row.Confidence != -1 else None
            read.add(first + number - 1, [row.X, row.Y, row.Width, row.Height], None, score, int(identity))
    return "motmetrics", read


def wider(out, faces):
    read = Read()
    for frame, name in enumerate(faces.files):
        lines = (out / name).with_suffix(".txt").read_text().splitlines()
        for line in lines[2:2 + int(lines[1])]:
            row = list(map(float, line.split()))
            read.add(frame, row[:4], None, row[4])
    return "by its documentation", read


READERS = {"coco": coco, "cvat": cvat, "cvat-video": cvat_video, "label-studio": label_studio, "yolo": yolo, "mot": mot,
           "wider-detections": wider}


def reimported(binary, name, out, faces, dataset, work):
    """Differences after `import`; a text where it is not for this format."""
    images = ["--images", str(out / "images")] if name in ("cvat", "yolo", "label-studio") else []
    sources = {"coco": [out / "results.json", out / "images.json"] if faces.is_prediction else [out / "labels.json"],
               "cvat": [out / "annotations.xml"],
               "cvat-video": [out / v / "annotations.xml" for v in faces.videos], "label-studio": [out / "tasks.json"], "yolo": [out],
               "mot": [out / f"{v}.txt" if faces.is_prediction else out / v / "gt" / "gt.txt" for v in faces.videos],
               "wider-detections": [out]}[name]
    target = work / f"again-{name}.h5"
    known = subprocess.run([binary, "help", "import"], capture_output=True, text=True).stdout
    reader = name.replace("-video", "")
    if f"  {reader}\n" not in known or name == "cvat-video" and "track" not in known:
        return None
    command = [binary, "import", reader, *map(str, sources), *images, "-o", str(target), "--force"]
    command += ["--of", str(dataset)] if faces.is_prediction else []
    if not any((np.array(faces.sizes) > 0).all(1)) and not faces.is_prediction:
        command.append("--labels-only")
    if faces.scheme:
        command += ["--scheme", faces.scheme] if name not in ("mot", "wider-detections", "cvat-video") else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    again = Faces(dataset, target) if faces.is_prediction else Faces(target)
    known = {n: i for names in (faces.names, faces.files) for i, n in enumerate(names)}
    frames = {} if faces.is_prediction else {i: known[n] for i, n in enumerate(again.names) if n in known}
    read = Read()
    for frame, index in again.rows():
        frame, box = frames.get(frame, frame), again.box[index]
        if faces.is_prediction and again.points is not None and not np.isfinite(again.points[index]).all():
            # Points beyond the image were left out, and the box is that of the rest: it is not compared.
            box = min(faces.box[faces.frame == frame], key=lambda own: np.abs(own - box).max())
        read.add(frame, box,
                 again.points[index] if again.points is not None and again.scheme == faces.scheme else None,
                 again.score[index] if faces.is_prediction else None)
    return read.compare(faces)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--of", type=Path, help="the dataset that the files are predictions of")
    parser.add_argument("--formats", default=",".join(READERS))
    parser.add_argument("--facegauge", default="facegauge")
    options = parser.parse_args()
    binary, rows, right = binary_of(options.facegauge), [], True
    options.work.mkdir(parents=True, exist_ok=True)
    for path in options.files:
        faces = Faces(options.of, path) if options.of else Faces(path)
        for name in options.formats.split(","):
            if name == "wider-detections" and not options.of or \
                    name in ("mot", "cvat-video") and not faces.videos or \
                    name not in ("mot", "wider-detections") and not faces.sizes.any():
                continue
            out = options.work / f"{path.stem}-{name}"
            subprocess.run(["rm", "-rf", str(out)], check=True)
            command = [binary, "export", name, str(path), "-o", str(out)]
            done = subprocess.run(command + (["--of", str(options.of)] if options.of else []),
                                  capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"cannot go on: {' '.join(command)}: {done.stderr}")
            reader, read = READERS[name](out, faces)
            number, worst = read.compare(faces)
            again = reimported(binary, name, out, faces, options.of or path, options.work)
            right = right and number == len(faces) and max(v for v in worst.values() if v == v) <= DIGITS.get(reader, 1e-4)
            if again is None:
                back = "has no reader"
            elif isinstance(again, str):
                back, right = again, False
            else:
                back = f"{again[0]}: " + ", ".join(f"{k} {v:.1e}" for k, v in again[1].items() if v == v)
                right = right and again[0] == len(faces) and not any(v > 0 for v in again[1].values())
            rows.append([path.stem, name, reader, f"{number} of {len(faces)}"]
                        + [f"{worst[k]:.1e}" if worst[k] == worst[k] else "–" for k in worst] + [back])
    print(markdown(["file", "format", "reader", "faces", "boxes", "points", "scores", "identities", "import again"], rows))
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
