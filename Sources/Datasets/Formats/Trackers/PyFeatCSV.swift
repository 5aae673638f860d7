internal import FaceCore
package import Foundation
package import Platform

/// The CSV of Py-Feat: boxes, 68 points, angles, action units, emotions; version 2 adds a mesh and blendshapes.
package struct PyFeatCSV: DatasetFormat {
  package let name = "pyfeat"
  package let summary = "Py-Feat CSV: boxes, 68 points, angles, action units, emotions"
  /// Frames count from 0 within an input.
  package let joins = FrameKey.number
  package let settings = ImportSetting.ofPoints.union([.framesPerSecond])

  package init() {}

  private static let box = ["FaceRectX", "FaceRectY", "FaceRectWidth", "FaceRectHeight"]
  private static let emotions: Set<String> = [
    "anger", "disgust", "fear", "happiness", "sadness", "surprise", "neutral",
    "Anger", "Disgust", "Fear", "Happy", "Sad", "Surprise", "Neutral",
  ]
  private static let angles = ["Pitch": "headPitch", "Roll": "headRoll", "Yaw": "headYaw"]
  private static let known: Set<String> = Set(
    box + ["FaceScore", "input", "frame", "approx_time", "Identity", "FrameHeight", "FrameWidth"])

  /// A CSV file with Py-Feat's columns of a face's rectangle and score.
  package func recognises(_ source: URL) -> String? {
    NamedColumns.head(of: source, has: ["FaceRectX", "FaceScore"])
      ? "a CSV file with the columns FaceRectX and FaceScore" : nil
  }

  /// Reads each file; each input in it is a video without images, or an image relative to the file.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = [
      .assumed("boxes and points taken as pixels from 0, as OpenCV counts"),
      .assumed("the expression is the likeliest emotion; all of them are attributes"),
    ]
    var people: [String: Int] = [:]
    for source in sources {
      var table = PyFeatTable(source, options: options, people)
      remarks += try table.send(DelimitedText(source), to: sink)
      people = table.people
    }
    return remarks
  }

  /// Converts one file into frames.
  private struct PyFeatTable {
    let source: URL
    let options: ImportOptions
    /// Numbers of people by name; `Person_0` and the like are each file's own.
    private(set) var people: [String: Int]
    private var (faceless, videos, longer) = (0, 0, 0)

    init(_ source: URL, options: ImportOptions, _ people: [String: Int]) {
      self.source = source
      self.options = options
      self.people = people
    }

    mutating func send(
      _ text: consuming DelimitedText, to sink: FrameSink
    ) throws(FileError) -> [ImportRemark] {
      var file = text
      let columns = try NamedColumns(&file)
      try columns.require(PyFeatCSV.box + ["FaceScore"], in: file)
      let title = source.deletingPathExtension().lastPathComponent
      var waiting: ImportedFrame?
      var (input, last) = ("", 0)
      while let row = try columns.next(&file) {
        let path = columns.text("input", in: row) ?? title
        let number = try columns.count("frame", in: row, of: file) ?? 0
        let isOther = waiting == nil || path != input
        if isOther || number != last {
          if let frame = waiting { try sink(frame) }
          guard isOther || number > last else {
            throw file.wrong("a frame of \(last) or more", found: "\(number)")
          }
          (input, last) = (path, number)
          waiting = frame(path, number, begins: isOther)
          if isOther, waiting?.begins?.kind == .video { videos += 1 }
        }
        if let face = try face(row, columns, in: file) { waiting?.faces.append(face) }
      }
      guard let frame = waiting else {
        throw FileError.wrongData("cannot read \(title): expected rows, found none")
      }
      try sink(frame)
      return notes(on: columns, title: title)
    }

    private mutating func frame(_ path: String, _ number: Int, begins: Bool) -> ImportedFrame {
      let rate = options.framesPerSecond ?? 30
      let isStill = SourceFiles.imageExtensions.contains(PathText(path).suffix.lowercased())
      let parts = path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).map(String.init)
      let name = isStill ? stillName(parts) : parts.last ?? path
      var frame = ImportedFrame(
        name: isStill ? name : "\(name)/\(number)", image: .none, faces: [])
      if begins {
        frame.begins = SequenceDescription(
          name: name, kind: isStill ? .still : .video, framesPerSecond: isStill ? 0 : rate)
      }
      if isStill {
        frame.joins = .name
        // The folders tell images of one name in a dataset apart.
        let place = options.isPredictions ? parts.joined(separator: "/") : name
        let folder = options.imageFolder ?? source.deletingLastPathComponent()
        frame.image = .file(folder.appending(path: place))
      } else {
        frame.number = number
        frame.timestampMicroseconds =
          FrameTimes.microseconds(ofSeconds: Double(number) / rate) ?? 0
      }
      return frame
    }

    /// The most of a path that is in the folder of a dataset's images, else its last part.
    private mutating func stillName(_ parts: [String]) -> String {
      let last = parts.last ?? ""
      guard !options.isLabelsOnly, !parts.contains("..") else { return last }
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      let ends = parts.indices.map { parts[$0...].joined(separator: "/") }
      let found = ends.first { folder.appending(path: $0).isThere } ?? last
      if found != last { longer += 1 }
      return found
    }

    private func notes(on columns: NamedColumns, title: String) -> [ImportRemark] {
      var remarks: [ImportRemark] = [
        .assumed(
          "\(title): Pitch, Roll and Yaw taken as "
            + (columns.has("Z") ? "radians, because there are columns X, Y, Z" : "degrees")
            + "; no head pose is computed from them")
      ]
      remarks.assume(
        "\(title): inputs are named by the last part of their path",
        if: columns.has("input") && longer == 0)
      remarks.assume(
        longer, "images are named by the part of their path that is in the folder", about: title)
      remarks.assume(
        "\(title): \(videos) videos without images, taken as "
          + (options.framesPerSecond ?? 30)
          .formatted(.number.locale(Locale(identifier: "en_US_POSIX")))
          + " frames per second (--fps)",
        if: videos > 0)
      remarks.assume(faceless, "rows without a box have no face", about: title)
      let lost = [
        ("numbers of an embedding", columns.numbered("Identity_").count),
        ("depths of the mesh, in a unit of their own", columns.numbered("mesh_z_").count),
      ]
      for (what, count) in lost where count > 0 {
        remarks.drop("\(title): \(count) columns left out: \(what)")
      }
      return remarks
    }

    private mutating func face(
      _ row: [String], _ columns: NamedColumns, in file: DelimitedText
    ) throws(FileError) -> FaceLabel? {
      var sides: [Double] = []
      for name in PyFeatCSV.box {
        if let side = try columns.number(name, in: row, of: file) { sides.append(side) }
      }
      guard sides.count == 4 else {
        faceless += 1
        return nil
      }
      let box = BoundingBox(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
      guard box.isWellFormed else {
        throw file.wrong("a box of non-negative size", found: "\(sides)")
      }
      var label = FaceLabel(box: box)
      label.score = try columns.number("FaceScore", in: row, of: file)
      if let points = try columns.points(.ibug68, in: row, of: file) {
        label.landmarks.append(points)
      }
      if let mesh = try columns.points(.mediapipe478, prefix: "mesh_", in: row, of: file) {
        label.landmarks.append(mesh)
      }
      if let person = columns.text("Identity", in: row) {
        let name = person.hasPrefix("Person_") ? "\(source.path)/\(person)" : person
        label.identity = people[name, default: people.count]
        people[name] = label.identity
      }
      try addNumbers(to: &label, row, columns, in: file)
      return label
    }

    private func addNumbers(
      to label: inout FaceLabel, _ row: [String], _ columns: NamedColumns, in file: DelimitedText
    ) throws(FileError) {
      let scale = columns.has("Z") ? 1 : Double.pi / 180
      var shapes = [Float](repeating: .nan, count: Blendshape.allCases.count)
      var likeliest = -Double.infinity
      for name in columns.names where !PyFeatCSV.known.contains(name) && !Self.isIndexed(name) {
        guard let value = try columns.number(name, in: row, of: file) else { continue }
        if let shape = Blendshape(spelled: name) {
          shapes[shape.index] = Float(value)
        } else if let angle = PyFeatCSV.angles[name] {
          label.attributes[angle] = value * scale
        } else {
          guard DatasetLayout.isTableName(name) else {
            throw file.wrong("a plain name", found: name)
          }
          label.attributes[name] = value
          if PyFeatCSV.emotions.contains(name), value > likeliest {
            (likeliest, label.expression) = (value, name)
          }
        }
      }
      if shapes.contains(where: { !$0.isNaN }) { label.blendshapes = shapes }
    }

    private static func isIndexed(_ name: String) -> Bool {
      ["x_", "y_", "mesh_x_", "mesh_y_", "mesh_z_", "Identity_"].contains(where: name.hasPrefix)
    }
  }
}
