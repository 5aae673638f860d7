#!/usr/bin/env python3
"""MediaPipe's older Face Mesh with refined landmarks on the shared images: `face_mesh.py`.

Writes expected/face_mesh.json: for each image the regions that its detector leads to (x and y of the centre, width and
height in fractions of the image, rotation in radians) and its faces, base64 of little-endian float32 x, y, z, normalised.
It runs mediapipe.solutions.face_mesh.FaceMesh's own graph in static mode with refine_landmarks and a detection confidence
of 0.5. The golden images come as they are and turned, dlib's other images as they are. A turned image takes each
pixel from the nearest one, by whole numbers: see `turned`. "sha256" is that of the RGB bytes that went in. "spread" is,
for each face, how far MediaPipe's own points move, in x or y and in z, when a region moves by up to 1e-6. "refinements" are the graph's own lists: which points the model's outputs give, and of which they take the mean depth. Needs FACEGAUGE_SHARED (the folder with golden/ and data/).
"""
import base64
import glob
import hashlib
import json
import math
import os
import re
import sys

os.environ.setdefault("GLOG_minloglevel", "3")
SHARED = os.environ.get("FACEGAUGE_SHARED")
if not SHARED:
    print("skipped: FACEGAUGE_SHARED is not set")
    sys.exit(0)

import mediapipe as mp
import numpy as np
from mediapipe.framework.formats import rect_pb2
from mediapipe.python import packet_creator, packet_getter
from mediapipe.python._framework_bindings import calculator_graph, validated_graph_config
from mediapipe.python.solution_base import SolutionBase
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
FACES = 20
TURNS = (-28, 17)

GRAPH = "mediapipe/modules/face_landmark/face_landmark_front_cpu.binarypb"

LANDMARKS = """
input_stream: "image" input_stream: "roi" output_stream: "face" input_side_packet: "with_attention"
node {
  calculator: "FaceLandmarkCpu" input_stream: "IMAGE:image" input_stream: "ROI:roi" output_stream: "LANDMARKS:face"
  input_side_packet: "WITH_ATTENTION:with_attention"
}"""
SHIFTS = np.random.default_rng(1).uniform(-1e-6, 1e-6, (12, 5))

mesh = SolutionBase(
    binary_graph_path=GRAPH,
    side_inputs={"num_faces": FACES, "with_attention": True, "use_prev_landmarks": False},
    calculator_params={
        "facedetectionshortrangecpu__facedetectionshortrange__facedetection__TensorsToDetectionsCalculator"
        ".min_score_thresh": 0.5,
        "facelandmarkcpu__ThresholdingCalculator.threshold": 0.5},
    outputs=["multi_face_landmarks", "face_rects_from_detections"])
usual = mp.solutions.face_mesh.FaceMesh(
    static_image_mode=True, refine_landmarks=True, max_num_faces=FACES, min_detection_confidence=0.5)


def refinements():
    """Each refinement's points, and those of whose depth it takes the mean, from the graph with all its parts."""
    graph = validated_graph_config.ValidatedGraphConfig()
    graph.initialize(binary_graph_path=os.path.join(os.path.dirname(os.path.dirname(mp.__file__)), GRAPH))
    parts = graph.text_config.split("[mediapipe.LandmarksRefinementCalculatorOptions.ext]")[1].split(" refinement {\n")[1:]
    return [dict(points=[int(i) for i in re.findall(r"indexes_mapping: (\d+)", p)],
                 mean=[int(i) for i in re.findall(r"indexes_for_average: (\d+)", p)]) for p in parts]


def turned(rgb, degrees):
    """Turned about the middle, each pixel from the nearest one of the image, black outside; coordinates in 1/65536."""
    height, width = rgb.shape[:2]
    c, s = (round(f(math.radians(degrees)) * 65536) for f in (math.cos, math.sin))
    y, x = np.mgrid[:height, :width]
    x, y = 2 * x - width, 2 * y - height
    u = (c * x + s * y + width * 65536 + 65536 >> 17)
    v = (c * y - s * x + height * 65536 + 65536 >> 17)
    inside = (u >= 0) & (u < width) & (v >= 0) & (v < height)
    return np.where(inside[..., None], rgb[v.clip(0, height - 1), u.clip(0, width - 1)], 0).astype(np.uint8)


def points(face):
    return np.array([[p.x, p.y, p.z] for p in face.landmark], "<f4")


def look(rgb, regions):
    """The output of the landmark part of the graph for regions; None where it sees no face."""
    graph = calculator_graph.CalculatorGraph(graph_config=LANDMARKS)
    found = {}
    graph.observe_output_stream("face", lambda _, p: found.update({p.timestamp.value: points(packet_getter.get_proto(p))}))
    graph.start_run({"with_attention": packet_creator.create_bool(True)})
    for time, (x, y, width, height, rotation) in enumerate(regions):
        image = packet_creator.create_image_frame(data=rgb, image_format=mp.ImageFormat.SRGB)
        roi = rect_pb2.NormalizedRect(x_center=x, y_center=y, width=width, height=height, rotation=rotation)
        graph.add_packet_to_input_stream("image", image.at(time))
        graph.add_packet_to_input_stream("roi", packet_creator.create_proto(roi).at(time))
        graph.wait_until_idle()
    graph.close()
    return [found.get(time) for time in range(len(regions))]


def spread(rgb, region):
    face, *others = look(rgb, [region, *(np.add(region, shift) for shift in SHIFTS)])
    if face is None:
        return None
    x, y, z = np.max([np.abs(other - face).max(0) for other in others if other is not None], 0)
    return [float(max(x, y)), float(z)]


def entry(file, rgb, degrees=0):
    rgb = np.ascontiguousarray(rgb)
    out = mesh.process({"image": rgb})
    faces = [points(f) for f in out.multi_face_landmarks or []]
    for face, other in zip(faces, usual.process(rgb).multi_face_landmarks or [], strict=True):
        assert (face == points(other)).all()
    regions = [[r.x_center, r.y_center, r.width, r.height, r.rotation] for r in out.face_rects_from_detections or []]
    spreads = [s for s in (spread(rgb, r) for r in regions) if s]
    assert len(spreads) == len(faces)
    print(file, degrees, len(faces), "faces,", spreads)
    return dict(
        file=file, degrees=degrees, sha256=hashlib.sha256(rgb.tobytes()).hexdigest(),
        regions=regions, spread=spreads,
        faces=[base64.b64encode(f.tobytes()).decode() for f in faces])


def read(path):
    return np.asarray(Image.open(path).convert("RGB"))


images = []
golden = sorted(glob.glob(f"{SHARED}/golden/*.png"))
names = {os.path.splitext(os.path.basename(p))[0] for p in golden}
for path in golden:
    file = "golden/" + os.path.basename(path)
    images.append(entry(file, read(path)))
    images += [entry(file, turned(read(path), d), d) for d in TURNS]
for path in sorted(glob.glob(f"{SHARED}/data/dlib-faces/*.jpg")):
    name = os.path.basename(path)
    if os.path.splitext(name)[0] not in names:
        images.append(entry("data/dlib-faces/" + name, read(path)))
path = os.path.join(HERE, "expected", "face_mesh.json")
with open(path, "w") as file:
    json.dump(dict(mediapipe=mp.__version__, numFaces=FACES, refinements=refinements(), images=images), file, indent=0)
    file.write("\n")
print(sum(len(p["faces"]) for p in images), "faces,", os.path.getsize(path), "bytes")
