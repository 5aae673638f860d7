"""Made-up labels in seven formats, and what each file means by its format's definition.

Writes expected/face_lists.json: for each format the files, the sizes of the images, the options of the
import and the frames with their faces. The labels are drawn first; the files are written from them with
Python's own XML and CSV writers, and the expected numbers are those in the files.

Definitions: FDDB's README (major and minor radius, angle in radians, centre), RetinaFace's label.txt and
SCRFD's labelv2.txt (corners, sizes of images), Ultralytics' text labels (class, centre and size in
fractions), the devkit of Pascal VOC 2012 (pixels from 1, last pixel included), Kaggle's fer2013.csv,
CelebA's README.

    python3 face_lists.py
"""

import csv
import io
import json
import math
import pathlib
import random
import xml.etree.ElementTree as xml

OUTPUT = pathlib.Path(__file__).parent / "expected" / "face_lists.json"
draw = random.Random(20)


def number(low, high, places=2):
    return round(draw.uniform(low, high), places)


def face(box, **more):
    return {"box": box, "category": 1, "ignored": False, "points": None, "hidden": [], "attributes": {},
            "expression": None, "identity": None, "score": None, **more}


def fddb():
    files, frames = {}, []
    for fold in (1, 2):
        lines = []
        for index in range(3):
            name = f"2002/08/{10 + fold}/big/img_{index}"
            faces = []
            rows = []
            for _ in range(draw.randrange(4)):
                major, angle = number(20, 90, 6), number(-1.57, 1.57, 6)
                minor, x, y = round(major * draw.uniform(.6, .9), 6), number(50, 300, 6), number(50, 300, 6)
                rows.append(f"{major:.6f} {minor:.6f} {angle:.6f} {x:.6f} {y:.6f}  1")
                # The extreme points of the ellipse, checked on 20,000 of its points.
                wide = math.sqrt((major * math.cos(angle)) ** 2 + (minor * math.sin(angle)) ** 2)
                high = math.sqrt((major * math.sin(angle)) ** 2 + (minor * math.cos(angle)) ** 2)
                steps = [2 * math.pi * k / 20000 for k in range(20000)]
                seen = [(major * math.cos(t) * math.cos(angle) - minor * math.sin(t) * math.sin(angle),
                         major * math.cos(t) * math.sin(angle) + minor * math.sin(t) * math.cos(angle))
                        for t in steps]
                assert abs(max(p[0] for p in seen) - wide) < 1e-4 and abs(max(p[1] for p in seen) - high) < 1e-4
                faces.append(face([x - wide, y - high, 2 * wide, 2 * high], attributes={
                    "ellipse_major": major, "ellipse_minor": minor, "ellipse_angle": angle, "ellipse_x": x,
                    "ellipse_y": y}))
            lines += [name, str(len(rows))] + rows
            frames.append({"name": name + ".jpg", "faces": faces, "splits": []})
        files[f"FDDB-folds/FDDB-fold-{fold:02}-ellipseList.txt"] = "\n".join(lines) + "\n"
    return {"format": "fddb", "source": "FDDB-folds", "files": files, "frames": frames}


def points_of_five(box):
    x, y, w, h = box
    return [[round(x + w * a, 3), round(y + h * b, 3)]
            for a, b in [(.3, .4), (.7, .4), (.5, .6), (.35, .8), (.65, .8)]]


def retinaface(version):
    lines, frames = [], []
    for index in range(4):
        name = f"{index}--Event/{index}_a b_{index}.jpg"
        lines.append(f"# {name} 640 480" if version == 2 else f"# {name}")
        faces = []
        for row in range(draw.randrange(1, 4)):
            x, y, w, h = (draw.randrange(0, 300), draw.randrange(0, 200), draw.randrange(5, 90), draw.randrange(5, 90))
            points = points_of_five([x, y, w, h])
            if row == 1:
                points[3] = None
            if row == 2:
                points = None
            numbers = [x, y, x + w, y + h] if version == 2 else [x, y, w, h]
            if row < 2:
                for p in points:
                    numbers += [-1, -1, -1] if p is None else [p[0], p[1], 0.0]
            extra = {}
            if version == 1 and row == 0:
                extra = {"column_20": 0.82}
                numbers.append(0.82)
            lines.append(" ".join(str(n) for n in numbers))
            faces.append(face([x, y, w, h], points=points, attributes=extra))
        frames.append({"name": name, "faces": faces, "splits": []})
    file = "labelv2.txt" if version == 2 else "label.txt"
    return {"format": "retinaface", "source": file, "files": {file: "\n".join(lines) + "\n"}, "frames": frames}


def yolo():
    files = {"classes.txt": "person\nface\n"}
    frames, images = [], {}
    for index in range(4):
        width, height = draw.randrange(40, 90), draw.randrange(40, 90)
        name = f"images/train/{index}.png"
        images[name] = [width, height]
        faces, lines = [], []
        for row in range(0 if index == 3 else 2 + index):
            kind = row % 2  # person, face
            cx, cy, w, h = number(.3, .6, 6), number(.3, .6, 6), number(.1, .4, 6), number(.1, .4, 6)
            words = [kind, cx, cy, w, h]
            points, hidden = None, []
            if kind == 1:
                points = []
                for k in range(5):
                    px, py, flag = number(.2, .8, 6), number(.2, .8, 6), draw.choice([0, 1, 2, 2])
                    words += [px, py, flag]
                    points.append([px * width, py * height] if flag else None)
                    if flag == 1:
                        hidden.append(k)
                if not any(points):
                    points = None
            lines.append(" ".join(str(word) for word in words))
            # Category 1 is a face; the class that was first gets the face's number, from 1.
            faces.append(face([(cx - w / 2) * width, (cy - h / 2) * height, w * width, h * height],
                              category=1 if kind == 1 else 2, points=points, hidden=hidden))
        if index < 3:
            files[f"labels/train/{index}.txt"] = "\n".join(lines) + "\n"
        frames.append({"name": name, "faces": faces, "splits": ["train"]})
    return {"format": "yolo", "source": ".", "files": files, "images": images, "frames": frames}


def voc():
    files, frames = {}, []
    for index in range(3):
        root = xml.Element("annotation")
        xml.SubElement(root, "folder").text = "VOC"
        xml.SubElement(root, "filename").text = f"{index}.jpg"
        size = xml.SubElement(root, "size")
        for key, value in [("width", 640), ("height", 480), ("depth", 3)]:
            xml.SubElement(size, key).text = str(value)
        faces = []
        for row in range(3):
            name = ["face", "dog & cat", "face"][row]
            left, top = draw.randrange(1, 200), draw.randrange(1, 200)
            right, bottom = left + draw.randrange(0, 90), top + draw.randrange(0, 90)
            difficult, truncated = int(row == 2), draw.randrange(2)
            thing = xml.SubElement(root, "object")
            xml.SubElement(thing, "name").text = name
            xml.SubElement(thing, "pose").text = "Unspecified"
            xml.SubElement(thing, "truncated").text = str(truncated)
            xml.SubElement(thing, "difficult").text = str(difficult)
            box = xml.SubElement(thing, "bndbox")
            for key, value in [("xmin", left), ("ymin", top), ("xmax", right), ("ymax", bottom)]:
                xml.SubElement(box, key).text = str(value)
            if row == 0:
                part = xml.SubElement(thing, "part")
                xml.SubElement(part, "name").text = "nose"
                inner = xml.SubElement(part, "bndbox")
                for key, value in [("xmin", 1), ("ymin", 1), ("xmax", 2), ("ymax", 2)]:
                    xml.SubElement(inner, key).text = str(value)
            faces.append(face([left - 1, top - 1, right - left + 1, bottom - top + 1],
                              category=1 if name == "face" else 2, ignored=bool(difficult),
                              attributes={"truncated": truncated, "difficult": difficult}))
        files[f"Annotations/{index}.xml"] = xml.tostring(root, encoding="unicode")
        frames.append({"name": f"{index}.jpg", "faces": faces, "splits": []})
    return {"format": "voc", "source": ".", "files": files, "frames": frames}


def fer2013():
    names = ["anger", "disgust", "fear", "happiness", "sadness", "surprise", "neutral"]
    text, frames = io.StringIO(), []
    writer = csv.writer(text)
    writer.writerow(["emotion", "pixels", "Usage"])
    for index in range(8):
        emotion, usage = draw.randrange(7), ["Training", "PublicTest", "PrivateTest"][index % 3]
        pixels = [(index * 31 + k * 7 + k // 48) % 256 for k in range(48 * 48)]
        writer.writerow([emotion, " ".join(str(p) for p in pixels), usage])
        frames.append({"name": f"fer{index:07}.png", "splits": [usage], "sum": sum(pixels),
                       "faces": [face([0, 0, 48, 48], expression=names[emotion])]})
    return {"format": "fer2013", "source": "fer2013.csv", "files": {"fer2013.csv": text.getvalue()}, "frames": frames}


def class_folders():
    images, frames = {}, []
    for split in ("test", "train"):
        for name in ("angry", "happy", "neutral"):
            for index in range(2):
                path = f"{split}/{name}/{index}.png"
                images[path] = [draw.randrange(20, 60), draw.randrange(20, 60)]
                frames.append({"name": path, "splits": [split],
                               "faces": [face([0, 0] + images[path], expression=name)]})
    return {"format": "class-folders", "source": ".", "files": {}, "images": images, "frames": frames}


def celeba():
    names = [f"{index:06}.jpg" for index in range(1, 6)]
    attribute_names = ["5_o_Clock_Shadow", "Smiling", "Young"]
    boxes, marks, flags = [], [], []
    frames = []
    identities, parts = [], []
    for name in names:
        box = [draw.randrange(0, 99), draw.randrange(0, 99), draw.randrange(50, 99), draw.randrange(50, 99)]
        points = [[round(x), round(y)] for x, y in points_of_five(box)]
        signs = [draw.choice([-1, 1]) for _ in attribute_names]
        identity, part = draw.randrange(1, 10000), draw.randrange(3)
        boxes.append(f"{name}    " + "  ".join(f"{v:3}" for v in box))
        marks.append(f"{name} " + "  ".join(f"{v:3}" for p in points for v in p))
        flags.append(f"{name} " + " ".join(f"{s:2}" for s in signs))
        identities.append(f"{name} {identity}")
        parts.append(f"{name} {part}")
        frames.append({"name": name, "splits": [["train", "val", "test"][part]], "faces": [
            face(box, points=points, identity=identity,
                 attributes={t: int(s == 1) for t, s in zip(attribute_names, signs)})]})
    head = f"{len(names)}\n"
    axes = " ".join(f"{p}_{a}" for p in ("lefteye", "righteye", "nose", "leftmouth", "rightmouth") for a in "xy")
    files = {
        "Anno/list_bbox_celeba.txt": head + "image_id x_1 y_1 width height\n" + "\n".join(boxes) + "\n",
        "Anno/list_landmarks_celeba.txt": head + axes + "\n" + "\n".join(marks) + "\n",
        "Anno/list_attr_celeba.txt": head + " ".join(attribute_names) + " \n" + "\n".join(flags) + "\n",
        "Anno/identity_CelebA.txt": "\n".join(identities) + "\n",
        "Eval/list_eval_partition.txt": "\n".join(parts) + "\n",
    }
    return {"format": "celeba", "source": ".", "files": files, "frames": frames}


if __name__ == "__main__":
    cases = [fddb(), retinaface(1), retinaface(2), yolo(), voc(), fer2013(), class_folders(), celeba()]
    for case in cases:
        case.setdefault("images", {})
        for frame in case["frames"]:
            frame.setdefault("sum", None)
    OUTPUT.write_text(json.dumps({"cases": cases}, separators=(",", ":")) + "\n")
    print(OUTPUT, OUTPUT.stat().st_size, "bytes")
