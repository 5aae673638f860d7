"""The driver for Slurm, with Slurm itself."""

import json
import os
import pathlib
import re
import subprocess
import sys
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
        # The program that takes too long in its first attempt.
        cls.wrap("slow", 'mkdir slow.1 2>/dev/null', "sleep 600")
        # The program that takes too much memory in its first attempt.
        cls.wrap("greedy", 'mkdir greedy.1 2>/dev/null',
                 f"exec '{sys.executable}' -c 'import time; room = bytearray(800 << 20); time.sleep(600)'")
        # The program that never ends by itself.
        cls.wrap("hopeless", "echo 'shard 2 was here'", "kill -9 $$")
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

    def drive(self, *words, program="facegauge"):
        return self.finish(self.start(*words, program=program))

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
        # A second call that may replace the run finds all parts, compares the options and joins them.
        for force, status, attempts in [([], 73, []), (["--force"], 0, ["attempt 1: shards 0"])]:
            again = self.drive("5", "--", "evaluate", "squares.h5", "-o", "run", *force)
            self.assertEqual(again.returncode, status, again.stderr)
            self.assertEqual([line for line in again.stderr.splitlines() if line.startswith("attempt")], attempts)

    def test_more_members_than_an_array_takes_are_several_arrays(self):
        config = subprocess.run(["scontrol", "show", "config"], env=self.cluster.environment, capture_output=True, text=True)
        self.assertRegex(config.stdout, r"MaxArraySize +=  *4\n")
        refused = subprocess.run(["sbatch", "--array=0-9", "--wrap", "true"], env=self.cluster.environment, cwd=self.folder,
                                 capture_output=True, text=True)
        self.assertNotEqual(refused.returncode, 0)
        done = self.drive("10", "--", "evaluate", "squares.h5", "-o", "many")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("attempt 1: shards 0-9", done.stderr)
        self.assertEqual(self.figures(facegauge.evaluate(self.folder / "squares.h5")),
                         self.figures(facegauge.Run(self.folder / "many")))

    def test_a_member_that_slurm_kills_is_told_with_the_reason_and_runs_again(self):
        done = self.drive("3", "--time=1", "--", "evaluate", "squares.h5", "-o", "long", program="slow")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = [line for line in done.stderr.splitlines() if line.startswith("shard 2: ")]
        self.assertEqual(len(told), 1, done.stderr)
        # Slurm asks the member to end, and kills it where that takes too long.
        self.assertRegex(told[0], "TIMEOUT, exit code 0:(15|9), on n[12]")
        self.assertFalse((self.folder / "long.slurm").exists())

    def test_a_member_that_takes_too_much_memory_is_told_and_runs_again(self):
        done = self.drive("3", "--mem=500M", "--", "evaluate", "squares.h5", "-o", "large", program="greedy")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = [line for line in done.stderr.splitlines() if line.startswith("shard 2: ")]
        self.assertEqual(len(told), 1, done.stderr)
        self.assertRegex(told[0], r"exceeded memory limit \(\d+ > 524288000\), being killed; FAILED, exit code 0:9, on n[12]")

    def test_the_logs_of_all_attempts_stay_until_success(self):
        done = self.drive("3", "--", "evaluate", "squares.h5", "-o", "never", program="hopeless")
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertRegex(done.stderr, r"error: cannot join never: shards 2 are missing .* see never.slurm \(shard 2: ")
        log = (self.folder / "never.slurm/2.log").read_text()
        self.assertEqual([line for line in log.splitlines() if line.startswith("attempt")], [f"attempt {i}" for i in range(1, 5)])
        self.assertEqual(log.count("shard 2 was here"), 4, log)
        self.assertEqual(len(re.findall(r"^slurm: FAILED, exit code 0:9, on n[12], job \d+_2$", log, re.MULTILINE)), 4, log)
        # A later call joins, and takes the logs away.
        done = self.drive("3", "--", "evaluate", "squares.h5", "-o", "never")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.folder / "never.slurm").exists())

    def test_a_job_that_slurm_does_not_take_is_told_at_once(self):
        done = self.drive("3", "--partition=none", "--", "evaluate", "squares.h5", "-o", "refused")
        self.assertEqual(done.returncode, 69, done.stderr)
        self.assertIn("error: cannot evaluate in shards: sbatch took no job", done.stderr)
        self.assertIn("invalid partition", done.stderr)

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


class DriverTests(unittest.TestCase):
    """The driver, between programs that play Slurm and FaceGauge."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def drive(self, sbatch, program, *words):
        for name, text in (("sbatch", sbatch), ("facegauge", program)):
            (self.folder / name).write_text("#!/bin/bash\n" + text)
            (self.folder / name).chmod(0o755)
        environment = dict(os.environ, PATH=f"{self.folder}:/usr/bin:/bin", FACEGAUGE=str(self.folder / "facegauge"))
        return subprocess.run([DRIVER, *words], cwd=self.folder, env=environment, capture_output=True, text=True)

    def test_a_kill_for_memory_is_told_without_scontrol_and_sacct(self):
        """What Slurm's daemon writes where a control group bounds the memory, which this machine may not have."""
        done = self.drive("""
for word in "$@"; do case $word in --output=*) log=${word#--output=};; esac; done
mkdir -p run.shards
touch run.shards/plan.json
echo 'slurmstepd: error: Detected 1 oom_kill event in StepId=1.batch. Some of the step tasks have been OOM Killed.' >"${log/\\%a/1}"
exit 137
""", "echo 0-3\n", "4", "--", "evaluate", "faces.h5", "-o", "run")
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertRegex(done.stderr.splitlines()[-1], r"^error: .*see run.slurm \(shard 1: Detected 1 oom_kill event")
        log = (self.folder / "run.slurm/1.log").read_text()
        self.assertEqual(log.count("OOM Killed"), 4, log)

    def test_the_run_may_end_in_a_slash_and_a_plan_that_was_removed_is_made_again(self):
        for words in (["-o", "run/"], ["-o=run"], ["--output=run//"]):
            (self.folder / "run.shards").mkdir(exist_ok=True)
            (self.folder / "run.shards/plan.json").unlink(missing_ok=True)
            done = self.drive("""
for word in "$@"; do case $word in --output=*) log=${word#--output=};; esac; done
echo 'shard 0 of 1' >"${log/\\%a/0}"
touch run.shards/plan.json
""", """
case "$*" in *--missing) [ -e run.shards/plan.json ] || exit 66 ;; *) echo "$*" >calls ;; esac
""", "1", "--", "evaluate", "faces.h5", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.folder / "calls").read_text(), "join run\n")
            self.assertFalse((self.folder / "run").exists())

    def test_a_run_that_is_there_is_told_before_any_member_runs(self):
        (self.folder / "run").mkdir()
        done = self.drive("touch submitted\n", "exit 1\n", "4", "--", "evaluate", "faces.h5", "-o", "run")
        self.assertEqual(done.returncode, 73, done.stderr)
        self.assertEqual(done.stderr, "error: cannot write run: it exists already (--force replaces it)\n")
        self.assertFalse((self.folder / "submitted").exists())

    def test_the_join_replaces_a_run_where_the_members_do(self):
        for words in ([], ["--force"]):
            (self.folder / "run.shards").mkdir(exist_ok=True)
            (self.folder / "run.shards/plan.json").touch()
            done = self.drive("""
for word in "$@"; do case $word in --output=*) log=${word#--output=};; esac; done
echo 'shard 0 of 1' >"${log/\\%a/0}"
""", """
case "$*" in *--missing) ;; *) echo "$*" >calls ;; esac
""", "1", "--", "evaluate", "faces.h5", "-o", "run", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.folder / "calls").read_text(), " ".join(["join run", *words]) + "\n")

    def test_parts_of_other_options_are_not_joined_though_none_is_missing(self):
        (self.folder / "run.shards").mkdir()
        (self.folder / "run.shards/plan.json").touch()
        done = self.drive("""
for word in "$@"; do case $word in --output=*) log=${word#--output=};; esac; done
echo 'error: cannot add to run.shards/plan.json: expected num-faces 1 as before, found 5' >"${log/\\%a/0}"
exit 65
""", 'echo "$*" >>calls\n', "4", "--", "evaluate", "faces.h5", "-o", "run", "--num-faces", "5")
        self.assertEqual(done.returncode, 65, done.stderr)
        self.assertIn("shard 0: cannot add to run.shards/plan.json: expected num-faces 1", done.stderr)
        self.assertEqual((self.folder / "calls").read_text(), "join run --missing\n")

    def test_a_member_that_is_killed_has_not_compared_the_options(self):
        for kills, status, calls in [(1, 0, 2), (9, 75, 4)]:
            (self.folder / "run.shards").mkdir(exist_ok=True)
            (self.folder / "run.shards/plan.json").touch()
            for name in ("tries", "calls"):
                (self.folder / name).write_text("")
            done = self.drive(f"""
for word in "$@"; do case $word in --output=*) log=${{word#--output=}};; esac; done
echo try >>tries
echo 'shard 0 of 1' >"${{log/\\%a/0}}"
[ "$(wc -l <tries)" -gt {kills} ] || exit 137
""", 'echo "$*" >>calls\n', "4", "--", "evaluate", "faces.h5", "-o", "run")
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(len((self.folder / "tries").read_text().splitlines()), calls)
            joined = "join run" in (self.folder / "calls").read_text().splitlines()
            self.assertEqual(joined, status == 0)
            if status:
                self.assertIn("no member came to compare the options", done.stderr.splitlines()[-1])


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
