"""Results in other tools: OpenMetrics, badges, MLflow, Weights & Biases; histories, rankings and the notebook."""

import json
import os
import pathlib
import subprocess
import sys
import unittest
import unittest.mock
import xml.etree.ElementTree

import facegauge
import sample
from test_module import Folder

SHARED = os.environ.get("FACEGAUGE_SHARED")


class ResultTests(Folder):
    def evaluated(self, folder="run", **options):
        """A run over twelve stills, of which all but one have their face found."""
        dataset = facegauge.to_dataset(
            self.folder / "squares.h5", sample.images(), face_frame=range(12), boxes=sample.BOXES, check=False)
        predictions = facegauge.to_predictions(
            self.folder / "out.h5", dataset, face_frame=range(11), boxes=sample.BOXES[:11], scores=[0.9] * 11)
        return facegauge.evaluate(dataset, self.folder / folder, predictions=predictions, **options)

    def exported(self, run, kind, name, **options):
        facegauge.command("export", kind, run.folder, output=self.folder / name, progress=False, **options)
        return (self.folder / name).read_text(encoding="utf-8")

    def test_openmetrics_have_the_numbers_of_the_record(self):
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
        run = self.evaluated(gates=[{"metric": "faces.recall", "direction": "at_least", "limit": 0.9},
                                    {"metric": "faces.f1", "direction": "at_least", "limit": 1}])
        text = self.exported(run, "openmetrics", "metrics.txt")
        families = {one.name: one for one in text_string_to_metric_families(text)}
        units = {"ms": "milliseconds", "px": "pixels", "°": "degrees", "mm": "millimeters", "rad": "radians"}
        seen = 0
        for one in run.measurements:
            base = "facegauge_" + "".join(c if c.isascii() and c.isalnum() else "_" for c in one.name)
            suffix = f"_{units[one.unit]}" if one.unit in units else ""
            for end, value in [("", one.value), ("_low", one.low), ("_high", one.high)]:
                family = families.get(base + end + suffix)
                found = [] if family is None else [
                    s.value for s in family.samples if s.labels.get("slice") == one.slice and s.labels["dataset"] == "squares"]
                self.assertEqual(found, [] if value is None else [value], one.name + end)
                seen += len(found)
        self.assertGreater(seen, 50)
        verdicts = {(s.labels["metric"], s.labels["facegauge_gate"]): s.value for s in families["facegauge_gate"].samples}
        self.assertEqual({key for key, value in verdicts.items() if value}, {("faces.recall", "pass"), ("faces.f1", "fail")})
        self.assertEqual(families["facegauge_suspect_findings"].samples[0].value, 0)
        self.assertEqual(families["facegauge_run"].samples[0].labels["kind"], "evaluation")
        self.assertGreater(families["facegauge_run_start_time_seconds"].samples[0].value, 1.7e9)

    def test_the_response_of_a_function_is_the_gain_that_it_has(self):
        import numpy as np
        labels = np.random.default_rng(4).uniform(0, 1, (12, len(facegauge.BLENDSHAPES)))
        jaw = facegauge.BLENDSHAPES.index("jawOpen")
        labels[:, :jaw] = labels[:, jaw + 1:] = 0
        dataset = facegauge.to_dataset(
            self.folder / "squares.h5", sample.images(), face_frame=range(12), boxes=sample.BOXES, check=False,
            blendshapes=labels, blendshape_names=facegauge.BLENDSHAPES)
        seen = iter(range(12))

        def half(image, time):
            index = next(seen)
            return [{"box": sample.BOXES[index], "score": 0.9, "blendshapes": 0.125 + labels[index] / 2}]

        run = facegauge.evaluate(dataset, self.folder / "run", tracker=half)
        result = facegauge.response(run, self.folder / "response", resamples=50)
        self.assertAlmostEqual(result.table().loc["jawOpen", "gain"], 0.5, 5)
        self.assertAlmostEqual(result.table().loc["jawOpen", "offset"], 0.125, 5)
        self.assertAlmostEqual(result.matrix().loc["jawOpen", "jawOpen"], 0.5, 5)
        self.assertEqual(len(result.record["left_out"]), 50)
        summary = self.folder / "summary.md"
        with unittest.mock.patch.dict(os.environ, GITHUB_STEP_SUMMARY=str(summary)):
            again = facegauge.response(run, self.folder / "again", base=run, resamples=50, gates=[
                {"metric": "response.gain", "max_worsening": 0},
                {"metric": "response.gain", "slice": "coefficient=jawOpen", "direction": "at_least", "limit": 0.6}])
        lines = summary.read_text(encoding="utf-8")
        self.assertTrue(lines.startswith("# FaceGauge response: "), lines)
        self.assertIn("| `response.gain` | coefficient=jawOpen | 0.500 | at least 0.6 |", lines)
        self.assertNotIn("What else moves", lines)
        self.assertEqual((again.verdict, [gate["verdict"] for gate in again.gates]), ("fail", ["pass", "fail"]))
        self.assertEqual(again.changes().set_index(["metric", "slice"]).difference.abs().max(), 0)
        self.assertEqual((result.verdict, result.gates, len(result.changes())), (None, [], 0))

    def test_a_tracker_of_bright_squares_follows_every_transformation(self):
        dataset = facegauge.to_dataset(self.folder / "squares.h5", sample.images(), labelled=False, check=False)
        suite = facegauge.transform(dataset, self.folder / "suite.h5", by="mirror,turn-90,repeat")

        def bright(image, time):
            rows, columns = (image[..., 0] > 128).any(1).nonzero()[0], (image[..., 0] > 128).any(0).nonzero()[0]
            box = [columns[0], rows[0], columns[-1] + 1 - columns[0], rows[-1] + 1 - rows[0]]
            return [{"box": box, "score": 0.9, "blendshapes": {"jawOpen": 0.5, "eyeBlinkLeft": 0.25, "eyeBlinkRight": 0.5}}]

        run = facegauge.evaluate(suite, self.folder / "run", tracker=bright)
        result = facegauge.equivariance(run, self.folder / "equivariance", resamples=50)
        table = result.table()
        self.assertEqual(list(table.index), ["mirror", "turn-90", "repeat"])
        self.assertEqual((table.faces.tolist(), table.lost.tolist()), ([12, 12, 12], [0, 0, 0]))
        found = result.coefficients().set_index(["name", "coefficient"]).difference
        self.assertAlmostEqual(found["mirror", "eyeBlinkLeft"], 0.25, 6)
        self.assertAlmostEqual(found["mirror", "eyeBlinkRight"], -0.25, 6)
        self.assertEqual(found["turn-90"].abs().max(), 0)

    def test_a_badge_says_value_and_interval_in_the_colour_of_its_gate(self):
        seen = {}
        for limit in [None, 0.5, 1]:
            gates = None if limit is None else [{"metric": "faces.recall", "direction": "at_least", "limit": limit}]
            run = self.evaluated(f"run{limit}", gates=gates)
            svg = xml.etree.ElementTree.fromstring(self.exported(run, "badge", "a.svg", metric="faces.recall", force=True))
            name = "{http://www.w3.org/2000/svg}"
            self.assertRegex(svg.find(f"{name}title").text, r"^Recall of faces: 0\.917 \(0\.\d+ to 0\.\d+\)$")
            seen[limit] = svg.find(f"{name}path").get("fill")
        self.assertEqual(len(set(seen.values())), 3, seen)

    def test_what_cannot_be_exported_is_one_line(self):
        run = self.evaluated()
        for words, status, text in [
                (["badge", run.folder, "-o", "a.svg", "--metric", "faces.recal"], 65, "perhaps 'faces.recall'"),
                (["badge", run.folder, "-o", run.folder / "record.json", "--force"], 73, "other than the input"),
                (["openmetrics", run.folder, "-o", "none/a.txt"], 73, "no folder"),
                (["openmetrics", self.folder / "gone", "-o", "a.txt"], 66, "gone"),
                (["openmetrics", self.folder / "squares.h5", "-o", "a.txt"], 64, "requires the folder of a run"),
                (["openmetrics", run.folder, "-o", "a.txt", "--metric", "faces.recall"], 64, "no effect on openmetrics")]:
            with self.subTest(words=words), self.assertRaises(facegauge.FaceGaugeError) as caught:
                facegauge.command("export", *words, progress=False)
            self.assertEqual(caught.exception.status, status)
            self.assertIn(text, str(caught.exception))

    def test_mlflow_and_wandb_have_the_numbers_of_the_run(self):
        run = self.evaluated()
        expected = {"faces.recall": run["faces.recall"].value, "faces.recall.low": run["faces.recall"].low}
        script = f"""
import json, mlflow, wandb, facegauge
run = facegauge.Run({str(run.folder)!r})
try:
    run.log_to_wandb()
except RuntimeError as error:
    assert "wandb.init" in str(error)
mlflow.set_tracking_uri("file:mlruns")
with mlflow.start_run() as active:
    run.log_to_mlflow()
data = mlflow.get_run(active.info.run_id).data
with wandb.init(mode="offline") as logged:
    run.log_to_wandb()
    summary, config = dict(logged.summary), dict(logged.config)
names = [one.path for one in mlflow.artifacts.list_artifacts(run_id=active.info.run_id, artifact_path="facegauge")]
print(json.dumps([data.metrics, data.params, names, {{k: v for k, v in summary.items() if k in data.metrics}}, config]))
"""
        done = subprocess.run([sys.executable, "-c", script], cwd=self.folder, capture_output=True, text=True, env={
            **os.environ, "WANDB_SILENT": "true", "MLFLOW_ALLOW_FILE_STORE": "true", "HOME": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        metrics, params, names, summary, config = json.loads(done.stdout.strip().splitlines()[-1])
        self.assertEqual(expected, {name: metrics[name] for name in expected})
        self.assertEqual(metrics, summary)
        self.assertEqual(params, {key: str(value) for key, value in run.record["options"].items()})
        self.assertEqual(config["facegauge.dataset"], "squares")
        self.assertEqual({pathlib.Path(name).name for name in names}, {"record.json", "report.html", "report.md"})

    def test_histories_and_rankings_are_tables(self):
        run = self.evaluated()
        again = facegauge.compare(run, run, resamples=100).metrics()
        self.assertEqual(again.query("name == 'faces.recall' and slice.isna()")["difference"].tolist(), [0])
        for day in range(12):
            folder = self.folder / f"night{day:02}"
            folder.mkdir()
            record = {**run.record, "created": f"2026-10-{day + 1:02}T00:00:00Z"}
            for row in record["measurements"]:
                if row["name"] == "faces.recall" and row["slice"] is None:
                    row["value"] = 0.7 if day == 11 else 0.95
            (folder / "record.json").write_text(json.dumps(record))
        nights = sorted(self.folder.glob("night*"))
        # Runs of one second are in the order in which they are given.
        for given in [["night10", "night11"], ["night11", "night10"]]:
            for name in given:
                record = json.loads((self.folder / name / "record.json").read_text()) | {"created": "2026-11-01T00:00:00Z"}
                (self.folder / f"same-{name}").mkdir(exist_ok=True)
                (self.folder / f"same-{name}" / "record.json").write_text(json.dumps(record))
            values = facegauge.history(*(self.folder / f"same-{name}" for name in given), metric="faces.recall").table()["faces.recall"]
            self.assertEqual(values.tolist(), [0.95, 0.7] if given[0] == "night10" else [0.7, 0.95])
        history = facegauge.history(*nights, metric="faces.recall", progress=False)
        self.assertEqual(history.verdict, "fail")
        self.assertEqual(history.table()["faces.recall"].tolist(), [0.95] * 11 + [0.7])
        self.assertEqual(facegauge.history(*nights[:11], metric="faces.recall").verdict, "pass")
        self.assertEqual(facegauge.history(run).verdict, "inconclusive")
        stages = facegauge.history(*sorted((sample.ROOT / "Reports/Baselines").glob("*.json")))
        self.assertEqual(stages.table().shape, (len(stages.record["runs"]), 3 + len(stages.record["lines"])))
        ranking = facegauge.compare(run, run, run, resamples=100)
        row = ranking.metrics().query("name == 'faces.recall'")
        self.assertEqual((row["value"].tolist(), set(row["best_rank"]), set(row["worst_rank"])), ([11 / 12] * 3, {1}, {3}))
        # Neither takes gates.
        self.assertEqual((ranking.gates, history.gates), ([], []))


@unittest.skipUnless(SHARED, "FACEGAUGE_SHARED names no folder")
class NotebookTests(Folder):
    def test_the_notebook_measures_a_detector(self):
        import nbclient
        import nbformat
        notebook = nbformat.read(sample.ROOT / "Reports/notebook/own_detector.ipynb", as_version=4)
        os.environ.update(IMAGES=f"{SHARED}/data/helen68/testset", BUNDLE=f"{SHARED}/models/face_landmarker.task")
        nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(self.folder)}}).execute()
        texts = [output["data"]["text/plain"] if "data" in output else output.get("text", "")
                 for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
                 if output.get("name") != "stderr"]
        shown = "\n".join(texts)
        # OpenCV finds 62 of 70 faces and 35 others; MediaPipe finds all.
        self.assertRegex(shown, r"faces\.recall +0\.8\d+ +0\.7\d+ +0\.9")
        self.assertRegex(shown, r"faces\.recall +0\.8\d+ +1\.0")
        self.assertRegex(shown, r"'run': (19|20|21|22)\b")
        self.assertIn("fail at night 20", shown)


if __name__ == "__main__":
    unittest.main()
