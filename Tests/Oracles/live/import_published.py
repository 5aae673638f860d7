"""Published labels of faces: the files of the shared data, compared with readers of XML, JSON, MATLAB, HDF5 and tables."""
import contextlib
import io
import tarfile
import xml.etree.ElementTree as ElementTree
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import pandas
import scipy.io

from import_faces import Case, Face

WIDER_MARKS = ("blur", "expression", "illumination", "invalid", "occlusion", "pose")


def imglab(path):
    frames = {}
    for image in ElementTree.parse(path).getroot().iter("image"):
        faces = frames.setdefault(image.get("file"), [])
        for box in image.iter("box"):
            points = np.full((68, 2), np.nan)
            for part in box.iter("part"):
                points[int(part.get("name"))] = float(part.get("x")), float(part.get("y"))
            faces.append(Face([float(box.get(k)) for k in ("left", "top", "width", "height")],
                              points if len(box.findall("part")) else None, {"ignore": int(box.get("ignore", "0"))}))
    return frames


def pts(folder):
    """Images by path, with the points between braces or of all lines; they count from 1."""
    frames = {}
    for path in sorted(folder.rglob("*.pts")):
        text = path.read_text()
        text = text.split("{")[1].split("}")[0] if "{" in text else text
        points = np.array(text.split(), float).reshape(-1, 2) - 1
        image = next(p for p in (path.with_suffix(e) for e in (".jpg", ".jpeg", ".png")) if p.exists())
        frames[image.relative_to(folder).as_posix()] = [Face(None, points)]
    return frames


def coco(path, results=None):
    """pycocotools' images and annotations; category 1 is the face, and a body's keypoints are no face's."""
    from pycocotools.coco import COCO
    with contextlib.redirect_stdout(io.StringIO()):
        labels = COCO(str(path))
        found = labels.loadRes(str(results)) if results else labels
    frames = {image["file_name"]: [] for image in labels.dataset["images"]}
    for row in found.dataset["annotations"]:
        if results and row["category_id"] != 1:
            continue
        name = labels.imgs[row["image_id"]]["file_name"]
        if "face_valid" in row:
            if not row["face_valid"]:
                continue
            box, numbers = row["face_box"], row["face_kpts"]
        else:
            box, numbers = row.get("bbox"), row.get("keypoints", [])
        points = np.array(numbers, float).reshape(-1, 3)
        points[points[:, 2] == 0] = np.nan
        values = {"score": row["score"]} if results else {"crowd": row["iscrowd"], "area": row["area"], "category": row["category_id"]}
        if "face_valid" in row:
            values.pop("area")
        frames[name].append(Face(box, points[:, :2] if len(points) > 17 else None, values))
    return frames


def hrnet(path):
    table = pandas.read_csv(path)
    frames = {}
    columns = [c for c in table.columns if c.startswith("original_")]
    for name, row in zip(table.image_name, table[columns].to_numpy(float)):
        frames.setdefault(name, []).append(Face(None, row.reshape(-1, 2) - 1))
    return frames


def aflw2000(folder):
    frames = {}
    for path in sorted(folder.glob("*.mat")):
        held = scipy.io.loadmat(path)
        points = held["pt3d_68"].T.astype(float)
        points[:, :2] -= 1
        pose = held["Pose_Para"].ravel()
        wrapped = lambda angle: (angle + np.pi) % (2 * np.pi) - np.pi
        frames[path.with_suffix(".jpg").name] = [Face(None, points, {
            **{name: float(value) for name, value in zip(("pose_x", "pose_y", "pose_z", "pose_scale"), pose[3:])},
            **{name: float(wrapped(value)) for name, value in zip(("pitch", "yaw", "roll"), pose[:3].astype(float))}})]
    return frames


def cofw68(folder):
    (boxes,) = scipy.io.loadmat(next(folder.rglob("*_bboxes.mat"))).keys() - {"__header__", "__version__", "__globals__"}
    boxes = scipy.io.loadmat(next(folder.rglob("*_bboxes.mat")))[boxes]
    frames = {}
    for path in folder.rglob("*_points.mat"):
        number = path.name.split("_")[0]
        x, y, width, height = boxes[int(number) - 1]
        frames[number] = [Face([x - 1, y - 1, width, height], scipy.io.loadmat(path)["Points"].astype(float) - 1)]
    return frames


def cofw68_results(path, labels):
    lines = path.read_text().splitlines()
    frames = {name: [] for name in cofw68(labels)}
    for at in range(0, len(lines) - 3, 4):
        points = np.array([lines[at + 1].split(), lines[at + 2].split()], float).T - 1
        frames[lines[at].strip()].append(Face(None, points))
    return frames


def wider_mat(folder):
    held = scipy.io.loadmat(folder / "wider_face_val.mat")
    levels = {level: scipy.io.loadmat(folder / f"wider_{level}_val.mat")["gt_list"] for level in ("easy", "medium", "hard")}
    frames = {}
    for event, name in enumerate(str(n.item()) for n in held["event_list"].ravel()):
        files = held["file_list"].ravel()[event].ravel()
        for index, (file,) in enumerate(files):
            at = lambda key: held[key].ravel()[event].ravel()[index]
            boxes = at("face_bbx_list").astype(float)
            counted = {level: set(table.ravel()[event].ravel()[index].ravel().tolist()) for level, table in levels.items()}
            faces = frames.setdefault(f"{name}/{file}.jpg", [])
            for number, box in enumerate(boxes):
                marks = {mark: float(at(f"{mark}_label_list")[number, 0]) for mark in WIDER_MARKS}
                counts = {f"wider_{level}": float(number + 1 in rows) for level, rows in counted.items()}
                # A single row of zeros means no face.
                ignored = marks["invalid"] or min(box[2:]) < 0 or (len(boxes) == 1 and not boxes.any() and not sum(counts.values()))
                faces.append(Face([*box[:2], *np.maximum(box[2:], 0)], None, {**marks, **counts, "ignore": float(ignored)}))
    return frames


def wider_detections(folder, labels):
    frames = {name: [] for name in wider_mat(labels)}
    for path in folder.rglob("*.txt"):
        lines = path.read_text().splitlines()
        for line in lines[2:2 + int(lines[1])]:
            x, y, width, height, score = map(float, line.split())
            if width >= 0 and height >= 0:
                frames[f"{path.parent.name}/{path.stem}.jpg"].append(Face([x, y, width, height], None, {"score": score}))
    return frames


def ferplus(path):
    words = ("neutral", "happiness", "surprise", "sadness", "anger", "disgust", "fear", "contempt", "unknown", "NF")
    table = pandas.read_csv(path, header=None)
    return {row[0]: [Face([0, 0, 48, 48], None, {f"votes_{w}": float(v) for w, v in zip(words, row[2:])})]
            for row in table.itertuples(index=False)}


def mpii(path):
    """Boxes of MPII's centres and scales of 200 pixels, which count from 1."""
    frames = {}
    with h5py.File(path) as file:
        for name, center, scale in zip(file["imgname"][:], file["center"][:], file["scale"][:]):
            side = 200 * float(scale)
            text = name.decode() if isinstance(name, bytes) else "".join(chr(int(c)) for c in name).rstrip("\0")
            frames.setdefault(text, []).append(Face([*(center[:2].astype(float) - 1 - side / 2), side, side]))
    return frames


def signs(path):
    with h5py.File(path) as file:
        count, height, width, _ = file["test_set_x"].shape
    return {f"{path.name}/{i}": [Face([0, 0, width, height])] for i in range(count)}


def images(folder):
    return {path.relative_to(folder).as_posix(): [] for path in folder.rglob("*.jpg")}


def cases(shared, folder, chosen):
    if "imglab" in chosen:
        for name in ("training", "testing", "training_with_face_landmarks", "testing_with_face_landmarks"):
            path = shared("dlib-faces") / f"{name}.xml"
            yield Case("imglab", f"dlib {name}.xml", "xml.etree", ["imglab", path], partial(imglab, path))
        path = shared("300w-annots") / "labels_ibug_300W_test.xml"
        yield Case("imglab", "300-W labels_ibug_300W_test.xml", "xml.etree", ["imglab", path, "--labels-only"], partial(imglab, path))
    if "pts" in chosen:
        for name, title in [("helen68", "Helen"), ("eos-ibug", "eos")]:
            path = shared(name)
            yield Case("pts", f"{title} .pts", "numpy", ["pts", path], partial(pts, path))
    if "coco" in chosen:
        for name in ("cofw/test_cofw.json", "wflw/test_wflw.json", "300vw/anno_300vw.json", "coco/test_coco_wholebody.json"):
            path = shared("mmpose-face") / name
            yield Case("coco", f"mmpose {path.name}", "pycocotools", ["coco", path], partial(coco, path))
        path = shared("coco-eval") / "dataset/cocoapi/instances_val2014_100.json"
        results = path.parent / "instances_val2014_fakebbox100_results.json"
        labels = ["coco", path, "--category", "person", "--labels-only"]
        yield Case("coco", "COCO val2014, 100 images, person", "pycocotools", labels, partial(coco, path))
        yield Case("coco", "its box results, --of", "pycocotools", ["coco", results, path, "--category", "person"],
                   partial(coco, path, results), of=labels)
    if "hrnet" in chosen:
        path = shared("300w-annots") / "face_landmarks_300w_valid_common.csv"
        yield Case("hrnet", path.name, "pandas", ["hrnet", path, "--labels-only"], partial(hrnet, path))
    if "aflw2000" in chosen:
        path = shared("aflw2000-prnet")
        yield Case("aflw2000", "AFLW2000-3D, 16 images", "scipy.io", ["aflw2000", path], partial(aflw2000, path))
    if {"cofw68", "cofw68-results"} & set(chosen):
        path = shared("cofw68") / "COFW68_Data"
        labels = ["cofw68", path]
        yield Case("cofw68", "COFW68 test", "scipy.io", labels, partial(cofw68, path))
        for results in sorted((path.parent / "Results").glob("*.txt")):
            yield Case("cofw68-results", f"{results.name}, --of", "numpy", ["cofw68-results", results],
                       partial(cofw68_results, results, path), of=labels)
    if {"wider-mat", "wider-detections"} & set(chosen):
        path = shared("wider-eval-gt")
        labels = ["wider-mat", *(path / f"wider_{n}_val.mat" for n in ("face", "easy", "medium", "hard")), "--labels-only"]
        yield Case("wider-mat", "WIDER FACE val, 3 levels", "scipy.io", labels, partial(wider_mat, path))
        archive = shared("wider-pred-retina-mnet-b") / "widerface_txt.tar.gz"
        if not (archive.parent / "widerface_txt").exists():
            with tarfile.open(archive) as packed:
                packed.extractall(archive.parent, filter="data")
        detections = archive.parent / "widerface_txt"
        yield Case("wider-detections", "RetinaFace on WIDER val, --of", "numpy", ["wider-detections", detections],
                   partial(wider_detections, detections, path), of=labels)
    if "ferplus" in chosen:
        path = shared("ferplus") / "data/FER2013Valid/label.csv"
        yield Case("ferplus", "FER2013Valid/label.csv", "pandas", ["ferplus", path, "--labels-only"], partial(ferplus, path))
    if "hdf5" in chosen:
        mappings = Path(__file__).parents[3] / "Datasets/mappings"
        path = shared("hdf5-real") / "mpii-newell/valid.h5"
        if path.exists():
            yield Case("hdf5", "MPII valid.h5", "h5py", ["hdf5", mappings / "mpii-parallel-arrays.json", path, "--labels-only"],
                       partial(mpii, path))
        other = shared("hdf5-real") / "coursera-signs/test_signs.h5"
        yield Case("hdf5", "Coursera test_signs.h5", "h5py", ["hdf5", mappings / "nhwc-classes.json", other], partial(signs, other))
    if "images" in chosen:
        path = shared("wider-val-img") / "images"
        yield Case("images", "WIDER val, 95 images", "pathlib", ["images", path],
                   partial(images, path))
