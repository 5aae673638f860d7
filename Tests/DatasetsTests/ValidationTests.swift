import Datasets
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct ValidationTests {
  typealias Case = (name: String, spoil: @Sendable (inout PlainDataset) -> Void, findings: [String])

  /// What is found, as `error|warning: count x what (first example)`.
  static let cases: [Case] = [
    (
      "a size that is not the image's", { $0.sizes[2] = 10 },
      [
        "error: 1 x image whose size differs from images/size "
          + "(frame 1 'frame 1': 9x9, not 10x9)"
      ]
    ),
    (
      "an image that is no image", { $0.images[1] = Array(repeating: 7, count: $0.count(1)) },
      [
        "error: 1 x broken image (frame 1 'frame 1': cannot decode image: expected the first "
          + "bytes of a JPEG or PNG, found 0x07070707)"
      ]
    ),
    (
      "an image cut short",
      { dataset in
        let half = dataset.count(0) / 2
        for index in half..<dataset.count(0) { dataset.images[0][index] = 0 }
      },
      ["error: 1 x broken image (frame 0 'frame 0': cannot decode PNG: …)"]
    ),
    (
      "a timestamp that stands still", { $0.timestamps[1] = 0 },
      ["error: 1 x timestamp that does not rise within its sequence (frame 1 'frame 1')"]
    ),
    (
      "a timestamp that goes back", { $0.timestamps = [50, 40, 0] },
      ["error: 1 x timestamp that does not rise within its sequence (frame 1 'frame 1')"]
    ),
    (
      "stills of one sequence at the same time",
      {
        $0.kinds[0] = "still"; $0.timestamps[1] = 0
      }, []
    ),
    (
      "a frame of a sequence that is not there", { $0.frameSequences[2] = 2 },
      ["error: 1 x frame of a sequence that does not exist (frame 2 'frame 2')"]
    ),
    (
      "a frame of a negative sequence", { $0.frameSequences[2] = -1 },
      ["error: 1 x frame of a sequence that does not exist (frame 2 'frame 2')"]
    ),
    (
      "sequences that overlap", { $0.counts[0] = 3 },
      [
        "error: 1 x sequence that overlaps another (sequence 1 'image')"
      ]
    ),
    (
      "a frame outside its sequence",
      {
        $0.frameSequences[2] = 0
        $0.timestamps[2] = 80_000
      },
      ["error: 1 x frame outside its sequence's first and count (frame 2 'frame 2')"]
    ),
    (
      "boxes of no area",
      {
        $0.boxes[2] = 0; $0.boxes[7] = 0
      },
      ["warning: 2 x box of less than a pixel (frame 0 'frame 0', face 0)"]
    ),
    (
      "a box in fractions of the image",
      {
        $0.boxes.replaceSubrange(0..<4, with: [2, 2, 0.5, 0.5])
      },
      ["warning: 1 x box of less than a pixel (frame 0 'frame 0', face 0)"]
    ),
  ]

  @Test(arguments: cases.indices)
  func `what is wrong is listed with its number and position`(index: Int) throws {
    let (name, spoil, expected) = Self.cases[index]
    let folder = try TemporaryFolder()
    var plain = PlainDataset()
    spoil(&plain)
    try plain.write(to: folder.file("a.h5"))
    let result = try DatasetValidation(
      of: DatasetReader(folder.file("a.h5")), decodes: true)
    let lines = result.findings.map { finding in
      "\(finding.isError ? "error" : "warning"): \(finding.count) x \(finding.what) "
        + "(\(finding.examples.first ?? "nowhere"))"
    }
    #expect(lines.count == expected.count, "\(name): \(lines)")
    for (line, pattern) in zip(lines, expected) {
      let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
      #expect(
        parts.count == 1
          ? line == pattern : line.hasPrefix(parts[0]) && line.hasSuffix(parts[1]), "\(name)")
    }
    #expect(result.hasErrors == expected.contains { $0.hasPrefix("error") })
    #expect(result.frames == 3)
    #expect(result.faces == 3)
  }

  @Test func `an interruption ends the reading`() throws {
    let folder = try TemporaryFolder()
    try PlainDataset().write(to: folder.file("a.h5"))
    let dataset = try DatasetReader(folder.file("a.h5"))
    var read = 0
    let error = #expect(throws: FileError.self) {
      try DatasetValidation(
        of: dataset, advance: { read += $0 }, isInterrupted: { read == 2 })
    }
    #expect(error?.kind == .interrupted)
    #expect(read == 2)
  }
}

extension PlainDataset {
  func count(_ image: Int) -> Int { images[image].count }
}
