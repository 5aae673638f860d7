"""Lets every call of a shard and of a join fail once, and prints the exit statuses: 75 for what may pass, and only for that.

python3 Tests/Scale/shard_faults.py PROGRAM DATASET.h5 [--samples N] [--command NAME …]

After each failure the same command runs again undisturbed and must succeed. Needs a C compiler.
"""

import argparse
import collections
import errno
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# What each kind of call is made to say: what may pass, and what stays.
ERRORS = {
    "write": (["EIO", "ENOSPC", "EDQUOT"], ["EFBIG"]),
    "read": (["EIO", "ESTALE"], ["EACCES"]),
    "open": (["EIO", "EMFILE", "ESTALE"], ["EACCES"]),
    "rename": (["EIO"], ["ENOSYS", "EROFS"]),
    "fsync": (["EIO", "ENOSPC"], []),
}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("dataset")
    parser.add_argument("--samples", type=int, help="how many calls of a kind fail, evenly over the run; without it all")
    parser.add_argument("--command", action="append")
    asked = parser.parse_args()
    program = str(pathlib.Path(asked.program).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch).resolve()
        library, count = scratch / "failing.so", scratch / "count"
        compiler = shutil.which("gcc") or shutil.which("clang")
        subprocess.run([compiler, "-O1", "-w", "-shared", "-fPIC", pathlib.Path(__file__).with_name("failing_calls.c"), "-o", library,
                        "-ldl"], check=True)
        whole = scratch / "whole"
        whole.mkdir()
        shutil.copy(asked.dataset, whole / "d.h5")
        commands = {
            "evaluate --shard": ["evaluate", "d.h5", "-o", "run", "--resamples", "0", "--shard", "1/2"],
            "join": ["join", "run", "--force"],
            "sweep --shard": ["sweep", "d.h5", "-o", "swept", "--threshold", "min-face-detection-confidence=0.3,0.6", "--resamples",
                              "0", "--shard", "1/2"],
            "join of a sweep": ["join", "swept", "--force"],
        }

        def run(folder, words, **variables):
            return subprocess.run([program, *words], cwd=folder, capture_output=True, text=True,
                                  env=dict(os.environ, **{name: str(value) for name, value in variables.items()}))

        def start(name):
            """A folder in which the command can run: of a join, with the parts."""
            folder = scratch / "work"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(parts if name.startswith("join") else whole, folder)
            return folder

        parts = scratch / "parts"
        shutil.copytree(whole, parts)
        for name in ("evaluate --shard", "sweep --shard"):
            for part in ("0/2", "1/2"):
                run(parts, commands[name][:-1] + [part]).check_returncode()

        wrong = []
        for name, words in commands.items():
            if asked.command and name not in asked.command:
                continue
            for call, (transient, lasting) in ERRORS.items():
                folder = start(name)
                count.unlink(missing_ok=True)
                fault = {"LD_PRELOAD": library, "FAIL_PATH": folder, "FAIL_CALL": call, "FAIL_COUNT": count}
                undisturbed = run(folder, words, FAIL_AT=0, **fault)
                assert undisturbed.returncode == 0, undisturbed.stderr
                calls = count.stat().st_size if count.exists() else 0
                for error in transient + lasting:
                    found = collections.Counter()
                    for at in range(1, calls + 1, max(1, calls // (asked.samples or calls or 1))):
                        folder = start(name)
                        done = run(folder, words, FAIL_AT=at, FAIL_ERRNO=getattr(errno, error), **fault)
                        found[done.returncode] += 1
                        fits = done.returncode == 0 or (done.returncode == 75) == (error in transient)
                        lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
                        if not fits or (done.returncode != 0 and len(lines) != 1):
                            wrong.append(f"{name}: {call} {at} with {error}: status {done.returncode}: {done.stderr.strip()}")
                        if done.returncode:
                            again = run(folder, words)
                            if again.returncode != 0:
                                wrong.append(f"{name}: after {call} {at} with {error}: {again.stderr.strip()}")
                    shown = ", ".join(f"{status} x {times}" for status, times in sorted(found.items()))
                    print(f"{name:18} {call:6} {error:7} {calls:4} calls: status {shown or 'none'}", flush=True)
            if "--shard" in name:
                folder = start(name)
                done = run(folder, words, LD_PRELOAD=library, FAIL_PATH=folder, FAIL_CALL="rename", FAIL_AT=1, FAIL_ALWAYS=1,
                           FAIL_ERRNO=errno.ENOSYS)
                print(f"{name:18} a file system without rename: status {done.returncode}")
                if done.returncode != 73:
                    wrong.append(f"{name}: without rename: status {done.returncode}: {done.stderr.strip()}")
        print("\n".join(wrong) if wrong else "every status fits, and every command succeeds afterwards")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
