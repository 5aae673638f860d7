"""Plants two mistakes at once, or one into a half, and asks `check`: `double_faults.py PROGRAM LABELS.h5=PREDICTIONS.h5 …`.

As planted_faults.py does with one mistake, whose ways of planting it takes: a finding is right if it names what mends both, or
says that the frames of one half alone are to be changed. Needs h5py and NumPy.
"""

import numpy as np

import planted_faults as single
from planted_faults import SIDES, angles, double, need, of_square, placing


def mirrored(values, sizes):
    """Boxes or points of the mirrored image."""
    if values.shape[-1] == 4:
        return np.stack([sizes[:, 0] - values[:, 0] - values[:, 2], values[:, 1], values[:, 2], values[:, 3]], 1)
    return np.stack([sizes[..., 0] - values[..., 0], values[..., 1]], -1)


def turned(values, sizes):
    """Boxes or points of the image that was turned clockwise, whose width is the height of the upright one."""
    if values.shape[-1] == 4:
        return np.stack([sizes[:, 1] - values[:, 1] - values[:, 3], values[:, 0], values[:, 3], values[:, 2]], 1)
    return np.stack([sizes[..., 1] - values[..., 1], values[..., 0]], -1)


def longer_side(values, sizes, side=640):
    return values * (side / sizes.max(-1, keepdims=True))


def both(first, second):
    """Places boxes by two functions of a box or a point and the sizes."""
    return placing(lambda b, s: second(first(b, s), s), lambda p, s: second(first(p, s), s), True)


def letterboxed(values, sizes):
    if values.shape[-1] == 4:
        return np.concatenate([of_square(values[:, :2], sizes), longer_side(values[:, 2:], sizes)], 1)
    return of_square(values, sizes)


def fractions(values, sizes):
    return values / (double(sizes) if values.shape[-1] == 4 else sizes)


def fractions_of_turned(values, sizes):
    return fractions(values, sizes[..., ::-1])


def crop(values, sizes):
    moved = values.copy()
    moved[..., :2] -= [120, 80]
    return moved


def half(plant):
    """Of every other face, the boxes, points and coefficients of a mistake."""
    def planted(file):
        names = [name for name in ("faces/box", "faces/blendshapes") if name in file.file]
        kept = [(file.file[name], file.file[name][:]) for name in names] + [(values, values[:]) for values in file.points()]
        own = file.file["faces/frame"][:] % 2 == 1
        need(20 <= own.sum() <= len(own) - 20)
        detected = file.file["detections/frame"][:] % 2 == 1
        detections = file.file["detections/box"][:]
        plant(file)
        for values, before in kept:
            after = values[:]
            after[own] = before[own]
            values[...] = after
        after = file.file["detections/box"][:]
        after[detected] = detections[detected]
        file.file["detections/box"][...] = after
    return planted


def exchanged_videos(file):
    """The predictions of the first two videos, in place of each other."""
    need(file.is_video)
    counts = list(file.labels["sequences/count"])
    need(len(counts) >= 2 and counts[0] == counts[1])
    count = int(counts[0])
    file.renumber(lambda frames: np.concatenate([np.arange(count) + count, np.arange(count), np.arange(2 * count, frames)]))


def halved(values, sizes):
    return values / 2


KINDS = {
    "mirrored, fractions": (both(mirrored, fractions), ["fractions --repair from-right"]),
    "turned, fractions": (both(turned, fractions_of_turned), ["exchange-axes --repair fractions --repair from-"]),
    "mirrored, halved": (both(mirrored, halved), ["scale=2 --repair from-right"]),
    "turned, halved": (both(turned, halved), ["scale=2 --repair exchange-axes --repair from-"]),
    "mirrored, longer side of 640": (both(mirrored, longer_side), ["longer-side=640 --repair from-right", "--repair from-right"]),
    "mirrored, letterboxed": (both(mirrored, letterboxed), ["letterbox=640 --repair from-right", "--repair from-right"]),
    "crop, halved": (both(crop, halved), ["scale=2 --repair move=", "--repair move="]),
    "half of the frames in fractions": (half(both(lambda v, s: v, fractions)), ["smaller than a pixel", "the others wrong", "others are"]),
    "half of the frames halved": (half(both(lambda v, s: v, halved)), ["the others wrong"]),
    "half of the frames mirrored": (half(both(lambda v, s: v, mirrored)), ["the others wrong"]),
    "sides of points in half of the frames": (
        lambda file: (file.with_68_points(), half(single.points(lambda v: v[:, SIDES]))(file)), ["the others wrong"]),
    "bytes in half of the frames": (
        half(lambda file: file.change("faces/blendshapes", lambda v: 255 * v)), ["beyond 1.5 by 255"]),
    "thousandths": (lambda file: file.change("faces/blendshapes", lambda v: 1000 * v), ["by 1000"]),
    "radians, yaw turned around": (angles(lambda y, p, r: (-y / 57.3, p / 57.3, r / 57.3)), ["radians --repair negate=yaw"]),
    "yaw and pitch exchanged, yaw turned around": (angles(lambda y, p, r: (p, -y, r)), ["exchange-angles --repair negate="]),
    "pitch and roll exchanged": (angles(lambda y, p, r: (y, r, p)), ["the predicted roll is taken as pitch"]),
    "mirrored, 4 frames late": (
        lambda file: (file.shift(4), both(mirrored, lambda v, s: v)(file)), ["--repair from-right"]),
    "two videos exchanged": (exchanged_videos, ["of their own videos"]),
}

if __name__ == "__main__":
    single.__doc__, single.HONEST, single.KINDS = __doc__, {}, KINDS
    single.main()
