"""Formats of which no public file could be had: files of random faces in their layout, compared with what wrote them or another reader."""
import base64
import json
import math
import random
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import pandas
from PIL import Image

from import_faces import Case, Face
from import_tools import SIZE, drawn, five, pictures

WORDS = ("anger", "disgust", "fear", "happiness", "sadness", "surprise", "neutral")


def portraits():
    """FaceGauge's own labels, as its JSON has them."""
    path = Path(__file__).parents[3] / "Datasets/portraits/portraits.json"
    frames = {}
    for image in json.loads(path.read_text())["images"]:
        frames[image["name"]] = []
        for face in image["faces"]:
            points = np.array(face["landmarks"]["ibug68"]["points"], float)
            points[np.array(face["landmarks"]["ibug68"]["visible"]) == 0] = np.nan
            frames[image["name"]].append(Face(face["box"], points))
    return path, frames


def retinaface(folder, images, corners):
    """RetinaFace's label.txt, or SCRFD's labelv2.txt with sizes and corners."""
    pictures(folder / "images", images)
    text, frames = "", {}
    for name, boxes in images.items():
        text += f"# {name}" + (f" {SIZE[0]} {SIZE[1]}" if corners else "") + "\n"
        frames[name] = []
        for x, y, width, height in boxes:
            points = five([x, y, width, height])
            text += f"{x} {y} {x + width if corners else width} {y + height if corners else height} "
            text += " ".join(f"{a} {b} 0" for a, b in points) + "\n"
            box = [x, y, float(str(x + width)) - x, float(str(y + height)) - y] if corners else [x, y, width, height]
            frames[name].append(Face(box, points))
    path = folder / ("labelv2.txt" if corners else "label.txt")
    path.write_text(text)
    return path, frames


def ellipses(folder, images):
    """FDDB's list; the box is the tight box of the ellipse, by sampling its outline."""
    pictures(folder, [name.replace(".png", ".jpg") for name in images])
    text, frames, draw = "", {}, random.Random(4)
    for name, boxes in images.items():
        text += f"{name.removesuffix('.png')}\n{len(boxes)}\n"
        faces = frames[name.replace(".png", ".jpg")] = []
        for x, y, width, height in boxes:
            major, minor, angle = round(height / 2, 3), round(width / 3, 3), round(draw.uniform(-1.5, 1.5), 4)
            text += f"{major} {minor} {angle} {x} {y}  1\n"
            turn = np.linspace(0, 2 * math.pi, 400_001)
            across = major * np.cos(turn) * math.cos(angle) - minor * np.sin(turn) * math.sin(angle)
            down = major * np.cos(turn) * math.sin(angle) + minor * np.sin(turn) * math.cos(angle)
            faces.append(Face([x + across.min(), y + down.min(), np.ptp(across), np.ptp(down)], None,
                              {"ellipse_major": major, "ellipse_minor": minor, "ellipse_angle": angle}))
    (folder / "FDDB-fold-01-ellipseList.txt").write_text(text)
    return frames


def fddb_detections(folder, images):
    text, frames = "", {}
    for name, boxes in images.items():
        text += f"{name.removesuffix('.png')}\n{len(boxes)}\n"
        text += "".join(f"{x} {y} {w} {h} {0.5 + i / 8}\n" for i, (x, y, w, h) in enumerate(boxes))
        frames[name.replace(".png", ".jpg")] = [Face(box, None, {"score": 0.5 + i / 8}) for i, box in enumerate(boxes)]
    (folder / "detections.txt").write_text(text)
    return frames


def wflw_lists(shared, folder):
    """WFLW's rows of the points that mmpose has of two of its images, as numpy reads them back."""
    source = shared("mmpose-face") / "wflw"
    labels = json.loads((source / "test_wflw.json").read_text())
    names = {image["id"]: image["file_name"] for image in labels["images"]}
    path = folder / "list_98pt_rect_attr_test.txt"
    rows = []
    for row in labels["annotations"]:
        points = np.array(row["keypoints"]).reshape(-1, 3)[:, :2].ravel()
        x, y, width, height = (round(v) for v in row["bbox"])
        rows.append(" ".join([*map(str, points), *map(str, (x, y, x + width, y + height)), *"010010", names[row["image_id"]]]))
    path.write_text("\n".join(rows) + "\n")
    frames = {}
    table = np.loadtxt(path, dtype=str)
    for row in table:
        x, y, right, bottom = row[196:200].astype(float)
        marks = dict(zip(("pose", "expression", "illumination", "make-up", "occlusion", "blur"), row[200:206].astype(float)))
        frames.setdefault(row[206], []).append(Face([x, y, right - x, bottom - y], row[:196].astype(float).reshape(-1, 2), marks))
    return ["wflw", path, "--images", source], frames


def celeba(folder, count=20):
    """CelebA's lists of aligned images in the folders of its download."""
    draw = random.Random(2)
    names = [f"{i + 1:06}.jpg" for i in range(count)]
    place = folder / "Img/img_align_celeba"
    for part in (place, folder / "Anno", folder / "Eval"):
        part.mkdir(parents=True, exist_ok=True)
    points = {name: [[draw.randrange(60, 120), draw.randrange(60, 160)] for _ in range(5)] for name in names}
    marks = {name: [draw.choice((-1, 1)) for _ in range(3)] for name in names}
    for name in names:
        Image.new("RGB", (178, 218)).save(place / name)
    heads = "lefteye_x lefteye_y righteye_x righteye_y nose_x nose_y leftmouth_x leftmouth_y rightmouth_x rightmouth_y"
    rows = [f"{name}  " + "  ".join(str(v) for point in points[name] for v in point) for name in names]
    (folder / "Anno/list_landmarks_align_celeba.txt").write_text(f"{count}\n{heads}\n" + "\n".join(rows) + "\n")
    rows = [f"{name} " + " ".join(f"{v:2}" for v in marks[name]) for name in names]
    (folder / "Anno/list_attr_celeba.txt").write_text(f"{count}\nSmiling Male Young\n" + "\n".join(rows) + "\n")
    (folder / "Anno/identity_CelebA.txt").write_text("".join(f"{name} {i % 7}\n" for i, name in enumerate(names)))
    (folder / "Eval/list_eval_partition.txt").write_text("".join(f"{name} {i % 3}\n" for i, name in enumerate(names)))


def by_celeba_datumaro(folder):
    """datumaro's align_celeba: points and attributes."""
    import datumaro
    from datumaro.components.annotation import AnnotationType
    frames = {}
    for item in datumaro.Dataset.import_from(str(folder), "align_celeba"):
        points = next(a for a in item.annotations if a.type == AnnotationType.points)
        frames[f"{item.id}.jpg"] = [Face(None, np.array(points.points).reshape(-1, 2),
                                         {name: float(bool(value)) for name, value in item.attributes.items()})]
    return frames


def fer2013(folder, count=12):
    draw = np.random.default_rng(3)
    pandas.DataFrame({"emotion": draw.integers(0, 7, count), "Usage": ["Training", "PublicTest", "PrivateTest"] * (count // 3),
                      "pixels": [" ".join(map(str, draw.integers(0, 256, 48 * 48))) for _ in range(count)]},
                     columns=["emotion", "pixels", "Usage"]).to_csv(folder / "fer2013.csv", index=False)


def by_fer2013(path):
    table = pandas.read_csv(path)
    return {f"fer{i:07}.png": [Face([0, 0, 48, 48], None, {"expression": WORDS[emotion]})]
            for i, emotion in enumerate(table.emotion)}


def fer_plus(path):
    words = ("neutral", "happiness", "surprise", "sadness", "anger", "disgust", "fear", "contempt", "unknown", "NF")
    draw, rows = np.random.default_rng(5), []
    for i in range(40):
        rows.append([["Training", "PublicTest", "PrivateTest"][i % 3], f"fer{i:07}.png", *np.bincount(draw.integers(0, 10, 10), minlength=10)])
    pandas.DataFrame(rows, columns=["Usage", "Image name", *words]).to_csv(path, index=False)
    table = pandas.read_csv(path)
    return {row["Image name"]: [Face([0, 0, 48, 48], None, {f"votes_{w}": float(row[w]) for w in words})] for _, row in table.iterrows()}


def cofw(path, count=5):
    """COFW_test_color.mat in its own layout: cells of references, all extents in reverse order."""
    draw = np.random.default_rng(6)
    with h5py.File(path, "w") as file:
        images = file.create_dataset("IsT", (1, count), h5py.ref_dtype)
        for i in range(count):
            name = f"#refs#/{chr(97 + i)}"
            file[name] = draw.integers(0, 256, (3, 30, 40) if i % 2 else (30, 40)).astype("u1")
            images[0, i] = file[name].ref
        file["bboxesT"] = draw.uniform(1, 20, (4, count))
        file["phisT"] = np.concatenate([draw.uniform(1, 30, (58, count)), draw.integers(0, 2, (29, count))])
        kinds = {"IsT": "cell", "bboxesT": "double", "phisT": "double", **{f"#refs#/{n}": "uint8" for n in file["#refs#"]}}
        for name, kind in kinds.items():
            file[name].attrs["MATLAB_class"] = np.bytes_(kind)


def by_mat73(path):
    import mat73
    held = mat73.loadmat(str(path))
    frames = {}
    for i, (box, phi) in enumerate(zip(held["bboxesT"], held["phisT"])):
        points = np.array([phi[:29], phi[29:58]]).T - 1
        frames[f"{path.stem}/{i + 1}"] = [Face([box[0] - 1, box[1] - 1, box[2], box[3]], points)]
    return frames


def tables(folder, images):
    """A user's own CSV, and one of a clip with every fifth frame, by pandas."""
    pictures(folder, images)
    rows = [[name, *box, 0.5 + i / 8, *(v for p in five(box) for v in p)] for name, boxes in images.items() for i, box in enumerate(boxes)]
    names = ["file", "left", "top", "width", "height", "conf", *(f"{axis}_{i}" for i in range(5) for axis in "xy")]
    pandas.DataFrame(rows, columns=names).to_csv(folder / "faces.csv", index=False)
    pandas.DataFrame([["a", 5 * i, 1 + i, 2.25, 30, 40, 0.5 + i / 32] for i in range(9)],
                     columns=["clip", "frame", "x", "y", "w", "h", "conf"]).to_csv(folder / "clip.csv", index=False)


def by_table(path):
    frames = {}
    for _, row in pandas.read_csv(path).iterrows():
        points = [[row[f"x_{i}"], row[f"y_{i}"]] for i in range(5)]
        frames.setdefault(row["file"], []).append(
            Face([row["left"], row["top"], row["width"], row["height"]], points, {"score": row["conf"]}))
    return frames


def by_clip(path):
    return {f"{row.clip}/{row.frame}": [Face([row.x, row.y, row.w, row.h], None, {"score": row.conf})]
            for row in pandas.read_csv(path).itertuples()}


def arkit(path):
    """A session of a face that turns before a camera, with a mesh of random vertices, projected by numpy."""
    draw, frames = np.random.default_rng(7), {}
    mesh, focal = draw.uniform(-.1, .1, (1220, 3)).astype("f4"), 1000.0
    lines = [{"schema": "facegauge.arkit", "version": 1, "name": "take", "fps": 60}]
    for i in range(20):
        pose = np.eye(4)
        c, s = math.cos(i / 30), math.sin(i / 30)
        pose[:3, :3], pose[:3, 3] = [[c, 0, s], [0, 1, 0], [-s, 0, c]], [.01 * i, -.02, -.5]
        jaw = i / 20
        lines.append({"timestamp": 100 + i / 60, "faces": [{
            "identifier": "A", "isTracked": True, "transform": pose.T.tolist(), "blendShapes": {"jawOpen": jaw},
            "vertices": base64.b64encode(mesh.tobytes()).decode(), "leftEyeTransform": np.eye(4).tolist(),
            "rightEyeTransform": np.eye(4).tolist(), "lookAtPoint": [0, 0, 1]}], "camera": {
                "resolution": [1440, 1080], "intrinsics": [[focal, 0, 0], [0, focal, 0], [720, 540, 1]], "transform": np.eye(4).tolist()}})
        at = mesh @ pose[:3, :3].T + pose[:3, 3]
        x, y = 720 - focal * at[:, 0] / at[:, 2], 540 + focal * at[:, 1] / at[:, 2]
        matrix = pose.copy()
        matrix[:3, 3] *= 100
        frames[f"take/{i}"] = [Face([x.min(), y.min(), np.ptp(x), np.ptp(y)], None, {"blendshape:jawOpen": jaw, "pose": matrix})]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return frames


def vision(path, images):
    """Observations normalised from the lower left corner, with eyes and lips in the box."""
    lines, frames = [{"schema": "facegauge.vision", "version": 1, "kind": "still"}], {}
    for number, (name, boxes) in enumerate(images.items()):
        faces = []
        frames[name] = []
        for x, y, width, height in boxes:
            box = [x / SIZE[0], 1 - (y + height) / SIZE[1], width / SIZE[0], height / SIZE[1]]
            regions = {"leftPupil": [[.3, .65]], "rightPupil": [[.7, .65]], "outerLips": [[.35, .2], [.5, .15], [.65, .2]]}
            faces.append({"uuid": f"{number}-{x}", "boundingBox": box, "confidence": .75, "roll": .1, "yaw": -.2, "pitch": .3,
                          "landmarks": {"space": "box", "regions": regions}})
            points = [[x + a * width, y + b * height] for a, b in [(.3, .35), (.7, .35), (np.nan, np.nan), (.35, .8), (.65, .8)]]
            frames[name].append(Face([x, y, width, height], points, {"score": .75}))
        lines.append({"name": name, "number": number, "width": SIZE[0], "height": SIZE[1], "faces": faces})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return frames


def class_folders(folder):
    for name in (f"{split}/{word}/{i}.png" for split in ("train", "test") for word in WORDS for i in range(2)):
        pictures(folder, [name])


def by_folders(folder):
    """datumaro's imagenet_with_subset_dirs: SPLIT/CLASS/image."""
    import datumaro
    found = datumaro.Dataset.import_from(str(folder), "imagenet_with_subset_dirs")
    names = found.categories()[datumaro.AnnotationType.label]
    frames = {}
    for item in found:
        word = names[item.annotations[0].label].name
        frames[f"{item.subset}/{word}/{item.id.split(':')[-1]}.png"] = [Face([0, 0, *SIZE], None, {"expression": word})]
    return frames


def cases(shared, folder, chosen):
    images = drawn()

    def fresh(name):
        place = folder / "written" / name
        place.mkdir(parents=True, exist_ok=True)
        return place

    def made(frames):
        return lambda: frames

    if "labels" in chosen:
        path, frames = portraits()
        yield Case("labels", "Datasets/portraits", "json", ["labels", path, "--labels-only"], made(frames))
    if "retinaface" in chosen:
        for corners in (False, True):
            path, frames = retinaface(fresh(f"retinaface-{corners}"), images, corners)
            yield Case("retinaface", path.name, "as written", ["retinaface", path], made(frames))
    if "fddb" in chosen:
        place = fresh("fddb")
        frames = ellipses(place, images)
        labels = ["fddb", place / "FDDB-fold-01-ellipseList.txt", "--images", place]
        yield Case("fddb", "ellipses", "outline by numpy", labels, made(frames))
        yield Case("fddb", "detections, --of", "as written", ["fddb", place / "detections.txt"],
                   made(fddb_detections(place, images)), of=labels)
    if "wflw" in chosen:
        arguments, frames = wflw_lists(shared, fresh("wflw"))
        yield Case("wflw", "two images of WFLW", "numpy", arguments, made(frames))
    if "celeba" in chosen:
        place = fresh("celeba")
        celeba(place)
        yield Case("celeba", "lists of aligned images", "datumaro", ["celeba", place], partial(by_celeba_datumaro, place))
    if "fer2013" in chosen:
        place = fresh("fer2013")
        fer2013(place)
        yield Case("fer2013", "12 rows", "pandas", ["fer2013", place / "fer2013.csv"], partial(by_fer2013, place / "fer2013.csv"))
    if "ferplus" in chosen:
        path = fresh("ferplus") / "fer2013new.csv"
        yield Case("ferplus", "fer2013new.csv", "pandas", ["ferplus", path, "--labels-only"], made(fer_plus(path)))
    if "cofw" in chosen:
        path = fresh("cofw") / "COFW_test_color.mat"
        cofw(path)
        yield Case("cofw", "cells as MATLAB stores them", "mat73", ["cofw", path], partial(by_mat73, path))
    if "csv" in chosen:
        place = fresh("csv")
        tables(place, images)
        columns = "image=file,x=left,y=top,w=width,h=height,score=conf,px=x_{},py=y_{}"
        own = ["csv", place / "faces.csv", "--scheme", "five", "--columns", columns]
        yield Case("csv", "own columns, five points", "pandas", own, partial(by_table, place / "faces.csv"))
        every = ["csv", place / "clip.csv", "--columns", "sequence=clip,frame=frame,x=x,y=y,w=w,h=h,score=conf"]
        yield Case("csv", "every fifth frame", "pandas", every, partial(by_clip, place / "clip.csv"))
        yield Case("csv", "every fifth frame, --of", "pandas", every, partial(by_clip, place / "clip.csv"), of=every)
    if "arkit" in chosen:
        path = fresh("arkit") / "session.json"
        yield Case("arkit", "a mesh that turns", "numpy", ["arkit", path], made(arkit(path)))
    if "vision" in chosen:
        place = fresh("vision")
        pictures(place, images)
        path = place / "observations.json"
        frames = vision(path, images)
        yield Case("vision", "observations", "as written", ["vision", path], made(frames))
        yield Case("vision", "observations, --of", "as written", ["vision", path], made(frames), of=["images", place])
    if "class-folders" in chosen:
        place = fresh("class-folders")
        class_folders(place)
        yield Case("class-folders", "SPLIT/EXPRESSION", "datumaro", ["class-folders", place], partial(by_folders, place))
