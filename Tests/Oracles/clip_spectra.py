"""Expected spectra of clips for ClipSpectrum, by scipy.signal.welch.

    python clip_spectra.py

writes expected/clip_spectra.json; the sequences are those of jitter_lag.py.
"""

import json

import numpy as np
import scipy

from case_stream import CaseStream
from jitter_lag import ANCHORS, EXPECTED, interocular, sequence, spectrum

CASES = 60


def tracks(frames):
    """Each face over frames without a break, in the order of its first frames: time, smoothed, raw, eyes."""
    found, open_tracks = [], {}
    for index, time, faces in frames:
        current = {}
        for face, smooth, raw in faces or []:
            track = open_tracks.get(face)
            if track is None:
                track = []
                found.append(track)
            eyes = interocular(smooth)
            track.append((time, smooth, raw, (eyes + interocular(track[-1][1])) / 2 if track else eyes))
            current[face] = track
        open_tracks = current
    return found


def amplitudes(track, column):
    """Frequencies in Hz and amplitudes in thousandths of the interocular distance / √Hz."""
    frequencies, density = spectrum(track, column)
    eyes = np.mean([frame[3] for frame in track])
    return frequencies[1:].tolist(), (1000 / eyes * np.sqrt(density[1:] / len(ANCHORS))).tolist()


def case(number):
    """Of each video, in order: None, or frequencies and both amplitudes."""
    stream = CaseStream(3000 + number)
    spectra = []
    for is_video, frames in [sequence(stream) for _ in range(stream.below(4))]:
        longest = max(tracks(frames), key=len, default=[]) if is_video else []
        if len(longest) < 30:
            spectra.append(None)
            continue
        hertz, smoothed = amplitudes(longest, 1)
        spectra.append({"hertz": hertz, "smoothed": smoothed, "unsmoothed": amplitudes(longest, 2)[1]})
    return spectra


def main():
    content = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__},
               "cases": [case(number) for number in range(CASES)]}
    text = json.dumps(json.loads(json.dumps(content), parse_float=lambda x: float(f"{float(x):.13g}")),
                      separators=(",", ":"))
    (EXPECTED / "clip_spectra.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
