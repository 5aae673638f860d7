#!/usr/bin/env python3
"""Time evaluation and import against packages from PyPI, in alternation, on generated data.

    time_evaluation.py FACEGAUGE COCO_TIMING [--rounds 10] [--only PART] [--json FILE]

FACEGAUGE and COCO_TIMING are the built programs `facegauge` and `coco-timing`. Needs the packages of requirements.txt.

COCO      the 12 statistics of 5,000 images with 36,000 labels and 100 detections an image (the size of val2017), of 1 and
          of 80 categories; of 50,000 images of one category with 20 detections an image. Arrays and indices are in memory
          before the clock starts.
import    100,000 images with 500,000 boxes, from a JSON file to an HDF5 file: whole processes, the peers' too. Those of
          which it says "load" make no file.
tracks    MOTA, IDF1 and HOTA of 10 clips of 600 frames with 10 objects. Ours is a whole process with all of its metrics
          and reports; the peers' clock starts with arrays of boxes in memory.

All have one thread. A round times every contestant once, the order reversed every other round; the first round does not
count. Ratios are ours / theirs by the wall clock, below 1 where ours takes less: the median of the rounds, then the 10th
and the 90th percentile. Slow peers have fewer rounds. Fails where results differ by more than 1e-9.
"""
import os

for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import argparse  # noqa: E402
import contextlib  # noqa: E402
import importlib.metadata  # noqa: E402
import io  # noqa: E402
import json  # noqa: E402
import pathlib  # noqa: E402
import platform  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402

import numpy as np  # noqa: E402

LIMIT = 1e-9
SLOW = 8.0  # seconds; such a peer is timed once


def cocos():
    """COCO and COCOeval of each peer."""
    import faster_coco_eval
    import hotcoco
    import pycocotools.coco
    import pycocotools.cocoeval
    import ultrafast_pycocotools.coco
    import ultrafast_pycocotools.cocoeval
    import vernier

    return {
        "hotcoco": (hotcoco.COCO, hotcoco.COCOeval),
        "ultrafast-pycocotools": (ultrafast_pycocotools.coco.COCO, ultrafast_pycocotools.cocoeval.COCOeval),
        "faster-coco-eval": (faster_coco_eval.COCO, faster_coco_eval.COCOeval_faster),
        "vernier": (pycocotools.coco.COCO, vernier.COCOeval),
        "pycocotools": (pycocotools.coco.COCO, pycocotools.cocoeval.COCOeval),
    }


def coco_arrays(images, labels, per_image, categories):
    """Labels as image, category, box, and detections with their scores; half of the labels are found."""
    rng = np.random.default_rng(2017)
    image = np.sort(rng.integers(0, images, labels))
    size = np.exp(rng.uniform(np.log(8), np.log(300), (labels, 2)))
    corner = rng.uniform(0, 1, (labels, 2)) * (640 - size)
    category = rng.integers(1, categories + 1, labels)
    labels = np.column_stack([image, category, corner, size])
    found = labels[rng.random(len(labels)) < 0.8]
    near = found[:, 2:] + rng.normal(0, 0.12, (len(found), 4)) * np.tile(found[:, 4:], 2)
    hits = np.column_stack([found[:, :2], near[:, :2], np.maximum(near[:, 2:], 1), rng.beta(4, 2, len(found))])
    count = max(images * per_image - len(hits), 0)
    extent = np.exp(rng.uniform(np.log(8), np.log(300), (count, 2)))
    misses = np.column_stack([
        rng.integers(0, images, count), rng.integers(1, categories + 1, count),
        rng.uniform(0, 1, (count, 2)) * (640 - extent), extent, rng.beta(1.5, 6, count)])
    detections = np.concatenate([hits, misses])
    return labels, detections[np.argsort(detections[:, 0], kind="stable")]


def coco_json(folder, images, labels, detections, categories):
    """The same as files; names and sizes are only there to be read."""
    truth, results = folder / "labels.json", folder / "results.json"
    truth.write_text(json.dumps({
        "images": [{"id": i + 1, "file_name": f"{i + 1:012d}.jpg", "width": 640, "height": 640} for i in range(images)],
        "categories": [{"id": i, "name": "face" if categories == 1 else f"object {i}"} for i in range(1, categories + 1)],
        "annotations": [
            {"id": i + 1, "image_id": int(row[0]) + 1, "category_id": int(row[1]), "bbox": row[2:6].tolist(),
             "area": row[4] * row[5], "iscrowd": 0} for i, row in enumerate(labels)]}))
    results.write_text(json.dumps([
        {"image_id": int(row[0]) + 1, "category_id": int(row[1]), "bbox": row[2:6].tolist(), "score": row[6]}
        for row in detections]))
    return str(truth), str(results)


def silent(work, *arguments):
    with contextlib.redirect_stdout(io.StringIO()):
        return work(*arguments)


def coco_row(programs, folder, images, labels, per_image, categories):
    labels, detections = coco_arrays(images, labels, per_image, categories)
    path = folder / "arrays"
    np.concatenate([[images, len(labels), len(detections)], labels.ravel(), detections.ravel()]).tofile(path)
    files = coco_json(folder, images, labels, detections, categories)

    def ours():
        words = subprocess.run([programs.coco_timing, path], check=True, capture_output=True, text=True).stdout.split()
        return float(words[0]), [float(word) for word in words[1:]]

    def timed(evaluation, truth, found):
        def run():
            begin = time.perf_counter()
            one = evaluation(truth, found, "bbox")
            one.evaluate()
            one.accumulate()
            one.summarize()
            return time.perf_counter() - begin, list(one.stats)
        return lambda: silent(run)

    contestants = {"ours": ours}
    for name, (coco, evaluation) in cocos().items():
        if images > 10_000 and name in ("vernier", "pycocotools"):
            continue  # minutes
        truth = silent(coco, files[0])
        contestants[name] = timed(evaluation, truth, silent(truth.loadRes, files[1]))
    return contestants


IMPORTS = {
    "json + h5py": """
import json, sys
import h5py, numpy as np
d = json.load(open(sys.argv[1]))
place = {image["id"]: i for i, image in enumerate(d["images"])}
rows = [[] for _ in place]
for row in d["annotations"]:
    rows[place[row["image_id"]]].append(row)
flat = [row for own in rows for row in own]
with h5py.File(sys.argv[2], "w") as f:
    f.create_dataset("name", data=[i["file_name"] for i in d["images"]], dtype=h5py.string_dtype())
    f["size"] = np.array([[i["width"], i["height"]] for i in d["images"]], "i4")
    f["frame"] = np.repeat(np.arange(len(rows), dtype="i4"), [len(own) for own in rows])
    f["box"] = np.array([row["bbox"] for row in flat], "f4")
    f["area"] = np.array([row["area"] for row in flat], "f4")
    f["crowd"] = np.array([row["iscrowd"] for row in flat], "u1")
""",
    "hotcoco, load": "import sys, hotcoco; hotcoco.COCO(sys.argv[1])",
    "pycocotools, load": "import sys; from pycocotools.coco import COCO; COCO(sys.argv[1])",
}


def import_row(programs, folder):
    labels, detections = coco_arrays(100_000, 500_000, 0, 1)
    path, _ = coco_json(folder, 100_000, labels.round(2), detections[:0], 1)

    def process(*words):
        begin = time.perf_counter()
        subprocess.run(list(map(str, words)), check=True, capture_output=True)
        return time.perf_counter() - begin, None

    made = folder / "made.h5"
    contestants = {"ours": lambda: process(
        programs.facegauge, "import", "coco", path, "--labels-only", "--force", "-o", made)}
    for name, script in IMPORTS.items():
        contestants[name] = lambda script=script: process(sys.executable, "-c", script, path, folder / "theirs.h5")
    return contestants


def clips(count=10, frames=600, objects=10):
    """Boxes of objects by clip and frame, and what a tracker found, each as arrays of id and box."""
    rng = np.random.default_rng(16)
    made = []
    for _ in range(count):
        place = rng.uniform(0, 1700, (objects, 2))
        speed = rng.normal(0, 2, (objects, 2))
        number = np.arange(objects) + 1
        last, own = objects, []
        for _ in range(frames):
            place = np.clip(place + speed, 0, 1700)
            truth = np.column_stack([np.arange(objects) + 1, place, np.full((objects, 2), 80.0)])
            for which in np.flatnonzero(rng.random(objects) < 0.004):  # a new identity
                last += 1
                number[which] = last
            seen = rng.random(objects) < 0.93
            moved = place[seen] + rng.normal(0, 6, (seen.sum(), 2))
            found = np.column_stack([number[seen], moved, np.full((seen.sum(), 2), 80.0)])
            if rng.random() < 0.2:
                found = np.vstack([found, [10_000 + rng.integers(3), *rng.uniform(0, 1700, 2), 80, 80]])
            own.append(((truth * 4).round() / 4, (found * 4).round() / 4))  # exact in a float and in two digits
        made.append(own)
    return made


def overlaps(one, other):
    low = np.maximum(one[:, None, 1:3], other[None, :, 1:3])
    high = np.minimum(one[:, None, 1:3] + one[:, None, 3:], other[None, :, 1:3] + other[None, :, 3:])
    shared = np.prod(np.maximum(high - low, 0), axis=2)
    areas = np.prod(one[:, None, 3:], axis=2) + np.prod(other[None, :, 3:], axis=2)
    return shared / (areas - shared)


def tracks_row(programs, folder):
    import motmetrics
    import trackeval

    made = clips()
    for number, clip in enumerate(made):
        own = folder / "mot" / f"clip{number:02}"
        (own / "gt").mkdir(parents=True)
        (own / "seqinfo.ini").write_text(
            f"[Sequence]\nname={own.name}\nimDir=img1\nframeRate=30\nseqLength={len(clip)}\n"
            "imWidth=1920\nimHeight=1920\nimExt=.jpg\n")
        lines = lambda side, tail: "".join(
            f"{at + 1},{row[0]:.0f},{row[1]:.2f},{row[2]:.2f},{row[3]:.2f},{row[4]:.2f},{tail}\n"
            for at, frame in enumerate(clip) for row in frame[side])
        (own / "gt" / "gt.txt").write_text(lines(0, "1,1,1"))
        (folder / "results").mkdir(exist_ok=True)
        (folder / "results" / f"{own.name}.txt").write_text(lines(1, "1,-1,-1,-1"))
    labels, found = folder / "mot.h5", folder / "found.h5"

    def run(*words):
        done = subprocess.run(list(map(str, [programs.facegauge, *words])), capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)

    run("import", "mot", folder / "mot", "--labels-only", "-o", labels)
    run("import", "mot", folder / "results", "--of", labels, "-o", found)

    def ours():
        begin = time.perf_counter()
        run("evaluate", labels, "--predictions", found, "--resamples", 0, "--force", "-o", folder / "run")
        taken = time.perf_counter() - begin
        record = json.loads((folder / "run" / "record.json").read_text())
        values = {one["name"]: one.get("value") for one in record["measurements"]}
        return taken, [values[f"tracking.{name}"] for name in ("mota", "idf1", "hota")]

    def with_motmetrics():
        begin = time.perf_counter()
        sums = []
        for clip in made:
            accumulator = motmetrics.MOTAccumulator(auto_id=True)
            for truth, found in clip:
                shared = overlaps(truth, found)  # its own function needs an older NumPy
                away = np.where(shared >= 0.5, 1 - shared, np.nan)
                accumulator.update(truth[:, 0].astype(int), found[:, 0].astype(int), away)
            sums.append(accumulator)
        table = motmetrics.metrics.create().compute_many(
            sums, metrics=["mota", "idf1"], generate_overall=True).loc["OVERALL"]
        return time.perf_counter() - begin, [table["mota"], table["idf1"], None]

    def with_trackeval():
        begin = time.perf_counter()
        metrics = {"HOTA": trackeval.metrics.HOTA(), "CLEAR": trackeval.metrics.CLEAR({"PRINT_CONFIG": False}),
                   "Identity": trackeval.metrics.Identity({"PRINT_CONFIG": False})}
        results = {name: {} for name in metrics}
        for number, clip in enumerate(made):
            ids = [np.unique(np.concatenate([frame[side][:, 0] for frame in clip])) for side in (0, 1)]
            data = {
                "num_timesteps": len(clip), "num_gt_ids": len(ids[0]), "num_tracker_ids": len(ids[1]),
                "num_gt_dets": sum(len(one) for one, _ in clip), "num_tracker_dets": sum(len(two) for _, two in clip),
                "gt_ids": [np.searchsorted(ids[0], one[:, 0]) for one, _ in clip],
                "tracker_ids": [np.searchsorted(ids[1], two[:, 0]) for _, two in clip],
                "similarity_scores": [overlaps(one, two) for one, two in clip]}
            for name, metric in metrics.items():
                results[name][number] = metric.eval_sequence(data)
        whole = {name: metric.combine_sequences(results[name]) for name, metric in metrics.items()}
        return time.perf_counter() - begin, [
            None, whole["Identity"]["IDF1"], float(np.mean(whole["HOTA"]["HOTA"]))]

    # MOTA of trackeval counts other switches of identity than motmetrics, whose rule is ours.
    return {"ours": ours, "motmetrics": with_motmetrics, "trackeval": lambda: silent(with_trackeval)}


ROWS = {
    "COCO, 80 categories, 5,000 images": lambda *given: coco_row(*given, 5_000, 36_000, 100, 80),
    "COCO, one category, 5,000 images": lambda *given: coco_row(*given, 5_000, 36_000, 100, 1),
    "COCO, one category, 50,000 images": lambda *given: coco_row(*given, 50_000, 360_000, 20, 1),
    "import coco, 100,000 images, 500,000 boxes": import_row,
    "tracks, 6,000 frames of 10 objects": tracks_row,
}


def version(name):
    package = name.split(",")[0]
    return f"{name} {importlib.metadata.version(package)}" if "+" not in package else name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facegauge")
    parser.add_argument("coco_timing")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", default="", help="part of the names of the rows to time")
    parser.add_argument("--json", type=pathlib.Path, help="also writes the seconds of all rounds")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error("--rounds: expected 1 or more")
    for program in (given.facegauge, given.coco_timing):
        if not os.access(program, os.X_OK):
            sys.exit(f"error: cannot time {program}: expected a built program, found none (swift build -c release)")
    if not any(given.only in title for title in ROWS):
        sys.exit(f"error: no row has '{given.only}' in its name: {'; '.join(ROWS)}")
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    print(f"{cpu}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, load "
          f"{os.getloadavg()[0]:.1f}\n")
    print("| work | peer | rounds | theirs, s | ours, s | ours / theirs | 10 to 90 % of rounds |\n|---|---|---|---|---|---|---|")
    seconds, worst = {}, 0.0
    for title, make in ROWS.items():
        if given.only not in title:
            continue
        with tempfile.TemporaryDirectory() as folder:
            contestants = make(given, pathlib.Path(folder))
            taken = {name: [] for name in contestants}
            rounds = {name: given.rounds for name in contestants}
            expected = None
            for turn in range(given.rounds + 1):
                names = [name for name in contestants if len(taken[name]) < rounds[name]]
                for name in names if turn % 2 else names[::-1]:
                    spent, values = contestants[name]()
                    if spent > SLOW:
                        rounds[name] = 1
                    if turn or spent > SLOW:
                        taken[name].append((turn, spent))
                    if values:
                        expected = expected or values
                        worst = max(worst, *(abs(a - b) for a, b in zip(values, expected) if None not in (a, b)))
        seconds[title] = taken
        ours = dict(taken["ours"])
        own = np.median(list(ours.values()))
        for name, values in taken.items():
            if name == "ours":
                continue
            ratios = [ours.get(turn, own) / spent for turn, spent in values]
            low, middle, high = np.percentile(ratios, [10, 50, 90])
            print(f"| {title} | {version(name)} | {len(values)} | {np.median([s for _, s in values]):.3f} | {own:.3f} | "
                  f"{middle:.3g} | {low:.3g} to {high:.3g} |", flush=True)
    print(f"\nlargest difference of a result: {worst:.1e}")
    if given.json:
        given.json.write_text(json.dumps(seconds, indent=1) + "\n")
    if worst > LIMIT:
        sys.exit(f"error: expected equal results, found a difference of {worst:.1e}")


if __name__ == "__main__":
    main()
