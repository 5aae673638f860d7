#!/usr/bin/env python3
"""MediaPipe's own LandmarksSmoothingCalculator, set as Face Landmarker sets it, on seeded random faces.

Writes expected/landmark_smoothing.json: sequences of frames with a timestamp in microseconds, landmarks normalised by
the image (null for a frame without a face, which resets the filters) and the smoothed ones.
"""
import json, os
from importlib.metadata import version

os.environ.setdefault("GLOG_minloglevel", "3")
import mediapipe as mp
import numpy as np
from google.protobuf import text_format
from mediapipe.calculators.util import landmarks_smoothing_calculator_pb2  # registers the options
from mediapipe.framework import calculator_pb2
from mediapipe.framework.formats import landmark_pb2
from mediapipe.python import packet_creator, packet_getter
from mediapipe.python._framework_bindings import calculator_graph

HERE = os.path.dirname(os.path.abspath(__file__))
POINTS = 6
GRAPH = """
input_stream: "landmarks" input_stream: "image" output_stream: "smoothed"
node { calculator: "ImagePropertiesCalculator" input_stream: "IMAGE:image" output_stream: "SIZE:size" }
node { calculator: "LandmarksSmoothingCalculator" input_stream: "NORM_LANDMARKS:landmarks"
       input_stream: "IMAGE_SIZE:size" output_stream: "NORM_FILTERED_LANDMARKS:smoothed"
       options { [mediapipe.LandmarksSmoothingCalculatorOptions.ext] {
         one_euro_filter { min_cutoff: 0.05 beta: 80.0 derivate_cutoff: 1.0 } } } }
"""
# Milliseconds of each frame; None stands for a frame without a face, 16 ms later.
TIMES = {
    "starts at 0": [0, 33, 66, 100, 133, 166],
    "starts later": [100, 116, 133, 150, 166],
    "starts before 0 and passes it": [-66, -33, 0, 33, 66],
    "starts at 0 and is slow": [0, 1000, 1001, 9000],
    "has a gap": [100, 133, 166, 5166, 5200, 5233],
    "loses the face": [0, 33, None, 66, 100, None, None, 500, 533],
    "runs at wall-clock time": [1767225600000, 1767225600033, 1767225600066],
    "shrinks to a point for a frame": [100, 133, 166, 200, 233],
    "stands still": [100, 133, 166, 200],
}
SIZES = [(640, 480), (480, 640), (4032, 3024), (97, 101)]


def landmark_list(points):
    return landmark_pb2.NormalizedLandmarkList(
        landmark=[landmark_pb2.NormalizedLandmark(x=x, y=y, z=z) for x, y, z in points])


def smooth(frames, size):
    graph = calculator_graph.CalculatorGraph(
        graph_config=text_format.Parse(GRAPH, calculator_pb2.CalculatorGraphConfig()))
    found = {}
    graph.observe_output_stream("smoothed", lambda _, packet: found.update(
        {packet.timestamp.value: packet_getter.get_proto(packet)}))
    graph.start_run()
    image = mp.Image(image_format=mp.ImageFormat.GRAY8, data=np.zeros((size[1], size[0]), np.uint8))
    for microseconds, points in frames:
        graph.add_packet_to_input_stream("image", packet_creator.create_image(image).at(microseconds))
        if points is not None:
            packet = packet_creator.create_proto(landmark_list(points))
            graph.add_packet_to_input_stream("landmarks", packet.at(microseconds))
        graph.wait_until_idle()
    graph.close_all_packet_sources()
    graph.wait_until_done()
    return [None if points is None else [[p.x, p.y, p.z] for p in found[at].landmark] for at, points in frames]


def main():
    random = np.random.default_rng(5)
    sequences = []
    for (name, times), turn in zip(TIMES.items(), range(len(TIMES))):
        size = SIZES[turn % len(SIZES)]
        face = random.uniform([0.3, 0.3, -0.1], [0.7, 0.7, 0.1], (POINTS, 3))
        frames, last = [], 0
        for k, time in enumerate(times):
            face = face + (random.normal(0, 10.0 ** -random.integers(2, 6), (POINTS, 3)) if name != "stands still" else 0)
            points = face if (name, k) != ("shrinks to a point for a frame", 2) else np.full((POINTS, 3), 0.5)
            last = last + 16 if time is None else time
            frames.append((last * 1000, None if time is None else points.astype(np.float32).astype(float).tolist()))
        smoothed = smooth(frames, size)
        sequences.append({"name": name, "size": size, "frames": [
            {"microseconds": at, "landmarks": points, "smoothed": out} for (at, points), out in zip(frames, smoothed)]})
    result = {"mediapipe": version("mediapipe"), "sequences": sequences}
    with open(os.path.join(HERE, "expected", "landmark_smoothing.json"), "w") as file:
        json.dump(result, file)
        file.write("\n")
    print(len(sequences), "sequences")


main()
