"""What the tests of the packages share: images of bright squares, their labels, and a repository that tracks them."""

import pathlib
import shlex
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BOXES = [[10 + 3 * i, 20 + i, 40, 30] for i in range(12)]


def images():
    """Twelve images with a bright square each, which moves."""
    pixels = np.full((len(BOXES), 120, 160, 3), 40, "u1")
    for i, (x, y, width, height) in enumerate(BOXES):
        pixels[i, y:y + height, x:x + width] = 230
    return pixels


def tracker(*arguments):
    """The command line of the tracker that finds them."""
    return shlex.join([sys.executable, str(HERE / "brightness_tracker.py"), *arguments])


def busy_tracker(steps):
    """The command line of a tracker that computes so many steps for each frame."""
    return shlex.join([sys.executable, str(HERE / "busy_tracker.py"), str(steps)])
