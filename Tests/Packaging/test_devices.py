"""Trackers that are somewhere else: behind a connection, and in a page of a browser."""

import asyncio
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import facegauge
import h5py
import numpy as np
import sample
from facegauge import tracking
from test_module import Folder

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
PAGE = str(sample.HERE / "square_tracker.js")


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
                        if isinstance(item, h5py.Dataset) and name != "frames/stage_ns" else None)
    return found


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


@unittest.skipIf(BROWSER is None, "needs chromium")
class PageTests(Devices):
    def page(self, *words, options=(), track=()):
        place = shlex.join([sys.executable, "-m", "facegauge.web", PAGE, *words] + [w for o in options for w in ("--option", o)])
        return Run(self, place, *track)

    def browse(self, address):
        """A browser with the page open."""
        profile = tempfile.TemporaryDirectory()
        browser = subprocess.Popen(
            [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile.name}",
             "--remote-debugging-port=0", address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

        def end():
            with_children = browser.pid
            try:
                os.killpg(with_children, signal.SIGKILL)
            except ProcessLookupError:
                pass
            browser.wait()
            shutil.rmtree(profile.name, ignore_errors=True)
            profile.cleanup()
        self.addCleanup(end)
        return browser

    def test_a_tracker_in_a_page_gives_the_same_predictions(self):
        for way in ("rgb", "image"):
            with self.subTest(way):
                if way == "image":  # files need a dataset of files; PNG loses nothing
                    self.dataset.unlink()
                    self.as_files()
                run = self.page(options=[f"input={way}"])
                self.assertRegex(run.said, r"^note: open http://[0-9.]+:\d+/\S{16}/ in a browser\n$")
                self.browse(run.address)
                status, out, error = run.end()
                self.assertEqual((status, error), (0, ""))
                self.assertIn(f"square 1: 12 frames as {way}, 12 faces", out)
                found = tables(run.output)
                self.assertEqual(found, self.direct)
                with h5py.File(run.output) as file:
                    said = str(dict(file.attrs)["options"])
                for fact in ("clock-resolution-ns", "Chrome", "isolated"):
                    self.assertIn(fact, said)

    def as_files(self):
        import io
        from PIL import Image
        files = []
        for pixels in sample.images():
            stream = io.BytesIO()
            Image.fromarray(pixels).save(stream, "PNG")
            files.append(stream.getvalue())
        facegauge.to_dataset(self.dataset, files, face_frame=range(12), boxes=sample.BOXES, fps=30, subject="square")

    def test_a_page_loads_itself_anew_where_the_tracker_is_started_again(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        other = self.folder / "other.h5"
        command = shlex.join([sys.executable, str(sample.HERE / "brightness_tracker.py")])
        run = self.page("--port", str(port), "--token", "5ecret",
                        track=("--tracker", command, "-o", str(other), "--mode", "image", "--starts", "3"))
        self.assertIn(f"open http://127.0.0.1:{port}/5ecret/ in", run.said)
        self.browse(run.address)
        status, out, error = run.end()
        self.assertEqual((status, error), (0, ""))
        self.assertIn("were started 3 times", out)
        self.assertEqual(tables(run.output), self.direct)

    def test_paced_frames_reach_the_page_at_their_times(self):
        run = self.page(track=("--paced",))
        self.browse(run.address)
        status, out, error = run.end()
        self.assertEqual(status, 0, error)
        self.assertRegex(out, r"dropped, response p50 .*transfer p50")
        with h5py.File(run.output) as file:
            self.assertEqual(list(file["frames/stage_ns"].attrs["stages"]), ["transfer", "response", "total"])

    def test_what_goes_wrong_in_the_page_is_one_line_and_no_file(self):
        for option, text in [("fail=no model here", "the page failed: no model here"), ("stop=5", "stopped as asked")]:
            with self.subTest(option):
                run = self.page(options=[option])
                self.browse(run.address)
                status, out, error = run.end()
                self.assertEqual((status, out), (65, ""))
                self.assertEqual(error.count("\n"), 1, error)
                self.assertIn(text, error)
                self.assertFalse(run.output.exists())

    def test_a_page_that_is_closed_ends_the_run(self):
        run = self.page(track=("--paced", "--fps", "1"))
        browser = self.browse(run.address)
        limit = time.monotonic() + 60
        while not list(self.folder.glob(f"*{run.output.name}*")) and time.monotonic() < limit:
            time.sleep(0.1)
        os.killpg(browser.pid, signal.SIGKILL)
        status, _, error = run.end()
        self.assertEqual(status, 65)
        self.assertIn("the page was closed", error)

    def test_strangers_and_malformed_messages_are_refused(self):
        import aiohttp

        async def attack(address, hello, *messages, **headers):
            socket_address = re.sub("^http", "ws", address) + "frames"
            async with aiohttp.ClientSession() as session:
                async with session.ws_connect(socket_address, headers=headers, max_msg_size=0) as page:
                    await page.receive()
                    if hello is not None:
                        await page.send_str(hello)
                        await page.receive()
                    for message in messages:
                        await (page.send_bytes if isinstance(message, bytes) else page.send_str)(message)
                    while not page.closed:
                        if (await page.receive()).type in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.CLOSING, aiohttp.WSMsgType.CLOSE):
                            break

        def origin(address):
            return {"Origin": re.match(r"http://[^/]*", address)[0]}

        async def status(address, **headers):
            async with aiohttp.ClientSession() as session:
                async with session.get(address, headers=headers) as response:
                    return response.status, dict(response.headers)

        run = self.page()
        secret = run.address.split("/")[3]
        # Without the token there is nothing, and no other page of the web gets anything.
        for address, headers, expected in [
                (run.address, {}, 200), (run.address + "tracker.js", {}, 200), (run.address + "files/x", {}, 404),
                (run.address.replace(secret, "guess"), {}, 404), (run.address.replace(secret + "/", ""), {}, 404),
                (run.address, {"Origin": "https://example.com"}, 403), (run.address + "frames", {}, 403)]:
            found, seen = asyncio.run(status(address, **headers))
            self.assertEqual(found, expected, address)
            if found == 200:
                self.assertEqual(seen["Cross-Origin-Opener-Policy"], "same-origin")
        with self.assertRaises(aiohttp.WSServerHandshakeError):
            asyncio.run(attack(run.address, None, Origin="https://example.com"))
        run.process.kill()

        hello = json.dumps({"protocol": "facegauge.tracker", "version": 2, "name": "x", "inputs": ["rgb"]})
        for messages, text in [
                ((hello, b"bytes"), "expected text, found bytes"), ((hello, "{}\n{}"), "in one line"), ((hello, "[1]"), "an object"),
                ((hello, "[" * 100_000), "an object"), ((hello, '{"frame": 0, "x": "' + "y" * (33 << 20) + '"}'), "may not"),
                ((hello, '{"sync": 5}'), "expected sync 0"), (("nothing",), "an object"), ((hello.replace(": 2", ": 7"),), "version 1 or 2")]:
            with self.subTest(text):
                run = self.page()
                try:
                    asyncio.run(attack(run.address, messages[0], *messages[1:], **origin(run.address)))
                except (ConnectionError, aiohttp.ClientError):
                    pass
                status_of_run, _, error = run.end()
                self.assertEqual(status_of_run, 65, error)
                self.assertEqual(error.count("\n"), 1, error)
                self.assertIn(text, error)
                self.assertFalse(run.output.exists())

    def test_files_are_those_of_the_folder_and_nothing_else(self):
        import aiohttp
        (self.folder / "model").mkdir()
        (self.folder / "model/weights.bin").write_bytes(b"1234")
        run = self.page("--files", str(self.folder / "model"))

        async def get(path):
            async with aiohttp.ClientSession() as session:
                from yarl import URL
                async with session.get(URL(run.address + path, encoded=True)) as response:
                    return response.status, await response.read()
        self.assertEqual(asyncio.run(get("files/weights.bin")), (200, b"1234"))
        for path in ("files/../tracker.js", "files/%2e%2e/squares.h5", "files/..%2fsquares.h5", "files/", "files/none"):
            found, content = asyncio.run(get(path))
            self.assertNotIn(b"HDF", content[:8])
            self.assertTrue(found in (403, 404) or content == pathlib.Path(PAGE).read_bytes(), (path, found))


if __name__ == "__main__":
    unittest.main()
