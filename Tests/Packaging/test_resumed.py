"""A function as a tracker that fails late: what it answered stays, and the run goes on."""

import unittest

import facegauge
import numpy as np
import sample
from test_module import Folder, bright


class Failing:
    """Finds the square, and fails at a frame until it is mended."""

    name = "failing"

    def __init__(self):
        self.frame, self.isMended, self.seen = 0, False, []

    def begin(self, frame):
        self.frame = frame
        self.seen.append(frame)

    def __call__(self, image, at):
        if self.frame == 290 and not self.isMended:
            raise KeyError("mine")
        return bright(image, at)


class ResumedTests(Folder):
    def test_a_run_that_failed_late_goes_on(self):
        dataset = facegauge.to_dataset(
            self.folder / "squares.h5", np.concatenate([sample.images()] * 25), face_frame=range(300), boxes=sample.BOXES * 25, fps=30)
        tracker, told = Failing(), self.folder / "out.h5"
        with self.assertRaises(KeyError):
            facegauge.track(dataset, tracker, told)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["out.h5.partial", "squares.h5"])
        with self.assertRaises(facegauge.FaceGaugeError) as caught:
            facegauge.track(dataset, tracker, told)
        self.assertEqual(caught.exception.status, 73)
        tracker.isMended, tracker.seen = True, []
        facegauge.track(dataset, tracker, told, resume=True)
        # It is one video: the tracker sees it from its beginning.
        self.assertEqual(tracker.seen, list(range(300)))
        run = facegauge.evaluate(dataset, self.folder / "run", predictions=told)
        self.assertEqual((run["faces.recall"].value, run["faces.precision"].value), (1, 1))
        self.assertTrue(any("more than one process" in note for note in run.record["notes"]), run.record["notes"])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["out.h5", "run", "squares.h5"])


if __name__ == "__main__":
    unittest.main()
