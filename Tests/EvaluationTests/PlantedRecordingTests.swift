import Calibration
import Datasets
import FaceCore
import Foundation
import Metrics
import Running
import Statistics
import TestSupport
import Testing

/// Real Live Link recordings, and a tracker that distorts them in a known way on its own clock.
///
/// The tracker sees 29.97 frames a second from 1.7 s on; p = rest + gain · g + crosstalk · g′ + noise.
@Suite(.enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"))
struct PlantedRecordingTests {
  private static let recordings = [
    "livelink-alexdjulin/anim/alex_rom_4.csv",
    "livelink-neurosync/livelink/animations/Happy/Happy.csv",
    "livelink-neurosync/livelink/animations/Sad/MySlate_167_iPhone_cal.csv",
    "livelink-neurosync/livelink/animations/Angry/MySlate_164_iPhone_cal.csv",
  ]

  /// What is planted in each coefficient.
  private struct Planted {
    var gain, crosstalk, rest: [Double]
    let clock: Double

    init(seed: Int, clock: Double) {
      var stream = SplitMix64(seed: UInt64(seed))
      func draws(_ low: Double, _ high: Double) -> [Double] {
        (0..<52).map { _ in low + (high - low) * Double.random(in: 0..<1, using: &stream) }
      }
      gain = draws(0.5, 0.9)
      crosstalk = draws(0.05, 0.2)
      rest = draws(0, 0.08)
      self.clock = clock
    }
  }

  private static let others: [Blendshape: Blendshape] = Dictionary(
    uniqueKeysWithValues: Blendshape.allCases.compactMap { shape in
      let name = shape.rawValue
      guard ![.jawLeft, .jawRight, .mouthLeft, .mouthRight].contains(shape) else { return nil }
      let other =
        name.hasSuffix("Left")
        ? name.dropLast(4) + "Right" : name.hasSuffix("Right") ? name.dropLast(5) + "Left" : ""
      return Blendshape(rawValue: other).map { (shape, $0) }
    })

  private func curve(of path: String, in folder: TemporaryFolder) throws -> BlendshapeCurve {
    let url = folder.file("take.h5")
    let writer = try DatasetWriter(url, name: "take", replacing: true)
    _ = try DatasetImport(
      format: LiveLinkCSV(), sources: [Shared.data(path)], options: ImportOptions(),
      isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    let reader = try DatasetReader(url)
    var curve = BlendshapeCurve()
    let range = 0..<reader.frameCount
    for (frame, labels) in zip(try reader.frames(range), try reader.labels(range)) {
      guard let face = labels.first?.blendshapes else { continue }
      curve.add(face, at: Double(frame.timestampMicroseconds) / 1_000_000)
    }
    return curve
  }

  /// The tracker's output, frame by frame, on its clock.
  private func predictions(
    _ recording: BlendshapeCurve, _ planted: Planted, noise: Double
  ) throws -> BlendshapeCurve {
    var stream = SplitMix64(seed: 77)
    var curve = BlendshapeCurve()
    let start = try #require(recording.seconds.first)
    for index in 0..<Int((recording.duration - 1.7) * 29.97) {
      let second = start + 1.7 + Double(index) / 29.97
      guard let face = recording.coefficients(at: second, reach: 1) else { continue }
      var predicted = face
      for shape in Blendshape.allCases where shape != .neutral {
        let position = shape.index
        var value = planted.rest[position] + planted.gain[position] * Double(face[position])
        if let other = Self.others[shape] {
          value += planted.crosstalk[position] * Double(face[other.index])
        }
        value += noise * (Double.random(in: -1..<1, using: &stream) * 3.squareRoot())
        predicted[position] = Float(value)
      }
      curve.add(predicted, at: second + planted.clock)
    }
    return curve
  }

  /// Of a coefficient and its counterpart: where both sides move together, gain and crosstalk cannot be told apart.
  private static func correlation(
    _ pairs: [BlendshapePair], _ first: Blendshape, _ second: Blendshape
  ) -> Double {
    let values = pairs.map {
      (Double($0.labelled[first.index]), Double($0.labelled[second.index]))
    }
    .filter { $0.0.isFinite && $0.1.isFinite }
    let count = Double(values.count)
    let means = values.reduce((0.0, 0.0)) { ($0.0 + $1.0 / count, $0.1 + $1.1 / count) }
    var (both, one, other) = (0.0, 0.0, 0.0)
    for value in values {
      both += (value.0 - means.0) * (value.1 - means.1)
      one += (value.0 - means.0) * (value.0 - means.0)
      other += (value.1 - means.1) * (value.1 - means.1)
    }
    return one > 0 && other > 0 ? both / (one * other).squareRoot() : 1
  }

  /// Nothing is noisy: what is left is interpolation between the recording's frames.
  @Test(
    arguments: recordings, [-7.43, 0.2507])
  func `offset, gain, crosstalk and rest come back: clocks within 3 ms, maps within 2 %`(
    path: String, clock: Double
  ) throws {
    let folder = try TemporaryFolder()
    let recording = try curve(of: path, in: folder)
    let planted = Planted(seed: 5, clock: clock)
    let seen = try predictions(recording, planted, noise: 0)
    let offset = try TimeOffset(of: recording, to: seen)
    #expect(abs(offset.seconds - clock) < 0.003, "\(offset)")
    #expect(try #require(offset.correlation) > 0.9 && offset.agreeing >= 3)
    let pairs = zip(seen.seconds, seen.coefficients).compactMap { second, predicted in
      recording.coefficients(at: second - offset.seconds, reach: 0.1).flatMap {
        BlendshapePair(labelled: $0, predicted: predicted)
      }
    }
    let fit = try BlendshapeFit(pairs, scope: .subject, ridge: 1e-6)
    let channels = try #require(fit.calibration.shared?.channels)
    let rest = try #require(fit.calibration.shared?.rest)
    var compared = 0
    for channel in fit.channels where channel.before.labelledVariance > 1e-3 {
      let shape = channel.blendshape
      guard let found = channels[shape.rawValue] else { continue }
      let (gain, cross) = (planted.gain[shape.index], planted.crosstalk[shape.index])
      var wanted = (gain: 1 / gain, crosstalk: 0.0)
      if let other = Self.others[shape] {
        guard found.crosstalk != 0, abs(Self.correlation(pairs, shape, other)) <= 0.9 else {
          continue
        }
        let determinant =
          gain * planted.gain[other.index] - cross * planted.crosstalk[other.index]
        wanted = (planted.gain[other.index] / determinant, -cross / determinant)
      }
      #expect(abs(found.gain / wanted.gain - 1) < 0.02, "\(shape)")
      #expect(abs(found.crosstalk - wanted.crosstalk) < 0.02 * wanted.gain, "\(shape)")
      // The correction gives the label of rest where the prediction is what was planted for a face without expression.
      var atRest =
        found.offset + found.gain * (planted.rest[shape.index] - (rest[shape.rawValue] ?? 0))
      if let other = Self.others[shape] {
        atRest += found.crosstalk * (planted.rest[other.index] - (rest[other.rawValue] ?? 0))
      }
      #expect(abs(atRest) < 0.005, "\(shape)")
      compared += 1
    }
    #expect(compared >= 2, "\(compared)")
    let (before, after) = (
      try #require(fit.calibration.before), try #require(fit.calibration.after)
    )
    #expect(after.meanAbsoluteError < 0.1 * before.meanAbsoluteError, "\(before) \(after)")
    #expect(after.concordance > before.concordance)
  }

  /// Noise of 0.02 is what the coefficients of a still face have between frames.
  @Test(arguments: recordings)
  func `with noise held-out errors still halve`(path: String) throws {
    let folder = try TemporaryFolder()
    let recording = try curve(of: path, in: folder)
    let seen = try predictions(recording, Planted(seed: 9, clock: 3.3), noise: 0.02)
    let offset = try TimeOffset(of: recording, to: seen)
    #expect(abs(offset.seconds - 3.3) < 0.005, "\(offset)")
    let pairs = zip(seen.seconds, seen.coefficients).compactMap { second, predicted in
      recording.coefficients(at: second - offset.seconds, reach: 0.1).flatMap {
        BlendshapePair(labelled: $0, predicted: predicted)
      }
    }
    let fit = try BlendshapeFit(pairs, scope: .subject)
    let (before, after) = (
      try #require(fit.calibration.before), try #require(fit.calibration.after)
    )
    #expect(after.meanAbsoluteError < 0.5 * before.meanAbsoluteError, "\(before) \(after)")
    #expect(after.concordance > before.concordance)
  }

  /// The four recordings cut into ten takes of 15 to 32 s.
  private func takes(in folder: TemporaryFolder) throws -> [BlendshapeCurve] {
    try zip(Self.recordings, [4, 2, 2, 2]).flatMap { path, parts in
      let whole = try curve(of: path, in: folder)
      return (0..<parts).map { part in
        var take = BlendshapeCurve()
        let positions = whole.seconds.indices
        for position in positions.count * part / parts..<positions.count * (part + 1) / parts {
          take.add(whole.coefficients[position], at: whole.seconds[position])
        }
        return take
      }
    }
  }

  #if DEBUG
    private static let strangersPerTake = 1
  #else
    private static let strangersPerTake = 9
  #endif

  @Test func `of ten takes each is joined to its own video, and to none of the others`() throws {
    let takes = try takes(in: TemporaryFolder())
    for own in takes.indices {
      let seen = try predictions(takes[own], Planted(seed: 30 + own, clock: 1.9), noise: 0.02)
      let offset = try TimeOffset(of: takes[own], to: seen)
      #expect(abs(offset.seconds - 1.9) < 0.005 && offset.rate == 0, "\(own): \(offset)")
      for step in 1...Self.strangersPerTake {
        let other = (own + step) % takes.count
        let found = try? TimeOffset(of: takes[other], to: seen)
        #expect(found == nil, "\(other) with the video of \(own)")
      }
    }
  }

  @Test(arguments: recordings.indices)
  func `another recording than the video's own is refused`(index: Int) throws {
    let folder = try TemporaryFolder()
    let recording = try curve(of: Self.recordings[index], in: folder)
    let other = try curve(
      of: Self.recordings[(index + 1) % Self.recordings.count], in: folder)
    let seen = try predictions(other, Planted(seed: 4, clock: 0), noise: 0.01)
    #expect(throws: CalibrationError.self) { _ = try TimeOffset(of: recording, to: seen) }
  }
}
