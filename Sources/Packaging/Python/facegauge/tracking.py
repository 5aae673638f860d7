"""A function as a tracker: `facegauge track` sends it the frames of a dataset, as it does any other program.

The function runs in this process. The program starts `_relay.py` as the tracker, which hands its two ends of the protocol
over and waits, so that frames come from the program's pipe without another copy.
"""

from __future__ import annotations

import io
import json
import os
import select
import shlex
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Sequence, Union
from urllib.parse import urlsplit

from .dataset import BLENDSHAPES, shaped, whole
from .running import PathLike, Running, line

#: What a tracker returns for a frame: a face each as a mapping, or rows of boxes, or of boxes and a score; None for none.
Faces = Union[Iterable[Mapping[str, Any]], Any, None]
#: A tracker: RGB as uint8 of shape [H, W, 3], and the frame's time in seconds, None for a still.
Tracker = Callable[[Any, "float | None"], Faces]

#: The keys of a face with lists of numbers, and how many decimals they keep.
_LISTS = {"box": 4, "points": 4, "unsmoothed": 4, "region": 6, "transform": 6}
_NUMBERS = ("presence", "score", "tongue_out")
_RELAY = Path(__file__).with_name("_relay.py")


def track(dataset: PathLike, tracker: Tracker | str | Sequence[str], output: PathLike, *, name: str | None = None,
          scheme: str | None = None, models: Sequence[Mapping[str, str]] = (),
          settings: Mapping[str, Any] | None = None, progress: bool | None = None, **options: Any) -> Path:
    """Runs a tracker over a dataset, as `facegauge track` does, and writes its predictions to `output`.

    The loop is closed: a frame comes when the one before is answered. With `paced=True` frames of videos come at their
    times, or `fps` a second, and those that a newer one replaces before the tracker is free are dropped.

    tracker: a command of the line protocol, or a function of an image (uint8 RGB, [H, W, 3]) and the frame's time in
    seconds, 0 for the first one of most videos (None for a still), that returns the faces: mappings with any of `box` (x, y, width,
    height in pixels), `points` ([K, 2] or [K, 3] in pixels, NaN for unknown), `score`, `presence`, `identity`,
    `blendshapes` (by name, or 52 in MediaPipe's order), `transform` ([4, 4]), `attributes` (numbers by name), or an array [n, 4] of boxes or [n, 5]
    of boxes and scores. It is timed without the conversion of what it returns. What it raises ends the run and is raised
    here. It may have methods: `reset()`, called before each video and each still; `begin(frame)` with the number of the
    image in the dataset, before each; `faces(returned, width, height)`, which makes the faces of what it returned, untimed.

    scheme: that of the points, such as "ibug68"; else the tracker's own `scheme`. name, models, settings: what the
    predictions say of the tracker, else its own attributes, and `device`, facts of the device by name. A method `readings()`
    returns numbers of the device by name, such as its temperature, and is asked once a second; what is unknown is left out,
    but not the first time. Options are those of `facegauge help track`: `mode="image"`. What the tracker raises after 256
    frames does not lose them: `resume=True` goes on.
    """
    if not callable(tracker):
        if name or scheme or models or settings:
            raise ValueError("expected name, scheme, models and settings of a function: a command states its own")
        words = tracker if isinstance(tracker, str) else shlex.join(tracker)
        Running(line("track", dataset, tracker=words, output=output, **options), progress).wait()
        return Path(output)
    hello = _hello(tracker, name, scheme, models, settings)
    # The path of a socket has 107 bytes at most.
    short = None if len(tempfile.gettempdir()) < 80 else "/tmp"
    with tempfile.TemporaryDirectory(prefix="facegauge-", dir=short) as folder:
        place = os.path.join(folder, "s")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(place)
            server.listen(4)
            words = shlex.join([sys.executable, "-I", "-S", str(_RELAY), place])
            running = Running(line("track", dataset, tracker=words, output=output, **options), progress)
            try:
                while running.process.poll() is None:
                    if select.select([server], [], [], 0.02)[0]:
                        with server.accept()[0] as relay:
                            _serve(relay, tracker, hello)
            except BaseException:
                running.stop()
                raise
            running.wait()
    return Path(output)


def serve(tracker: Tracker, *, name: str | None = None, scheme: str | None = None, connect: str | None = None) -> None:
    """Makes this program a tracker of the line protocol: `facegauge track faces.h5 --tracker "python mine.py"`.

    Answers the requests on standard input until they end; what else is printed goes to standard error. With `connect` it
    answers those of a `facegauge track` on another machine that waits for it (`--tracker listen://host:port`): the
    address that it shows, `tcp://host:port/token`. After each end it connects again, until nobody is there; a method
    `restart` of the tracker is called before, to load its model anew.
    """
    hello = _hello(tracker, name, scheme, (), None)
    if connect is not None:
        hello["restarts"] = True
        _follow(connect, tracker, hello)
        return
    ends = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    _answer(io.BufferedReader(io.FileIO(ends[0]), 1 << 20), io.BufferedWriter(io.FileIO(ends[1], "w")), tracker, hello)


def _follow(address: str, tracker: Tracker, hello: Mapping[str, Any]) -> None:
    """Connects, answers until the end, and connects again, until nobody asks."""
    was_served = False
    restart = getattr(tracker, "restart", None)
    while True:
        try:
            joined = connection(address)
        except OSError:
            if was_served:
                return
            raise
        was_asked = False
        with joined, joined.makefile("rb", 1 << 20) as requests, joined.makefile("wb") as answers:
            if was_served and restart is not None:
                restart()
            try:
                was_asked = _answer(requests, answers, tracker, hello)
            except ConnectionError:
                if not was_served:
                    raise
        if not was_asked and was_served:
            return
        if not was_asked:
            raise ConnectionError(f"{address} was closed before its first request: expected another token, or an earlier time")
        was_served = True


def connection(address: str) -> socket.socket:
    """A connection to tcp://host:port/token, the token presented."""
    parts = urlsplit(address)
    if parts.scheme != "tcp" or not parts.hostname or parts.port is None:
        raise ValueError(f"expected tcp://host:port/token, found {address!r}")
    joined = socket.create_connection((parts.hostname, parts.port), 10)
    joined.settimeout(None)
    joined.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    token = parts.path.strip("/")
    if token:
        joined.sendall(json.dumps({"token": token}).encode() + b"\n")
    return joined


def _hello(tracker: Tracker, name: str | None, scheme: str | None, models: Sequence[Mapping[str, str]],
           settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """The first line of the tracker."""
    scheme = scheme or getattr(tracker, "scheme", None)
    facts = getattr(tracker, "facts", ["detector_boxes"] if scheme is None else [])
    models = models or getattr(tracker, "models", ())
    settings = settings or getattr(tracker, "settings", None)
    device = getattr(tracker, "device", None)
    readings: Mapping[str, float] = getattr(tracker, "readings", dict)()
    return {
        "protocol": "facegauge.tracker", "version": 2, "inputs": ["rgb"], "stages": ["total"],
        "name": name or getattr(tracker, "name", None) or getattr(tracker, "__name__", type(tracker).__name__),
        **({"scheme": scheme} if scheme else {}), **({"facts": list(facts)} if facts else {}),
        **({"models": [dict(one) for one in models]} if models else {}),
        **({"options": {key: str(value) for key, value in settings.items()}} if settings else {}),
        **({"device": {key: str(value) for key, value in device.items()}} if device else {}),
        **({"readings": list(readings)} if readings else {})}


def _serve(relay: socket.socket, tracker: Tracker, hello: Mapping[str, Any]) -> None:
    """Answers one start of the tracker until its requests end, and lets the relay end."""
    _, ends, _, _ = socket.recv_fds(relay, 1, 2)
    try:
        with io.BufferedReader(io.FileIO(ends[0]), 1 << 20) as requests, \
                io.BufferedWriter(io.FileIO(ends[1], "w")) as answers:
            _answer(requests, answers, tracker, hello)
        relay.sendall(b"0")
    except BrokenPipeError:  # the program ended, and says why
        return


def _answer(requests: Any, answers: Any, tracker: Tracker, hello: Mapping[str, Any]) -> bool:
    """Sends the first line, then answers until the requests end; whether there were any."""
    import numpy as np
    begin, reset = getattr(tracker, "begin", None), getattr(tracker, "reset", None)
    convert = getattr(tracker, "faces", None)

    def send(message: Mapping[str, Any]) -> None:
        answers.write(json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n")
        answers.flush()

    send(hello)
    was_asked = False
    taken = 0
    readings: Mapping[str, float] = {}
    for text in _lines(requests):
        was_asked = True
        asked = time.perf_counter_ns()
        request = json.loads(text)
        if "sync" in request:
            send({"sync": request["sync"], "received_ns": asked, "sent_ns": time.perf_counter_ns()})
            continue
        width, height = request["width"], request["height"]
        image = np.empty((height, width, 3), "u1")
        if requests.readinto(image.reshape(-1).data) != image.size:
            return was_asked
        received = time.perf_counter_ns()
        if reset is not None and request["reset"]:
            reset()
        if begin is not None:
            begin(request["frame"])
        start = time.perf_counter_ns()
        found = tracker(image, request["timestamp_us"] / 1e6 if request["video"] else None)
        answer: dict[str, Any] = {
            "frame": request["frame"], "stages_ns": {"total": time.perf_counter_ns() - start}, "received_ns": received}
        if not request.get("times_only"):
            if convert is not None:
                found = convert(found, width, height)
            answer["faces"] = faces(found, hello.get("scheme"), np)
        answer["finished_ns"] = time.perf_counter_ns()
        if hello.get("readings"):
            if not readings or answer["finished_ns"] - taken > 10**9:
                taken, readings = answer["finished_ns"], tracker.readings()  # type: ignore[attr-defined]
            answer["readings"] = {name: float(value) for name, value in readings.items() if np.isfinite(value)}
        send(answer)
    return was_asked


def _lines(requests: Any) -> Iterable[bytes]:
    """The lines of requests; none where the other end refuses the connection."""
    try:
        text = requests.readline()
    except ConnectionResetError:
        return
    while text:
        yield text
        text = requests.readline()


def faces(found: Faces, scheme: str | None, np: Any) -> list[dict[str, Any]]:
    """The faces of an answer, as the protocol has them."""
    if found is None:
        return []
    if isinstance(found, Mapping):
        found = [found]
    if hasattr(found, "ndim"):
        rows = np.asarray(found, "f8")
        if rows.size == 0:
            return []
        if rows.ndim != 2 or rows.shape[1] not in (4, 5):
            raise ValueError(f"expected boxes of shape [n, 4], or [n, 5] with scores, found {list(rows.shape)}")
        found = [{"box": row[:4], **({"score": row[4]} if len(row) == 5 else {})} for row in rows]
    return [_face(one, scheme, np) for one in found]


def _face(given: Mapping[str, Any], scheme: str | None, np: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise TypeError("expected a mapping for each face, such as {'box': [x, y, w, h]}, or an array [n, 4] of boxes, "
                        f"found {type(given).__name__}")
    unknown = given.keys() - _LISTS.keys() - set(_NUMBERS) - {"identity", "blendshapes", "attributes", "tracked", "hidden"}
    if unknown:
        raise ValueError(f"expected the keys of a face, found {sorted(unknown)[0]!r}")
    if given.get("points") is not None and scheme is None:
        raise ValueError("expected the scheme of the points, such as scheme='ibug68'")
    face: dict[str, Any] = {}
    for key, value in given.items():
        if value is None:
            continue
        if key in _LISTS:
            face[key] = _numbers(value, key, np)
        elif key in _NUMBERS:
            if np.isfinite(float(value)):
                face[key] = float(value)
        elif key == "identity":
            number = int(whole(value, (), key, np, missing=-1))
            if number >= 0:
                face[key] = number
        elif key in ("blendshapes", "attributes"):
            if key == "blendshapes" and not isinstance(value, Mapping):
                value = dict(zip(BLENDSHAPES, shaped(value, (len(BLENDSHAPES),), key, np)))
            face[key] = {str(name): float(one) for name, one in value.items() if np.isfinite(float(one))}
        elif key == "tracked":
            face[key] = bool(value)
        else:
            face[key] = [None if one is None or one != one else bool(one) for one in value]
    return face


def _numbers(value: Any, key: str, np: Any) -> list[float | None]:
    """Numbers in one list, None for unknown ones."""
    table = np.asarray(value, "f8")
    if key in ("points", "unsmoothed") and table.ndim > 1 and (table.ndim > 2 or table.shape[1] not in (2, 3)):
        raise ValueError(f"expected {key} of shape [K, 2] or [K, 3], found {list(table.shape)}")
    flat = table.reshape(-1)
    known = np.isfinite(flat)
    rounded: list[float | None] = flat.round(_LISTS[key]).tolist()
    return rounded if known.all() else [one if fine else None for one, fine in zip(rounded, known)]
