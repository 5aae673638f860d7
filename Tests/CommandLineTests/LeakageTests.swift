import Datasets
import FaceCore
import Foundation
import TestSupport
import Testing

@Suite struct LeakageTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// Clips of heads that turn, whose brow rises by 0.2 per 10°; `turn` is the largest yaw in radians.
  private func writeClips(_ count: Int, turn: Double = 0.4) throws {
    let writer = try DatasetWriter(bench.url("turns.h5"), name: "turns", replacing: true)
    for clip in 0..<count {
      writer.beginSequence(
        SequenceDescription(name: "\(clip)", kind: .video, framesPerSecond: 30))
      for frame in 0..<60 {
        var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
        let yaw = turn * sin(Double(frame) / 6 + Double(clip))
        var values = [Float](repeating: 0, count: Blendshape.allCases.count)
        values[Blendshape.browInnerUp.index] = Float(
          0.5 + 0.02 * yaw * 180 / .pi + 0.03 * sin(Double(frame * (clip + 5))))
        face.blendshapes = values
        face.attributes = ["headYaw": yaw, "headPitch": 0, "headRoll": 0]
        try writer.add(
          name: "\(clip)/\(frame)", image: [], size: ImageSize(width: 0, height: 0),
          timestampMicroseconds: Int64(frame) * 33_333, faces: [face])
      }
    }
    try writer.finish()
  }

  @Test func `the largest slope is printed first, and a folder of reports is written`() throws {
    try writeClips(12)
    let result = try bench.facegauge(
      ["leakage", "turns.h5", "-o", "out", "--resamples", "100"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let lines = result.output.split(separator: "\n")
    #expect(lines[0].hasPrefix("labels of turns: 720 faces, 12 clips, yaw −23° to 23°"))
    let first = try #require(lines.first { $0.contains("browInnerUp") })
    #expect(first.contains("yaw  0.2") || first.contains("yaw  0.19"), "\(first)")
    #expect(lines.contains { $0.contains("too little to give slopes on pitch") })
    #expect(try Schema.problems(ofFile: bench.text("out/leakage.json").utf8) == [])
    #expect(try bench.text("out/report.html").contains("browInnerUp"))
    #expect(try bench.text("out/report.md").contains("Largest changes with the head"))
    let again = try bench.facegauge(["leakage", "turns.h5", "-o", "out"])
    #expect(again.status == 73 && again.errorLines.count == 1)
    let replaced = try bench.facegauge(
      ["leakage", "turns.h5", "-o", "out", "--resamples", "0", "--force"])
    #expect(replaced.status == 0 && replaced.errors == "", "\(replaced.errors)")
    #expect(replaced.output.contains("no slope has an interval: no resamples were drawn"))
    #expect(try Schema.problems(ofFile: bench.text("out/leakage.json").utf8) == [])
    let page = try bench.text("out/report.html")
    #expect(page.contains("No slope has an interval, so none can be told from 0."))
    #expect(!page.contains(">0.000</td></tr>"), "no interval has an end nearest 0")
    let index = try bench.facegauge(["report", "--index", "out", "-o", "index"])
    #expect(index.status == 0 && index.errors == "", "\(index.errors)")
    #expect(try bench.text("index/index.html").contains("labels of turns"))
  }

  @Test func `a head that does not turn gives a note, and a dataset without coefficients an error`()
    throws
  {
    try writeClips(2, turn: 0)
    let still = try bench.facegauge(["leakage", "turns.h5"])
    #expect(still.status == 0)
    #expect(still.output.contains("too little to give slopes on yaw"))
    let writer = try DatasetWriter(bench.url("none.h5"), name: "none", replacing: true)
    try writer.add(
      name: "a", image: [], size: ImageSize(width: 0, height: 0),
      faces: [FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1))])
    try writer.finish()
    let none = try bench.facegauge(["leakage", "none.h5", "-o", "no"])
    #expect(none.status == 65 && none.errorLines.count == 1)
    #expect(none.errors.contains("found 1 without coefficients"), "\(none.errors)")
    #expect(!bench.exists("no") && !bench.exists("no.partial"))
  }
}
