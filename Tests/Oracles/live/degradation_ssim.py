#!/usr/bin/env python3
"""Structural similarity of degraded images with their clean ones, by scikit-image, as a table over severities.

A suite of 'facegauge degrade' is the argument. Images of another size than the clean one are put on its canvas: those
of 'resolution' enlarged, those of 'crop' at their place on grey. Exits with 1 where the median over images does not
fall from each severity to the next.

Needs: h5py, numpy, pillow, scikit-image.  Run: python3 Tests/Oracles/live/degradation_ssim.py suite.h5 [images]
"""
import io
import sys

import h5py
import numpy as np
from PIL import Image
from skimage.metrics import structural_similarity


def on_canvas(clean, image):
    if image.shape == clean.shape:
        return image
    height, width = clean.shape[:2]
    if image.shape[0] != height and image.shape[1] != width:
        return np.asarray(Image.fromarray(image).resize((width, height), Image.BILINEAR))
    places = [(0, 0), (height - image.shape[0], width - image.shape[1])]
    def distance(place):
        y, x = place
        part = clean[y:y + image.shape[0], x:x + image.shape[1]].astype(float)
        return np.abs(part - image).mean()
    y, x = min(places, key=distance)
    canvas = np.full_like(clean, 128)
    canvas[y:y + image.shape[0], x:x + image.shape[1]] = image
    return canvas


def main(path, limit):
    suite = h5py.File(path)
    offsets, data = suite["images/offsets"][:], suite["images/bytes"]
    severities = {name.split(".", 1)[1]: suite["frames/attributes"][name][:]
                  for name in suite["frames/attributes"] if name.startswith("severity.")}
    clean_frames = np.flatnonzero(next(iter(severities.values())) == 0)[:limit]

    def image(frame):
        return np.asarray(Image.open(io.BytesIO(data[offsets[frame]:offsets[frame + 1]].tobytes())).convert("RGB"))

    length = 1 + 5 * len(severities)
    likeness = {name: np.zeros((len(clean_frames), 5)) for name in severities}
    for row, first in enumerate(clean_frames):
        clean = image(first)
        for frame in range(first + 1, first + length):
            for name, values in severities.items():
                if values[frame] >= 1:
                    likeness[name][row, int(values[frame]) - 1] = structural_similarity(
                        clean, on_canvas(clean, image(frame)), channel_axis=2)
    print(f"{len(clean_frames)} images; median SSIM (share of images that fall from the severity before)\n")
    print("| degradation | 1 | 2 | 3 | 4 | 5 |\n|---|---|---|---|---|---|")
    is_falling = True
    for name, values in likeness.items():
        before = np.concatenate([np.ones((len(values), 1)), values[:, :-1]], axis=1)
        share = (values <= before).mean(axis=0)
        medians = np.median(values, axis=0)
        is_falling &= bool(np.all(np.diff(np.concatenate([[1], medians])) < 0))
        print(f"| `{name}` | " + " | ".join(f"{m:.3f} ({100 * s:.0f} %)" for m, s in zip(medians, share)) + " |")
    return 0 if is_falling else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None))
