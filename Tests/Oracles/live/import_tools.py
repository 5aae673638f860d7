"""Labels that the tools' own packages write or read: datumaro, supervision, labelme, Label Studio's SDK, pycocotools, pandas."""
import json
import random
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from import_faces import Case, Face

SIZE = (640, 480)
FIVE = ["right_eye", "left_eye", "nose", "right_mouth", "left_mouth"]


# What WIDER FACE says of every face, as datumaro names it.
MARKS = dict.fromkeys(("blur", "expression", "illumination", "occluded", "pose", "invalid"), "0")


def drawn(count=25, seed=44):
    """Images by name, each with boxes x, y, width, height in hundredths of a pixel."""
    draw = random.Random(seed)
    return {f"{image:02}.png": [[round(value, 2) for value in (draw.uniform(0, 300), draw.uniform(0, 200),
                                                               draw.uniform(20, 300), draw.uniform(20, 200))]
                                for _ in range(draw.randrange(4))]
            for image in range(count)}


def pictures(folder, names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", SIZE).save(folder / name)


def five(box):
    """Five points in the order right eye, left eye, nose, right and left mouth corner, as an image shows them."""
    x, y, width, height = box
    return [[round(x + a * width, 2), round(y + b * height, 2)] for a, b in
            [(.3, .35), (.7, .35), (.5, .6), (.35, .8), (.65, .8)]]


def datumaro_items(images, subset="default"):
    import datumaro
    from datumaro.components.media import Image as Media
    return datumaro.Dataset.from_iterable([
        datumaro.DatasetItem(Path(name).stem, subset=subset, media=Media.from_numpy(np.zeros((*SIZE[::-1], 3), np.uint8)),
                             annotations=[datumaro.Bbox(*box, label=0, id=i, group=i, attributes=MARKS) for i, box in enumerate(boxes, 1)],
                             attributes={"frame": number})
        for number, (name, boxes) in enumerate(images.items())], categories=["face"])


def by_datumaro(folder, form, inside=""):
    """datumaro's boxes. Images that have no file of labels in a folder of VOC are left out."""
    import datumaro
    from datumaro.components.annotation import AnnotationType
    frames = {}
    for item in datumaro.Dataset.import_from(str(folder), form):
        if form != "voc" or (folder / "Annotations" / f"{item.id}.xml").exists():
            frames[f"{inside}{item.id.split('/')[-1]}.png"] = [Face(a.get_bbox()) for a in item.annotations if a.type == AnnotationType.bbox]
    return frames


def with_datumaro(folder, form, images):
    datumaro_items(images, "train" if form in ("wider_face", "yolo") else "default").export(
        str(folder), form, save_media=True, image_ext=".png")


def tracks(folder):
    """Two tracks of CVAT's video: keyframes, and one that is outside between two of them."""
    shape = ('<box frame="{}" keyframe="1" outside="{}" occluded="0" xtl="{}" ytl="{}" xbr="{}" ybr="{}"/>')
    rows = [[(0, 0, 10, 20, 50, 70), (8, 0, 90, 40, 130, 98), (12, 1, 90, 40, 130, 98), (20, 0, 30, 30, 60, 60)],
            [(3, 0, 200, 100, 240.5, 150), (15, 0, 320, 160, 380.5, 220)]]
    text = "".join(f'<track id="{i}" label="face">' + "".join(shape.format(*row) for row in track) + "</track>"
                   for i, track in enumerate(rows))
    folder.mkdir(exist_ok=True)
    (folder / "annotations.xml").write_text(
        '<annotations><version>1.1</version><meta><task><size>24</size><mode>interpolation</mode><labels><label><name>face</name>'
        f'</label></labels><source>clip.mp4</source></task></meta>{text}</annotations>')
    frames = {f"clip.mp4/{i}": [] for i in range(24)}
    for identity, track in enumerate(rows):
        for one, other in zip(track, track[1:] + [(24, *track[-1][1:])]):
            for frame in range(one[0], other[0]):
                share = (frame - one[0]) / (other[0] - one[0])
                # A shape before one that is outside stays where it is.
                end = np.array(one[2:] if other[1] else other[2:], float)
                left, top, right, bottom = np.array(one[2:]) * (1 - share) + end * share
                if not one[1]:
                    frames[f"clip.mp4/{frame}"].append(Face([left, top, right - left, bottom - top], None,
                                                            {"identity": float(identity)}))
    return frames


def with_labelme(folder, images):
    folder.mkdir(exist_ok=True)
    pictures(folder, images)
    for name, boxes in images.items():
        shapes = []
        for group, box in enumerate(boxes):
            x, y, width, height = box
            shapes.append(("face", group, [[x, y], [round(x + width, 2), round(y + height, 2)]], "rectangle"))
            shapes += [(word, group, [point], "point") for word, point in zip(FIVE, five(box))]
        (folder / name).with_suffix(".json").write_text(json.dumps({
            "version": "6.0.0", "flags": {}, "imagePath": name, "imageData": None, "imageHeight": SIZE[1], "imageWidth": SIZE[0],
            "shapes": [{"label": word, "group_id": group, "points": points, "shape_type": form, "flags": {}, "description": ""}
                       for word, group, points, form in shapes]}))


def labelme(folder):
    from labelme._label_file import LabelFile
    frames = {}
    for path in sorted(folder.glob("*.json")):
        label = LabelFile(str(path))
        get = lambda shape, key: shape[key] if isinstance(shape, dict) else getattr(shape, key)
        faces = {}
        for shape in label.shapes:
            parts = faces.setdefault(get(shape, "group_id"), {})
            parts[get(shape, "label")] = np.array(get(shape, "points"), float)
        frames[path.with_suffix(".png").name] = [
            Face([*p["face"][0], *(p["face"][1] - p["face"][0])], np.array([p[word][0] for word in FIVE])) for p in faces.values()]
    return frames


LABEL_STUDIO = ('<View><Image name="image" value="$image"/><RectangleLabels name="label" toName="image"><Label value="face"/>'
                '</RectangleLabels></View>')


def with_label_studio(folder, images, predicts=False):
    folder.mkdir(exist_ok=True)
    pictures(folder, images)
    tasks = []
    for number, (name, boxes) in enumerate(images.items()):
        result = [{"id": f"r{i}", "type": "rectanglelabels", "from_name": "label", "to_name": "image", "score": 0.5 + i / 8,
                   "original_width": SIZE[0], "original_height": SIZE[1], "image_rotation": 0,
                   "value": {"x": x * 100 / SIZE[0], "y": y * 100 / SIZE[1], "width": w * 100 / SIZE[0], "height": h * 100 / SIZE[1],
                             "rotation": 0, "rectanglelabels": ["face"]}} for i, (x, y, w, h) in enumerate(boxes)]
        tasks.append({"id": number + 1, "data": {"image": str(folder / name)},
                      "annotations": [] if predicts else [{"id": number, "completed_by": 1, "result": result}],
                      "predictions": [{"id": number, "model_version": "m", "score": 0.5, "result": result}] if predicts else []})
    (folder / "export.json").write_text(json.dumps(tasks))


def label_studio(folder, predicts=False):
    """Label Studio's own converter to COCO, or for predictions what its SDK accepts."""
    if predicts:
        from label_studio_sdk.label_interface import LabelInterface
        interface, frames = LabelInterface(LABEL_STUDIO), {}
        for task in json.loads((folder / "export.json").read_text()):
            (work,) = task["predictions"]
            assert interface.validate_prediction(work), "label_studio_sdk refuses a prediction"
            frames[Path(task["data"]["image"]).name] = [
                Face([r["value"]["x"] * SIZE[0] / 100, r["value"]["y"] * SIZE[1] / 100, r["value"]["width"] * SIZE[0] / 100,
                      r["value"]["height"] * SIZE[1] / 100], None, {"score": r["score"]}) for r in work["result"]]
        return frames
    from label_studio_sdk.converter import Converter
    out = folder / "coco"
    Converter(LABEL_STUDIO, str(folder), download_resources=False).convert_to_coco(
        str(folder / "export.json"), str(out), output_image_dir=str(out / "images"), is_dir=False)
    found = json.loads((out / "result.json").read_text())
    names = {image["id"]: Path(image["file_name"]).name for image in found["images"]}
    frames = {name: [] for name in names.values()}
    for row in found["annotations"]:
        frames[names[row["image_id"]]].append(Face(row["bbox"]))
    return frames


def with_supervision(folder, form, images):
    import supervision
    pictures(folder / "images", images)
    annotations = {}
    for name, boxes in images.items():
        corners = np.array([[x, y, x + w, y + h] for x, y, w, h in boxes], float).reshape(-1, 4)
        annotations[str(folder / "images" / name)] = supervision.Detections(corners, class_id=np.zeros(len(boxes), int))
    dataset = supervision.DetectionDataset(["face"], list(annotations), annotations)
    if form == "yolo":
        dataset.as_yolo(annotations_directory_path=str(folder / "labels"), data_yaml_path=str(folder / "data.yaml"))
    elif form == "voc":
        dataset.as_pascal_voc(annotations_directory_path=str(folder / "Annotations"))
    else:
        dataset.as_coco(annotations_path=str(folder / "labels.json"))


def by_supervision(folder, form):
    import supervision
    images = str(folder / "images")
    found = {"yolo": lambda: supervision.DetectionDataset.from_yolo(images, str(folder / "labels"), str(folder / "data.yaml")),
             "voc": lambda: supervision.DetectionDataset.from_pascal_voc(images, str(folder / "Annotations")),
             "coco": lambda: supervision.DetectionDataset.from_coco(images, str(folder / "labels.json"))}[form]()
    base = folder if form == "yolo" else images
    return {Path(path).relative_to(base).as_posix(): [Face([*box[:2], *(box[2:] - box[:2])]) for box in detections.xyxy.astype(float)]
            for path, _, detections in found}


def cases(shared, folder, chosen):
    images = drawn()
    whole = {name: [[float(round(v)) for v in box] for box in boxes] for name, boxes in images.items()}

    def fresh(name):
        place = folder / "written" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    if "cvat" in chosen:
        place = fresh("cvat")
        with_datumaro(place, "cvat", images)
        yield Case("cvat", "written by datumaro", "datumaro", ["cvat", next(place.rglob("*.xml")), "--images", place / "images"],
                   partial(by_datumaro, place, "cvat"), digits=0.0101)
        place = fresh("cvat-video")
        frames = tracks(place)
        yield Case("cvat", "tracks: keyframes, outside", "numpy", ["cvat", place / "annotations.xml"], lambda: frames)
    for form in ("yolo", "voc", "coco"):
        if form in chosen:
            place = fresh(f"supervision-{form}")
            # supervision reads the corners of VOC as whole pixels.
            with_supervision(place, form, whole if form == "voc" else images)
            source = {"yolo": place, "voc": place / "Annotations", "coco": place / "labels.json"}[form]
            options = [] if form == "yolo" else ["--images", place / "images"]
            yield Case(form, "written by supervision", "supervision", [form, source, *options], partial(by_supervision, place, form),
                       digits=0.01)
    for form, word in [("voc", "voc"), ("yolo", "yolo"), ("coco", "coco"), ("wider", "wider_face")]:
        if form in chosen:
            place = fresh(f"datumaro-{form}")
            # datumaro writes images without faces to a list of WIDER without their count.
            with_datumaro(place, word, {n: b for n, b in whole.items() if b} if form == "wider" else whole)
            source, options = {
                # Its VOC counts from 0, and a box ends at xmax.
                "voc": (place, ["--index-base", "0"]), "yolo": (place, []),
                "coco": (place / "annotations/instances_default.json", ["--images", place / "images/default"]),
                "wider": (place / "wider_face_split/wider_face_train_bbx_gt.txt", ["--images", place / "WIDER_train/images"]),
            }[form]
            yield Case(form, "written by datumaro", "datumaro", [form, source, *options],
                       partial(by_datumaro, place, word, {"yolo": "obj_train_data/", "wider": "no_label/"}.get(form, "")), digits=0.0101)
    if "labelme" in chosen:
        place = fresh("labelme")
        with_labelme(place, images)
        yield Case("labelme", "rectangles and points", "labelme", ["labelme", place], partial(labelme, place))
    if "label-studio" in chosen:
        for predicts in (False, True):
            place = fresh(f"label-studio-{predicts}")
            with_label_studio(place, images, predicts)
            yield Case("label-studio", "predictions, --of" if predicts else "annotations", "label_studio_sdk",
                       ["label-studio", place / "export.json"] + ([] if predicts else ["--images", place]),
                       partial(label_studio, place, predicts), of=["images", place] if predicts else None)
