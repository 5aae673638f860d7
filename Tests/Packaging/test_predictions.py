"""Predictions from arrays, and sweeps over them."""

import json
import os
import unittest
import unittest.mock

import h5py
import numpy as np

import facegauge
import sample
from test_module import Folder


class PredictionsTests(Folder):
    def test_arrays_give_the_numbers_of_the_same_tracker(self):
        dataset, tracked = self.tracked()
        path = facegauge.to_predictions(
            self.folder / "arrays.h5", dataset, face_frame=range(12), boxes=sample.BOXES, scores=0.9 - np.arange(12) / 1000,
            milliseconds=np.full(12, 2.5), mode="video")
        first, second = (facegauge.evaluate(dataset, predictions=one) for one in (tracked, path))
        for one in first.measurements:
            if not one.name.startswith("latency") and one.slice is None:
                other = second[one.name]
                self.assertEqual((one.value, one.low, one.high), (other.value, other.low, other.high), one.name)
        self.assertEqual(second["latency.total.p50"].value, 2.5)

    def test_points_span_boxes_and_all_tables_are_read(self):
        dataset, _ = self.tracked()
        corners = np.array([[[x, y], [x + w, y + h]] for x, y, w, h in sample.BOXES], "f8")
        points = np.concatenate([corners, np.repeat(corners[:, :1], 66, axis=1)], axis=1)
        path = facegauge.to_predictions(
            self.folder / "points.h5", dataset, face_frame=np.arange(12), points=points, scheme="ibug68",
            scores=np.linspace(0.9, 0.1, 12), presences=np.ones(12), identity=np.ones(12, int), poses=np.tile(np.eye(4), (12, 1, 1)),
            blendshapes=np.zeros((12, 52)), blendshape_names=facegauge.BLENDSHAPES, attributes={"AU12": np.ones(12)},
            settings={"size": 640})
        run = facegauge.evaluate(dataset, predictions=path, min_face_detection_confidence=0)
        self.assertEqual(run["faces.recall"].value, 1)
        sweep = facegauge.sweep(dataset, predictions=path, resamples=0,
                                thresholds={"min_face_detection_confidence": [0.1, 0.5]})
        table = sweep.table()
        self.assertEqual(table["min_face_detection_confidence"].tolist(), [0.1, 0.5])
        self.assertEqual(table["recall"].tolist(), [1, 0.5])
        self.assertEqual(sweep.settings["min_face_detection_confidence"], 0.5)  # kept: nothing was tested

    def test_thresholds_keep_the_names_of_rules_and_twelve_digits(self):
        stopped = facegauge.FaceGaugeError(64, "not run")
        with unittest.mock.patch("facegauge.command", side_effect=stopped) as asked, self.assertRaises(facegauge.FaceGaugeError):
            facegauge.sweep("faces.h5", thresholds={
                "min_face_detection_confidence": [0.1 + 0.2, 1234567.5], "expression:wide_smile": "0.1:0.5:0.1"})
        self.assertEqual(asked.call_args.kwargs["threshold"], [
            "min-face-detection-confidence=0.3,1234567.5", "expression:wide_smile=0.1:0.5:0.1"])

    def test_own_boxes_count_where_points_span_no_face_and_known_points_make_others(self):
        dataset, _ = self.tracked()
        boxes = np.array(sample.BOXES, "f8")
        inner = boxes[:, None, :2] + boxes[:, None, 2:] * np.linspace(0.4, 0.6, 6)[None, :, None]
        partly = np.stack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]] * 34, axis=1)
        partly[:, 60:] = np.nan
        for name, given in [
                ("five", {"boxes": boxes, "points": inner[:, :5]}), ("dlib5", {"boxes": boxes, "points": inner[:, :5]}),
                ("blazeface6", {"boxes": boxes, "points": inner}), ("ibug68", {"points": partly})]:
            path = facegauge.to_predictions(self.folder / f"{name}.h5", dataset, face_frame=range(12), scheme=name, **given)
            with h5py.File(path) as file:
                np.testing.assert_array_equal(file["faces/box"][:], boxes, name)
            self.assertEqual(facegauge.evaluate(dataset, predictions=path, resamples=0)["faces.recall"].value, 1, name)

    def test_known_points_span_boxes_and_points_of_eyes_nose_and_mouth_leave_the_given_ones(self):
        dataset, _ = self.tracked()
        boxes = np.array(sample.BOXES, "f8")
        points = np.full((12, 68, 2), np.nan)
        points[:, 5:34] = (boxes[:, :2] + boxes[:, 2:] / 2)[:, None]
        points[:, 34], points[:, 35] = boxes[:, :2], boxes[:, :2] + boxes[:, 2:]
        points[:6, :5] = points[:6, 5:10]

        def stored(**given):
            path = facegauge.to_predictions(self.folder / "partial.h5", dataset, face_frame=np.arange(12), **given)
            with h5py.File(path) as file:
                return path, file["faces/box"][:]

        path, found = stored(points=points, scheme="ibug68")
        np.testing.assert_array_equal(found, boxes)
        self.assertEqual(facegauge.evaluate(dataset, predictions=path)["faces.recall"].value, 1)
        # Of the last faces fewer than half of the points are known.
        _, found = stored(points=points, scheme="ibug68", boxes=boxes + 1)
        np.testing.assert_array_equal(found, np.concatenate([boxes[:6], boxes[6:] + 1]))
        for scheme, count in [("five", 5), ("dlib5", 5), ("blazeface6", 6)]:
            inner = points[:, 30:30 + count]
            own = boxes.copy()
            own[0] = np.nan
            path, found = stored(points=inner, scheme=scheme, boxes=own)
            self.assertTrue(np.isfinite(found[0]).all())
            np.testing.assert_array_equal(found[1:], boxes[1:])
            if scheme == "blazeface6":
                run = facegauge.evaluate(dataset, predictions=path)
                self.assertGreaterEqual(run["faces.recall"].value, 11 / 12)

    def test_blendshapes_go_by_their_names_and_need_no_box(self):
        dataset, _ = self.tracked()
        table = {"JawOpen": np.linspace(0, 1, 12), "eye_blink_l": np.full(12, 0.25), "tongueOut": np.full(12, 0.5)}
        path = facegauge.to_predictions(self.folder / "alone.h5", dataset, face_frame=np.arange(12), blendshapes=table)
        with h5py.File(path) as file:
            shapes = file["faces/blendshapes"]
            names = [str(one) for one in shapes.attrs["names"]]
            self.assertEqual(names, facegauge.BLENDSHAPES)
            self.assertEqual(shapes[11][names.index("jawOpen")], 1)
            self.assertEqual(shapes[3][names.index("eyeBlinkLeft")], 0.25)
            self.assertTrue(np.isnan(shapes[3][names.index("mouthClose")]))
            self.assertEqual(file["faces/attributes/tongueOut"][3], 0.5)
        with self.assertRaisesRegex(ValueError, "such as 'jawOpen', found 'Jaw_Drop'"):
            facegauge.to_predictions(self.folder / "no.h5", dataset, face_frame=[0], blendshapes=[[1]], blendshape_names=["Jaw_Drop"])
        with self.assertRaisesRegex(ValueError, "each of blendshape_names once, found 'eyeBlink_L' again"):
            facegauge.to_predictions(self.folder / "no.h5", dataset, face_frame=[0], blendshapes=[[0.25, 0.5]],
                                     blendshape_names=["eyeBlinkLeft", "eyeBlink_L"])

    def test_a_dataset_may_be_several_files(self):
        for name, some in [("a", slice(0, 5)), ("b", slice(5, 12))]:
            facegauge.to_dataset(self.folder / f"part-{name}.h5", sample.images()[some], boxes=sample.BOXES[some],
                                 face_frame=range(len(sample.BOXES[some])))
        files = {"schema": "facegauge.shards", "version": 1, "name": "mine", "files": ["part-b.h5", "part-a.h5"]}
        (self.folder / "all.json").write_text(json.dumps(files))
        turned = sample.BOXES[5:] + sample.BOXES[:5]
        for dataset, boxes, name in [("part-*.h5", sample.BOXES, "part-*"), ("all.json", turned, "mine")]:
            path = facegauge.to_predictions(
                self.folder / "out.h5", self.folder / dataset, face_frame=range(12), boxes=boxes, scores=np.ones(12))
            run = facegauge.evaluate(self.folder / dataset, predictions=path)
            self.assertEqual((run["faces.recall"].value, run["faces.recall"].n), (1, 12))
            with h5py.File(path) as file:
                self.assertEqual(file.attrs["dataset_name"], name)

    def test_what_does_not_fit_is_refused_and_leaves_no_file(self):
        dataset, _ = self.tracked()
        for wrong, says in [
            ({"boxes": [[1, 2, 3, 4]] * 2}, "expected boxes of shape [1, 4], found [2, 4]"),
            ({}, "expected boxes or points of the faces, found neither"),
            ({"boxes": [[np.nan] * 4]}, "expected a box or points of each face, found NaN for face 0"),
            ({"points": np.zeros((1, 5, 2))}, "expected points and their scheme together"),
            ({"boxes": [[1, 2, 3, -4]]}, "expected boxes of a size that is not negative, found 3 x -4 for face 0"),
            ({"boxes": [[1, 2, 3, 4]], "milliseconds": [np.nan, 2, -1] + [3] * 9}, "found -1 for image 2"),
            ({"boxes": [[1, 2, 3, 4]], "scores": [0.5, 0.5]}, "expected scores of shape [1], found [2]"),
            ({"boxes": [[1, 2, 3, 4]], "identity": [1.5]}, "expected whole numbers below 2^31 in identity, found 1.5"),
            ({"points": np.zeros((1, 5, 2)), "scheme": "ibug68"}, "ibug68"),
        ]:
            with self.assertRaises((ValueError, facegauge.FaceGaugeError)) as caught:
                facegauge.to_predictions(self.folder / "wrong.h5", dataset, face_frame=[0], **wrong)
            self.assertIn(says, str(caught.exception))
            self.assertNotIn(f".wrong.h5.{os.getpid()}", str(caught.exception))
        self.assertEqual(sorted(os.listdir(self.folder)), ["out.h5", "squares.h5"])
