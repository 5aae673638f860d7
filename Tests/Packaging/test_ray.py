"""The driver for Ray, with Ray itself where it is installed; `make test-ray` installs it."""

import contextlib
import importlib.util
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import facegauge
import facegauge.ray
import sample


@unittest.skipUnless(importlib.util.find_spec("ray"), "ray is not installed")
class RayTests(unittest.TestCase):
    def test_a_killed_worker_runs_again_and_the_join_is_one_machines_run(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            facegauge.to_dataset(folder / "squares.h5", sample.images(), face_frame=range(12), boxes=sample.BOXES)
            # The program; the first attempt at shard 2 kills the worker of Ray that started it.
            wrapper = folder / "facegauge"
            wrapper.write_text(f"""#!/bin/bash
case "$*" in
  *"--shard 2/5"*) if mkdir '{folder}/killed' 2>/dev/null; then kill -9 $PPID $$; fi ;;
esac
exec '{facegauge.program()}' "$@"
""")
            wrapper.chmod(0o755)
            done = subprocess.run(
                [sys.executable, "-m", "facegauge.ray", "5", "evaluate", str(folder / "squares.h5"), "-o",
                 str(folder / "run")], env=dict(os.environ, FACEGAUGE=str(wrapper)), capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue((folder / "killed").exists())
            one, joined = facegauge.evaluate(folder / "squares.h5"), facegauge.Run(folder / "run")

            def figures(run):
                return [(one.name, one.slice, one.value, one.n) for one in run.measurements
                        if not one.name.startswith("latency.")]
            self.assertEqual(figures(one), figures(joined))
            swept = subprocess.run(
                [sys.executable, "-m", "facegauge.ray", "2", "sweep", str(folder / "squares.h5"), "-o", str(folder / "sweep"),
                 "--threshold", "min-face-detection-confidence=0.3,0.5", "--resamples", "0"],
                env=dict(os.environ, FACEGAUGE=str(wrapper)), capture_output=True, text=True)
            self.assertEqual(swept.returncode, 0, swept.stderr)
            self.assertIn('"sweep"', (folder / "sweep/record.json").read_text())
            wrong = subprocess.run(
                [sys.executable, "-m", "facegauge.ray", "3", "evaluate", str(folder / "none.h5"), "-o",
                 str(folder / "other")], env=dict(os.environ, FACEGAUGE=str(wrapper)), capture_output=True, text=True)
            self.assertEqual(wrong.returncode, 66, wrong.stderr)
            self.assertIn("error: cannot open", wrong.stderr)


class DriverTests(unittest.TestCase):
    """The driver, between modules and programs that play Ray and FaceGauge."""

    def drive(self, *words):
        """The status, and the command lines that ran, of a driver whose tasks run at once."""
        ray = types.ModuleType("ray")
        ray.init = lambda **_: None
        ray.remote = lambda **_: lambda function: types.SimpleNamespace(remote=function)
        ray.wait = lambda waiting: (waiting[:1], waiting[1:])
        ray.get = lambda result: result
        ray.exceptions = types.SimpleNamespace(RayError=RuntimeError)
        with tempfile.TemporaryDirectory() as scratch:
            program = pathlib.Path(scratch, "facegauge")
            program.write_text(f"#!/bin/sh\necho \"$*\" >>'{scratch}/calls'\n")
            program.chmod(0o755)
            calls = pathlib.Path(scratch, "calls")
            with unittest.mock.patch.dict(sys.modules, ray=ray), \
                    unittest.mock.patch.dict(os.environ, FACEGAUGE=str(program)), \
                    contextlib.redirect_stderr(io.StringIO()):
                status = facegauge.ray.main(list(words))
            return status, calls.read_text().splitlines() if calls.exists() else []

    def test_the_join_replaces_a_run_where_the_shards_do(self):
        for force in ([], ["--force"]):
            status, calls = self.drive("2", "evaluate", "faces.h5", "-o", "run", *force)
            self.assertEqual(status, 0)
            self.assertEqual(calls, [
                *(" ".join(["evaluate faces.h5 -o run", *force, f"--shard {shard}/2"]) for shard in range(2)),
                " ".join(["join run", *force])])

    def test_a_run_that_is_there_is_told_before_any_shard_runs(self):
        with tempfile.TemporaryDirectory() as there:
            self.assertEqual(self.drive("2", "evaluate", "faces.h5", "-o", there), (73, []))
            self.assertEqual(self.drive("2", "evaluate", "faces.h5", "-o", there, "--force")[0], 0)

    def test_the_run_is_where_the_program_puts_it(self):
        for words in (["-o", "run"], ["--output", "run"], ["-o=run"], ["--output=run"]):
            self.assertEqual(self.drive("1", "evaluate", "faces.h5", *words)[1][-1], "join run")
        for words in ([], ["-o"]):
            self.assertEqual(self.drive("1", "evaluate", "faces.h5", *words), (64, []))


if __name__ == "__main__":
    unittest.main()
