#!/usr/bin/env python3
"""What `import` reads of every format, compared with what an independent reader makes of the same files.

    python Tests/Oracles/live/imports.py .build/release/facegauge SHARED FOLDER [--formats coco,yolo] > imports.md

The sources are files of SHARED/data, copied to FOLDER first, or files that the tools' own packages write there. Frames are
compared by name; faces of a frame by their coordinates, or in order where they have none. The table has one row a source:
frames, faces and labelled points of both, the largest difference of boxes and points in pixels and of any other number, and
the seconds that the import took. The status is 1 where a count or a word differs, where a difference is more than 32-bit
floats and the digits of the source explain, or where a format has no source. Needs the packages of requirements-imports.txt.
"""
import argparse
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from comparing import binary_of, markdown
from import_faces import Imported, compare
import import_published
import import_recordings
import import_tools
import import_written

def copied(shared, name, folder):
    """A copy of a file or folder of the shared data."""
    source, target = shared / "data" / name, folder / "data" / name
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(source, target)
    return target


def run(binary, arguments, output):
    begin = time.monotonic()
    done = subprocess.run([binary, "import", *map(str, arguments), "-o", str(output), "--force"], capture_output=True, text=True)
    took = time.monotonic() - begin
    return took, done.stderr.strip().splitlines()[-1] if done.returncode else ""


def row(binary, case, folder, number):
    output, dataset = folder / f"{number:03}.h5", None
    if case.of:
        dataset = folder / f"{number:03}-of.h5"
        _, problem = run(binary, case.of, dataset)
        if problem:
            return False, [case.format, case.source, case.reader, problem] + ["–"] * 5
    took, problem = run(binary, case.arguments + (["--of", dataset] if dataset else []), output)
    if problem:
        return False, [case.format, case.source, case.reader, problem] + ["–"] * 5
    found = compare(Imported(output, dataset), case.truth())
    equal = not found.fault and all(a == b for a, b in (found.frames, found.faces, found.points))
    # Half a unit in the last place of a 32-bit float at 4096 pixels, twice for a width of two corners.
    equal = equal and not found.pixels > max(case.digits, 5e-4) and not found.values > 1e-5
    pairs = [f"{a}" if a == b else f"{a} of {b}" for a, b in (found.frames, found.faces, found.points)]
    numbers = ["–" if v != v else f"{v:.1e}" if v else "0" for v in (found.pixels, found.values)]
    numbers[1] += f" in {found.compared}" if found.compared else ""
    return equal, [case.format, case.source + (f": {found.fault}" if found.fault else ""), case.reader, *pairs, *numbers, f"{took:.2f}"]


def formats(binary):
    words = subprocess.run([binary, "help", "import"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z0-9-]+)$", words.split("Formats:")[1].split("USAGE:")[0], re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("shared", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--formats", help="names with commas; all without it")
    options = parser.parse_args()
    binary, rows, right = binary_of(options.program), [], True
    known = formats(binary)
    chosen = options.formats.split(",") if options.formats else known
    options.folder.mkdir(parents=True, exist_ok=True)
    cases = [case for module in (import_published, import_recordings, import_tools, import_written)
             for case in module.cases(lambda name: copied(options.shared, name, options.folder), options.folder, chosen)]
    position = {name: i for i, name in enumerate(known)}
    for number, case in enumerate(sorted((c for c in cases if c.format in chosen), key=lambda c: position[c.format])):
        equal, cells = row(binary, case, options.folder, number)
        print(" | ".join(cells), "" if equal else "DIFFERS", file=sys.stderr)
        right = right and equal
        rows.append(cells)
    header = ["format", "source", "reader", "frames", "faces", "points", "pixels", "other values", "s"]
    print(markdown(header, rows))
    missing = [name for name in chosen if name not in {r[0] for r in rows}]
    print(f"{len({r[0] for r in rows})} formats, {len(rows)} sources" + (f"; without a source: {', '.join(missing)}" if missing else ""))
    sys.exit(0 if right and not missing else 1)


if __name__ == "__main__":
    main()
