internal import FaceCore
internal import Foundation
internal import Platform

/// Results of MediaPipe's Face Landmarker as programs write them: one object per line, a list, or results by key.
///
/// Keys are those of Python (`face_landmarks`), JavaScript and Unity (`faceLandmarks`).
struct MediaPipeDump {
  /// One result, and what is known of its frame.
  private struct Result {
    var key: String?
    var node: JSONNode
    var about: [JSONNode]

    /// The first value of one of the keys, in any spelling, that is of the kind that `value` takes.
    func first<T>(_ words: Set<String>, _ value: (String, JSONNode) -> T?) -> T? {
      for node in about {
        guard case .object(let members)? = node.value else { continue }
        for key in members.keys.sorted() {
          let word = MediaPipeDump.plain(key)
          if words.contains(word), let found = value(word, node[key]) { return found }
        }
      }
      return nil
    }
  }

  private enum Axis {
    case names
    case numbers
    case seconds(Double)
  }

  private let bytes: [UInt8]
  private let name: String
  private var shapes: Set<String> = []
  private var matrices = 0
  /// Whether a result that was read has a list of landmarks, empty or not.
  private(set) var hasPoints = false
  private var flipped = 0

  /// The keys of a result: programs that move an avatar keep the coefficients alone.
  private static let results: Set = ["facelandmarks", "multifacelandmarks", "faceblendshapes"]
  private static let image: Set = [
    "image", "file", "filename", "imagename", "imagepath", "path", "name", "frame", "imageid",
  ]
  private static let number: Set = [
    "frame", "framenumber", "frameindex", "frameid", "index", "number",
  ]
  private static let time: Set = [
    "timestampms", "timestamp", "time", "timems", "timestampus", "mediatime", "videotime", "t",
    "currenttime", "timestampinmilliseconds",
  ]
  private static let (width, height): (Set<String>, Set<String>) = (
    ["width", "imagewidth", "framewidth", "videowidth"],
    ["height", "imageheight", "frameheight", "videoheight"]
  )

  /// The reason to detect such results in the first bytes of a file; nil for none.
  static func recognises(_ source: URL) -> String? {
    guard ["json", "jsonl", "ndjson", "txt", "log"].contains(source.pathExtension.lowercased()),
      let head = SourceFiles.head(of: source)
    else { return nil }
    if let mark = MediaPipeText.marks.first(where: head.contains) {
      return "a text with \(mark.dropLast())"
    }
    let keys = /"((?:multi_?)?face_?(?:landmarks|blendshapes))"\s*:\s*\[/.ignoresCase()
    guard let key = head.firstMatch(of: keys) else { return nil }
    return "a JSON file with \(key.1)"
  }

  init(_ source: URL) throws(FileError) {
    name = source.relativePath
    let text = try SourceFiles.bytes(of: source)
    let isPrinted =
      SourceFiles.head(of: source).map { MediaPipeText.marks.contains(where: $0.contains) } ?? false
    bytes = (isPrinted ? MediaPipeText.json(text) : nil) ?? UnityText.json(text)
  }

  private static func plain(_ key: String) -> String {
    key.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  // MARK: Results

  private func each(_ use: (Result) throws(FileError) -> Void) throws(FileError) {
    var json = JSONText(bytes, name: name)
    while !json.isAtEnd() {
      switch try json.kind() {
      case .array:
        try json.elements { (json) throws(FileError) in
          try use(try Self.result(JSONNode(next: &json), key: nil))
        }
      default: try Self.object(&json, use)
      }
    }
  }

  /// One result, or an object of them by image, frame or time.
  private static func object(
    _ json: inout JSONText, _ use: (Result) throws(FileError) -> Void
  ) throws(FileError) {
    var ahead = json
    var keys: [String] = []
    var kinds: [JSONText.Kind] = []
    try ahead.members { (json, key) throws(FileError) in
      keys.append(key)
      kinds.append(try json.kind())
      try json.skip()
    }
    let isOne = keys.contains { results.contains(plain($0)) } || !kinds.contains(.object)
    let list = zip(keys, kinds).first { ["results", "frames"].contains(plain($0)) && $1 == .array }
    if let list {
      try json.members { (json, key) throws(FileError) in
        guard key == list.0 else { return _ = try json.skip() }
        try json.elements { (json) throws(FileError) in
          try use(try result(JSONNode(next: &json), key: nil))
        }
      }
    } else if isOne || keys.contains(where: { image.union(number).union(time).contains(plain($0)) })
    {
      try use(try result(JSONNode(next: &json), key: nil))
    } else {
      try json.members { (json, key) throws(FileError) in
        guard try json.kind() == .object else { return _ = try json.skip() }
        try use(try result(JSONNode(next: &json), key: key))
      }
    }
  }

  /// The object that has landmarks: the node itself, or one inside it.
  private static func result(_ node: JSONNode, key: String?) throws(FileError) -> Result {
    guard case .object(let members)? = node.value else {
      throw node.wrong("a result with faceLandmarks or faceBlendshapes")
    }
    if members.keys.contains(where: { results.contains(plain($0)) }) {
      return Result(key: key, node: node, about: [node])
    }
    for (inner, value) in members.sorted(by: { $0.key < $1.key }) {
      if case .object(let members) = value,
        members.keys.contains(where: { results.contains(plain($0)) })
      {
        return Result(key: key, node: node[inner], about: [node, node[inner]])
      }
    }
    throw node.wrong("a result with faceLandmarks or faceBlendshapes")
  }

  // MARK: Frames

  /// Passes the frames on, as stills of images or as one clip.
  mutating func send(
    title: String, folder: URL, framesPerSecond: Double?, to sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var (images, times, numbers, count, keyed) = (0, [Double](), [Double](), 0, 0)
    var words: Set<String> = []
    try each { (result) throws(FileError) in
      count += 1
      if result.key != nil { keyed += 1 }
      if Self.imageName(of: result) != nil { images += 1 }
      if let number = Self.number(of: result) { numbers.append(number) }
      if let time = Self.time(of: result) {
        times.append(time.value)
        words.insert(time.word)
      }
    }
    guard count > 0 else {
      throw FileError.wrongData("cannot read \(name): expected results, found none")
    }
    // Keys that count one by one are frames; others are times.
    let isCounted =
      keyed < count || zip(numbers, numbers.dropFirst()).allSatisfy { $1 - $0 == 1 }
    let isNumbered = numbers.count == count && images < count && isCounted
    let rises = zip(times, times.dropFirst()).allSatisfy(<)
    let isTimed = times.count == count && !(isNumbered && (keyed == count || !rises))
    let axis: Axis =
      images == count ? .names : isTimed ? .seconds(Self.unit(of: times, words)) : .numbers
    let rate = framesPerSecond ?? 30
    // Without a frame 0 the first may be 1, or frames without a face may be left out.
    let isFirstUnknown = isNumbered && (numbers.min() ?? 0) >= 1
    var (position, begins, sizes, clock, pixels) = (0, true, 0, FrameTimes(), 0)
    var reader = self
    try each { (result) throws(FileError) in
      let stated = isNumbered ? Int(exactly: Self.number(of: result) ?? 0) ?? position : position
      let number = isFirstUnknown ? stated - 1 : stated
      let own = Self.imageName(of: result)
      var frame = ImportedFrame(
        name: own ?? "\(title)/\(stated)",
        image: own.map { .file(folder.appendingPathComponent($0)) } ?? .none,
        faces: try reader.faces(of: result.node))
      let isInPixels = frame.faces.contains(where: \.isInPixels)
      frame.isRelative = !isInPixels && frame.faces.contains { !$0.landmarks.isEmpty }
      if isInPixels { pixels += 1 }
      if let size = Self.size(of: result) {
        frame.statedSize = size
        sizes += 1
      }
      position += 1
      guard images < count else { return try sink(frame) }
      frame.image = .none
      frame.number = number
      frame.isFirstUnknown = isFirstUnknown
      frame.joins = isNumbered ? .number : nil
      var seconds = Double(number) / rate
      if case .seconds(let unit) = axis {
        seconds = (Self.time(of: result)?.value ?? 0) * unit
        if !isNumbered { frame.joins = .time }
      }
      guard let time = FrameTimes.microseconds(ofSeconds: seconds) else {
        throw result.node.wrong("a time", found: "\(seconds) s")
      }
      frame.timestampMicroseconds = time
      guard clock.accepts(time) else { return }
      if begins { frame.begins = .video(title, at: framesPerSecond ?? 0) }
      begins = false
      try sink(frame)
    }
    self = reader
    return remarks(
      title, axis, isVideo: images < count, hasRate: framesPerSecond != nil, sizes: sizes,
      pixels: pixels, of: count) + clock.remarks(title)
  }

  private func remarks(
    _ title: String, _ axis: Axis, isVideo: Bool, hasRate: Bool, sizes: Int, pixels: Int,
    of count: Int
  ) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    remarks.assume(
      "\(count - sizes) results do not tell the size of their images, which those of the dataset do",
      if: sizes < count && hasPoints)
    if isVideo {
      remarks.assume("\(title): frames have labels and no images")
      switch axis {
      case .seconds(let unit):
        let word = [1: "s", 0.001: "ms", 0.000_001: "us"][unit] ?? "ns"
        remarks.assume("\(title): times are taken as \(word)")
      default:
        remarks.assume("\(title): taken as 30 frames per second (--fps)", if: !hasRate)
      }
    }
    remarks.assume(
      flipped, "matrices whose z grows away from the camera, as Unity's, are turned around")
    remarks.drop(matrices, "matrices that are no 4 x 4 numbers left out")
    remarks.assume(
      "points of \(pixels) results are far beyond 1: taken as pixels of the image, not as fractions",
      if: pixels > 0)
    return remarks
  }

  /// The blendshapes of the file that none of ours is.
  var unknownBlendshapes: Set<String> { shapes }

  private static func imageName(of result: Result) -> String? {
    if let key = result.key, SourceFiles.isImage(key) { return key }
    return result.first(image) { _, node -> String? in
      node.ifText.flatMap { SourceFiles.isImage($0) ? $0 : nil }
    }
  }

  private static func number(of result: Result) -> Double? {
    if let key = result.key { return Double(key).flatMap { Int(exactly: $0) == nil ? nil : $0 } }
    return result.first(number) { _, node -> Double? in
      node.ifNumber.flatMap { value in
        Int(exactly: value).flatMap { (0...Int(Int32.max)).contains($0) ? value : nil }
      }
    }
  }

  /// The time of a result, and the word for it; the word is empty where a key is the time.
  private static func time(of result: Result) -> (word: String, value: Double)? {
    let stated = result.first(time) { word, node -> (word: String, value: Double)? in
      node.ifNumber.map { (word, $0) }
    }
    guard stated == nil, let value = result.key.flatMap({ Double($0) }), value.isFinite
    else { return stated }
    return ("", value)
  }

  /// Seconds of the unit that a word for times tells, else in which their usual step is 0.5 to 500 frames per second.
  private static func unit(of times: [Double], _ words: Set<String>) -> Double {
    let word = words.count == 1 ? words.first ?? "" : ""
    if word.hasSuffix("ms") || word.hasSuffix("milliseconds") { return 0.001 }
    if word.hasSuffix("us") { return 0.000_001 }
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    guard let step = steps.upperMedian else { return 0.001 }
    return step < 2 ? 1 : step < 2000 ? 0.001 : step < 2_000_000 ? 0.000_001 : 0.000_000_001
  }

  private static func size(of result: Result) -> ImageSize? {
    func side(_ words: Set<String>) -> Int? {
      result.first(words) { _, node -> Int? in
        node.ifNumber.flatMap { Int(exactly: $0) }.flatMap { (1...65_535).contains($0) ? $0 : nil }
      }
    }
    guard let columns = side(width), let rows = side(height) else { return nil }
    return ImageSize(width: columns, height: rows)
  }

  // MARK: Faces

  static func member(_ node: JSONNode, _ words: String...) -> JSONNode? {
    guard case .object(let members)? = node.value else { return nil }
    return members.keys.sorted().first { words.contains(plain($0)) }.flatMap {
      node[$0].unlessNull
    }
  }

  private mutating func faces(of node: JSONNode) throws(FileError) -> [FaceLabel] {
    let points = Self.member(node, "facelandmarks", "multifacelandmarks")
    let sets = try points?.items() ?? []
    let all = Self.member(node, "faceblendshapes")
    var shapes = try all?.items() ?? []
    if points != nil { hasPoints = true }
    // The categories of the only face, without its list.
    if let all, let first = shapes.first, Self.member(first, "categoryname") != nil {
      shapes = [all]
    }
    let matrices =
      try Self.member(node, "facialtransformationmatrixes", "facialtransformationmatrices")?
      .items() ?? []
    var faces: [FaceLabel] = []
    for index in 0..<(points == nil ? shapes.count : sets.count) {
      var label =
        index < sets.count
        ? try Self.face(sets[index]) : FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
      if index < shapes.count { label.blendshapes = try blendshapes(of: shapes[index]) }
      if index < matrices.count { label.pose = try pose(of: matrices[index]) }
      faces.append(label)
    }
    return faces
  }

  private mutating func blendshapes(of node: JSONNode) throws(FileError) -> [Float]? {
    var known = [Float](repeating: .nan, count: Blendshape.allCases.count)
    let list = Self.member(node, "categories", "classifications", "classification") ?? node
    var pairs: [(name: String, score: Double)] = []
    if case .array = list.value {
      for item in try list.items(of: "categories") {
        let name = Self.member(item, "categoryname") ?? Self.member(item, "label") ?? item["name"]
        pairs.append((try name.text(), try Self.member(item, "score")?.number() ?? 0))
      }
    } else {
      for key in try list.keys() { pairs.append((key, try list[key].number())) }
    }
    for (name, score) in pairs {
      guard let shape = Blendshape(spelled: name), Float(score).isFinite else {
        shapes.insert(name)
        continue
      }
      known[shape.index] = Float(score)
    }
    return pairs.isEmpty ? nil : known
  }

  /// A matrix by rows or by columns, whichever has 0, 0, 0, 1 at its end; Unity's has z turned around.
  private mutating func pose(of node: JSONNode) throws(FileError) -> HeadPose? {
    var rows: [Double] = []
    let data = Self.member(node, "data", "packeddata", "packed") ?? node
    if case .array(let items)? = data.value {
      for (item, value) in zip(try data.items(), items) {
        if case .array = value {
          for number in try item.items() { rows.append(try number.number()) }
        } else {
          rows.append(try item.number())
        }
      }
    } else {
      for row in 0..<4 {
        for column in 0..<4 {
          let cell = data["m\(row)\(column)"].given ?? data["e\(row)\(column)"]
          if let value = cell.ifNumber { rows.append(value) }
        }
      }
    }
    guard rows.count == 16 else {
      matrices += 1
      return nil
    }
    if rows[3] == 0, rows[7] == 0, rows[11] == 0, (12..<15).contains(where: { rows[$0] != 0 }) {
      rows = (0..<16).map { rows[4 * ($0 % 4) + $0 / 4] }
    }
    if rows[11] > 0 {
      flipped += 1
      let isMirrored = HeadRotation.determinant(rows) < 0
      for column in 0..<4 { rows[8 + column] = -rows[8 + column] }
      if !isMirrored { for row in 0..<4 { rows[4 * row + 2] = -rows[4 * row + 2] } }
    }
    let pose = HeadPose(matrix: SIMD16(rows.map { Float($0) }))
    guard pose.isWellFormed else {
      matrices += 1
      return nil
    }
    return pose
  }
}
