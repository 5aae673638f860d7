"""Expected metrics of landmarks, from their formulas in NumPy.

    python landmark_metrics.py

writes expected/landmark_metrics.json for LandmarkAccuracy; points follow from the case's number.
"""

import json
from pathlib import Path

import numpy as np

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
CASES = 160
NORMALIZERS = ["interocular", "interpupil", "box", "diagonal"]
PARTS = {"jaw": range(0, 17), "brows": range(17, 27), "nose": range(27, 36), "eyes": range(36, 48),
         "mouth": range(48, 68)}


def face(stream, position):
    """One labelled face: points, visibility (0 none, 1 occluded, 2 visible), prediction or None."""
    kind = stream.below(7)
    points = np.array([[300 + 600 * position + stream.between(-100, 100),
                        300 + stream.between(-100, 100)] for _ in range(68)])
    visibility = np.full(68, 2)
    if kind == 1:
        visibility[36] = 0
    elif kind in (2, 3):
        visibility = np.array([stream.below(3 if kind == 2 else 2) for _ in range(68)])
    elif kind == 4:
        visibility[:36] = 0
        visibility[48:] = 0
    elif kind == 5:
        points[:] = points[0]
    amplitude = 1 + stream.below(10)
    offsets = np.array([[stream.between(-amplitude, amplitude) for _ in range(2)]
                        for _ in range(68)])
    is_ignored = stream.below(8) == 0
    is_found = stream.below(6) > (0 if position else 1) and kind != 5
    if kind == 6 and stream.below(4) == 0:
        offsets[:] = 0
    return {"points": points, "visibility": visibility, "ignored": is_ignored,
            "predicted": points + offsets if is_found else None}


def lengths(points, visibility):
    known = points[visibility > 0]

    def center(indices):
        return points[indices].mean(axis=0) if (visibility[indices] > 0).all() else None

    def apart(first, second):
        return None if first is None or second is None else np.linalg.norm(first - second)

    side = np.ptp(known, axis=0) if len(known) else np.zeros(2)
    values = [apart(center([36]), center([45])),
              apart(center(list(range(36, 42))), center(list(range(42, 48)))),
              np.sqrt(side[0] * side[1]), np.hypot(*side)]
    return [value if value is not None and value > 0 else None for value in values]


def mean(values):
    values = [value for value in values if value is not None]
    return float(np.mean(values)) if values else None


def metrics(faces):
    faces = [f for f in faces if not f["ignored"] and (f["visibility"] > 0).any()]
    for f in faces:
        f["lengths"] = lengths(f["points"], f["visibility"])
        if f["predicted"] is not None:
            f["distances"] = np.linalg.norm(f["predicted"] - f["points"], axis=1)
    result = [mean([float(f["predicted"] is not None) for f in faces])]
    for index in range(len(NORMALIZERS)):
        known = [f for f in faces if f["lengths"][index] is not None]

        def errors(group, mask):
            return [f["distances"][mask(f)].mean() / f["lengths"][index]
                    for f in group if f["predicted"] is not None and mask(f).any()]

        def pair(group, mask):
            conditional = mean(errors(group, mask))
            missed = any(f["predicted"] is None for f in group)
            return [None if missed else conditional, conditional]

        nme = np.array([np.inf if f["predicted"] is None
                        else f["distances"][f["visibility"] > 0].mean() / f["lengths"][index]
                        for f in known])
        result += pair(known, lambda f: f["visibility"] > 0)
        result += pair([f for f in known if (f["visibility"] == 2).any()],
                       lambda f: f["visibility"] == 2)
        result += [float((nme > t).mean()) if known else None for t in (0.08, 0.1)]
        seen = [f for f in known if (f["visibility"] == 2).any()]
        visible = np.array([np.inf if f["predicted"] is None
                            else f["distances"][f["visibility"] == 2].mean() / f["lengths"][index]
                            for f in seen])
        result += [float((visible > t).mean()) if seen else None for t in (0.08, 0.1)]
        result += [float(np.clip(t - nme, 0, None).mean() / t) if known else None
                   for t in (0.08, 0.1)]
        for part in PARTS.values():
            inside = np.isin(np.arange(68), list(part))
            result.append(mean(errors(known, lambda f: (f["visibility"] > 0) & inside)))
        result.append(float(len(faces) - len(known)) if faces else None)
    return result


def case(number):
    stream = CaseStream(1000 + number)
    stream.below(2)  # whether the prediction is a mesh, which must not matter
    faces = [face(stream, position) for _ in range(stream.below(5))
             for position in range(stream.below(4))]
    return metrics(faces)


def names():
    result = ["landmarks.found_share"]
    for d in NORMALIZERS:
        result += [f"landmarks.nme.{d}{end}" for end in
                   ("", ".conditional", ".visible", ".visible.conditional")]
        result += [f"landmarks.{kind}@{t}" for kind in (f"fr.{d}", f"fr.{d}.visible", f"auc.{d}")
                   for t in ("0.08", "0.10")]
        result += [f"landmarks.nme.{d}.{part}.conditional" for part in PARTS]
        result.append(f"landmarks.faces_without.{d}")
    return result


def main():
    content = {"versions": {"numpy": np.__version__}, "names": names(),
               "cases": [case(number) for number in range(CASES)]}
    (EXPECTED / "landmark_metrics.json").write_text(
        json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
