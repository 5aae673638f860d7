"""What other trackers' files hold, by csv, json and numpy alone, and sessions whose geometry is known.

    FACEGAUGE_SHARED=FOLDER python3 Tests/Oracles/tracker_outputs.py    writes Tests/Oracles/expected/tracker_outputs.json

`files`: for each public file its frames, faces, and sums of the numbers that an importer keeps. A sum is exact to the
rounding of f32 storage. `poses`: OpenFace's rotations as 4 x 4 matrices in FaceGauge's convention, by scipy; the script
holds the convention (intrinsic x, y, z) against the file's own 3-D points. `arkit` and `vision`: files made here, with
the poses, boxes and points that they must give, computed by numpy.
"""
import base64
import csv
import json
import math
import os
import pathlib

import numpy as np
from scipy.spatial.transform import Rotation

HERE = pathlib.Path(__file__).resolve().parent
DATA = pathlib.Path(os.environ["FACEGAUGE_SHARED"]) / "data"
EMOTIONS = ["anger", "disgust", "fear", "happiness", "sadness", "surprise", "neutral"]
FLIP = np.diag([1.0, -1.0, -1.0])


def table(path):
    with open(DATA / path, newline="") as file:
        return list(csv.DictReader(file, skipinitialspace=True))


def numbers(rows, names):
    return float(sum(float(row[name]) for row in rows for name in names))


def openface(path):
    rows = table(path)
    tracked = [r for r in rows if r["success"] == "1"]
    units = [n for n in rows[0] if n.startswith("AU") or n.startswith("gaze")]
    # The file's 3-D points in millimetres, taken back by the pose, move least where the convention is right.
    points = np.array([[[float(r[f"{a}_{i}"]) for a in "XYZ"] for i in range(68)] for r in tracked])
    translations = np.array([[float(r[f"pose_T{a}"]) for a in "xyz"] for r in tracked])
    angles = np.array([[float(r[f"pose_R{a}"]) for a in "xyz"] for r in tracked])

    def spread(rotations):
        return np.einsum("nji,npj->npi", rotations.as_matrix(), points - translations[:, None]).std(0).mean()

    rotations = Rotation.from_euler("XYZ", angles)
    others = [Rotation.from_euler("ZYX", angles[:, ::-1]), Rotation.from_euler("XYZ", -angles)]
    assert all(spread(rotations) < 0.9 * spread(other) for other in others)
    back = np.einsum("nji,npj->npi", rotations.as_matrix(), points - translations[:, None]).mean(0)
    assert back[30, 2] < back[27, 2] < back[36, 2], "the nose looks along -z of OpenFace's face"
    assert back[8, 1] > back[27, 1] and back[45, 0] > back[36, 0], "y down, x to the image's right"
    poses = []
    for index in (0, len(tracked) // 2, len(tracked) - 1):
        matrix = np.eye(4)
        matrix[:3, :3] = FLIP @ rotations[index].as_matrix() @ FLIP
        matrix[:3, 3] = FLIP @ translations[index] / 10
        poses.append({"frame": int(tracked[index]["frame"]) - 1, "matrix": matrix.ravel().tolist()})
    return {
        "format": "openface", "frames": len({r["frame"] for r in rows}), "faces": len(tracked),
        "points": numbers(tracked, [f"{a}_{i}" for a in "xy" for i in range(68)]),
        "attributes": numbers(tracked, units), "scores": numbers(tracked, ["confidence"]), "poses": poses,
        "last": round(float(rows[-1]["timestamp"]) * 1e6),
    }


def pyfeat(path):
    rows = table(path)
    units = [n for n in rows[0] if n.startswith("AU")]
    words = [n for n in rows[0] if n in EMOTIONS + ["Anger", "Disgust", "Fear", "Happy", "Sad", "Surprise", "Neutral"]]
    scale = 1 if "Z" in rows[0] else math.pi / 180
    mesh = "mesh_x_0" in rows[0]
    return {
        "format": "pyfeat", "frames": len(rows), "faces": len(rows),
        "boxes": numbers(rows, ["FaceRectX", "FaceRectY", "FaceRectWidth", "FaceRectHeight"]),
        "points": numbers(rows, [f"{a}_{i}" for a in "xy" for i in range(68)]),
        "mesh": numbers(rows, [f"mesh_{a}_{i}" for a in "xy" for i in range(478)]) if mesh else 0,
        "attributes": numbers(rows, units + words), "scores": numbers(rows, ["FaceScore"]),
        "angles": scale * numbers(rows, ["Pitch", "Roll", "Yaw"]),
        "expressions": [max(words, key=lambda w: float(row[w])) for row in rows],
        "shapes": numbers(rows, ["jawOpen", "_neutral"]) if mesh else 0,
        "last": round(int(rows[-1].get("frame", 0)) * 1e6 / 30) if rows[0]["input"].endswith("mp4") else 0,
    }


def mot(path):
    rows = [[float(v) for v in line.split(",")] for line in open(DATA / path)]
    return {
        "format": "mot", "frames": int(max(r[0] for r in rows)), "faces": len(rows),
        "boxes": sum(r[2] - 1 + r[3] - 1 + r[4] + r[5] for r in rows), "identities": sum(r[1] for r in rows),
        "last": round((max(r[0] for r in rows) - 1) * 1e6 / 30),
    }


def otb(path):
    path = DATA / path
    if path.suffix == ".json":
        rows = json.loads(path.read_text())[0]["res"]
    else:
        rows = [[float(v) for v in line.replace("\t", ",").split(",")] for line in path.read_text().split()]
    return {
        "format": "otb", "frames": len(rows), "faces": len(rows),
        "boxes": sum(r[0] - 1 + r[1] - 1 + r[2] + r[3] for r in rows),
        "last": round((len(rows) - 1) * 1e6 / 30),
    }


def columns(matrix):
    return np.asarray(matrix).T.tolist()


def rigid(axis, degrees, translation):
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_rotvec(np.radians(degrees) * np.array(axis) / np.linalg.norm(axis)).as_matrix()
    matrix[:3, 3] = translation
    return matrix


def packed(values):
    return base64.b64encode(np.asarray(values, "<f4").tobytes()).decode()


def arkit():
    """Six frames: depth on the first and fifth, a left-over anchor in the third, the sixth at the fifth's time."""
    generator = np.random.default_rng(7)
    angles = generator.uniform(0, 2 * math.pi, (1220, 2))
    mesh = np.stack([0.07 * np.cos(angles[:, 0]) * np.sin(angles[:, 1]), 0.1 * np.cos(angles[:, 1]),
                     0.06 * np.sin(angles[:, 0]) * np.sin(angles[:, 1])], 1).round(4).astype("<f4")
    intrinsics = np.array([[1436.5, 0, 719.25], [0, 1436.5, 540.75], [0, 0, 1]])
    lines = [{"schema": "facegauge.arkit", "version": 1, "name": "take", "fps": 60}]
    poses, box = [], None
    depth = np.arange(12, dtype="<f4").reshape(3, 4) / 8
    depth[1, 2] = math.nan
    for index in range(6):
        camera = rigid([0.2, 1, -0.1], 3 + index, [0.01 * index, -0.02, 0.03])
        # ARKit's face looks along +z at a camera that looks along -z, some 40 cm before it.
        face = camera @ rigid([0.3, 1, 0.2], -20 + 5 * index, [0.02, 0.01 * index, -0.4])
        pose = np.linalg.inv(camera) @ face
        flat = np.hstack([mesh, np.ones((1220, 1))]) @ pose.T
        seen = intrinsics @ (FLIP @ flat[:, :3].T)
        pixels = (seen[:2] / seen[2]).T
        low, high = pixels.min(0), pixels.max(0)
        entry = {
            "identifier": "A1", "isTracked": index != 2, "transform": columns(face),
            "blendShapes": {"browDown_L": 0.25, "jawOpen": index / 10, "mouthSmileRight": 0.5, "tongueOut": 0.125},
            "leftEyeTransform": columns(rigid([0, 1, 0], 10, [0.03, 0.025, 0.02])), "lookAtPoint": [0.01, 0.02, 0.3],
        }
        if index == 0:
            entry["vertices"] = packed(mesh)
            box = [*low, *(high - low)]
        frame = {
            "timestamp": 81234.5 + min(index, 4) / 60,
            "camera": {"intrinsics": columns(intrinsics), "transform": columns(camera), "resolution": [1440, 1080]},
            "light": {"ambientIntensity": 1000.5, "ambientColorTemperature": 5500}, "faces": [entry],
        }
        if index % 4 == 0:
            frame["depth"] = {"width": 4, "height": 3, "metres": packed(depth)}
        lines.append(frame)
        pose[:3, 3] *= 100
        poses.append(pose.ravel().tolist())
    return {"text": "".join(json.dumps(line) + "\n" for line in lines), "poses": poses, "box": box,
            "mesh": float(mesh.astype("f8").sum()), "eye": [math.radians(10), 0.03]}


def vision():
    """An image of 640 x 480: a face in its upper left, with Vision's corner at the bottom left."""
    width, height = 640, 480
    x, y, w, h = 100.0, 60.0, 160.0, 120.0
    pixels = {"leftPupil": [[200, 100]], "rightPupil": [[150, 96]],
              "outerLips": [[160, 150], [175, 145], [196, 153], [176, 160]], "nose": [[175, 120]]}
    regions = {name: [[(px - x) / w, 1 - (py - y) / h] for px, py in points] for name, points in pixels.items()}
    lines = [
        {"schema": "facegauge.vision", "version": 1, "kind": "still"},
        {"name": "a.jpg", "width": width, "height": height, "faces": [{
            "uuid": "U1", "boundingBox": [x / width, 1 - (y + h) / height, w / width, h / height], "confidence": 0.75,
            "roll": 0.1, "yaw": -0.2, "pitch": 0.3, "faceCaptureQuality": 0.5, "landmarks": {"regions": regions}}]},
        {"name": "b.jpg", "width": width, "height": height, "faces": []},
    ]
    return {"text": "".join(json.dumps(line) + "\n" for line in lines), "box": [x, y, w, h],
            "five": [[150, 96], [200, 100], None, [160, 150], [196, 153]]}


def main():
    news = sorted((DATA / "pyfeat/docs/data/news_sample").glob("0*.csv"))
    assert len(news) == 10
    files = {"pyfeat/feat/tests/data/OpenFace_Test.csv": openface("pyfeat/feat/tests/data/OpenFace_Test.csv")}
    for path in ["pyfeat/feat/tests/data/001.csv", "pyfeat/feat/tests/data/Feat_Test.csv"]:
        files[path] = pyfeat(path)
    for path in news:
        name = str(path.relative_to(DATA))
        files[name] = pyfeat(name)
    for name in ["gt.txt", "test.txt"]:
        path = "mot-tud/motmetrics/data/TUD-Campus/" + name
        files[path] = mot(path)
    for path in ["otb-sample/data/Football1/groundtruth_rect.txt", "otb-sample/results/OPE/MEEM/Football1.json",
                 "otb-sample/results/OPE/MUSTer/Football1.json"]:
        files[path] = otb(path)
    with open(HERE / "expected" / "tracker_outputs.json", "w") as out:
        json.dump({"files": files, "arkit": arkit(), "vision": vision()}, out, sort_keys=True, separators=(",", ":"))
        out.write("\n")


main()
