"""Datasets that are made of arrays and image files."""

import io
import json
import os
import unittest

import h5py
import numpy as np
from PIL import Image

import facegauge
import sample
from test_module import Folder


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

    def test_an_identity_that_is_not_known_is_none(self):
        path = facegauge.to_dataset(self.folder / "who.h5", sample.images(), face_frame=[0, 1, 2, 3],
                                    boxes=[[1, 2, 3, 4]] * 4, identity=[3, None, np.nan, 2 ** 31 - 1])
        with h5py.File(path) as file:
            self.assertEqual(file["faces/identity"][:].tolist(), [3, -1, -1, 2 ** 31 - 1])

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

    def test_arrays_of_several_sizes_are_stored_without_loss(self):
        rng = np.random.default_rng(5)
        images = [rng.integers(0, 256, (height, width, 3), dtype="u1") for height, width in [(17, 31), (40, 23), (1, 1)]]
        path = facegauge.to_dataset(self.folder / "sizes.h5", [*images, images[0][:, ::-1]], face_frame=[1],
                                    boxes=[[1, 2, 3, 4]])
        with h5py.File(path) as file:
            self.assertEqual(file["images/size"][:].tolist(), [[31, 17], [23, 40], [1, 1], [31, 17]])
            offsets, data = file["images/offsets"][:].tolist(), file["images/bytes"][:].tobytes()
        for index, image in enumerate([*images, images[0][:, ::-1]]):
            read = Image.open(io.BytesIO(data[offsets[index]:offsets[index + 1]]))
            np.testing.assert_array_equal(np.asarray(read), image)

    def test_what_does_not_fit_is_refused_and_leaves_no_file(self):
        images = sample.images()
        for wrong, says in [
            ({"face_frame": [0, 1], "boxes": [[1, 2, 3, 4]]}, "expected boxes of shape [2, 4], found [1, 4]"),
            ({"face_frame": [0, 1], "boxes": np.ones((4, 2))}, "expected boxes of shape [2, 4], found [4, 2]"),
            ({"boxes": [[1, 2, 3, 4]]}, "expected face_frame, the number of the image of each box"),
            ({"face_frame": [1, 0], "boxes": [[1, 2, 3, 4]] * 2}, "expected face_frame in ascending order"),
            ({"face_frame": [12], "boxes": [[1, 2, 3, 4]]}, "expected face_frame from 0 to 11, found 12 to 12"),
            ({"names": ["a"]}, "expected 12 names, found 1"),
            ({"face_frame": [0.5], "boxes": [[1, 2, 3, 4]]}, "expected whole numbers below 2^31 in face_frame, found 0.5"),
            ({"face_frame": [0], "boxes": [[1, 2, 3, 4]], "identity": [2 ** 31]},
             "expected whole numbers below 2^31 in identity, found 2147483648"),
            ({"face_frame": [0], "boxes": [[1, 2, 3, 4]], "identity": ["Ann"]},
             "expected numbers in identity, found others: could not convert string to float: 'Ann' "
             "(np.unique(names, return_inverse=True)[1] numbers names)"),
            ({"face_frame": [0], "boxes": [[1, 2, 3, 4]], "ignore": [2]}, "expected 0 or 1 in ignore, found 2"),
            ({"face_frame": [0], "boxes": [[1, 2, 3, 4]], "landmarks": {"five": [[1, 2]]}},
             "expected five of shape [1, K, 2 or 3], found [1, 2]"),
        ]:
            with self.assertRaises(ValueError) as caught:
                facegauge.to_dataset(self.folder / "wrong.h5", images, **wrong)
            self.assertEqual(str(caught.exception), says)
        for wrong in [b"no image", np.zeros((4, 4), "u1"), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), "u1")]:
            with self.assertRaises(ValueError):
                facegauge.to_dataset(self.folder / "wrong.h5", [wrong])
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


if __name__ == "__main__":
    unittest.main()
