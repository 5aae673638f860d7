"""Trackers in one line: YuNet through OpenCV, with a network that finds red squares in the place of YuNet's file."""

import hashlib
import shlex
import sys
import unittest

import cv2
import h5py
import numpy as np

import facegauge
from facegauge.trackers import _landmarks
import sample
import square_yunet
from test_module import Folder

RED, GREY = (240, 30, 30), (30, 30, 30)
# Red squares that are faces of the network, at its three strides, and the size of their image.
SIDE = {8: 24, 16: 48, 32: 96}
WIDTH, HEIGHT = 352, 250


def image(*boxes, colour=RED, width=WIDTH, height=HEIGHT):
    pixels = np.full((height, width, 3), GREY, "u1")
    for x, y, wide, high in boxes:
        pixels[y:y + high, x:x + wide] = colour
    return pixels


def points(box):
    x, y, width, height = box
    return [(x + width * right, y + height * down) for right, down in square_yunet.POINTS]


class YuNetTests(Folder):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "squares.onnx"
        self.model.write_bytes(square_yunet.model())

    def found(self, pixels, **options):
        """What the tracker reports for an image, the first face first."""
        tracker = facegauge.trackers.yunet(self.model, **options)
        faces = tracker.faces(tracker(pixels, None), pixels.shape[1], pixels.shape[0])
        return sorted(faces, key=lambda face: tuple(np.round(face["box"])))

    def check(self, face, box, tolerance=1e-3):
        np.testing.assert_allclose(face["box"], box, atol=tolerance)
        np.testing.assert_allclose(np.reshape(face["points"], (5, 2)), points(box), atol=tolerance)

    def test_faces_of_all_sizes_have_boxes_points_and_scores(self):
        boxes = [[16, 40, 24, 24], [64, 32, 48, 48], [160, 96, 96, 96]]
        faces = self.found(image(*boxes))
        self.assertEqual(len(faces), 3)
        for face, box in zip(faces, boxes):
            self.check(face, box)
            self.assertAlmostEqual(face["score"], square_yunet.score(210 / 255), places=4)

    def test_only_red_is_a_face(self):
        for colour in [(30, 240, 30), (30, 30, 240), GREY]:
            self.assertEqual(self.found(image([64, 32, 48, 48], colour=colour)), [])
        self.assertEqual(len(self.found(image([64, 32, 48, 48], colour=(240, 240, 240)))), 1)

    def test_a_larger_image_is_reduced_and_its_faces_are_in_its_own_pixels(self):
        # Too large for any stride until the image is halved.
        box = [64, 128, 192, 192]
        pixels = image(box, width=704, height=500)
        self.assertEqual(self.found(pixels), [])
        [face] = self.found(pixels, longer_side=352)
        self.check(face, box)
        # A smaller image stays as it is.
        [face] = self.found(image([64, 32, 48, 48]), longer_side=10 * WIDTH)
        self.check(face, [64, 32, 48, 48])

    def test_sides_are_scaled_each_by_its_own_factor(self):
        # 101 rows become 50, so that a row is 2.02 rows of the image and a column 2 columns.
        pixels = np.repeat(np.repeat(image([64, 0, 48, 48], width=320, height=50), 2, axis=1), 2, axis=0)
        pixels = np.concatenate([pixels, pixels[-1:]])
        [face] = self.found(pixels, longer_side=320)
        scale = np.array([2, 101 / 50])
        np.testing.assert_allclose(face["box"], np.array([64, 0, 48, 48]) * np.tile(scale, 2), rtol=1e-5, atol=1e-3)
        np.testing.assert_allclose(np.reshape(face["points"], (5, 2)), points([64, 0, 48, 48]) * scale, rtol=1e-5)

    def test_settings_limit_scores_and_overlaps(self):
        faint = image([64, 32, 48, 48], colour=(190, 30, 30))
        [face] = self.found(faint)
        self.assertAlmostEqual(face["score"], square_yunet.score(160 / 255), places=4)
        self.assertEqual(self.found(faint, min_score=face["score"] + 0.01), [])
        # Half a cell off the grid two cells find the square, with boxes whose IoU is a half.
        between = image([72, 32, 48, 48], colour=(255, 0, 0))
        self.assertEqual(len(self.found(between)), 1)
        faces = self.found(between, max_iou=0.6)
        self.assertEqual([round(face["box"][0]) for face in faces], [64, 80])

    def test_the_function_and_the_program_write_the_same_predictions(self):
        boxes = [[64, 32, 48, 48], [16, 40, 24, 24], [160, 96, 96, 96]]
        images = np.stack([image(boxes[0], boxes[1]), image(), image(boxes[2])])
        dataset = facegauge.to_dataset(self.folder / "squares.h5", images, face_frame=[0, 0, 2], boxes=boxes,
                                       landmarks={"five": [points(box) for box in boxes]})
        program = shlex.join(
            [sys.executable, "-m", "facegauge.trackers", "yunet", str(self.model), "--longer-side", "400"])
        for tracker in [facegauge.trackers.yunet(self.model, longer_side=400), program]:
            predictions = facegauge.track(dataset, tracker, self.folder / "found.h5", force=True)
            with h5py.File(predictions) as file:
                order = np.lexsort((-file["faces/box"][:, 0], file["faces/frame"][:]))
                self.assertEqual(file["faces/frame"][:][order].tolist(), [0, 0, 2])
                np.testing.assert_allclose(file["faces/box"][:][order], boxes, atol=1e-3)
                np.testing.assert_allclose(file["faces/landmarks/five/points"][:][order][..., :2],
                                           [points(box) for box in boxes], atol=1e-3)
                np.testing.assert_allclose(file["faces/detection_score"][:], square_yunet.score(210 / 255), atol=1e-4)
                options = dict(option.split("=", 1) for option in file.attrs["options"])
            self.assertEqual(options["model.detection"], hashlib.sha256(self.model.read_bytes()).hexdigest())
            self.assertEqual((options["longer-side"], options["min-score"]), ("400", "0.02"))
            self.assertRegex(options["tracker"], r"^YuNet, OpenCV \d")
            run = facegauge.evaluate(dataset, predictions=predictions)
            self.assertEqual(run["detection.ap50"].value, 1)
            self.assertLess(run["landmarks.nme.interpupil"].value, 1e-4)
            predictions.unlink()


class LandmarksTests(Folder):
    def dataset(self, name, *, seed=0):
        images = np.random.default_rng(seed).integers(0, 255, (3, 8, 10, 3), dtype="u1").repeat(8, 1).repeat(8, 2)
        return facegauge.to_dataset(self.folder / name, images, face_frame=[0], boxes=[[5, 5, 20, 20]]), images

    def test_boxes_of_other_images_are_refused(self):
        path, images = self.dataset("faces.h5")
        known = _landmarks.Images(path, cv2)
        known.check(0, images[0])
        # Darker and blurred it is the same image.
        known.check(1, cv2.blur(images[1] // 2, (5, 5)))
        for frame, other, expected in [(0, images[1], "the image of that file"), (3, images[0], "a frame below 3"),
                                       (0, images[0][:, :72], "an image of 80 x 64 pixels")]:
            with self.assertRaisesRegex(ValueError, f"frame {frame}: expected {expected}"):
                known.check(frame, other)

    def test_sizes_of_predictions_are_compared(self):
        path, images = self.dataset("faces.h5")
        found = facegauge.track(path, lambda image, time: [{"box": [5, 5, 20, 20], "score": 0.9}], self.folder / "found.h5")
        known = _landmarks.Images(found, cv2)
        known.check(0, images[1])
        with self.assertRaisesRegex(ValueError, "expected an image of 80 x 64 pixels"):
            known.check(0, images[0][:32])

    def test_a_list_of_files_is_named(self):
        (self.folder / "faces.json").write_text("{}")
        with self.assertRaisesRegex(ValueError, "expected one HDF5 file, found another"):
            _landmarks.read_boxes(self.folder / "faces.json")

    def test_int8_stands_for_real_numbers(self):
        detail = {"dtype": np.int8, "quantization": (0.5, -4)}
        numbers = _landmarks.quantised(np.array([0.0, 1.0, -1.2, 99]), detail)
        self.assertEqual((numbers.dtype, numbers.tolist()), (np.dtype("int8"), [-4, -2, -6, 127]))
        np.testing.assert_array_equal(_landmarks.real(numbers, detail), [0, 1, -1, 65.5])
        plain = {"dtype": np.float32, "quantization": (0.0, 0)}
        self.assertEqual(_landmarks.quantised(np.array([0.25]), plain).tolist(), [0.25])
        self.assertEqual(_landmarks.real(np.float32([0.25]), plain).tolist(), [0.25])


if __name__ == "__main__":
    unittest.main()
