#!/usr/bin/env python3
"""MediaPipe's own AssociationNormRectCalculator on seeded random rectangles.

Writes expected/region_association.json: for each case the tracked and the detected rectangles (x centre, y centre,
width, height), the threshold, and which of them (tracked ones count first) come out, in order. A rectangle carries its
index as its rotation, which overlaps ignore.
"""
import json, os
from importlib.metadata import version

os.environ.setdefault("GLOG_minloglevel", "3")
import mediapipe as mp
import numpy as np
from google.protobuf import text_format
from mediapipe.calculators.util import association_calculator_pb2  # registers the options
from mediapipe.framework import calculator_pb2
from mediapipe.framework.formats import rect_pb2
from mediapipe.python import packet_creator, packet_getter
from mediapipe.python._framework_bindings import calculator_graph

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = 200
# Python cannot make a packet of rectangles, so a loop over as many one-pixel images collects single ones.
COLLECT = """
node { calculator: "BeginLoopImageCalculator" input_stream: "ITERABLE:%(s)s_count"
       output_stream: "ITEM:%(s)s_item" output_stream: "BATCH_END:%(s)s_end" }
node { calculator: "EndLoopNormalizedRectCalculator" input_stream: "ITEM:%(s)s_rect"
       input_stream: "BATCH_END:%(s)s_end" output_stream: "ITERABLE:%(s)s" }
"""
GRAPH = """
input_stream: "tracked_count" input_stream: "tracked_rect"
input_stream: "detected_count" input_stream: "detected_rect" output_stream: "kept"
node { calculator: "AssociationNormRectCalculator" input_stream: "tracked" input_stream: "detected"
       output_stream: "kept"
       options { [mediapipe.AssociationCalculatorOptions.ext] { min_similarity_threshold: %r } } }
"""
PIXEL = mp.Image(image_format=mp.ImageFormat.GRAY8, data=np.zeros((1, 1), np.uint8))


def associate(tracked, detected, threshold):
    config = GRAPH % threshold + COLLECT % {"s": "tracked"} + COLLECT % {"s": "detected"}
    graph = calculator_graph.CalculatorGraph(
        graph_config=text_format.Parse(config, calculator_pb2.CalculatorGraphConfig()))
    kept = []
    graph.observe_output_stream("kept", lambda _, packet: kept.extend(packet_getter.get_proto_list(packet)))
    graph.start_run()
    index = 0
    for stream, rects in (("tracked", tracked), ("detected", detected)):
        graph.add_packet_to_input_stream(stream + "_count", packet_creator.create_image_vector([PIXEL] * len(rects)).at(0))
        for rank, (x, y, w, h) in enumerate(rects):
            rect = rect_pb2.NormalizedRect(x_center=x, y_center=y, width=w, height=h, rotation=index)
            graph.add_packet_to_input_stream(stream + "_rect", packet_creator.create_proto(rect).at(rank))
            index += 1
    graph.close_all_packet_sources()
    graph.wait_until_done()
    return [int(rect.rotation) for rect in kept]


def main():
    random = np.random.default_rng(3)
    cases = []
    for _ in range(CASES):
        # A few centres with jitter, so that overlaps of every size occur; some rectangles have no area.
        centres = random.uniform(0.2, 0.8, (random.integers(1, 4), 2))
        def rects(count):
            result = []
            for _ in range(count):
                centre = centres[random.integers(len(centres))] + random.normal(0, 0.04, 2)
                size = random.uniform(0.15, 0.35) * random.uniform(0.8, 1.25, 2)
                if random.random() < 0.03:
                    size *= 0
                result.append([float(np.float32(v)) for v in (*centre, *size)])
            return result
        tracked, detected = rects(random.integers(0, 5)), rects(random.integers(0, 5))
        threshold = float(random.choice([0, 0.3, 0.5, 0.5, 0.7, 0.9, 1]))
        cases.append({"tracked": tracked, "detected": detected, "threshold": threshold,
                      "kept": associate(tracked, detected, threshold) if tracked or detected else []})
    result = {"mediapipe": version("mediapipe"), "cases": cases}
    with open(os.path.join(HERE, "expected", "region_association.json"), "w") as file:
        json.dump(result, file)
        file.write("\n")
    print(len(cases), "cases,", sum(len(c["kept"]) < len(c["tracked"] + c["detected"]) for c in cases), "with removals")


main()
