#!/usr/bin/env python3
"""Time the models in FaceGauge's engine, LiteRT with XNNPACK, and OpenVINO, one thread each, in alternation.

    time_models.py PROGRAM MODELS... [--pairs 200] [--levels x86-64-v4,x86-64-v3] [--only NAME] [--json FILE]

PROGRAM is the built `model-turns`; MODELS are .task bundles, .tflite files, or folders of them. Needs the packages of
requirements.txt in the Python that runs it. The first level is the processor's own by default. At x86-64-v3 OpenVINO is
held to AVX2 as well; LiteRT has no such limit, and uses all that the processor has at every level.

Every round runs each engine once untimed and once timed, in the order ABC and then CBA. Ratios are exp of the median
of ln(ours / theirs) over rounds, with a 95 % interval from bootstrapped blocks of 10 rounds. Times are of the
processor's clock for the process, which leaves out what other processes take; "by the wall" is the clock's. Where a
peer can't run a model, its column says so.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy as np
import openvino
from ai_edge_litert.interpreter import Interpreter

BLOCK = 10


def models(sources, folder):
    """Path of each model by name; bundles are unpacked into `folder`."""
    found = {}
    for source in map(pathlib.Path, sources):
        for path in sorted(source.iterdir()) if source.is_dir() else [source]:
            if path.suffix == ".tflite":
                found[path.stem] = path
            elif path.suffix == ".task":
                with zipfile.ZipFile(path) as bundle:
                    for name in bundle.namelist():
                        if name.endswith(".tflite"):
                            found[pathlib.Path(name).stem] = pathlib.Path(bundle.extract(name, folder))
    return found


class Peer:
    """A peer in this process: runs once untimed, then once timed."""

    def __init__(self, run, outputs):
        self.run, self.outputs = run, outputs

    def turn(self):
        self.run()
        begin = time.perf_counter_ns(), time.process_time_ns()
        self.run()
        return time.perf_counter_ns() - begin[0], time.process_time_ns() - begin[1]

    def close(self):
        pass


def litert(path, x):
    model = Interpreter(str(path), num_threads=1)
    model.allocate_tensors()
    model.set_tensor(model.get_input_details()[0]["index"], x)
    model.invoke()
    return Peer(model.invoke, [model.get_tensor(o["index"]).ravel() for o in model.get_output_details()])


def openvino_peer(path, x):
    core = openvino.Core()
    model = core.compile_model(core.read_model(str(path)), "CPU", {
        "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32", "ENABLE_CPU_PINNING": False})
    request = model.create_infer_request()
    request.set_input_tensor(openvino.Tensor(x))
    request.infer()
    return Peer(request.infer, [np.array(request.get_output_tensor(i).data).ravel() for i in range(len(model.outputs))])


class Ours:
    """FaceGauge's engine in a process of its own."""

    def __init__(self, program, path, x, folder, level):
        environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
        if level:
            environment["FACEGAUGE_KERNELS"] = level
        given, made = pathlib.Path(folder, "input"), pathlib.Path(folder, "output")
        given.write_bytes(x.astype("<f4").tobytes())
        self.process = subprocess.Popen(
            [program, str(path), str(given), str(made)], env=environment, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.process.stdout.readline().split()
        if not line:
            sys.exit(f"cannot run {program} on {path}: it ended with status {self.process.wait()}")
        self.level, self.core = line[0], line[1]
        self.output = np.fromfile(made, "<f4")

    def turn(self):
        self.process.stdin.write("turn\n")
        self.process.stdin.flush()
        return tuple(map(int, self.process.stdout.readline().split()))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ratio(ours, theirs):
    """exp of the median of ln(ours / theirs), with its interval."""
    logs = np.log(np.asarray(ours) / np.asarray(theirs))
    random = np.random.default_rng(1)
    starts = random.integers(0, max(len(logs) - BLOCK, 0) + 1, (2000, -(-len(logs) // BLOCK)))
    samples = np.median(logs[(starts[..., None] + np.arange(BLOCK)).clip(max=len(logs) - 1)].reshape(2000, -1), axis=1)
    return [round(float(np.exp(v)), 3) for v in (np.median(logs), *np.quantile(samples, [0.025, 0.975]))]


def apart(ours, theirs):
    """The largest difference of an output, each compared with the nearest one of its size, since orders differ."""
    return max(min(float(np.abs(a - b).max()) for b in theirs if b.size == a.size) for a in ours)


def compare(program, name, path, pairs, level, folder):
    description = Interpreter(str(path))
    shape = description.get_input_details()[0]["shape"]
    sizes = [int(np.prod(output["shape"])) for output in description.get_output_details()]
    x = np.random.default_rng(0).random(shape, dtype=np.float32)
    ours = Ours(program, path, x, folder, level)
    pieces = np.split(ours.output, np.cumsum(sizes)[:-1])
    row = {"model": name, "level": ours.level, "blas_core": ours.core, "pairs": pairs}
    engines = {"ours": ours}
    for peer, make in (("litert", litert), ("openvino", openvino_peer)):
        try:
            engines[peer] = make(path, x)
        except Exception as problem:  # Whatever a peer raises for an operator that it lacks.
            row[peer] = {"reason": (str(problem).strip().splitlines() or ["no reason given"])[0][:120]}
            continue
        row[peer] = {"apart": apart(pieces, engines[peer].outputs)}
    names = list(engines)
    times = {name: [] for name in names}
    for round_ in range(pairs + 5):
        for engine in names if round_ % 2 == 0 else names[::-1]:
            elapsed = engines[engine].turn()
            if round_ >= 5:
                times[engine].append(elapsed)
    for engine in engines.values():
        engine.close()
    for engine, taken in times.items():
        wall, process = np.array(taken, dtype=float).T
        row.setdefault(engine, {}).update(ms=round(float(np.median(process)) / 1e6, 4),
                                          wall_ms=round(float(np.median(wall)) / 1e6, 4))
        if engine != "ours":
            own = np.array(times["ours"], dtype=float).T
            row[engine].update(ratio=ratio(own[1], process), wall_ratio=ratio(own[0], wall))
    return row


def compared(level, *arguments):
    """The same in a process of its own, since oneDNN reads its limit once."""
    os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2" if level == "x86-64-v3" else "ALL"
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(compare, arguments)


def line(row):
    cells = [row["model"], row["level"], f"{row['ours']['ms']:.3f}"]
    best = None
    for peer in ("litert", "openvino"):
        found = row[peer]
        if "ms" not in found:
            cells += ["cannot run it", "–"]
            continue
        middle, low, high = found["ratio"]
        cells += [f"{found['ms']:.3f}", f"{middle:.2f} ({low:.2f} to {high:.2f}; {found['wall_ratio'][0]:.2f} by the wall)"]
        if best is None or found["ms"] < best[0]:
            best = found["ms"], middle
    return "| " + " | ".join(cells + [f"{best[1]:.2f}" if best else "–"]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--levels", default=",x86-64-v3", help="comma-separated; an empty one is the processor's own")
    parser.add_argument("--only", default="", help="part of the names of the models to time")
    parser.add_argument("--json", help="file for all numbers")
    given = parser.parse_args()
    rows = []
    print("| model | level | ours, ms | LiteRT, ms | ours / LiteRT | OpenVINO, ms | ours / OpenVINO | ours / faster |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, path in models(given.models, folder).items():
            if given.only in name:
                for level in given.levels.split(","):
                    rows.append(compared(level, given.program, name, path, given.pairs, level, folder))
                    print(line(rows[-1]), flush=True)
    if not rows:
        sys.exit("no .tflite model found")
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
