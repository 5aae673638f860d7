#!/usr/bin/env python3
"""Build a wheel of the program and the Python module: build_wheel.py PROGRAM FOLDER

PROGRAM is what `Sources/Packaging/link static` made. The wheel has the program as the script `facegauge`, the module
`facegauge` with the JSON Schemas, the manual page, completions, and the licences of everything that is inside the program. Its tag says the
oldest C library that the program's symbols need. The same inputs give the same bytes. Prints the wheel's path.

Exit codes: 0 written, 64 usage, 65 the program needs other libraries than the C library, 73 cannot write.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = ROOT / "Sources/Packaging/Python/facegauge"
# What every Linux with that C library has.
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2",
          "ld-linux-aarch64.so.1"}
# Debian's packages of the archives that are linked in; each has its licence in /usr/share/doc.
PACKAGES = ["libaec-dev", "libdeflate-dev", "libhdf5-dev", "libmatio-dev", "libopenblas-pthread-dev", "libpng-dev",
            "libssl-dev", "libstdc++-*-dev", "libturbojpeg0-dev", "zlib1g-dev"]
METADATA = """Metadata-Version: 2.1
Name: facegauge
Version: {version}
Summary: Evaluate, tune and time face tracking on labelled faces
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: h5py>=3.6
Requires-Dist: numpy
Provides-Extra: tables
Requires-Dist: pandas>=2; extra == "tables"
Provides-Extra: mlflow
Requires-Dist: mlflow-skinny>=2.10; extra == "mlflow"
Provides-Extra: wandb
Requires-Dist: wandb>=0.17; extra == "wandb"
Provides-Extra: mediapipe
Requires-Dist: mediapipe>=0.10.21; extra == "mediapipe"
Provides-Extra: yunet
Requires-Dist: opencv-python-headless>=4.8; extra == "yunet"
Provides-Extra: landmarks
Requires-Dist: opencv-python-headless>=4.8; extra == "landmarks"
Requires-Dist: onnxruntime>=1.16; extra == "landmarks"
Requires-Dist: ai-edge-litert>=1; extra == "landmarks"
Provides-Extra: web
Requires-Dist: aiohttp>=3.9; extra == "web"
Description-Content-Type: text/markdown

FaceGauge measures the accuracy, stability and speed of a face tracker on labelled images and clips, writes reports,
and checks the results against limits. `facegauge demo` shows all of it; `facegauge --help` lists the commands;
`import facegauge` runs them from Python.
"""


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def glibc(program):
    """The version of the C library that the program needs, such as (2, 35)."""
    listing = output("objdump", "-p", str(program))
    needed = set(re.findall(r"^\s+NEEDED\s+(\S+)", listing, re.M))
    if needed - SYSTEM:
        print(f"error: cannot package {program}: expected only the C library, found {sorted(needed - SYSTEM)}",
              file=sys.stderr)
        sys.exit(65)
    return max(tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([0-9.]+)", listing))


def licences():
    """The licences of what is inside the program, one after the other."""
    swift = pathlib.Path(output("which", "swiftc").strip()).resolve().parents[1] / "share/swift/LICENSE.txt"
    documents = pathlib.Path("/usr/share/doc")
    # Debian's own Swift has its licence where all its packages have it.
    parts = [("Swift, Foundation, Dispatch and ICU", swift if swift.exists() else documents / "swiftlang/copyright")]
    for package in PACKAGES:
        found = sorted(documents.glob(package))
        parts.append((found[-1].name if found else package, (found[-1] if found else documents / package) / "copyright"))
    return "".join(f"==== {name} ====\n\n{path.read_text(encoding='utf-8', errors='replace').rstrip()}\n\n\n"
                   for name, path in parts)


def members(program, version, tag):
    """Path, bytes and mode of each file but RECORD."""
    data, info = f"facegauge-{version}.data", f"facegauge-{version}.dist-info"
    share = f"{data}/data/share"
    for path in sorted(MODULE.rglob("*")):
        if path.suffix in (".py", ".html", ".js") or path.name == "py.typed":
            yield f"facegauge/{path.relative_to(MODULE)}", path.read_bytes(), 0o644
    for path in sorted((ROOT / "Sources/Packaging/Schemas").iterdir()):
        yield f"facegauge/schemas/{path.name}", path.read_bytes(), 0o644
    yield f"{data}/scripts/facegauge", program.read_bytes(), 0o755
    yield f"{data}/scripts/facegauge-slurm", (ROOT / "Sources/Packaging/facegauge-slurm").read_bytes(), 0o755
    yield f"{share}/man/man1/facegauge.1", output(str(program), "--generate-man-page").encode(), 0o644
    for shell, place in [("bash", "bash-completion/completions/facegauge"), ("zsh", "zsh/site-functions/_facegauge"),
                         ("fish", "fish/vendor_completions.d/facegauge.fish")]:
        yield f"{share}/{place}", output(str(program), "--generate-completion-script", shell).encode(), 0o644
    yield f"{info}/METADATA", METADATA.format(version=version).encode(), 0o644
    yield f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: facegauge ({version})\nRoot-Is-Purelib: false\n"
                            f"Tag: {tag}\n").encode(), 0o644
    yield f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644
    yield f"{info}/licenses/LIBRARIES", licences().encode(), 0o644


def main(arguments):
    if len(arguments) != 2 or arguments[0].startswith("-"):
        print("usage: build_wheel.py PROGRAM FOLDER", file=sys.stderr)
        return 64
    program, folder = map(pathlib.Path, arguments)
    version = output(str(program), "--version").split()[-1]
    tag = "py3-none-manylinux_{}_{}_{}".format(*glibc(program), os.uname().machine)
    wheel = folder / f"facegauge-{version}-{tag}.whl"
    record = f"facegauge-{version}.dist-info/RECORD"
    lines = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        temporary = wheel.with_suffix(".part")
        with zipfile.ZipFile(temporary, "w") as archive:
            def add(name, data, mode):
                entry = zipfile.ZipInfo(name)
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                # An entry of its own does not take the level of the archive.
                archive.writestr(entry, data, compresslevel=9)

            for name, data, mode in members(program, version, tag):
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                lines.append(f"{name},sha256={digest},{len(data)}\n")
                add(name, data, mode)
            add(record, "".join(lines + [f"{record},,\n"]).encode(), 0o644)
        temporary.replace(wheel)
    except OSError as error:
        print(f"error: cannot write {wheel}: {error.strerror}: {error.filename}", file=sys.stderr)
        return 73
    print(wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
