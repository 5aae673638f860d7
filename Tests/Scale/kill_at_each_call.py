"""Kills commands at each system call, and checks that what is left recovers: `kill_at_each_call.py PROGRAM [COMMAND…]`.

A command runs once to count its calls that change something below its folder (`kill_at_each_call.c`, preloaded; gcc
builds it). Then it runs again for each of them, or each `--every` th, and is ended by SIGKILL there. Of what is left,

* the command itself succeeds, or refuses with status 73 and names `--resume` or `--force`, or the whole output is there
  (what is left beside it then goes with `--force`);
* with `--resume` it succeeds, or the whole output is there, or nothing was made yet (status 66);
* with `--force` it succeeds;

each on a copy. What succeeds leaves the files of an undisturbed run and no others, and the same results but for times.
An output that is replaced is there at each moment, the earlier or the new one.

`--without flock` and `--without renameat2` make the system calls fail, as on file systems that lack them: without
locks what was left of single files stays. Prints a table; status 1 where a state did not recover.
Commands that run models need them in FACEGAUGE_MODELS, and `track` a Python with numpy in FACEGAUGE_PYTHON.
"""

import argparse
import concurrent.futures
import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from commands_that_write import CASES, PYTHON, REPLACED, labels, png, results, take

HERE = pathlib.Path(__file__).resolve().parent
MODELS = os.environ.get("FACEGAUGE_MODELS")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the models without a log."""

    def log_message(self, *_):
        pass


class Walk:
    def __init__(self, program, folder, without):
        self.program, self.folder, self.without = program, folder, without
        self.library = folder / "kill.so"
        subprocess.run(
            ["gcc", "-shared", "-fPIC", "-O1", "-o", self.library, HERE / "kill_at_each_call.c", "-ldl"], check=True)
        self.base = folder / "base"
        self.mirror = None
        if MODELS:
            handler = functools.partial(Quiet, directory=MODELS)
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.mirror = f"http://127.0.0.1:{server.server_port}"

    def run(self, words, folder, kill_at=None, count=None):
        environment = dict(os.environ, SOURCE_DATE_EPOCH="1700000000", TMPDIR=str(self.folder), LC_ALL="C.UTF-8")
        if words[:2] == ["models", "pull"]:
            environment["FACEGAUGE_MODELS"] = str(folder / "pulled")
            words = [self.mirror if word == "MIRROR" else word for word in words]
        if kill_at or count or self.without:
            environment |= {
                "LD_PRELOAD": str(self.library), "KILL_ROOT": str(folder), "KILL_AT": str(kill_at or 0),
                "KILL_WITHOUT": ",".join(self.without)}
            if count:
                environment["KILL_COUNT"] = str(count)
        return subprocess.run(
            [self.program, *words], cwd=folder, env=environment, capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, timeout=300)

    def prepare(self, needs):
        """What commands read."""
        base = self.base
        (base / "images").mkdir(parents=True)
        for index in range(3):
            (base / f"images/{index}.png").write_bytes(png(index))
        for name, content in [
                ("labels", labels(3)), ("many", labels(1030)), ("a", results(3, 0.6)), ("b", results(3, 0.5)),
                ("c", results(40, 0.6)), ("forty", labels(40))]:
            (base / f"{name}.json").write_text(json.dumps(content))
        (base / "take.json").write_text(take(0))
        (base / "seen.json").write_text(take(0.002))
        steps = [
            "import coco labels.json --images images -o d.h5", "import coco a.json labels.json --of d.h5 -o a.h5",
            "import coco b.json labels.json --of d.h5 -o b.h5",
            "import coco forty.json --labels-only -o forty.h5", "import coco c.json forty.json --of forty.h5 -o c.h5",
            "animate d.h5 --motion pan --frames-per-clip 2 -o clips.h5",
            "evaluate d.h5 --predictions a.h5 -o run-a --resamples 20",
            "evaluate d.h5 --predictions b.h5 -o run-b --resamples 20",
            "evaluate forty.h5 --predictions c.h5 -o run-c --resamples 20",
            "import mediapipe take.json -o take.h5", "import mediapipe seen.json --of take.h5 -o seen.h5",
            "evaluate take.h5 --predictions seen.h5 -o run-take --resamples 20"]
        if "models" in needs:
            steps += [f"evaluate d.h5 -o parts --resamples 20 --shard {index}/2" for index in range(2)]
            steps += ["profile d.h5 -o timed --baseline-out baseline.json --frames 3 --warm-up 0"]
        for step in steps:
            done = self.run(step.split(), base)
            if done.returncode:
                sys.exit(f"{step}: status {done.returncode}\n{done.stderr}")

    def copy(self, source, name):
        target = self.folder / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, symlinks=True)
        return target


def tree(folder):
    """The files and folders in a folder, but for digests that shards share, which depend on inodes and times."""
    names = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    return {name for name in names if not re.search(r"/\.digests(/[0-9a-f]{64})?$", name)}


VARYING = re.compile(r"time|latency|created|host|machine|noise|load|attempt|turns|cost|elapsed|ns$|_ms|memory", re.I)


def steady(value):
    """A JSON value without what depends on the clock and the machine."""
    if isinstance(value, dict):
        if VARYING.search(str(value.get("name", ""))):
            return None
        return {key: steady(item) for key, item in value.items() if not VARYING.search(key) and key != "notes"}
    if isinstance(value, list):
        return [steady(item) for item in value]
    return value


ANY = object()


def common(one, other):
    """A JSON value with ANY where two differ."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return {key: common(one[key], other[key]) for key in one}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [common(*pair) for pair in zip(one, other)]
    return one if one == other else ANY


def fits(value, expected):
    """Whether a JSON value is the expected one but for ANY in it."""
    if expected is ANY:
        return True
    if isinstance(expected, dict):
        return isinstance(value, dict) and value.keys() == expected.keys() and all(
            fits(value[key], expected[key]) for key in value)
    if isinstance(expected, list):
        return isinstance(value, list) and len(value) == len(expected) and all(map(fits, value, expected))
    return value == expected


class Expected:
    """What two undisturbed runs left: their files, and the contents that are the same in both."""

    def __init__(self, case, one, other):
        self.output = case.output
        self.names = tree(one)
        self.bytes = {
            name: (one / name).read_bytes() for name in self.names
            if (one / name).is_file() and (one / name).read_bytes() == (other / name).read_bytes()}
        self.json = {
            name: common(*(steady(json.loads((folder / name).read_text())) for folder in (one, other)))
            for name in self.names
            if name.endswith(".json") and name not in self.bytes and case.name != "profile"}

    def misfit(self, folder, only=""):
        """How a folder differs; nil where it does not. `only` restricts that to one output."""
        names, own = (
            {name for name in found if not only or name == only or name.startswith(f"{only}/")}
            for found in (self.names, tree(folder)))
        if not self.locks:
            own = {name for name in own if name in names or not re.search(r"(^|/)\.[^/]*\.partial(/|$)", name)}
        if names != own:
            return f"expected other files: missing {sorted(names - own)}, more {sorted(own - names)}"
        for name in names:
            path = folder / name
            if name in self.bytes and path.read_bytes() != self.bytes[name]:
                return f"{name} differs"
            if name in self.json and not fits(steady(json.loads(path.read_text())), self.json[name]):
                return f"{name} differs in more than times"
            if path.is_file() and name not in self.bytes and not path.stat().st_size:
                return f"{name} is empty"
        return None


def is_made(folder, case):
    """Whether anything was made that a command can go on with."""
    return (folder / f"{case.output}.partial").exists()


def verdict(case, option, done, folder, expected, left):
    """Why a state did not recover; nil where it did."""
    if done.returncode == 0:
        return expected.misfit(folder)
    said = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""
    wrong = f"status {done.returncode}: {said}"
    if option == "--force":
        return wrong
    if done.returncode == 73 and "expected a new folder" in said or "exists already (--force" in said:
        # The work was done, or an earlier output must not be replaced unasked.
        return expected.misfit(folder, only=case.output) if not expected.replaces else None
    if option == "--resume":
        return None if done.returncode == 66 and "no interrupted" in said and not is_made(left, case) else wrong
    if done.returncode == 73 and ("--resume" in said and case.resume or "--force" in said and case.force):
        return None
    return wrong


def walk(walking, case, every, offset, jobs, replaces, limit):
    """Kills one command at its calls; returns the numbers of calls and kills and what did not recover."""
    name = re.sub(r"\W+", "-", case.name) + ("-replacing" if replaces else "")
    base = walking.copy(walking.base, f"{name}-base")
    words = case.words
    if replaces:
        done = walking.run(words, base)
        if done.returncode:
            sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
        words = [*words, "--force"]
    folders = [walking.copy(base, f"{name}-whole-{index}") for index in range(2)]
    count = walking.folder / f"{name}-count"
    for folder in folders:
        # What depends on the time differs.
        time.sleep(1.1)
        done = walking.run(words, folder, count=count)
        if done.returncode:
            sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
    expected = Expected(case, *folders)
    expected.replaces, expected.locks = replaces, "flock" not in walking.without
    calls = int(count.read_text())

    def kill(at):
        # An import goes on with the same sources, so each attempt is in the folder in which the command was killed.
        folder = walking.copy(base, f"{name}-{at}")
        killed = walking.run(words, folder, kill_at=at)
        left = walking.copy(folder, f"{name}-{at}-left")
        if killed.returncode != -9:
            shutil.rmtree(folder)
            shutil.rmtree(left)
            return None, []
        faults = []
        if replaces and "renameat2" not in walking.without and (fault := expected_missing(left)):
            faults.append((at, "after the kill", fault))
        options = [""] + (["--resume"] if case.resume and not replaces else []) + (["--force"] if case.force else [])
        for option in options:
            walking.copy(left, folder.name)
            done = walking.run(case.words + ([option] if option else []), folder)
            fault = verdict(case, option, done, folder, expected, left)
            if not fault and replaces and not (folder / case.output).exists():
                fault = "neither the earlier nor the new output is there"
            if fault:
                faults.append((at, option or "plain", fault))
        shutil.rmtree(folder)
        shutil.rmtree(left)
        return at, faults

    def expected_missing(left):
        names = {name for name in expected.names if name == case.output or name.startswith(f"{case.output}/")}
        missing = names - tree(left)
        return f"of the output that is replaced {sorted(missing)} are missing" if missing else None

    kills, faults = 0, []
    places = list(range(1 + offset % every, calls + 1, every))[:limit]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for at, found in pool.map(kill, places):
            kills += at is not None
            faults += found
    for folder in [base, *folders]:
        shutil.rmtree(folder)
    return calls, kills, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("commands", nargs="*", help=", ".join(case.name for case in CASES))
    parser.add_argument("--every", type=int, default=1, help="kill at each n-th call only")
    parser.add_argument("--offset", type=int, default=0, help="calls to pass over before the first")
    parser.add_argument("--limit", type=int, help="kill at no more places of a command")
    parser.add_argument("--jobs", type=int, default=2, help="commands at a time")
    parser.add_argument("--without", action="append", default=[], choices=["flock", "renameat2"])
    options = parser.parse_intermixed_args()
    there = {"models": MODELS, "python": PYTHON}
    chosen = [case for case in CASES if not options.commands or case.name in options.commands]
    if unknown := set(options.commands) - {case.name for case in CASES}:
        parser.error(f"no command {', '.join(sorted(unknown))}")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        walking = Walk(options.program.resolve(), pathlib.Path(folder).resolve(), options.without)
        walking.prepare({case.needs for case in chosen if case.needs and there[case.needs]})
        print(f"{'command':<34}{'calls':>7}{'kills':>7}  states that did not recover", flush=True)
        for case in chosen:
            for replaces in [False] + [True] * (case.name in REPLACED):
                title = case.name + (" --force" if replaces else "")
                if case.needs and not there[case.needs]:
                    print(f"{title:<34}{'-':>7}{'-':>7}  needs {case.needs}", flush=True)
                    continue
                calls, kills, faults = walk(
                    walking, case, options.every, options.offset, options.jobs, replaces, options.limit)
                lost = len({at for at, _, _ in faults})
                bad += lost + (kills == 0)
                print(f"{title:<34}{calls:>7}{kills:>7}  {lost}", flush=True)
                for at, option, fault in faults[:5]:
                    print(f"  call {at}, {option}: {fault}", flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
