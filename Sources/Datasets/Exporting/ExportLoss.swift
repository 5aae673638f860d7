internal import FaceCore

/// Data of a face that formats may have no place for.
struct ExportLoss: OptionSet {
  let rawValue: Int

  static let identities = ExportLoss(rawValue: 1)
  static let scores = ExportLoss(rawValue: 2)
  static let ignoreFlags = ExportLoss(rawValue: 4)
  static let crowdFlags = ExportLoss(rawValue: 8)
  static let categories = ExportLoss(rawValue: 16)
  static let areas = ExportLoss(rawValue: 32)
  static let attributes = ExportLoss(rawValue: 64)
  static let expressions = ExportLoss(rawValue: 128)

  /// Columns that some formats hold.
  private static let columns: [String: ExportLoss] = ["score": .scores, "expression": .expressions]

  /// What of a face is lost in a format that holds boxes and some of these, in a few words each; points not included.
  static func of(_ face: FaceLabel, holding held: ExportLoss) -> [String] {
    let extras: [(ExportLoss, Bool, String)] = [
      (.identities, face.identity != nil, "identities"),
      (.ignoreFlags, face.isIgnored, "ignore flags"), (.crowdFlags, face.isCrowd, "crowd flags"),
      (.categories, face.category != 1, "categories"),
      (
        .areas, abs(face.area - face.box.area) > 1e-5 * face.area, "areas other than the box's"
      ),
    ]
    let values = FaceLabel.columns.filter { column in
      guard column.value(of: face) != .missing else { return false }
      return !(columns[column.name].map(held.contains) ?? false)
    }
    let others = [
      face.blendshapes == nil ? nil : "blendshapes", face.pose == nil ? nil : "head poses",
      face.arkitMesh == nil ? nil : "ARKit meshes",
      face.landmarks.contains { $0.depths != nil } ? "depths of points" : nil,
    ]
    let lost = extras.filter { $0.1 && !held.contains($0.0) }.map(\.2) + values.map(\.plural)
    return lost + others.compactMap { $0 }
      + (held.contains(.attributes)
        ? [] : face.attributes.keys.sorted().map { "attributes '\($0)'" })
  }

  /// The points of a face that a format of one scheme per face leaves out.
  static func points(
    of face: FaceLabel, besides held: LandmarkScheme?, hidden: Bool, missing: Bool
  ) -> [String] {
    let kept = face.landmarks.first { $0.scheme == held }
    let (isHidden, isMissing) = (
      hidden && kept?.visibility.contains(.occluded) == true,
      missing && kept?.visibility.contains(.notLabelled) == true
    )
    return face.landmarks.filter { $0.scheme != held }.map {
      "landmarks of \($0.scheme.name)" + (held.map { " in addition to \($0.name)" } ?? "")
    } + (isHidden ? ["hidden points, which become visible"] : [])
      + (isMissing ? ["sets of points of which some have no label"] : [])
  }

  /// Data of a dataset other than frames and faces, with counts.
  static func ofWhole(
    _ source: ExportSource, _ layout: ExportLayout
  ) -> [(what: String, count: Int)] {
    guard !source.isPredictions else { return source.losses }
    let dataset = source.dataset
    let videos = dataset.sequences.count { $0.kind == .video }
    let rates = dataset.sequences.count { $0.kind == .video && $0.framesPerSecond > 0 }
    let subjects = dataset.sequences.count { !$0.subject.isEmpty }
    let gathered = dataset.sequences.count { $0.kind == .still && $0.count > 1 }
    return [
      ("videos, whose frames become stills without times", layout.isOfVideos ? 0 : videos),
      ("frame rates of videos", layout.lacksRates ? rates : 0),
      ("subjects of sequences", subjects), ("sequences of stills", gathered),
      ("splits", dataset.splits.count),
      ("labels of frames", dataset.contextNames.tables.count),
      ("depth maps", dataset.contextNames.depthMaps),
      ("tables that the format does not name", dataset.unknownTables.count),
    ].filter { $0.1 > 0 }
  }
}
