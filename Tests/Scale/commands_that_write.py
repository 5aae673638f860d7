"""The commands that write, with what they read: for `kill_at_each_call.py`."""

import collections
import json
import math
import os
import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = os.environ.get("FACEGAUGE_PYTHON")

# A command's words; what else it understands; what must be there before.
Case = collections.namedtuple("Case", "name words output resume force needs", defaults=[False, False, None])

QUICK = ["--resamples", "100"]
SEEN = ["evaluate", "d.h5", "--predictions", "a.h5", *QUICK]
SUPPRESSION = ["--threshold", "min-suppression-threshold=0.3,0.5", *QUICK]

CASES = [
    Case("import", "import images images -o out.h5".split(), "out.h5", True, True),
    Case("import labels", "import coco labels.json --images images -o out.h5".split(), "out.h5", True, True),
    Case("import parts", "import coco many.json --labels-only -o out.h5".split(), "out.h5", True, True),
    Case("import --of", "import coco a.json labels.json --of d.h5 -o out.h5".split(), "out.h5", False, True),
    Case("merge", "merge d.h5 d.h5 -o out.h5".split(), "out.h5", False, True),
    Case("merge-faces", "merge-faces d.h5 -o out.h5".split(), "out.h5", False, True),
    Case("subset", "subset d.h5 --frames 0:2 -o out.h5".split(), "out.h5", False, True),
    Case("split", "split d.h5 --parts a=0.5,b=0.5 -o out.h5".split(), "out.h5", False, True),
    Case("animate", "animate d.h5 --motion pan --frames-per-clip 2 -o out.h5".split(), "out.h5", False, True),
    Case("annotate", "annotate d.h5 --by luminance -o out.h5".split(), "out.h5", False, True),
    Case("degrade", "degrade d.h5 --by dark -o out.h5".split(), "out.h5", False, True),
    Case("export coco", "export coco d.h5 -o out".split(), "out"),
    Case("export imglab", "export imglab d.h5 -o out".split(), "out"),
    Case("validate", "validate d.h5 --html out.html --markdown out.md".split(), "out.html"),
    Case("evaluate --predictions", [*SEEN, "-o", "out"], "out", False, True),
    Case("sweep --predictions", ["sweep", "d.h5", "--predictions", "a.h5", *SUPPRESSION, "-o", "out"], "out", True, True),
    Case("sweep a run", ["sweep", "run-a", *SUPPRESSION, "-o", "out"], "out", True, True),
    Case("compare", ["compare", "run-a", "run-b", *QUICK, "-o", "out"], "out", False, True),
    Case("calibrate", ["calibrate", "run-c", *QUICK, "-o", "out.json", "--report", "out"], "out.json", False, True),
    Case("report", "report run-a -o out".split(), "out"),
    Case("report in place", "report run-a".split(), "run-a"),
    Case("report --index", "report --index run-a run-b -o out".split(), "out"),
    Case("overlay", "overlay run-a -o out --parts detections,labels".split(), "out", False, True),
    Case("track", ["track", "d.h5", "--tracker", f"{PYTHON} {HERE.parent}/Packaging/brightness_tracker.py", "-o", "out.h5"],
         "out.h5", False, True, "python"),
    Case("evaluate --tracker", "evaluate clips.h5 --tracker correlation -o out --resamples 20".split(), "out", False, True),
    Case("evaluate", ["evaluate", "d.h5", *QUICK, "-o", "out"], "out", True, True, "models"),
    Case("evaluate video", ["evaluate", "clips.h5", "--mode", "video", *QUICK, "-o", "out"], "out", True, True, "models"),
    Case("sweep", ["sweep", "d.h5", *SUPPRESSION, "-o", "out"], "out", True, True, "models"),
    Case("evaluate --shard", ["evaluate", "d.h5", *QUICK, "-o", "out", "--shard", "0/2"], "out.shards", False, True, "models"),
    Case("sweep --shard", ["sweep", "d.h5", *SUPPRESSION, "-o", "out", "--shard", "0/2"], "out.shards", False, True, "models"),
    Case("join", "join parts".split(), "parts", False, True, "models"),
    Case("profile", "profile d.h5 -o out --baseline-out out.json --frames 3 --warm-up 0".split(), "out", False, True, "models"),
    Case("transform", "transform d.h5 -o out.h5".split(), "out.h5", False, True),
    Case("response", ["response", "run-take", *QUICK, "-o", "out"], "out", False, True),
    Case("leakage", ["leakage", "take.h5", *QUICK, "-o", "out"], "out", False, True),
    Case("fit blendshapes", "fit blendshapes run-take -o out.json".split(), "out.json", False, True),
    Case("history", "history baseline.json -o out".split(), "out", needs="models"),
    Case("explain", "explain images/0.png -o out.html --png out.png --looks 1".split(), "out.html", needs="models"),
    Case("models pull", "models pull --mirror MIRROR".split(), "pulled", needs="models"),
    Case("demo", "demo -o out".split(), "out", False, True, "models"),
]

# The same where an earlier output is replaced; it must be there, earlier or new, whenever the command is killed.
REPLACED = ["import", "merge", "evaluate --predictions", "sweep --predictions", "compare", "calibrate"]


def png(number):
    rows = b"".join(
        b"\0" + bytes((x * 3 + y * 5 + channel * 40 + number * 30) % 256 for x in range(64) for channel in range(3))
        for y in range(48))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 48, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def labels(count):
    return {
        "images": [{"id": index, "file_name": f"{index}.png", "width": 64, "height": 48} for index in range(count)],
        "categories": [{"id": 1, "name": "face"}],
        "annotations": [
            {"id": index, "image_id": index, "category_id": 1, "bbox": [10, 10, 30, 30]} for index in range(count)]}


def results(count, score):
    return [
        {"image_id": index, "category_id": 1, "bbox": box, "score": score + index % 7 / 50 - wrong}
        for index in range(count) for box, wrong in [([10, 10, 30, 30], 0), ([1, 1, 8, 8], 0.3)]]


NAMES = """browDownLeft browDownRight browInnerUp jawOpen mouthSmileLeft mouthSmileRight""".split()


def take(noise):
    """MediaPipe's results for a clip of 24 frames: a grid of points that turns and opens; repeatable noise."""
    lines = [{"schema": "facegauge.mediapipe", "version": 1, "kind": "video", "name": "take.mp4", "mediapipe": "0.10.21",
              "fps": 30}]
    for frame in range(24):
        angle, open_ = math.sin(frame / 3) * 0.4, (frame * 7 % 11) / 11
        points = [
            [0.5 + (index % 22 - 11) / 60 * math.cos(angle) + noise * math.sin(index * 3 + frame),
             0.5 + (index // 22 - 11) / 60 + open_ * (index > 300) / 20, math.sin(index) / 50] for index in range(478)]
        matrix = [[math.cos(angle), 0, math.sin(angle), 0], [0, 1, 0, 0], [-math.sin(angle), 0, math.cos(angle), -40],
                  [0, 0, 0, 1]]
        shapes = {name: abs(math.sin(frame * (place + 1) / 5)) * 0.5 + noise for place, name in enumerate(NAMES)}
        lines.append({
            "name": f"take.mp4/{frame}", "number": frame, "width": 64, "height": 48, "timestamp_ms": frame * 100 / 3,
            "faces": [{"landmarks": points, "blendshapes": shapes, "matrix": matrix}]})
    return "".join(json.dumps(line) + "\n" for line in lines)
