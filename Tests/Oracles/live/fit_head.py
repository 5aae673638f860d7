#!/usr/bin/env python3
"""Fits the committed blendshape head and face mesh to MediaPipe's blendshape model, and measures both on held-out people.

    python Tests/Oracles/live/fit_head.py WORK --data DATA --models MODELS --facegauge .build/release/facegauge > head.md

DATA has the labelled sets as their authors publish them; MODELS has face_landmarker.task and the files that `models pull`
gets. Faces of WIDER are cut out by boxes, one image each; Helen and the other photographs are taken whole, clips every
other frame. Each still also runs mirrored, and once more at half the size with noise. Both landmark models run on
everything; clips run in video mode with one face, which smooths. `facegauge fit blendshapes --teacher` then fits
WORK/head.json, to be committed as Sources/FacePipeline/Blendshapes/head.json. The tables on standard output are of heads that
were fitted without the set that they are measured on. What is in WORK already is not made again. No photograph, and no
number of MediaPipe's, goes into the head. Needs the packages of ../requirements.txt.
"""
import argparse
import json
import sys
import tarfile
from pathlib import Path

import cv2
import h5py
import numpy as np

from comparing import binary_of, facegauge

VARIANTS = ("plain", "mirrored", "noisy")
LANDMARKS = ("v2", "attention")
SETS = ("wider", "helen", "others", "clips")
# Boxes of WIDER that are cut out: score and pixels, and the side of what is cut, in sides of the box.
MIN_SCORE, MIN_SIDE, MARGIN, SHOWN_SIDE = 0.8, 24, 2.0, 240
MAX_SIDE, MAX_FRAMES, STEP = 1280, 300, 2


def wider(data):
    """One image for each face; the subject is the photograph, so that its faces are held out together."""
    boxes = {}
    with tarfile.open(data / "wider-pred-retina-mnet-b" / "widerface_txt.tar.gz") as archive:
        for member in archive:
            if member.name.endswith(".txt"):
                rows = archive.extractfile(member).read().decode().splitlines()[2:]
                boxes[Path(member.name).stem] = [list(map(float, row.split())) for row in rows if row.strip()]
    for path in sorted((data / "wider-val-img").rglob("*.jpg")):
        image = cv2.imread(str(path))
        height, width = image.shape[:2]
        for x, y, w, h, score in boxes.get(path.stem, []):
            if score < MIN_SCORE or min(w, h) < MIN_SIDE:
                continue
            half = MARGIN / 2 * max(w, h)
            left, right = int(max(0, x + w / 2 - half)), int(min(width, x + w / 2 + half))
            top, bottom = int(max(0, y + h / 2 - half)), int(min(height, y + h / 2 + half))
            cut = image[top:bottom, left:right]
            scale = max(1, SHOWN_SIDE / max(cut.shape[:2]))
            yield path.stem, cv2.resize(cut, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)


def photographs(data, folders):
    for folder in folders:
        for path in sorted(p for p in (data / folder).rglob("*") if p.suffix in (".jpg", ".png")):
            image = cv2.imread(str(path))
            scale = min(1, MAX_SIDE / max(image.shape[:2]))
            yield f"{folder}/{path.stem}", cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def varied(images):
    random = np.random.default_rng(1)
    for subject, image in images:
        yield subject, image, 95
        yield subject, image[:, ::-1], 95
        small = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        yield subject, np.clip(small + random.normal(0, 6, small.shape), 0, 255).astype(np.uint8), 70


def clips(data):
    for path in sorted(p for folder in ("videos", "pyfeat") for p in (data / folder).rglob("*.mp4")):
        video = cv2.VideoCapture(str(path))
        for index in range(MAX_FRAMES):
            is_read, image = video.read()
            if not is_read:
                break
            if index % STEP == 0:
                yield path.stem, image, 95


def write(path, images, kind):
    """A dataset without labels: a sequence for each subject."""
    blobs, sizes, owners, subjects = [], [], [], []
    for subject, image, quality in images:
        if not subjects or subjects[-1] != subject:
            subjects.append(subject)
        blobs.append(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes())
        sizes.append((image.shape[1], image.shape[0]))
        owners.append(len(subjects) - 1)
    owners = np.array(owners, "i4")
    first = np.searchsorted(owners, np.arange(len(subjects))).astype("i4")
    count = np.bincount(owners).astype("i4")
    with h5py.File(path, "w") as file:
        file.attrs.update(format="facegauge.dataset", version=1, name=path.stem)
        file["images/offsets"] = np.cumsum([0] + [len(b) for b in blobs]).astype("u8")
        file["images/bytes"] = np.frombuffer(b"".join(blobs), "u1")
        file["images/size"] = np.array(sizes, "i4")
        file["frames/sequence"] = owners
        place = np.arange(len(blobs)) - first[owners]
        file["frames/timestamp_us"] = (place * 40_000 * STEP).astype("i8") if kind == "video" else np.zeros(len(blobs), "i8")
        file["sequences/name"], file["sequences/subject"] = subjects, subjects
        file["sequences/kind"] = [kind] * len(subjects)
        file["sequences/first"], file["sequences/count"] = first, count
        file["sequences/fps"] = np.full(len(subjects), 25 / STEP if kind == "video" else 0)
        file["faces/frame"], file["faces/box"] = np.zeros(0, "i4"), np.zeros((0, 4), "f4")


def runs(work, names):
    return [work / f"{name}-{landmarks}" for name in names for landmarks in LANDMARKS]


def prepare(arguments):
    data, work = arguments.data, arguments.work
    work.mkdir(parents=True, exist_ok=True)
    made = dict(
        wider=(lambda: varied(wider(data)), "still"),
        helen=(lambda: varied(photographs(data, ["helen68"])), "still"),
        others=(lambda: varied(photographs(data, ["dlib-faces", "aflw2000-prnet", "mmpose-face", "eos-ibug", "pyfeat"])),
                "still"),
        clips=(lambda: clips(data), "video"))
    for name, (images, kind) in made.items():
        dataset = work / f"{name}.h5"
        if not dataset.exists():
            write(dataset, images(), kind)
        for landmarks in LANDMARKS:
            run = work / f"{name}-{landmarks}"
            if not run.exists():
                mode = ["--mode", "video", "--num-faces", 1] if kind == "video" else ["--num-faces", 10]
                facegauge(arguments.facegauge, "evaluate", dataset, "-o", run, "--models", arguments.models,
                          "--landmarks", landmarks, "--resamples", 0, *mode)


def concordance(predicted, labelled):
    spread = predicted.var() + labelled.var() + (predicted.mean() - labelled.mean()) ** 2
    return 2 * np.mean((predicted - predicted.mean()) * (labelled - labelled.mean())) / spread


def faces(run):
    """Kept faces: landmarks in pixels, sizes of their images, coefficients and matrices, those without a pose left out."""
    with h5py.File(run / "predictions.h5") as file:
        kept = file["faces/kept"][:].astype(bool)
        size = file["frames/size"][:][file["faces/frame"][:]]
        points = file["faces/landmarks/mediapipe478/points"][:]
        return (points[kept], size[kept], file["faces/blendshapes"][:][kept],
                file["faces/pose"][:][kept].reshape(-1, 4, 4))


def similarity(source, target, weights):
    """The scaled rotation and the shift that lay the source over the target."""
    weights = weights / weights.sum()
    centre, aim = weights @ source, weights @ target
    centred = source - centre
    left, values, right = np.linalg.svd((target - aim).T @ (centred * weights[:, None]))
    signs = np.array([1, 1, np.sign(np.linalg.det(left @ right))])
    turn = (left * signs) @ right
    scale = (values * signs).sum() / (weights @ (centred ** 2).sum(1))
    return scale * turn, aim - scale * turn @ centre


def pose(points, size, mesh, weights):
    """The matrix of MediaPipe's geometry pipeline for a mesh: landmarks on a plane 1 cm before a camera of 63 degrees."""
    width, height = size
    high = 2 * np.tan(np.radians(63) / 2)
    screen = np.stack([(points[:468, 0] / width - 0.5) * width / height * high, (0.5 - points[:468, 1] / height) * high,
                       points[:468, 2] / height * high], 1)
    mirrored = screen * [1, 1, -1]
    scale = np.cbrt(np.linalg.det(similarity(mesh, mirrored, weights)[0]))
    for _ in range(2):
        depth = (screen[:, 2] - screen[:, 2].mean() + 1) / scale
        before = np.stack([screen[:, 0] * depth, screen[:, 1] * depth, -depth], 1)
        turned, shift = similarity(mesh, before, weights)
        scale *= np.cbrt(np.linalg.det(turned))
    return turned / np.cbrt(np.linalg.det(turned)), shift


def pose_differences(head, run):
    mesh = np.array(head["mesh"]["vertices"]).reshape(-1, 3)
    weights = np.array(head["mesh"]["weights"])
    points, sizes, _, matrices = faces(run)
    degrees, centimetres, distances = [], [], []
    for face, size, matrix in zip(points, sizes, matrices):
        if not np.isfinite(matrix).all():
            continue
        turn, shift = pose(face, size, mesh, weights)
        own = matrix[:3, :3] / np.cbrt(np.linalg.det(matrix[:3, :3]))
        degrees.append(np.degrees(np.arccos(np.clip((np.trace(turn.T @ own) - 1) / 2, -1, 1))))
        centimetres.append(np.linalg.norm(shift - matrix[:3, 3]))
        distances.append(np.linalg.norm(matrix[:3, 3]))
    return np.array(degrees), np.array(centimetres), np.array(distances)


def measure(arguments):
    """Tables of heads that never saw the set."""
    work, binary = arguments.work, arguments.facegauge
    names, columns, pose_rows = None, {}, []
    for name in SETS:
        head = work / f"head-without-{name}.json"
        if not head.exists():
            facegauge(binary, "fit", "blendshapes", *runs(work, [s for s in SETS if s != name]), "--teacher", "-o", head)
        for landmarks in LANDMARKS:
            run = work / f"{name}-{landmarks}"
            other = work / f"{name}-{landmarks}-head"
            if not other.exists():
                with h5py.File(run / "predictions.h5") as file:
                    is_video = file.attrs["mode"] == "video"
                mode = ["--mode", "video", "--num-faces", 1] if is_video else ["--num-faces", 10]
                facegauge(binary, "evaluate", work / f"{name}.h5", "-o", other, "--models", arguments.models, "--blendshapes",
                          head, "--landmarks", landmarks, "--resamples", 0, *mode)
            _, _, net, _ = faces(run)
            _, _, own, _ = faces(other)
            columns[name, landmarks] = [
                (concordance(p, g) if g.var() >= 1e-6 else None, np.abs(p - g).mean()) for p, g in zip(own.T, net.T)]
            degrees, centimetres, distances = pose_differences(json.loads(head.read_text()), run)
            pose_rows.append((name, landmarks, degrees, centimetres, distances))
    names = json.loads((work / "head.json").read_text())["channels"]
    print("| coefficient | " + " | ".join(f"{n}, {l}" for n, l in columns) + " |")
    print("|---" * (1 + len(columns)) + "|")
    for index, channel in enumerate(c["name"] for c in names):
        cells = [f"{'–' if c[index][0] is None else format(c[index][0], '.2f')} / {c[index][1]:.3f}" for c in columns.values()]
        print(f"| {channel} | " + " | ".join(cells) + " |")
    print("\n| set | landmarks | faces | degrees, median | 95 % | centimetres, median | 95 % | of the distance, median |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for name, landmarks, degrees, centimetres, distances in pose_rows:
        print(f"| {name} | {landmarks} | {len(degrees)} | {np.median(degrees):.2f} | {np.percentile(degrees, 95):.2f} | "
              f"{np.median(centimetres):.2f} | {np.percentile(centimetres, 95):.2f} | "
              f"{100 * np.median(centimetres / distances):.1f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--facegauge", type=binary_of, required=True)
    parser.add_argument("--prepare-only", action="store_true", help="stop before anything is fitted")
    arguments = parser.parse_args()
    prepare(arguments)
    if arguments.prepare_only:
        return
    if not (arguments.work / "head.json").exists():
        facegauge(arguments.facegauge, "fit", "blendshapes", *runs(arguments.work, SETS), "--teacher", "-o",
                  arguments.work / "head.json")
    measure(arguments)


if __name__ == "__main__":
    sys.exit(main())
