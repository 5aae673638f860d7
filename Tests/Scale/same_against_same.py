"""Compares what is the same with itself: `same_against_same.py PROGRAM STILLS.h5 CLIPS.h5 [--pairs 20]`.

Each kind of run is made in pairs of the same program, options and frames, and compared with gates on accuracy and on
latency: `evaluate` and `evaluate --mode video` (every other candidate with other BLAS kernels), `track` (our pipeline
as two trackers in one run) and `sweep` (two seeds).
The 95 % intervals of track's time ratio may exclude 1 as often as chance allows.
No comparison may result in "better" or "worse", no gate may fail, and a sweep over a setting without effect keeps the
default. Ends with status 1 where one of them does.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

GATES = {
    "schema": "facegauge.gates", "version": 2,
    "gates": [
        {"metric": "faces.recall", "max_worsening": 0.01},
        {"metric": "landmarks.nme.interocular.conditional", "max_relative_worsening": 0.02},
        {"metric": "latency.total.p50", "max_relative_worsening": 0.05},
        {"metric": "latency.total.p95", "max_relative_worsening": 0.1},
    ],
}

ALARMS = ["better", "worse", "gate fail", "advice better", "two seeds differ"]


class Pairs:
    def __init__(self, program, folder, core):
        self.program, self.folder, self.core = program, folder, core
        self.gates = folder / "gates.json"
        self.gates.write_text(json.dumps(GATES))

    def run(self, *words, statuses=(0,), core=None):
        environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
        if core:
            environment["OPENBLAS_CORETYPE"] = core
        process = subprocess.run(
            [self.program, *map(str, words)], capture_output=True, text=True, env=environment)
        if process.returncode not in statuses:
            sys.exit(f"{' '.join(map(str, words))}: status {process.returncode}\n{process.stderr}")
        return process.returncode, process.stdout

    def compared(self, base, candidate, seed):
        """How often metrics and gates had each outcome."""
        counts = collections.Counter()
        _, text = self.run("compare", base, candidate, "--seed", seed, "--json", "--resamples", 500)
        for difference in json.loads(text)["differences"]:
            if difference["outcome"]:
                counts[difference["outcome"]] += 1
        _, text = self.run(
            "compare", base, candidate, "--seed", seed, "--json", "--resamples", 500, "--gates", self.gates,
            statuses=(0, 3))
        for gate in json.loads(text)["gates"]:
            counts["gate " + gate["verdict"]] += 1
        return counts

    def evaluate(self, dataset, number, mode):
        runs = [self.folder / "a", self.folder / "b"]
        for run, core in zip(runs, [None, self.core if number % 2 else None]):
            self.run("evaluate", dataset, "-o", run, "--mode", mode, "--num-faces", 1 if mode == "video" else 3,
                     "--resamples", 100, "--force", core=core)
        return self.compared(*runs, number)

    def track(self, dataset, number):
        tracker = f"'{self.program}' serve"
        files = [self.folder / "a.h5", self.folder / "b.h5"]
        _, text = self.run("track", dataset, "--tracker", tracker, "-o", files[0], "--tracker", tracker, "-o", files[1],
                           "--force", "--json")
        ratio = json.loads(text)[1]["ratio"]
        runs = [self.folder / "a", self.folder / "b"]
        for run, file in zip(runs, files):
            self.run("evaluate", dataset, "--predictions", file, "-o", run, "--resamples", 100, "--force")
        counts = self.compared(*runs, number)
        if "low" not in ratio:
            counts["ratio without interval"] += 1
        else:
            counts["ratio excludes 1" if ratio["low"] > 1 or ratio["high"] < 1 else "ratio includes 1"] += 1
        return counts

    def sweep(self, dataset, number):
        counts, kept = collections.Counter(), []
        for seed in [number, number + 1000]:
            _, text = self.run(
                "sweep", dataset, "-o", self.folder / "s", "--mode", "video", "--seed", seed, "--force", "--json",
                "--threshold", "min-tracking-confidence=0.3,0.4,0.6,0.7", "--num-faces", 1,
                "--objective", "max f1", "--objective", "min nme")
            conclusions = [one["gain"]["conclusion"] for one in json.loads(text)["sweep"]["advice"]]
            kept.append(conclusions)
            counts.update("advice " + conclusion for conclusion in conclusions)
        counts["two seeds differ"] += kept[0] != kept[1]
        return counts


def allowed(pairs, share=0.05, chance=0.01):
    """The most of some pairs that a share of all gives with more than that chance."""
    tail, count = 1.0, -1
    while tail > chance:
        count += 1
        tail -= math.comb(pairs, count) * share**count * (1 - share) ** (pairs - count)
    return count


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("program", type=pathlib.Path)
    words.add_argument("stills", type=pathlib.Path)
    words.add_argument("clips", type=pathlib.Path)
    words.add_argument("--pairs", type=int, default=20)
    words.add_argument("--core", default="Haswell", help="kernels of every other candidate, for last bits that differ")
    words.add_argument("--kind", action="append", help="evaluate, video, track or sweep; all unless given")
    words = words.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="facegauge-pairs-") as folder:
        pairs = Pairs(words.program.resolve(), pathlib.Path(folder), words.core)
        kinds = {
            "evaluate": lambda number: pairs.evaluate(words.stills, number, "image"),
            "video": lambda number: pairs.evaluate(words.clips, number, "video"),
            "track": lambda number: pairs.track(words.clips, number),
            "sweep": lambda number: pairs.sweep(words.clips, number),
        }
        for kind in words.kind or kinds:
            counts = collections.Counter()
            for number in range(1, words.pairs + 1):
                counts += kinds[kind](number)
            alarms = sum(counts[word] for word in ALARMS)
            beyond = counts["ratio excludes 1"]
            alarms += beyond if beyond > allowed(words.pairs) else 0
            wrong += alarms
            print(f"{kind}: {words.pairs} pairs, {alarms} alarms:", dict(sorted(counts.items())), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
