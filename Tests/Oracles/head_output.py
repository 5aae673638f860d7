"""Expected shares, changes and tables of predicted blendshapes and head poses, from NumPy and SciPy's Rotation.

    python head_output.py

writes expected/head_output.json for HeadOutput; the clips follow from the case's number.
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.spatial.transform import Rotation

from case_stream import CaseStream
from pose_metrics import angles_of, rotation

EXPECTED = Path(__file__).parent / "expected"
NAMES = ["blendshapes.given_share", "blendshapes.change", "pose.given_share", "pose.change"]
CASES, TABLES = 150, 20


def sequence(stream):
    """Frames, each None where it was not analysed, else person to coefficients and rotation or None."""
    is_video, length, people = stream.below(5) > 0, [0, 1, 3, 9][stream.below(4)], 1 + stream.below(2)
    gives_blendshapes, gives_pose = stream.below(5) > 0, stream.below(5) > 0
    frames = []
    for _ in range(length):
        is_analysed, faces = stream.below(12) > 0, {}
        for person in range(people):
            is_found = stream.below(8) > 0
            holes = stream.below(4) == 0
            coefficients = np.array([stream.between(0, 1) for _ in range(52)])
            if holes:
                coefficients[[stream.below(52) for _ in range(10)]] = np.nan
            if stream.below(9) == 0 or not gives_blendshapes:
                coefficients = np.full(52, np.nan)
            turn = tuple([6] + [stream.below(7) - 3 for _ in range(3)])
            is_turned = stream.below(9) > 0 and gives_pose
            if is_found:
                faces[person] = (coefficients, rotation(turn) if is_turned else None)
        frames.append(faces if is_analysed else None)
    return is_video, frames


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


def row(values, changes):
    values = np.array(values)
    return [len(values), values.mean(), values.std(), *np.percentile(values, [0, 5, 50, 95, 100]),
            rms(changes) if len(changes) else None]


def case(number, with_tables):
    stream = CaseStream(9100 + number)
    sequences = [sequence(stream) for _ in range(stream.below(4))]
    faces = [face for _, frames in sequences for frame in frames if frame is not None for face in frame.values()]
    pairs = [[(before[person], now[person]) for before, now in zip(frames, frames[1:])
              if before is not None and now is not None for person in now if person in before]
             for is_video, frames in sequences if is_video]
    # The first coefficient is _neutral.
    given = [np.isfinite(coefficients).any() for coefficients, _ in faces]
    moves, turns = [], []
    for links in pairs:
        squares = [np.square(now[0] - before[0])[1:] for before, now in links]
        squares = [np.nanmean(square) for square in squares if np.isfinite(square).any()]
        if squares:
            moves.append(np.sqrt(np.mean(squares)))
        angles = [np.degrees((before[1].inv() * now[1]).magnitude()) for before, now in links
                  if before[1] is not None and now[1] is not None]
        if angles:
            turns.append(rms(angles))
    values = [float(np.mean(given)) if faces else None, float(np.mean(moves)) if moves else None,
              float(np.mean([turn is not None for _, turn in faces])) if faces else None,
              float(np.mean(turns)) if turns else None]
    if not with_tables:
        return values, None
    links = [pair for sequence in pairs for pair in sequence]
    coefficients = []
    for index in range(1, 52):
        column = [face[0][index] for face in faces if np.isfinite(face[0][index])]
        changes = [now[0][index] - before[0][index] for before, now in links]
        if column:
            coefficients.append(row(column, [change for change in changes if np.isfinite(change)]))
    turned = []
    # SciPy's angles are turned the other way round; the triple is pitch, yaw, roll.
    angles = [-np.array(angles_of(turn)) for _, turn in faces if turn is not None]
    both = [(-np.array(angles_of(before[1])), -np.array(angles_of(now[1]))) for before, now in links
            if before[1] is not None and now[1] is not None]
    for axis in (1, 0, 2):
        if angles:
            changes = [abs((before[axis] - now[axis] + 180) % 360 - 180) for before, now in both]
            turned.append(row([angle[axis] for angle in angles], changes))
    return values, [coefficients, turned]


def main():
    made = [case(number, number < TABLES) for number in range(CASES)]
    content = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__}, "names": NAMES,
               "cases": [values for values, _ in made],
               "tables": [[[[None if cell is None else round(float(cell), 9) for cell in line] for line in table]
                           for table in tables] for _, tables in made[:TABLES]]}
    (EXPECTED / "head_output.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
