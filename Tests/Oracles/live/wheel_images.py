#!/usr/bin/env python3
"""Every shared image through MediaPipe's Face Landmarker and through FaceGauge, compared.

    python Tests/Oracles/live/wheel_images.py WORK --facegauge .build/release/facegauge > images.md

Images are decoded once, without turning them by EXIF, and become PNG files in WORK/images, so that both see the
same pixels. The wheel's results are kept in WORK/wheel, ours in WORK/run: what is there is not computed again (--again
evaluates again). The tables go to standard output; the status is 1 where an image differs without an explanation.
--expected writes what ../expected/mediapipe_images.json holds. Needs FACEGAUGE_SHARED and the packages of
../requirements.txt.
"""
import argparse
import hashlib
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from PIL import Image

from comparing import (NAMES, NEAR, IMAGE_LIMITS, QUANTITIES, THRESHOLD, Predictions, binary_of, differences,
                       distribution, facegauge, listed, markdown, near, order, short)

ENDINGS = {".jpg", ".jpeg", ".png"}
# Three times the largest difference of detector regions seen with two engines that sum in another order.
REGION_LIMIT = 1e-5
# Scores nearer than this may change their order: another order of summation moves them by some 1e-6.
TIE = 1e-5


def sources(shared):
    for folder in (shared / "data", shared / "golden"):
        yield from sorted(p for p in folder.rglob("*") if p.suffix.lower() in ENDINGS)


def decode(shared, folder):
    """PNG files named after where they come from; an image seen before, pixel by pixel, is left out."""
    listing = folder.parent / "images.json"
    if listing.exists():
        return json.loads(listing.read_text())
    folder.mkdir(parents=True, exist_ok=True)
    seen, entries = {}, []
    for path in sources(shared):
        rgb = np.asarray(Image.open(path).convert("RGB"))
        source = str(path.relative_to(shared))
        digest = hashlib.sha256(np.int32(rgb.shape).tobytes() + rgb.tobytes()).hexdigest()
        if digest in seen:
            seen[digest]["also"].append(source)
            continue
        name = f"{len(entries):04d}__" + "__".join(Path(source).with_suffix("").parts[-3:]) + ".png"
        Image.fromarray(rgb).save(folder / name, compress_level=1)
        seen[digest] = dict(name=name, source=source, width=rgb.shape[1], height=rgb.shape[0], also=[])
        entries.append(seen[digest])
    listing.write_text(json.dumps(entries, indent=1))
    return entries


def run_wheel(entries, images, results, bundle, num_faces):
    """One .npz per image: the faces and their scores."""
    results.mkdir(parents=True, exist_ok=True)
    missing = [e for e in entries if not (results / (e["name"] + ".npz")).exists()]
    if not missing:
        return
    import wheel

    landmarker, detector, region = wheel.Landmarker(bundle, num_faces), wheel.Detector(bundle), wheel.Region(bundle)
    for number, entry in enumerate(missing, 1):
        image = wheel.image_of(np.asarray(Image.open(images / entry["name"])))
        found = landmarker.run(image)
        found["floor_scores"] = detector.scores(image)
        found["presence"] = np.array([region.run(image, r)[0] for r in wheel.expanded(found["rects"])], np.float32)
        partial = results / "partial.npz"
        np.savez_compressed(partial, **found)
        os.replace(partial, results / (entry["name"] + ".npz"))
        print(f"\rwheel {number} of {len(missing)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def frame_names(dataset):
    import h5py

    with h5py.File(dataset) as file:
        return [os.path.basename(n) for n in file["images/name"].asstr()[:]]


def write_expected(path, entries, results, num_faces):
    """A small file for Swift tests: which faces are found, in which order and where."""
    images = {}
    for entry in entries:
        points = np.load(results / (entry["name"] + ".npz"))["landmarks"]
        images[entry["source"]] = [[round(float(v), 4) for v in f[:, :2].mean(0)] for f in points]
    path.write_text(json.dumps(dict(mediapipe=version("mediapipe"), num_faces=num_faces, images=images),
                               separators=(",", ":")) + "\n")


class SameRegion:
    """Where a difference comes from: the wheel's landmark model on our regions, against our landmarks."""

    def __init__(self, bundle):
        import wheel

        self.wheel, self.region = wheel, wheel.Region(bundle)

    def measure(self, path, found, ours, pairs):
        """Largest difference of the regions, and of x and y when the wheel is given ours; nan without pairs."""
        image = self.wheel.image_of(np.asarray(Image.open(path)))
        theirs = self.wheel.expanded(found["rects"])[found["presence"] > THRESHOLD]
        regions, points = [np.nan], [np.nan]
        for i, j in pairs:
            regions.append(np.abs(ours["regions"][j] - theirs[i]).max())
            again = self.region.run(image, ours["regions"][j])[1][0]
            points.append(np.abs(again - ours["landmarks"][j])[:, :2].max())
        return np.fmax.reduce(regions), np.fmax.reduce(points)


def compare(entries, folder, results, run, dataset, bundle, num_faces):
    """Prints the tables; whether every image that differs is explained."""
    predictions = Predictions(run / "predictions.h5")
    frame_of = {name: i for i, name in enumerate(frame_names(dataset))}
    values = {q: [] for q in QUANTITIES}
    same_count = same_order = faces = 0
    gaps, outliers, same_region, explained = [], [], None, True
    for entry in entries:
        frame = frame_of[entry["name"]]
        wheel = dict(np.load(results / (entry["name"] + ".npz")))
        ours = predictions.faces(frame)
        counts = len(wheel["landmarks"]), len(ours["landmarks"])
        faces += counts[0]
        nearest = order(wheel, ours) if min(counts) else np.zeros(0, int)
        in_order = counts[0] == counts[1] and list(nearest) == list(range(counts[0]))
        same_count += counts[0] == counts[1]
        same_order += in_order
        scores, presence = predictions.scores(frame)
        if len(scores) == len(wheel["scores"]):
            gaps += list(np.abs(scores - wheel["scores"]))
        pairs = list(enumerate(nearest)) if counts[0] == counts[1] else []
        cells = ["–"] * len(QUANTITIES)
        if in_order:
            apart = differences(wheel, ours)
            for q in QUANTITIES:
                values[q] += list(apart[q])
            worst = {q: np.max(apart[q], initial=0) for q in QUANTITIES}
            reasons = [q for q in QUANTITIES if not worst[q] <= IMAGE_LIMITS[q]]
            cells = [short(worst[q]) for q in QUANTITIES]
        else:
            reasons = ["order" if pairs else "number of faces"]
        if not reasons:
            continue
        same_region = same_region or SameRegion(bundle)
        regions, points = same_region.measure(folder / entry["name"], wheel, ours, pairs)
        if in_order:
            evaluated = regions <= REGION_LIMIT and points <= IMAGE_LIMITS["xy"]
        elif pairs:
            evaluated = np.any(np.abs(np.diff(wheel["scores"])) <= TIE)
        else:
            evaluated = near(scores, presence, wheel["floor_scores"], wheel["presence"])
        explained &= bool(evaluated)
        outliers.append([entry["source"], f"{entry['width']}×{entry['height']}", f"{counts[0]} / {counts[1]}",
                         ", ".join(reasons), *cells, short(regions), short(points),
                         f"{listed(wheel['floor_scores'])} / {listed(scores)}",
                         f"{listed(wheel['presence'])} / {listed(presence)}", "yes" if evaluated else "**no**"])
    n, beyond = len(entries), len(outliers) - (len(entries) - same_order)
    print(f"# {n} images, {faces} faces of MediaPipe, num_faces {num_faces}\n")
    print(markdown(["", "images", "share"],
                   [["same number of faces", same_count, f"{same_count / n:.2%}"],
                    ["same faces in the same order", same_order, f"{same_order / n:.2%}"],
                    ["beyond a limit", beyond, f"{beyond / n:.2%}"]]))
    rows = [[NAMES[q], *distribution(values[q]), limit, int(np.sum(np.array(values[q]) > limit))]
            for q, limit in IMAGE_LIMITS.items()]
    rows.append(["detection scores", *distribution(gaps), None, None])
    print("Largest difference of each face:\n")
    print(markdown(["", "n", "median", "p95", "p99", "max", "limit", "faces over"],
                   [[r[0], r[1], *map(short, r[2:7]), "–" if r[7] is None else r[7]] for r in rows]))
    print("## Images that differ\n\n"
          "MediaPipe's / ours; its detections are listed down to a score of 0.3. Regions apart: largest difference of\n"
          "the regions that the landmark model looks at, normalised. At our region: x, y of MediaPipe's model on our\n"
          "region against ours.\n\n"
          f"Explained: with the same faces, regions apart by no more than {REGION_LIMIT:g} and x, y equal on the same\n"
          "region, so that the difference is what MediaPipe's own model makes of the last digits of a region (positions\n"
          f"round to 1/32 pixel); with other faces, a score within {NEAR} of {THRESHOLD}; in another order, scores\n"
          f"within {TIE:g} of each other.\n")
    print(markdown(["image", "size", "faces", "beyond", "x, y", "z", "blendshapes", "matrix", "regions apart",
                    "at our region", "detections", "presence", "explained"], outliers) if outliers else "None.\n")
    return explained


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="folder for images and results, outside the repository")
    parser.add_argument("--facegauge", metavar="PROGRAM", help="the binary; without it only the wheel runs")
    parser.add_argument("--num-faces", type=int, default=5)
    parser.add_argument("--expected", type=Path, metavar="JSON", help="write the wheel's faces: the mean x, y of each")
    parser.add_argument("--again", action="store_true", help="evaluate again although there is a run")
    options = parser.parse_args()
    if "FACEGAUGE_SHARED" not in os.environ:
        parser.error("FACEGAUGE_SHARED is not set")
    shared = Path(os.environ["FACEGAUGE_SHARED"])
    bundle = str(shared / "models" / "face_landmarker.task")
    images = options.work / "images"
    results = options.work / "wheel" / f"images-{options.num_faces}"
    entries = decode(shared, images)
    run_wheel(entries, images, results, bundle, options.num_faces)
    if options.expected:
        write_expected(options.expected, entries, results, options.num_faces)
    if not options.facegauge:
        return
    binary = binary_of(options.facegauge)
    dataset, run = options.work / "images.h5", options.work / "run" / f"images-{options.num_faces}"
    if not dataset.exists():
        facegauge(binary, "import", "images", images, "-o", dataset)
    if options.again or not run.exists():
        facegauge(binary, "evaluate", dataset, "-o", run, "--mode", "image", "--num-faces", options.num_faces,
                  "--models", bundle, "--force")
    sys.exit(0 if compare(entries, images, results, run, dataset, bundle, options.num_faces) else 1)


if __name__ == "__main__":
    main()
