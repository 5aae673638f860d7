"""What the program's commands leave: records, measurements, tables, findings."""

from __future__ import annotations

import difflib
import html
import importlib
import json
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .running import PathLike, command, python_name

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped, unused-ignore]
    import pandas


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


@dataclass(frozen=True)
class Finding:
    """What makes numbers wrong or changes what they mean. `severity` is "suspect" or "note"; `before` and `after` are the
    statistic as things are and with the remedy."""

    name: str
    severity: str
    summary: str
    statistic: str
    before: float | None
    after: float | None
    n: int
    remedy: str | None


class Result:
    """A folder with a record and a report. A notebook shows the report."""

    def __init__(self, folder: PathLike, *, verdict: str | None = None) -> None:
        self.folder = Path(folder)
        #: "pass", "fail" or "inconclusive" where there are gates: of a file, of a budget, against another build; else None.
        self.verdict = verdict
        self.record: dict[str, Any] = json.loads((self.folder / self._file).read_text(encoding="utf-8"))

    _file = "record.json"

    @property
    def gates(self) -> list[dict[str, Any]]:
        """The gates that were asked for, each with its verdict and message."""
        gates: list[dict[str, Any]] = self.record.get("gates", [])
        return gates

    def _open(self) -> list[dict[str, Any]]:
        """The suspect findings that nobody accepted."""
        return [one for one in self.record.get("findings") or [] if one["severity"] == "suspect" and not one.get("isAccepted")]

    @property
    def report(self) -> Path:
        """The report: one HTML file."""
        return self.folder / "report.html"

    def _repr_html_(self) -> str:
        page = html.escape(self.report.read_text(encoding="utf-8"), quote=True)
        return f'<iframe srcdoc="{page}" title="FaceGauge report" style="width:100%;height:80vh;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.folder)!r})"


class Run(Result):
    """A run of `evaluate`, `sweep` or `profile`."""

    def __init__(self, folder: PathLike, *, verdict: str | None = None, dataset: PathLike | None = None) -> None:
        super().__init__(folder, verdict=verdict)
        self._dataset = dataset

    @property
    def measurements(self) -> list[Measurement]:
        """All numbers of the record, those of slices included."""
        plain = ("name", "title", "value", "unit", "n", "better", "stage", "slice", "reason")
        rows: list[dict[str, Any]] = [
            {key: row[key] for key in plain} | {end: (row["interval"] or {}).get(end) for end in ("low", "high")}
            for row in self.record["measurements"]]
        return [Measurement(**row) for row in rows]

    def __getitem__(self, name: str) -> Measurement:
        """The measurement of that name over all frames."""
        known = {one.name: one for one in self.measurements if one.slice is None}
        if name not in known:
            near = difflib.get_close_matches(name, known, 1) or [one for one in known if one.split(".")[-1] == name][:1]
            raise KeyError(f"no metric {name!r}" + (f", perhaps {near[0]!r}" if near else ""))
        return known[name]

    @property
    def findings(self) -> list[Finding]:
        """What makes the numbers suspect, or changes what they mean."""
        return findings(self.record.get("findings") or [])

    def metrics(self) -> pandas.DataFrame:
        """All measurements as a table, a row each: name, value, low, high, unit, n, better, slice, reason."""
        import pandas
        rows = [vars(one) for one in self.measurements]
        order = ["name", "value", "low", "high", "unit", "n", "better", "slice", "reason", "stage", "title"]
        return pandas.DataFrame(rows, columns=order)

    def faces(self, dataset: PathLike | None = None) -> pandas.DataFrame:
        """A row for each labelled and each predicted face: pairing, overlap, error, the reason of a miss.

        The columns are those of `facegauge export faces`. `dataset` is the labels' file where it is no longer at its
        former path.
        """
        import pandas
        with tempfile.TemporaryDirectory(prefix="facegauge-") as scratch:
            file = os.path.join(scratch, "faces.csv")
            command("export", "faces", self.folder, of=dataset or self._dataset, output=file, progress=False)
            # A name such as NA is one; only what is empty has no value.
            return pandas.read_csv(file, dtype={"name": str, "sequence": str, "subject": str, "slices": str},
                                   keep_default_na=False, na_values=[""])

    def frames(self, dataset: PathLike | None = None) -> pandas.DataFrame:
        """A row for each frame that has a labelled or a predicted face: labelled, found, missed and false faces, the mean
        NME of found ones, and how long the frame took in milliseconds.

        found, missed and false are NaN where they are not known: in frames that were not analysed, and in all frames of
        predictions of a detector alone or of a dataset without labels.
        """
        table = self.faces(dataset)
        is_label, is_counted = table["label_state"] == "labelled", table["face"].notna()
        table = table.assign(
            labelled=is_label, found=table["label"].notna() & (table["face"] == "found"),
            missed=table["face"] == "missed", false=table["face"] == "false", unknown=is_label & ~is_counted)
        keys = ["frame", "name", "sequence", "subject", "time_s", "status"]
        counts = table.groupby(keys, dropna=False, sort=True).agg(
            labelled=("labelled", "sum"), found=("found", "sum"), missed=("missed", "sum"), false=("false", "sum"),
            nme_interocular=("nme_interocular", "mean"), unknown=("unknown", "any")).reset_index()
        is_unknown = counts.pop("unknown") | (not is_counted.any())
        for name in ("found", "missed", "false"):
            counts[name] = counts[name].mask(is_unknown)
        times = self._milliseconds()
        return counts.assign(total_ms=[times[frame] for frame in counts["frame"]])

    def _milliseconds(self) -> Any:
        """How long each frame took; NaN where it is not known."""
        import numpy as np
        with self.predictions as file:
            table = file["frames/stage_ns"]
            stages = [str(one) for one in table.attrs["stages"]]
            spent = table[:, stages.index("total") if "total" in stages else -1]
        return np.where(spent == np.uint64(2 ** 64 - 1), np.nan, spent.astype("f8") / 1e6)

    def log_to_mlflow(self) -> None:
        """Logs options, metrics and the report to the active run of MLflow, which MLflow starts where there is none.

        A metric over all frames has its name, with `_` for `@`; the ends of its interval have `.low` and `.high`
        after it. What is undefined is not logged.
        """
        mlflow = importlib.import_module("mlflow")
        mlflow.log_params(self.record["options"])
        mlflow.set_tags(self._origin())
        values, ends = self._numbers()
        mlflow.log_metrics(values)
        mlflow.log_metrics(ends)
        for name in self._shared:
            mlflow.log_artifact(str(self.folder / name), "facegauge")

    def log_to_wandb(self) -> None:
        """Logs options, metrics and the report to the active run of Weights & Biases, under the names of `log_to_mlflow`."""
        wandb = importlib.import_module("wandb")
        if wandb.run is None:
            raise RuntimeError("cannot log to Weights & Biases: expected an active run, found none (call wandb.init first)")
        wandb.run.config.update({**self.record["options"], **self._origin()}, allow_val_change=True)
        values, ends = self._numbers()
        report = wandb.Html(self.report.read_text(encoding="utf-8"), inject=False)
        wandb.run.log({**values, **ends, "report": report})
        artifact = wandb.Artifact(f"facegauge-{wandb.run.id}", "evaluation")
        for name in self._shared:
            artifact.add_file(str(self.folder / name))
        wandb.run.log_artifact(artifact)

    _shared = ("record.json", "report.html", "report.md")

    def _origin(self) -> dict[str, str]:
        dataset, tool = self.record["dataset"], self.record["tool"]
        tags = {"dataset": dataset["name"], "dataset_sha256": dataset["sha256"], "version": tool["version"],
                "verdict": self.verdict}
        return {f"facegauge.{name}": value for name, value in tags.items() if value is not None}

    def _numbers(self) -> tuple[dict[str, float], dict[str, float]]:
        """The values of metrics over all frames, and the ends of their intervals, by names that other tools take."""
        values: dict[str, float] = {}
        ends: dict[str, float] = {}
        for one in self.measurements:
            if one.slice is None and one.value is not None:
                name = re.sub(r"[^\w.-]", "_", one.name)
                values[name] = one.value
                if one.low is not None and one.high is not None:
                    ends |= {f"{name}.low": one.low, f"{name}.high": one.high}
        return values, ends

    @property
    def predictions(self) -> h5py.File:
        """The predictions, open for reading: `with run.predictions as file: file["faces/box"][:]`."""
        import h5py  # type: ignore[import-untyped, unused-ignore]
        return h5py.File(self.folder / "predictions.h5", "r")

    def __repr__(self) -> str:
        suspect = [f"  suspect: {one['summary']} {one['remedy'] or ''}".rstrip() for one in self._open()]
        named = set(self.record["headlines"])
        shown = [one for one in self.measurements if one.name in named and one.slice is None]
        return "\n".join([super().__repr__(), *suspect, *(
            f"  {one.title}: " + (f"undefined: {one.reason}" if one.value is None else f"{one.value:.4g}"
                                  + ("" if one.unit == "1" else f" {one.unit}"))
            + ("" if one.low is None else f" ({one.low:.4g} to {one.high:.4g})") for one in shown)])


class Sweep(Run):
    """A run of `sweep`."""

    @property
    def settings(self) -> dict[str, float]:
        """The settings to use, by option name: the recommended ones, or the default where the sweep keeps it."""
        text = command("settings", self.folder, emit="json", progress=False).stdout
        return {python_name(key): value for key, value in json.loads(text)["settings"].items()}

    def table(self) -> pandas.DataFrame:
        """A row for each setting that was tried, with its values and metrics."""
        import pandas
        swept = self.record["sweep"]
        names = [python_name(one["name"]) for one in swept["parameters"]]
        rows = pandas.DataFrame(swept["settings"], columns=names)
        return rows.assign(**swept["columns"])


class Comparison(Result):
    """A comparison of runs."""

    _file = "comparison.json"

    def metrics(self) -> pandas.DataFrame:
        """A row for each metric: values of both runs, their difference with its interval, p after Holm's adjustment (NaN for a
        metric that is not among those tested together), the slice."""
        import pandas
        rows = [{**row, **{end: (row["interval"] or {}).get(end) for end in ("low", "high")}}
                for row in self.record["differences"]]
        order = ["name", "base", "candidate", "difference", "low", "high", "adjustedP", "outcome", "unit", "n", "slice", "title"]
        return pandas.DataFrame(rows, columns=order).rename(columns={"adjustedP": "p"})


class Ranking(Result):
    """A comparison of three runs or more."""

    _file = "ranking.json"

    def metrics(self) -> pandas.DataFrame:
        """A row for each metric and run: value with its interval, and the best and worst rank that is not excluded."""
        import pandas
        names = [one["name"] for one in self.record["runs"]]
        rows = [{**metric, **entry, "run": run, "low": entry["interval"]["low"], "high": entry["interval"]["high"],
                 "best_rank": (entry["ranks"] or [None])[0], "worst_rank": (entry["ranks"] or [None])[-1]}
                for metric in self.record["metrics"] for run, entry in zip(names, metric["entries"])]
        order = ["name", "run", "value", "low", "high", "best_rank", "worst_rank", "unit", "n", "title"]
        return pandas.DataFrame(rows, columns=order)


class Measured(Result):
    """A measurement of one run, which may have a base run and gates."""

    @property
    def gates(self) -> list[dict[str, Any]]:
        """The gates that were asked for, each with its verdict and message."""
        return list(self.record.get("verdicts", {}).get("gates", []))

    def changes(self) -> pandas.DataFrame:
        """A row for each metric that the base has too, with the difference and its interval; of a metric that is best
        near a target the difference of the distances to it."""
        import pandas
        rows = [{**one, **one["difference"], "value": one["value"], "difference": one["difference"]["value"]}
                for one in self.record.get("verdicts", {}).get("changes", [])]
        order = ["metric", "slice", "base", "value", "difference", "low", "high", "reason"]
        return pandas.DataFrame(rows, columns=order)


class Response(Measured):
    """How predicted coefficients follow labelled ones."""

    _file = "response.json"

    def table(self) -> pandas.DataFrame:
        """A row for each coefficient: gain with its interval, offset, shape, ranks, delays, errors, calibration."""
        import pandas
        rows = []
        for one in self.record["channels"]:
            row = {name: value["value"] if isinstance(value, dict) and "value" in value else value for name, value in one.items()}
            other, line = row.pop("other") or {}, row.pop("calibration") or {}
            del row["curve"]
            rows.append({**row, "gain_low": one["gain"]["low"], "gain_high": one["gain"]["high"], "other": other.get("coefficient"),
                         "other_slope": other.get("slope"), "intercept": line.get("intercept"), "slope": line.get("slope")})
        return pandas.DataFrame(rows).set_index("coefficient")

    def matrix(self) -> pandas.DataFrame:
        """Change of each prediction (rows) per 1 of each label or 10 degrees of each labelled angle (columns)."""
        import pandas
        made = self.record["matrix"]
        slopes = [[slope["value"] for slope in row] for row in made["slopes"]]
        return pandas.DataFrame(slopes, index=made["rows"], columns=made["columns"])


class Equivariance(Measured):
    """What a tracker does with transformed images."""

    _file = "equivariance.json"

    def table(self) -> pandas.DataFrame:
        """A row for each transformation: faces in both images, lost and gained, mean distance of points with its interval."""
        import pandas
        return pandas.DataFrame([
            {"name": one["name"], **{key: one[key] for key in ("images", "faces", "lost", "gained")},
             "distance": one["distance"]["value"], "low": one["distance"]["low"], "high": one["distance"]["high"]}
            for one in self.record["transformations"]]).set_index("name")

    def coefficients(self) -> pandas.DataFrame:
        """A row for each transformation and coefficient: mean difference with its interval, and the mean of its size."""
        import pandas
        rows = [{"name": one["name"], "coefficient": channel["coefficient"], "difference": channel["difference"]["value"],
                 "low": channel["difference"]["low"], "high": channel["difference"]["high"], "size": channel["magnitude"]["value"]}
                for one in self.record["transformations"] for channel in one["channels"]]
        return pandas.DataFrame(rows, columns=["name", "coefficient", "difference", "low", "high", "size"])


class History(Result):
    """A history of runs. `verdict` is "fail" where the newest run is worse than the ten before it."""

    _file = "history.json"

    def table(self) -> pandas.DataFrame:
        """A row for each run, oldest first: file, commit, created, and the value of each metric; of files of `profile
        --baseline-out` that of each stage, with its frames in brackets."""
        import pandas
        rows = pandas.DataFrame(self.record["runs"], columns=["file", "commit", "created"])
        return rows.assign(**{
            one["name"] + (f" ({one['slice']})" if one["slice"] else ""): pandas.array(one["values"], dtype="Float64")
            for one in self.record["lines"]})


def findings(rows: list[dict[str, Any]]) -> list[Finding]:
    """Findings of a record, or of `facegauge check --json`."""
    known: list[dict[str, Any]] = [{key: row.get(key) for key in Finding.__dataclass_fields__} for row in rows]
    return [Finding(**row) for row in known]
