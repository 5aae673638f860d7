internal import FaceCore
internal import Foundation
internal import Platform

/// A track of "CVAT for video 1.1": shapes at some frames, and by their rules at those between them.
struct CVATTrack {
  /// A shape at a frame.
  struct State {
    var frame: Int
    /// Whether the object leaves the image here.
    var isOutside: Bool
    var shape: CVATDocument.Shape
  }

  let label: String
  let id: String
  let task: String?
  let subset: String?
  var states: [State] = []

  init(_ attributes: [String: String]) {
    (label, id) = (attributes["label"] ?? "", attributes["id"] ?? "")
    (task, subset) = (attributes["task_id"], attributes["subset"])
  }

  /// Passes the shapes on at every step from the first to the last frame, unless they are outside.
  ///
  /// Between two of them boxes, skeletons and single points move in a straight line, and sets of points stay, as in
  /// CVAT; the last one stays up to the end.
  func expand(
    step: Int, last: Int, into use: (Int, CVATDocument.Shape) throws(FileError) -> Void
  ) throws(FileError) {
    let sorted = states.sorted { $0.frame < $1.frame }
    for (index, state) in sorted.enumerated() where !state.isOutside && state.frame <= last {
      let next = index + 1 < sorted.count ? sorted[index + 1] : nil
      guard next?.frame != state.frame else { continue }
      try use(state.frame, state.shape)
      var frame = state.frame + step
      let end = min(next.map { $0.frame - 1 } ?? last, last)
      while frame <= end {
        let offset = next.map { Double(frame - state.frame) / Double($0.frame - state.frame) } ?? 0
        try use(frame, next.map { state.shape.moved(to: $0.shape, by: offset) } ?? state.shape)
        frame += step
      }
    }
  }
}

/// What a CVAT file says of a task.
struct CVATTask {
  /// Texts by the name of their element.
  var values: [String: String] = [:]

  private func number(_ key: String, in range: ClosedRange<Int>) -> Int? {
    values[key].flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
  }

  /// The name of its file, or its own.
  var name: String? {
    [values["source"], values["name"]].compactMap(\.self).first { !$0.isEmpty }
  }

  /// Frames of the clip from one of the task to the next.
  var step: Int {
    let word = values["frame_filter"]?.split(separator: "=").last.flatMap { Int($0) }
    return word.flatMap { (1...100_000).contains($0) ? $0 : nil } ?? 1
  }

  /// Its frames in the clip; nil where the file does not say.
  var frames: ClosedRange<Int>? {
    let limit = 0...Int(Int32.max)
    let first = number("start_frame", in: limit) ?? 0
    if let size = number("size", in: 1...Int(Int32.max)) {
      return first...first + (size - 1) * step
    }
    return number("stop_frame", in: limit).flatMap { $0 < first ? nil : first...$0 }
  }

  /// Whether it is a video of a known length.
  var isClip: Bool { values["mode"] == "interpolation" && frames != nil }

  /// Size of its images.
  var size: ImageSize? {
    ImageSize(stated: number("width", in: 1...65_535), number("height", in: 1...65_535))
  }
}

/// The frames of a task with its tracks' shapes.
struct CVATRecording {
  let name: String
  let frames: [CVATDocument.Image]
  /// Whether the file does not say how many frames the task has.
  let isOpen: Bool
  /// Shapes that were interpolated.
  private(set) var interpolated = 0
  /// Shapes that are left out, as their track has another one at the frame.
  private(set) var repeated = 0

  /// The most frames.
  static let frameLimit = 1 << 20

  /// The most frames of all recordings of a file.
  static func mostFrames(in file: URL) -> Int { max(1 << 23, 16 * SourceFiles.byteCount(of: file)) }

  /// The most numbers of interpolated shapes that a file of any size makes.
  private static let limit = 1 << 18

  /// The frames of a task, up to the last shape of its tracks where the file does not say, and how many they are.
  static func frames(
    of task: CVATTask?, _ tracks: [CVATTrack]
  ) -> (range: ClosedRange<Int>, count: Int) {
    let last = tracks.lazy.flatMap(\.states).map(\.frame).max() ?? 0
    let range = task?.frames ?? 0...last
    return (range, (range.upperBound - range.lowerBound) / (task?.step ?? 1) + 1)
  }

  /// Puts tracks on the frames of their task; a track's number counts from `first`.
  init(
    _ tracks: [CVATTrack], of task: CVATTask?, title: String, first: Int, byteCount: Int,
    in file: String
  ) throws(FileError) {
    name = task?.name ?? title
    let step = task?.step ?? 1
    let (range, frameCount) = Self.frames(of: task, tracks)
    isOpen = task?.frames == nil
    guard frameCount <= Self.frameLimit else {
      throw FileError.wrongData(
        "cannot read \(file): expected at most \(Self.frameLimit) frames of \(name), found "
          + "\(frameCount)")
    }
    var shapes: [Int: [CVATDocument.Shape]] = [:]
    var (cost, count) = (0, 0)
    for (index, track) in tracks.enumerated() {
      let written = Set(track.states.map(\.frame))
      let shown = track.states.filter { !$0.isOutside }.map(\.frame)
      repeated += shown.count - Set(shown).count
      let number = Int(track.id).flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
      try track.expand(step: step, last: range.upperBound) { (frame, shape) throws(FileError) in
        if !written.contains(frame) {
          cost += shape.cost
          count += 1
          guard cost <= max(Self.limit, byteCount / 4) else {
            throw FileError.wrongData(
              "cannot read \(file): expected at most \(max(Self.limit, byteCount / 4)) numbers of "
                + "interpolated shapes, found more (export the tracks with all frames)")
          }
        }
        var shape = shape
        shape.track = number ?? first + index
        shapes[frame, default: []].append(shape)
      }
    }
    interpolated = count
    let subset = tracks.lazy.compactMap(\.subset).first
    let numbers = Set(stride(from: range.lowerBound, through: range.upperBound, by: step))
    let title = name
    frames = numbers.union(shapes.keys).sorted().map { number in
      CVATDocument.Image(
        name: "\(title)/\(number)", size: task?.size, subset: subset,
        shapes: shapes[number] ?? [], number: number)
    }
  }

  /// A frame with its faces, at its time; the first begins the video.
  func frame(_ position: Int, at framesPerSecond: Double, faces: [FaceLabel]) -> ImportedFrame {
    let number = frames[position].number
    var frame = ImportedFrame(name: frames[position].name, image: .none, faces: faces)
    frame.number = number
    frame.timestampMicroseconds =
      FrameTimes.microseconds(ofSeconds: Double(number ?? position) / framesPerSecond) ?? 0
    if position == 0 { frame.begins = .video(name, at: framesPerSecond) }
    return frame
  }
}

extension CVATDocument.Shape {
  /// A part of the way to another shape of the same kind.
  func moved(to other: Self, by part: Double) -> Self {
    var moved = self
    func between(_ one: Double, _ next: Double) -> Double { one + (next - one) * part }
    if let joints, let others = other.joints {
      moved.joints = [:]
      for (name, joint) in joints {
        guard let point = joint.point, let next = others[name]?.point else {
          moved.joints?[name] = joint
          continue
        }
        moved.joints?[name] = (
          Point(x: between(point.x, next.x), y: between(point.y, next.y)), joint.isHidden
        )
      }
      return moved
    }
    if let points {
      guard points.count == 1, let next = other.points, next.count == 1 else { return self }
      let point = Point(x: between(points[0].x, next[0].x), y: between(points[0].y, next[0].y))
      moved.points = [point]
      moved.box = BoundingBox(x: point.x, y: point.y, width: 0, height: 0)
      return moved
    }
    guard other.points == nil, other.joints == nil else { return self }
    moved.box = BoundingBox(
      x: between(box.x, other.box.x), y: between(box.y, other.box.y),
      width: between(box.width, other.box.width), height: between(box.height, other.box.height))
    let turn = (other.rotation - rotation).remainder(dividingBy: 360)
    moved.rotation = (rotation + turn * part + 360).truncatingRemainder(dividingBy: 360)
    return moved
  }

  /// The box, or the tight box around it where it is turned about its centre.
  var upright: BoundingBox {
    rotation == 0 ? box : ShapeFaces.box(around: box, turnedBy: rotation)
  }
}
