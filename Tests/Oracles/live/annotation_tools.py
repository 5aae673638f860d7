"""Writes one set of faces as CVAT, Label Studio and LabelMe with their own packages, imports each, and compares.

Usage: annotation_tools.py FACEGAUGE [FOLDER]; needs datumaro, labelme and label-studio-sdk from PyPI, and h5py."""

import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import h5py
import numpy as np


def faces(count, seed):
    draw = random.Random(seed)
    for image in range(count):
        yield f"{image}.png", [
            [draw.uniform(0, 300), draw.uniform(0, 200), draw.uniform(20, 300), draw.uniform(20, 200)]
            for _ in range(draw.randrange(4))]


def picture(path):
    import PIL.Image
    PIL.Image.new("RGB", (640, 480)).save(path)


def with_datumaro(folder, images):
    """CVAT's XML, as datumaro writes it."""
    import datumaro as dm
    from datumaro.components.media import Image
    items = [
        dm.DatasetItem(
            pathlib.Path(name).stem, media=Image.from_numpy(np.zeros((480, 640, 3), np.uint8)),
            annotations=[dm.Bbox(*box, label=0) for box in boxes], attributes={"frame": index})
        for index, (name, boxes) in enumerate(images)]
    dm.Dataset.from_iterable(items, categories=["face"]).export(str(folder), "cvat", save_media=True)
    read = dm.Dataset.import_from(str(folder), "cvat")
    return folder, {item.id: [a.get_bbox() for a in item.annotations] for item in read}


def with_labelme(folder, images):
    """LabelMe's files, as its own class writes and reads them."""
    from labelme._label_file import LabelFile
    folder.mkdir()
    seen = {}
    for name, boxes in images:
        picture(folder / name)
        path = folder / (pathlib.Path(name).stem + ".json")
        shapes = [{"label": "face", "points": [[x, y], [x + w, y + h]], "shape_type": "rectangle", "flags": {},
                   "group_id": None, "description": ""} for x, y, w, h in boxes]
        path.write_text(json.dumps({"version": "6.0.0", "flags": {}, "shapes": shapes, "imagePath": name,
                                    "imageData": None, "imageHeight": 480, "imageWidth": 640}))
        own = LabelFile(str(path)).shapes
        points = [shape["points"] if isinstance(shape, dict) else shape.points for shape in own]
        seen[path.stem] = [[p[0][0], p[0][1], p[1][0] - p[0][0], p[1][1] - p[0][1]] for p in points]
    return folder, seen


def with_label_studio(folder, images):
    """Label Studio's tasks; its converter to COCO reads them."""
    from label_studio_sdk.converter import Converter
    folder.mkdir()
    tasks = []
    for number, (name, boxes) in enumerate(images):
        picture(folder / name)
        result = [{"id": f"r{i}", "type": "rectanglelabels", "from_name": "label", "to_name": "image",
                   "original_width": 640, "original_height": 480, "image_rotation": 0,
                   "value": {"x": x / 6.4, "y": y / 4.8, "width": w / 6.4, "height": h / 4.8, "rotation": 0,
                             "rectanglelabels": ["face"]}} for i, (x, y, w, h) in enumerate(boxes)]
        tasks.append({"id": number + 1, "data": {"image": str(folder / name)},
                      "annotations": [{"id": number, "completed_by": 1, "result": result}], "predictions": []})
    path = folder / "export.json"
    path.write_text(json.dumps(tasks))
    config = ('<View><Image name="image" value="$image"/><RectangleLabels name="label" toName="image">'
              '<Label value="face"/></RectangleLabels></View>')
    out = folder.parent / "coco"
    Converter(config, str(folder), download_resources=False).convert_to_coco(
        str(path), str(out), output_image_dir=str(out / "images"), is_dir=False)
    coco = json.loads((out / "result.json").read_text())
    names = {image["id"]: pathlib.Path(image["file_name"]).stem for image in coco["images"]}
    seen = {name: [] for name in names.values()}
    for row in coco["annotations"]:
        seen[names[row["image_id"]]].append(row["bbox"])
    return path, seen


def imported(program, source, target, options=()):
    subprocess.run([program, "import", str(source), "-o", str(target), *options], check=True,
                   capture_output=True)
    with h5py.File(target) as file:
        names = [pathlib.Path(name.decode()).stem for name in file["images/name"][()]]
        seen = {name: [] for name in names}
        for frame, box in zip(file["faces/frame"][()], file["faces/box"][()]):
            seen[names[frame]].append(box.tolist())
    return seen


def difference(ours, theirs):
    assert set(ours) == set(theirs), (sorted(ours)[:3], sorted(theirs)[:3])
    worst = 0.0
    for name, boxes in theirs.items():
        assert len(boxes) == len(ours[name]), name
        for one, other in zip(sorted(map(tuple, boxes)), sorted(map(tuple, ours[name]))):
            worst = max(worst, max(abs(a - b) for a, b in zip(one, other)))
    return worst


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else scratch)
        images = list(faces(25, 44))
        for name, write in [("cvat", with_datumaro), ("labelme", with_labelme), ("label-studio", with_label_studio)]:
            source, theirs = write(root / name, images)
            found = difference(imported(program, source, root / f"{name}.h5"), theirs)
            count = sum(map(len, theirs.values()))
            print(f"{name}: {len(theirs)} images, {count} faces, largest difference {found:.6f} pixels")


if __name__ == "__main__":
    main()
