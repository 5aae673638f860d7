"""The expected output of CorrelationTracker for small made-up clips, from the papers' formulas in NumPy.

    python correlation_tracker.py

writes expected/correlation_tracker.json. Staple (Bertinetto et al. 2016) with the gradients of Felzenszwalb et al.
(2010) and the scale search of DSST (Danelljan et al. 2014); the transforms are NumPy's, in double precision. The
images follow from the case's number by integer arithmetic. A clip in which two displacements, cells or scales are as good
as each other is left out, because the last bits would decide.
"""

import json
from pathlib import Path

import numpy as np

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES, FRAMES, CELL, SCALES = 120, 4, 4, 33


def texture(rule, x, y):
    """[height, width, 3] of bytes: a slanted wave with a grain on it."""
    planes = []
    for channel in range(3):
        a, b, c, d = rule[4 * channel:4 * channel + 4]
        wave = (a * x + b * y + (c * x * y >> 5) + d) & 511
        grain = (x * 73856093 ^ y * 19349663 ^ (d + channel) * 83492791) >> 5 & 31
        planes.append(np.where(wave < 256, wave, 511 - wave) * 3 // 4 + grain)
    return np.stack(planes, axis=2).astype(np.uint8)


def clip(stream):
    """The first box, and the images."""
    def rule():
        return [value for _ in range(3) for value in
                (stream.below(25) - 12, stream.below(25) - 12, stream.below(7) - 3, stream.below(512))]

    width, height = 60 + stream.below(80), 60 + stream.below(80)
    ground, object_ = rule(), rule()
    w, h = 14 + stream.below(40), 14 + stream.below(40)
    x0, y0 = stream.below(width - 10), stream.below(height - 10)
    first, images = [x0, y0, w, h], []
    y, x = np.mgrid[:height, :width].astype(np.int64)
    for _ in range(FRAMES):
        image = texture(ground, x, y)
        inside = (x >= x0) & (x < x0 + w) & (y >= y0) & (y < y0 + h)
        own = texture(object_, (x - x0) * 48 // w, (y - y0) * 48 // h)
        image[inside] = own[inside]
        images.append(image)
        x0, y0 = x0 + stream.below(9) - 4, y0 + stream.below(9) - 4
        w, h = w + stream.below(3) - 1, h + stream.below(3) - 1
    return first, images


def samples(start, size, count, limit):
    step = size / count
    each = int(min(max(np.ceil(step / 2), 1), 4))
    position = np.clip(start + (np.arange(count * each) + .5) * step / each - .5, 0, limit - 1)
    low = position.astype(int)
    return each, low, np.minimum(low + 1, limit - 1), position - low


def crop(image, centre, size, width, height):
    nx, left, right, fx = samples(centre[0] - size[0] / 2, size[0], width, image.shape[1])
    ny, top, bottom, fy = samples(centre[1] - size[1] / 2, size[1], height, image.shape[0])
    rows = image[top] * (1 - fy)[:, None, None] + image[bottom] * fy[:, None, None]
    values = rows[:, left] * (1 - fx)[:, None] + rows[:, right] * fx[:, None]
    return values.reshape(height, ny, width, nx, 3).mean(axis=(1, 3)) / 255


def gradients(patch):
    h, w = patch.shape[0] // CELL, patch.shape[1] // CELL
    dy, dx = np.gradient(patch, axis=(0, 1))
    best = (dx ** 2 + dy ** 2).argmax(axis=2)[:h * CELL, :w * CELL, None]
    dx, dy = (np.take_along_axis(d[:h * CELL, :w * CELL], best, 2)[..., 0] for d in (dx, dy))
    direction = np.rint(np.degrees(np.arctan2(dy, dx)) / 20).astype(int) % 18
    cells = np.zeros((h + 2, w + 2, 18))
    ys, xs = (np.arange(h * CELL) + .5) / CELL + .5, (np.arange(w * CELL) + .5) / CELL + .5
    for down in (0, 1):
        for across in (0, 1):
            wy, wx = 1 - abs(ys - (np.floor(ys) + down)), 1 - abs(xs - (np.floor(xs) + across))
            index = (ys.astype(int) + down)[:, None], (xs.astype(int) + across)[None, :], direction
            np.add.at(cells, index, np.hypot(dx, dy) * wy[:, None] * wx)
    cells = cells[1:-1, 1:-1]
    both = cells[..., :9] + cells[..., 9:]
    energy = np.pad((both ** 2).sum(axis=2), 1, mode="edge")
    block = 1 / np.sqrt(energy[:-1, :-1] + energy[1:, :-1] + energy[:-1, 1:] + energy[1:, 1:] + 1e-4)
    return sum(np.minimum(np.concatenate([cells, both], axis=2) * block[a:a + h, b:b + w, None], .2) / 2
               for a in (0, 1) for b in (0, 1))


def hann(count):
    return .5 - .5 * np.cos(2 * np.pi * np.arange(count) / (count - 1))


def ring(count):
    return np.minimum(np.arange(count), count - np.arange(count))


class Tied(Exception):
    pass


def top(values):
    """The position of the largest value, which must be larger than all others by more than rounding."""
    flat = np.sort(values, axis=None)
    if flat[-1] - flat[-2] < 1e-4 * abs(flat[-1]):
        raise Tied
    return np.unravel_index(values.argmax(), values.shape)


class Tracker:
    def __init__(self, image, box):
        self.base, self.scale = np.array(box[2:], float), 1.0
        self.centre = np.array(box[:2]) + self.base / 2
        self.sides = self.base + self.base.mean()
        self.size = np.rint(self.sides * 150 / np.sqrt(self.sides.prod())).astype(int)
        self.unit = self.sides / self.size
        self.object = self.base / self.unit
        self.inner = np.maximum((self.base - .2 * self.base.mean()) / self.unit, 1)
        self.window = np.maximum(np.rint(self.object), 1).astype(int)
        self.reach = (self.size - self.window).min() // 2
        self.cells = self.size // CELL
        sigma = np.sqrt(self.object.prod()) / CELL / 16
        x, y = ring(self.cells[0]), ring(self.cells[1])
        self.answer = np.fft.fft2(np.exp(-.5 * (x ** 2 + y[:, None] ** 2) / sigma ** 2))
        self.fade = hann(self.cells[1])[:, None] * hann(self.cells[0])
        zoom = min(np.sqrt(512 / self.base.prod()), 1)
        self.pattern = np.clip(self.base * zoom, 8, 64).astype(int)
        self.factors = 1.02 ** (SCALES // 2 - np.arange(SCALES))
        self.steps = np.fft.fft(np.exp(-.5 * (ring(SCALES) / (np.sqrt(SCALES) / 4)) ** 2))
        limits = image.shape[1] / self.base[0], image.shape[0] / self.base[1]
        self.range = min((5 / self.base).max(), 1), max(min(limits), 1)
        self.learnt = self.sums(image)

    def patch(self, image):
        return crop(image, self.centre, self.sides * self.scale, *self.size)

    def spectrum(self, patch):
        grey = patch @ [.299, .587, .114]
        w, h = self.cells
        grey = grey[:h * CELL, :w * CELL].reshape(h, CELL, w, CELL).mean(axis=(1, 3)) - .5
        return np.fft.fft2(np.dstack([grey, gradients(patch)]) * self.fade[..., None], axes=(0, 1))

    def pyramid(self, image):
        rows = [gradients(crop(image, self.centre, self.base * self.scale * factor, *self.pattern)).ravel()
                for factor in self.factors]
        return np.fft.fft(np.array(rows) * hann(SCALES)[:, None], axis=0)

    def colors(self, patch):
        r, g, b = np.moveaxis(np.minimum((patch * 32).astype(int), 31), 2, 0)
        return (r * 32 + g) * 32 + b

    def sums(self, image):
        patch, pyramid = self.patch(image), self.pyramid(image)
        spectrum, colors = self.spectrum(patch), self.colors(patch)
        x = abs(2 * np.arange(self.size[0]) + 1 - self.size[0])
        y = abs(2 * np.arange(self.size[1]) + 1 - self.size[1])[:, None]
        inner = (x < self.inner[0]) & (y < self.inner[1])
        outer = (x >= self.object[0]) | (y >= self.object[1])
        shares = [np.bincount(colors[mask], minlength=32 ** 3) / max(mask.sum(), 1) for mask in (inner, outer)]
        return [(.01, np.conj(self.answer)[..., None] * spectrum), (.01, (abs(spectrum) ** 2).sum(axis=2)),
                (.04, shares[0]), (.04, shares[1]),
                (.025, np.conj(self.steps)[:, None] * pyramid), (.025, (abs(pyramid) ** 2).sum(axis=1))]

    def follow(self, image):
        (_, top_), (_, bottom), (_, own), (_, around), (_, scale_top), (_, scale_bottom) = self.learnt
        patch = self.patch(image)
        spectrum = (np.conj(top_) * self.spectrum(patch)).sum(axis=2) / (bottom + 1e-3 * self.cells.prod())
        answer = np.fft.ifft2(spectrum).real
        moves = np.arange(-self.reach, self.reach + 1)
        linear = []
        for count in (self.cells[1], self.cells[0]):
            position, matrix = moves / CELL, np.zeros((len(moves), count))
            low = np.floor(position).astype(int)
            matrix[np.arange(len(moves)), low % count] += 1 - (position - low)
            matrix[np.arange(len(moves)), (low + 1) % count] += position - low
            linear.append(matrix)
        colors = self.colors(patch)
        seen = own[colors] + around[colors]
        likely = np.divide(own[colors], seen, out=np.zeros_like(seen), where=seen > 0)
        integral = np.pad(likely.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
        (w, h), left, above = self.window, *((self.size - self.window) // 2)
        x, y = left + moves, above + moves
        box = (integral[np.ix_(y + h, x + w)] - integral[np.ix_(y, x + w)] - integral[np.ix_(y + h, x)]
               + integral[np.ix_(y, x)]) / (w * h)
        down, across = top(.7 * linear[0] @ answer @ linear[1].T + .3 * box)
        self.centre += np.array([moves[across], moves[down]]) * self.unit * self.scale
        self.centre = np.clip(self.centre, 0, image.shape[1::-1])
        pyramid = (np.conj(scale_top) * self.pyramid(image)).sum(axis=1) / (scale_bottom + 1e-3)
        step, = top(np.fft.ifft(pyramid).real)
        self.scale = np.clip(self.scale * 1.02 ** -(step - SCALES * (step > SCALES // 2)), *self.range)
        self.learnt = [(rate, (1 - rate) * old + rate * new)
                       for (rate, old), (_, new) in zip(self.learnt, self.sums(image))]
        peak = top(answer)
        near = [ring(count)[(np.arange(count) - at) % count] <= 5 for count, at in zip(answer.shape, peak)]
        rest = answer[~(near[0][:, None] & near[1])]
        ratio = max((answer[peak] - rest.mean()) / rest.std(), 0)
        sides = self.base * self.scale
        return [*(self.centre - sides / 2), *sides, ratio / (ratio + 7)]


def case(number):
    first, images = clip(CaseStream(9000 + number))
    tracker = Tracker(images[0], first)
    return [[float(value) for value in tracker.follow(image)] for image in images[1:]]


def main():
    cases, number = [], 0
    while len(cases) < CASES:
        try:
            cases.append({"number": number, "sights": case(number)})
        except Tied:
            pass
        number += 1
    content = {"versions": {"numpy": np.__version__}, "cases": cases}
    (EXPECTED / "correlation_tracker.json").write_text(
        json.dumps(content, separators=(",", ":"), allow_nan=False) + "\n")


if __name__ == "__main__":
    main()
