"""Labels of other tools, converted to COCO by datumaro as the guide says, and imported; `make test-datumaro` runs it."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import datumaro as dm
import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = ROOT / "Sources/Datasets/Datasets.docc/LabelsInFolders.md"
CLASSES = ["face", "face_mask"]


def items(split):
    """Images of different sizes, with one box more in each, whose corners are fractions of pixels."""
    generator = np.random.default_rng(len(split))
    for number in range(3):
        pixels = generator.integers(0, 255, (120 + 10 * number, 160, 3), dtype=np.uint8)
        boxes = [dm.Bbox(10.25 + 7 * box + number, 20.5 + 5 * box, 30 + box, 40 - box, label=box % 2, id=box, group=box)
                 for box in range(number + 1)]
        yield dm.DatasetItem(id=f"{split}{number}", subset=split, annotations=boxes,
                             media=dm.components.media.Image.from_numpy(pixels))


def boxes_of(dataset):
    """Boxes by subset, and class, of a dataset of datumaro."""
    names = [label.name for label in dataset.categories()[dm.AnnotationType.label]]
    return {f"{item.subset}/{item.id.split('/')[-1]}": sorted(
        [round(number, 3) for number in box.get_bbox()] + [names[box.label]]
        for box in item.annotations if box.type == dm.AnnotationType.bbox) for item in dataset}


def run(*words):
    return subprocess.run([os.environ["FACEGAUGE"], *map(str, words)], capture_output=True, text=True)


def imported(test, folder, *words):
    """Boxes by split and image, and class, of the folder as facegauge imports it."""
    output = pathlib.Path(f"{folder}.h5")
    done = run("import", folder, "-o", output, *words)
    test.assertEqual(done.returncode, 0, done.stderr)
    with h5py.File(output) as file:
        names = [pathlib.PurePath(name).stem for name in file["images/name"].asstr()[:]]
        splits = {frame: split for split in file.get("splits", {}) for frame in file[f"splits/{split}"][:]}
        found = {f"{splits.get(frame, 'default')}/{name}": [] for frame, name in enumerate(names)}
        classes = file["faces/category_name"].asstr()[:] if "faces/category_name" in file else ["face"] * len(file["faces/box"])
        for frame, box, kind in zip(file["faces/frame"][:], file["faces/box"][:], classes):
            found[f"{splits.get(frame, 'default')}/{names[frame]}"].append([round(float(x), 3) for x in box] + [kind])
    return {image: sorted(boxes) for image, boxes in found.items()}


class DatumaroTests(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.dataset = dm.Dataset.from_iterable(
            [item for split in ("train", "val") for item in items(split)], categories=CLASSES,
            media_type=dm.components.media.Image)

    def convert(self, folder, kind):
        """Runs the guide's line for another folder and format."""
        line = re.search(r'^python3 -c "(import datumaro.*)"$', GUIDE.read_text(), re.MULTILINE).group(1)
        code = line.replace("'photos'", repr(str(folder))).replace("'vott_json'", repr(kind))
        done = subprocess.run([sys.executable, "-c", code.replace("'photos-coco'", repr(f"{folder}-coco"))],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return f"{folder}-coco"

    def test_labels_of_vott_come_in_as_the_guide_says(self):
        images, regions = self.folder / "photos", {}
        images.mkdir()
        for number, item in enumerate(items("train")):
            item.media.save(str(images / f"{number}.jpg"))
            regions[str(number)] = {
                "asset": {"name": f"{number}.jpg", "path": f"{number}.jpg", "size": {"width": 160, "height": 120 + 10 * number}},
                "regions": [{"type": "RECTANGLE", "tags": ["face"], "boundingBox": dict(zip(
                    ["left", "top", "width", "height"], box.get_bbox()))} for box in item.annotations]}
        (images / "faces-export.json").write_text(json.dumps({"assets": regions, "tags": [{"name": "face"}]}))
        refused = run("import", images, "-o", self.folder / "none.h5")
        self.assertEqual(refused.returncode, 65, "its labels are not left out unsaid")
        found = imported(self, self.convert(images, "vott_json"))
        expected = {f"default/{number}": sorted([round(x, 3) for x in box.get_bbox()] + ["face"] for box in item.annotations)
                    for number, item in enumerate(items("train"))}
        self.assertEqual(found, expected)

    def test_other_tools_come_in_through_coco_with_splits_and_classes(self):
        for kind in ("datumaro", "label_me", "open_images", "kitti_detection"):
            with self.subTest(kind):
                source = self.folder / kind
                self.dataset.export(str(source), kind, save_media=True)
                held = boxes_of(dm.Dataset.import_from(str(source), kind))
                self.assertEqual(sum(map(len, held.values())), 12)
                self.assertEqual(imported(self, self.convert(source, kind), "--category", "face,face_mask"), held)

    def test_what_both_read_is_the_same(self):
        for kind in ("coco_instances", "voc_detection", "yolo", "cvat"):
            with self.subTest(kind):
                source = self.folder / kind
                self.dataset.export(str(source), kind, save_media=True)
                own = imported(self, source, "--category", "all", *(["--index-base", "0"] if kind == "voc_detection" else []))
                held = boxes_of(dm.Dataset.import_from(str(source), kind))
                self.assertEqual(set(own), set(held))
                for image, boxes in held.items():
                    self.assertEqual([box[4] for box in own[image]], [box[4] for box in boxes])
                    # YOLO's text has six digits of fractions of 160 pixels.
                    np.testing.assert_allclose([box[:4] for box in own[image]], [box[:4] for box in boxes], atol=2e-3)

    def test_points_go_out_to_datumaro(self):
        source = self.folder / "photos-five"
        source.mkdir()
        points = [[20.5, 30], [40, 30], [30, 40], [22, 50], [38, 50]]
        next(items("train")).media.save(str(source / "a.jpg"))
        (source / "labels.json").write_text(json.dumps({
            "schema": "facegauge.labels", "version": 1, "images": [{"name": "a", "file": "a.jpg", "faces": [{
                "box": [10, 20, 40, 40], "landmarks": {"five": {"points": points, "visible": [2] * 5}}}]}]}))
        self.assertEqual(run("import", source, "-o", self.folder / "five.h5").returncode, 0)
        self.assertEqual(run("export", "coco", self.folder / "five.h5", "-o", self.folder / "out").returncode, 0)
        named = self.folder / "coco/annotations/person_keypoints_default.json"
        named.parent.mkdir(parents=True)
        (self.folder / "coco/images/default").mkdir(parents=True)
        (self.folder / "out/labels.json").rename(named)
        held = dm.Dataset.import_from(str(self.folder / "coco"), "coco_person_keypoints")
        found = [part.points for item in held for part in item.annotations if part.type == dm.AnnotationType.points]
        self.assertEqual(found, [[x for point in points for x in point]])


if __name__ == "__main__":
    unittest.main()
