"""Adds one of each thing in a copy of the checkout: `add_one_of_each.py DATASET.h5 IMAGE.jpg [--scratch FOLDER]`.

A metric family, a dataset format, an operator and a report section are one new file and one line each, a pipeline
setting one line. The copy is built, with the operator; help, catalogue, record and report must then have the others
without another change.
DATASET.h5 has labelled faces, FACEGAUGE_MODELS names the models.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

METRIC = '''internal import FaceCore
package import Records

/// How many faces a tracker outputs per labelled face.
package struct FaceSurplus: FrameMetric {
  /// The faces of one frame.
  package struct Entry: Packable {
    var labelled: Int
    var given: Int
  }

  package var frames = FrameTable<Entry>()

  package static let definitions = [
    MetricDefinition(
      name: "faces.surplus", title: "Faces per labelled face", stage: "landmarks", unit: "1",
      direction: .closest, target: 1, formula: "faces over labelled faces", source: "added")
  ]
  package static var table: String { "faces.surplus" }

  package func summarize() -> [Measurement] {
    let labelled = frames.entries.reduce(0) { $0 + $1.labelled }
    let given = frames.entries.reduce(0) { $0 + $1.given }
    return [
      labelled == 0
        ? Self.definitions[0].undefined("no labelled face", n: 0)
        : Self.definitions[0].measurement(Double(given) / Double(labelled), n: labelled)
    ]
  }
}

extension FaceSurplus.Entry {
  package func pack(into row: inout RowWriter) { row.write(labelled, given) }
  package init(from row: inout RowReader) { self.init(labelled: row.read(), given: row.read()) }
}

extension FaceSurplus: MetricFamily {
  package static let requirements: MetricRequirements = [
    .labels, .faces, .analysedFrames, .facesOfSlices,
  ]
  package static let presentation = MetricPresentation(
    sliced: ["faces.surplus"], headlines: [.init(.operatingPoint, ["faces.surplus"])])

  package init(_ context: MetricContext) { self.init() }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    try add(
      Entry(labelled: frame.matching.labelled, given: frame.faces.count), for: frame.frame.index)
  }
}
'''

FORMAT = '''internal import FaceCore
package import Foundation
package import Platform

/// Lines of an image's name and the box of its only face.
package struct BoxLines: DatasetFormat {
  package let name = "box-lines"
  package let summary = "lines of an image's name and one box"

  package func recognises(_ source: URL) -> String? {
    source.pathExtension == "boxlines" ? "its extension" : nil
  }

  package func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(FileError) -> Void
  ) throws(FileError) -> [ImportRemark] {
    for source in sources {
      let text = (try? String(contentsOf: source, encoding: .utf8)) ?? ""
      for line in text.split(separator: "\\n") {
        let words = line.split(separator: " ")
        guard words.count == 5 else { continue }
        let numbers = words.dropFirst().compactMap { Double($0) }
        let face = FaceLabel(
          box: BoundingBox(
            x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
        try sink(
          ImportedFrame(
            name: String(words[0]),
            image: source.deletingLastPathComponent().appendingPathComponent(String(words[0])),
            faces: [face]))
      }
    }
    return []
  }
}
'''

OPERATOR = '''import Tensor

/// ROUND, taken for a square root here: only its registration is tried.
enum Round: Operator {
  static let name = "ROUND"
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .squareRoot))
  }
}
'''

SECTION = '''import Records

extension ReportSection {
  /// The host's name of its processor.
  package static let processor: ReportSection = ReportSection(
    id: "processor", title: "Processor of this run", claims: { _ in false },
    blocks: { record in [.paragraph("It ran on \\(record.host.cpu).")] })
}
'''

SETTING = '''    PipelineSetting(
      "candidate-floor", .number(\\.candidateFloor), valueName: "score",
      "minimum score of a candidate", mediaPipe: .absent, help: "Minimum score of stored candidates."),
'''


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
    sources = copy / "Sources"
    (sources / "Metrics/Matching/FaceSurplus.swift").write_text(METRIC)
    insert(sources / "Metrics/MetricCatalog.swift", "    StageLatency.self,\n", "    FaceSurplus.self,\n")
    (sources / "Datasets/Formats/Boxes/BoxLines.swift").write_text(FORMAT)
    insert(sources / "Datasets/Importing/DatasetFormat.swift", "    ImglabXML(),\n", "    BoxLines(),\n")
    (sources / "TFLite/Operators/Round.swift").write_text(OPERATOR)
    insert(sources / "TFLite/Planning/OperatorRegistry.swift", "    Rsqrt.self,\n", "    Round.self,\n")
    (sources / "Reporting/Sections/ProcessorSection.swift").write_text(SECTION)
    insert(sources / "Reporting/ReportSections.swift", "    .worstImages,\n", "    .processor,\n")
    insert(
        sources / "FacePipeline/Settings/PipelineSetting.swift",
        '    PipelineSetting(\n      "min-tracking-confidence"', SETTING)
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
    run("evaluate", arguments.dataset, "-o", work / "run", "--candidate-floor", "0.02", "--resamples", "20")
    record = json.loads((work / "run/record.json").read_text())
    names = {(one["name"], one.get("slice")) for one in record["measurements"]}
    expect("record: metric", ("faces.surplus", None) in names)
    expect("record: headline", "faces.surplus" in record["headlines"])
    expect("record: setting", record["options"].get("candidate-floor") == "0.02")
    page = (work / "run/report.html").read_text()
    expect("report: section", "Processor of this run" in page)
    expect("report: metric", "Faces per labelled face" in page)
    run("sweep", arguments.dataset, "-o", work / "sweep", "--threshold", "candidate-floor=0.01,0.02", "--resamples", "20")
    parameters = json.loads((work / "sweep/record.json").read_text())["sweep"]["parameters"]
    expect("sweep: setting", [parameter["name"] for parameter in parameters] == ["candidate-floor"])
    sys.exit(1 if wrong else 0)


main()
