"""An evaluation or a sweep in shards on Ray: python -m facegauge.ray SHARDS evaluate|sweep DATASET -o RUN [OPTION…]

Each shard is a task of one core that runs `facegauge evaluate … --shard`, or `facegauge sweep`. Ray runs a task again, up to
three times, whose worker dies or whose status is 75 or a signal. Then `facegauge join RUN`, with --force where it is given, makes
the run, with its exit status.
Connects to the cluster of RAY_ADDRESS, else starts Ray on this machine. Paths must mean the same on all nodes.
"""

from __future__ import annotations

import os
import subprocess
import sys

from . import program


class Retry(Exception):
    """A shard that may succeed when it runs again."""


def shard(line: list[str], number: int, count: int) -> tuple[int, str]:
    """Runs one shard; returns its status and its last error line."""
    done = subprocess.run([*line, "--shard", f"{number}/{count}"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
    said = [text for text in done.stderr.splitlines() if text.startswith("error: ")]
    if done.returncode == 75 or done.returncode < 0:
        raise Retry(said[-1] if said else f"shard {number} ended with status {done.returncode}")
    return done.returncode, said[-1] if said else ""


def output(words: list[str]) -> str | None:
    """Where a command line puts the run; None where it does not say."""
    for word, following in zip(words, [*words[1:], None]):
        if word in ("-o", "--output"):
            return following
        if word.startswith(("-o=", "--output=")):
            return word.partition("=")[2]
    return None


def main(words: list[str]) -> int:
    if len(words) < 2 or not words[0].isdigit() or int(words[0]) < 1 or words[1] not in ("evaluate", "sweep"):
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 64
    run = output(words)
    if not run:
        print("error: cannot tell where the run goes: expected -o RUN, found none", file=sys.stderr)
        return 64
    if "--force" not in words and os.path.lexists(run):
        print(f"error: cannot write {run}: it exists already (--force replaces it)", file=sys.stderr)
        return 73
    import ray  # type: ignore[import-not-found, unused-ignore]
    ray.init(logging_level="warning", log_to_driver=False)
    count, line = int(words[0]), [program(), *words[1:]]
    task = ray.remote(num_cpus=1, max_retries=3, retry_exceptions=[Retry])(shard)
    waiting = [task.remote(line, number, count) for number in range(count)]
    while waiting:
        done, waiting = ray.wait(waiting)
        try:
            status, said = ray.get(done[0])
        except (Retry, ray.exceptions.RayError) as error:
            status, said = 75, f"error: cannot {words[1]} a shard after four attempts: {str(error).splitlines()[-1]}"
        if status:
            print(said, file=sys.stderr)
            for other in waiting:
                ray.cancel(other, force=True)
            return int(status)
    return subprocess.run([line[0], "join", run, *(["--force"] if "--force" in words else [])]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
