"""FaceGauge from Python: run the program, read its records, write datasets and predictions, track with a function.

    import facegauge
    facegauge.to_dataset("faces.h5", images, face_frame=[0, 1], boxes=[[10, 20, 80, 90], [12, 22, 80, 90]])
    run = facegauge.evaluate("faces.h5", tracker=my_function)   # of an image and a time: the faces
    run["faces.recall"].value
    run.faces()                 # a table of labelled and predicted faces
    run                         # in a notebook: the report

The program does the work in a process of its own, and gives numbers through `record.json`, `predictions.h5` and tables.
`facegauge.command` runs any command of the program; `facegauge --help` lists them. Tables need pandas.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import warnings
import weakref
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence, TypeVar, overload

from .dataset import BLENDSHAPES, to_dataset
from .predictions import to_predictions
from .results import (
    Comparison, Equivariance, Finding, History, Measurement, Ranking, Response, Result, Run, Sweep, findings)
from .running import FaceGaugeError, FaceGaugeWarning, PathLike, command, option_name, program
from .tracking import Faces, Tracker, serve, track

__all__ = [
    "BLENDSHAPES", "Comparison", "Equivariance", "FaceGaugeError", "FaceGaugeWarning", "Finding", "History", "Measurement",
    "Ranking", "Response", "Result", "Run", "Sweep", "calibrate", "check", "command", "compare", "degrade", "equivariance",
    "evaluate", "history", "join", "profile", "program", "render", "response", "serve", "sweep", "to_dataset",
    "to_predictions", "track", "transform",
]

#: Exit statuses that leave a run: done, a gate failed, a gate or a sweep's objective is inconclusive.
_VERDICTS = {0: "pass", 2: "fail", 3: "inconclusive"}

#: Options of `evaluate` that are those of `track` where a tracker runs.
_OF_TRACK = ("mode", "paced", "fps", "time_limit", "max_bad_frames")

_Result = TypeVar("_Result", bound=Result)
_Run = TypeVar("_Run", bound=Run)


def __getattr__(name: str) -> Any:
    if name == "trackers":
        import importlib
        return importlib.import_module(".trackers", __name__)
    if name == "__version__":
        return command("--version", progress=False).stdout.split()[-1]
    raise AttributeError(f"module 'facegauge' has no attribute {name!r}")


def evaluate(dataset: PathLike, output: PathLike | None = None, *, predictions: PathLike | None = None,
             tracker: Tracker | str | None = None, scheme: str | None = None,
             gates: PathLike | Sequence[Mapping[str, Any]] | None = None, progress: bool | None = None,
             **options: Any) -> Run:
    """Evaluates the pipeline, another tracker's predictions, or a tracker, as `facegauge evaluate` does.

    Without `output` the run lives as long as the result. `gates` is a gates file, or a list of gates; a failed gate does not
    raise: see `Run.verdict`. Options are those of `facegauge help evaluate`: `num_faces=5, mode="video"`.

    `tracker` is a function of an image and a time, or a command (see `track`), and `scheme` that of its points. The options
    `mode` ("video" unless given), `paced`, `fps`, `time_limit` and `max_bad_frames` are then those of `facegauge help track`,
    and the others those that `facegauge evaluate --predictions` takes.
    """
    if tracker is None:
        return _run("evaluate", dataset, output=output, make=_of(dataset, Run), gates=gates, progress=progress,
                    predictions=predictions, **options)
    if predictions is not None:
        raise ValueError("expected predictions or a tracker, found both")
    if output is not None and os.path.lexists(output) and not options.get("force"):
        raise FaceGaugeError(73, f"cannot write {os.fspath(output)}: it exists already (force=True replaces it)")
    with tempfile.TemporaryDirectory(prefix="facegauge-") as scratch:
        ways = {key: options.pop(key) for key in _OF_TRACK if key in options}
        tracked = Path(scratch, "predictions.h5")
        _try(dataset, tracked, options, gates)
        track(dataset, tracker, tracked, scheme=scheme, progress=progress, **ways)
        return _run("evaluate", dataset, output=output, make=_of(dataset, Run), gates=gates, progress=progress,
                    predictions=tracked, **options)


def _try(dataset: PathLike, predictions: Path, options: Mapping[str, Any], gates: Any) -> None:
    """Raises what is wrong with options before there are predictions, so that nothing is tracked in vain."""
    # The program reads these after the predictions.
    for file in (gates, options.get("base")):
        if isinstance(file, (str, os.PathLike)) and not os.path.exists(file):
            raise FaceGaugeError(66, f"cannot read {os.fspath(file)}: no such file")
    try:
        _run("evaluate", dataset, output=predictions.with_name("run"), make=Run, gates=gates, progress=False,
             predictions=predictions, **options)
    except FaceGaugeError as error:
        # Folders of this process alone have that name.
        if error.status != 66 or predictions.parent.name not in str(error):
            raise


def sweep(dataset: PathLike, output: PathLike | None = None, *, thresholds: Mapping[str, Any],
          objective: str | Sequence[str] | None = None, progress: bool | None = None, **options: Any) -> Sweep:
    """Tries settings and recommends one, as `facegauge sweep` does.

    thresholds: by option name, or `expression:NAME` for a rule, the values to try, a list of numbers (12 digits count) or the
    text `LOW:HIGH:STEP`: `{"min_face_detection_confidence": [0.3, 0.5, 0.7]}`. `predictions` sweeps stored faces instead of
    the pipeline.
    """
    words = [
        f"{option_name(name)}=" + (values if isinstance(values, str) else ",".join(f"{float(one):.12g}" for one in values))
        for name, values in thresholds.items()]
    return _run("sweep", dataset, output=output, make=_of(dataset, Sweep), progress=progress, threshold=words,
                objective=objective, **options)


def profile(dataset: PathLike, output: PathLike | None = None, *,
            gates: PathLike | Sequence[Mapping[str, Any]] | None = None, progress: bool | None = None, **options: Any) -> Run:
    """Times the pipeline's stages, as `facegauge profile` does: `budget="pipeline.p95=20ms"`, `against="base/record.json"`."""
    return _run("profile", dataset, output=output, make=_of(dataset, Run), gates=gates, progress=progress, **options)


@overload
def compare(base: Run | PathLike, candidate: Run | PathLike, *, output: PathLike | None = None,
            gates: PathLike | Sequence[Mapping[str, Any]] | None = None, progress: bool | None = None,
            **options: Any) -> Comparison: ...


@overload
def compare(base: Run | PathLike, candidate: Run | PathLike, third: Run | PathLike, *others: Run | PathLike,
            output: PathLike | None = None, progress: bool | None = None, **options: Any) -> Ranking: ...


def compare(base: Run | PathLike, candidate: Run | PathLike, *others: Run | PathLike, output: PathLike | None = None,
            gates: PathLike | Sequence[Mapping[str, Any]] | None = None, progress: bool | None = None,
            **options: Any) -> Comparison | Ranking:
    """Compares two runs on the same frames, or ranks three and more, as `facegauge compare` does."""
    runs = [one.folder if isinstance(one, Result) else one for one in (base, candidate, *others)]
    if others:
        return _run("compare", *runs, output=output, make=Ranking, gates=gates, progress=progress, **options)
    return _run("compare", *runs, output=output, make=Comparison, gates=gates, progress=progress, **options)


def history(*runs: Run | PathLike, output: PathLike | None = None, metric: str | Sequence[str] | None = None,
            progress: bool | None = None) -> History:
    """Draws metrics over runs, marks shifts, and compares the newest run with the ten before it, as `facegauge history`
    does; by default the headlines of the newest run and of the ten before it, without latencies."""
    folders = [one.folder if isinstance(one, Result) else one for one in runs]
    return _run("history", *folders, output=output, make=History, decides=True, progress=progress, metric=metric, gate=True)


def response(run: Run | PathLike, output: PathLike | None = None, *, base: Run | PathLike | None = None,
             gates: PathLike | Sequence[Mapping[str, Any]] | None = None, progress: bool | None = None, **options: Any) -> Response:
    """Measures how a run's coefficients follow labelled ones, as `facegauge response` does; `base` is a run to compare with."""
    return _measured("response", Response, run, output, base, gates=gates, progress=progress, **options)


def equivariance(run: Run | PathLike, output: PathLike | None = None, *, base: Run | PathLike | None = None,
                 gates: PathLike | Sequence[Mapping[str, Any]] | None = None, progress: bool | None = None,
                 **options: Any) -> Equivariance:
    """Measures what a tracker did with the images of `transform`, as `facegauge equivariance` does."""
    return _measured("equivariance", Equivariance, run, output, base, gates=gates, progress=progress, **options)


def join(run: PathLike, *, progress: bool | None = None, **options: Any) -> Run:
    """Makes a run of the parts that shards wrote, as `facegauge join` does; a `Sweep` of those of a sweep."""
    if options.get("missing"):
        raise ValueError("expected no missing, which makes no run (facegauge.command prints the shards)")
    done = command("join", run, accept=tuple(_VERDICTS), progress=progress, **options)
    result = Run(run)
    if result.record.get("sweep") is not None:
        return Sweep(run)
    if result.record["gates"]:
        result.verdict = _VERDICTS[done.returncode]
    return result


def check(dataset: PathLike, predictions: PathLike, *, accept: str | Sequence[str] = ()) -> list[Finding]:
    """What makes labels and predictions speak of different things: mistakes that are found, suspect ones first."""
    done = command("check", dataset, predictions, *_accepting(accept), json=True, accept=(0, 3), progress=False)
    return findings(json.loads(done.stdout))


def calibrate(run: Run | PathLike, output: PathLike, *, progress: bool | None = None, **options: Any) -> dict[str, Any]:
    """Turns a run's scores into probabilities, as `facegauge calibrate` does; returns what it wrote to `output`."""
    command("calibrate", run.folder if isinstance(run, Result) else run, output=output, accept=(0, 3), progress=progress,
            **options)
    found: dict[str, Any] = json.loads(Path(output).read_text(encoding="utf-8"))
    return found


def degrade(dataset: PathLike, output: PathLike, *, progress: bool | None = None, **options: Any) -> Path:
    """Makes images worse in known steps, as `facegauge degrade` does: `by="blur,noise"`."""
    command("degrade", dataset, output=output, progress=progress, **options)
    return Path(output)


def transform(dataset: PathLike, output: PathLike, *, progress: bool | None = None, **options: Any) -> Path:
    """Writes images as they are, mirrored, turned and moved, as `facegauge transform` does: `by="mirror,repeat"`."""
    command("transform", dataset, output=output, progress=progress, **options)
    return Path(output)


def render(output: PathLike, design: str, *, progress: bool | None = None, **options: Any) -> Path:
    """Renders faces whose coefficients and pose are known, as `facegauge render` does: `people=12, seed=1`."""
    command("render", output=output, design=design, progress=progress, **options)
    return Path(output)


def _accepting(findings: str | Sequence[str]) -> tuple[str, ...]:
    """The options that accept findings, one or several."""
    return tuple(word for one in ([findings] if isinstance(findings, str) else findings) for word in ("--accept", one))


def _of(dataset: PathLike, kind: type[_Run]) -> Callable[..., _Run]:
    """Makes a run that knows its dataset."""
    def make(folder: PathLike, verdict: str | None) -> _Run:
        return kind(folder, verdict=verdict, dataset=dataset)
    return make


def _measured(name: str, make: Callable[..., _Result], run: Run | PathLike, output: PathLike | None, base: Run | PathLike | None,
              **options: Any) -> _Result:
    """A measurement of one run."""
    folders = [one.folder if isinstance(one, Result) else one for one in (run, base)]
    return _run(name, folders[0], output=output, make=make, base=folders[1], **options)


def _run(name: str, *words: Any, output: PathLike | None, make: Callable[..., _Result], gates: Any = None,
         decides: bool = False, progress: bool | None, **options: Any) -> _Result:
    """Runs a command that writes a folder, which lives as long as the result where no place for it is given."""
    if options.get("shard") is not None:
        raise ValueError("expected no shard, which makes no run (facegauge.command makes a part, and join the run)")
    words += _accepting(options.pop("accept", None) or ())
    own = None if output is not None else tempfile.mkdtemp(prefix="facegauge-")
    place = output if own is None else os.path.join(own, "run")
    try:
        with tempfile.TemporaryDirectory(prefix="facegauge-") as scratch:
            if gates is not None and not isinstance(gates, (str, os.PathLike)):
                asked = {"schema": "facegauge.gates", "version": 2, "gates": list(gates)}
                gates = Path(scratch, "gates.json")
                gates.write_text(json.dumps(asked), encoding="utf-8")
            done = command(name, *words, output=place, gates=gates, accept=tuple(_VERDICTS), progress=progress, **options)
        result = make(place, verdict=None)
        if decides or gates is not None or result.record.get("gates"):
            result.verdict = _VERDICTS[done.returncode]
    except BaseException:
        if own is not None:
            shutil.rmtree(own, ignore_errors=True)
        raise
    if own is not None:
        weakref.finalize(result, shutil.rmtree, own, ignore_errors=True)
    for finding in result._open():
        warnings.warn(f"{finding['summary']} {finding['remedy'] or ''}".rstrip(), FaceGaugeWarning, stacklevel=3)
    return result
