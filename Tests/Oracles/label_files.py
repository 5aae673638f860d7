"""Counts and checksums of public label files, by pycocotools, csv, tarfile and plain splitting alone.

    FACEGAUGE_SHARED=FOLDER python3 Tests/Oracles/label_files.py    writes Tests/Oracles/expected/label_files.json

A checksum is the CRC-32 of little-endian f64: images in the order of the file, faces in the order of its rows.
"""

import csv
import io
import json
import os
import pathlib
import struct
import tarfile
import zlib
from collections import Counter
from contextlib import redirect_stdout

from pycocotools.coco import COCO

HERE = pathlib.Path(__file__).resolve().parent
DATA = pathlib.Path(os.environ["FACEGAUGE_SHARED"]) / "data"
ANNOTATIONS = {
    "mmpose-face/300vw/anno_300vw.json": "keypoints",
    "mmpose-face/cofw/test_cofw.json": "keypoints",
    "mmpose-face/wflw/test_wflw.json": "keypoints",
    "mmpose-face/coco/test_coco.json": None,
    "mmpose-face/coco/test_coco_wholebody.json": "face_kpts",
    "coco-eval/dataset/cocoapi/instances_val2014_100.json": None,
}
RESULTS = {
    "coco-eval/dataset/cocoapi/instances_val2014_fakebbox100_results.json":
        "coco-eval/dataset/cocoapi/instances_val2014_100.json",
    "mmpose-face/coco/test_coco_det_AP_H_56.json": "mmpose-face/coco/test_coco.json",
}
WORDS = "neutral happiness surprise sadness anger disgust fear contempt unknown NF".split()


def crc(numbers):
    return zlib.crc32(struct.pack(f"<{len(numbers)}d", *numbers))


def quiet(action, *arguments):
    with redirect_stdout(io.StringIO()):
        return action(*arguments)


def tight(points):
    xs, ys = points[0::3], points[1::3]
    return [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]


def of_coco(coco, keys):
    """Faces as pycocotools groups them by image; `keys` names their points."""
    names, boxes, areas, scores, points, flags, categories = [], [], [], [], [], Counter(), Counter()
    crowds = 0
    for image in coco.dataset["images"]:
        names.append(image["file_name"])
        for row in coco.loadAnns(coco.getAnnIds(imgIds=[image["id"]])):
            if keys == "face_kpts" and not row["face_valid"]:
                continue
            set_ = row[keys] if keys else []
            box = row["face_box"] if keys == "face_kpts" else row.get("bbox") or tight(set_)
            boxes += box
            areas.append(box[2] * box[3] if keys == "face_kpts" else row["area"])
            if "score" in row:
                scores.append(row["score"])
            points += [v for i, v in enumerate(set_) if i % 3 < 2]
            flags.update(int(v) for v in set_[2::3])
            crowds += 0 if keys == "face_kpts" else row["iscrowd"]
            categories[1 if keys == "face_kpts" else row["category_id"]] += 1
    return {
        "images": len(names), "first": names[0], "last": names[-1],
        "faces": len(areas), "boxes": crc(boxes), "areas": crc(areas), "scores": crc(scores),
        "points": crc(points), "pointCount": len(points) // 2,
        "flags": {str(k): v for k, v in sorted(flags.items())}, "crowds": crowds,
        "categories": {str(k): v for k, v in sorted(categories.items())},
    }


def detections():
    with tarfile.open(DATA / "wider-pred-retina-mnet-b/widerface_txt.tar.gz") as archive:
        texts = {
            member.name.split("/", 1)[1]: archive.extractfile(member).read().decode()
            for member in archive if member.name.endswith(".txt")
        }
    numbers = []
    for name in sorted(texts):
        stem, count, *rows = texts[name].splitlines()
        assert name.endswith(f"/{stem}.txt") and int(count) == len(rows)
        for row in rows:
            numbers += [float(word) for word in row.split()]
    return {
        "images": len(texts), "faces": len(numbers) // 5, "numbers": crc(numbers),
        "first": min(texts)[:-4] + ".jpg", "last": max(texts)[:-4] + ".jpg",
    }


def votes():
    with open(DATA / "ferplus/data/FER2013Valid/label.csv", newline="") as file:
        rows = list(csv.reader(file))
    winners, numbers = Counter(), []
    for row in rows:
        counts = [int(word) for word in row[2:]]
        numbers += counts
        # FER+'s majority rule: single votes are outliers, and the winner has more than half of the rest.
        kept = [count if count > 1 else 0 for count in counts]
        best = WORDS[kept.index(max(kept))]
        winners[best if max(kept) > sum(kept) / 2 else "none"] += 1
    return {
        "rows": len(rows), "boxes": sorted({row[1] for row in rows}), "votes": crc(numbers),
        "winners": dict(sorted(winners.items())), "first": rows[0][0], "last": rows[-1][0],
    }


def main():
    expected = {"annotations": {}, "results": {}, "detections": detections(), "votes": votes()}
    for path, keys in ANNOTATIONS.items():
        expected["annotations"][path] = of_coco(quiet(COCO, DATA / path), keys)
    for path, annotations in RESULTS.items():
        coco = quiet(COCO, DATA / annotations)
        found = of_coco(quiet(coco.loadRes, str(DATA / path)), None)
        expected["results"][path] = {"of": annotations, **found}
    with open(HERE / "expected" / "label_files.json", "w") as out:
        json.dump(expected, out, sort_keys=True, separators=(",", ":"))
        out.write("\n")


main()
