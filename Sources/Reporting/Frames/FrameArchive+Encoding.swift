package import FaceCore
import Foundation
internal import Platform
internal import Records

extension FrameArchive {
  /// What is kept within a budget.
  private struct Kept {
    var geometry: FrameGeometry
    var isOutlined: Bool
    var hasCoefficients: Bool
    var isFrameKept: [Bool]
    /// About how many bytes geometry and coefficients have compressed.
    var byteCount: Int
  }

  /// The archive's bytes, within the budget.
  ///
  /// `thumbnails` hears how many bytes are left for images and gives images in the order of their worth.
  package func encoded(
    thumbnails: (_ bytesLeft: Int) throws -> [FrameThumbnail] = { _ in [] }
  ) throws -> [UInt8] {
    let room = budget / 4 * 3
    let base = try Deflate.compressed(bytes(nil, images: [])).count
    let kept = try kept(within: max(0, room - base))
    let left = room - base - kept.byteCount
    return try bytes(kept, images: left > 0 ? thumbnails(left) : [])
  }

  private func kept(within room: Int) throws -> Kept {
    func size(_ geometry: FrameGeometry) throws -> Int {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(geometry.byteCount)
      for frame in geometry.frames { bytes += frame }
      return try Deflate.compressed(bytes).count
    }
    let coefficients =
      hasCoefficients.predicted || hasCoefficients.labelled
      ? try Deflate.compressed(differences(predicted) + differences(labelled)).count : 0
    let every = [Bool](repeating: true, count: names.count)
    let whole = try all.map { try size($0) + coefficients }
    if let all, let whole, whole <= room * 6 / 10 {
      return Kept(
        geometry: all, isOutlined: false, hasCoefficients: true, isFrameKept: every,
        byteCount: whole)
    }
    let outline = try size(outlines)
    if outline + coefficients <= room * 9 / 10 {
      return Kept(
        geometry: outlines, isOutlined: true, hasCoefficients: true, isFrameKept: every,
        byteCount: outline + coefficients)
    }
    let raw = outlines.frames.reduce(0) { $0 + $1.count }
    let limit = raw == 0 ? 0 : Double(room) * 0.9 * Double(raw) / Double(max(1, outline))
    var left = limit
    var isKept = [Bool](repeating: false, count: names.count)
    for block in blocksByErrors {
      left -= Double(outlines.frames[block].reduce(0) { $0 + $1.count })
      if left < 0 { break }
      for index in block { isKept[index] = true }
    }
    let share = raw == 0 ? 0 : min(1, (limit - max(0, left)) / Double(raw))
    return Kept(
      geometry: outlines, isOutlined: true, hasCoefficients: false, isFrameKept: isKept,
      byteCount: Int(share * Double(outline)))
  }

  /// Each frame's coefficients less those of the frame before, modulo 256.
  private func differences(_ bytes: [UInt8]) -> [UInt8] {
    let width = Blendshape.allCases.count
    return bytes.indices.map { $0 < width ? bytes[$0] : bytes[$0] &- bytes[$0 - width] }
  }

  private struct Section: Encodable {
    var name: String
    var type: String
    var count: Int
  }

  private struct Lane: Encodable {
    var name: String, title: String, unit: String
    /// In pixels.
    var height: Int
  }

  private struct Image: Encodable {
    var frame: Int, bytes: Int
  }

  private struct Threshold: Encodable {
    var labelled: Int, frames: Int
  }

  private struct Header: Encodable {
    var run: String?
    var names: [String]
    var sequences: [Sequence]
    var expressions: [String]
    /// The colours of the expressions.
    var colors: [String]
    var lanes: [Lane]
    /// Selections of the menu with their words.
    var menu: [[String]]
    /// The kinds of selections that there is data for, with words and unit.
    var titles: [String: [String]]
    /// The frame that is shown first.
    var start: Int
    /// What of the frames is here.
    var note: String
    var slices: [String]
    var schemes: [String: [[Int]]]
    var schemeNames: [String]
    var schemeCounts: [Int]
    var subset: [Int]?
    var blockLength: Int
    /// How many frames have detections that were compared with labels.
    var evaluated: Int
    var coefficients: [String]
    var images: [Image]
    var threshold: Threshold?
    var sections: [Section]
  }

  private func bytes(_ kept: Kept?, images: [FrameThumbnail]) throws -> [UInt8] {
    var body = ByteWriter()
    var sections: [Section] = []
    func add(_ name: String, _ type: String, _ count: Int, _ write: (inout ByteWriter) -> Void) {
      body.align()
      sections.append(Section(name: name, type: type, count: count))
      write(&body)
    }
    let shown = shownLanes
    for lane in shown {
      let values = lanes[lane] ?? []
      add("lane.\(lane.rawValue)", "Float32Array", values.count) { $0.floats(values) }
    }
    for (name, values) in expressions.lanes {
      add(name, "Uint8Array", values.count) { $0.append(values) }
    }
    let sliceNames = slices.keys.sorted()
    let width = (names.count + 7) / 8
    add("slices", "Uint8Array", width * sliceNames.count) { writer in
      for name in sliceNames {
        var bits = [UInt8](repeating: 0, count: width)
        for frame in slices[name] ?? [] { bits[frame / 8] |= 1 << (frame % 8) }
        writer.append(bits)
      }
    }
    addValues("error", errors, add)
    addValues("ranked", ranked, add)
    add("ranked.outcomes", "Uint8Array", outcomes.count) { $0.append(outcomes) }
    add("labelled", "Uint16Array", labelledCounts.count) {
      $0.fixed(contentsOf: labelledCounts.map { UInt16(clamping: $0) })
    }
    for order in changes.orders {
      add(order.name, "Uint32Array", order.frames.count) {
        $0.fixed(contentsOf: order.frames.map { UInt32($0) })
      }
    }
    let known = isThresholdKnown && labelledCount > 0 && !self.kept.isEmpty && hasAllFrames
    if known {
      let sorted = self.kept.filter { $0.isTrue != nil }.sorted { $0.score > $1.score }
      add("kept.scores", "Float32Array", sorted.count) {
        $0.floats(sorted.map { Float($0.score) })
      }
      add("kept.true", "Uint8Array", sorted.count) {
        for one in sorted { $0.byte(one.isTrue == true ? 1 : 0) }
      }
    }
    if let kept {
      let frames = zip(kept.geometry.frames, kept.isFrameKept).map { $1 ? $0 : [] }
      add("geometry.lengths", "Uint32Array", frames.count) {
        for one in frames { $0.fixed(UInt32(one.count)) }
      }
      add("geometry", "Uint8Array", frames.reduce(0) { $0 + $1.count }) {
        for one in frames { $0.append(one) }
      }
      if kept.hasCoefficients, hasCoefficients.predicted {
        add("coefficients", "Uint8Array", predicted.count) { $0.append(differences(predicted)) }
      }
      if kept.hasCoefficients, hasCoefficients.labelled {
        add("coefficients.labelled", "Uint8Array", labelled.count) {
          $0.append(differences(labelled))
        }
      }
    }
    add("images", "Uint8Array", images.reduce(0) { $0 + $1.jpeg.count }) { writer in
      for image in images { writer.append(image.jpeg) }
    }
    let schemes = kept?.geometry.schemes ?? []
    let header = Header(
      run: run, names: names, sequences: sequences, expressions: expressions.names,
      colors: expressions.names.map(\.hue),
      lanes: shown.map {
        Lane(
          name: $0.rawValue, title: $0.title, unit: Measurement.unitSuffix($0.unit),
          height: $0 == .detector ? 12 : 34)
      }, menu: menu, titles: titles, start: start, note: note(kept, images: images.count),
      slices: sliceNames,
      schemes: Dictionary(uniqueKeysWithValues: schemes.map { ($0.name, $0.outlines) }),
      schemeNames: schemes.map(\.name), schemeCounts: schemes.map(\.count),
      subset: kept?.isOutlined == true ? FrameGeometry.contours : nil,
      blockLength: FrameGeometry.blockLength, evaluated: evaluatedCount,
      coefficients: Blendshape.allCases.map { "\($0)" },
      images: images.map { Image(frame: $0.frame, bytes: $0.jpeg.count) },
      threshold: known ? Threshold(labelled: labelledCount, frames: evaluatedCount) : nil,
      sections: sections)
    let json = [UInt8](try JSONEncoder.line.encode(header))
    var writer = ByteWriter()
    writer.fixed(UInt32(json.count))
    writer.append(json)
    writer.align()
    writer.append(body.bytes)
    return writer.bytes
  }

  /// Writes how many values each frame has, then all values.
  private func addValues(
    _ name: String, _ values: FrameValues,
    _ add: (String, String, Int, (inout ByteWriter) -> Void) -> Void
  ) {
    add("\(name).counts", "Uint16Array", values.counts.count) {
      $0.fixed(contentsOf: values.counts)
    }
    add("\(name).values", "Float32Array", values.values.count) { $0.floats(values.values) }
  }
}

extension FrameArchive {
  /// Whether the run has no more frames than are here.
  private var hasAllFrames: Bool { (frameCount ?? 0) <= names.count }

  /// The lanes that have a value.
  private var shownLanes: [FrameLane] {
    FrameLane.allCases.filter { lane in lanes[lane]?.contains { !$0.isNaN } == true }
  }

  /// Selections with their words: changes, errors, the highest of some lanes, slices.
  private var menu: [[String]] {
    var menu = changes.orders.map { [$0.name, $0.title] }
    if !errorCounts.isEmpty { menu.append(["errors:1:", "Frames with errors"]) }
    for lane in [FrameLane.latency, .nme, .jitter] {
      let known = (lanes[lane] ?? []).filter(\.isFinite).sorted()
      guard !known.isEmpty else { continue }
      // Nine digits tell a value from its neighbours: fewer may round the bound above all frames.
      let bound = Double(known[known.count * 95 / 100]).shortText(significantDigits: 9)
      menu.append(["\(lane.rawValue):\(bound):", "\(lane.title), highest 5 %"])
    }
    return menu + slices.keys.sorted().map { [SelectionAxis.selection(ofSlice: $0), $0] }
  }

  private var titles: [String: [String]] {
    var titles = ["frames": ["Frames", ""]]
    for lane in shownLanes {
      titles[lane.rawValue] = [lane.title, Measurement.unitSuffix(lane.unit)]
    }
    guard !ranked.values.isEmpty else { return titles }
    titles["score"] = ["Score", ""]
    titles["confidence"] = ["Score above", ""]
    titles["true"] = ["Score of true positives", ""]
    titles["false"] = ["Score of false positives", ""]
    // The score of a recall of the run is that of all its frames.
    guard hasAllFrames else { return titles }
    titles["recall"] = ["Errors at the threshold of a recall of", ""]
    titles["fppi"] = ["Errors at the threshold of false positives an image of", ""]
    return titles
  }

  /// The frame that changed most for the worse, else one with most errors.
  private var start: Int {
    changes.first ?? errorCounts.max().flatMap { errorCounts.firstIndex(of: $0) } ?? 0
  }

  private func note(_ kept: Kept?, images: Int) -> String {
    let points = zip(kept?.geometry.frames ?? [], kept?.isFrameKept ?? []).count {
      !$0.isEmpty && $1
    }
    let first =
      frameCount.map { $0 > names.count ? " The run has \($0) frames: these are the first." : "" }
      ?? ""
    return "\(images) of \(names.count) images and the "
      + (kept?.isOutlined == true ? "outlines" : "points")
      + " of \(points) frames are in this page." + first
  }
}

extension String {
  /// A colour of its own for a word.
  fileprivate var hue: String {
    "hsl(\(unicodeScalars.reduce(7) { ($0 * 31 + Int($1.value)) % 360 }) 65% 50%)"
  }
}

extension LandmarkScheme {
  /// Runs of neighbouring points that are drawn as lines; none for schemes that are drawn as dots.
  var outlines: [[Int]] {
    switch self {
    case .mediapipe478: FaceMeshConnections.allCases.flatMap(\.paths)
    case .ibug68:
      [
        Array(0...16), Array(17...21), Array(22...26), Array(27...30), Array(31...35),
        Array(36...41) + [36], Array(42...47) + [42], Array(48...59) + [48], Array(60...67) + [60],
      ]
    default: []
    }
  }
}
