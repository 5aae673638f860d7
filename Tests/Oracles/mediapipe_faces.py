#!/usr/bin/env python3
"""MediaPipe's own detector on the labelled dlib and Helen images, scored by pycocotools.

Writes expected/mediapipe_faces.json: for each image the detections (score and box in pixels, unclipped) of
MediaPipe's Face Detector task with its overlap of 0.3, decoded at 0.05 and at 0.5; the COCO metrics of the former; true
positives, false positives and misses of the latter. The task's public boxes are whole pixels, so the boxes come from the
graph's own face rectangles. (The older mp.solutions API is no help here: it stays at its built-in score.)
Needs FACEGAUGE_SHARED (the folder with data/ and models/).
"""
import contextlib, glob, io, json, os, sys, zipfile
import xml.etree.ElementTree as xml
from importlib.metadata import version

os.environ.setdefault("GLOG_minloglevel", "3")
SHARED = os.environ.get("FACEGAUGE_SHARED")
if not SHARED:
    print("skipped: FACEGAUGE_SHARED is not set")
    sys.exit(0)

import mediapipe as mp
import numpy as np
from PIL import Image
from mediapipe.framework.formats import rect_pb2
from mediapipe.python import packet_creator, packet_getter
from mediapipe.python._framework_bindings import task_runner
from mediapipe.tasks import python as tasks
from mediapipe.tasks.python import vision
from mediapipe.tasks.python.core import task_info
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

HERE = os.path.dirname(os.path.abspath(__file__))
FLOOR, OPERATING, OVERLAP = 0.05, 0.5, 0.3


def imglab(path):
    for image in xml.parse(path).getroot().iter("image"):
        boxes = [[float(b.get(k)) for k in ("left", "top", "width", "height")] for b in image.iter("box")]
        yield os.path.join(os.path.dirname(path), image.get("file")), image.get("file"), boxes


def points(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.pts"))):
        xy = np.array([[float(t) for t in line.split()] for line in open(path) if line.strip()]) - 1
        low, high = xy.min(0), xy.max(0)
        image = path[:-4] + ".jpg"
        yield image, os.path.basename(image), [[*low, *(high - low)]]


class Detector:
    """The Face Detector task's graph, with scores and unrounded rectangles."""

    def __init__(self, model, score):
        options = vision.FaceDetectorOptions(base_options=tasks.BaseOptions(model_asset_buffer=model),
                                             min_detection_confidence=score, min_suppression_threshold=OVERLAP)
        info = task_info.TaskInfo(task_graph="mediapipe.tasks.vision.face_detector.FaceDetectorGraph",
                                  input_streams=["IMAGE:image", "NORM_RECT:rect"],
                                  output_streams=["DETECTIONS:detections", "FACE_RECTS:rects", "IMAGE:out"],
                                  task_options=options)
        self.runner = task_runner.TaskRunner.create(info.generate_graph_config(), None)

    def detect(self, path):
        rgb = np.ascontiguousarray(np.asarray(Image.open(path).convert("RGB")))
        height, width = rgb.shape[:2]
        image = mp.Image(image_format=mp.ImageFormat.SRGB, data=rgb)
        whole = rect_pb2.NormalizedRect(rotation=0, x_center=0.5, y_center=0.5, width=1, height=1)
        out = self.runner.process({"image": packet_creator.create_image(image),
                                   "rect": packet_creator.create_proto(whole)})
        if out["detections"].is_empty():
            return [], width, height
        scores = [d.score[0] for d in packet_getter.get_proto_list(out["detections"])]
        rects = packet_getter.get_proto_list(out["rects"])
        assert len(scores) == len(rects)
        return [[s, (r.x_center - r.width / 2) * width, (r.y_center - r.height / 2) * height, r.width * width,
                 r.height * height] for s, r in zip(scores, rects)], width, height


def coco_metrics(entries):
    images = [{"id": i + 1, "width": p["width"], "height": p["height"]} for i, p in enumerate(entries)]
    labels, results = [], []
    for i, p in enumerate(entries):
        for box in p["labels"]:
            box = [float(np.float32(v)) for v in box]
            labels.append(dict(id=len(labels) + 1, image_id=i + 1, category_id=1, bbox=box, area=box[2] * box[3],
                               iscrowd=0))
        for score, *box in p["detections"]:
            results.append(dict(image_id=i + 1, category_id=1, bbox=box, score=score))
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = dict(images=images, annotations=labels, categories=[dict(id=1, name="face")])
        truth.createIndex()
        e = COCOeval(truth, truth.loadRes(results), "bbox")
        e.evaluate(); e.accumulate(); e.summarize()
    return [float(v) for v in e.stats]


def overlap(a, b):
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    shared = max(w, 0) * max(h, 0)
    return shared / (a[2] * a[3] + b[2] * b[3] - shared)


def operating(images):
    true = false = missed = 0
    for p in images:
        free = list(range(len(p["labels"])))
        for score, *box in sorted(p["operating"], key=lambda d: -d[0]):
            best = max(free, key=lambda k: overlap(box, p["labels"][k]), default=None)
            if best is not None and overlap(box, p["labels"][best]) >= 0.5:
                free.remove(best)
                true += 1
            else:
                false += 1
        missed += len(free)
    return dict(true_positives=true, false_positives=false, misses=missed)


sets = {
    "dlib": [e for x in ("training", "testing")
             for e in imglab(f"{SHARED}/data/dlib-faces/{x}_with_face_landmarks.xml")],
    "helen": list(points(f"{SHARED}/data/helen68/testset")),
}
model = zipfile.ZipFile(f"{SHARED}/models/face_landmarker.task").read("face_detector.tflite")
low, high = Detector(model, FLOOR), Detector(model, OPERATING)
out = dict(mediapipe=mp.__version__, pycocotools=version("pycocotools"), numpy=np.__version__, floor=FLOOR,
           threshold=OPERATING, overlap=OVERLAP, sets={})
for name, entries in sets.items():
    images = []
    for path, file, labels in entries:
        found, width, height = low.detect(path)
        images.append(dict(file=file, width=width, height=height, labels=labels, detections=found,
                             operating=high.detect(path)[0]))
    out["sets"][name] = dict(coco=coco_metrics(images), operating=operating(images), images=images)
    print(name, len(images), [round(v, 4) for v in out["sets"][name]["coco"]], out["sets"][name]["operating"])

for s in out["sets"].values():
    for p in s["images"]:
        p["detections"] = [[round(v, 5) for v in d] for d in p["detections"]]
        p["operating"] = [[round(v, 5) for v in d] for d in p["operating"]]
        p["labels"] = len(p["labels"])
json.dump(out, open(os.path.join(HERE, "expected", "mediapipe_faces.json"), "w"), separators=(",", ":"))
