internal import FaceCore
internal import Platform
package import Records
internal import Statistics

/// Which blendshapes and head poses were predicted, and how much they change from frame to frame.
///
/// Needs no labels, so nothing here is an accuracy. Over all analysed frames; changes over video sequences, with
/// faces followed from one analysed frame to the very next by IoU .50 or more of their tight boxes. A change
/// is jitter only where the face holds still. Coefficients that are not finite, and `_neutral`, take no part.
package struct HeadOutput: FrameMetric {
  /// One predicted face.
  struct Face: Sendable, Hashable {
    /// 52 coefficients; nil where none is finite.
    var blendshapes: [Float]?
    var rotation: Rotation?
    /// Its position in the frame before; nil where it is new.
    var earlier: Int?
  }

  /// One analysed frame.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    package var sequence: Int
    var faces: [Face]
  }

  package var frames = FrameTable<Entry>()
  package var videos = FrameTable<VideoSums<Sums>>()

  package init() {}

  package static var table: String { "blendshapes.change" }

  private static func given(_ coefficients: [Float]?) -> [Float]? {
    coefficients.flatMap { values in
      values.count == Blendshape.allCases.count && values.contains { $0.isFinite } ? values : nil
    }
  }

  /// Visits each face that goes on, with itself in the frame before, in the order of frames.
  private func visitContinued(_ visit: (_ sequence: Int, _ earlier: Face, _ face: Face) -> Void) {
    var before: (key: Int, entry: Entry)?
    for (key, entry) in frames.keyed {
      if let before, before.key + 1 == key, before.entry.sequence == entry.sequence {
        for face in entry.faces {
          guard let earlier = face.earlier else { continue }
          visit(entry.sequence, before.entry.faces[earlier], face)
        }
      }
      before = (key, entry)
    }
  }
}

extension HeadOutput {
  /// Shares of predicted faces with an output, and its change.
  package static let definitions = [
    blendshapesShare, blendshapesChange, poseShare, poseChange,
  ]

  private static let end =
    " of the faces that go on, then the mean over sequences; jitter only for a face that holds still; "
    + "undefined where no face with both goes on for two frames"
  private static let definition = DefinitionGroup(
    prefix: "", source: "predictions alone, without labels")
  private static let blendshapesShare = definition(
    "blendshapes.given_share", "Share of predicted faces with blendshapes", .higher,
    in: .proportion,
    "predicted faces with coefficients over predicted faces, labelled or not; in [0, 1]")
  private static let blendshapesChange = definition(
    "blendshapes.change", "Change of blendshapes per frame (jitter if still)",
    "√ of the mean over a sequence's frames and coefficients of (p(t) − p(t−1))²" + end)
  private static let poseShare = definition(
    "pose.given_share", "Share of predicted faces with a pose", .higher, in: .proportion,
    "predicted faces with a rotation over predicted faces, labelled or not; in [0, 1]")
  private static let poseChange = definition(
    "pose.change", "Change of head pose per frame (jitter if still)", unit: "°",
    "√ of the mean over a sequence's frames of the squared angle between R̂(t−1) and R̂(t)" + end)

  /// Counts and sums from which the metrics follow.
  package typealias Sums = NamedSums<Count, Change, LandmarkJitter.Total>

  /// What is counted.
  package enum Count: Int, SumName {
    case faces, withBlendshapes, withPose
  }

  /// What changes, over sequences.
  package enum Change: Int, SumName {
    case blendshapes, pose
  }

  package func sums() -> Sums {
    var sums = Sums()
    for face in frames.entries.lazy.flatMap(\.faces) {
      sums[.faces] += 1
      if face.blendshapes != nil { sums[.withBlendshapes] += 1 }
      if face.rotation != nil { sums[.withPose] += 1 }
    }
    var changes: [Int: [Double]] = [:]
    var turns: [Int: [Double]] = [:]
    visitContinued { sequence, earlier, face in
      if let change = Blendshape.meanSquare(of: face.blendshapes, since: earlier.blendshapes) {
        changes[sequence, default: []].append(change)
      }
      if let before = earlier.rotation, let now = face.rotation {
        turns[sequence, default: []].append(before.degrees(to: now))
      }
    }
    for (_, own) in changes.sorted(by: { $0.key < $1.key }) {
      sums[.blendshapes].add(LandmarkJitter.root(own) { $0 }, faces: own.count)
    }
    for (_, own) in turns.sorted(by: { $0.key < $1.key }) {
      sums[.pose].add(LandmarkJitter.root(own) { $0 * $0 }, faces: own.count)
    }
    return sums
  }

  /// The metrics in the order of `definitions`; n is the number of faces, or of those that go on.
  package func measurements(of sums: Sums) -> [Measurement] {
    let (faces, nothing) = (sums[.faces], "no face was predicted")
    let noNext = "no face of a video sequence goes on with it from one analysed frame to the next"
    return [
      Self.blendshapesShare.ratio(sums[.withBlendshapes], of: faces, else: nothing),
      Self.blendshapesChange.mean(of: sums[.blendshapes], else: noNext),
      Self.poseShare.ratio(sums[.withPose], of: faces, else: nothing),
      Self.poseChange.mean(of: sums[.pose], else: noNext),
    ]
  }
}

extension HeadOutput {
  /// What was predicted of each coefficient (`blendshapes.output`), and of each angle (`pose.output`).
  package func tables() -> [Series] {
    guard isPresent else { return [] }
    let faces = frames.entries.flatMap(\.faces)
    var pairs: [(earlier: Face, face: Face)] = []
    visitContinued { pairs.append(($1, $2)) }
    let coefficients = Blendshape.allCases.filter { $0 != .neutral }.compactMap { blendshape in
      Self.row(
        blendshape.rawValue, decimals: 3,
        values: faces.compactMap { $0.blendshapes?.given(blendshape) },
        changes: pairs.compactMap { earlier, face in
          guard let before = earlier.blendshapes?.given(blendshape),
            let now = face.blendshapes?.given(blendshape)
          else { return nil }
          return now - before
        })
    }
    let axes: [(String, (HeadAngles) -> Double)] = [
      ("yaw", { $0.yaw }), ("pitch", { $0.pitch }), ("roll", { $0.roll }),
    ]
    let angles = faces.compactMap { $0.rotation.map { HeadAngles($0) } }
    let turns = pairs.compactMap { earlier, face in
      face.rotation.flatMap { now in
        earlier.rotation.map { (HeadAngles($0), HeadAngles(now)) }
      }
    }
    let turned = axes.compactMap { name, axis in
      Self.row(
        name, decimals: 1, values: angles.map(axis),
        changes: turns.map { HeadAngles.difference(axis($0.0), axis($0.1)) })
    }
    func table(_ name: String, _ title: String, _ first: String, _ rows: [[String]]) -> Series? {
      guard !rows.isEmpty else { return nil }
      return Series(
        name: name, title: title,
        columns: [
          first, "faces", "mean", "SD", "lowest", "5 %", "median", "95 %", "highest",
          "change per frame (RMS)",
        ], rows: rows)
    }
    return [
      table("blendshapes.output", "Predicted blendshapes", "coefficient", coefficients),
      table("pose.output", "Predicted head poses", "angle (°)", turned),
    ].compactMap(\.self)
  }

  private static func row(
    _ name: String, decimals: Int, values: [Double], changes: [Double]
  ) -> [String]? {
    guard let mean = values.mean else { return nil }
    let sorted = values.sorted()
    let deviation = LandmarkJitter.root(values) { ($0 - mean) * ($0 - mean) }
    var numbers = [mean, deviation]
    for share in [0, 0.05, 0.5, 0.95, 1] { numbers.append(sorted.quantileOfSorted(share)) }
    if !changes.isEmpty { numbers.append(LandmarkJitter.root(changes) { $0 * $0 }) }
    let texts = numbers.map { $0.text(decimals: decimals) }
    return [name, "\(values.count)"] + texts + (changes.isEmpty ? ["–"] : [])
  }
}

extension Blendshape {
  /// Mean over coefficients of the squared change; nil where none is finite in both.
  fileprivate static func meanSquare(of now: [Float]?, since before: [Float]?) -> Double? {
    guard let now, let before else { return nil }
    var (sum, count) = (0.0, 0)
    for blendshape in allCases where blendshape != .neutral {
      guard let value = now.given(blendshape), let earlier = before.given(blendshape) else {
        continue
      }
      sum += (value - earlier) * (value - earlier)
      count += 1
    }
    return count == 0 ? nil : sum / Double(count)
  }
}

extension HeadOutput: AdditiveFamily, FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [.faces]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard frame.prediction.status == .analysed else { return }
    var faces = frame.faces.map { face in
      Face(
        blendshapes: Self.given(face.blendshapes),
        rotation: face.pose.flatMap { Rotation($0) })
    }
    let isAnything = faces.contains { $0.blendshapes != nil || $0.rotation != nil }
    if frame.isVideo, isAnything, let previous = frame.earlier.first?.prediction,
      previous.status == .analysed, previous.frame == frame.frame.index - 1
    {
      let links = try FaceMatching.continuations(
        of: frame.faces, from: previous.faces, frame: frame.frame.index)
      for (position, earlier) in links { faces[position].earlier = earlier }
    }
    try add(Entry(sequence: frame.frame.sequence, faces: faces), for: frame.frame.index)
  }

  package var isPresent: Bool {
    frames.entries.contains { entry in
      entry.faces.contains { $0.blendshapes != nil || $0.rotation != nil }
    }
  }

  package var countedFrames: FrameRuns { frames.keys { !$0.faces.isEmpty } }

  /// The tables are of every face.
  package static var condensesVideos: Bool { false }

  package func series(_ context: SeriesContext) -> [Series] { tables() }
}

extension HeadOutput.Face: Packable {
  package func pack(into row: inout RowWriter) { row.write(blendshapes, rotation, earlier) }
  package init(from row: inout RowReader) {
    self.init(blendshapes: row.read(), rotation: row.read(), earlier: row.read())
  }
}

extension HeadOutput.Entry: Packable {
  package func pack(into row: inout RowWriter) { row.write(sequence, faces) }
  package init(from row: inout RowReader) { self.init(sequence: row.read(), faces: row.read()) }
}
