"""Trackers in a page of a browser."""

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
import time
import unittest

import facegauge
import h5py
import numpy as np
import sample
import test_devices
from test_devices import tables

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
PAGE = str(sample.HERE / "square_tracker.js")


class Pages(test_devices.Devices):
    def page(self, *words, options=(), track=(), tracker=PAGE):
        place = shlex.join([sys.executable, "-m", "facegauge.web", tracker, *words] + [w for o in options for w in ("--option", o)])
        return test_devices.Run(self, place, *track)

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


@unittest.skipIf(BROWSER is None, "needs chromium")
class PageTests(Pages):
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
                numbers = test_devices.readings(run.output)
                self.assertTrue(np.isnan(numbers["unknown"]).all())
                self.assertTrue(np.all(np.diff(numbers["taken"], prepend=1) >= 0), numbers)
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

    def test_a_page_is_opened_once_beside_another_tracker(self):
        other = self.folder / "other.h5"
        command = shlex.join([sys.executable, str(sample.HERE / "brightness_tracker.py")])
        run = self.page("--token", "5ecret", track=("--tracker", command, "-o", str(other), "--mode", "image"))
        self.assertRegex(run.said, r"open http://127.0.0.1:\d+/5ecret/ in")
        self.browse(run.address)
        status, out, error = run.end()
        self.assertEqual((status, error), (0, ""))
        self.assertIn("were started 1 times", out)
        self.assertEqual(tables(run.output), self.direct)

    def test_a_page_that_nobody_opens_ends_with_the_run(self):
        run = self.page()
        run.process.kill()
        run.process.wait()
        limit = time.monotonic() + 30
        while time.monotonic() < limit:
            try:
                socket.create_connection(("127.0.0.1", int(re.search(r":(\d+)/", run.address)[1])), 1).close()
            except ConnectionRefusedError:
                return
            time.sleep(0.1)
        self.fail("the page is served after the run was killed")

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
