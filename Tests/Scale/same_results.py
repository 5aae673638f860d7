"""Compares what two programs write: `same_results.py BEFORE AFTER [--data FOLDER] [--only GROUP] [--renamed OLD=NEW]`.

Both run the same commands on the same inputs (`result_commands.py`): the demo, Helen, two clips, sweeps, comparisons, a
profile, shards, imports of every format. Then all that they wrote is compared: JSON value by value with numbers as they
are spelled, HDF5 dataset by dataset with attributes and layout, reports and messages line by line, other files byte by byte.

BEFORE runs twice or more (`--runs`): what differs between its own runs, such as times, is left out and listed. What could
be equal by chance in two runs is in EXCEPT, with reasons. Ends with status 0 if all else is equal, 1 if not, with the first
places. Needs h5py (`FACEGAUGE_PYTHON` or `.build/python` has it), FACEGAUGE_MODELS, and with `--data` the tests' public data.
"""

import argparse
import base64
import collections
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import h5py
import numpy

import result_commands

# Patterns of places that two runs of one program need not show, with the reason.
EXCEPT = {
    r"(^|\.)created$": "a date in seconds, and two runs can begin in one second",
    r"(^|\.)tool\.commit$": "the two programs are built from different commits",
    r"\bCommit\b": "the same in a report",
    r"(^|\.)host\.loadAverage$": "the load of the machine",
    r"@part_(start|digest|work)_bytes$": "what a shard's process read, files of the system included",
    r"@part_noise$": "a note that the load of the machine decides",
    r": (<tr><td>§</td><td>|\| § \| )[A-Z][A-Z_§+]+( \||</td>)": "a row about an operator: the table is sorted by time",
    r"The machine was noisy": "a note that the load of the machine decides",
}
DATE = re.compile(r"\d{4}-\d\d-\d\d[T\s]\d\d:\d\d(:\d\d)?Z?")
# A number, or a digest or a part of one.
NUMBER = re.compile(r"(?<!\w)[0-9a-f]{10,64}(?!\w)|[-+−]?\d+(?:[,.]\d+)*(?:e[-+]?\d+)?")
# Parts of a report that are compared as one: a chart, else from one of these marks to the next.
PIECE = re.compile(r"(<svg\b.*?</svg>)|\n|(?=<(?:h\d|tr|li|p|dt|figcaption|caption|summary|option)\b)", re.DOTALL)
NAMES = ["name", "metric", "slice", "stage", "id", "of", "frame", "file", "label", "title"]
WIDTHS = {"f32": 4, "f64": 8, "u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4}


class Number(str):
    """A number of JSON as it is spelled."""


class Reader:
    """Reads files as places with values; old names of `--renamed` become new ones, and are counted."""

    def __init__(self, renamed):
        self.renamed, self.counts = renamed, collections.Counter()
        whole = "|".join(re.escape(old) for old in sorted(renamed, key=len, reverse=True))
        self.old = re.compile(rf"(?<![\w-])(?:{whole})(?![\w-])") if renamed else None

    def name(self, text):
        def new(match):
            self.counts[match[0]] += 1
            return self.renamed[match[0]]

        return self.old.sub(new, text) if self.old else text

    def read(self, path):
        content = path.read_bytes()
        if content[:8] == b"\x89HDF\r\n\x1a\n":
            return dict(self.hdf5(path))
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return {"bytes": f"{len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}"}
        if text[:1] in ("{", "["):
            try:
                return dict(self.json(json.loads(text, parse_float=Number, parse_int=Number), ""))
            except json.JSONDecodeError:
                pass
        return dict(self.text(text))

    def json(self, value, place):
        if isinstance(value, dict):
            for key, part in sorted(((self.name(key), part) for key, part in value.items()), key=lambda pair: pair[0]):
                yield from self.json(part, f"{place}.{key}" if place else key)
        elif isinstance(value, list) and any(isinstance(part, (dict, list)) for part in value):
            named, names = unique_names(value)
            yield f"{place}.count", str(len(value))
            for index, part in enumerate(value):
                yield from self.json(part, f"{place}[{self.name(names[index]) if named else index}]")
        elif isinstance(value, list):
            kept = [part for part in value if not left_out(str(part))]
            yield place, " ".join(map(self.spelled, kept))
        else:
            yield place, self.spelled(value)

    def spelled(self, value):
        return str(value) if isinstance(value, Number) else self.name(json.dumps(value, ensure_ascii=False))

    def hdf5(self, path):
        found = []

        def visit(place, item):
            for key in sorted(item.attrs):
                found.append((f"{self.name(place)}@{self.name(key)}", self.values(item.attrs[key])))
            if isinstance(item, h5py.Dataset):
                layout = (item.maxshape, item.chunks, item.compression, item.compression_opts, item.shuffle, item.fletcher32)
                found.append((f"{self.name(place)}:layout", f"{item.dtype} {layout}"))
                found.append((self.name(place), self.values(item[()])))

        with h5py.File(path) as file:
            visit("", file)
            file.visititems(visit)
        return found

    def values(self, value):
        array = numpy.asarray(value)
        if array.dtype == object:
            texts = [part.decode() if isinstance(part, bytes) else part for part in array.flat]
            return " ".join(self.spelled(part) if isinstance(part, str) else repr(part) for part in texts)
        return self.name(str(value)) if array.dtype.kind == "U" else array

    def text(self, text):
        """Lines and parts of a page: their words are the place, under the last heading, and their numbers the value."""
        heading, counts = "", collections.Counter()
        for packed in re.finditer(r'<script type="text/plain" id="([\w-]+)">([^<]*)', text):
            yield from self.packed(packed[1], zlib.decompress(base64.b64decode(packed[2])))
        text = re.sub(r'(<script type="text/plain"[^>]*>)[^<]*', r"\1", text)
        for piece in PIECE.split(self.name(DATE.sub("DATE", text))):
            piece = piece or ""
            numbers = NUMBER.findall(piece)
            words = re.sub(r"(?<=§) ?(?:ns|µs|ms|s)\b", " of time", re.sub(r" +(?=§)", " ", NUMBER.sub("§", piece))).strip()
            if re.match(r"<h\d|#+ ", piece):
                heading = re.sub(r"<[^>]*>", "", words)
            if title := re.match(r"<svg.*?<title[^>]*>(.*?)</title>", piece, re.DOTALL):
                words, numbers = NUMBER.sub("§", f"chart of {title[1]}"), [piece]
            if words:
                if len(words) > 160:
                    words = words[:100] + hashlib.sha256(words.encode()).hexdigest()[:16]
                counts[heading, words] += 1
                yield f"{heading}: {words}[{counts[heading, words]}]", " ".join(numbers)

    def packed(self, name, content):
        """What a page holds packed: JSON, or a header in JSON after its length, and sections that begin at multiples of 8."""
        if content[:1] == b"{":
            yield from self.json(json.loads(content, parse_float=Number, parse_int=Number), name)
            return
        length = struct.unpack("<I", content[:4])[0]
        header = json.loads(content[4:4 + length])
        yield from self.json(json.loads(content[4:4 + length], parse_float=Number, parse_int=Number), name)
        end = 4 + length
        for section in header["sections"]:
            start = (end + 7) // 8 * 8
            end = start + section["count"] * WIDTHS[section["type"]]
            yield f"{name}:{section['name']}", hashlib.sha256(content[start:end]).hexdigest()


def unique_names(parts):
    """Whether the parts of a list have unique names, by as few of NAMES as do, and the names."""
    names = [""] * len(parts)
    for key in NAMES if all(isinstance(part, dict) for part in parts) else []:
        names = [f"{name} {part[key]}".strip() if isinstance(part.get(key), str) else name for name, part in zip(names, parts)]
        if all(names) and len(set(names)) == len(names):
            return True, names
    return False, names


def left_out(place):
    return any(re.search(pattern, place) for pattern in EXCEPT)


def same(one, other):
    if isinstance(one, numpy.ndarray) and isinstance(other, numpy.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    return type(one) is type(other) and one == other


def shown(one, other):
    """Two values that differ, near where they do."""
    if isinstance(one, numpy.ndarray) and isinstance(other, numpy.ndarray):
        if one.dtype != other.dtype or one.shape != other.shape:
            return f"{one.dtype} {list(one.shape)}", f"{other.dtype} {list(other.shape)}"
        bits = [numpy.frombuffer(array.tobytes(), f"V{array.dtype.itemsize}") for array in (one, other)]
        index = int(numpy.flatnonzero(bits[0] != bits[1])[0])
        place = [int(part) for part in numpy.unravel_index(index, one.shape)] if one.shape else []
        return f"{place} {one.flat[index]!r}", f"{place} {other.flat[index]!r}"
    one, other = ("missing" if part is None else str(part) for part in (one, other))
    start = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), 0)
    return one[max(0, start - 40):start + 80], other[max(0, start - 40):start + 80]


def general(place):
    return re.sub(r"\[\d+\]", "[*]", place)


def files(folder):
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}


def compare(name, paths, readers, differences, varying):
    """Compares one file of all runs, of which the last is AFTER's. Returns the number of places that are equal."""
    if None in paths[:-1]:
        varying["the file"].add(name)
        return 0
    befores = [readers[0].read(paths[0])] + [readers[1].read(path) for path in paths[1:-1]]
    if paths[-1] is None:
        differences.append((name, "the file", "there", "missing"))
        return 0
    after = readers[2].read(paths[-1])
    masked = set()
    for other in befores[1:]:
        for place in befores[0].keys() | other.keys():
            if not same(befores[0].get(place), other.get(place)):
                masked.add(general(place))
    places = [place for place in [*befores[0], *(key for key in after if key not in befores[0])] if not left_out(place)]
    for place in masked:
        varying[place].add(name)
    places = [place for place in places if general(place) not in masked]
    found = [place for place in places if not same(befores[0].get(place), after.get(place))]
    for place in found:
        differences.append((name, place, *shown(befores[0].get(place), after.get(place))))
    if not found:
        orders = [[place for place in run if general(place) not in masked and not left_out(place)] for run in (befores[0], after)]
        for one, other in zip(*orders):
            if one != other:
                differences.append((name, "order", one, other))
                break
    return len(places) - len(found)


def run(program, link, folder, groups, data):
    """Runs all commands in a folder of the same name as every other run's; the time of each group."""
    folder.mkdir()
    link.unlink(missing_ok=True)
    link.symlink_to(program)
    (folder / "said").mkdir()
    seconds, statuses = {}, {}
    for group in groups:
        begun = time.monotonic()
        for number, line in enumerate(result_commands.GROUPS[group].lines):
            words = shlex.split(line.format(data=data, root=result_commands.ROOT, program=link))
            done = subprocess.run([link, *words], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL)
            said = folder / "said" / f"{group}-{number:02}-{words[0]}"
            said.with_suffix(".out").write_bytes(done.stdout)
            said.with_suffix(".err").write_bytes(done.stderr)
            said.with_suffix(".status").write_text(str(done.returncode))
            statuses[line] = done.returncode, done.stderr.decode(errors="replace").strip()[-300:]
        seconds[group] = time.monotonic() - begun
    return seconds, statuses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    shared = os.environ.get("FACEGAUGE_SHARED")
    parser.add_argument("--data", type=pathlib.Path, default=shared and pathlib.Path(shared) / "data", help="public data")
    parser.add_argument("--only", action="append", metavar="GROUP", choices=result_commands.GROUPS,
                        help=f"with what it needs; may be repeated: {', '.join(result_commands.GROUPS)}")
    parser.add_argument("--runs", type=int, default=2, help="of BEFORE, to find what varies (2 or more)")
    parser.add_argument("--renamed", action="append", default=[], metavar="OLD=NEW", help="name of BEFORE that AFTER may spell differently")
    parser.add_argument("--places", type=int, default=30, help="differences to print")
    parser.add_argument("--work", type=pathlib.Path, help="folder to keep what was written in (default: none is kept)")
    asked = parser.parse_args()
    groups = result_commands.with_needs(asked.only)
    if asked.runs < 2 or not all("=" in words for words in asked.renamed):
        parser.error("--runs needs 2 or more, --renamed OLD=NEW")
    if asked.data is None and any("{data}" in line for group in groups for line in result_commands.GROUPS[group].lines):
        parser.error("give --data, or --only with groups that need no data")
    renamed = dict(words.split("=", 1) for words in asked.renamed)
    with tempfile.TemporaryDirectory(prefix="facegauge-same-") as temporary:
        work = (asked.work or pathlib.Path(temporary)).resolve()
        work.mkdir(exist_ok=True)
        runs = []
        for index in range(asked.runs + 1):
            program = (asked.before if index < asked.runs else asked.after).resolve()
            folder, kept = work / "run", work / (f"before-{index + 1}" if index < asked.runs else "after")
            for old in (folder, kept):
                shutil.rmtree(old, ignore_errors=True)
            seconds, statuses = run(program, work / "facegauge", folder, groups, asked.data and asked.data.resolve())
            folder.rename(kept)
            runs.append(files(kept))
            print(f"{kept.name}:", ", ".join(f"{group} {seconds[group]:.0f} s" for group in groups), flush=True)
            wrong = [f"{line}: status {status}: {text}" for line, (status, text) in statuses.items() if status not in (0, 2, 3)]
            if wrong and index < asked.runs:
                sys.exit("\n".join(["commands that compare nothing, because they fail in BEFORE:", *wrong]))
        readers = [Reader(renamed) for _ in range(3)]
        differences, varying, equal = [], collections.defaultdict(set), 0
        names = sorted(set().union(*runs))
        for name in names:
            equal += compare(name, [paths.get(name) for paths in runs], readers, differences, varying)
    print(f"\nleft out, because BEFORE differs from itself there: {len(varying)} places")
    kinds = collections.defaultdict(list)
    for place, holders in sorted(varying.items()):
        kinds[re.sub(r"\[[^\]]*\]", "[…]", re.sub(": .*", ": …", place, flags=re.DOTALL))].append((place, holders))
    for kind, members in kinds.items():
        holders = set().union(*(holders for _, holders in members))
        print(f"  {len(members)} x {kind[:120]} in {len(holders)} files, such as {members[0][0][:120]} in {min(holders)}")
    print("\nleft out in any case:")
    for pattern, reason in EXCEPT.items():
        print(f"  {pattern}: {reason}")
    for old, new in renamed.items():
        print(f"renamed {old} to {new}: {readers[0].counts[old]} times before, {readers[2].counts[old]} left after")
    print(f"\n{len(names)} files, {equal} places are equal, {len(differences)} differ")
    for name, place, one, other in differences[:asked.places]:
        print(f"{name}: {place}\n  before: {one}\n  after:  {other}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
