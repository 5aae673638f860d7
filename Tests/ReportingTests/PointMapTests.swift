import FaceCore
import Foundation
import Records
import Reporting
import Testing

@Suite("The errors of points on a face")
struct PointMapTests {
  private func record(_ errors: [Double], _ places: (x: [Double], y: [Double])) -> Record {
    var record = Sample.empty
    func series(_ name: String, _ x: [Double], _ y: [Double]) -> Series {
      Series(
        name: name, title: name,
        content: .curve(
          Series.Curve(
            xLabel: "x", yLabel: "y", lines: [Series.Line(label: "ibug68", x: x, y: y)])))
    }
    record.series = [
      series("landmarks.points.interocular", errors.indices.map(Double.init), errors),
      series("landmarks.places.interocular", places.x, places.y),
    ]
    return record
  }

  @Test func `each point is a circle at its place whose area goes with its error`() throws {
    let html = Report(record: record([0.01, 0.04, 0.02], ([0, 1, 0], [0, 0, 1]))).html()
    let circles = try ParsedXML(html).elements("circle").filter {
      $0["class"]?.hasSuffix(" point") == true
    }
    // Three of the key, then the points from the largest error to the smallest.
    try #require(circles.count == 6)
    let values = circles.suffix(3).map { circle in
      ["cx", "cy", "r"].compactMap { Double(circle[$0] ?? "") }
    }
    try #require(values.allSatisfy { $0.count == 3 })
    #expect(values[0][0] > values[1][0] && values[1][0] == values[2][0])
    #expect(values[0][1] == values[2][1] && values[1][1] > values[2][1])
    // Radii are written to a tenth.
    #expect(abs(values[0][2] - 2 * values[2][2]) <= 0.15)
    #expect(circles.suffix(3).map { $0["class"] } == ["h9 point", "h5 point", "h2 point"])
    let text = try ParsedXML(html).text
    #expect(text.contains("point 1: 0.04") && text.contains("Mean error of each point, ibug68"))
  }

  @Test func `places that do not go with the errors are not drawn`() throws {
    let html = Report(record: record([0.01, 0.04], ([0, 1, 0], [0, 0, 1]))).html()
    #expect(!html.contains(" point\""))
  }
}

@Suite("Budgets of a page")
struct FrameBudgetTests {
  /// A part of what stands before the frames.
  private struct Header: Decodable {
    struct Threshold: Decodable { var frames: Int }

    var menu: [[String]]
    var titles: [String: [String]]
    var threshold: Threshold?
    var evaluated: Int

    init(of archive: FrameArchive) throws {
      let bytes = try archive.encoded()
      let length = (0..<4).reduce(0) { $0 + Int(bytes[$1]) << (8 * $1) }
      self = try JSONDecoder().decode(Header.self, from: Data(bytes[4..<4 + length]))
    }
  }

  @Test func `the highest 5 % of a lane hold its highest value, whatever its digits`() throws {
    let highest = 12.3456
    var archive = FrameArchive()
    for (index, frame) in Sample.frames.prefix(20).enumerated() {
      var entry = frame
      entry.milliseconds = highest - Double(index) / 1000
      archive.add(entry)
    }
    let menu = try Header(of: archive).menu
    let choice = try #require(menu.first { $0[1] == "Latency, highest 5 %" })
    let bound = try #require(Float(choice[0].split(separator: ":")[1]))
    #expect(bound == Float(highest))
  }

  @Test func `what depends on all frames of a run is left out where not all are here`() throws {
    var archive = FrameArchive()
    for entry in Sample.frames { archive.add(entry) }
    archive.frameCount = Sample.frames.count
    let whole = try Header(of: archive)
    #expect(whole.threshold?.frames == Sample.frames.count)
    #expect(whole.titles["recall"] != nil && whole.titles["fppi"] != nil)
    archive.frameCount = Sample.frames.count + 1
    let cut = try Header(of: archive)
    #expect(cut.threshold == nil)
    #expect(cut.titles["recall"] == nil && cut.titles["fppi"] == nil)
    #expect(cut.titles["score"] != nil)
  }

  @Test func `false positives are per image that was evaluated`() throws {
    var archive = FrameArchive()
    for entry in Sample.frames { archive.add(entry) }
    var dropped = Sample.frames[0]
    dropped.prediction.size = nil
    (dropped.ranked, dropped.kept, dropped.labelledCount) = ([], nil, 0)
    archive.add(dropped)
    let header = try Header(of: archive)
    #expect(header.threshold?.frames == Sample.frames.count)
    #expect(header.evaluated == Sample.frames.count)
  }

  @Test func `a frame that nobody labelled leaves the threshold's slider`() throws {
    var entry = Sample.frames[0]
    (entry.labels, entry.ranked, entry.kept, entry.labelledCount) = ([], [], nil, 0)
    for isUnlabelled in [true, false] {
      entry.isUnlabelled = isUnlabelled
      var archive = FrameArchive()
      for frame in Sample.frames + [entry] { archive.add(frame) }
      let header = try Header(of: archive)
      #expect(header.threshold?.frames == (isUnlabelled ? Sample.frames.count : nil))
    }
  }

  @Test func `images go first where the budget is small`() throws {
    func left(_ budget: Int) throws -> (asked: Int?, size: Int) {
      var archive = FrameArchive(budget: budget)
      for entry in Sample.frames { archive.add(entry) }
      var asked: Int?
      let bytes = try archive.encoded { room in
        asked = room
        return [FrameThumbnail(frame: 0, jpeg: Array(repeating: 7, count: 500))]
      }
      return (asked, bytes.count)
    }
    let plenty = try left(2 << 20)
    #expect((plenty.asked ?? 0) > 1 << 20)
    // Outlines and coefficients just fit: the images' room is what is left of it.
    let small = try left(60_000)
    let least = try left(7_250)
    #expect((small.asked ?? 0) < (plenty.asked ?? 0))
    #expect((least.asked ?? 0) < 2_000)
    #expect(least.size < plenty.size)
  }
}
