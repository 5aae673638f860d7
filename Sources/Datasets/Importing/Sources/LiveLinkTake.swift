internal import FaceCore
internal import Platform

/// Converts one recording of Live Link Face into frames without images and counts irregularities.
struct LiveLinkTake {
  /// One moment of a recording.
  struct Sample {
    /// Display name of the moment, such as its timecode.
    var name: String
    /// Time in microseconds from any origin.
    var microseconds: Double
    /// Seconds of the timecode; nil where the source has none.
    var clock: Double?
    /// One number per channel; nil if there is no face.
    var values: [Double]?
  }

  /// The 61 channels in Live Link's order: ARKit's 52 coefficients, then angles in radians.
  static let channels: [String] =
    [
      "EyeBlinkLeft", "EyeLookDownLeft", "EyeLookInLeft", "EyeLookOutLeft", "EyeLookUpLeft",
      "EyeSquintLeft", "EyeWideLeft", "EyeBlinkRight", "EyeLookDownRight", "EyeLookInRight",
      "EyeLookOutRight", "EyeLookUpRight", "EyeSquintRight", "EyeWideRight", "JawForward",
      "JawRight", "JawLeft", "JawOpen", "MouthClose", "MouthFunnel", "MouthPucker", "MouthRight",
      "MouthLeft", "MouthSmileLeft", "MouthSmileRight", "MouthFrownLeft", "MouthFrownRight",
      "MouthDimpleLeft", "MouthDimpleRight", "MouthStretchLeft", "MouthStretchRight",
      "MouthRollLower", "MouthRollUpper", "MouthShrugLower", "MouthShrugUpper", "MouthPressLeft",
      "MouthPressRight", "MouthLowerDownLeft", "MouthLowerDownRight", "MouthUpperUpLeft",
      "MouthUpperUpRight", "BrowDownLeft", "BrowDownRight", "BrowInnerUp", "BrowOuterUpLeft",
      "BrowOuterUpRight", "CheekPuff", "CheekSquintLeft", "CheekSquintRight", "NoseSneerLeft",
      "NoseSneerRight", "TongueOut", "HeadYaw", "HeadPitch", "HeadRoll", "LeftEyeYaw",
      "LeftEyePitch", "LeftEyeRoll", "RightEyeYaw", "RightEyePitch", "RightEyeRoll",
    ]

  /// Name of the recording.
  let title: String
  /// Names of the samples' values.
  let columns: [String]
  /// The samples in the order of the source.
  var samples: [Sample] = []

  /// How many of them are coefficients.
  static let coefficientCount = 52
  private static let coefficients = Set(channels.prefix(coefficientCount))

  init(title: String, columns: [String] = channels) {
    self.title = title
    self.columns = columns
  }

  /// Passes the samples with rising times on as one video from time 0; returns the irregularities.
  func send(to sink: FrameSink) throws(FileError) -> [ImportRemark] {
    guard let first = samples.first else {
      throw FileError.wrongData("cannot read \(title): expected frames, found none")
    }
    let steps = zip(samples, samples.dropFirst()).map { $1.microseconds - $0.microseconds }
    let step = steps.filter { $0 > 0 }.upperMedian ?? 0
    var last = -Double.infinity
    var (stopped, faceless) = (0, 0)
    for sample in samples {
      guard (sample.microseconds - first.microseconds).rounded() > last else {
        stopped += 1
        continue
      }
      let isFirst = last == -.infinity
      last = (sample.microseconds - first.microseconds).rounded()
      guard last <= Double(DatasetLayout.timeLimit) else {
        throw FileError.wrongData(
          "cannot read \(title), frame \(sample.name): expected microseconds within "
            + "\(DatasetLayout.timeLimit) of the first, found \(last)")
      }
      if sample.values == nil { faceless += 1 }
      var frame = ImportedFrame(
        name: "\(title)/\(sample.name)", image: .none,
        faces: sample.values.map { [face($0)] } ?? [],
        timestampMicroseconds: Int64(last),
        begins: isFirst ? .video(title, at: Self.rate(ofStep: step)) : nil)
      frame.context.attributes["timecodeSeconds"] = sample.clock
      try sink(frame)
    }
    var remarks: [ImportRemark] = []
    remarks.drop(stopped, "frames whose time does not rise", about: title)
    remarks.assume(faceless, "frames without a face", about: title)
    let irregular = steps.count { abs($0 - step) > step / 2 }
    remarks.assume(
      "\(title): irregular timecode: \(irregular) of \(steps.count) steps are not the usual",
      if: irregular > 0)
    return remarks + valueRemarks()
  }

  /// Frames per second of a step in microseconds, rounded to a whole number within 0.5 %.
  static func rate(ofStep step: Double) -> Double {
    guard step > 0 else { return 0 }
    let rate = 1_000_000 / step
    return abs(rate - rate.rounded()) < 0.005 * rate ? rate.rounded() : (rate * 100).rounded() / 100
  }

  /// Frames per second of the usual step between samples.
  var usualRate: Double {
    let steps = zip(samples, samples.dropFirst()).map { $1.microseconds - $0.microseconds }
    return Self.rate(ofStep: steps.filter { $0 > 0 }.upperMedian ?? 0)
  }

  private func face(_ values: [Double]) -> FaceLabel {
    var label = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
    var shapes = [Float](repeating: .nan, count: Blendshape.allCases.count)
    for (column, value) in zip(columns, values) {
      let name = column.prefix(1).lowercased() + column.dropFirst()
      if let shape = Blendshape(spelled: column) {
        shapes[shape.index] = Float(value)
      } else if !value.isNaN {
        label.attributes[name] = value
      }
    }
    label.blendshapes = shapes
    return label
  }

  private func valueRemarks() -> [ImportRemark] {
    let rows = samples.compactMap(\.values)
    guard let first = rows.first else { return [] }
    var (above, below) = (0, 0)
    var dead: [String] = []
    for (index, column) in columns.enumerated() {
      if Self.coefficients.contains(column) {
        above += rows.count { $0[index] > 1 }
        below += rows.count { $0[index] < 0 }
      }
      if rows.count > 1, rows.allSatisfy({ $0[index] == first[index] }) { dead.append(column) }
    }
    var remarks: [ImportRemark] = []
    remarks.assume(
      "\(title): coefficients outside 0 to 1 are kept: \(below) below 0, \(above) above 1",
      if: above + below > 0)
    remarks.assume(
      dead.count,
      "dead channels, the same in all \(rows.count) frames: " + dead.joined(separator: ", "),
      about: title)
    return remarks
  }
}
