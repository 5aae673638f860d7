"""Compiles and links the C targets for macOS and Linux on 64-bit ARM, with the compiler and headers of PyPI's ziglang.

Nothing runs: `make test` runs the kernels on an emulated processor, and macOS itself is untested.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ["CAddressSpace", "CAllocations", "CBuild", "CImaging", "CKernels", "CProcesses"]
# The oldest glibc that has what CProcesses calls, and the manifest's macOS.
PLATFORMS = ["aarch64-linux-gnu.2.34", "aarch64-macos.15.0"]
# The only headers of other libraries; they name no platform.
HEADERS = ["png.h", "pngconf.h", "pnglibconf.h", "zlib.h", "zconf.h"]
WARNINGS = ["-Wall", "-Werror"]


def zig(*arguments):
    subprocess.run([sys.executable, "-m", "ziglang", "cc", *map(str, arguments)], check=True)


def build(platform, headers, folder):
    """Each source as an object; all but PNG's decoder as one library, so that the system must have what they call."""
    objects = []
    for target in TARGETS:
        for source in sorted((ROOT / "Sources" / target).glob("*.c")):
            compiled = folder / f"{target}.{source.stem}.o"
            zig("-target", platform, "-O2", "-fPIC", "-fblocks", *WARNINGS, "-I", source.parent / "include",
                "-I", headers, "-c", source, "-o", compiled)
            if source.name != "png.c":
                objects.append(compiled)
    undefined = [] if "macos" in platform else ["-Wl,-z,defs"]
    zig("-target", platform, "-shared", *undefined, *objects, "-lm", "-o", folder / "all")
    print(f"{platform}: {len(objects) + 1} files")


def main():
    with tempfile.TemporaryDirectory() as folder:
        headers = pathlib.Path(folder) / "headers"
        headers.mkdir()
        for name in HEADERS:
            shutil.copy(pathlib.Path("/usr/include") / name, headers)
        for platform in PLATFORMS:
            built = pathlib.Path(folder) / platform
            built.mkdir()
            build(platform, headers, built)


if __name__ == "__main__":
    main()
