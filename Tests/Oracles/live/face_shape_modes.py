"""The modes of FaceShape: how the 478 points of real faces differ from their mean.

    python Tests/Oracles/live/face_shape_modes.py predictions.h5

prints them as FaceShape has them, and what share of the differences they are. The predictions are those of
`facegauge evaluate` on images of many people, each in one image. The modes in FaceShape are of 60 faces in public
images: the test images of Helen, AFLW2000, dlib and MMPose.
"""

import sys

import h5py
import numpy as np

MODES = 5
CENTRES = [(x, y) for y in (-1.2, -0.5, 0.2, 0.9) for x in (-0.9, -0.3, 0.3, 0.9)]
WIDTH = 0.6
JAW_OPEN = 25
# Points of the mesh that bound the box of the 68 points: ears, brows, chin.
LEFT, TOP, RIGHT, BOTTOM = [234, 127, 93], [105, 334, 66, 296, 63, 293, 107, 336], [454, 356, 323], 152
# Damps coefficients that the points do not determine.
DAMPING = 1e-2


def faces(path):
    """Points (n, 478, 3) of faces that look ahead with a closed mouth: 20°, presence over .9, over 60 px wide."""
    with h5py.File(path) as file:
        points = file["faces/landmarks/mediapipe478/points"][:].astype(float)
        turn = file["faces/pose"][:, :3, :3]
        yaw = np.degrees(np.arctan2(turn[:, 0, 2], turn[:, 2, 2]))
        pitch = np.degrees(np.arcsin(-turn[:, 1, 2]))
        width = np.ptp(points[:, :, 0], axis=1)
        jaw, presence = file["faces/blendshapes"][:, JAW_OPEN], file["faces/presence"][:]
    return points[(abs(yaw) < 20) & (abs(pitch) < 20) & (width > 60) & (presence > 0.9) & (jaw < 0.12)]


def aligned(points, mean):
    """The points by the similarity that brings them closest to the mean (Umeyama 1991)."""
    centred = points - points.mean(0)
    left, scales, right = np.linalg.svd(centred.T @ mean)
    signs = np.array([1, 1, np.sign(np.linalg.det(left @ right))])
    return (scales * signs).sum() / (centred**2).sum() * centred @ (left * signs @ right)


def field(u, v):
    """Displacements (2 · points, 2 · centres) for each coefficient: right at each centre, then down at each."""
    near = np.exp(-np.array([(u - x) ** 2 + (v - y) ** 2 for x, y in CENTRES]).T / WIDTH**2)
    none = np.zeros_like(near)
    return np.block([[near, none], [none, near]])


def main():
    points = faces(sys.argv[1])
    mean = points[0] - points[0].mean(0)
    for _ in range(20):
        shapes = np.array([aligned(face, mean) for face in points])
        mean = shapes.mean(0) * np.linalg.norm(mean) / np.linalg.norm(shapes.mean(0))
    plane = mean[:, :2]
    low = np.array([plane[LEFT, 0].min(), plane[TOP, 1].min()])
    high = np.array([plane[RIGHT, 0].max(), plane[BOTTOM, 1]])
    half = (high - low) / 2
    u, v = ((plane - (low + high) / 2) / half).T
    moved = ((shapes - mean)[:, :, :2] / half).transpose(0, 2, 1).reshape(len(shapes), -1)
    design = field(u, v)

    def fitted(design, moved):
        return np.linalg.solve(design.T @ design + DAMPING * np.eye(design.shape[1]), design.T @ moved.T)

    found = fitted(design, moved)
    # Each face also as its mirror image.
    mirrored = field(-u, v) * np.repeat([-1, 1], len(u))[:, None]
    both = np.hstack([found, fitted(design, (mirrored @ found).T)])
    modes, sizes, _ = np.linalg.svd(design @ both, full_matrices=False)
    deviations = sizes[:MODES] / np.sqrt(both.shape[1])
    coefficients = fitted(design, (modes[:, :MODES] * deviations).T)
    whole = 2 * (moved**2).sum()
    possible = np.linalg.svd(np.vstack([moved, moved]), compute_uv=False)[:MODES]
    print(f"// {len(points)} faces, {(sizes[:MODES] ** 2).sum() / whole:.1%} of the squared displacements; "
          f"{MODES} principal components of the points alone: {(possible ** 2).sum() / whole:.1%}")
    for mode in coefficients.T:
        mode = mode * np.sign(mode[np.argmax(abs(mode))])
        for row in np.round(mode * 1e4).astype(int).reshape(-1, 8):
            print("    " + " ".join(f"{value}," for value in row))


if __name__ == "__main__":
    main()
