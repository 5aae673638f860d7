import Datasets
import Foundation
import Platform
import Statistics
import TestSupport
import Testing

@Suite(.enabled(if: Clip.isPossible, Clip.absence)) struct BrokenVideoTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func importing(_ name: String, isStrict: Bool = false) throws -> ImportedClip {
    try ImportedClip([folder.file(name)], to: folder.file("out.h5"), isStrict: isStrict)
  }

  private func expectRefusal(_ name: String, _ message: String) throws {
    let error = #expect(throws: FileError.self) { try importing(name) }
    #expect(error?.kind == .wrongData)
    let text = error?.description.replacing(folder.file(name).relativePath, with: "FILE") ?? ""
    #expect(text.hasPrefix(message), "\(text)")
    #expect(!text.contains("0x"), "no address of the moment: \(text)")
    #expect(try !folder.names.contains("out.h5"))
  }

  @Test func `what has no images is refused`() throws {
    try Clip.ffmpeg(
      ["-f", "lavfi", "-i", "sine=duration=0.2", folder.file("sound.wav").path])
    try expectRefusal("sound.wav", "cannot import FILE: expected a video stream, found none")
    let cover = folder.file("cover.png")
    try Clip(1).write(to: cover, [])
    try Clip.ffmpeg(
      [
        "-i", folder.file("sound.wav").path, "-i", cover.path, "-map", "0", "-map", "1", "-c:v",
        "copy", "-disposition:v", "attached_pic", folder.file("song.mp3").path,
      ])
    try expectRefusal("song.mp3", "cannot import FILE: expected a video stream, found none")
  }

  @Test(arguments: ["", "hello", String(repeating: "\0", count: 5000)])
  func `what is no video is refused`(text: String) throws {
    try folder.write(text, to: "a.mp4")
    try expectRefusal("a.mp4", "cannot import FILE: expected a video stream, found none (ffmpeg: ")
    let error = #expect(throws: FileError.self) {
      try DatasetImport.detectFormat(of: [folder.file("a.mp4")])
    }
    #expect(error?.description.contains("found none of them") == true)
  }

  @Test func `a list of other files is refused`() throws {
    try Clip(2).write(to: folder.file("a.mov"), Clip.lossless)
    let lists = [
      "list.mp4": "ffconcat version 1.0\nfile a.mov\n",
      "list.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.mov\n#EXT-X-ENDLIST\n",
    ]
    for (name, text) in lists {
      try folder.write(text, to: name)
      try expectRefusal(name, "cannot import FILE: expected a video stream, found none (ffmpeg: ")
    }
  }

  @Test func `a stream without timestamps is refused`() throws {
    for (codec, form) in [("mpeg4", "m4v"), ("mjpeg", "mjpeg"), ("mpeg2video", "mpeg2video")] {
      try Clip(4).write(to: folder.file("a.m4v"), ["-c:v", codec, "-f", form])
      try expectRefusal(
        "a.m4v", "cannot import FILE: expected a video stream, found none (ffmpeg: ")
    }
  }

  @Test func `frames that change their size are refused`() throws {
    for (name, width) in [("a.ts", 64), ("b.ts", 96)] {
      try Clip(5, width: width, height: 48).write(to: folder.file(name), ["-c:v", "mpeg2video"])
    }
    let both = try ["a.ts", "b.ts"].map { Array(try Data(contentsOf: folder.file($0))) }
    try folder.write(both[0] + both[1], to: "both.ts")
    try expectRefusal(
      "both.ts",
      "cannot import FILE: expected frames of 64x48 like the first, found 96x48 in frame ")
  }

  @Test func `a missing, a special and a closed file are refused`() throws {
    let missing = #expect(throws: FileError.self) { try importing("none.mp4") }
    #expect(missing?.kind == .notFound)
    #expect(mkfifo(folder.file("pipe.mp4").path, 0o600) == 0)
    let pipe = #expect(throws: FileError.self) { try importing("pipe.mp4") }
    #expect(pipe?.description.hasSuffix("expected a regular file, found a pipe") == true)
    let directory = #expect(throws: FileError.self) {
      try ImportedClip([folder.url], to: folder.file("out.h5"))
    }
    #expect(directory?.description.hasSuffix("expected a file, found a folder") == true)
  }

  @Test(arguments: ["mkv", "avi", "mp4"])
  func `a truncated file is reported with the frames that remain`(container: String) throws {
    let name = "a.\(container)"
    let codec =
      container == "mp4" ? ["-movflags", "+faststart"] + Clip.lossless : Clip.lossless
    let clip = Clip(30)
    try clip.write(to: folder.file(name), codec)
    let whole = Array(try Data(contentsOf: folder.file(name)))
    var counts: Set<Int> = []
    for tenths in [4, 6, 8] {
      try folder.write(Array(whole[..<(whole.count * tenths / 10)]), to: name)
      let imported = try importing(name)
      let count = imported.dataset.frameCount
      counts.insert(count)
      #expect(count < 30)
      #expect(try Array(imported.pixels.prefix(count - 1)) == Array(clip.frames[..<(count - 1)]))
      #expect(imported.remarks.count == 1)
      let remark = try #require(imported.remarks.first)
      #expect(remark.hasPrefix("lost: \(name): "), "\(remark)")
      #expect(remark.contains(" \(count) ") || remark.contains(" \(count) of 30 "), "\(remark)")
      let error = #expect(throws: FileError.self) { try importing(name, isStrict: true) }
      #expect(error?.description.hasPrefix("cannot import without loss (--strict): ") == true)
    }
    #expect(counts.count == 3)
  }

  @Test func `a file that ends between two frames is reported to lack the others`() throws {
    try Clip(30).write(to: folder.file("a.mp4"), ["-movflags", "+faststart"] + Clip.lossless)
    let listed = try ProcessResult(
      running: "/usr/bin/env",
      [
        "ffprobe", "-v", "error", "-show_entries", "packet=pos,size", "-of", "csv=p=0",
        folder.file("a.mp4").path,
      ])
    let ends = listed.output.split(separator: "\n").map { line in
      line.split(separator: ",").compactMap { Int($0) }.reduce(0, +)
    }.sorted()
    let whole = Array(try Data(contentsOf: folder.file("a.mp4")))
    try folder.write(Array(whole[..<ends[11]]), to: "a.mp4")
    let imported = try importing("a.mp4")
    #expect(imported.dataset.frameCount == 12)
    #expect(imported.remarks == ["lost: a.mp4: 12 of 30 declared frames are in the file"])
  }

  @Test(.timeLimit(.minutes(60)))
  func `a file damaged all over is read to its end, however much ffmpeg complains`() throws {
    try Clip.ffmpeg(
      [
        "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=40", "-c:v", "mpeg2video",
        "-q:v", "2", folder.file("a.ts").path,
      ])
    var bytes = Array(try Data(contentsOf: folder.file("a.ts")))
    var numbers = SplitMix64(seed: 6)
    for _ in 0..<(bytes.count / 400) {
      // Not the first packets, which describe the streams.
      bytes[.random(in: 20_000..<bytes.count, using: &numbers)] = .random(
        in: 0...255, using: &numbers)
    }
    try folder.write(bytes, to: "a.ts")
    let noise = try ProcessResult(
      running: "/usr/bin/env",
      ["ffmpeg", "-v", "error", "-i", folder.file("a.ts").path, "-f", "null", "-"])
    try #require(noise.errors.utf8.count > 1 << 17, "more than the pipe takes in")
    do {
      let imported = try importing("a.ts")
      #expect(imported.remarks.contains { $0.hasPrefix("lost: a.ts: damaged, ") })
    } catch let error as FileError {
      #expect(error.kind == .wrongData)
    }
  }

  @Test func `a frame of more pixels than an image may have is refused before it is read`() throws {
    try folder.write([0], to: "a.mov")
    let programs = [
      "ffprobe": "case \"$*\" in *frame=*) ;; *) echo 'stream|time_base=1/25' ;; esac",
      "ffmpeg": "printf 'P6\n40000 40000\n255\n'",
    ]
    for (name, line) in programs {
      try folder.write("#!/bin/sh\n\(line)\n", to: "programs/\(name)")
      chmod(folder.file("programs/\(name)").path, 0o755)
    }
    let result = try ProcessResult(
      running: ProcessResult.path(ofBuilt: "facegauge"),
      ["import", "video", folder.file("a.mov").path, "-o", folder.file("out.h5").path],
      environment: ["PATH": folder.file("programs").path + ":/usr/bin:/bin"])
    #expect(result.status == 65)
    #expect(
      result.errors.contains("expected frames of at most 134217728 pixels, found 40000x40000"),
      "\(result.errors)")
  }

  @Test func `without ffmpeg the error names the package`() throws {
    try Clip(2).write(to: folder.file("a.mov"), Clip.lossless)
    let result = try ProcessResult(
      running: "/usr/bin/env",
      [
        "PATH=\(folder.url.path)", ProcessResult.path(ofBuilt: "facegauge"), "import", "video",
        folder.file("a.mov").path,
        "-o",
        folder.file("out.h5").path,
      ])
    #expect(result.status == 69)
    #expect(
      result.errors
        == "error: cannot import \(folder.file("a.mov").path): cannot run ffprobe: no such program "
        + "in PATH (Debian has it in the package ffmpeg)\n")
    #expect(try folder.names == ["a.mov"])
  }
}
