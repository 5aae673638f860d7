"""Reading FaceGauge's predictions, and the differences of two sets of faces."""
import os
import shutil
import subprocess

import h5py
import numpy as np

# Gates of the Face Landmarker's goldens for images: normalised x and y, z over the width, scores, centimetres.
IMAGE_LIMITS = dict(xy=5e-5, z=1e-4, blendshapes=2e-3, matrix=5e-3)
# And for clips of a few tracked frames.
CLIP_LIMITS = dict(xy=2e-3, z=2e-3, blendshapes=0.03, matrix=0.05)
QUANTITIES = tuple(IMAGE_LIMITS)
# The operating score of detections and of presence, and how near to it a score may fall on either side.
THRESHOLD, NEAR = 0.5, 0.01
NAMES = dict(xy="x, y (normalised)", z="z (over the width)", blendshapes="blendshapes", matrix="matrix entries")


def facegauge(binary, *arguments):
    """Runs the tool and leaves its words on standard error."""
    command = [binary, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    # A gate that fails or is inconclusive is none of this script's concern.
    if done.returncode not in (0, 3):
        raise SystemExit(f"cannot go on: {' '.join(command)} ended with {done.returncode}")


def binary_of(argument):
    found = shutil.which(argument) or argument
    if not os.access(found, os.X_OK):
        raise SystemExit(f"cannot run {argument}: no such program")
    return found


class Predictions:
    """The faces and scores of a predictions.h5, frame by frame, landmarks as MediaPipe normalises them."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.size = file["frames/size"][:]
            self.detector_ran = file["frames/detector_ran"][:].astype(bool)
            faces = file["faces"]
            self.frame = faces["frame"][:]
            self.kept = faces["kept"][:].astype(bool)
            self.tracked = faces["tracked"][:].astype(bool)
            self.score = faces["detection_score"][:]
            self.presence = faces["presence"][:]
            self.region = faces["region"][:]
            scheme = faces.get("landmarks/mediapipe478", {"points": np.zeros((len(self.frame), 478, 3), np.float32)})
            self.points = scheme["points"][:]
            self.unsmoothed = scheme["unsmoothed"][:] if "unsmoothed" in scheme else self.points
            self.blendshapes = faces["blendshapes"][:]
            self.pose = faces["pose"][:]
            self.detection_frame = file["detections/frame"][:]
            self.detection_score = file["detections/score"][:]

    def faces(self, frame):
        """Kept faces of a frame: landmarks and unsmoothed [F, 478, 3], blendshapes [F, 52], matrices [F, 4, 4]."""
        rows = np.flatnonzero((self.frame == frame) & self.kept)
        width, height = self.size[frame]
        scale = np.array([width, height, width], np.float64)
        return dict(landmarks=self.points[rows] / scale, unsmoothed=self.unsmoothed[rows] / scale,
                    blendshapes=self.blendshapes[rows], matrices=self.pose[rows], regions=self.region[rows])

    def scores(self, frame):
        """Scores of a frame's detections, and presence of its faces, kept or not."""
        return self.detection_score[self.detection_frame == frame], self.presence[self.frame == frame]


def largest(a, b):
    """Largest difference for each face; nan where one side has no such value."""
    if a.shape != b.shape:
        return np.full(max(len(a), len(b)), np.nan)
    return np.abs(np.asarray(a, np.float64) - b).max(axis=tuple(range(1, a.ndim)))


def differences(wheel, ours):
    """For faces paired in order, their largest difference by quantity."""
    return dict(xy=largest(wheel["landmarks"][..., :2], ours["landmarks"][..., :2]),
                z=largest(wheel["landmarks"][..., 2], ours["landmarks"][..., 2]),
                blendshapes=largest(wheel["blendshapes"], ours["blendshapes"]),
                matrix=largest(wheel["matrices"], ours["matrices"]))


def order(wheel, ours):
    """Which of our faces is nearest to each of the wheel's, by the centre of the landmarks."""
    centre = [faces["landmarks"][..., :2].mean(1) for faces in (wheel, ours)]
    return np.linalg.norm(centre[0][:, None] - centre[1][None], axis=2).argmin(1)


def near(*scores):
    """Whether some score is so near the threshold that it may fall on either side."""
    return any(np.any(np.abs(np.asarray(s, np.float64) - THRESHOLD) <= NEAR) for s in scores)


def markdown(header, rows):
    lines = ["| " + " | ".join(map(str, r)) + " |" for r in (header, ["---"] * len(header), *rows)]
    return "\n".join(lines) + "\n"


def short(value):
    return "–" if value is None or np.isnan(value) else f"{value:.2g}"


def listed(values, form="{:.4f}"):
    return " ".join(form.format(v) for v in values) or "–"


def distribution(values):
    """Median, 95th and 99th percentile and maximum; the first item is how many there are."""
    values = np.asarray(values, np.float64)
    values = values[~np.isnan(values)]
    if not len(values):
        return [0, None, None, None, None]
    return [len(values), *np.percentile(values, [50, 95, 99]), values.max()]
