"""Measures commands on a large dataset: `measure.py FACEGAUGE SMALL.h5 LARGE.h5`.

Prints a Markdown table: wall time, throughput and peak resident memory of `inspect`, of `validate`, which
reads every byte, and of `validate --decode`, from the disk (the page cache dropped for that file) and from
memory, compared with reading the same bytes with `cat`.
"""

import os
import subprocess
import sys
import time


def drop(path):
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def run(words):
    start = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 65):
        sys.exit(f"{words}: {errors.decode()}")
    return time.monotonic() - start, usage


tool, *files = sys.argv[1:]
print("| file | command | cache | seconds | CPU s | MB/s | peak MB |")
print("|---|---|---|---:|---:|---:|---:|")
for path in files:
    size = os.path.getsize(path)
    for words in [["cat", path], [tool, "inspect", path], [tool, "validate", path], [tool, "validate", "--decode", path]]:
        for cache in ["cold", "warm"]:
            if cache == "cold":
                drop(path)
            seconds, usage = run(words)
            name = os.path.basename(words[0]) + " " + " ".join(words[1:-1])
            print(
                f"| {os.path.basename(path)} | {name.strip()} | {cache} | {seconds:.2f} "
                f"| {usage.ru_utime + usage.ru_stime:.2f} | {size / seconds / 1e6:.0f} "
                f"| {usage.ru_maxrss / 1024:.0f} |", flush=True)
