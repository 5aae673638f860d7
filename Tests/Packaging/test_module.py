"""The Python module: datasets from arrays, runs, records, predictions, and the report in a notebook."""

import html
import io
import json
import os
import pathlib
import re
import tempfile
import unittest

import h5py
import numpy as np
from PIL import Image

import facegauge
import sample


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def tracked(self, *arguments):
        """A dataset of one video, and a tracker's predictions of it."""
        dataset = facegauge.to_dataset(
            self.folder / "squares.h5", sample.images(), face_frame=range(12), boxes=sample.BOXES, fps=30, subject="square")
        predictions = self.folder / "out.h5"
        facegauge.command("track", dataset, tracker=sample.tracker(*arguments), output=predictions)
        return dataset, predictions


class DatasetTests(Folder):
    def test_everything_is_written_as_the_program_reads_it(self):
        points = np.arange(12 * 5 * 2, dtype="f8").reshape(12, 5, 2)
        points[3, 4] = np.nan
        pose = np.tile(np.eye(4), (12, 1, 1))
        path = facegauge.to_dataset(
            self.folder / "all.h5", sample.images(), face_frame=np.arange(12), boxes=sample.BOXES,
            landmarks={"five": points}, identity=[7] * 12, ignore=[i == 2 for i in range(12)], poses=pose,
            scores=np.linspace(0, 1, 12), attributes={"yaw": np.zeros(12)}, names=[f"frame {i}" for i in range(12)],
            fps=25, subject="square", name="squares")
        seen = json.loads(facegauge.command("inspect", path, json=True).stdout)
        self.assertEqual((seen["name"], seen["frames"], seen["faces"]), ("squares", 12, 12))
        with h5py.File(path) as file:
            self.assertEqual(file["frames/timestamp_us"][2], 80_000)
            self.assertEqual(file["faces/landmarks/five/visible"][3].tolist(), [2, 2, 2, 2, 0])
            np.testing.assert_array_equal(file["images/pixels"][4], sample.images()[4])

    def test_files_are_stored_unchanged_with_the_sizes_of_their_headers(self):
        files = []
        for kind, size in [("PNG", (31, 17)), ("JPEG", (40, 23))]:
            stream = io.BytesIO()
            Image.new("RGB", size, (90, 120, 150)).save(stream, kind)
            files.append(stream.getvalue())
        (self.folder / "b.jpg").write_bytes(files[1])
        path = facegauge.to_dataset(self.folder / "files.h5", [files[0], self.folder / "b.jpg"], face_frame=[1],
                                    boxes=[[1, 2, 3, 4]])
        with h5py.File(path) as file:
            self.assertEqual(file["images/size"][:].tolist(), [[31, 17], [40, 23]])
            self.assertEqual(file["images/bytes"][:].tobytes(), b"".join(files))

    def test_what_does_not_fit_is_refused_and_leaves_no_file(self):
        images = sample.images()
        for wrong, says in [
            ({"face_frame": [0, 1], "boxes": [[1, 2, 3, 4]]}, "expected boxes of shape [2, 4], found [1, 4]"),
            ({"face_frame": [1, 0], "boxes": [[1, 2, 3, 4]] * 2}, "expected face_frame in ascending order"),
            ({"face_frame": [12], "boxes": [[1, 2, 3, 4]]}, "expected face_frame from 0 to 11, found 12 to 12"),
            ({"names": ["a"]}, "expected 12 names, found 1"),
            ({"face_frame": [0], "boxes": [[1, 2, 3, 4]], "landmarks": {"five": [[1, 2]]}},
             "expected five of shape [1, K, 2 or 3], found [1, 2]"),
        ]:
            with self.assertRaises(ValueError) as caught:
                facegauge.to_dataset(self.folder / "wrong.h5", images, **wrong)
            self.assertEqual(str(caught.exception), says)
        with self.assertRaises(ValueError):
            facegauge.to_dataset(self.folder / "wrong.h5", [b"no image"])
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_the_program_finds_wrong_is_raised_and_leaves_what_was_there(self):
        path = self.folder / "a.h5"
        for before in (None, b"earlier"):
            if before is not None:
                path.write_bytes(before)
            for wrong, says in [
                ({"boxes": [[1, 2, -3, 4]]}, "1 x frame whose rows cannot be read: frame 0 '000000': cannot read "
                 f"'faces/box'[0] in {path}: expected finite numbers and a size that is not negative"),
                ({"boxes": [[1, 2, 3, 4]], "labelled": False},
                 f"cannot read '/' in {path}: expected labelled 1, or 0 without faces"),
            ]:
                with self.assertRaises(facegauge.FaceGaugeError) as caught:
                    facegauge.to_dataset(path, sample.images(), face_frame=[0], **wrong)
                self.assertEqual(caught.exception.status, 65)
                self.assertIn(says, str(caught.exception))
                self.assertNotIn("\n", str(caught.exception))
                self.assertNotIn(f".a.h5.{os.getpid()}", str(caught.exception))
            self.assertEqual(os.listdir(self.folder), [] if before is None else ["a.h5"])
        self.assertEqual(path.read_bytes(), b"earlier")
        facegauge.to_dataset(path, sample.images(), face_frame=[0], boxes=[[1, 2, -3, 4]], check=False)
        self.assertEqual(os.listdir(self.folder), ["a.h5"])


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

    def test_errors_have_the_program_s_line_and_status(self):
        for words, status in [(["evaluate", "missing.h5", "-o", "run"], 66), (["evaluate", "--nothing"], 64)]:
            with self.assertRaises(facegauge.FaceGaugeError) as caught:
                facegauge.command(*words)
            self.assertEqual(caught.exception.status, status)
            self.assertNotIn("\n", str(caught.exception))


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
