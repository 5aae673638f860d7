import CZlib
import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite(.enabled(if: Clip.isPossible, Clip.absence)) struct VideoTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func importing(_ names: String..., isStrict: Bool = true) throws -> ImportedClip {
    try ImportedClip(names.map(folder.file), to: folder.file("out.h5"), isStrict: isStrict)
  }

  @Test(arguments: ["mov", "mkv", "avi"])
  func `the pixels of a lossless clip are those that went in`(container: String) throws {
    let clip = Clip(12)
    try clip.write(to: folder.file("a.\(container)"), Clip.lossless)
    let imported = try importing("a.\(container)")
    #expect(try imported.pixels == clip.frames)
    #expect(imported.remarks == [])
    #expect(try imported.timestamps == (0..<12).map { $0 * 40_000 })
    #expect(
      imported.dataset.sequences == [
        SequenceDescription(
          name: "a.\(container)", kind: .video, framesPerSecond: 25, first: 0, count: 12)
      ])
    #expect(try imported.dataset.frames(3..<4)[0].name == "a.\(container)/3")
    #expect(try imported.dataset.frames(3..<4)[0].size == ImageSize(width: 48, height: 32))
  }

  static let codecs: [(file: String, options: [String])] = [
    ("a.mp4", ["-c:v", "mpeg4", "-bf", "2", "-pix_fmt", "yuv420p"]),
    ("a.webm", ["-c:v", "libvpx", "-auto-alt-ref", "1", "-lag-in-frames", "8", "-b:v", "300k"]),
    ("a.gif", []),
    ("a.mpg", ["-c:v", "mpeg2video", "-bf", "2"]),
    ("a.avi", ["-c:v", "mpeg4", "-bf", "2"]),
    ("a.ts", ["-c:v", "mpeg2video"]),
    ("a.flv", []),
    ("a.ogv", ["-c:v", "libtheora"]),
    ("a.wmv", []),
  ]

  @Test(arguments: codecs)
  func `every frame of a clip is as ffmpeg decodes it, and times rise`(
    file: String, options: [String]
  ) throws {
    try Clip(20, width: 64, height: 48).write(to: folder.file(file), options)
    let imported = try importing(file)
    #expect(try imported.pixels == Clip.decode(folder.file(file), frameBytes: 64 * 48 * 3))
    #expect(imported.dataset.frameCount == 20)
    let times = try imported.timestamps
    // Half a unit of the coarsest clock of these containers, a millisecond or a hundredth of a second.
    for (index, time) in times.enumerated() {
      #expect(abs(time - times[0] - Int64(index) * 40_000) <= 5000)
    }
    #expect(try DatasetImport.detectFormat(of: [folder.file(file)]).format.name == "video")
  }

  @Test func `a frame rate that is no whole number is rounded to microseconds frame by frame`()
    throws
  {
    try Clip(40).write(to: folder.file("a.mov"), Clip.lossless, rate: "30000/1001")
    let imported = try importing("a.mov")
    #expect(
      try imported.timestamps
        == (0..<40).map { Int64((Double($0) * 1001 * 1_000_000 / 30_000).rounded()) })
    #expect(abs(imported.dataset.sequences[0].framesPerSecond - 30_000 / 1001) < 1e-9)
  }

  @Test func `a variable frame rate and the first time are kept`() throws {
    let clip = Clip(10)
    try clip.write(
      to: folder.file("a.mkv"),
      [
        "-vf", "setpts='round((2000+7*N*N)/(1000*TB))'", "-fps_mode", "passthrough",
        "-enc_time_base", "1/1000",
      ]
        + Clip.lossless, rate: "1000")
    let imported = try importing("a.mkv")
    #expect(try imported.timestamps == (0..<10).map { 2_000_000 + 7000 * $0 * $0 })
    #expect(try imported.pixels == clip.frames)
  }

  @Test func `frames whose timestamp does not rise are left out and counted`() throws {
    let clip = Clip(12)
    try clip.write(
      to: folder.file("a.mkv"),
      ["-fps_mode", "passthrough", "-enc_time_base", "1/2000"] + Clip.lossless, rate: "2000")
    let imported = try importing("a.mkv", isStrict: false)
    let times = try imported.timestamps
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(
      imported.remarks
        == ["lost: a.mkv: \(12 - times.count) frames whose timestamp does not rise"])
    #expect(try Set(imported.pixels).isSubset(of: Set(clip.frames)))
    #expect(times.count == 7 || times.count == 6)
    #expect(throws: FileError.self) { try importing("a.mkv", isStrict: true) }
  }

  @Test func `several files become several sequences`() throws {
    try Clip(3, seed: 1).write(to: folder.file("a.mov"), Clip.lossless)
    try Clip(4, width: 20, height: 60, seed: 2).write(
      to: folder.file("b.mov"), Clip.lossless, rate: "50")
    let imported = try importing("a.mov", "b.mov")
    #expect(imported.dataset.sequences.map(\.name) == ["a.mov", "b.mov"])
    #expect(imported.dataset.sequences.map(\.first) == [0, 3])
    #expect(imported.dataset.sequences.map(\.count) == [3, 4])
    #expect(imported.dataset.sequences.map(\.framesPerSecond) == [25, 50])
    #expect(try imported.timestamps == [0, 40_000, 80_000, 0, 20_000, 40_000, 60_000])
    #expect(
      try imported.pixels
        == Clip(3, seed: 1).frames + Clip(4, width: 20, height: 60, seed: 2).frames)
  }

  @Test func `a display rotation is applied and reported`() throws {
    let clip = Clip(2)
    try clip.write(to: folder.file("a.mov"), Clip.lossless)
    var bytes = Array(try Data(contentsOf: folder.file("a.mov")))
    // ISO 14496-12, track header of version 0: the matrix lies 40 bytes after the box's type.
    let header = try #require(bytes.firstRange(of: Array("tkhd".utf8)))
    let clockwise: [Int32] = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x4000_0000]
    let matrix = clockwise.flatMap { value in
      withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
    bytes.replaceSubrange((header.upperBound + 40)..<(header.upperBound + 76), with: matrix)
    try folder.write(bytes, to: "turned.mov")
    let imported = try importing("turned.mov")
    #expect(imported.remarks == ["turned.mov: turned by -90° by its display matrix"])
    #expect(try imported.dataset.frames(0..<1)[0].size == ImageSize(width: 32, height: 48))
    let turned = clip.frames.map { frame in
      (0..<48).flatMap { y in
        (0..<32).flatMap { x in
          let start = 3 * ((31 - x) * 48 + y)
          return Array(frame[start..<(start + 3)])
        }
      }
    }
    #expect(try imported.pixels == turned)
  }

  @Test func `what an image loses or keeps is reported`() throws {
    let clip = Clip(2)
    try clip.write(
      to: folder.file("deep.mkv"),
      ["-c:v", "ffv1", "-pix_fmt", "yuv420p10le", "-vf", "setsar=4/3"])
    #expect(
      try importing("deep.mkv").remarks == [
        "deep.mkv: pixels of aspect 4:3 are kept as stored, not made square",
        "deep.mkv: 10 bits per color value are reduced to 8",
      ])
    try clip.write(to: folder.file("two.mkv"), ["-map", "0", "-map", "0"] + Clip.lossless)
    let imported = try importing("two.mkv")
    #expect(imported.remarks == ["two.mkv: the first of 2 video streams is read"])
    #expect(try imported.pixels == clip.frames)
  }

  @Test func `a high dynamic range and fields of two moments are reported`() throws {
    let hybrid = ["-c:v", "ffv1", "-pix_fmt", "yuv420p10le", "-color_trc", "arib-std-b67"]
    try Clip(2).write(to: folder.file("high.mkv"), hybrid)
    let high = try importing("high.mkv").remarks
    #expect(high.count == 2)
    #expect(high[0] == "high.mkv: 10 bits per color value are reduced to 8")
    #expect(high[1].hasPrefix("high.mkv: the high dynamic range (HLG) is kept as stored"))
    try Clip(2).write(
      to: folder.file("fields.mkv"), ["-vf", "setfield=tff", "-field_order", "tt", "-c:v", "ffv1"])
    let fields = try importing("fields.mkv").remarks
    #expect(fields.count == 1 && fields[0].hasPrefix("fields.mkv: interlaced"))
  }

  @Test func `the last frame may be without a time of its own`() throws {
    try Clip(20, width: 64, height: 48).write(
      to: folder.file("a.avi"), ["-c:v", "mpeg4", "-bf", "2"])
    let imported = try importing("a.avi")
    #expect(imported.remarks == ["a.avi: 1 frames without a time are a step after the one before"])
    let times = try imported.timestamps
    #expect(times[19] - times[18] == 40_000)
  }

  @Test func `frames that an edit list hides are not shown and counted`() throws {
    try Clip(30).write(
      to: folder.file("whole.mp4"),
      ["-c:v", "mpeg4", "-g", "30", "-sc_threshold", "1000000000", "-pix_fmt", "yuv420p"])
    try Clip.ffmpeg(
      ["-ss", "0.4", "-i", folder.file("whole.mp4").path, "-c", "copy", folder.file("a.mp4").path])
    let imported = try importing("a.mp4")
    #expect(imported.dataset.frameCount == 20)
    #expect(
      imported.remarks == ["a.mp4: 10 stored frames are hidden by its edit list"])
  }

  static let hostileNames = [
    "-i.mov", "a%03d.mov", "concat:a|b.mov", "data:,x.mov", "$(touch x).mov", "it's \"it\" \\.mov",
    "*?[a].mov", "größe 顔.mov", "crop=10.mov", "-.mov",
  ]

  @Test(arguments: hostileNames) func `a name is a name and nothing else`(name: String) throws {
    let clip = Clip(2)
    try clip.write(to: folder.file("plain.mov"), Clip.lossless)
    try FileManager.default.moveItem(
      atPath: folder.file("plain.mov").path, toPath: folder.url.path + "/" + name)
    let result = try ProcessResult(
      running: "/bin/sh",
      [
        "-c", #"cd "$0" && exec "$1" import video -o out.h5 -- "$2""#, folder.url.path,
        ProcessResult.path(ofBuilt: "facegauge"), name,
      ])
    #expect(result.status == 0, "\(result.errors)")
    let dataset = try DatasetReader(folder.file("out.h5"))
    #expect(dataset.frameCount == 2)
    #expect(dataset.sequences.map(\.name) == [name])
    #expect(try folder.names == [name, "out.h5"].sorted())
  }

  static let shared = [
    "videos/obama.mp4", "videos/short_hamilton_clip.mp4", "pyfeat/feat/tests/data/no_face.mp4",
    "pyfeat/feat/tests/data/single_face.mp4", "pyfeat/feat/tests/data/WolfgangLanger_Pexels.mp4",
  ]

  @Test(
    .enabled(if: Shared.isAvailable, "no shared data next to the checkout"),
    arguments: shared)
  func `a recording has the frames and times that ffprobe counts`(path: String) throws {
    let file = Shared.data(path)
    let counted = try ProcessResult(
      running: "/usr/bin/env",
      [
        "ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
        "stream=nb_read_frames:frame=pts_time", "-of", "csv=p=0", file.path,
      ])
    let lines = counted.output.split(separator: "\n").map {
      $0.split(separator: ",").first.map(String.init) ?? ""
    }
    let imported = try ImportedClip([file], to: folder.file("out.h5"), isStrict: true)
    #expect("\(imported.dataset.frameCount)" == lines.last)
    let seconds = lines.dropLast().compactMap(Double.init)
    #expect(
      try imported.timestamps == seconds.map { Int64(($0 * 1_000_000).rounded()) })
    let sums = try ProcessResult(
      running: "/usr/bin/env",
      [
        "ffmpeg", "-v", "error", "-nostdin", "-i", file.path, "-map", "0:v:0", "-fps_mode",
        "passthrough", "-pix_fmt", "rgb24", "-c:v", "rawvideo", "-f", "framecrc", "-",
      ])
    let expected = sums.output.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
      $0.split(separator: " ").last.flatMap { UInt($0.dropFirst(2), radix: 16) }
    }
    #expect(expected.count == imported.dataset.frameCount)
    for (frame, sum) in expected.enumerated() {
      // ffmpeg's checksum is Adler-32 that starts from 0.
      let pixels = try imported.pixels(frame)
      #expect(adler32(0, pixels, UInt32(pixels.count)) == sum, "frame \(frame)")
    }
  }
}
