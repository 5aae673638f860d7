import Foundation
import Testing

@Suite("Source files")
struct SourceFileTests {
  private static let code = Set(["swift", "c", "h", "py"])
  private static let written = Repository.files.filter {
    code.contains($0.suffix) || ["md", "json", "txt", "yml", ""].contains($0.suffix)
  }

  @Test func `sources name nothing that the compiler of Debian 13 lacks`() throws {
    let newer =
      /\b(?:Raw|Output|MutableRaw)Span\b|\b(?:Mutable)?Span<|\bInlineArray\b|\bSendableMetatype\b|@concurrent\b|\bnonisolated\(nonsending\)/
    for file in Repository.files(in: "Sources", ending: ".swift") {
      for line in try Repository.text(file).split(separator: "\n") {
        let code = line.drop { $0 == " " }
        guard !code.hasPrefix("//"), let match = code.firstMatch(of: newer) else { continue }
        Issue.record("\(file) names \(match.0), which Swift 6.0 does not have")
      }
    }
  }

  @Test func `no file of code is longer than 400 lines`() throws {
    for file in Repository.files where Self.code.contains(file.suffix) {
      let lines =
        try Repository.text(file).split(
          separator: "\n", omittingEmptySubsequences: false
        ).count - 1
      #expect(lines <= 400, "\(file) has \(lines) lines")
    }
  }

  @Test func `no folder of Sources has more than 16 files besides its folders`() {
    var counts: [String: Int] = [:]
    for file in Repository.files(in: "Sources", ending: ".swift") {
      counts[(file as NSString).deletingLastPathComponent, default: 0] += 1
    }
    for (folder, count) in counts { #expect(count <= 16, "\(folder) has \(count) files") }
  }

  @Test func `files are named for what is inside`() {
    let vague =
      /(?i)^(?:.*(?:helper|util|common|misc|stuff|extensions?|constants|types|manager)s?|.*part ?\d+)$/
    for file in Repository.files where Self.code.contains(file.suffix) {
      #expect(file.stem.wholeMatch(of: vague) == nil, "\(file) has a vague name")
    }
  }

  @Test(
    arguments: [
      "try!", "as!", "fatalError(", "@unchecked", "TO" + "DO", "FIX" + "ME",
      "X" + "XX",
    ])
  func `sources hold nothing that crashes on purpose, hides a race or is left for later`(
    words: String
  ) throws {
    for file in Repository.files(in: "Sources") where Self.code.contains(file.suffix) {
      for (number, line) in try Repository.text(file).split(
        separator: "\n", omittingEmptySubsequences: false
      ).enumerated() where line.contains(words) {
        Issue.record("\(file):\(number + 1) has \(words)")
      }
    }
  }

  @Test func `no path of somebody's machine is written down`() throws {
    let paths = ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "/Us" + "ers/"]
    for file in Self.written where !file.hasPrefix("LICENSE") {
      let text = try Repository.text(file)
      for path in paths { #expect(!text.contains(path), "\(file) has \(path)") }
      if file.hasPrefix("Sources/") || file.suffix == "md" {
        #expect(!text.contains("/tmp/"), "\(file) has a temporary folder")
      }
    }
  }

  @Test func `addresses lead to known public sites`() throws {
    let known: Set<String> = [
      "doi.org", "github.com", "json-schema.org", "arxiv.org", "storage.googleapis.com",
      "raw.githubusercontent.com", "www.apache.org", "www.w3.org",
    ]
    for file in Self.written {
      for match in try Repository.text(file).matches(of: /https?:\/\/([A-Za-z0-9.-]+)/) {
        let host = String(match.1)
        let isExample =
          host == "127.0.0.1" || host == "localhost" || host.hasSuffix(".invalid")
          || host.hasSuffix("example.com") || host.hasSuffix("example.org")
        #expect(known.contains(host) || isExample, "\(file) leads to \(host)")
      }
    }
  }

  @Test func `no images, models or datasets are committed, and nothing large`() throws {
    let foreign: Set<String> = [
      "avi", "bin", "bmp", "bz2", "f32", "gif", "gz", "h5", "hdf5", "jpeg", "jpg", "mat", "mov",
      "mp4", "npy", "npz", "onnx", "pkl", "png", "pt", "pts", "task", "tflite", "webp", "whl",
      "xz", "zip",
    ]
    for file in Repository.files {
      // An image of a rendered report is ours.
      if file.wholeMatch(of: /Reports\/[\w-]+\/[\w-]+\.png/) != nil {
        let count = try Data(contentsOf: Repository.root.appending(path: file)).count
        #expect(count < 160_000, "\(file) has \(count) bytes")
        continue
      }
      #expect(!foreign.contains(file.suffix), "\(file) is not ours to commit")
      let bytes = try Data(contentsOf: Repository.root.appending(path: file))
      #expect(bytes.count < 2 << 20, "\(file) has \(bytes.count) bytes")
      #expect(!bytes.contains(0), "\(file) is not text")
      if ["html", "md", "svg", "json"].contains(file.suffix) {
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("data:image/jpeg"), "\(file) holds photographs")
      }
    }
  }
}
