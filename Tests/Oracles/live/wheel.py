"""MediaPipe's Face Landmarker as the wheel has it, with what its public results leave out.

`Landmarker` runs the public task and, on the same image, the task's own graph with its inner streams open; both must
give the same landmarks. `Region` runs the landmark model on one region of interest. Boxes of regions are `xc, yc, width,
height, rotation`, normalised, rotation in radians.
"""
import os
import zipfile

os.environ.setdefault("GLOG_minloglevel", "3")

import mediapipe as mp
import numpy as np
from mediapipe.framework import calculator_pb2
from mediapipe.framework.formats import rect_pb2
from mediapipe.python import packet_creator, packet_getter
from mediapipe.python._framework_bindings import task_runner
from mediapipe.tasks import python as tasks
from mediapipe.tasks.cc.vision.face_landmarker.proto import face_landmarks_detector_graph_options_pb2
from mediapipe.tasks.python import vision
from mediapipe.tasks.python.core import task_info

RegionOptions = face_landmarks_detector_graph_options_pb2.FaceLandmarksDetectorGraphOptions
PACKAGE = "mediapipe.tasks.vision"
POINTS, SHAPES = 478, 52
# Detections below the operating score are kept down to here, to see how near a missing face was.
FLOOR = 0.3
OVERLAP = 0.5


def image_of(rgb):
    return mp.Image(image_format=mp.ImageFormat.SRGB, data=np.ascontiguousarray(rgb))


def protos(packet):
    return [] if packet.is_empty() else packet_getter.get_proto_list(packet)


def xyz(landmarks):
    return [[p.x, p.y, p.z] for p in landmarks]


def row(rect):
    return [rect.x_center, rect.y_center, rect.width, rect.height, rect.rotation]


def table(rows, *shape):
    return np.array(rows, np.float32).reshape(len(rows), *shape)


class Graph:
    """A task's graph whose named output streams are all readable."""

    def __init__(self, graph, options, outputs):
        info = task_info.TaskInfo(task_graph=f"{PACKAGE}.{graph}", task_options=options,
                                  input_streams=["IMAGE:image", "NORM_RECT:rect"],
                                  output_streams=[f"{o}:out_{o.lower()}" for o in outputs])
        self.runner = task_runner.TaskRunner.create(info.generate_graph_config(), None)
        self.whole = rect_pb2.NormalizedRect(rotation=0, x_center=0.5, y_center=0.5, width=1, height=1)

    def run(self, image, milliseconds=None):
        packets = {"image": packet_creator.create_image(image), "rect": packet_creator.create_proto(self.whole)}
        if milliseconds is not None:
            packets = {name: packet.at(milliseconds * 1000) for name, packet in packets.items()}
        return self.runner.process(packets)


class Landmarker:
    """Faces of one image, or of the next frame of a clip (`milliseconds` given, strictly increasing)."""

    def __init__(self, bundle, num_faces, video=False):
        mode = vision.RunningMode.VIDEO if video else vision.RunningMode.IMAGE
        options = vision.FaceLandmarkerOptions(
            base_options=tasks.BaseOptions(model_asset_path=bundle), running_mode=mode, num_faces=num_faces,
            min_face_detection_confidence=0.5, min_face_presence_confidence=0.5, min_tracking_confidence=0.5,
            output_face_blendshapes=True, output_facial_transformation_matrixes=True)
        self.task = vision.FaceLandmarker.create_from_options(options)
        self.graph = Graph("face_landmarker.FaceLandmarkerGraph", options,
                           ["NORM_LANDMARKS", "IMAGE", "FACE_RECTS", "FACE_RECTS_NEXT_FRAME", "DETECTIONS",
                            "FACE_GEOMETRY", "BLENDSHAPES"])

    def run(self, image, milliseconds=None):
        public = self.task.detect(image) if milliseconds is None else self.task.detect_for_video(image, milliseconds)
        inner = self.graph.run(image, milliseconds)
        found = table([xyz(f) for f in public.face_landmarks], POINTS, 3)
        same = table([xyz(f.landmark) for f in protos(inner["out_norm_landmarks"])], POINTS, 3)
        assert np.array_equal(found, same), "the task and its graph disagree"
        return dict(
            landmarks=found,
            blendshapes=table([[c.score for c in f] for f in public.face_blendshapes], SHAPES),
            matrices=table(public.facial_transformation_matrixes, 4, 4),
            detections_arrived=not inner["out_detections"].is_empty(),
            scores=table([d.score[0] for d in protos(inner["out_detections"])]),
            rects=table([row(r) for r in protos(inner["out_face_rects"])], 5),
            next_rects=table([row(r) for r in protos(inner["out_face_rects_next_frame"])], 5))


class Detector:
    """Scores of the detections down to `FLOOR`, best first, with the landmarker's suppression."""

    def __init__(self, bundle):
        model = zipfile.ZipFile(bundle).read("face_detector.tflite")
        options = vision.FaceDetectorOptions(base_options=tasks.BaseOptions(model_asset_buffer=model),
                                             min_detection_confidence=FLOOR, min_suppression_threshold=OVERLAP)
        self.graph = Graph("face_detector.FaceDetectorGraph", options, ["DETECTIONS", "IMAGE"])

    def scores(self, image):
        return table([d.score[0] for d in protos(self.graph.run(image)["out_detections"])])


class Region:
    """The landmark model on one region: presence as a probability, and the landmarks whatever it is."""

    def __init__(self, bundle):
        options = RegionOptions(min_detection_confidence=0)
        options.base_options.model_asset.file_content = zipfile.ZipFile(bundle).read("face_landmarks_detector.tflite")
        config = calculator_pb2.CalculatorGraphConfig()
        node = config.node.add(calculator=f"{PACKAGE}.face_landmarker.SingleFaceLandmarksDetectorGraph")
        for part in (config, node):
            part.input_stream.extend(["IMAGE:image", "NORM_RECT:rect"])
            part.output_stream.extend(["PRESENCE_SCORE:score", "NORM_LANDMARKS:landmarks"])
        node.options.Extensions[RegionOptions.ext].CopyFrom(options)
        self.runner = task_runner.TaskRunner.create(config, None)

    def run(self, image, region):
        names = ("x_center", "y_center", "width", "height", "rotation")
        rect = rect_pb2.NormalizedRect(**dict(zip(names, map(float, region))))
        out = self.runner.process({"image": packet_creator.create_image(image),
                                   "rect": packet_creator.create_proto(rect)})
        points = out["landmarks"]
        found = [] if points.is_empty() else [xyz(packet_getter.get_proto(points).landmark)]
        return packet_getter.get_float(out["score"]), table(found, POINTS, 3)


def expanded(rects):
    """Regions that the landmark model sees, from the detector's rectangles."""
    out = np.array(rects, np.float32)
    out[:, 2:4] *= np.float32(1.5)
    return out
