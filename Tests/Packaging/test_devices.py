"""Trackers that are somewhere else, behind a connection."""

import json
import re
import shutil
import subprocess
import threading
import time
import unittest

import facegauge
import h5py
import numpy as np
import sample
from facegauge import tracking
from test_module import Folder


class Square:
    name = "square 1"
    device = {"model": "this machine"}

    def begin(self, frame):
        self.frame = frame

    def __call__(self, image, at):
        return [{**face, "score": (900 - self.frame) / 1000} for face in self.find(image)]

    def find(self, image):
        rows, columns = np.nonzero(image.sum(axis=2, dtype="i4") > 600)
        if not rows.size:
            return []
        x, y = int(columns.min()), int(rows.min())
        return [{"box": [x, y, int(columns.max()) + 1 - x, int(rows.max()) + 1 - y]}]


class Run:
    """A `facegauge track` that waits for somebody, and the address that it shows."""

    def __init__(self, test, place, *words):
        self.output = test.folder / f"{len(list(test.folder.iterdir()))}.h5"
        self.process = subprocess.Popen(
            [facegauge.running.program(), "track", str(test.dataset), "--tracker", place, "-o", str(self.output), *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        test.addCleanup(self.process.stdout.close)
        test.addCleanup(self.process.stderr.close)
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)
        self.said = self.process.stderr.readline()
        self.address = re.search(r"(?:tcp|http)://\S+", self.said + " tcp://none")[0]

    def end(self):
        out, error = self.process.communicate(timeout=300)
        return self.process.returncode, out, error


def tables(path):
    """All of a predictions file but the times."""
    with h5py.File(path) as file:
        found = {}
        file.visititems(lambda name, item: found.update({name: repr(item[()].tolist())})
                        if isinstance(item, h5py.Dataset) and name not in ("frames/stage_ns", "frames/readings") else None)
    return found


def readings(path):
    """The numbers of the device, by name."""
    with h5py.File(path) as file:
        table = file["frames/readings"]
        return dict(zip(table.attrs["names"], table[:].T))


class Devices(Folder):
    def setUp(self):
        super().setUp()
        self.dataset = facegauge.to_dataset(
            self.folder / "squares.h5", sample.images(), face_frame=range(12), boxes=sample.BOXES, fps=30, subject="square")
        self.direct = tables(facegauge.track(self.dataset, Square(), self.folder / "direct.h5"))


class ConnectionTests(Devices):
    def test_a_function_that_connects_gives_the_same_predictions(self):
        run = Run(self, "listen://127.0.0.1:0")
        facegauge.serve(Square(), connect=run.address)
        status, out, error = run.end()
        self.assertEqual((status, error), (0, ""))
        self.assertRegex(out, r"square 1: 12 frames as rgb, 12 faces, total p50 .*, transfer p50 .*, its clock \S+ ms")
        self.assertEqual(tables(run.output), self.direct)
        with h5py.File(run.output) as file:
            self.assertEqual(list(file["frames/stage_ns"].attrs["stages"]), ["transfer", "total"])
            times = file["frames/stage_ns"][:]
            options = json.loads(file.attrs["options"]) if file.attrs["options"][:1] == "{" else str(file.attrs["options"])
        self.assertIn("this machine", str(options))
        self.assertTrue(np.all((times > 0) & (times < 10**11)), times)

    def test_readings_of_the_device_are_stored_and_drawn(self):
        class Heated(Square):
            taken = 0

            def readings(self):
                self.taken += 1
                return {"thermal": self.taken // 3, "battery": 0.5} if self.taken != 2 else {"thermal": float("nan")}

            def __call__(self, image, at):
                time.sleep(0.12)
                return super().__call__(image, at)

        output = facegauge.track(self.dataset, Heated(), self.folder / "heated.h5")
        self.assertEqual(tables(output), self.direct)
        found = readings(output)
        self.assertEqual(list(found), ["answered_s", "thermal", "battery"])
        self.assertEqual(found["answered_s"][0], 0)
        self.assertTrue(np.all(np.diff(found["answered_s"]) >= 0.12), found["answered_s"])
        # Asked for the names, at the first answer, where neither is known, and then once a second.
        self.assertTrue(np.isnan([found[name][0] for name in ("thermal", "battery")]).all())
        known = [value for value in found["thermal"] if np.isfinite(value)]
        self.assertEqual(known, sorted(known))
        self.assertEqual(known[0], 1)
        self.assertEqual(found["battery"][-1], 0.5)
        run = facegauge.evaluate(self.dataset, predictions=output, output=self.folder / "run", resamples=0)
        series = {one["name"]: one["content"] for one in json.loads((self.folder / "run/record.json").read_text())["series"]}
        self.assertEqual(set(series["latency.timeline.reading.battery"]["lines"][0]["y"]), {0.5})
        table = series["latency.timeline.phases"]
        row = dict(zip(table["columns"], table["rows"][0]))
        self.assertEqual((row["stretch"], row["frames"], row["battery"]), ("steady", "12", "0.5"))
        total = run["latency.total.p50"].value
        self.assertAlmostEqual(float(row["total p50"]), total, delta=total / 100)

    def test_readings_that_nobody_named_end_the_run(self):
        class Strange(Square):
            taken = 0

            def readings(self):
                self.taken += 1
                return {"thermal": 0, "other": 1} if self.taken > 1 else {"thermal": 0}

        class Reserved(Square):
            def readings(self):
                return {"answered_s": 0}

        for tracker, text in [(Strange(), "readings that its first line names, found 'other'"), (Reserved(), "names of readings")]:
            with self.subTest(text), self.assertRaisesRegex(facegauge.FaceGaugeError, text):
                facegauge.track(self.dataset, tracker, self.folder / "none.h5")
            self.assertFalse((self.folder / "none.h5").exists())

    def test_a_wrong_token_is_told_to_the_tracker(self):
        run = Run(self, "listen://127.0.0.1:0/5ecret")
        with self.assertRaisesRegex(ConnectionError, "was closed before its first request: expected another token"):
            facegauge.serve(Square(), connect=run.address.replace("5ecret", "other"))
        facegauge.serve(Square(), connect=run.address)
        self.assertEqual(run.end()[0], 0)
        with self.assertRaisesRegex(ValueError, "expected tcp://host:port/token"):
            facegauge.serve(Square(), connect="http://127.0.0.1:80")

    def connecting(self, address, tracker=Square):
        """A thread with a tracker that connects, again and again, until nobody is there."""
        thread = threading.Thread(target=facegauge.serve, args=[tracker()], kwargs={"connect": address}, daemon=True)
        thread.start()
        return thread

    def test_trackers_that_connect_again_have_an_interval(self):
        restarts = []

        class Counting(Square):
            def restart(self):
                restarts.append(self)

        other = self.folder / "other.h5"
        run = Run(self, "listen://127.0.0.1:0", "--tracker", "listen://127.0.0.1:0/5ecret", "-o", str(other), "--mode", "image", "--starts", "6")
        first = self.connecting(run.address, Counting)
        second = re.search(r"tcp://\S+", run.process.stderr.readline())[0]
        second = self.connecting(second)
        status, out, error = run.end()
        self.assertEqual((status, error), (0, ""))
        self.assertRegex(out, r"times the first \(95 % interval .* 6 starts\)")
        self.assertEqual(tables(run.output), tables(other))
        for thread in (first, second):
            thread.join(60)
            self.assertFalse(thread.is_alive())
        self.assertGreaterEqual(len(restarts), 5)

    def test_gates_hold_between_trackers_on_the_network(self):
        gates = self.folder / "gates.json"
        gates.write_text(json.dumps({"schema": "facegauge.gates", "version": 2, "gates": [
            {"metric": "latency.total.p50", "max_relative_worsening": 0.2}]}))

        class Slow(Square):
            def __call__(self, image, at):
                end = time.perf_counter_ns() + self.nanoseconds
                found = super().__call__(image, at)
                while time.perf_counter_ns() < end:
                    pass
                return found

        class Base(Slow):
            nanoseconds = 4_000_000

        class Slower(Slow):
            nanoseconds = 8_000_000

        for candidate, expected in [(Base, (0, 3)), (Slower, (2,))]:
            with self.subTest(candidate):
                process = subprocess.Popen(
                    [facegauge.running.program(), "track", str(self.dataset), "--tracker", "listen://127.0.0.1:0", "--tracker",
                     "listen://127.0.0.1:0", "--gates", str(gates), "--max-pairs", "192"],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.addCleanup(process.kill)
                self.assertIn("two of it must connect", process.stderr.readline())
                base = re.search(r"tcp://\S+", process.stderr.readline())[0]
                threads = [self.connecting(base, Base), self.connecting(base, Base)]
                threads.append(self.connecting(re.search(r"tcp://\S+", process.stderr.readline())[0], candidate))
                out, error = process.communicate(timeout=300)
                self.assertIn(process.returncode, expected, out + error)
                for thread in threads:
                    thread.join(60)
                    self.assertFalse(thread.is_alive())

    def test_a_tracker_that_does_not_connect_again_is_started_once(self):
        run = Run(self, "listen://127.0.0.1:0", "--tracker", "listen://127.0.0.1:0", "-o", str(self.folder / "other.h5"), "--mode", "image")
        self.connecting(run.address)
        hello = tracking._hello(Square(), None, None, (), None)
        address = re.search(r"tcp://\S+", run.process.stderr.readline())[0]
        threading.Thread(target=tracking._follow, args=[address, Square(), hello], daemon=True).start()
        status, out, error = run.end()
        self.assertEqual((status, error), (0, ""))
        self.assertIn("no interval: the trackers were started 1 times", out)

    def test_a_clock_that_is_ahead_and_fast_is_recovered(self):
        # 2 s ahead and 50 parts in a million fast, over the 6 s that twelve frames take at two a second.
        real, start = time.perf_counter_ns, time.perf_counter_ns()

        class Clock:
            def __getattr__(self, name):
                return getattr(time, name)

            def perf_counter_ns(self):
                now = real()
                return now + 2_000_000_000 + (now - start) * 50 // 1_000_000

        run = Run(self, "listen://127.0.0.1:0", "--paced", "--fps", "2", "--json")
        tracking.time = Clock()
        try:
            facegauge.serve(Square(), connect=run.address)
        finally:
            tracking.time = time
        status, out, _ = run.end()
        self.assertEqual(status, 0)
        clock = json.loads(out)[0]["clock"]
        self.assertLess(abs(clock["partsPerMillion"] - 50), clock["rateUncertainty"], clock)
        # Python's clock and the program's are the same one here; on a busy machine the ways take long, and that is stated.
        self.assertLess(abs(clock["offset"] - 2000), clock["uncertainty"] + 1, clock)
        self.assertLess(clock["uncertainty"], 100, clock)


class ClientTests(Devices):
    """The clients for apps, built and run here."""

    def expect_same(self, *words):
        run = Run(self, "listen://127.0.0.1:0/5ecret")
        wrong = subprocess.run([*words, run.address.replace("5ecret", "other")], capture_output=True, text=True, timeout=300)
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("refused a tracker", run.process.stderr.readline())
        done = subprocess.run([*words, run.address], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        status, out, error = run.end()
        self.assertEqual((status, error), (0, ""))
        self.assertEqual(tables(run.output), self.direct)
        with h5py.File(run.output) as file:
            self.assertIn("machine", str(file.attrs["options"]))
        self.assertEqual(set(readings(run.output)["battery"]), {0.5})
        # Two of them take turns, over three connections each.
        other = self.folder / "other.h5"
        run = Run(self, "listen://127.0.0.1:0", "--tracker", "listen://127.0.0.1:0", "-o", str(other), "--mode", "image", "--starts", "3")
        clients = [subprocess.Popen([*words, run.address])]
        clients.append(subprocess.Popen([*words, re.search(r"tcp://\S+", run.process.stderr.readline())[0]]))
        status, out, error = run.end()
        self.assertEqual([one.wait(60) for one in clients], [0, 0])
        self.assertEqual((status, error), (0, ""))
        self.assertIn("were started 3 times", out)
        self.assertEqual([tables(run.output), tables(other)], [self.direct, self.direct])

    @unittest.skipIf(shutil.which("swiftc") is None, "needs swiftc")
    def test_the_client_in_swift(self):
        program = self.folder / "square"
        subprocess.run(["swiftc", "-parse-as-library", "-warnings-as-errors", "-o", str(program), str(sample.HERE / "SquareTracker.swift"),
                        str(sample.ROOT / "Datasets/devices/TrackerClient.swift")], check=True, timeout=300)
        self.expect_same(str(program))

    @unittest.skipIf(shutil.which("javac") is None, "needs javac")
    def test_the_client_in_java(self):
        subprocess.run(["javac", "--release", "8", "-Xlint:all,-options", "-Werror", "-d", str(self.folder / "classes"),
                        str(sample.HERE / "SquareTracker.java"), str(sample.ROOT / "Datasets/devices/TrackerClient.java")],
                       check=True, timeout=300)
        self.expect_same("java", "-cp", str(self.folder / "classes"), "SquareTracker")


if __name__ == "__main__":
    unittest.main()
