#!/usr/bin/env python3
"""The table of faces of runs, as pandas and DuckDB read it, against the record of each run.

    python Tests/Oracles/live/face_table.py WORK --facegauge .build/release/facegauge RUN...

Recall, precision, missed faces and mean errors are computed from the rows, once by each program. The status is 1 where a
count differs from that of record.json, or a mean by more than 1e-12. Needs the packages of requirements-exports.txt.
"""
import argparse
import json
import sys
from pathlib import Path

import duckdb
import pandas as pd

from comparing import binary_of, facegauge, markdown

ERRORS = ("interocular", "interpupil", "box", "diagonal")


def of_pandas(path):
    table = pd.read_csv(path)
    values = {}
    for column, stage in (("detection", "detection.{}@score"), ("face", "faces.{}")):
        count = table[column].value_counts()
        found, missed, false = (int(count.get(word, 0)) for word in ("found", "missed", "false"))
        values[stage.format("recall")] = found / (found + missed) if found + missed else None
        values[stage.format("precision")] = found / (found + false) if found + false else None
        if column == "detection":
            values["detection.false_negatives@score"] = missed
    for name in ERRORS:
        mean = table[f"nme_{name}"].mean()
        values[f"landmarks.nme.{name}.conditional"] = None if mean != mean else mean
    return values


def of_duckdb(path):
    def ask(query):
        return duckdb.sql(f"SELECT {query} FROM '{path}'").fetchall()[0][0]

    def share(column, other):
        return ask(f"count(*) FILTER ({column} = 'found') / nullif(count(*) FILTER ({column} IN ('found', '{other}')), 0)")

    values = {"detection.recall@score": share("detection", "missed"),
              "detection.precision@score": share("detection", "false"),
              "detection.false_negatives@score": ask("count(*) FILTER (detection = 'missed')"),
              "faces.recall": share("face", "missed"), "faces.precision": share("face", "false")}
    for name in ERRORS:
        values[f"landmarks.nme.{name}.conditional"] = ask(f"avg(try_cast(nme_{name} AS DOUBLE))")
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--facegauge", default="facegauge")
    options = parser.parse_args()
    binary, rows, right = binary_of(options.facegauge), [], True
    options.work.mkdir(parents=True, exist_ok=True)
    for run in options.runs:
        table = options.work / f"{run.name}.csv"
        facegauge(binary, "export", "faces", run, "-o", table, "--force")
        record = {m["name"]: m.get("value") for m in json.loads((run / "record.json").read_text())["measurements"]
                  if not m.get("slice")}
        values = of_pandas(table), of_duckdb(table)
        for name in values[0]:
            if record.get(name) is None:
                continue
            near = all(v[name] is not None and abs(v[name] - record[name]) <= 1e-12 for v in values)
            right = right and near
            rows.append([run.name, name, record[name], values[0][name], values[1][name]])
    print(markdown(["run", "metric", "record", "pandas", "DuckDB"], rows))
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
