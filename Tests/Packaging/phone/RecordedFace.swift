import MediaPipeTasksVision

/// Records results that are made by hand, then prints the same face as a tracker gives it.
@main
enum RecordedFace {
  /// What the guides show; it needs a phone.
  static func connect(_ address: String, model: String, clip: [(MPImage, Int)], to url: URL) throws
  {
    let tracker = FaceLandmarkerTracker(model: model, delegate: .GPU)
    try TrackerClient.run(
      address, as: tracker.description, restart: tracker.restart, detect: tracker.detect)
    let landmarker = try FaceLandmarker(options: FaceLandmarkerOptions())
    let recorder = try LandmarkerRecorder(videoTo: url, name: "clip.mp4", framesPerSecond: 30)
    for (image, time) in clip {
      try recorder.record(image, milliseconds: time) {
        try landmarker.detect(videoFrame: $0, timestampInMilliseconds: time)
      }
    }
  }

  static func main() throws {
    guard let image = UIImage(data: Data()) else { return }
    let picture = try MPImage(uiImage: image)
    let face = (0..<478).map { NormalizedLandmark(x: Float($0) / 512, y: 0.5, z: -0.25) }
    let shapes = Classifications(categories: [ResultCategory(categoryName: "jawOpen", score: 0.75)])
    // By columns: a translation of 1, 2, -40 without a turn.
    let matrix = TransformMatrix([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, -40, 1])
    let found = FaceLandmarkerResult([face], [shapes], [matrix])
    let nothing = FaceLandmarkerResult([], [], [])
    let folder = URL(fileURLWithPath: CommandLine.arguments[1])
    let stills = try LandmarkerRecorder(imagesTo: folder.appendingPathComponent("stills.json"))
    try stills.record(picture, name: "a.jpg") { _ in found }
    try stills.record(picture, name: "b.jpg") { _ in nothing }
    try stills.finish()
    let video = try LandmarkerRecorder(
      videoTo: folder.appendingPathComponent("video.json"), name: "a \"clip\".mp4",
      framesPerSecond: 25)
    for frame in 0..<3 { try video.record(picture, milliseconds: 40 * frame) { _ in found } }
    try video.finish()
    let faces = FaceLandmarkerTracker.faces(of: found, width: 200, height: 100)
    print(String(decoding: try JSONEncoder().encode(faces), as: UTF8.self))
  }
}
