"""Expected agreement of blendshapes, from pingouin, SciPy, scikit-learn and NumPy.

    python blendshape_agreement.py

writes expected/paired_agreement.json for PairedAgreement and expected/blendshape_metrics.json for
BlendshapeAccuracy; the inputs follow from the case's number. Lin's concordance is his formula in NumPy.
"""

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pingouin
from scipy import stats
from sklearn import metrics

from case_stream import CaseStream

warnings.filterwarnings("ignore")
EXPECTED = Path(__file__).parent / "expected"
NAMES = ["found_share", *[n + e for n in ("mae", "rmse", "pcc", "ccc", "icc31")
                          for e in ("", ".conditional")],
         "neutral_bias", "dynamic_range", "crosstalk", "dead_channels", "out_of_range"]
COEFFICIENTS = """_neutral browDownLeft browDownRight browInnerUp browOuterUpLeft browOuterUpRight
cheekPuff cheekSquintLeft cheekSquintRight eyeBlinkLeft eyeBlinkRight eyeLookDownLeft eyeLookDownRight
eyeLookInLeft eyeLookInRight eyeLookOutLeft eyeLookOutRight eyeLookUpLeft eyeLookUpRight eyeSquintLeft
eyeSquintRight eyeWideLeft eyeWideRight jawForward jawLeft jawOpen jawRight mouthClose mouthDimpleLeft
mouthDimpleRight mouthFrownLeft mouthFrownRight mouthFunnel mouthLeft mouthLowerDownLeft
mouthLowerDownRight mouthPressLeft mouthPressRight mouthPucker mouthRight mouthRollLower mouthRollUpper
mouthShrugLower mouthShrugUpper mouthSmileLeft mouthSmileRight mouthStretchLeft mouthStretchRight
mouthUpperUpLeft mouthUpperUpRight noseSneerLeft noseSneerRight""".split()


def icc31(p, g):
    if len(p) < 5:  # Fewer than pingouin takes: the analysis of variance by hand.
        table = np.stack([p, g], axis=1)
        rows, columns = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
        n = len(p)
        msr = 2 * ((rows - table.mean()) ** 2).sum() / (n - 1)
        mse = ((table - rows - columns + table.mean()) ** 2).sum() / (n - 1)
        return (msr - mse) / (msr + mse)
    frame = pd.DataFrame({"face": [*range(len(p))] * 2, "by": ["p"] * len(p) + ["g"] * len(g),
                          "value": np.concatenate([p, g])})
    found = pingouin.intraclass_corr(frame, targets="face", raters="by", ratings="value")
    return found.set_index("Type").loc["ICC3", "ICC"]


def agreement(p, g):
    """Bias, MAE, RMSE, PCC, CCC, ICC(3,1); None where undefined."""
    p, g = np.asarray(p, float), np.asarray(g, float)
    constant = np.ptp(p) == 0, np.ptp(g) == 0
    spread = p.var() + g.var() + (p.mean() - g.mean()) ** 2
    values = [
        np.mean(p - g), metrics.mean_absolute_error(g, p),
        np.sqrt(metrics.mean_squared_error(g, p)),
        None if any(constant) else stats.pearsonr(p, g).statistic,
        None if all(constant) and p[0] == g[0] else 2 * np.cov(p, g, ddof=0)[0, 1] / spread,
        None if len(p) < 2 or all(constant) else icc31(p, g)]
    return [None if value is None else float(value) for value in values]


def paired_case(number):
    stream = CaseStream(5000 + number)
    kind, n, step = stream.below(6), 1 + stream.below(40), [1, 8, 32][stream.below(3)]
    p, g = [], []
    for _ in range(n):
        a, b = stream.below(72) // step * step / 64, stream.below(72) // step * step / 64
        g.append(0.25 if kind in (1, 3) else a)
        p.append(0.5 if kind in (2, 3) else a if kind == 4 else b)
    return agreement(p, g)


def metrics_case(number):
    stream = CaseStream(6000 + number)
    count, misses = stream.below(30), stream.below(3) > 0
    kinds = [stream.below(8) for _ in COEFFICIENTS]
    labels, predictions = [], []
    for _ in range(count):
        missed, neutral = stream.below(6) == 0 and misses, stream.below(4) == 0
        label, predicted = [], []
        for kind in kinds:
            a, b, hole = stream.below(72), stream.below(72), stream.below(12)
            g = (a % 7 if neutral else a) / 64
            label.append(0.0625 if kind == 0 else np.nan if hole == 0 else g)
            predicted.append(0.125 if kind == 1 else np.nan if hole == 1 or kind == 2
                             else g if kind == 3 else (3 * (a % 7 if neutral else a) + b) / 256 - 1 / 64)
        labels.append(label)
        predictions.append([np.nan] * 52 if missed else predicted)
    if not count:
        return [None] * len(NAMES)
    g, p = np.array(labels), np.array(predictions)
    found = ~np.isnan(p).all(axis=1)
    share = float(found.mean())
    if not found.any():
        return [share] + [None] * (len(NAMES) - 1)
    complete = found.all()
    neutral = ~(np.nan_to_num(g[:, 1:]) > 0.1).any(axis=1)
    live, dead, channels, bias, width = [], 0, 0, [], []
    for c in range(1, 52):
        both = ~np.isnan(g[:, c]) & ~np.isnan(p[:, c])
        if not both.any():
            continue
        x, y = p[both, c], g[both, c]
        dead += bool(x.var() < 1e-6 or y.var() < 1e-6)
        channels += 1
        if y.var() < 1e-6:  # the label; a constant prediction counts as it is
            continue
        live.append(agreement(x, y)[1:])
        if (both & neutral).any():
            bias.append(abs(np.mean((p - g)[both & neutral, c])))
        width.append(np.ptp(x) / np.ptp(y))
    cross = []
    for left, name in enumerate(COEFFICIENTS):
        if not name.endswith("Left") or name in ("jawLeft", "mouthLeft"):
            continue
        right = COEFFICIENTS.index(name[:-4] + "Right")
        ok = ~np.isnan(g[:, [left, right]]).any(axis=1) & ~np.isnan(p[:, [left, right]]).any(axis=1)
        shares = []
        for own, other in ((left, right), (right, left)):
            x, y, z = g[ok, own], g[ok, other], p[ok, own]
            if len(x) < 3 or min(x.var(), y.var()) <= 1e-6 or z.var() <= 1e-12:
                break
            if 1 - np.corrcoef(x, y)[0, 1] ** 2 <= 1e-6:
                break
            a, b, _ = np.linalg.lstsq(np.stack([x, y, np.ones(len(x))], axis=1), z, rcond=None)[0]
            if abs(a) + abs(b) <= 1e-9:
                break
            shares.append(abs(b) / (abs(a) + abs(b)))
        if len(shares) == 2:
            cross.append(np.mean(shares))
    values = p[found][:, 1:]
    values = values[~np.isnan(values)]
    row = [share]
    for column in range(5):
        known = [channel[column] for channel in live if channel[column] is not None]
        mean = float(np.mean(known)) if known else None
        row += [mean if complete else None, mean]
    return row + [
        float(np.mean(bias)) if bias else None, float(np.mean(width)) if width else None,
        float(np.mean(cross)) if cross else None, float(dead) if channels else None,
        float(np.mean((values < 0) | (values > 1))) if len(values) else None]


def write(name, content):
    versions = {m: version(m) for m in ("numpy", "pingouin", "scipy", "scikit-learn")}
    (EXPECTED / f"{name}.json").write_text(
        json.dumps({"versions": versions, **content}, separators=(",", ":")) + "\n")


def main():
    write("paired_agreement", {
        "names": ["bias", "mae", "rmse", "pcc", "ccc", "icc31"],
        "cases": [paired_case(number) for number in range(200)]})
    write("blendshape_metrics", {"names": ["blendshapes." + name for name in NAMES],
                                 "cases": [metrics_case(number) for number in range(120)]})


if __name__ == "__main__":
    main()
