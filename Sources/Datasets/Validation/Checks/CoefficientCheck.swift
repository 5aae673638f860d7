internal import FaceCore
internal import Foundation

/// Checks that blendshape coefficients lie in 0 to 1 and that every channel moves.
struct CoefficientCheck: DatasetCheck {
  private var range = ChecklistLine(
    "blendshapes-range", .warning, holds: "blendshape coefficients lie in 0 to 1",
    what: "blendshape coefficient outside of 0 to 1", of: "blendshape coefficients")
  private var dead = ChecklistLine(
    "blendshapes-alive", .warning, holds: "every labelled blendshape channel moves",
    what: "blendshape channel that never moves",
    of: "blendshape channels with \(Self.minFaces) values")
  private var channels = [Channel](repeating: Channel(), count: Blendshape.allCases.count)
  var lines: [ChecklistLine] { [range, dead] }

  /// Minimum faces of a channel before it can count as dead.
  private static let minFaces = 30
  /// Channels with a smaller variance do not move.
  private static let minVariance = 1e-6
  /// Tolerance for rounding beyond 0 and 1.
  private static let slack: Float = 1e-6

  /// Count, mean and squared distance of one channel's numbers (Welford 1962).
  private struct Channel {
    var count = 0
    var mean = 0.0
    var squares = 0.0

    mutating func add(_ value: Double) {
      count += 1
      let distance = value - mean
      mean += distance / Double(count)
      squares += distance * (value - mean)
    }

    var variance: Double { count > 0 ? squares / Double(count) : 0 }
  }

  mutating func look(at checked: CheckedFrame) {
    for (index, face) in checked.faces.enumerated() {
      guard let values = face.blendshapes else { continue }
      for (channel, value) in values.enumerated() where !value.isNaN {
        channels[channel].add(Double(value))
        range.look()
        if value < -Self.slack || value > 1 + Self.slack {
          range.note("\(checked.position), face \(index): \(Blendshape.names[channel]) \(value)")
        }
      }
    }
  }

  mutating func finish() {
    // The first, `_neutral`, describes no expression.
    let counted = channels.indices.dropFirst().filter { channels[$0].count >= Self.minFaces }
    dead.look(at: counted.count)
    let still = counted.filter { channels[$0].variance < Self.minVariance }
    guard !still.isEmpty else { return }
    let names = still.map {
      "\(Blendshape.names[$0]) (\(String(format: "%.3g", channels[$0].mean)))"
    }
    dead.note(names.joined(separator: ", "), count: still.count)
  }
}
