"""The gate for other people's repositories, in a repository with a tracker in Python."""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import facegauge
import sample

ACTION = sample.ROOT / ".github/actions/facegauge"


class GateTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.repository = pathlib.Path(scratch.name)
        shutil.copy(ACTION / "gate", cls.repository)
        facegauge.to_dataset(cls.repository / "squares.h5", sample.images(), face_frame=range(12), boxes=sample.BOXES,
                             fps=30)
        for name, gate in {
            "gates": {"metric": "detection.ap50", "direction": "at_least", "limit": 0.9},
            "doubt": {"metric": "detection.ap50", "direction": "at_least", "limit": 0.9, "evaluated_by": "interval"},
        }.items():
            (cls.repository / f"{name}.json").write_text(
                json.dumps({"schema": "facegauge.gates", "version": 2, "gates": [gate]}))

    def gate(self, *words, folder):
        """Runs the script as a CI job would, with the program in PATH."""
        tools = self.repository / "tools"
        tools.mkdir(exist_ok=True)
        link = tools / "facegauge"
        if not link.exists():
            link.symlink_to(facegauge.program())
        environment = dict(
            os.environ, PATH=f"{tools}:{os.environ['PATH']}", GITHUB_ACTIONS="true",
            GITHUB_OUTPUT=str(self.repository / f"{folder}.outputs"),
            GITHUB_STEP_SUMMARY=str(self.repository / f"{folder}.summary"))
        return subprocess.run(["./gate", "--output", folder, *words], cwd=self.repository, env=environment,
                              capture_output=True, text=True)

    def outputs(self, folder):
        text = (self.repository / f"{folder}.outputs").read_text()
        return dict(line.split("=", 1) for line in text.splitlines())

    def test_a_good_tracker_passes(self):
        done = self.gate("--dataset", "squares.h5", "--tracker", sample.tracker(), "--gates", "gates.json",
                         folder="good")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.outputs("good"), {"report": "good/good.html", "verdict": "pass"})
        self.assertNotIn("::error", done.stdout)
        page = (self.repository / "good/good.html").read_text()
        self.assertIn("</html>", page)
        # One file: nothing is loaded from elsewhere.
        self.assertNotRegex(page, r'(?:src|href)="(?!data:|#|https?://)')
        self.assertIn("AP at IoU .50", (self.repository / "good.summary").read_text())

    def test_a_worse_tracker_fails_with_an_annotation(self):
        done = self.gate("--dataset", "squares.h5", "--tracker", sample.tracker("60"), "--gates", "gates.json",
                         folder="bad")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(self.outputs("bad")["verdict"], "fail")
        self.assertIn("::error title=FaceGauge::detection.ap50 is 0", done.stdout)

    def test_what_is_not_decided_fails_unless_it_may_pass(self):
        words = ["--dataset", "squares.h5", "--tracker", sample.tracker(), "--gates", "doubt.json"]
        self.assertEqual(self.gate(*words, folder="doubt").returncode, 3)
        done = self.gate(*words, "--inconclusive", "pass", folder="doubt2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("::warning title=FaceGauge::", done.stdout)
        self.assertEqual(self.outputs("doubt2")["verdict"], "inconclusive")

    def test_a_suspect_input_never_passes(self):
        """The gates of a tracker that finds no face at all are not decided, and do not pass as such."""
        nobody = self.repository / "nobody.py"
        nobody.write_text("import facegauge\nfacegauge.serve(lambda image, time: [])\n")
        facegauge.to_dataset(self.repository / "twice.h5", [*sample.images()] * 2, face_frame=range(24),
                             boxes=sample.BOXES * 2, fps=30)
        done = self.gate("--dataset", "twice.h5", "--tracker", shlex.join([sys.executable, str(nobody)]),
                         "--gates", "gates.json", "--inconclusive", "pass", folder="nobody")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertEqual(self.outputs("nobody")["verdict"], "inconclusive")

    def test_help_is_the_usage(self):
        done = self.gate("--help", folder="help")
        self.assertEqual((done.returncode, done.stdout.split()[:2]), (0, ["usage:", "gate"]))

    def test_a_tracker_that_breaks_is_an_error_and_no_verdict(self):
        done = self.gate("--dataset", "squares.h5", "--tracker", "false", folder="broken")
        self.assertEqual(done.returncode, 65)
        self.assertIn("error: cannot track with 'false'", done.stderr)
        self.assertFalse((self.repository / "broken.outputs").exists())

    def test_two_builds_of_a_tracker_are_timed_in_alternation(self):
        """The slower build takes ten times as long, so that the verdict does not depend on the machine."""
        (self.repository / "times.json").write_text(json.dumps(
            {"schema": "facegauge.gates", "version": 2,
             "gates": [{"metric": "latency.total.p50", "max_relative_worsening": 0.5}]}))
        words = ["--dataset", "squares.h5", "--base", sample.busy_tracker(4000), "--latency-gates", "times.json"]
        done = self.gate(*words, "--tracker", sample.busy_tracker(40000), folder="slower")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(self.outputs("slower")["verdict"], "fail")
        self.assertIn("::error title=FaceGauge::total takes ", done.stdout)
        self.assertIn("total takes ", (self.repository / "slower.summary").read_text())
        done = self.gate(*words, "--tracker", sample.busy_tracker(400), folder="faster")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.outputs("faster")["verdict"], "pass")

    def test_a_base_that_breaks_is_an_error_and_no_verdict(self):
        done = self.gate("--dataset", "squares.h5", "--tracker", sample.tracker(), "--base", "false", folder="nobase")
        self.assertEqual(done.returncode, 65)
        self.assertIn("'false'", done.stderr)
        self.assertFalse((self.repository / "nobase.outputs").exists())

    def test_the_page_is_named_after_any_folder(self):
        """GitHub names an artifact after its file, so two folders give two artifacts."""
        words = ["--dataset", "squares.h5", "--tracker", sample.tracker()]
        done = self.gate(*words, folder="deep/er/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.repository / "deep/er/er.html").exists())

    def test_usage(self):
        for words in [[], ["--dataset"], ["--nothing", "x"], ["--dataset", "a", "--tracker", "b", "--predictions", "c"],
                      ["--dataset", "a", "--base", "b"],
                      ["--dataset", "a", "--tracker", "b", "--latency-gates", "c"]]:
            self.assertEqual(self.gate(*words, folder="usage").returncode, 64)

    def test_the_action_and_the_workflows_follow_githubs_schemas(self):
        """The schemas that check-jsonschema carries, so that the network is not asked; a mistake is seen."""
        def problems(schema, path):
            done = subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}",
                                   "--output-format", "json", str(path)], capture_output=True, text=True)
            return json.loads(done.stdout)["errors"]

        for workflow in sorted((sample.ROOT / ".github/workflows").glob("*.yml")):
            self.assertEqual(problems("github-workflows", workflow), [])
        self.assertEqual(problems("github-actions", ACTION / "action.yml"), [])
        wrong = self.repository / "wrong.yml"
        for right, mistake in [("using: composite", "using: composit"), ("      shell: bash\n", ""),
                               ("      with:\n", "      width:\n"), ("value: ${{", "values: ${{")]:
            text = (ACTION / "action.yml").read_text()
            self.assertIn(right, text)
            wrong.write_text(text.replace(right, mistake))
            self.assertNotEqual(problems("github-actions", wrong), [], mistake)

    def test_the_action_hands_every_input_to_the_script(self):
        """The composite's own step, run with the inputs as GitHub puts them into the environment."""
        text = (ACTION / "action.yml").read_text()
        script = text.split("      run: |\n", 1)[1].split("\n    - if:", 1)[0]
        script = "\n".join(line[8:] for line in script.splitlines())
        tools = self.repository / "tools"
        tools.mkdir(exist_ok=True)
        if not (tools / "facegauge").exists():
            (tools / "facegauge").symlink_to(facegauge.program())
        environment = dict(
            os.environ, PATH=f"{tools}:{os.environ['PATH']}", GITHUB_ACTION_PATH=str(ACTION),
            GITHUB_OUTPUT=str(self.repository / "action.outputs"), INSTALL="", DATASET="squares.h5",
            TRACKER=sample.tracker(), BASE="", LATENCY_GATES="", PREDICTIONS="", GATES="gates.json",
            OPTIONS="--pairing 'nearest'", INCONCLUSIVE="fail", OUTPUT="action")
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=self.repository, env=environment,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        record = json.loads((self.repository / "action/run/record.json").read_text())
        self.assertEqual(record["options"]["pairing"], "nearest")
        self.assertEqual([gate["verdict"] for gate in record["gates"]], ["pass"])


if __name__ == "__main__":
    unittest.main()
