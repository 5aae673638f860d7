"""Times a report in headless Chromium: `time_page.py REPORT.html [REPEATS]`.

Prints milliseconds from the start of navigation until the page answers (its script is done, a frame of the
display was drawn since), then of steps that a reader takes: the next frame, a selection, a slider. Medians of
REPEATS loads, 5 by default, each in a browser of its own.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = "/usr/bin/chromium"
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars"]

READY = """new Promise((done, fail) => {
  const wait = () => document.documentElement.dataset.ready || document.documentElement.dataset.error
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now())))
    : performance.now() > 20000 ? fail(new Error("not ready after 20 s")) : setTimeout(wait, 1);
  wait();
})"""

STEP = """new Promise((done) => {
  const start = performance.now();
  (() => { %s })();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
})"""

STEPS = {
    "next frame": "document.querySelector('[aria-label=\"Next frame\"]')?.click()",
    "selection of all errors": "const menu = document.querySelector('[aria-label=\"Frames to show\"]');"
    "if (menu) { menu.value = 'errors:1:'; menu.dispatchEvent(new Event('change')); }",
    "threshold": "const slider = document.querySelector('#threshold-slider');"
    "if (slider) { slider.value = 100; slider.dispatchEvent(new Event('input')); }",
}


class Browser:
    """A browser that is driven over a pipe."""

    def __init__(self, size=(1280, 1000)):
        self.profile = tempfile.TemporaryDirectory()
        (reading, commands), (answers, writing) = os.pipe(), os.pipe()

        def place():
            low = os.dup(reading), os.dup(writing)
            os.dup2(low[0], 3)
            os.dup2(low[1], 4)

        self.process = subprocess.Popen(
            [PROGRAM, *OPTIONS, f"--user-data-dir={self.profile.name}",
             f"--window-size={size[0]},{size[1]}", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(reading)
        os.close(writing)
        self.input = os.fdopen(commands, "wb", buffering=0)
        self.output = os.fdopen(answers, "rb")
        self.number = 0
        self.session = None
        target = next(
            one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.call(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.input.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = bytearray()
            while (byte := self.output.read(1)) != b"\0":
                if not byte:
                    raise RuntimeError("the browser ended")
                answer += byte
            answer = json.loads(answer)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]

    def value(self, expression):
        result = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:500])
        return result["result"].get("value")

    def open(self, page):
        self.call("Page.enable")
        self.call("Page.navigate", url=page)
        while self.value("location.href") == "about:blank":
            pass
        return self.value(READY)

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()
        self.input.close()
        self.output.close()
        # Helpers of the browser may write to its profile for a moment after it has ended.
        for attempt in range(50):
            try:
                return self.profile.cleanup()
            except OSError:
                if attempt == 49:
                    raise
                time.sleep(0.1)


def main():
    page = sys.argv[1]
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    times = {"interactive": []} | {name: [] for name in STEPS}
    for _ in range(repeats):
        browser = Browser()
        times["interactive"].append(browser.open("file://" + os.path.abspath(page)))
        error = browser.value("document.documentElement.dataset.error || ''")
        if error:
            sys.exit(error)
        for name, action in STEPS.items():
            times[name].append(browser.value(STEP % action))
        browser.close()
    print(f"{page}: {os.path.getsize(page):,} bytes")
    for name, values in times.items():
        print(f"  {name:24} {statistics.median(values):8.1f} ms  ({min(values):.1f} to {max(values):.1f})")


if __name__ == "__main__":
    main()
