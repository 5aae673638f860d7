internal import FaceCore
package import Foundation
package import Platform

/// The CSV that OpenFace 1 and 2 write: 68 points, head pose, gaze and action units.
package struct OpenFaceCSV: DatasetFormat {
  package let name = "openface"
  package let summary = "OpenFace CSV: 68 points, head pose, gaze, action units; no images"
  package let numbersTracks = true
  package let usesImageFolder = false
  /// `pose_R` becomes a rotation.
  package let hasPosesOfAngles = true
  /// Frames count from 1 in the file.
  package let joins = FrameKey.number
  package let settings = ImportSetting.ofPoints.union([.framesPerSecond])

  package init() {}

  private static let pose = ["pose_Tx", "pose_Ty", "pose_Tz", "pose_Rx", "pose_Ry", "pose_Rz"]
  private static let known: Set<String> = [
    "frame", "face", "face_id", "timestamp", "confidence", "success",
  ]
  private static let left = ["X_", "Y_", "Z_", "eye_lmk_", "p_"]

  /// A CSV file with OpenFace's columns of confidence and at least one of its outputs: pose, points, gaze, action units.
  package func recognises(_ source: URL) -> String? {
    let names = NamedColumns.head(of: source)
    guard names.contains("confidence"), let output = names.first(where: Self.isOutput) else {
      return nil
    }
    guard output == "pose_Rx" || names.contains("success") || names.contains("face") else {
      return nil
    }
    return "a CSV file with the columns confidence and \(output)"
  }

  /// Whether a column begins one of the outputs that FeatureExtraction writes, all or some of them.
  private static func isOutput(_ name: String) -> Bool {
    ["pose_Rx", "x_0", "gaze_0_x"].contains(name)
      || (name.hasPrefix("AU") && (name.hasSuffix("_r") || name.hasSuffix("_c")))
  }

  /// Reads each file as one video, or as one still if it has no column of frames.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = [
      .assumed("frames have labels and no images"),
      .assumed("points taken as pixels from 0, as OpenCV counts; boxes are their tight boxes"),
      .assumed(
        "head poses are in the coordinates of OpenFace's camera, whose focal length it estimates "
          + "if none was given, with the origin of its own face model"),
    ]
    let titles = SourceFiles.Titles(sources)
    for source in sources {
      remarks += try read(
        DelimitedText(source), title: titles[source], options: options, into: sink)
    }
    return remarks
  }

  private func read(
    _ text: consuming DelimitedText, title: String, options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var file = text
    let columns = try NamedColumns(&file)
    try columns.require(["confidence"], in: file)
    let outputs = columns.names.filter(Self.isOutput)
    guard !outputs.isEmpty else {
      throw file.wrong(
        "columns of points, head pose, gaze or action units",
        found: columns.names.prefix(4).joined(separator: ","))
    }
    if columns.has("pose_Rx") { try columns.require(Self.pose, in: file) }
    if columns.has("x_0") { try columns.require(["y_0", "x_67", "y_67"], in: file) }
    var frames: [ImportedFrame] = []
    var (faceless, pointless, gaps, last) = (0, 0, 0, 0)
    var start: Int?
    while let row = try columns.next(&file) {
      let given = try columns.count("frame", in: row, of: file) ?? 1
      let first = start ?? min(given, 1)
      start = first
      let number = given - first + 1
      guard number >= max(last, 1) else {
        throw file.wrong("a frame of \(max(last, 1) + first - 1) or more", found: "\(given)")
      }
      if number > last {
        var frame = ImportedFrame(
          name: columns.has("frame") ? "\(title)/\(number - 1)" : title, image: .none, faces: [])
        frame.number = number - 1
        if columns.has("frame") {
          let seconds =
            try columns.number("timestamp", in: row, of: file)
            ?? Double(number - 1) / (options.framesPerSecond ?? 30)
          guard let time = FrameTimes.microseconds(ofSeconds: seconds) else {
            throw file.wrong("a time in seconds", found: "\(seconds)")
          }
          frame.timestampMicroseconds = time
        }
        gaps += number - last - 1
        last = number
        frames.append(frame)
      }
      if let success = try columns.number("success", in: row, of: file), success == 0 {
        faceless += 1
      } else if let face = try face(
        row, columns, in: file, angleFactor: options.angleFactor)
      {
        frames[frames.count - 1].faces.append(face)
      } else {
        pointless += 1
      }
    }
    guard !frames.isEmpty else {
      throw FileError.wrongData("cannot read \(title): expected rows, found none")
    }
    var remarks = notes(on: columns, title: title, faceless: faceless, gaps: gaps)
    remarks.assume(pointless, "rows without numbers for their points have no face", about: title)
    remarks.assume("\(title): frames count from 0 in the file", if: start == 0)
    guard columns.has("frame") else {
      try sink(frames[0])
      return remarks
    }
    let isTimed =
      columns.has("timestamp")
      && (frames.count < 2 || Set(frames.map(\.timestampMicroseconds)).count > 1)
    if !isTimed {
      for index in frames.indices {
        let seconds = Double(frames[index].number ?? index) / (options.framesPerSecond ?? 30)
        frames[index].timestampMicroseconds = FrameTimes.microseconds(ofSeconds: seconds) ?? 0
      }
    }
    var times = FrameTimes()
    // Output that is joined by its numbers needs no times, which may be rounded.
    let rising = frames.filter { times.accepts($0.timestampMicroseconds) }
    let keepsAll = options.isPredictions && rising.count < frames.count
    if !keepsAll { frames = rising }
    if isTimed, !options.isPredictions {
      try times.requireSeconds(atStated: options.framesPerSecond, in: file.name)
    }
    frames[0].begins = .video(title, at: times.usualRate)
    for frame in frames { try sink(frame) }
    let rate = times.usualRate.formatted(.number.locale(Locale(identifier: "en_US_POSIX")))
    remarks.append(
      isTimed
        ? .assumed("\(title): times are the file's, about \(rate) frames per second")
        : .assumed(
          "\(title): no \(columns.has("timestamp") ? "times but one" : "column of times"), taken as "
            + "\(rate) frames per second (--fps)"))
    return keepsAll ? remarks : remarks + times.remarks(title)
  }

  private func notes(
    on columns: NamedColumns, title: String, faceless: Int, gaps: Int
  ) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    remarks.assume("\(title): no columns of points: faces have no box", if: !columns.has("x_0"))
    remarks.assume(
      "\(title): no columns of a head pose: faces have none", if: !columns.has("pose_Rx"))
    remarks.assume(faceless, "rows whose success is 0 are frames without a face", about: title)
    remarks.assume(gaps, "frame numbers without a row have no frame", about: title)
    let lost = Self.left.map { prefix in (prefix, columns.names.count { $0.hasPrefix(prefix) }) }
    if lost.contains(where: { $0.1 > 0 }) {
      remarks.drop(
        "\(title): columns left out: "
          + lost.filter { $0.1 > 0 }.map { "\($0.1) of \($0.0)" }.joined(separator: ", "))
    }
    return remarks
  }

  private func face(
    _ row: [String], _ columns: NamedColumns, in file: DelimitedText, angleFactor: Double
  ) throws(FileError) -> FaceLabel? {
    var label = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
    if columns.has("x_0") {
      guard let landmarks = try columns.points(.ibug68, in: row, of: file),
        let box = BoundingBox(around: landmarks.points)
      else { return nil }
      label = FaceLabel(box: box, landmarks: [landmarks])
    }
    label.score = try columns.number("confidence", in: row, of: file)
    // In an image they only count its faces.
    if columns.has("frame") {
      label.identity = try columns.count(
        columns.has("face_id") ? "face_id" : "face", in: row, of: file)
    }
    var pose: [Double] = []
    for name in Self.pose {
      if let value = try columns.number(name, in: row, of: file) { pose.append(value) }
    }
    if pose.count == Self.pose.count {
      label.pose = Self.headPose(
        millimetres: Array(pose.prefix(3)), radians: pose.suffix(3).map { $0 * angleFactor })
    }
    for (name, text) in zip(columns.names, row)
    where !Self.known.contains(name) && !Self.pose.contains(name)
      && !Self.left.contains(where: name.hasPrefix) && !Self.isCoordinate(name) && !text.isEmpty
    {
      guard DatasetLayout.isTableName(name) else { throw file.wrong("a plain name", found: name) }
      label.attributes[name] = try columns.number(name, in: row, of: file)
    }
    return label
  }

  private static func isCoordinate(_ name: String) -> Bool {
    name.hasPrefix("x_") || name.hasPrefix("y_")
  }

  /// Rotations about x, then y, then z of the turned axes: R = Rx Ry Rz, with OpenFace's x right, y down, z ahead.
  ///
  /// Turning both the face's and the camera's axes about x by 180° gives y up and a camera along -z.
  static func headPose(millimetres: [Double], radians: [Double]) -> HeadPose {
    let (s, c) = (radians.map { sin($0) }, radians.map { cos($0) })
    let rotation = [
      c[1] * c[2], -c[1] * s[2], s[1],
      c[0] * s[2] + c[2] * s[0] * s[1], c[0] * c[2] - s[0] * s[1] * s[2], -c[1] * s[0],
      s[0] * s[2] - c[0] * c[2] * s[1], c[2] * s[0] + c[0] * s[1] * s[2], c[0] * c[1],
    ]
    var matrix = SIMD16<Float>(repeating: 0)
    let signs: [Double] = [1, -1, -1]
    for row in 0..<3 {
      for column in 0..<3 {
        matrix[4 * row + column] = Float(
          signs[row] * rotation[3 * row + column] * signs[column])
      }
      matrix[4 * row + 3] = Float(signs[row] * millimetres[row] / 10)
    }
    matrix[15] = 1
    return HeadPose(matrix: matrix)
  }
}
