#!/usr/bin/env python3
"""Time the whole pipeline on still images against MediaPipe's wheel, as frames per second, in alternating rounds.

    time_pipeline.py FACEGAUGE BUNDLE IMAGES --wheel PYTHON [--wheel PYTHON] [--rounds 20] [--json FILE]

FACEGAUGE is the built program, BUNDLE a face_landmarker.task, IMAGES a folder of JPEG or PNG files, and each PYTHON an
interpreter with a MediaPipe wheel, Pillow and NumPy. Needs h5py and Pillow. All images are scaled to 640 x 480 first.
Every contestant gives points, blendshapes and head pose of up to one face.

decoded, one core   pixels in memory; every contestant is bound to the same core
JPEG, all cores     JPEG bytes (quality 90) of an HDF5 file, FaceGauge with a worker for each core; the wheel in its
                    usual loop: Pillow decodes, then `detect`
one worker          JPEG bytes, FaceGauge with one worker: what another core brings

A round times every contestant once over all images, the order reversed every other round, after a round that does not
count. Ratios are exp of the median of ln(FaceGauge / other) over rounds, with their 10th and 90th percentile.
"""
import argparse
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

WHEEL = r'''
import io, json, os, sys, time
os.environ.setdefault("GLOG_minloglevel", "3")
import mediapipe as mp
import numpy as np
from mediapipe.tasks import python as tasks
from mediapipe.tasks.python import vision
from PIL import Image

bundle, folder = sys.argv[1:]
names = sorted(os.listdir(folder))
encoded = [open(os.path.join(folder, name), "rb").read() for name in names]
pixels = [np.ascontiguousarray(Image.open(io.BytesIO(one)).convert("RGB")) for one in encoded]
landmarker = vision.FaceLandmarker.create_from_options(vision.FaceLandmarkerOptions(
    base_options=tasks.BaseOptions(model_asset_path=bundle), output_face_blendshapes=True,
    output_facial_transformation_matrixes=True))
sys.stdout = os.fdopen(os.dup(1), "w", buffering=1)
print(json.dumps({"version": mp.__version__}))
for line in sys.stdin:
    found, start = 0, time.perf_counter()
    for index in range(len(names)):
        image = pixels[index] if line.strip() == "pixels" else np.ascontiguousarray(
            Image.open(io.BytesIO(encoded[index])).convert("RGB"))
        found += len(landmarker.detect(mp.Image(image_format=mp.ImageFormat.SRGB, data=image)).face_landmarks)
    print(json.dumps({"rate": len(names) / (time.perf_counter() - start), "faces": found}))
'''


class Wheel:
    """MediaPipe in a process of its own, bound to one core where asked."""

    def __init__(self, python, bundle, folder, core):
        self.process = subprocess.Popen(
            [*bound_to(core), python, "-c", WHEEL, bundle, folder], text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.name = "MediaPipe " + json.loads(self.process.stdout.readline())["version"]

    def rate(self, form):
        self.process.stdin.write(form + "\n")
        answer = json.loads(self.process.stdout.readline())
        self.faces = answer["faces"]
        return answer["rate"]


class FaceGauge:
    """`facegauge profile` on a dataset; the rate is the record's."""

    def __init__(self, program, bundle, dataset, jobs, core, name="FaceGauge"):
        self.words = [*bound_to(core), program, "profile", dataset, "--models", bundle, "--mode", "image", "--schedule",
                      "offline", "--jobs", str(jobs), "--repeats", "2", "--force", "-o", str(dataset) + ".timing"]
        self.record, self.name = pathlib.Path(str(dataset) + ".timing", "record.json"), name

    def rate(self, form):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("OPENBLAS_")}
        done = subprocess.run(self.words, capture_output=True, text=True, env=environment)
        if done.returncode:
            sys.exit(done.stderr)
        record = json.loads(self.record.read_text())
        self.host = record["host"]
        return next(one["value"] for one in record["measurements"] if one["name"] == "throughput.frames_per_second")


def bound_to(core):
    return [] if core is None else ["taskset", "-c", str(core)]


def percentiles(values):
    import numpy as np
    return [float(one) for one in np.exp(np.percentile(values, [10, 50, 90]))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("facegauge", "bundle", "images"):
        parser.add_argument(name, type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--wheel", action="append", required=True, help="interpreter with a MediaPipe wheel")
    parser.add_argument("--rounds", type=int, default=20, help="counted rounds of each table (default: 20)")
    parser.add_argument("--json", type=pathlib.Path, help="also writes the rates of all rounds")
    arguments = parser.parse_args()
    import h5py
    import numpy as np
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        work, pixels, encoded = pathlib.Path(folder), [], []
        (work / "jpeg").mkdir()
        for index, path in enumerate(sorted(pathlib.Path(arguments.images).rglob("*"))):
            if path.suffix.lower() not in (".jpg", ".jpeg", ".png"):
                continue
            memory = io.BytesIO()
            Image.open(path).convert("RGB").resize((640, 480)).save(memory, "JPEG", quality=90)
            (work / "jpeg" / f"{index:05}.jpg").write_bytes(memory.getvalue())
            pixels.append(np.asarray(Image.open(memory)))
        with h5py.File(work / "pixels.h5", "w") as file:
            file.attrs.update({"format": "facegauge.dataset", "version": np.int32(1), "name": "pixels"})
            file["images/pixels"] = np.stack(pixels)
            file["images/size"] = np.tile(np.array([640, 480], "i4"), (len(pixels), 1))
            file["faces/frame"], file["faces/box"] = np.zeros(0, "i4"), np.zeros((0, 4), "f4")
        subprocess.run([arguments.facegauge, "import", "images", str(work / "jpeg"), "-o", str(work / "jpeg.h5")],
                       check=True, capture_output=True)
        cores = sorted(os.sched_getaffinity(0))
        ours = lambda *more: FaceGauge(arguments.facegauge, arguments.bundle, *more)
        wheels = lambda core: [Wheel(one, arguments.bundle, str(work / "jpeg"), core) for one in arguments.wheel]
        tables = {
            "decoded, one core": ("pixels", [ours(work / "pixels.h5", 1, cores[0]), *wheels(cores[0])]),
            "JPEG, all cores": ("jpeg", [
                ours(work / "jpeg.h5", len(cores), None), *wheels(None),
                ours(work / "jpeg.h5", 1, None, "FaceGauge, one worker")]),
        }
        found = {}
        for title, (form, contestants) in tables.items():
            rates = {one.name: [] for one in contestants}
            for count in range(arguments.rounds + 1):
                for one in contestants if count % 2 else contestants[::-1]:
                    value = one.rate(form)
                    if count:
                        rates[one.name].append(value)
            found[title] = rates
            print(f"\n{title}: {len(pixels)} images, {arguments.rounds} rounds, {contestants[0].host['cpu']}, "
                  f"load {os.getloadavg()[0]:.1f}\n")
            print("| | frames/s | FaceGauge is faster by | 10 to 90 % of rounds |\n|---|---|---|---|")
            own = np.log(rates["FaceGauge"])
            for name, values in rates.items():
                low, middle, high = percentiles(own - np.log(values))
                print(f"| {name} | {np.median(values):.1f} | {middle:.2f} | {low:.2f} to {high:.2f} |", flush=True)
        if arguments.json:
            arguments.json.write_text(json.dumps(found, indent=1) + "\n")


main()
