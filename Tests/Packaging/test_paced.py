"""Frames that come at their times, whatever the tracker does: drops, responses, and what goes wrong."""

import time
import unittest

import facegauge
import numpy as np
import sample
from test_module import Folder, bright


class Slow:
    """Finds the square after so many seconds, and keeps what it was asked."""

    name = "slow"

    def __init__(self, seconds):
        self.seconds, self.seen, self.resets, self.times = seconds, [], 0, []

    def begin(self, frame):
        self.seen.append(frame)

    def reset(self):
        self.resets += 1

    def __call__(self, image, at):
        time.sleep(self.seconds)
        self.times.append(at)
        return bright(image, at)


class PacedTests(Folder):
    def dataset(self, **more):
        return facegauge.to_dataset(
            self.folder / "squares.h5", np.concatenate([sample.images()] * 3), face_frame=range(36), boxes=sample.BOXES * 3, **more)

    def test_frames_that_come_while_the_tracker_is_busy_are_dropped_but_the_newest(self):
        slow = Slow(0.1)
        run = facegauge.evaluate(self.dataset(fps=30), tracker=slow, paced=True, gates=[
            {"metric": "latency.response.p50", "direction": "at_most", "limit": 50}])
        # 1.2 s of video at ten frames a second; a busy machine drops more.
        self.assertLessEqual(len(slow.seen), 14)
        self.assertEqual((slow.seen, slow.seen[0]), (sorted(set(slow.seen)), 0))
        np.testing.assert_allclose(slow.times, np.array(slow.seen) / 30, atol=1e-5)
        with run.predictions as file:
            self.assertEqual(file.attrs["mode"], "live")
            status = file["frames/status"][:]
            stages = list(file["frames/stage_ns"].attrs["stages"])
            times = file["frames/stage_ns"][:]
        self.assertEqual(np.flatnonzero(status == 0).tolist(), slow.seen)
        self.assertEqual(set(status[status != 0]), {2})
        self.assertEqual(stages, ["transfer", "response", "total"])
        seen = times[slow.seen, 1:].astype("f8") / 1e6
        self.assertTrue(np.all(seen[:, 0] >= seen[:, 1]) and np.all(seen[:, 1] >= 100), seen)
        # All but the first two waited: the newest frame is at most one 30th of a second old when the tracker is free.
        self.assertEqual(run["latency.response.p50"].value, np.sort(seen[:, 0])[(len(seen) + 1) // 2 - 1])
        self.assertEqual(run["tracking.dropped_frames"].value, 36 - len(slow.seen))
        self.assertEqual((run.verdict, slow.resets), ("fail", 1))

    def test_the_rate_is_that_of_the_camera(self):
        slow = Slow(0)
        begin = time.monotonic()
        facegauge.evaluate(self.dataset(fps=30), tracker=slow, paced=True, fps=100)
        self.assertGreaterEqual(time.monotonic() - begin, 0.35)
        self.assertAlmostEqual(slow.times[-1], slow.seen[-1] / 30, 5)
        frames = len(slow.seen)
        # Stills come one after another, and none is dropped.
        slow = Slow(0)
        (self.folder / "squares.h5").unlink()
        facegauge.evaluate(self.dataset(), tracker=slow, paced=True)
        self.assertEqual((slow.seen, slow.resets), (list(range(36)), 36))
        self.assertGreater(frames, 1)

    def test_what_a_paced_tracker_raises_is_raised_and_what_cannot_be_paced_is_refused(self):
        dataset = self.dataset(fps=30)

        def breaks(image, at):
            raise KeyError("mine")

        with self.assertRaises(KeyError):
            facegauge.track(dataset, breaks, self.folder / "out.h5", paced=True)
        for options, text in [({"paced": True, "mode": "image"}, "'--mode image'"), ({"fps": 30}, "requires '--paced'"),
                              ({"paced": True, "gates": "g.json"}, "'--gates'")]:
            with self.assertRaises(facegauge.FaceGaugeError) as caught:
                facegauge.track(dataset, "./none", self.folder / "out.h5", **options)
            self.assertEqual(caught.exception.status, 64)
            self.assertIn(text, str(caught.exception))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["squares.h5"])


if __name__ == "__main__":
    unittest.main()
