"""Expected jitter and lag, from their definitions in NumPy, and spectra by scipy.signal.welch.

    python jitter_lag.py

writes expected/jitter_lag.json for LandmarkJitter; the sequences follow from the case's number.
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.signal import welch

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 120
NAMES = ["jitter.static", "jitter.static.interocular", "jitter.static.unsmoothed",
         "jitter.static.unsmoothed.interocular", "jitter.second", "jitter.second.unsmoothed",
         "jitter.spectrum", "jitter.spectrum.unsmoothed", "lag.ms"]
CORNERS = [36, 45]
ANCHORS = [36, 45, 30, 48, 54, 51, 8]


def face_shape(stream):
    return np.array([[stream.between(-60, 60), stream.between(-60, 60)] for _ in range(68)])


def to_grid(points):
    return np.floor(points * 64) / 64


def sequence(stream):
    """Frames as index, time and faces; a face is a number that lasts while it can be followed."""
    is_video = stream.below(6) > 0
    length = [0, 1, 12, 40, 70, 70][stream.below(6)]
    amplitude = [0, 1, 8, 30][stream.below(4)]
    noise = stream.below(3)
    period = 20 + stream.below(40)
    weight = [64, 40, 12, 3][stream.below(4)] / 64
    shapes = [face_shape(stream) for _ in range(1 + stream.below(2))]
    number, state, frames, time = list(range(len(shapes))), [None, None], [], 0
    jumps = [0, 0]
    for index in range(length):
        is_analysed = stream.below(60) > 0
        time += 33_000 + stream.below(700)
        faces = []
        for face, shape in enumerate(shapes):
            if stream.below(120) == 0:  # too far to be followed
                jumps[face] += 1
                number[face] += 10
                state[face] = None
            phase = index % period
            swing = amplitude * (4 * abs(phase / period - 0.5) - 1)  # a triangle: exact everywhere
            center = np.array([200 + 700 * face + swing, 300.0 + 400 * (jumps[face] % 2)])
            raw = shape + center
            if noise:
                raw = raw + np.array(
                    [[stream.between(-noise, noise) for _ in range(2)] for _ in range(68)])
            raw = to_grid(raw)
            before = state[face]
            smooth = raw if before is None else to_grid(before + weight * (raw - before))
            state[face] = smooth
            faces.append((number[face], smooth, raw))
        if stream.below(4) == 0:
            faces.reverse()
        frames.append((index, time, faces if is_analysed else None))
    return is_video, frames


def interocular(points):
    return np.linalg.norm(points[CORNERS[0]] - points[CORNERS[1]])


def delay(later, earlier, reach):
    """By the largest Pearson correlation of the overlap, with a parabola through three values."""
    values = []
    for shift in range(-reach, reach + 1):
        first = earlier[max(0, -shift):len(earlier) - max(0, shift)]
        second = later[max(0, shift):len(later) - max(0, -shift)]
        values.append(np.corrcoef((first - first.mean(axis=0)).ravel(),
                                  (second - second.mean(axis=0)).ravel())[0, 1])
    # Of equal peaks the one nearest to 0, then the later.
    peak = max(range(-reach, reach + 1), key=lambda s: (values[s + reach], -abs(s), s))
    if abs(peak) == reach:
        return None
    quadratic = np.polyfit([-1, 0, 1], values[peak + reach - 1:peak + reach + 2], 2)
    return peak + (-quadratic[1] / (2 * quadratic[0]) if quadratic[0] < -1e-12 else 0.0)


def lag(track):
    """Milliseconds, or None where the face moves too little or no peak lies inside."""
    raw = np.array([frame[2][ANCHORS].ravel() for frame in track])
    smooth = np.array([frame[1][ANCHORS].ravel() for frame in track])
    spread = np.sqrt(((raw - raw.mean(axis=0)) ** 2).mean(axis=0).sum() / len(ANCHORS))
    if spread / np.mean([frame[3] for frame in track]) < 0.02:
        return "still"
    samples = delay(smooth, raw, min(15, len(track) // 3))
    intervals = np.diff([frame[0] for frame in track])
    return None if samples is None else samples * np.percentile(
        intervals, 50, method="inverted_cdf") / 1000


def spectrum(track, column):
    """Frequencies in Hz and densities of the displacement between frames, summed over the points."""
    times = np.array([frame[0] for frame in track], dtype=float)
    times -= times[0]
    interval = np.percentile(np.diff(times), 50, method="inverted_cdf")
    even = np.arange(int(times[-1] / interval) + 1) * interval
    signals = np.array([frame[column][ANCHORS].ravel() for frame in track]).T
    displacements = np.diff([np.interp(even, times, signal) for signal in signals])
    frequencies, densities = welch(displacements, fs=1e6 / interval, nperseg=min(256, displacements.shape[1]))
    return frequencies, densities.sum(axis=0)


def fast_share(track, column):
    """Share of the displacement's power above 4 Hz, or None where nothing moves."""
    frequencies, density = spectrum(track, column)
    whole = density[1:].sum() * frequencies[1]
    return density[frequencies > 4].sum() * frequencies[1] / whole if whole > 1e-12 else None


def case(number):
    stream = CaseStream(3000 + number)
    smooth, raw, tracks, seconds = [], [], [], []
    for is_video, frames in [sequence(stream) for _ in range(stream.below(4))]:
        if not is_video:
            continue
        moved, open_tracks, previous, bent = [[], []], {}, {}, [[], []]
        before_previous = {}
        for index, time, faces in frames:
            current = {}
            for face, now, unsmoothed in faces or []:
                eyes = interocular(now)
                if face in previous:
                    before, before_unsmoothed = previous[face]
                    eyes = (eyes + interocular(before)) / 2
                    for group, pair in zip(moved, ((now, before), (unsmoothed, before_unsmoothed))):
                        square = ((pair[0] - pair[1]) ** 2).sum(axis=1).mean()
                        group.append((square, square / eyes ** 2))
                else:
                    open_tracks[face] = []
                    tracks.append(open_tracks[face])
                if face in previous and face in before_previous:
                    for group, three in zip(bent, zip((now, unsmoothed), previous[face],
                                                      before_previous[face])):
                        second = three[0] - 2 * three[1] + three[2]
                        group.append((second ** 2).sum(axis=1).mean())
                open_tracks[face].append((time, now, unsmoothed, eyes))
                current[face] = (now, unsmoothed)
            previous, before_previous = current, previous
        if moved[0]:
            smooth.append(np.sqrt(np.mean(moved[0], axis=0)))
            raw.append(np.sqrt(np.mean(moved[1], axis=0)))
        if bent[0]:
            seconds.append(np.sqrt(np.mean(bent, axis=1)))
    spectra = []
    for column in (1, 2):
        shares = [fast_share(track, column) for track in tracks if len(track) >= 30]
        shares = [share for share in shares if share is not None]
        spectra.append(float(np.mean(shares)) if shares else None)
    lags = [lag(track) for track in tracks if len(track) >= 30]
    lags = [value for value in lags if value is not None and value != "still"]
    static = [None] * 4
    if smooth:
        static = [*(np.mean(smooth, axis=0) * [1, 1000]), *(np.mean(raw, axis=0) * [1, 1000])]
    return [*[None if value is None else float(value) for value in static],
            *([float(value) for value in np.mean(seconds, axis=0)] if seconds else [None] * 2), *spectra,
            float(np.mean(lags)) if lags else None]


def main():
    content = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__}, "names": NAMES,
               "cases": [case(number) for number in range(CASES)]}
    (EXPECTED / "jitter_lag.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
