"""FaceGauge from Python: run the program, read its record, write datasets.

    import facegauge
    facegauge.to_dataset("faces.h5", images, face_frame=[0, 1], boxes=[[10, 20, 80, 90], [12, 22, 80, 90]])
    run = facegauge.evaluate("faces.h5")
    run["detection.ap50"].value
    run                         # in a notebook: the report

The program does all the work in a process of its own; results come from `record.json` and `predictions.h5`.
`facegauge.command` runs any command of the program; `facegauge --help` lists them.
"""

from __future__ import annotations

import html
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from .dataset import PathLike, to_dataset

if TYPE_CHECKING:
    import h5py

__all__ = ["FaceGaugeError", "Measurement", "Run", "command", "evaluate", "program", "to_dataset"]

#: Exit statuses that leave a run: done, a gate failed, a gate is inconclusive.
_VERDICTS = {0: "pass", 2: "fail", 3: "inconclusive"}


class FaceGaugeError(RuntimeError):
    """The program ended with an error: its one line, and the exit status (64 usage, 65 data, 66 no such input,
    69 a model or program is missing, 73 cannot write, 74 input or output)."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Measurement:
    """A number of a record. `value` is None where it is undefined, and `reason` says why; `low` and `high` are the
    ends of its 95 % interval, None where there is none."""

    name: str
    title: str
    value: float | None
    unit: str
    n: int | None
    low: float | None
    high: float | None
    better: str | None
    stage: str | None
    slice: str | None
    reason: str | None


class Run:
    """A run's folder, as `facegauge evaluate` writes it. A notebook shows its report."""

    def __init__(self, folder: PathLike, *, verdict: str | None = None) -> None:
        self.folder = Path(folder)
        self.verdict = verdict
        self.record: dict[str, Any] = json.loads((self.folder / "record.json").read_text(encoding="utf-8"))

    @property
    def measurements(self) -> list[Measurement]:
        """All numbers of the record, those of slices included."""
        plain = ("name", "title", "value", "unit", "n", "better", "stage", "slice", "reason")
        return [
            Measurement(**{key: row[key] for key in plain},
                        **{end: (row["interval"] or {}).get(end) for end in ("low", "high")})
            for row in self.record["measurements"]]

    def __getitem__(self, name: str) -> Measurement:
        """The measurement of that name over all frames."""
        return {one.name: one for one in self.measurements if one.slice is None}[name]

    @property
    def gates(self) -> list[dict[str, Any]]:
        """The gates that were asked for, each with its verdict and message."""
        return self.record["gates"]

    @property
    def predictions(self) -> h5py.File:
        """The predictions, open for reading: `with run.predictions as file: file["faces/box"][:]`."""
        import h5py
        return h5py.File(self.folder / "predictions.h5", "r")

    @property
    def report(self) -> Path:
        """The report: one HTML file."""
        return self.folder / "report.html"

    def _repr_html_(self) -> str:
        page = html.escape(self.report.read_text(encoding="utf-8"), quote=True)
        return f'<iframe srcdoc="{page}" title="FaceGauge report" style="width:100%;height:80vh;border:0"></iframe>'

    def __repr__(self) -> str:
        named = set(self.record["headlines"])
        shown = [one for one in self.measurements if one.name in named and one.slice is None]
        return "\n".join([f"Run({str(self.folder)!r})", *(
            f"  {one.title}: " + ("undefined" if one.value is None else f"{one.value:.4g}")
            + ("" if one.unit == "1" else f" {one.unit}") for one in shown)])


def program() -> str:
    """The path of the program: of $FACEGAUGE, else next to this Python, else in PATH."""
    folders = os.pathsep.join([sysconfig.get_path("scripts"), os.path.dirname(sys.executable)])
    found = os.environ.get("FACEGAUGE") or shutil.which("facegauge", path=folders) or shutil.which("facegauge")
    if found is None:
        raise FaceGaugeError(69, "cannot find the program facegauge: expected it next to Python or in PATH")
    return found


def command(*words: Any, accept: Sequence[int] = (0,), **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs a command: `command("validate", "faces.h5", strict=True)` is `facegauge validate faces.h5 --strict`.

    An option's name has `_` for `-`. True gives a flag, None and False nothing, a list the option once for each value.
    Raises FaceGaugeError for an exit status that is not accepted.
    """
    line = [program(), *map(str, words)]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        line += [word for one in values if one is not None and one is not False
                 for word in ([option] if one is True else [option, str(one)])]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode not in accept:
        said = [text.strip() for text in done.stderr.splitlines() if text.strip()]
        errors = [text[len("error: "):] for text in said if text.startswith("error: ")]
        message = (errors or said[-1:] or [f"facegauge ended with status {done.returncode}"])[0]
        raise FaceGaugeError(done.returncode, message)
    return done


def evaluate(dataset: PathLike, output: PathLike | None = None, *, predictions: PathLike | None = None,
             gates: PathLike | Sequence[Mapping[str, Any]] | None = None, **options: Any) -> Run:
    """Evaluates the pipeline, or another tracker's predictions, on a dataset, as `facegauge evaluate` does.

    Without `output` the run lives as long as the result. `gates` is a gates file, or a list of gates; a failed gate does
    not raise: see `Run.verdict`. Options are those of `facegauge help evaluate`: `num_faces=5, mode="video"`.
    """
    own = None if output is not None else tempfile.mkdtemp(prefix="facegauge-")
    output = output if own is None else os.path.join(own, "run")
    with tempfile.TemporaryDirectory(prefix="facegauge-") as scratch:
        if gates is not None and not isinstance(gates, (str, os.PathLike)):
            asked = {"schema": "facegauge.gates", "version": 2, "gates": list(gates)}
            gates = Path(scratch, "gates.json")
            gates.write_text(json.dumps(asked), encoding="utf-8")
        try:
            done = command("evaluate", dataset, output=output, predictions=predictions, gates=gates,
                           accept=tuple(_VERDICTS), **options)
        except BaseException:
            if own is not None:
                shutil.rmtree(own, ignore_errors=True)
            raise
    run = Run(output, verdict=_VERDICTS[done.returncode] if gates is not None else None)
    if own is not None:
        weakref.finalize(run, shutil.rmtree, own, ignore_errors=True)
    return run
