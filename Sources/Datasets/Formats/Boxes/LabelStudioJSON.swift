internal import FaceCore
package import Foundation
package import Platform

/// Label Studio's JSON export, whole or short ("JSON-MIN"): rectangles, points, and rectangles of video.
package struct LabelStudioJSON: DatasetFormat {
  package let name = "label-studio"
  package let summary = "Label Studio JSON or JSON-MIN: rectangles, key points, video tracks"
  package let numbersTracks = true
  package let settings = ImportSetting.ofPoints.union([.category, .framesPerSecond])
  /// Points have names.
  package let decidesPoints = true

  package init() {}

  /// A JSON list of tasks with annotations, or of results by the names of their tags.
  package func recognises(_ source: URL) -> String? {
    guard let head = SourceFiles.head(of: source, type: "json"),
      head.contains(/^\s*\[\s*\{/)
    else { return nil }
    if head.contains("\"annotations\"") || head.contains("\"predictions\""),
      head.contains("\"result\"") || head.contains("\"data\"")
    {
      return "a JSON list of tasks with annotations of Label Studio"
    }
    let words = ["rectanglelabels", "keypointlabels", "original_width"]
    return words.contains { head.contains("\"\($0)\"") }
      ? "a JSON list of short tasks of Label Studio" : nil
  }

  /// Reads each file twice, to see its labels and points, then to pass its images on; several once more before, for the
  /// labels of all.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = [.assumed("pixels count from 0, as in Label Studio")]
    let labelled = options.filesOfLabels(sources)
    let labels = try labelled.count > 1 ? Self.labels(of: labelled, options) : []
    for source in sources {
      var faces = ShapeFaces(options, labels: labels)
      var counts = LabelStudioCounts()
      var frames = 0
      try Self.each(source) { (node) throws(FileError) in
        let task = try LabelStudioTask(node, options, &counts)
        faces.sample(task.image)
        faces.add(task.video.labels)
        guard task.isOfClip else { return }
        // More of one clip are refused with its name.
        let count = task.video.countFrames(at: task.video.rate(options))
        frames += min(count, CVATRecording.frameLimit)
      }
      let most = CVATRecording.mostFrames(in: source)
      guard frames <= most else {
        throw FileError.wrongData(
          "cannot read \(source.relativePath): expected at most \(most) frames of all tasks, found "
            + "\(frames)")
      }
      counts = LabelStudioCounts()
      try faces.decide(in: source.relativePath)
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      var stills = 0
      var rows: Set<String> = []
      try Self.each(source) { (node) throws(FileError) in
        let task = try LabelStudioTask(node, options, &counts)
        guard task.isLabelled else { return }
        if let row = task.row, !rows.insert(row).inserted { return counts.further += 1 }
        guard task.isComplete else { return counts.incomplete += 1 }
        let rate = task.video.rate(options)
        let recordings = try task.recordings(source, at: rate)
        if recordings.isEmpty {
          stills += 1
          let (name, url) = Self.position(
            of: task.image.name, in: folder, isThere: !options.isLabelsOnly)
          var frame = ImportedFrame(name: name, image: url, faces: faces.labels(of: task.image))
          frame.statedSize = task.size
          frame.isRelative = task.size == nil
          try sink(frame)
        }
        for recording in recordings {
          for (position, image) in recording.frames.enumerated() {
            var frame = recording.frame(
              position, at: rate.framesPerSecond, faces: faces.labels(of: Self.image(image)))
            frame.isRelative = true
            try sink(frame)
          }
          counts.add(recording, at: rate, turned: task.video.turned)
        }
      }
      faces.others = counts.others
      remarks += counts.remarks + faces.remarks
    }
    return remarks
  }

  /// The labels in all files.
  private static func labels(
    of sources: [URL], _ options: ImportOptions
  ) throws(FileError) -> [String] {
    var faces = ShapeFaces(options)
    for source in sources {
      var counts = LabelStudioCounts()
      try each(source) { (node) throws(FileError) in
        let task = try LabelStudioTask(node, options, &counts)
        faces.sample(task.image)
        faces.add(task.video.labels)
      }
    }
    return faces.labels
  }

  private static func each(
    _ source: URL, _ use: (JSONNode) throws(FileError) -> Void
  ) throws(FileError) {
    var json = JSONText(
      try SourceFiles.bytes(of: source, limit: 1 << 30), name: source.relativePath)
    try json.elements { (json) throws(FileError) in try use(try JSONNode(next: &json)) }
    try json.finish()
  }

  /// The shapes of a frame of a video, in fractions of its size.
  private static func image(_ frame: CVATDocument.Image) -> ShapeFaces.Image {
    ShapeFaces.Image(
      name: frame.name,
      boxes: frame.shapes.map { .init(label: $0.label, box: $0.box, track: $0.track) })
  }

  private static func isUpload(_ path: String) -> Bool { path.contains("/data/upload/") }

  /// The last part of a path, of an upload without the eight digits and the dash before it.
  fileprivate static func lastPart(of path: String) -> String {
    let last = PathText(path).components.last.map { String($0) } ?? path
    return isUpload(path) ? last.replacing(/^[0-9a-f]{8}-/, with: "") : last
  }

  /// Where the image of a task is, and its name: an upload has eight digits and a dash before it.
  private static func position(
    of path: String, in folder: URL, isThere: Bool
  ) -> (name: String, url: URL) {
    let parts = PathText(path).components.map { String($0) }
    let bare = lastPart(of: path)
    let tails = parts.indices.map { parts[$0...].joined(separator: "/") }
    if isThere {
      for name in tails + [bare] {
        let url = folder.appendingPathComponent(name)
        if url.isThere { return (name, url) }
      }
    }
    // An upload has a folder of Label Studio's own; another path tells images of one name apart.
    let folders = isUpload(path) ? [] : path.contains("://") ? parts.dropFirst(2) : parts[...]
    let name = (folders.dropLast() + [bare]).joined(separator: "/")
    return (name, folder.appendingPathComponent(bare))
  }
}

/// What was counted in the tasks of a file.
private struct LabelStudioCounts {
  var others: [String: Int] = [:]
  var (further, unlabelled, turned, incomplete) = (0, 0, 0, 0)
  private var recordings: [ImportRemark] = []

  mutating func add(_ recording: CVATRecording, at rate: LabelStudioVideo.Rate, turned: Int) {
    let name = recording.name
    recordings.assume("\(name): frames have labels and no images")
    let number = rate.framesPerSecond.shortText(significantDigits: 4)
    if let stated = rate.stated, rate.isOther {
      recordings.assume(
        "\(name): keyframes are of \(stated.shortText(significantDigits: 4)) frames per second, and are "
          + "put on the \(number) of the video")
    } else if !rate.isGiven {
      recordings.assume("\(name): taken as \(number) frames per second (--fps)")
    }
    recordings.assume(
      recording.interpolated, "boxes between keyframes are interpolated", about: name)
    recordings.drop(
      turned, "keyframes of turned boxes are read as if these were upright (--video)", about: name)
  }

  var remarks: [ImportRemark] {
    var remarks = recordings
    remarks.drop(
      further,
      "annotations left out: of each task the ground truth, else the first that is not cancelled")
    remarks.drop(unlabelled, "tasks without an annotation left out")
    remarks.drop(
      turned,
      "results on turned images left out"
        + (incomplete > 0 ? ", and with them \(incomplete) images" : ""))
    return remarks
  }
}

/// A task with the results that are used.
private struct LabelStudioTask {
  var image = ShapeFaces.Image(name: "")
  /// Size of the image; nil where no result tells.
  private(set) var size: ImageSize?
  /// Whether it has an annotation, perhaps without a result.
  private(set) var isLabelled = true
  /// Whether all results were read.
  private(set) var isComplete = true
  /// Of a short task its number and image: each of its annotations is a row of its own.
  private(set) var row: String?
  /// Flags and identities of regions by their id, with the names that CVAT's export has for them.
  private var fields: [String: [String: Double]] = [:]
  /// The rectangles of a clip.
  private(set) var video = LabelStudioVideo()
  private let source: String
  /// Size of the frames of its clip; nil where it is not known.
  private let frameSize: ImageSize?

  init(
    _ node: JSONNode, _ options: ImportOptions, _ counts: inout LabelStudioCounts
  ) throws(FileError) {
    frameSize = options.frameSizeOfVideo
    let isWhole = node["data"].isGiven
    source = try Self.source(isWhole ? node["data"] : node)
    image.name = source
    if !isWhole, let id = node["id"].ifNumber { row = "\(id) \(source)" }
    var results: [JSONNode] = []
    var score: Double?
    if isWhole {
      let list = try node["annotations"].unlessNull?.items() ?? []
      let made = try node["predictions"].unlessNull?.items() ?? []
      let all = options.isPredictions && !made.isEmpty ? made : list
      let valid = all.filter { $0["was_cancelled"].value != .bool(true) }
      counts.further += max(valid.count - 1, 0)
      let chosen = valid.first { $0["ground_truth"].value == .bool(true) } ?? valid.first
      guard let first = chosen else {
        isLabelled = false
        counts.unlabelled += 1
        return
      }
      results = try first["result"].unlessNull?.items() ?? []
      score = first["score"].ifNumber
    } else {
      for key in try node.keys() {
        guard case .array(let items)? = node[key].value,
          items.contains(where: { if case .object = $0 { true } else { false } })
        else { continue }
        results += try node[key].items()
      }
    }
    for result in results { try add(result, isWhole: isWhole, score: score, &counts) }
    for index in image.boxes.indices {
      guard let region = image.boxes[index].group, let own = fields[region] else { continue }
      image.boxes[index].attributes.merge(own) { first, _ in first }
    }
  }

  /// The image or clip of a task: the first of its texts that names one.
  private static func source(_ data: JSONNode) throws(FileError) -> String {
    guard case .object(let members)? = data.value else { throw data.wrong("an object") }
    for (_, value) in members.sorted(by: { $0.key < $1.key }) {
      guard case .string(let text) = value else { continue }
      let path = text.split(separator: "?d=", maxSplits: 1).last.map { String($0) } ?? text
      let bare = path.prefix { $0 != "?" && $0 != "#" }
      let name = String(bare).removingPercentEncoding ?? String(bare)
      let suffix = PathText(name).suffix.lowercased()
      if SourceFiles.isImage(name) || VideoContainer.allExtensions.contains(suffix) { return name }
    }
    throw data.wrong("the path of an image or a clip", found: "none")
  }

  private mutating func add(
    _ result: JSONNode, isWhole: Bool, score: Double?, _ counts: inout LabelStudioCounts
  ) throws(FileError) {
    let value = isWhole ? result["value"] : result
    guard case .object(let members)? = value.value else { return }
    let stretch = "timelinelabels"
    let isStretch = result["type"].ifText == stretch
    let kind =
      members.keys.sorted().first { $0.hasSuffix("labels") && $0 != "labels" }
      ?? (isStretch ? stretch : members["sequence"] != nil ? "videorectangle" : "")
    // With a time line some versions write a rectangle of video twice, the second time as a stretch of it.
    if members["sequence"] != nil, !isStretch {
      return try video.add(value, label: Self.label(value, "labels"), in: frameSize)
    }
    if let region = result["id"].ifText, addField(of: result, members, to: region) { return }
    let isBox = kind == "rectanglelabels" || (kind.isEmpty && members["height"] != nil)
    let isOutline = kind == "polygonlabels" || kind == "ellipselabels"
    guard isBox || isOutline || kind == "keypointlabels" else {
      let word = kind.isEmpty ? result["type"].ifText ?? "" : kind
      counts.others[word.isEmpty ? "results of other kinds" : word, default: 0] += 1
      return
    }
    if let turn = result["image_rotation"].ifNumber, turn != 0 {
      counts.turned += 1
      isComplete = false
      return
    }
    if let columns = result["original_width"].ifNumber.flatMap({ Int(exactly: $0) }),
      let rows = result["original_height"].ifNumber.flatMap({ Int(exactly: $0) }),
      (1...65_535).contains(columns), (1...65_535).contains(rows)
    {
      size = size ?? ImageSize(width: columns, height: rows)
    }
    let (width, height) = (Double(size?.width ?? 1), Double(size?.height ?? 1))
    func place(_ x: Double, _ y: Double) -> Point {
      Point(x: x / 100 * width, y: y / 100 * height)
    }
    let label = Self.label(value, kind)
    let own = result["score"].ifNumber ?? score
    if kind == "polygonlabels" {
      let points = try value["points"].items(1...1 << 20, of: "points").map {
        (item) throws(FileError) in
        try item.numbers(count: 2)
      }
      guard let box = BoundingBox(around: points.map { place($0[0], $0[1]) }) else { return }
      return image.boxes.append(
        .init(
          label: label, box: box, group: result["id"].ifText, score: own, isOutline: true))
    }
    let corner = place(try value["x"].number(), try value["y"].number())
    if kind == "ellipselabels" {
      let radii = place(try value["radiusX"].number(), try value["radiusY"].number())
      let turn = (value["rotation"].ifNumber ?? 0) * .pi / 180
      return image.boxes.append(
        .init(
          label: label,
          box: ShapeFaces.box(
            aroundEllipse: corner, radii: (abs(radii.x), abs(radii.y)), angle: turn),
          group: result["id"].ifText, score: own, isOutline: true))
    }
    guard isBox else {
      return image.marks.append(
        .init(label: label, point: corner, group: result["parentID"].ifText))
    }
    var box = BoundingBox(
      x: corner.x, y: corner.y, width: try value["width"].number() / 100 * width,
      height: try value["height"].number() / 100 * height)
    guard box.isWellFormed else { throw value.wrong("a box of non-negative size") }
    if let turn = value["rotation"].ifNumber, turn != 0 {
      box = ShapeFaces.box(around: box, turnedAboutCornerBy: turn)
    }
    image.boxes.append(
      .init(label: label, box: box, group: result["id"].ifText, score: own))
  }

  /// Takes the flags or the identity of a region, as an export writes them; whether it is one.
  private mutating func addField(
    of result: JSONNode, _ members: [String: JSONValue], to region: String
  ) -> Bool {
    if case .array(let words)? = members["choices"] {
      let flags = words.compactMap { if case .string(let word) = $0 { word } else { nil } }
      guard Set(flags).isSubset(of: [CVATShapes.Flag.ignored, CVATShapes.Flag.crowd]) else {
        return false
      }
      for flag in flags { fields[region, default: [:]][flag] = 1 }
      return true
    }
    guard case .number(let number)? = members["number"],
      result["from_name"].ifText == "identity"
    else { return false }
    fields[region, default: [:]][CVATShapes.Flag.identity] = number
    return true
  }

  private static func label(_ value: JSONNode, _ kind: String) -> String {
    for key in [kind, "labels"] {
      if case .array(let items)? = value[key].value, case .string(let text)? = items.first {
        return text
      }
    }
    return ""
  }

  /// Whether its frames are those of a clip.
  var isOfClip: Bool { !video.isEmpty || !SourceFiles.isImage(source) }

  /// The clip of the task at a rate; none for a still.
  func recordings(
    _ file: URL, at rate: LabelStudioVideo.Rate
  ) throws(FileError) -> [CVATRecording] {
    let clip = LabelStudioJSON.lastPart(of: source)
    return isOfClip ? [try video.recording(of: clip, at: rate, in: file)] : []
  }
}
