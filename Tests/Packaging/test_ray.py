"""The driver for Ray, with Ray itself; `make test-ray` runs it."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import facegauge
import sample


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


if __name__ == "__main__":
    unittest.main()
