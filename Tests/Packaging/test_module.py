"""The Python module: datasets and predictions from arrays, functions as trackers, runs, tables, the report in a notebook."""

import contextlib
import html
import io
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import h5py
import numpy as np

import facegauge
from facegauge import tracking
import sample


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def dataset(self, **more):
        return facegauge.to_dataset(
            self.folder / "squares.h5", sample.images(), face_frame=range(12), boxes=sample.BOXES, **more)

    def tracked(self, *arguments):
        """A dataset of one video, and a tracker's predictions of it."""
        dataset = facegauge.to_dataset(
            self.folder / "squares.h5", sample.images(), face_frame=range(12), boxes=sample.BOXES, fps=30, subject="square")
        predictions = self.folder / "out.h5"
        facegauge.command("track", dataset, tracker=sample.tracker(*arguments), output=predictions)
        return dataset, predictions


class RunTests(Folder):
    def test_a_tracker_that_is_right_scores_1_and_one_that_is_not_fails_its_gate(self):
        gates = [{"metric": "detection.ap50", "direction": "at_least", "limit": 0.9}]
        for wider, verdict in [("0", "pass"), ("60", "fail")]:
            dataset, predictions = self.tracked(wider)
            run = facegauge.evaluate(dataset, predictions=predictions, gates=gates)
            self.assertEqual(run.verdict, verdict)
            self.assertEqual([gate["verdict"] for gate in run.gates], [verdict])
            self.assertEqual(run["detection.ap50"].value, 1 if verdict == "pass" else 0)
            (self.folder / "out.h5").unlink()

    def test_a_budget_another_build_and_shards_have_a_verdict_too(self):
        def ended(name, *words, output=None, **options):
            folder = pathlib.Path(output or words[0])
            folder.mkdir()
            (folder / "record.json").write_text(json.dumps(record))
            return subprocess.CompletedProcess([], 2, "", "")

        for number, (record, verdict) in enumerate([({"gates": [{"verdict": "fail"}]}, "fail"), ({"gates": []}, None)]):
            with unittest.mock.patch("facegauge.command", side_effect=ended):
                timed = facegauge.profile("clip.h5", self.folder / f"timed{number}", budget="pipeline.p95=4ms")
                joined = facegauge.join(self.folder / f"joined{number}")
            self.assertEqual((timed.verdict, joined.verdict), (verdict, verdict))
        record = {"gates": [], "sweep": {"parameters": []}}
        with unittest.mock.patch("facegauge.command", side_effect=ended):
            self.assertIsInstance(facegauge.join(self.folder / "swept"), facegauge.Sweep)

    def test_suspect_numbers_are_shown_with_a_warning(self):
        dataset, _ = self.tracked()
        corners = np.array(sample.BOXES, "f8")
        corners[:, 2:] += corners[:, :2]
        wrong = facegauge.to_predictions(self.folder / "corners.h5", dataset, face_frame=range(12), boxes=corners)
        with self.assertWarnsRegex(facegauge.FaceGaugeWarning, "--repair corners"):
            run = facegauge.evaluate(dataset, predictions=wrong)
        self.assertIn("\n  suspect: ", repr(run))
        for one in run.measurements:
            if one.value is None and one.slice is None and one.name in run.record["headlines"]:
                self.assertIn(f"{one.title}: undefined: {one.reason}", repr(run))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            accepted = facegauge.evaluate(dataset, predictions=wrong, accept=[one.name for one in run.findings])
        self.assertNotIn("suspect", repr(accepted))

    def test_numbers_are_those_of_the_record_and_predictions_those_of_the_tracker(self):
        dataset, predictions = self.tracked()
        run = facegauge.evaluate(dataset, self.folder / "run", predictions=predictions)
        self.assertIsNone(run.verdict)
        record = json.loads((self.folder / "run/record.json").read_text())
        self.assertEqual([m.name for m in run.measurements], [row["name"] for row in record["measurements"]])
        latency = run["latency.total.p50"]
        self.assertEqual(latency.unit, "ms")
        self.assertGreater(latency.value, 0)
        undefined = next(m for m in run.measurements if m.value is None)
        self.assertTrue(undefined.reason)
        with run.predictions as file:
            np.testing.assert_array_equal(file["faces/box"][:], np.array(sample.BOXES, "f4"))
        with self.assertRaises(KeyError):
            run["detection.nothing"]
        self.assertEqual(facegauge.Run(self.folder / "run").record, record)

    def test_a_run_without_a_folder_goes_with_its_value(self):
        dataset, predictions = self.tracked()
        run = facegauge.evaluate(dataset, predictions=predictions)
        folder = run.folder
        self.assertTrue((folder / "report.html").exists())
        del run
        self.assertFalse(folder.exists())

    def test_what_makes_no_run_is_left_to_the_command(self):
        with unittest.mock.patch("facegauge.command") as asked:
            for refused in (lambda: facegauge.evaluate("faces.h5", shard="0/4"), lambda: facegauge.join("run", missing=True),
                            lambda: facegauge.sweep("faces.h5", "run", thresholds={"num_faces": [1]}, shard="0/4")):
                with self.assertRaisesRegex(ValueError, "makes no run"):
                    refused()
        asked.assert_not_called()

    def test_errors_have_the_program_s_line_and_status(self):
        for words, status in [(["evaluate", "missing.h5", "-o", "run"], 66), (["evaluate", "--nothing"], 64)]:
            with self.assertRaises(facegauge.FaceGaugeError) as caught:
                facegauge.command(*words)
            self.assertEqual(caught.exception.status, status)
            self.assertNotIn("\n", str(caught.exception))


def bright(image, time):
    """The tracker of brightness_tracker.py as a function."""
    rows, columns = np.nonzero(image.min(axis=2) > 128)
    if not len(rows):
        return None
    left, top = columns.min(), rows.min()
    return np.array([[left, top, columns.max() + 1 - left, rows.max() + 1 - top, 0.9]])


class TrackingTests(Folder):
    def test_a_function_gives_what_the_same_program_gives(self):
        dataset, program = self.tracked()
        own = facegauge.track(dataset, bright, self.folder / "own.h5")
        with h5py.File(program) as first, h5py.File(own) as second:
            for table in ("faces/frame", "faces/box", "faces/kept", "detections/box", "detections/frame", "frames/status"):
                np.testing.assert_array_equal(first[table][:], second[table][:], table)
            self.assertGreater(second["frames/stage_ns"][:].min(), 0)
        run = facegauge.evaluate(dataset, tracker=bright)
        self.assertEqual(run["faces.recall"].value, 1)
        self.assertEqual(run["faces.recall"].n, 12)

    def test_frames_come_in_order_with_their_times_and_resets(self):
        seen = []

        class Counting:
            name, settings = "counting 2", {"floor": 128}

            def reset(self):
                seen.append("reset")

            def __call__(self, image, time):
                seen.append(time)
                self.last = image
                return np.zeros((0, 5))

        tracker = Counting()
        path = facegauge.track(self.dataset(fps=10, subject="square"), tracker, self.folder / "video.h5")
        self.assertEqual(seen, ["reset", *(number / 10 for number in range(12))])
        np.testing.assert_array_equal(tracker.last, sample.images()[11])
        with h5py.File(path) as file:
            self.assertIn("floor=128", [str(one, "utf-8") if isinstance(one, bytes) else one for one in file.attrs["options"]])
            self.assertEqual(len(file["faces/frame"]), 0)
        seen.clear()
        (self.folder / "squares.h5").unlink()
        facegauge.track(self.dataset(), tracker, self.folder / "stills.h5")
        self.assertEqual(seen, ["reset", None] * 12)

    def test_broken_images_and_slow_answers_are_matters_of_the_tracker(self):
        stopped = facegauge.FaceGaugeError(65, "not run")
        with unittest.mock.patch("facegauge.track", side_effect=stopped) as asked, self.assertRaises(facegauge.FaceGaugeError):
            facegauge.evaluate(self.dataset(), tracker=bright, mode="image", max_bad_frames=3, time_limit=300, resamples=0)
        self.assertEqual(asked.call_args.kwargs, {
            "scheme": None, "progress": None, "mode": "image", "max_bad_frames": 3, "time_limit": 300})

    def test_what_an_evaluation_does_not_take_is_refused_before_anything_is_tracked(self):
        dataset = self.dataset()
        for options, says in [({"num_faces": 5}, "'--num-faces' applies to the pipeline"), ({"resample": 0}, "--resample"),
                              ({"resamples": -1}, "--resamples"), ({"calibration": self.folder / "none.json"}, "none.json"),
                              ({"gates": self.folder / "gone.json"}, "gone.json"), ({"base": "nowhere"}, "nowhere")]:
            with unittest.mock.patch("facegauge.track") as asked, self.assertRaises(facegauge.FaceGaugeError) as caught:
                facegauge.evaluate(dataset, tracker=bright, **options)
            asked.assert_not_called()
            self.assertIn(says, str(caught.exception))
        stopped = facegauge.FaceGaugeError(65, "not run")
        with unittest.mock.patch("facegauge.track", side_effect=stopped) as asked, self.assertRaises(facegauge.FaceGaugeError):
            facegauge.evaluate(dataset, tracker=bright, base=dataset, gates=[{"metric": "faces.f1", "max_worsening": 0.1}])
        asked.assert_called_once()

    def test_all_that_a_face_can_have_arrives(self):
        points = np.arange(136, dtype="f8").reshape(68, 2) + 0.25
        points[5] = np.nan
        face = {"points": points, "score": 0.5, "presence": 0.75, "identity": 7, "blendshapes": {"jawOpen": 0.25},
                "transform": np.eye(4), "attributes": {"AU12": 1.5, "AU14": float("nan")}, "tracked": np.bool_(True),
                "hidden": np.zeros(68, bool)}
        path = facegauge.track(self.dataset(fps=30), lambda image, time: [face], self.folder / "all.h5", scheme="ibug68")
        with h5py.File(path) as file:
            np.testing.assert_array_equal(file["faces/landmarks/ibug68/points"][3][:, :2], points.astype("f4"))
            self.assertEqual((file["faces/identity"][0], file["faces/presence"][0]), (7, 0.75))
            names = [str(one) for one in file["faces/blendshapes"].attrs["names"]]
            self.assertEqual(file["faces/blendshapes"][0][names.index("jawOpen")], 0.25)
            self.assertEqual((file["faces/attributes/AU12"][0], file["faces/tracked"][0]), (1.5, 1))
            np.testing.assert_array_equal(file["faces/pose"][0], np.eye(4))

    def test_whether_a_point_is_hidden_may_be_unknown(self):
        face = {"box": [1, 2, 3, 4], "hidden": np.array([np.nan, 0, 1])}
        self.assertEqual(tracking.faces([face], "five", np)[0]["hidden"], [None, False, True])

    def test_what_a_function_raises_is_raised_and_leaves_nothing(self):
        dataset, told = self.dataset(), self.folder / "out.h5"

        def fails(image, time):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            facegauge.track(dataset, fails, told)
        for tracker, error, says in [
            (lambda image, time: [{"bx": [1, 2, 3, 4]}], ValueError, "expected the keys of a face, found 'bx'"),
            (lambda image, time: np.zeros((2, 6)), ValueError, "expected boxes of shape [n, 4], or [n, 5] with scores, found [2, 6]"),
            (lambda image, time: [{"points": np.zeros((5, 2))}], ValueError, "expected the scheme of the points"),
            (lambda image, time: [[1, 2, 3, 4]], TypeError, "expected a mapping for each face"),
            (lambda image, time: [{"box": [1, 2, 3]}], facegauge.FaceGaugeError, "expected"),
        ]:
            with self.assertRaises(error) as caught:
                facegauge.track(dataset, tracker, told)
            self.assertIn(says, str(caught.exception))
        with self.assertRaisesRegex(ValueError, r"expected points of shape \[K, 2\] or \[K, 3\], found \[2, 5\]"):
            facegauge.track(dataset, lambda image, time: [{"points": np.ones((2, 5))}], told, scheme="five")
        with self.assertRaises(facegauge.FaceGaugeError) as caught:
            facegauge.evaluate(dataset, self.folder, tracker=fails)
        self.assertEqual(caught.exception.status, 73)
        self.assertEqual(os.listdir(self.folder), ["squares.h5"])

    def test_interrupts_and_slow_functions_leave_no_process_and_no_file(self):
        dataset = self.dataset()
        # A job in the background is started with interrupts ignored, a child of a thread perhaps with them blocked.
        script = ("import facegauge, os, signal, sys, time\n"
                  "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
                  "signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})\n"
                  "def slow(image, time_s):\n"
                  "    if sys.argv[2] == 'interrupt': os.kill(os.getpid(), signal.SIGINT)\n"
                  "    time.sleep(3)\n"
                  "print(os.getpid(), flush=True)\n"
                  "try: facegauge.track(sys.argv[1], slow, 'slow.h5', time_limit=60 if sys.argv[2] == 'interrupt' else 1)\n"
                  "except (KeyboardInterrupt, facegauge.FaceGaugeError) as error: print(type(error).__name__, error)\n"
                  "left = [one for one in os.listdir('/proc') if one.isdigit() and\n"
                  "        'slow.h5' in open(f'/proc/{one}/cmdline').read() and int(one) != os.getpid()]\n"
                  "print(left)\n")
        for way, says in [("interrupt", "KeyboardInterrupt"), ("late", "FaceGaugeError cannot track")]:
            done = subprocess.run([sys.executable, "-c", script, dataset, way], capture_output=True, text=True, cwd=self.folder)
            lines = done.stdout.splitlines()
            self.assertTrue(lines[1].startswith(says), done.stdout + done.stderr)
            self.assertEqual(lines[2], "[]")
            self.assertEqual(os.listdir(self.folder), ["squares.h5"])


class TableTests(Folder):
    def test_tables_count_what_the_record_counts(self):
        dataset, predictions = self.tracked()
        halved = facegauge.to_predictions(
            self.folder / "halved.h5", dataset, face_frame=range(12), boxes=np.array(sample.BOXES) / 2,
            scores=np.linspace(0.9, 0.6, 12), mode="video")
        for own, recall in [(predictions, 1), (halved, 0)]:
            run = facegauge.evaluate(dataset, predictions=own)
            faces, frames, metrics = run.faces(), run.frames(), run.metrics()
            self.assertEqual(run["faces.recall"].value, recall)
            self.assertEqual((faces["face"] == "found").sum(), 12 * recall)
            self.assertEqual(frames[["labelled", "found", "missed"]].sum().tolist(), [12, 12 * recall, 12 - 12 * recall])
            self.assertEqual(frames["false"].sum(), 0 if recall else 12)
            self.assertEqual(frames["frame"].tolist(), list(range(12)))
            self.assertEqual(metrics.set_index("name").loc["faces.recall", "value"], recall)
            self.assertEqual(len(metrics), len(run.measurements))
        self.assertTrue(np.isnan(frames["total_ms"]).all())
        # A frame that was not analysed, and then a detector alone.
        for unknown in [[3], list(range(12))]:
            faces["face"] = faces["face"].mask(faces["frame"].isin(unknown))
            with unittest.mock.patch.object(run, "faces", return_value=faces):
                frames = run.frames()
            for name in ["found", "missed", "false"]:
                self.assertEqual(frames["frame"][frames[name].isna()].tolist(), unknown)
            self.assertEqual(frames["labelled"].tolist(), [1] * 12)
        names = [one.name for one in facegauge.check(dataset, halved) if one.severity == "suspect"]
        self.assertEqual(names, ["coordinates.scale"])
        self.assertEqual([one.name for one in run.findings if one.severity == "suspect"], names)
        self.assertIn("--repair scale=2", facegauge.check(dataset, halved)[0].remedy)

    def test_names_that_pandas_takes_for_none_stay(self):
        names = ["NA", "None", "nan", "null", *(f"{number}.png" for number in range(8))]
        dataset = self.dataset(names=names)
        predictions = facegauge.to_predictions(
            self.folder / "named.h5", dataset, face_frame=range(12), boxes=sample.BOXES, scores=[0.9] * 12)
        run = facegauge.evaluate(dataset, predictions=predictions)
        self.assertEqual(list(dict.fromkeys(run.faces()["name"])), names)
        self.assertEqual(run.frames()["name"].tolist(), names)

    def test_one_finding_or_several_are_accepted(self):
        done = subprocess.CompletedProcess([], 0, "[]", "")
        for accept in ("coordinates.scale", ["coordinates.scale"]):
            with unittest.mock.patch("facegauge.command", return_value=done) as asked:
                facegauge.check("faces.h5", "ours.h5", accept=accept)
            self.assertEqual(asked.call_args.args, ("check", "faces.h5", "ours.h5", "--accept", "coordinates.scale"))

    def test_two_runs_are_compared(self):
        dataset, predictions = self.tracked()
        runs = [facegauge.evaluate(dataset, predictions=predictions) for _ in range(2)]
        comparison = facegauge.compare(*runs, resamples=100)
        self.assertEqual({one["outcome"] for one in comparison.record["differences"]} & {"better", "worse"}, set())
        self.assertIn("<!DOCTYPE html>", html.unescape(comparison._repr_html_()))

    def test_the_version_is_the_program_s(self):
        self.assertEqual("facegauge " + facegauge.__version__, facegauge.command("--version").stdout.strip())
        with self.assertRaises(AttributeError):
            facegauge.nothing

    def test_the_module_is_typed(self):
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(sample.ROOT / "Sources/Packaging/Python/facegauge"),
                               "--cache-dir", str(self.folder)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_progress_is_shown_where_it_is_asked_for(self):
        script = ("import facegauge, sys; facegauge.running._Shown.__init__ = lambda self: setattr(self, '_begin', -9)\n"
                  "try: facegauge.command('evaluate', 'none.h5', output='run', progress=True)\n"
                  "except facegauge.FaceGaugeError as error: print(error)")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.stdout, "cannot open none.h5: no such file\n")
        self.assertIn("cannot open none.h5: no such file", done.stderr)

    def test_without_pseudo_terminals_no_progress_is_shown(self):
        with unittest.mock.patch("pty.openpty", side_effect=OSError("out of pty devices")):
            done = facegauge.command("--version", progress=True)
        self.assertEqual(done.stdout.strip(), "facegauge " + facegauge.__version__)


class GuideTests(Folder):
    def test_the_code_of_the_guide_runs(self):
        guide = sample.ROOT / "Sources/facegauge/Guides.docc/UsingPython.md"
        blocks = re.findall(r"```python\n(.*?)```", guide.read_text(), re.S)
        self.assertEqual(len(blocks), 6)
        names = {"images": sample.images()[:3], "boxes": sample.BOXES[:3], "found": [sample.BOXES[0], sample.BOXES[2]],
                 "scores": [0.9, 0.6], "my_model": lambda image: [(row[:4], row[4]) for row in bright(image, None)]}
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                for block in blocks:
                    if "trackers.mediapipe" not in block and "mlflow" not in block:
                        # Runs of three images have no comparison with p.
                        exec(block.replace("facegauge.compare(run, again)", "facegauge.compare(run, again, resamples=100)"), names)
                named = re.findall(r"`command(\(.*?\))`", facegauge.command.__doc__)
                self.assertEqual(len(named), 1)
                calls = re.findall(r"`facegauge\.command(\(.*?\))`", guide.read_text()) + named
                for call in (f"facegauge.command{words}" for words in calls):
                    exec(call, names)
        finally:
            os.chdir(before)
        self.assertEqual(len(names["faces"]), 3)
        self.assertEqual(names["again"].verdict, "fail")
        self.assertEqual(names["again"]["faces.recall"].value, 2 / 3)
        self.assertEqual(len(names["sweep"].table()), 3)

    def test_the_example_of_the_protocol_is_a_tracker(self):
        guide = sample.ROOT / "Sources/facegauge/Guides.docc/TrackerProtocol.md"
        [code] = re.findall(r"```python\n(.*?)```", guide.read_text(), re.S)
        (self.folder / "tracker.py").write_text(code)
        (self.folder / "mine.py").write_text("def my_model(image):\n    return [((1, 2, 30, 40), image.shape[0] / 240)]\n")
        dataset = facegauge.to_dataset(self.folder / "few.h5", sample.images()[:3])
        told = facegauge.track(dataset, shlex.join([sys.executable, str(self.folder / "tracker.py")]),
                               self.folder / "told.h5")
        with h5py.File(told) as file:
            self.assertEqual(file["faces/box"][0].tolist(), [1, 2, 30, 40])
            self.assertEqual(file["detections/score"][0], 0.5)
            self.assertEqual(file["frames/stage_ns"].attrs["stages"].tolist(), ["total"])


class NotebookTests(Folder):
    def test_a_cell_shows_the_report(self):
        import nbclient
        import nbformat
        dataset, predictions = self.tracked()
        cell = f"import facegauge\nfacegauge.evaluate({str(dataset)!r}, predictions={str(predictions)!r})"
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
        nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(self.folder)}}).execute()
        [output] = notebook.cells[0].outputs
        self.assertIn("AP at IoU .50: 1", output["data"]["text/plain"])
        shown = output["data"]["text/html"]
        page = html.unescape(re.search(r'srcdoc="([^"]*)"', shown).group(1))
        self.assertTrue(page.lstrip().startswith("<!DOCTYPE html>"), page[:80])
        self.assertIn("AP at IoU .50", page)
        self.assertTrue(page.rstrip().endswith("</html>"))


if __name__ == "__main__":
    unittest.main()
