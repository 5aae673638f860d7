import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

@Suite(
  "Similarity of faces",
  .enabled(if: Material.hasModels && hasFaces, "needs FACEGAUGE_MODELS and shared data"))
struct SimilarityTests {
  private struct Comparison: Decodable {
    struct Image: Decodable {
      var file: String
      var faces: Int
      var box: [Double]
    }
    struct Difference: Decodable {
      var name: String
      var a, b: Double
    }
    struct Mirrored: Decodable {
      var procrustes: Double
      var cosine: Double?
    }
    var a, b: Image
    var procrustes: Double
    var cosine: Double?
    var mirrored: Mirrored
    var differences: [Difference]
  }

  private struct Verification: Decodable {
    struct Pair: Decodable {
      var procrustes: Double?
      var withoutFace: [String]
    }
    struct Score: Decodable {
      var name: String
      var measurements: [Measured]
      var failures: Int
    }
    struct Measured: Decodable {
      var name: String
      var value: Double?
      var reason: String?
      var n: Int
    }
    var pairs: [Pair]
    var scores: [Score]
  }

  let bench: Workbench

  init() throws {
    bench = try Workbench()
    for (index, name) in faceNames.enumerated() {
      let bytes = try Data(contentsOf: faces.appending(path: name))
      try bench.write([UInt8](bytes), to: "\(index).jpg")
    }
    try bench.write(try Material.image(), to: "none.jpg")
  }

  private func compare(_ first: String, _ second: String) throws -> Comparison {
    let result = try bench.facegauge(["similarity", first, second, "--json"])
    try #require(result.status == 0 && result.errors == "", "\(result.errors)")
    return try JSONDecoder().decode(Comparison.self, from: Data(result.output.utf8))
  }

  private func pixels(_ name: String) throws -> PixelBuffer {
    let bytes = try bench.bytes(name)
    return try PixelBuffer(decoding: bytes[...])
  }

  /// The image turned by a quarter; its Exif orientation tells how to turn it back.
  private func turned(_ name: String, orientation: UInt8) throws -> [UInt8] {
    let upright = try pixels(name)
    var stored = PixelBuffer(width: upright.height, height: upright.width)
    let (width, height) = (upright.width, upright.height)
    let source = upright.bytes
    stored.withMutableBytes { target in
      for y in 0..<height {
        for x in 0..<width {
          let position =
            orientation == 6 ? (width - 1 - x) * height + y : x * height + height - 1 - y
          for channel in 0..<3 {
            target[position * 3 + channel] = source[(y * width + x) * 3 + channel]
          }
        }
      }
    }
    let jpeg = try stored.jpegBytes(quality: 95)
    let exif =
      Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation]
      + [0, 0, 0, 0, 0, 0]
    return jpeg.prefix(2) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + jpeg.dropFirst(2)
  }

  @Test func `a face is most like itself, in any order and by the same bytes`() throws {
    try bench.write(try bench.bytes("0.jpg"), to: "copy.jpg")
    let same = try compare("0.jpg", "copy.jpg")
    #expect(same.procrustes < 1e-12)
    if let cosine = same.cosine { #expect(abs(cosine - 1) < 1e-12) }
    #expect(same.differences.allSatisfy { $0.a == $0.b })
    let one = try compare("0.jpg", "1.jpg")
    let other = try compare("1.jpg", "0.jpg")
    #expect(one.procrustes > 0.001 && abs(one.procrustes - other.procrustes) < 1e-12)
    #expect(one.cosine.map { $0 < 1 } ?? true)
    #expect(one.differences.map(\.name) == other.differences.map(\.name))
    let gaps = one.differences.map { abs($0.a - $0.b) }
    #expect(gaps == gaps.sorted(by: >))
    #expect(one.a.file == "0.jpg" && one.b.file == "1.jpg")
  }

  @Test(
    arguments: [6, 8])
  func `an image that lies on its side is turned by its Exif orientation`(value: UInt8) throws {
    try bench.write(try turned("0.jpg", orientation: value), to: "side.jpg")
    let turned = try compare("0.jpg", "side.jpg")
    let other = try compare("0.jpg", "1.jpg")
    #expect(turned.procrustes < 0.002 && turned.procrustes < other.procrustes / 4)
    // By MediaPipe coefficients of a face on its side have a cosine of .80 to .94 to those of the upright one.
    if let cosine = turned.cosine { #expect(cosine > 0.98) }
    let (upright, side) = (turned.a.box, turned.b.box)
    #expect(abs(side[2] - upright[3]) < 0.05 * upright[3])
    #expect(abs(side[3] - upright[2]) < 0.05 * upright[2])
  }

  @Test func `a mirrored copy is nearer as its mirror image, which a line says`() throws {
    let image = try pixels("0.jpg")
    var bytes: [UInt8] = []
    for y in 0..<image.height {
      for x in (0..<image.width).reversed() {
        let color = image[x, y]
        bytes += [color.red, color.green, color.blue]
      }
    }
    let flipped = try #require(
      PixelBuffer(width: image.width, height: image.height, bytes: bytes))
    try bench.write(try flipped.jpegBytes(quality: 95), to: "selfie.jpg")
    let mirrored = try compare("0.jpg", "selfie.jpg")
    let same = try compare("0.jpg", "0.jpg")
    #expect(mirrored.mirrored.procrustes < 0.002)
    #expect(mirrored.mirrored.procrustes < mirrored.procrustes / 4)
    #expect(same.procrustes < same.mirrored.procrustes)
    let text = try bench.facegauge(["similarity", "0.jpg", "selfie.jpg"]).output
    #expect(text.contains("\nmirrored: distance 0.00"))
    #expect(try !bench.facegauge(["similarity", "0.jpg", "0.jpg"]).output.contains("mirrored:"))
    let pairs = try output(["../0.jpg,../selfie.jpg,1", "../0.jpg,../1.jpg,0"])
    #expect(pairs.contains("mirrored: 1 of 1 pairs that belong together are nearer"))
  }

  @Test func `the output explains each number`() throws {
    let result = try bench.facegauge(["similarity", "0.jpg", "1.jpg"])
    #expect(result.status == 0 && result.errors == "")
    let lines = result.output.split(separator: "\n")
    #expect(lines[0].wholeMatch(of: /0\.jpg: .*faces?.* [0-9,]+ x [0-9,]+ pixels.*/) != nil)
    #expect(lines[2].wholeMatch(of: /shape: Procrustes distance 0\.\d{4} \(0: .*; 1: .*\)/) != nil)
    #expect(lines[3].hasPrefix("expression: "))
  }

  @Test func `of several faces the largest is compared, and that is printed`() throws {
    let left = try pixels("0.jpg")
    let right = try pixels("1.jpg").reduced(toFit: 400)
    var both = PixelBuffer(
      width: left.width + right.width, height: max(left.height, right.height))
    both.draw(left, x: 0)
    both.draw(right, x: left.width)
    try bench.write(try both.jpegBytes(quality: 95), to: "both.jpg")
    let comparison = try compare("0.jpg", "both.jpg")
    try #require(comparison.b.faces > comparison.a.faces)
    #expect(comparison.procrustes < 0.002)
    let result = try bench.facegauge(["similarity", "0.jpg", "both.jpg"])
    #expect(result.output.contains("both.jpg: \(comparison.b.faces) faces; the largest, of "))
  }

  @Test func `an image without a face, a broken one and none at all end with their status`() throws
  {
    try expectFailure(
      bench, ["similarity", "0.jpg", "none.jpg"], status: 65,
      "cannot compare none.jpg: expected a face, found none with a score of 0.5 or more")
    try expectFailure(
      bench, ["similarity", "none.jpg", "0.jpg"], status: 65, "cannot compare none.jpg")
    try bench.write(Array(try bench.bytes("0.jpg").prefix(900)), to: "half.jpg")
    try expectFailure(bench, ["similarity", "0.jpg", "half.jpg"], status: 65, "half.jpg")
    try bench.write("words", to: "words.jpg")
    try expectFailure(bench, ["similarity", "words.jpg", "0.jpg"], status: 65, "words.jpg")
    try expectFailure(
      bench, ["similarity", "0.jpg", "9.jpg"], status: 66, "cannot read 9.jpg: no such file")
    try expectFailure(bench, ["similarity", "0.jpg", "."], status: 65, "found a folder")
    #expect(try bench.shell("mkfifo pipe.jpg").status == 0)
    try expectFailure(bench, ["similarity", "0.jpg", "pipe.jpg"], status: 65, "found a pipe")
    try bench.write(try turned("0.jpg", orientation: 5), to: "mirrored.jpg")
    try expectFailure(
      bench, ["similarity", "0.jpg", "mirrored.jpg"], status: 65, "found 5")
    try expectFailure(
      bench, ["similarity", "0.jpg", "1.jpg"], status: 69, "cannot",
      environment: ["FACEGAUGE_MODELS": bench.url("empty").path])
  }

  private func output(_ rows: [String], _ words: [String] = []) throws -> String {
    try bench.write((["a,b,same"] + rows).joined(separator: "\n"), to: "list/pairs.csv")
    let result = try bench.facegauge(["similarity", "--pairs", "list/pairs.csv"] + words)
    try #require(result.status == 0 && result.errors == "", "\(result.errors)")
    return result.output
  }

  private func verify(_ rows: [String]) throws -> Verification {
    try JSONDecoder().decode(Verification.self, from: Data(output(rows, ["--json"]).utf8))
  }

  @Test
  func `pairs that belong together are told from others, and a pair without a face is rejected`()
    throws
  {
    let count = faceNames.count
    for index in 0..<count {
      let image = try pixels("\(index).jpg")
      try bench.write(try image.jpegBytes(quality: 60), to: "list/\(index)-again.jpg")
    }
    let together = (0..<count).map { "../\($0).jpg,\($0)-again.jpg,1" }
    let apart = (0..<count).flatMap { first in
      (0..<first).map { "../\(first).jpg,../\($0).jpg,0" }
    }
    let clean = try verify(together + apart)
    let shape = try #require(clean.scores.first { $0.name == "procrustes" })
    #expect(shape.failures == 0)
    #expect(shape.measurements.first { $0.name == "similarity.auroc" }?.value == 1)
    #expect(shape.measurements.first { $0.name == "similarity.eer" }?.value == 0)
    #expect(shape.measurements.allSatisfy { $0.n > 0 })
    let rare = try #require(shape.measurements.first { $0.name == "similarity.tar@far0.001" })
    #expect(rare.value == nil && rare.reason?.hasPrefix("needs 1000 pairs") == true)

    let rows = together + apart + ["../none.jpg,../0.jpg,1"]
    let failing = try verify(rows)
    let text = try output(rows)
    #expect(text.hasPrefix("\(rows.count) pairs: \(count + 1) belong together, "))
    let withFailure = try #require(failing.scores.first { $0.name == "procrustes" })
    #expect(withFailure.failures == 1)
    #expect(failing.pairs.last?.withoutFace == ["../none.jpg"])
    #expect(failing.pairs.last?.procrustes == nil)
    let expected = Double(count) / Double(count + 1)
    let area = try #require(
      withFailure.measurements.first { $0.name == "similarity.auroc" }?.value)
    #expect(abs(area - expected) < 1e-12)
    #expect(text.contains("failures to acquire, counted as rejected: 1"))
    #expect(text.hasSuffix("no face in ../none.jpg\n"))
  }

  @Test func `pairs of which none has two faces have no metrics but a reason`() throws {
    try bench.write(try Material.image(width: 200), to: "list/other.jpg")
    let rows = ["../none.jpg,other.jpg,1", "../none.jpg,../0.jpg,0"]
    #expect(try output(rows).contains("undefined: no pair has a face in both images"))
    #expect(
      try verify(rows).scores.flatMap(\.measurements).allSatisfy { $0.value == nil && $0.n == 0 })
  }

  @Test func `a broken image of the list ends the run with its name`() throws {
    try bench.write("words", to: "words.jpg")
    try bench.write("a,b,same\n0.jpg,words.jpg,1\n", to: "pairs.csv")
    try expectFailure(
      bench, ["similarity", "--pairs", "pairs.csv"], status: 65, "words.jpg")
  }

  @Test func `Ctrl-C ends a list half-way, and the progress is printed`() throws {
    let face = try bench.bytes("0.jpg")
    let stopped = try Workbench.stopped(from: 800) { bench, count in
      for index in 0..<count { try bench.write(face, to: "list/\(index).jpg") }
      let rows = (1..<count).map { "\($0).jpg,0.jpg,1" }
      try bench.write((["a,b,same"] + rows).joined(separator: "\n"), to: "list/pairs.csv")
      return try bench.facegauge(["similarity", "--pairs", "list/pairs.csv"]) { process in
        // More was read than models and program take: images are on their way.
        try bench.wait { bytesRead(by: process) > 50 * face.count || !process.isRunning }
        kill(process.processIdentifier, SIGINT)
      }
    }
    let result = stopped.result
    #expect(result.status == SIGINT)
    #expect(result.output == "")
    let message = try #require(
      result.errors.wholeMatch(
        of: /note: interrupted after (\d+) of (\d+) images\nnote: interrupted\n/),
      "\(result.errors)")
    #expect(Int(message.2) == stopped.size && Int(message.1) ?? 0 < stopped.size)
  }
}

/// Bytes that a process has read so far.
private func bytesRead(by process: Process) -> Int {
  let text = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/io", encoding: .utf8)
  let line = text?.split(separator: "\n").first { $0.hasPrefix("rchar: ") }
  return line.flatMap { Int($0.dropFirst(7)) } ?? 0
}

private let faces = Shared.data("helen68/testset")
private let faceNames = [
  "30427236_1.jpg", "3213221051_1.jpg", "3020509517_1.jpg", "3160586857_1.jpg",
]
private let hasFaces = faceNames.allSatisfy {
  FileManager.default.fileExists(atPath: faces.appending(path: $0).path)
}

extension PixelBuffer {
  /// Copies another image to the top, from a column on.
  fileprivate mutating func draw(_ other: PixelBuffer, x: Int) {
    let (width, source) = (width, other.bytes)
    withMutableBytes { target in
      for row in 0..<other.height {
        for byte in 0..<other.width * 3 {
          target[(row * width + x) * 3 + byte] = source[row * other.width * 3 + byte]
        }
      }
    }
  }
}
