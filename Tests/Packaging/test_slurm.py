"""The driver for Slurm, with Slurm itself."""

import json
import pathlib
import subprocess
import tempfile
import time
import unittest

import facegauge
import h5py
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
        cls.wrap("facegauge", 'mkdir killed 2>/dev/null', "kill -9 $$")
        # The program that waits in its first attempt at shard 2 until its node is lost.
        cls.wrap("lost", 'mkdir waits 2>/dev/null',
                 'echo "$SLURMD_NODENAME $$ $PPID" >waits/new; mv waits/new waits/where; exec sleep 600')
        cls.cluster = slurm.Cluster(tempfile.mkdtemp(dir=cls.folder), slurm.unpacked())
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.wait()

    @classmethod
    def wrap(cls, name, condition, action):
        """A program that acts once in shard 2, and is FaceGauge otherwise."""
        (cls.folder / name).write_text(f"""#!/bin/bash
if [ "${{SLURM_ARRAY_TASK_ID:-}}" = 2 ] && {condition}; then {action}; fi
exec '{facegauge.program()}' "$@"
""")
        (cls.folder / name).chmod(0o755)

    def start(self, *words, program="facegauge"):
        environment = dict(self.cluster.environment, FACEGAUGE=str(self.folder / program))
        return subprocess.Popen([DRIVER, *words], cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def finish(self, process):
        output, errors = process.communicate(timeout=300)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def drive(self, *words):
        return self.finish(self.start(*words))

    @staticmethod
    def figures(run):
        return [(one.name, one.slice, one.value, one.n) for one in run.measurements if not one.name.startswith("latency.")]

    def test_a_killed_member_runs_again_and_the_join_is_one_machines_run(self):
        done = self.drive("5", "--", "evaluate", "squares.h5", "-o", "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        attempts = [line for line in done.stderr.splitlines() if line.startswith("attempt")]
        self.assertEqual(attempts, ["attempt 1: shards 0-4", "attempt 2: shards 2"])
        self.assertFalse((self.folder / "run.slurm").exists())
        one = facegauge.evaluate(self.folder / "squares.h5")
        joined = facegauge.Run(self.folder / "run")
        self.assertEqual(self.figures(one), self.figures(joined))
        # A second call finds all parts and joins them, and the run is there.
        again = self.drive("5", "--", "evaluate", "squares.h5", "-o", "run")
        self.assertEqual(again.returncode, 73, again.stderr)
        self.assertNotIn("attempt", again.stderr)

    def test_a_lost_node_is_found_and_its_shard_runs_on_the_other(self):
        driver = self.start("4", "--", "evaluate", "squares.h5", "-o", "through", program="lost")
        self.addCleanup(driver.kill)
        where, end = self.folder / "waits/where", time.monotonic() + 120
        while not where.exists() and driver.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        node, program, step = where.read_text().split()
        self.cluster.lose(node, int(step), int(program))
        done = self.finish(driver)
        self.assertEqual(done.returncode, 0, done.stderr)
        # Slurm itself found the node down and queued its task again: one attempt of the driver, the second start of the shard.
        self.assertEqual([line for line in done.stderr.splitlines() if line.startswith("attempt")],
                         ["attempt 1: shards 0-3"])
        self.assertRegex(self.cluster.state(node), "^down")
        with h5py.File(self.folder / "through.shards/00002.h5") as part:
            self.assertEqual(part.attrs["part_attempt"], 2)
        self.assertEqual(self.figures(facegauge.evaluate(self.folder / "squares.h5")),
                         self.figures(facegauge.Run(self.folder / "through")))
        # The node comes back.
        self.cluster.nodes[node] = self.cluster.start_node(node)
        self.cluster.wait()

    def test_a_sweep_in_shards_is_one_machines_sweep(self):
        words = ["sweep", "squares.h5", "--threshold", "min-face-detection-confidence=0.3,0.5", "--resamples", "0"]
        done = self.drive("3", "--", *words, "-o", "swept")
        self.assertEqual(done.returncode, 0, done.stderr)
        subprocess.run([facegauge.program(), *words, "-o", "alone"], cwd=self.folder, check=True, capture_output=True)
        columns = []
        for name in ("swept", "alone"):
            found = json.loads((self.folder / name / "record.json").read_text())["sweep"]["columns"]
            columns.append({metric: values for metric, values in found.items() if metric != "model_time"})
        self.assertTrue(columns[0]["coverage"])
        self.assertEqual(*columns)

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
