import CZlib
import FaceCore
import Foundation
import Metrics
import Records
import TestSupport
import Testing

private struct BadFile: Error {}

/// The arrays of a MATLAB 5 file by name; numbers as they are stored, columns first.
private func arrays(inMATFile url: URL) throws -> [String: [Double]] {
  var result: [String: [Double]] = [:]
  let file = try [UInt8](Data(contentsOf: url))
  var position = 128
  while position + 8 <= file.count {
    let element = try Element(file, at: position)
    guard element.type == 15 else { throw BadFile() }
    let matrix = try Element(inflated(element.bytes), at: 0)
    guard matrix.type == 14 else { throw BadFile() }
    var parts: [Element] = []
    var inner = 0
    while inner < matrix.bytes.count {
      parts.append(try Element(matrix.bytes, at: inner))
      inner = parts[parts.count - 1].end
    }
    guard parts.count >= 4 else { throw BadFile() }
    result[String(decoding: parts[2].bytes, as: UTF8.self)] = try parts[3].numbers()
    position += 8 + element.bytes.count
  }
  return result
}

/// A tag and its data; small ones share eight bytes.
private struct Element {
  var type: Int
  var bytes: [UInt8]
  var end: Int

  init(_ file: [UInt8], at position: Int) throws {
    func word(_ start: Int) throws -> Int {
      guard start + 4 <= file.count else { throw BadFile() }
      return (0..<4).reduce(0) { $0 | Int(file[start + $1]) << (8 * $1) }
    }
    let first = try word(position)
    let isSmall = first >> 16 != 0
    type = first & 0xFFFF
    let count = isSmall ? first >> 16 : try word(position + 4)
    let start = position + (isSmall ? 4 : 8)
    guard start + count <= file.count else { throw BadFile() }
    bytes = Array(file[start..<(start + count)])
    end = isSmall ? position + 8 : start + (count + 7) / 8 * 8
  }

  func numbers() throws -> [Double] {
    switch type {
    case 1, 2: return bytes.map(Double.init)
    case 9:
      return stride(from: 0, to: bytes.count, by: 8).map { start in
        Double(bitPattern: (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << (8 * UInt64($1)) })
      }
    default: throw BadFile()
    }
  }
}

private func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
  var output = [UInt8](repeating: 0, count: 1 << 16)
  var count = UInt(output.count)
  guard uncompress(&output, &count, bytes, UInt(bytes.count)) == Z_OK else { throw BadFile() }
  return Array(output.prefix(Int(count)))
}

private func points(x: some Collection<Double>, y: some Collection<Double>) -> [Point] {
  zip(x, y).map { Point(x: $0, y: $1) }
}

/// What the benchmark publishes for a method, rounded as it is there.
struct PublishedErrors: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let file: String
  let mean: Double
  let success: Double
  let visibleMean: Double
  let visibleSuccess: Double
  var hiddenPrecision: Double?
  var hiddenRecall: Double?
}

@Suite("The published errors on COFW-68")
struct COFW68Tests {
  @Test(
    .tags(.oracle), .enabled(if: Shared.isAvailable, "needs the shared data"),
    arguments: [
      PublishedErrors(
        testDescription: "HPM", file: "HPM_HelenLfpw_COFW68test.txt", mean: 0.0940, success: 0.7239,
        visibleMean: 0.0793, visibleSuccess: 0.8757, hiddenPrecision: 0.8065, hiddenRecall: 0.3406),
      PublishedErrors(
        testDescription: "CFSS", file: "CFSS_CFOW68.txt", mean: 0.0880, success: 0.7811,
        visibleMean: 0.0730, visibleSuccess: 0.8994),
    ])
  func `mean errors and success rates of two methods are those that the benchmark publishes`(
    _ method: PublishedErrors
  ) throws {
    let folder = Shared.folder.appending(path: "data/cofw68")
    let lines = try String(
      contentsOf: folder.appending(path: "Results/\(method.file)"), encoding: .utf8
    ).split(whereSeparator: \.isNewline).map { $0.split(separator: " ").compactMap { Double($0) } }
    let marker = BoundingBox(x: 0, y: 0, width: 1, height: 1)
    var accuracy = LandmarkAccuracy(scheme: .ibug68)
    var visibility = LandmarkVisibility()
    var visibleErrors: [Double] = []
    for start in stride(from: 0, to: lines.count - 3, by: 4) {
      let number = try #require(lines[start].first.map { Int($0) })
      let label = try arrays(
        inMATFile: folder.appending(path: "COFW68_Data/test_annotations/\(number)_points.mat"))
      let coordinates = try #require(label["Points"])
      let hidden = try #require(label["Occ"])
      let landmarks = try #require(
        Landmarks(
          scheme: .ibug68,
          points: points(x: coordinates.prefix(68), y: coordinates.dropFirst(68)),
          visibility: hidden.map { $0 == 0 ? .visible : .occluded }))
      let predicted = points(x: lines[start + 1], y: lines[start + 2])
      // The benchmark takes every face as found.
      let pair = try FaceMatching(
        frame: number, labels: [FaceLabel(box: marker)], faces: [FacePrediction(box: marker)])
      try accuracy.add(
        frame: number, labels: [FaceLabel(box: marker, landmarks: [landmarks])],
        faces: [FacePrediction(scheme: .ibug68, points: predicted)], matching: pair)
      if method.hiddenPrecision != nil {
        try visibility.add(
          frame: number, faces: [(landmarks, lines[start + 3].map { $0 > 0 })])
      }
      let distances = try #require(LandmarkDistances(predicted: predicted, label: landmarks))
      let length = try #require(LandmarkNormalizer.interpupil.pixels(of: landmarks))
      visibleErrors.append(try #require(distances.visibleMean) / length)
    }
    #expect(visibleErrors.count == 507)
    let values = Dictionary(
      uniqueKeysWithValues: accuracy.summarize().map { ($0.name, $0.value) })
    func expect(_ name: String, _ published: Double) throws {
      let value = try #require(values["landmarks.\(name)"].flatMap { $0 })
      // Half of the last digit that is published.
      #expect(abs(value - published) <= 0.000_05, "\(name) is \(value)")
    }
    try expect("nme.interpupil", method.mean)
    try expect("nme.interpupil.visible", method.visibleMean)
    try expect("fr.interpupil@0.10", 1 - method.success)
    let visibleSuccess = Double(visibleErrors.count { $0 <= 0.1 }) / Double(visibleErrors.count)
    #expect(abs(visibleSuccess - method.visibleSuccess) <= 0.000_05)
    let hidden = visibility.summarize().map(\.value)
    for (value, published) in zip(hidden, [method.hiddenPrecision, method.hiddenRecall]) {
      #expect(abs((value ?? -1) - (published ?? -1)) <= 0.000_05)
    }
  }
}
