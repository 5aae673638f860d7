"""A tracker in a browser, on this machine or on a phone: serves a page that receives frames and sends faces.

    facegauge track clips.h5 --tracker 'python3 -m facegauge.web mine.js' -o mine.h5

`mine.js` is a module with two functions; the guide Devices describes them. Needs aiohttp (the extra `web` of the wheel).
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import secrets
import ssl
import sys
import threading
from pathlib import Path
from typing import Any, Awaitable, Callable, Mapping

from ..running import PathLike

#: Bytes that a page may send in one message, as in the protocol.
MAX_ANSWER = 32 << 20
HERE = Path(__file__).parent
#: Trackers that come with the module, by name.
ADAPTERS = {"mediapipe": HERE / "mediapipe.js", "onnx": HERE / "onnx.js"}
# Isolated pages have a finer clock and may use threads.
HEADERS = {
    "Cache-Control": "no-store", "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'self' blob:; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; "
                               "style-src 'unsafe-inline'; frame-ancestors 'none'"}


def serve(tracker: PathLike, *, files: PathLike | None = None, options: Mapping[str, str] | None = None,
          host: str = "127.0.0.1", port: int = 0, shown_host: str | None = None, token: str | None = None,
          certificate: PathLike | None = None, key: PathLike | None = None) -> None:
    """Makes this program a tracker of the line protocol whose work a page does.

    tracker: a JavaScript module, or the name of one of `ADAPTERS`. files: a folder that the page may read, such as that
    of a model. options: what `init` is given. host, port: where the page is served; port 0 takes a free one.
    shown_host: the host in the address that is shown, if it is another one, as with `adb reverse`. token: the secret part
    of the address; by default a random one. certificate, key: PEM files for https, without which browsers give pages of
    other machines no WebGPU, no threads and no lock on the screen.
    """
    module = ADAPTERS.get(str(tracker), Path(tracker))
    for path in [module] + [Path(one) for one in (files, certificate, key) if one is not None]:
        if not path.exists():
            raise FileNotFoundError(f"cannot serve {path}: no such file")
    answers = os.dup(1)
    os.dup2(2, 1)
    relay = _Relay(module, Path(files) if files is not None else None, dict(options or {}),
                   token or secrets.token_urlsafe(12), answers)
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
    asyncio.run(relay.run(host, port, shown_host or host, context))


class _Relay:
    """Requests from standard input to one page, and its answers to standard output."""

    def __init__(self, module: Path, files: Path | None, options: Mapping[str, str], token: str, answers: int) -> None:
        self._module, self._files, self._options, self._token = module, files, options, token
        self._answers = answers
        self._page: Any = None
        self._is_done = False
        self._end: asyncio.Future[str | None]
        self._waiting: asyncio.Queue[bytes]

    async def run(self, host: str, port: int, shown: str, context: ssl.SSLContext | None) -> None:
        from aiohttp import web  # type: ignore[import-not-found, unused-ignore]
        self._web = web
        self._end = asyncio.get_running_loop().create_future()
        self._read()
        app = web.Application(middlewares=[self._guarded])
        root = "/" + self._token
        app.router.add_get(root + "/", self._file(HERE / "page.html"))
        app.router.add_get(root + "/tracker.js", self._file(self._module))
        app.router.add_get(root + "/frames", self._frames)
        if self._files is not None:
            app.router.add_static(root + "/files/", self._files)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        site = web.TCPSite(runner, host, port, ssl_context=context)
        try:
            await site.start()
            port = runner.addresses[0][1]
            name = f"[{shown}]" if ":" in shown else shown
            self._write({"note": f"open {'https' if context else 'http'}://{name}:{port}{root}/ in a browser"})
            said = await self._end
        finally:
            await runner.cleanup()
        if said is not None:
            raise ConnectionError(said)

    def _write(self, message: Mapping[str, Any]) -> None:
        self._send(json.dumps(message, separators=(",", ":")))

    def _send(self, text: str) -> None:
        line = text.encode() + b"\n"
        while line:
            line = line[os.write(self._answers, line):]

    def _file(self, path: Path) -> Callable[[Any], Awaitable[Any]]:
        async def get(request: Any) -> Any:
            return self._web.FileResponse(path)
        return get

    @property
    def _guarded(self) -> Any:
        from aiohttp import web

        @web.middleware
        async def guarded(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
            origin = request.headers.get("Origin")
            if origin is not None and origin != f"{request.scheme}://{request.host}":
                return web.Response(status=403, text="another origin\n")
            response = await handler(request)
            if not response.prepared:
                response.headers.update(HEADERS)
            return response
        return guarded

    async def _frames(self, request: Any) -> Any:
        """The connection of the page: its first line, then an answer for each request."""
        import aiohttp
        web = self._web
        if self._page is not None:
            return web.Response(status=409, text="another page is connected\n")
        if request.headers.get("Origin") is None:
            return web.Response(status=403, text="no origin\n")
        page = self._page = web.WebSocketResponse(max_msg_size=MAX_ANSWER, compress=False)
        await page.prepare(request)
        reader: asyncio.Task[None] | None = None
        said: str | None = "the page was closed"
        try:
            await page.send_str(json.dumps({"options": self._options}))
            async for message in page:
                problem = _problem(message, web)
                if problem is not None:
                    said = problem
                    break
                if reader is None and "note" in json.loads(message.data):
                    said = f"the page failed: {json.loads(message.data)['note']}"
                    break
                if reader is None:
                    # Each start needs a person who opens the page.
                    self._write({**json.loads(message.data), "restarts": False})
                    reader = asyncio.create_task(self._requests(page))
                else:
                    self._send(message.data)
            if self._is_done:
                said = None
            elif page.close_code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG:
                said = f"the page sent what it may not: expected at most {MAX_ANSWER} bytes, found more"
        finally:
            if reader is not None:
                reader.cancel()
            if not self._end.done():
                self._end.set_result(said)
        return page

    def _read(self) -> None:
        """Starts to read requests; their end before there is a page ends this program too."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Queue[bytes] = asyncio.Queue()
        self._waiting = waiting

        def end() -> None:
            waiting.put_nowait(b"")
            if self._page is None and not self._end.done():
                self._end.set_result("the requests ended before a page was open")

        def read() -> None:
            requests = io.BufferedReader(io.FileIO(0, closefd=False), 1 << 20)
            try:
                while line := requests.readline():
                    request = json.loads(line)
                    line += requests.read(request.get("rgb_bytes") or request.get("image_bytes") or 0)
                    loop.call_soon_threadsafe(waiting.put_nowait, line)
                loop.call_soon_threadsafe(end)
            except RuntimeError:  # the loop has ended
                return

        # A daemon: a read that waits for the program keeps nothing from ending.
        threading.Thread(target=read, daemon=True).start()

    async def _requests(self, page: Any) -> None:
        """Sends the requests until they end, each with its bytes."""
        while message := await self._waiting.get():
            await page.send_bytes(message)
        self._is_done = True
        await page.close()


def _problem(message: Any, web: Any) -> str | None:
    """What is wrong with a message of the page; None for one line of JSON."""
    if message.type == web.WSMsgType.ERROR:
        return "the page sent what it may not: expected messages of WebSocket, found others"
    if message.type != web.WSMsgType.TEXT:
        return "the page sent what it may not: expected text, found bytes"
    try:
        if "\n" in message.data or not isinstance(json.loads(message.data), dict):
            raise ValueError
    except (ValueError, RecursionError):
        return "the page sent what it may not: expected an object of JSON in one line"
    return None
