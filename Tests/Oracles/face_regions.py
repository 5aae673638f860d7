#!/usr/bin/env python3
"""MediaPipe's own calculators from detections and landmarks to regions, on seeded random faces.

Writes expected/face_regions.json. A detection is a box (x, y, width, height) and two eyes, all normalised; its region is
given as Face Landmarker has it (1.5 times the box) and as the older graphs have it (square in pixels first). Landmarks
are 478 equal points but for those listed by index; their region is that of the next frame.
"""
import json, os
from importlib.metadata import version

os.environ.setdefault("GLOG_minloglevel", "3")
import mediapipe as mp
import numpy as np
from google.protobuf import text_format
from mediapipe.calculators.util import landmarks_to_detection_calculator_pb2, rect_transformation_calculator_pb2
from mediapipe.framework import calculator_pb2
from mediapipe.framework.formats import detection_pb2, landmark_pb2
from mediapipe.python import packet_creator, packet_getter
from mediapipe.python._framework_bindings import calculator_graph

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = """
input_stream: "image" input_stream: "%s" output_stream: "region"
node { calculator: "ImagePropertiesCalculator" input_stream: "IMAGE:image" output_stream: "SIZE:size" }
"""
TO_REGION = """
node { calculator: "DetectionsToRectsCalculator" input_stream: "DETECTION:detection" input_stream: "IMAGE_SIZE:size"
       output_stream: "NORM_RECT:rect" options { [mediapipe.DetectionsToRectsCalculatorOptions.ext] {
         rotation_vector_start_keypoint_index: %d rotation_vector_end_keypoint_index: %d
         rotation_vector_target_angle_degrees: 0 } } }
node { calculator: "RectTransformationCalculator" input_stream: "NORM_RECT:rect" input_stream: "IMAGE_SIZE:size"
       output_stream: "region" options { [mediapipe.RectTransformationCalculatorOptions.ext] {
         scale_x: 1.5 scale_y: 1.5 %s } } }
"""
TO_DETECTION = """
node { calculator: "LandmarksToDetectionCalculator" input_stream: "NORM_LANDMARKS:landmarks"
       output_stream: "DETECTION:detection" }
"""
FROM_DETECTION = HEAD % "detection" + TO_REGION % (0, 1, "")
FROM_DETECTION_SQUARED = HEAD % "detection" + TO_REGION % (0, 1, "square_long: true")
FROM_LANDMARKS = HEAD % "landmarks" + TO_DETECTION + TO_REGION % (33, 263, "square_long: true")
IMAGES = {size: mp.Image(image_format=mp.ImageFormat.GRAY8, data=np.zeros((size[1], size[0]), np.uint8))
          for size in [(640, 480), (500, 375), (375, 500), (1920, 1080), (33, 7)]}


def region(config, stream, proto, size):
    graph = calculator_graph.CalculatorGraph(
        graph_config=text_format.Parse(config, calculator_pb2.CalculatorGraphConfig()))
    found = []
    graph.observe_output_stream("region", lambda _, packet: found.append(packet_getter.get_proto(packet)))
    graph.start_run()
    graph.add_packet_to_input_stream("image", packet_creator.create_image(IMAGES[size]).at(0))
    graph.add_packet_to_input_stream(stream, packet_creator.create_proto(proto).at(0))
    graph.close_all_packet_sources()
    graph.wait_until_done()
    r = found[0]
    return [r.x_center, r.y_center, r.width, r.height, r.rotation]


def floats(values):
    return np.asarray(values).astype(np.float32).astype(float).tolist()


def detection(box, eyes):
    proto = detection_pb2.Detection()
    proto.location_data.format = 2  # RELATIVE_BOUNDING_BOX
    relative = proto.location_data.relative_bounding_box
    relative.xmin, relative.ymin, relative.width, relative.height = box
    for x, y in eyes:
        proto.location_data.relative_keypoints.add(x=x, y=y)
    return proto


def main():
    random = np.random.default_rng(7)
    sizes = list(IMAGES)
    detections, faces = [], []
    for k in range(60):
        size = sizes[k % len(sizes)]
        box = floats([*random.uniform(-0.2, 0.8, 2), *random.uniform(0.01, 0.6, 2)])
        eyes = floats(random.uniform(-0.1, 1.1, (2, 2)))
        if k % 12 == 0: eyes[1] = eyes[0]
        if k % 12 == 1: eyes = floats([[0.75, 0.5], [0.25, 0.5]])
        if k % 12 == 2: eyes = floats([[0.5, 0.25], [0.5, 0.75]])
        proto = detection(box, eyes)
        detections.append({"size": size, "box": box, "eyes": eyes,
                           "region": region(FROM_DETECTION, "detection", proto, size),
                           "squared": region(FROM_DETECTION_SQUARED, "detection", proto, size)})
    for k in range(60):
        size = sizes[k % len(sizes)]
        low, high = [(-0.2, 1.2), (0.2, 0.8), (-0.9, -0.3), (1.1, 1.4)][k % 4]
        fill = floats(random.uniform(low, high, 2))
        points = {str(i): floats(random.uniform(low, high, 2)) for i in [33, 263, 5, 467, 468, 477]}
        proto = landmark_pb2.NormalizedLandmarkList(landmark=[
            landmark_pb2.NormalizedLandmark(x=x, y=y, z=0)
            for x, y in (points.get(str(i), fill) for i in range(478))])
        faces.append({"size": size, "fill": fill, "points": points,
                      "region": region(FROM_LANDMARKS, "landmarks", proto, size)})
    result = {"mediapipe": version("mediapipe"), "detections": detections, "faces": faces}
    with open(os.path.join(HERE, "expected", "face_regions.json"), "w") as file:
        json.dump(result, file)
        file.write("\n")
    print(len(detections), "detections,", len(faces), "faces")


main()
