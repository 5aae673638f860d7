"""The wheel and the Debian package, made from the built program, installed and run where nothing else is."""

import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

import sample

PACKAGING = sample.ROOT / "Sources/Packaging"
# Swift 6.0, which Debian 13 has, makes larger programs.
OLD = "Swift version 6.0" in subprocess.run(["swift", "--version"], capture_output=True, text=True, check=False).stdout
MAX_BYTES = 24_000_000 if OLD else 22_000_000
MAX_PROGRAM_BYTES = 59_000_000 if OLD else 56_000_000


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words[0]} ended with status {done.returncode}: {done.stderr}")
    return done.stdout


class PackageTests(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def linked(self, libraries):
        program = self.folder / f"facegauge-{libraries}"
        run(PACKAGING / "link", libraries, program)
        return program

    def test_a_wheel_has_everything_inside_and_runs_without_an_environment(self):
        wheel = pathlib.Path(run(sys.executable, PACKAGING / "build_wheel.py", self.linked("static"), self.folder).strip())
        self.assertLess(wheel.stat().st_size, MAX_BYTES)
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            self.assertLess(max(entry.file_size for entry in archive.infolist()), MAX_PROGRAM_BYTES)
            record = next(name for name in names if name.endswith("/RECORD"))
            listed = [row[0] for row in csv.reader(io.TextIOWrapper(archive.open(record), "utf-8"))]
            licences = archive.read(next(name for name in names if name.endswith("licenses/LIBRARIES"))).decode()
        self.assertEqual(sorted(listed), sorted(names))
        self.assertEqual({name for name in names if name.endswith(".schema.json")},
                         {f"facegauge/schemas/{path.name}" for path in (PACKAGING / "Schemas").iterdir()})
        for name in ["Swift", "libhdf5-dev", "libopenblas-pthread-dev", "libssl-dev"]:
            self.assertIn(f"==== {name}", licences)
        run(sys.executable, "-m", "venv", self.folder / "venv")
        python = self.folder / "venv/bin/python"
        run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel)
        program = self.folder / "venv/bin/facegauge"
        needed = {line.split()[0] for line in run("ldd", program).splitlines()}
        self.assertEqual({name.rsplit("/", 1)[-1] for name in needed},
                         {"linux-vdso.so.1", "libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"})
        self.assertTrue(run(program, "--version", env={}).startswith("facegauge "))
        # What writes dates and numbers is there: ICU's data are trimmed.
        table = self.folder / "faces.csv"
        table.write_text("input,frame,FaceRectX,FaceRectY,FaceRectWidth,FaceRectHeight,FaceScore\n"
                         "clip.mp4,0,1,2,30,40,0.9\n")
        dataset = self.folder / "faces.h5"
        done = subprocess.run([program, "import", "pyfeat", table, "-o", dataset, "--fps", "1234.5"],
                              capture_output=True, text=True, env={}, check=True)
        self.assertIn("taken as 1234.5 frames per second", done.stderr)
        self.assertRegex(run(program, "inspect", dataset, env={}), r"created +20\d\d-\d\d-\d\dT[0-9:]+Z\n")
        self.assertTrue((self.folder / "venv/share/man/man1/facegauge.1").exists())
        self.assertEqual(run(python, "-c", "import facegauge; print(facegauge.program())", env={}).strip(), str(program))
        # Without an active environment its Python is the one that the program uses.
        seen = subprocess.run([program, "doctor"], capture_output=True, text=True, env={"PATH": str(self.folder)}).stdout
        pip = next(line for line in seen.splitlines() if line.startswith("python3 with pip"))
        self.assertRegex(pip, r" ok +pip \d+")

    def test_functions_that_nothing_calls_are_not_retained(self):
        source, listed = self.folder / "parts.c", self.folder / "list"
        source.write_text("#define KEPT __attribute__((used, retain))\nKEPT int kept = 1;\nKEPT void called(void) {}\n")
        run("cc", "-c", "-ffunction-sections", "-fdata-sections", source, "-o", self.folder / "parts.o")
        run("ar", "rcs", self.folder / "parts.a", self.folder / "parts.o")
        listed.write_text(f"'{self.folder / 'parts.o'}'\n")
        (self.folder / "copies").mkdir()
        tool = [sys.executable, PACKAGING / "release_functions.py"]
        self.assertEqual(run(*tool, listed, self.folder / "copies", self.folder / "parts.a"),
                         "2 sections of code released\n")
        self.assertEqual((self.folder / "copies/objects").read_text(), f"'{self.folder / 'copies/0.o'}'\n")
        for copy in ["0.o", "parts.a"]:
            flags = dict(re.findall(r"(\.text\.called|\.data\.kept) .* ([A-Zo]+) +\d+ +\d+ +\d+\n",
                                    run("readelf", "-SW", self.folder / "copies" / copy)))
            self.assertEqual(flags, {".text.called": "AX", ".data.kept": "WAR"})
        for words, status in [([], 64), ([self.folder / "none", self.folder], 66)]:
            self.assertEqual(subprocess.run([*tool, *words], capture_output=True).returncode, status)

    def test_a_program_that_needs_other_libraries_is_no_wheel(self):
        done = subprocess.run([sys.executable, PACKAGING / "build_wheel.py", self.linked("shared"), self.folder],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 65)
        self.assertIn("expected only the C library, found ['libcrypto.so.3'", done.stderr)

    def test_a_debian_package_names_the_libraries_and_has_its_documents_in_place(self):
        fast = dict(os.environ, DPKG_DEB_COMPRESSOR_TYPE="none")
        package = run(PACKAGING / "build_deb", self.linked("shared"), self.folder, env=fast).strip()
        depends = run("dpkg-deb", "--field", package, "Depends")
        for name in ["libc6 (>= ", "libhdf5-", "libopenblas0", "libpng16-16", "libssl3", "libturbojpeg0"]:
            self.assertIn(name, depends)
        self.assertNotIn("swift", depends)
        files = run("dpkg-deb", "--contents", package)
        for path in ["usr/bin/facegauge", "usr/share/man/man1/facegauge.1.gz", "usr/share/doc/facegauge/copyright",
                     "usr/share/bash-completion/completions/facegauge", "usr/share/zsh/vendor-completions/_facegauge",
                     "usr/share/fish/vendor_completions.d/facegauge.fish"]:
            self.assertIn(f" ./{path}\n", files)
        run("dpkg-deb", "--extract", package, self.folder / "tree")
        self.assertTrue(run(self.folder / "tree/usr/bin/facegauge", "--version").startswith("facegauge "))


if __name__ == "__main__":
    unittest.main()
