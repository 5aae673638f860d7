"""Runs the built program on mutated HDF5 files: `mutate_hdf5.py PROGRAM [--mutants 20000] [--seed 1] [--found FOLDER]`.

Datasets and predictions of several file versions are made with h5py, and a message of an object header, another block
of metadata, or stored values are changed at one to three positions; half of the changes are covered by repaired checksums.
Each mutant goes through `inspect`; one that opens goes through `validate`, `evaluate --predictions`, `overlay` and `merge`
too, any other through the next one of them. Ends with status 1 where a run ended by a signal, took more than 512 MB or
20 s, or printed anything but one line of error. Mutants that did it are kept in the folder.
"""

import argparse
import collections
import hashlib
import itertools
import json
import os
import pathlib
import random
import shutil
import select
import subprocess
import sys
import tempfile
import time

import h5py

from hdf5_seeds import Seed, dataset, predictions

MAX_MEGABYTES = 512
MAX_SECONDS = 20


class Bench:
    def __init__(self, program, folder, megabytes=MAX_MEGABYTES, seconds=MAX_SECONDS, address_space=None):
        """`address_space` in bytes; what is refused must end within `seconds`, anything else within MAX_SECONDS."""
        self.program, self.folder = program, folder
        self.megabytes, self.seconds = megabytes, seconds
        self.start = ["prlimit", f"--as={address_space}", program] if address_space else [program]
        self.runs = collections.Counter()
        self.largest = {"MB": 0.0, "s": 0.0}

    def run(self, *words):
        """Status, and what is wrong with how it ended; nothing where it ended well."""
        with open(self.folder / "log", "w+b") as log:
            begin = time.monotonic()
            process = subprocess.Popen(
                [*self.start, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=log, cwd=self.folder, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
            ending = os.pidfd_open(process.pid)
            ended, _, _ = select.select([ending], [], [], MAX_SECONDS)
            os.close(ending)
            if not ended:
                process.kill()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = 0
            if not ended:
                return -1, f"more than {MAX_SECONDS} s"
            log.seek(0)
            lines = log.read().decode(errors="replace").splitlines()
        self.runs[words[0]] += 1
        megabytes = usage.ru_maxrss / 1024
        self.largest["MB"] = max(self.largest["MB"], megabytes)
        seconds = time.monotonic() - begin
        self.largest["s"] = max(self.largest["s"], seconds)
        if os.WIFSIGNALED(status):
            return -1, f"signal {os.WTERMSIG(status)}"
        if megabytes > self.megabytes:
            return -1, f"{megabytes:.0f} MB"
        errors = [line for line in lines if line.startswith("error: ")]
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, 2, 3) and (len(errors) != 1 or "Domain" in errors[0]):
            return -1, f"status {code} with {errors or lines[:2]}"
        if code != 0 and seconds > self.seconds:
            return -1, f"{seconds:.1f} s to refuse it"
        return code, None


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("program")
    words.add_argument("--mutants", type=int, default=20_000)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--found", type=pathlib.Path, default=pathlib.Path("found"))
    words = words.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="facegauge-mutants-"))
    try:
        sys.exit(mutate(words, folder))
    finally:
        shutil.rmtree(folder)


def mutate(words, folder):
    bench = Bench(os.path.abspath(words.program), folder)
    earliest, v108, v110 = h5py.h5f.LIBVER_EARLIEST, h5py.h5f.LIBVER_V18, h5py.h5f.LIBVER_V110
    v114, v200 = h5py.h5f.LIBVER_V114, h5py.h5f.LIBVER_V200
    versions = [(earliest, v110), (v108, v108), (v110, v110), (v114, v114)]
    kinds = list(itertools.product(versions, ["plain", "chunked", "big", "timed"]))
    kinds += [((v110, v110), "dense"), ((v200, v200), "dense"), ((v110, v110), "shared")]
    kinds += itertools.product([(earliest, v110), (v110, v110), (v200, v200)], ["growing"])
    good, output, run = folder / "good.h5", folder / "output.h5", folder / "run"
    dataset(good, versions[0], "plain")
    digest = hashlib.sha256(good.read_bytes()).hexdigest()
    predictions(output, versions[0], "plain", digest)
    for step in [
        ("inspect", good), ("inspect", output), ("validate", good), ("validate", output),
        ("merge", good, good, "-o", folder / "m.h5", "--force"),
        ("evaluate", good, "--predictions", output, "-o", run, "--resamples", "20"),
        ("overlay", run, "-o", folder / "drawn", "--dataset", good, "--force", "--parts",
         "contours,detections,labels"),
    ]:
        status, wrong = bench.run(*step)
        if status != 0:
            print(f"the sound files end '{step[0]}' with {wrong or status}")
            print((folder / "log").read_text())
            return 1
    record = (run / "record.json").read_text()
    output_bytes = output.read_bytes()
    seeds = []
    for version, style in kinds:
        block = 512 if style == "timed" else 0
        path = folder / "seed.h5"
        for kind in ["dataset", "predictions"]:
            if kind == "dataset":
                dataset(path, version, style, block)
            else:
                predictions(path, version, style, digest, block)
            status, wrong = bench.run("validate", path)
            if status != 0:
                print(f"the {style} {kind} of {version} ends 'validate' with {wrong or status}")
                print((folder / "log").read_text())
                return 1
            seeds.append((kind, Seed(path, block)))
    generator = random.Random(words.seed)
    mutant = folder / "mutant.h5"
    changed, opened, found = collections.Counter(), 0, 0
    begin = time.monotonic()
    for number in range(words.mutants):
        kind, seed = generator.choice(seeds)
        structure, data = seed.mutant(generator)
        changed[structure] += 1
        mutant.write_bytes(data)
        if kind == "dataset":
            own = hashlib.sha256(data).hexdigest()
            output.write_bytes(output_bytes.replace(digest.encode(), own.encode()))
            (run / "record.json").write_text(record.replace(digest, own))
            shutil.copyfile(output, run / "predictions.h5")
            source, evaluated = mutant, output
        else:
            (run / "record.json").write_text(record)
            shutil.copyfile(mutant, run / "predictions.h5")
            source, evaluated = good, mutant
        later = [
            ("validate", mutant),
            ("evaluate", source, "--predictions", evaluated, "-o", folder / "e", "--force",
             "--resamples", "10"),
            ("overlay", run, "-o", folder / "drawn", "--dataset", source, "--force", "--parts",
             "contours,detections,labels"),
            ("merge", mutant, good, "-o", folder / "m.h5", "--force"),
        ]
        status, wrong = bench.run("inspect", mutant)
        opened += status == 0
        for step in later if status == 0 else [later[number % len(later)]]:
            if wrong:
                break
            _, wrong = bench.run(*step)
        if wrong:
            found += 1
            words.found.mkdir(parents=True, exist_ok=True)
            (words.found / f"{kind}-{number}.h5").write_bytes(data)
            print(f"mutant {number} ({kind}, {structure}): {wrong}", flush=True)
        if (number + 1) % 1000 == 0:
            print(f"{number + 1} mutants, {sum(bench.runs.values())} runs, {found} found, "
                  f"at most {bench.largest['MB']:.0f} MB and {bench.largest['s']:.1f} s, "
                  f"{time.monotonic() - begin:.0f} s", flush=True)
    print(json.dumps({
        "mutants": words.mutants, "opened": opened, "found": found, "runs": dict(bench.runs),
        "most": {key: round(value, 1) for key, value in bench.largest.items()},
        "changed": dict(sorted(changed.items()))}, indent=1))
    return 1 if found else 0


if __name__ == "__main__":
    main()
