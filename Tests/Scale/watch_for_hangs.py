"""Looks for runs that do not end: `watch_for_hangs.py PROGRAM DATASET.h5 PREDICTIONS.h5 [--runs 5000]`.

Runs `evaluate` and `sweep` of stored predictions, `import images` and `track` that often each, `--at-once` at a time, on
a machine that is kept busy by `--busy` loops. Of a run that takes longer than `--limit` seconds all stacks are written
with gdb, and the script ends with status 1. It prints the number of runs, and the mean and the longest time.
"""

import argparse
import concurrent.futures
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib


def answer_frames():
    """A tracker that finds one face in each frame."""
    print(json.dumps({
        "protocol": "facegauge.tracker", "version": 1, "name": "fixed", "inputs": ["dataset"], "scheme": "five"}),
        flush=True)
    for line in sys.stdin:
        face = {"points": [10, 10, 20, 10, 15, 15, 12, 20, 18, 20], "score": 0.9}
        print(json.dumps({"frame": json.loads(line)["frame"], "faces": [face]}), flush=True)


def png(side, grey):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + bytes((grey + x) % 256 for x in range(side)) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def watch(words, output, limit, stacks):
    """Seconds that one run took; None after a run that did not end or failed."""
    start = time.monotonic()
    process = subprocess.Popen(
        [*map(str, words), "-o", str(output), "--force"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        messages = process.communicate(timeout=limit)[1]
    except subprocess.TimeoutExpired:
        gdb = ["gdb", "-p", str(process.pid), "-batch", "-ex", "thread apply all backtrace 40"]
        stacks.write_text(subprocess.run(gdb, capture_output=True, text=True).stdout)
        process.kill()
        process.communicate()
        print(f"{' '.join(map(str, words[1:3]))}: did not end within {limit} s; stacks: {stacks}", flush=True)
        return None
    if process.returncode:
        print(f"{' '.join(map(str, words[1:3]))}: status {process.returncode}: {messages.decode()[-300:]}", flush=True)
        return None
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("dataset", type=pathlib.Path)
    parser.add_argument("predictions", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5000, help="of each command")
    parser.add_argument("--busy", type=int, default=4, help="loops that keep the processors busy")
    parser.add_argument("--at-once", type=int, default=2, help="runs at the same time")
    parser.add_argument("--limit", type=float, default=120, help="seconds that a run may take")
    parser.add_argument("--only", help="one of the commands")
    parser.add_argument("--stacks", type=pathlib.Path, default=pathlib.Path("hangs"))
    options = parser.parse_args()
    options.stacks.mkdir(exist_ok=True)
    program = options.program.resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "images").mkdir()
        for index in range(16):
            (folder / "images" / f"{index:02}.png").write_bytes(png(64, index))
        subprocess.run(
            [program, "import", "images", folder / "images", "-o", folder / "images.h5"], check=True,
            capture_output=True)
        stored = [options.dataset.resolve(), "--predictions", options.predictions.resolve(), "--resamples", 20]
        commands = {
            "evaluate": [program, "evaluate", *stored],
            "sweep": [program, "sweep", *stored, "--threshold", "min-face-detection-confidence=0.3:0.7:0.2"],
            "import": [program, "import", "images", folder / "images"],
            "track": [program, "track", folder / "images.h5", "--tracker", f"{sys.executable} {__file__} --tracker"],
        }
        loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)]
        try:
            failed = False
            for name, words in commands.items():
                if options.only not in (None, name):
                    continue
                stop = threading.Event()

                def run(index):
                    if stop.is_set():
                        return None
                    output = folder / (f"{name}-{threading.get_ident()}" + (".h5" if name in ("import", "track") else ""))
                    seconds = watch(words, output, options.limit, options.stacks / f"{name}-{index}.txt")
                    if seconds is None:
                        stop.set()
                    return seconds

                with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
                    times = [seconds for seconds in pool.map(run, range(options.runs)) if seconds is not None]
                failed = failed or stop.is_set()
                if times:
                    print(
                        f"{name}: {len(times)} runs ended, mean {sum(times) / len(times):.2f} s, "
                        f"longest {max(times):.2f} s", flush=True)
        finally:
            for loop in loops:
                loop.kill()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["--tracker"]:
        answer_frames()
    else:
        main()
