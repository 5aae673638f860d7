"""Starting the program: where it is, its options, its progress, and its errors."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from typing import IO, Any, Callable, Sequence, Union

PathLike = Union[str, "os.PathLike[str]"]


class FaceGaugeError(RuntimeError):
    """The program ended with an error: its one line, and the exit status (64 usage, 65 data, 66 no such input,
    69 a model or program is missing, 73 cannot write, 74 input or output)."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class FaceGaugeWarning(UserWarning):
    """A suspect finding: the numbers of a run are probably wrong."""


def program() -> str:
    """The path of the program: of $FACEGAUGE, else next to this Python, else in PATH."""
    folders = os.pathsep.join([sysconfig.get_path("scripts"), os.path.dirname(sys.executable)])
    found = os.environ.get("FACEGAUGE") or shutil.which("facegauge", path=folders) or shutil.which("facegauge")
    if found is None:
        raise FaceGaugeError(69, "cannot find the program facegauge: expected it next to Python or in PATH")
    return found


def command(*words: Any, accept: Sequence[int] = (0,), progress: bool | None = None,
            **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs a command: `command("validate", "faces.h5", decode=True)` is `facegauge validate faces.h5 --decode`.

    An option's name has `_` for `-`. True gives a flag, None and False nothing, a list the option once for each value.
    `progress` shows how far the program is, on standard error; by default in terminals and notebooks. Raises
    FaceGaugeError for an exit status that is not accepted.
    """
    return Running(line(*words, **options), progress).wait(accept)


def option_name(name: str) -> str:
    """The program's name of a setting; a rule of expressions keeps its own, in which `_` and `-` differ."""
    return name if name.startswith("expression:") else name.replace("_", "-")


def python_name(option: str) -> str:
    """The name of a setting in Python: what `option_name` takes."""
    return option if option.startswith("expression:") else option.replace("-", "_")


def line(*words: Any, **options: Any) -> list[str]:
    """The command line of `command`."""
    found = [program(), *map(str, words)]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        found += [word for one in values if one is not None and one is not False
                  for word in ([option] if one is True else [option, str(one)])]
    return found


class Running:
    """A started program. Its standard error is a terminal if progress is shown, because it shows progress there alone."""

    def __init__(self, words: Sequence[str], progress: bool | None = None) -> None:
        shown = ("ipykernel" in sys.modules or sys.stderr.isatty()) if progress is None else progress
        self._said: list[bytes] = []
        self._out: list[bytes] = []
        error: int | None = None
        theirs = subprocess.PIPE
        if shown:
            import pty
            try:
                error, theirs = pty.openpty()
                _set_width(theirs)
            except OSError:  # no pseudo-terminals, as in a root without /dev/pts
                shown = False
        try:
            self.process = subprocess.Popen(list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs)
        finally:
            if shown:
                os.close(theirs)
        assert self.process.stdout is not None
        stream: IO[bytes] = open(error, "rb", 0) if error is not None else self.process.stderr  # type: ignore[assignment]
        self._readers = [threading.Thread(target=_read, args=arguments, daemon=True) for arguments in (
            (self.process.stdout, self._out.append, None), (stream, self._said.append, _Shown() if shown else None))]
        for reader in self._readers:
            reader.start()

    def wait(self, accept: Sequence[int] = (0,)) -> subprocess.CompletedProcess[str]:
        """Waits for the end, and ends the program where it is interrupted; raises for a status that is not accepted."""
        try:
            status = self.process.wait()
        except BaseException:
            self.stop()
            raise
        for reader in self._readers:
            reader.join()
        out, said = (b"".join(part).decode(errors="replace") for part in (self._out, self._said))
        if status not in accept:
            raise FaceGaugeError(status, _message(said, status))
        return subprocess.CompletedProcess(self.process.args, status, out, said)

    def stop(self) -> None:
        """Ends the program, which removes what it has not finished."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for reader in self._readers:
            reader.join(5)


def _message(said: str, status: int) -> str:
    """The line of the error; what a shown progress drew over is not part of it."""
    plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", said.replace("\r\n", "\n"))
    lines = [text.split("\r")[-1].strip() for text in plain.split("\n")]
    lines = [text for text in lines if text]
    errors = [text[text.index("error: ") + len("error: "):] for text in lines if "error: " in text]
    return (errors or lines[-1:] or [f"facegauge ended with status {status}"])[0]


def _read(stream: IO[bytes], take: Callable[[bytes], None], show: Callable[[str], None] | None) -> None:
    with stream:
        while True:
            try:
                part = stream.read(65_536) if show is None else stream.read(4096)
            except OSError:  # the other end of a terminal is gone
                return
            if not part:
                return
            take(part)
            if show is not None:
                show(part.decode(errors="replace"))


class _Shown:
    """Passes on what is said by a program that takes longer than a second."""

    def __init__(self) -> None:
        self._begin = time.monotonic()

    def __call__(self, text: str) -> None:
        if time.monotonic() - self._begin > 1:
            sys.stderr.write(text)
            sys.stderr.flush()


def _set_width(terminal: int) -> None:
    import fcntl
    import struct
    import termios
    columns, lines = shutil.get_terminal_size()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
