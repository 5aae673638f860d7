internal import FaceCore
internal import Foundation
internal import Platform

/// Turns the faces of a table into frames of a dataset, in order, and says what was assumed and left out.
struct ColumnFrames {
  private let faces: ColumnFaces
  private let options: ImportOptions
  private let folder: URL
  private let choice: FaceCategories?
  private let decision: PointReading.Decision?
  private let order: [Int]
  private let identities: [Int]
  private let framesPerSecond: Double
  private var (sets, ownBoxes, stopped, byLastPart, videos) = (0, 0, 0, 0, 0)
  private var counts: (hidden: Int, unlabelled: Int) = (0, 0)
  private var splits: [String: Int] = [:]
  private var badSplits = 0

  private var mapping: ColumnMapping { faces.plan.mapping }

  /// Decides what categories are faces and which points the points are.
  init(
    _ faces: ColumnFaces, identities: [Int], _ options: ImportOptions, in source: URL
  ) throws(FileError) {
    (self.faces, self.options) = (faces, options)
    self.identities = identities
    framesPerSecond = options.framesPerSecond ?? 30
    folder = options.imageFolder ?? source.deletingLastPathComponent()
    guard !faces.frames.isEmpty else {
      throw FileError.wrongData("cannot read \(source.relativePath): expected rows, found none")
    }
    let all = faces.frames.reduce(0) { $0 + $1.faces.count }
    guard faces.negative == 0 || all > 0 else {
      throw FileError.wrongData(
        "cannot read \(source.relativePath): expected boxes of non-negative size, found "
          + "\(faces.negative) of a negative one (--columns may exchange corners and sizes)")
    }
    choice = try FaceCategories(
      options.categories, ofLabels: faces.categories, in: source.relativePath)
    order = faces.pointOrder
    decision =
      order.isEmpty ? nil : try Self.decision(faces, order, options, in: source.relativePath)
  }

  /// What the points of a table are; throws where it is not known.
  static func decision(
    _ faces: ColumnFaces, _ order: [Int], _ options: ImportOptions, in file: String
  ) throws(FileError) -> PointReading.Decision {
    var sample: [[Point?]] = []
    for face in faces.frames.lazy.flatMap(\.faces) where !face.points.isEmpty {
      guard sample.count < PointReading.sample else { break }
      sample.append(order.map { face.points[$0]?.point })
    }
    return try PointReading(options).require(
      PointReading.Sets(
        file: file, count: order.count, names: order.map { faces.pointNames[$0] }, faces: sample))
  }

  /// Passes all frames on.
  mutating func send(to sink: FrameSink) throws(FileError) {
    let all = faces.frames
    guard mapping.isOfVideos else {
      for frame in all {
        var still = imported(frame)
        if let subject = frame.subject {
          still.begins = SequenceDescription(name: frame.name, kind: .still, subject: subject)
        }
        try sink(still)
      }
      return
    }
    var groups = OrderedGroups<String, Int>()
    for (index, frame) in all.enumerated() { groups.add(index, to: frame.sequence) }
    let first = firstFrame
    for name in groups.keys {
      videos += 1
      let sorted = groups[name].sorted {
        let (a, b) = (all[$0], all[$1])
        if let one = a.number, let other = b.number, one != other { return one < other }
        if let one = a.seconds, let other = b.seconds, one != other { return one < other }
        return $0 < $1
      }
      var times = FrameTimes()
      var kept: [ImportedFrame] = []
      let origin = options.keepsClock ? 0 : sorted.first.flatMap { all[$0].seconds } ?? 0
      for (position, index) in sorted.enumerated() {
        var frame = imported(all[index])
        let number = all[index].number.map { $0 - first }
        frame.number = number ?? (mapping["time"] == nil ? position : nil)
        frame.isFirstUnknown = number != nil && isFirstUnknown
        let seconds =
          all[index].seconds.map { $0 - origin }
          ?? Double(frame.number ?? position) / framesPerSecond
        guard let time = FrameTimes.microseconds(ofSeconds: seconds) else {
          throw FileError.wrongData(
            "cannot read \(name), frame '\(frame.name)': expected a time, found \(seconds) s (time-unit=ms, us or "
              + "ns in --columns, where times are no seconds)")
        }
        frame.timestampMicroseconds = time
        // Output that is joined by its numbers needs no times, which may be rounded.
        guard options.isPredictions && number != nil || times.accepts(time) else { continue }
        kept.append(frame)
      }
      stopped += sorted.count - kept.count
      kept[0].begins = SequenceDescription(
        name: name, kind: .video, subject: sorted.compactMap { all[$0].subject }.first ?? "",
        framesPerSecond: mapping["time"] == nil ? framesPerSecond : times.usualRate)
      for frame in kept { try sink(frame) }
    }
  }

  /// The number of the first frame of a recording, 0 or 1.
  private var firstFrame: Int {
    mapping["first-frame"].flatMap { Int($0) }
      ?? min(faces.frames.lazy.compactMap(\.number).min() ?? 0, 1)
  }

  /// Whether neither the numbers nor the mapping tell what the first frame is.
  private var isFirstUnknown: Bool { mapping["first-frame"] == nil && firstFrame == 1 }

  private mutating func imported(_ frame: ColumnFaces.Frame) -> ImportedFrame {
    let found = frame.image.map { position(of: $0) }
    var imported = ImportedFrame(
      name: found?.name ?? frame.name, image: found.map { .file($0.url) } ?? .none,
      faces: frame.faces.map { label($0) })
    imported.statedSize = frame.size
    imported.isRelative = mapping.isRelative
    imported.joins = mapping.join(ofImages: frame.image != nil)
    if let split = frame.split {
      if DatasetLayout.isTableName(split) {
        imported.splits = [split]
        splits[split, default: 0] += 1
      } else {
        badSplits += 1
      }
    }
    return imported
  }

  /// Where an image is: below the folder by its whole name or its last part, or where an absolute name says.
  private mutating func position(of name: String) -> (name: String, url: URL) {
    let whole = folder.appendingPathComponent(name)
    guard !options.isLabelsOnly, !whole.isThere else { return (name, whole) }
    if name.hasPrefix("/"), URL(fileURLWithPath: name).isThere {
      return (name, URL(fileURLWithPath: name))
    }
    if !SourceFiles.isImage(name) {
      for suffix in ["jpg", "png", "jpeg"] {
        let file = whole.appendingPathExtension(suffix)
        if file.isThere { return ("\(name).\(suffix)", file) }
      }
    }
    let last = PathText(name).components.last.map { String($0) } ?? name
    let near = folder.appendingPathComponent(last)
    guard last != name, near.isThere else { return (name, whole) }
    byLastPart += 1
    return (last, near)
  }

  private mutating func label(_ face: ColumnFaces.Face) -> FaceLabel {
    var label = face.label
    if let choice, let category = face.category {
      label.category = choice.number(of: category + 1)
      let own = label.expression
      choice.name(&label, of: category + 1)
      label.expression = own ?? label.expression
    }
    label.identity = label.identity.map { identities[$0] }
    guard let decision, !face.points.isEmpty else { return label }
    sets += 1
    let points = order.map { face.points[$0]?.point }
    let states = order.map { state(of: face.points[$0]) }
    for state in states {
      if state == .occluded { counts.hidden += 1 }
      if state == .notLabelled { counts.unlabelled += 1 }
    }
    guard
      let set = decision.order.landmarks(
        zip(points, states).map { $1 == .notLabelled ? nil : $0 }, states)
    else { return label }
    label.landmarks = [set]
    if !face.hasBox, let tight = BoundingBox(around: set.labelled) {
      label.box = tight
      label.area = tight.area
      ownBoxes += 1
    }
    return label
  }

  /// With 2 as the highest number as in COCO: 0 not labelled, 1 hidden, 2 seen; of probabilities and percent less than a
  /// half hidden; else 0 hidden, above it seen.
  private func state(of point: (point: Point, seen: Double?)?) -> PointVisibility {
    guard let point else { return .notLabelled }
    guard let seen = point.seen else { return .visible }
    if faces.highestVisibility == 2 {
      return seen >= 2 ? .visible : seen >= 1 ? .occluded : .notLabelled
    }
    if let certain = faces.certainVisibility {
      return 2 * seen >= certain ? .visible : .occluded
    }
    return seen > 0 ? .visible : .occluded
  }

  /// What was assumed and left out.
  var remarks: [ImportRemark] {
    var remarks: [ImportRemark] = []
    let fields = faces.plan.leftOut
    remarks.drop(
      "\(fields.count) columns left out: "
        + fields.prefix(12).map { "\($0.prefix(40))" }.joined(separator: ", ")
        + (fields.count > 12 ? ", …" : ""),
      if: !fields.isEmpty)
    if let choice { remarks.append(choice.remark(ofLabels: faces.categories.count)) }
    if let decision, sets > 0 {
      remarks.assume("\(sets) sets of \(order.count) points \(decision.text)")
    }
    remarks.assume(ownBoxes, "faces without a box get the tight boxes of their points")
    remarks.assume(
      "no columns of boxes or points: each row is a face without a place", if: !faces.hasPlaces)
    if let note = ColumnWords.noteOnRig(faces.plan.attributes.map(\.column)) {
      remarks.assume(note)
    }
    remarks.assume(faces.faceless, "rows without a face count for their images alone")
    remarks.assume(byLastPart, "images are found by the last part of their names")
    if let certain = faces.certainVisibility {
      remarks.assume(
        "visibilities of up to \(faces.highestVisibility.plainText) are taken as "
          + "\(certain == 1 ? "probabilities" : "percent"): \(counts.hidden) points below a half are "
          + "hidden")
    } else if counts.hidden + counts.unlabelled > 0, mapping["pv"] != nil {
      remarks.assume(
        "\(counts.hidden) points are hidden and \(counts.unlabelled) not labelled, by their "
          + "visibility of 0 to \(faces.highestVisibility.plainText)")
    }
    remarks += unitRemarks
    for (split, count) in splits.sorted(by: { $0.key < $1.key }).prefix(12) {
      remarks.assume(count, "images are of split \(split)")
    }
    remarks.drop(faces.negative, "faces whose box has a negative size")
    remarks.drop(badSplits, "names of splits that are no plain names")
    remarks.drop(stopped, "frames whose time does not rise")
    for (column, count) in faces.texts.sorted(by: { $0.key < $1.key }) {
      remarks.drop(
        "\(count) values of \(column.prefix(40)) that are no numbers (attributes are numbers: write 0 and 1 for two classes)"
      )
    }
    return remarks
  }

  private var unitRemarks: [ImportRemark] {
    var remarks: [ImportRemark] = []
    remarks.assume("pixels count from 0 (base)", if: mapping["base"] == nil && !mapping.isRelative)
    remarks.assume("coordinates are fractions of the image (space)", if: mapping.isRelative)
    if ["yaw", "pitch", "roll"].contains(where: { mapping[$0] != nil }) {
      let unit = mapping["angle-unit"] ?? "degrees"
      remarks.assume(
        "angles are \(unit) (angle-unit); no head pose is computed from them: they are compared with angles of the "
          + "other side, and not with poses (the pose of an 'import hdf5' mapping makes poses of angles)"
      )
    }
    guard mapping.isOfVideos else { return remarks }
    if mapping["time"] != nil {
      remarks.assume("times are in \(mapping["time-unit"] ?? "s") (time-unit)")
    } else if options.framesPerSecond == nil {
      remarks.assume("\(videos) sequences are taken as 30 frames per second (--fps)")
    }
    remarks.assume(
      "frames count from \(firstFrame)\(isFirstUnknown ? ", none being 0" : "") (first-frame)",
      if: mapping["frame"] != nil)
    return remarks
  }
}
