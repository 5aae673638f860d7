"""Repeats the gate on two builds of a tracker: `tracker_gate.py PROGRAM DATASET.h5 [--steps 20000] [--slower 10]`.

The tracker is Tests/Packaging/busy_tracker.py, whose loop has a known number of steps. Of `--equal` gates over two
equal builds none may fail; of `--planted` gates over one whose loop has `--slower` percent more steps nine in ten must
fail.
Prints each run's verdict, estimate, interval, pairs and seconds. Ends with status 1 where one of these is not so.
"""

import argparse
import collections
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

TRACKER = pathlib.Path(__file__).resolve().parents[1] / "Packaging/busy_tracker.py"


def verdict(program, dataset, gates, base, candidate):
    """The verdict of one run, and the row of the total."""
    def tracker(steps):
        return shlex.join([sys.executable, str(TRACKER), str(steps)])

    done = subprocess.run(
        [program, "track", dataset, "--mode", "image", "--tracker", tracker(base), "--tracker", tracker(candidate),
         "--gates", gates, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 2, 3):
        sys.exit(f"status {done.returncode}: {done.stderr}")
    result = json.loads(done.stdout)
    stages = result["stages"]
    row = dict(zip(stages["columns"], next(row for row in stages["rows"] if row[0] == "total")))
    assert {"pass": 0, "fail": 2, "inconclusive": 3}[result["verdict"]] == done.returncode
    return result["verdict"], f"{row['Longer by']} ({row['95 % interval']}), {result['pairs']} pairs"


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("program", type=pathlib.Path)
    words.add_argument("dataset", type=pathlib.Path)
    words.add_argument("--steps", type=int, default=20_000)
    words.add_argument("--slower", type=float, default=10, help="percent")
    words.add_argument("--equal", type=int, default=20)
    words.add_argument("--planted", type=int, default=10)
    words = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="facegauge-gate-") as folder:
        gates = pathlib.Path(folder) / "gates.json"
        gates.write_text(json.dumps({
            "schema": "facegauge.gates", "version": 2,
            "gates": [{"metric": "latency.total.p50", "max_relative_worsening": 0.05}]}))
        counts = {}
        for kind, runs, candidate in [("equal", words.equal, words.steps),
                                      ("slower", words.planted, round(words.steps * (1 + words.slower / 100)))]:
            counts[kind] = collections.Counter()
            for number in range(1, runs + 1):
                begin = time.monotonic()
                found, text = verdict(words.program.resolve(), words.dataset.resolve(), gates, words.steps, candidate)
                counts[kind][found] += 1
                print(f"{kind} {number}: {found}, {text}, {time.monotonic() - begin:.1f} s", flush=True)
            print(f"{kind}: {runs} runs:", dict(counts[kind]), flush=True)
    return 1 if counts["equal"]["fail"] or counts["slower"]["fail"] < 0.9 * words.planted else 0


if __name__ == "__main__":
    sys.exit(main())
