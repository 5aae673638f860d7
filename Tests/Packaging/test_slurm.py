"""The driver for Slurm, with Slurm itself."""

import pathlib
import subprocess
import tempfile
import unittest

import facegauge
import sample
import slurm

DRIVER = sample.ROOT / "Sources/Packaging/facegauge-slurm"


@unittest.skipUnless(slurm.unpacked(), "FACEGAUGE_SLURM names no folder with Slurm")
class SlurmTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        facegauge.to_dataset(cls.folder / "squares.h5", sample.images(), face_frame=range(12), boxes=sample.BOXES)
        # The program, killed in its first attempt at shard 2.
        wrapper = cls.folder / "facegauge"
        wrapper.write_text(f"""#!/bin/bash
if [ "${{SLURM_ARRAY_TASK_ID:-}}" = 2 ] && mkdir "{cls.folder}/killed" 2>/dev/null; then kill -9 $$; fi
exec '{facegauge.program()}' "$@"
""")
        wrapper.chmod(0o755)
        cls.cluster = slurm.Cluster(tempfile.mkdtemp(dir=cls.folder), slurm.unpacked())
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.wait()

    def drive(self, *words):
        environment = dict(self.cluster.environment, FACEGAUGE=str(self.folder / "facegauge"))
        return subprocess.run([DRIVER, *words], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=300)

    def test_a_killed_member_runs_again_and_the_join_is_one_machines_run(self):
        done = self.drive("5", "--", "evaluate", "squares.h5", "-o", "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        attempts = [line for line in done.stderr.splitlines() if line.startswith("attempt")]
        self.assertEqual(attempts, ["attempt 1: shards 0-4", "attempt 2: shards 2"])
        self.assertFalse((self.folder / "run.slurm").exists())
        one = facegauge.evaluate(self.folder / "squares.h5")
        joined = facegauge.Run(self.folder / "run")

        def figures(run):
            return [(one.name, one.slice, one.value, one.n) for one in run.measurements
                    if not one.name.startswith("latency.")]
        self.assertEqual(figures(one), figures(joined))
        # A second call finds all parts and joins them, and the run is there.
        again = self.drive("5", "--", "evaluate", "squares.h5", "-o", "run")
        self.assertEqual(again.returncode, 73, again.stderr)
        self.assertNotIn("attempt", again.stderr)

    def test_what_would_fail_again_ends_at_once_with_its_status(self):
        done = self.drive("3", "--", "evaluate", "squares.h5", "-o", "wrong", "--mode", "vidoe")
        self.assertEqual(done.returncode, 64, done.stderr)
        self.assertEqual(done.stderr.count("attempt"), 1, done.stderr)
        self.assertIn("shard 2: invalid value 'vidoe' for '--mode'", done.stderr)
        self.assertEqual(done.stderr.count("error: "), 1, done.stderr)


class ArgumentTests(unittest.TestCase):
    def test_wrong_arguments_are_named(self):
        for words, said in [
            (["0", "--", "evaluate", "-o", "run"], "cannot use '0' shards"),
            (["3", "evaluate"], "expected -- before it"),
            (["3", "--", "profile"], "cannot run 'profile' in shards"),
            (["3", "--", "evaluate", "faces.h5"], "expected -o RUN"),
            (["3", "--", "evaluate", "-o", "run", "--shard", "1/2"], "cannot use --shard here"),
        ]:
            done = subprocess.run([DRIVER, *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 64)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("error: "), 1)


if __name__ == "__main__":
    unittest.main()
