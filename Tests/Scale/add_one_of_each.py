"""Adds one of each thing in a copy of the checkout: `add_one_of_each.py DATASET.h5 IMAGE.jpg [--scratch FOLDER]`.

What is added is what the guides say (`AddingA….md`): their code goes into the files that they name. A metric family, a dataset
format, a model, an operator, a report section and a command are one new file and one line each, a chart one file and two lines, a
pipeline setting one line, a column of a dataset five.
The copy is built; help, catalogue, record and report must then have them without another change.
DATASET.h5 has labelled faces, FACEGAUGE_MODELS names the models. Python has numpy and h5py.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

import h5py

ROOT = pathlib.Path(__file__).resolve().parents[2]

GUIDES = ROOT / "Sources/facegauge/Guides.docc"
NEW = re.compile(r"^New file `([^`]+)`:\n\n```swift\n(.*?)\n```$", re.M | re.S)
LINE = re.compile(r"^In `([^`]+)`, above (?:`([^`\n]+)`|`` ([^\n]+) ``):\n\n```\w+\n(.*?)\n```$", re.M | re.S)


def insert(path, before, line):
    text = path.read_text()
    assert text.count(before) == 1, (path, before, text.count(before))
    path.write_text(text.replace(before, line + before))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=pathlib.Path)
    parser.add_argument("image", type=pathlib.Path)
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / ".build" / "one-of-each")
    arguments = parser.parse_args()
    copy = arguments.scratch / "checkout"
    shutil.rmtree(copy, ignore_errors=True)
    files = subprocess.run(
        ["git", "ls-files", "-c", "-o", "--exclude-standard", "Package.swift", "Sources", "Tests", "Datasets"], cwd=ROOT,
        check=True, capture_output=True, text=True).stdout.split("\n")
    for name in filter(None, files):
        if (ROOT / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    steps = 0
    for guide in sorted(GUIDES.glob("AddingA*.md")):
        text = guide.read_text()
        for path, code in NEW.findall(text):
            assert not (copy / path).exists(), path
            (copy / path).write_text(code + "\n")
            steps += 1
        for path, before, quoted, code in LINE.findall(text):
            # The guides show the end of a line as a sign.
            insert(copy / path, (before or quoted).replace("⏎", "\n"), code + "\n")
            steps += 1
    assert steps == 22, steps
    subprocess.run(["swift", "build", "--scratch-path", arguments.scratch / "build", "--product", "facegauge"], cwd=copy, check=True)
    program = arguments.scratch / "build/debug/facegauge"

    def run(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout

    wrong = []

    def expect(what, holds):
        print(("ok   " if holds else "FAIL ") + what)
        if not holds:
            wrong.append(what)

    expect("catalogue", "faces.surplus" in run("metrics"))
    expect("models", "blazeface-example" in run("models"))
    expect("help", "Count the faces of a dataset" in run("help"))
    expect("help of import", "box-lines" in run("help", "import"))
    expect("help of evaluate", "--candidate-floor" in run("help", "evaluate"))
    expect("help of sweep", "candidate-floor" in run("help", "sweep"))
    work = arguments.scratch / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    shutil.copy(arguments.image, work / "a.jpg")
    (work / "a.boxlines").write_text("a.jpg 10 10 50 50\n")
    run("import", work / "a.boxlines", "-o", work / "a.h5")
    expect("import", "1" in run("inspect", work / "a.h5"))
    expect("command", run("count", work / "a.h5") == "1\n")
    sys.path.insert(0, str(copy / "Sources/Packaging/Python"))
    from facegauge.dataset import to_dataset
    to_dataset(work / "b.h5", [work / "a.jpg"] * 3, face_frame=[0, 1, 2], boxes=[[10, 10, 40, 40]] * 3,
               qualities=[0.25, 0.75, float("nan")], check=False)
    run("subset", work / "b.h5", "--where", "quality>0.5", "-o", work / "c.h5")
    with h5py.File(work / "c.h5") as file:
        expect("column: read and written", file["faces/quality"][:].tolist() == [0.75])
    shown = json.loads(run("inspect", "--json", work / "c.h5"))
    expect("column: inspect", shown["labels"] == ["quality"] and "unknown_tables" not in shown)
    expect("column: page", "| `/faces/quality` |" in (copy / "Datasets/FORMAT.md").read_text())
    run("evaluate", arguments.dataset, "-o", work / "run", "--candidate-floor", "0.02", "--resamples", "20")
    record = json.loads((work / "run/record.json").read_text())
    names = {(one["name"], one.get("slice")) for one in record["measurements"]}
    expect("record: metric", ("faces.surplus", None) in names)
    expect("record: headline", "faces.surplus" in record["headlines"])
    expect("record: setting", record["options"].get("candidate-floor") == "0.02")
    page = (work / "run/report.html").read_text()
    expect("report: section", "Processor of this run" in page)
    expect("report: metric", "Faces per labelled face" in page)
    expect("report: chart", re.search(r"<svg[^>]*>\s*<title[^>]*>Processors and threads</title>", page) is not None)
    markdown = (work / "run/report.md").read_text()
    expect("report: values of the chart", "**Processors and threads**" in markdown and "| Part | Size |" in markdown)
    run("sweep", arguments.dataset, "-o", work / "sweep", "--threshold", "candidate-floor=0.01,0.02", "--resamples", "20",
        "--objective", "min faces.surplus")
    sweep = json.loads((work / "sweep/record.json").read_text())["sweep"]
    expect("sweep: setting", [parameter["name"] for parameter in sweep["parameters"]] == ["candidate-floor"])
    expect("sweep: metric", any(value is not None for value in sweep["columns"]["faces.surplus"]))
    sys.exit(1 if wrong else 0)


main()
