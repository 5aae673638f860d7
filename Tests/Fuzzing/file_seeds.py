"""Files that FaceGauge writes: a plan of shards, parts of a sweep, a comparison, a ranking, measurements of leakage, response and equivariance; files of rules."""

import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np


def plan():
    said = {
        "schema": "facegauge.shard-plan", "version": 4, "command": "evaluate", "bounds": [0, 2, 2, 5],
        "arguments": [{"name": "dataset.h5", "value": "faces.h5"}, {"name": "mode", "value": "image"}],
        "tool": {"name": "facegauge", "version": "1", "build": "release"},
        "dataset": {"name": "faces", "sha256": "0", "frames": 5, "sequences": 5},
        "options": {"mode": "image"}, "landmarks": "v2",
        "models": [{"name": "m", "stage": "detection", "sha256": "0", "isPinned": True}],
        "absent": [{"stage": "blendshapes", "reason": "no model"}],
        "numerics": {"kernels": "x86-64-v3", "blas": "OpenBLAS", "core": "Haswell"},
    }
    # As Swift's encoder writes it.
    text = json.dumps(said, indent=2, sort_keys=True, separators=(",", " : ")) + "\n"
    return said | {"sha256": hashlib.sha256(text.encode()).hexdigest()}


def sweep_part(stretches, compression=None):
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        file.attrs["format"] = "facegauge.sweep-part"
        file.attrs["version"] = 1
        file.attrs["part_plan"] = "0" * 8
        file.attrs["part_host"] = "h"
        file.attrs["part_numerics"] = "n"
        for name in ["index", "first_sequence", "first_frame"]:
            file.attrs["part_" + name] = 0
        for name in ["count", "end_sequence", "attempt"]:
            file.attrs["part_" + name] = 1
        file.attrs["part_noise"] = ["busy"]
        for work in ["start", "digest", "work"]:
            file.attrs[f"part_{work}_s"] = 0.5
            file.attrs[f"part_{work}_cpu_s"] = 0.25
            file.attrs[f"part_{work}_bytes"] = 9
        file.attrs["frames"] = 4
        file.attrs["models_loaded"] = 1
        file.attrs["stages"] = "[]"
        file.attrs["cost"] = ["reads=3", "detectorRuns=4"]

        def put(path, values, kind):
            values = np.asarray(values, kind)
            options = {"chunks": (max(1, len(values)),), "compression": compression} if compression and path.startswith("sums") else {}
            file.create_dataset(path, data=values, **options)

        ends = 2 * np.arange(1, stretches + 1)
        put("stretches/first_frame", np.arange(stretches), "i4")
        for name in ["settings", "sums", "errors"]:
            put(f"stretches/{name}_end", ends, "u8")
        rows = np.arange(2 * stretches)
        put("settings/setting", rows % 3, "i4")
        put("sums/position", rows, "i4")
        put("sums/value", rows / 2, "f8")
        put("errors/frame", rows % 4, "i4")
        put("errors/count", rows, "i4")
        for name in ["detection", "presence"]:
            put(f"scores/{name}/score", rows / 9, "f8")
            put(f"scores/{name}/face", rows % 2, "u1")
        put("broken/frame", [2], "i4")
        put("times/detector_ns", [7, 9], "u8")
        put("times/region_ns", [], "u8")
    return buffer.getvalue()


TOOL = {"name": "facegauge", "version": "1", "build": "release"}
INTERVAL = {"low": 0.25, "high": 0.75, "level": 0.95, "method": "m", "reason": None}
DATASET = {"name": "d", "file": "d.h5", "sha256": "0" * 64, "frames": 12, "sequences": 12, "faces": 12, "badFrames": 0}
METHOD = {"level": 0.95, "resamples": 100, "clusters": 12, "permutations": 99, "seed": 1, "significance": 0.05}
SIDE = {
    "name": "r", "created": "c", "tool": TOOL, "options": {"mode": "image"}, "models": [],
    "host": {"blasCore": "c", "blasThreads": 1, "blasVersion": "v", "cores": 2, "cpu": "c", "environment": {}, "loadAverage": 0.5,
             "system": "s"}}
CHANGE = {"difference": 0.5, "interval": INTERVAL, "p": 0.02, "adjustedP": 0.03, "outcome": "better"}
METRIC = {"name": "detection.ap", "title": "AP", "unit": "1", "better": "higher"}


def comparison():
    return {
        "schema": "facegauge.comparison", "version": 2, "tool": TOOL, "created": "c", "dataset": DATASET, "base": SIDE,
        "candidate": SIDE, "method": METHOD, "notes": ["n"], "gates": [],
        "differences": [{**METRIC, **CHANGE, "stage": "detection", "slice": None, "base": 0.25, "candidate": 0.75, "n": 12,
                         "reason": None}],
        "frames": [{"frame": "f", "base": "b", "candidate": "c", "outcome": "worse", "images": []}]}


def ranking():
    entry = {"value": 0.5, "reason": None, "n": 12, "interval": INTERVAL, "ranks": [1, 2], "rankShares": [0.5, 0.25, 0.25]}
    estimate = {"value": 0.5, "n": 12, "interval": INTERVAL}
    alone = {"alone": estimate, "frames": [{"frame": "f", "index": 3, "text": "t"}]}
    pairs = [(0, 1), (0, 2), (1, 2)]
    return {
        "schema": "facegauge.ranking", "version": 1, "tool": TOOL, "created": "c", "dataset": DATASET, "runs": [SIDE] * 3,
        "method": METHOD, "tests": 3, "notes": ["n"],
        "metrics": [{**METRIC, "entries": [entry] * 3, "pairs": [{"base": a, "candidate": b, **CHANGE} for a, b in pairs]},
                    {**METRIC, "entries": [entry] * 3, "pairs": []}],
        "agreement": {"frames": 12, "runs": [alone] * 3, "pairs": [
            {"first": a, "second": b, "faces": estimate, "points": estimate, "coefficients": estimate} for a, b in pairs]}}


def leakage():
    slope = {"value": 0.5, "low": 0.25, "high": 0.75, "reason": None}
    return {
        "schema": "facegauge.leakage", "version": 1, "tool": TOOL, "created": "c", "source": "s", "frames": 12, "faces": 12,
        "clips": 12, "stills": 0, "resampled": "clips", "units": 12, "resamples": 100, "seed": 1, "notes": ["n"],
        "angles": ["yaw"], "turning": [{"angle": "yaw", "deviation": 2, "min": -3, "max": 3}],
        "turns": [{"coefficient": "jawOpen", "explained": 0.5, "slopes": [slope]}],
        "mutual": {"rows": ["jawOpen"], "columns": ["jawOpen", "yaw"], "slopes": [[slope, slope]]},
        "left_out": [{"coefficient": "cheekPuff", "reason": "r"}]}


def response():
    number = {"value": 0.5, "low": 0.25, "high": None, "reason": "r"}
    names = ["gain", "offset", "whole_gain", "nonlinearity", "dead_zone", "saturation", "own_share", "delay_frames", "delay_ms", "rms_error"]
    channel = {"coefficient": "jawOpen", **{name: number for name in names}, "own_rank": 1, "other": {"coefficient": "mouthPucker", "slope": -0.5},
               "clips": 2, "calibrated_error": 0.125, "calibration": {"intercept": 0, "slope": 2},
               "curve": {"labels": [0, 1], "predictions": [0, 0.5], "faces": [3, 4]}}
    made = leakage()
    return {
        "schema": "facegauge.response", "version": 1, "missed": 1, "mean_gain": number, "mean_own_share": number, "channels": [channel],
        "matrix": made["mutual"], "images": [{"file": "weak-1.jpg", "frame": "f", "caption": "c", "width": 4, "height": 3}],
        **{key: made[key] for key in ["tool", "created", "source", "frames", "faces", "resampled", "units", "resamples", "seed", "left_out", "notes"]}}


def equivariance():
    made = response()
    number = made["mean_gain"]
    one = {"name": "mirror", "summary": "s", "images": 12, "faces": 12, "lost": 1, "gained": 0, "lost_share": number, "distance": number,
           "points": [{"x": -1, "y": 0.5, "dx": 0.25, "dy": 0, "distance": 0.5}],
           "channels": [{"coefficient": "jawOpen", "difference": number, "magnitude": number}]}
    return {"schema": "facegauge.equivariance", "version": 1, "transformations": [one, {**one, "points": [], "channels": []}],
            **{key: made[key] for key in ["tool", "created", "source", "units", "resamples", "seed", "notes"]}}


def rules():
    yield {"schema": "facegauge.prompts", "version": 1, "prompts": [
        {"start": 0, "end": 3, "prompt": "neutral"}, {"video": "a", "start": 4, "end": 7.5, "prompt": "wink-left"},
        {"video": "b", "start": 4, "end": 7, "coefficients": {"mouthRollLower": 1, "jawOpen": 0.5}}]}
    yield {"schema": "facegauge.attributes", "version": 1, "attributes": [
        {"name": "age"}, {"name": "AU01", "as": "binary", "label_above": 0, "prediction_above": 0.5},
        {"name": "yaw", "as": "angle", "label": "headYaw", "prediction": "-yaw", "label_unit": "degrees"}]}
    yield {"schema": "facegauge.expressions", "version": 1, "rules": [
        {"name": "happy", "value": "(mouthSmileLeft + mouthSmileRight) / 2", "above": 0.5, "labels": ["smile"]}]}


def seeds():
    for content in rules():
        yield "rules", json.dumps(content)
    for result in [comparison(), ranking(), leakage(), response(), equivariance()]:
        yield "results", json.dumps(result)
    yield "shard-plan", json.dumps(plan())
    yield "point-mapping", json.dumps({
        "schema": "facegauge.points", "version": 1, "scheme": "five", "points": {"right_eye": "a", "1": 3, "nose": 0}})
    yield "mesh", "v 0 0 0\nv 1 0 -.5 1\nv 1e0 1 2.5e-1\nvt 0 0\nf 1/1 2/1 -1/1\n"
    for content in [sweep_part(0), sweep_part(3), sweep_part(5, "gzip")]:
        yield "sweep-part", content


def structures():
    """HDF5 files with large groups, many attributes, shared messages and types of all kinds."""
    script = pathlib.Path(__file__).parent.parent / "Oracles" / "hdf5_structures.py"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, script, folder], check=True, stdout=subprocess.DEVNULL)
        for path in sorted(pathlib.Path(folder).iterdir()):
            yield path.read_bytes()


def indexes():
    """HDF5 files with indexes of chunks: super blocks of one that grows, pages of a fixed one, nodes of a tree."""
    for version in ["v110", "v200"]:
        buffer = io.BytesIO()
        with h5py.File(buffer, "w", libver=(version, version)) as file:
            for name, limits in {"one": (None, 2), "all": (None, None), "fixed": (200, 2)}.items():
                for packed in [{}, {"compression": "lzf"}]:
                    file.create_dataset(f"{name}{len(packed)}", data=np.arange(400, dtype="u1").reshape(200, 2) % 9,
                                        chunks=(1, 2), maxshape=limits, **packed)
        yield buffer.getvalue()
