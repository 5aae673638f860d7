package import FaceCore
internal import Foundation

/// Under which conditions faces were seen: medians and the range of 90 % of the frames.
package struct FaceConditions: Sendable, Hashable, Codable {
  /// The middle and the range of one quantity.
  package struct Spread: Sendable, Hashable, Codable {
    /// 5th, 50th and 95th percentile.
    package var low, median, high: Double
  }

  /// √area of the tight box of the points, in pixels; nil without boxes.
  package var size: Spread?
  /// Yaw of the head in degrees; nil without poses.
  package var yaw: Spread?
  /// Pitch of the head in degrees; nil without poses.
  package var pitch: Spread?

  /// By how much a median may lie outside of the range, in degrees.
  static let angleMargin = 5.0
  /// By which factor a median may lie outside of the range of sizes.
  static let sizeMargin = 1.25

  /// What differs from the conditions of a calibration, one phrase each: medians far outside of the ranges of all of them.
  package func differences(from known: [FaceConditions]) -> [String] {
    func outside(
      _ spread: KeyPath<FaceConditions, Spread?>, _ name: String, _ unit: String,
      widened: (Spread) -> ClosedRange<Double>
    ) -> String? {
      let ranges = known.compactMap { $0[keyPath: spread] }
      guard let own = self[keyPath: spread], !ranges.isEmpty,
        !ranges.contains(where: { widened($0).contains(own.median) })
      else { return nil }
      let texts = ranges.map { "\(Self.text($0.low)) to \(Self.text($0.high))" }
      return "\(name) is \(Self.text(own.median)) \(unit) here (median), and was "
        + "\(texts.joined(separator: ", ")) \(unit) there"
    }
    return [
      outside(\.size, "the size of faces", "px") {
        $0.low / Self.sizeMargin...$0.high * Self.sizeMargin
      },
      outside(\.yaw, "yaw", "degrees") {
        $0.low - Self.angleMargin...$0.high + Self.angleMargin
      },
      outside(\.pitch, "pitch", "degrees") {
        $0.low - Self.angleMargin...$0.high + Self.angleMargin
      },
    ].compactMap { $0 }
  }

  private static func text(_ value: Double) -> String { String(format: "%.0f", value) }
}

extension FaceConditions {
  /// Counts of faces by size, in steps of 1 %, and by angle, in steps of 1 degree.
  package struct Counts: Sendable {
    private var sizes: [Int: Int] = [:]
    private var yaws: [Int: Int] = [:]
    private var pitches: [Int: Int] = [:]

    /// Starts without faces.
    package init() {}

    /// Adds a face.
    package mutating func add(_ face: FacePrediction) {
      if let area = face.box?.area, area.isFinite, area > 0 {
        sizes[Int((log(area) / 2 / Self.step).rounded()), default: 0] += 1
      }
      if let angles = face.pose.flatMap({ Rotation($0) }).map({ HeadAngles($0) }) {
        yaws[Int(angles.yaw.rounded()), default: 0] += 1
        pitches[Int(angles.pitch.rounded()), default: 0] += 1
      }
    }

    private static let step = log(1.01)

    /// The percentiles.
    package var conditions: FaceConditions {
      FaceConditions(
        size: Self.spread(sizes) { exp(Double($0) * Self.step) },
        yaw: Self.spread(yaws, Double.init),
        pitch: Self.spread(pitches, Double.init))
    }

    private static func spread(_ counts: [Int: Int], _ value: (Int) -> Double) -> Spread? {
      let total = counts.values.reduce(0, +)
      guard total > 0 else { return nil }
      let sorted = counts.sorted { $0.key < $1.key }
      func percentile(_ share: Double) -> Double {
        var seen = 0
        for (step, count) in sorted {
          seen += count
          if Double(seen) >= share * Double(total) { return value(step) }
        }
        return .nan
      }
      return Spread(low: percentile(0.05), median: percentile(0.5), high: percentile(0.95))
    }
  }
}
