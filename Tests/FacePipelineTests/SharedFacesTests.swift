import FaceCore
import FacePipeline
import Foundation
import Imaging
import Profiling
import TestSupport
import Testing

/// Which faces MediaPipe's wheel finds, written by Tests/Oracles/live with the same pixels.
@Suite(
  "Faces of all shared data",
  .enabled(if: Shared.isAvailable, "needs the shared images, clips and models"))
struct SharedFacesTests {
  private struct Images: Decodable {
    var num_faces: Int
    var images: [String: [[Double]]]
  }

  private struct Clips: Decodable {
    struct Clip: Decodable {
      var source: String
      var size: [Int]
      var milliseconds: [Int64]
      var faces: [String: [Int]]
    }
    var clips: [String: Clip]
  }

  private func landmarker(_ mode: RunningMode, numFaces: Int) throws -> FaceLandmarker {
    var options = FaceLandmarkerOptions()
    options.runningMode = mode
    options.numFaces = numFaces
    return try FaceLandmarker(
      FaceLandmarkerModels(detector: .shortRange, from: Shared.bundle), options: options)
  }

  /// Two faces of an image are 0.14 of its size apart or more; equal faces differ by 1e-4 and the rounding.
  @Test func `every shared image has the wheel's faces in its order`() throws {
    let oracle: Images = try Oracles.read("mediapipe_images")
    let landmarker = try landmarker(.image, numFaces: oracle.num_faces)
    var timer = StageTimer(stages: PipelineStage.allCases.map(\.name))
    try #require(oracle.images.count == 289)
    for (source, wanted) in oracle.images.sorted(by: { $0.key < $1.key }) {
      let bytes = try [UInt8](Data(contentsOf: Shared.folder.appending(path: source)))
      let image = try PixelBuffer(decoding: bytes[...])
      let faces = try landmarker.detect(image, timer: &timer).faces
      #expect(faces.count == wanted.count, "\(source)")
      for (face, centre) in zip(faces, wanted) {
        let mean = face.landmarks.reduce(.zero, +) / Float(face.landmarks.count)
        #expect(
          abs(Double(mean.x) - centre[0]) < 1e-3 && abs(Double(mean.y) - centre[1]) < 1e-3,
          "\(source): \(mean), expected \(centre)")
      }
    }
  }

  /// The comparison of single frames is Tests/Oracles/live/wheel_clips.py; here only when faces are there.
  @Test(
    .enabled(if: FFmpeg.isAvailable, "needs ffmpeg"),
    arguments: [
      "WolfgangLanger_Pexels", "no_face", "obama", "short_hamilton_clip", "single_face",
    ], ["1", "3"])
  func `faces of a clip come and go where the wheel's do`(name: String, numFaces: String) throws {
    let oracle: Clips = try Oracles.read("mediapipe_clips")
    let clip = try #require(oracle.clips[name])
    let wanted = try #require(clip.faces[numFaces])
    let landmarker = try landmarker(.video, numFaces: #require(Int(numFaces)))
    var timer = StageTimer(stages: PipelineStage.allCases.map(\.name))
    let frames = try FFmpeg.frames(
      of: Shared.folder.appending(path: clip.source), width: clip.size[0], height: clip.size[1])
    defer { frames.finish() }
    var found: [Int] = []
    var before = 0
    for milliseconds in clip.milliseconds {
      let image = try #require(try frames.next(), "\(found.count) frames")
      let result = try landmarker.detect(
        image, timestampMicroseconds: milliseconds * 1000, timer: &timer)
      #expect(result.detectorRan == (before < landmarker.options.numFaces), "frame \(found.count)")
      before = result.faces.count
      found.append(before)
    }
    #expect(found == wanted)
    #expect(try frames.next() == nil)
  }
}

/// Frames of a clip as ffmpeg decodes them.
private struct FFmpeg: ~Copyable {
  static let program = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").map { URL(filePath: String($0)).appending(path: "ffmpeg") }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }

  static var isAvailable: Bool { program != nil }

  private let process: Process
  private let output: FileHandle
  private let width, height: Int

  static func frames(of clip: URL, width: Int, height: Int) throws -> FFmpeg {
    let process = Process()
    process.executableURL = program
    process.arguments = [
      "-v", "error", "-i", clip.path, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt",
      "rgb24", "-",
    ]
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    try process.run()
    return FFmpeg(
      process: process, output: pipe.fileHandleForReading, width: width, height: height)
  }

  /// Nil after the last frame.
  func next() throws -> PixelBuffer? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(width * height * 3)
    while bytes.count < width * height * 3 {
      guard let part = try output.read(upToCount: width * height * 3 - bytes.count), !part.isEmpty
      else { return nil }
      bytes += part
    }
    return PixelBuffer(width: width, height: height, bytes: bytes)
  }

  func finish() {
    process.terminate()
    process.waitUntilExit()
  }
}
