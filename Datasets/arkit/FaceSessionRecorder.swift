import ARKit
import CoreImage

/// Writes a session of ARKit's face tracking as JSON that `facegauge import arkit` reads: one object a line.
///
/// Make one, set it as the session's delegate with its queue, run an `ARFaceTrackingConfiguration`, and call `finish()`.
final class FaceSessionRecorder: NSObject, ARSessionDelegate {
  /// The queue that the session has to call on: frames are written before the next one comes.
  let queue = DispatchQueue(label: "FaceSessionRecorder")
  private let folder: URL
  private let file: FileHandle
  private let encoder = JSONEncoder()
  private let context = CIContext()
  private let keepsImages: Bool
  private var count = 0

  /// Starts `session.json` in a new folder; images and depth maps are next to it.
  init(folder: URL, framesPerSecond: Int, keepsImages: Bool) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent("session.json")
    try Data().write(to: url)
    file = try FileHandle(forWritingTo: url)
    self.folder = folder
    self.keepsImages = keepsImages
    super.init()
    try write(Header(name: folder.lastPathComponent, fps: framesPerSecond))
  }

  /// Closes the file.
  func finish() throws { try queue.sync { try file.close() } }

  func session(_ session: ARSession, didUpdate frame: ARFrame) {
    do {
      try write(line(of: frame))
      count += 1
    } catch {
      print("frame \(count) is not recorded: \(error)")
    }
  }

  private func line(of frame: ARFrame) throws -> Line {
    let size = frame.camera.imageResolution
    var line = Line(
      timestamp: frame.timestamp,
      camera: Camera(
        intrinsics: frame.camera.intrinsics.list, transform: frame.camera.transform.list,
        resolution: [Int(size.width), Int(size.height)]),
      faces: frame.anchors.compactMap { $0 as? ARFaceAnchor }.map(Face.init))
    if let light = frame.lightEstimate {
      let directional = light as? ARDirectionalLightEstimate
      line.light = Light(
        ambientIntensity: light.ambientIntensity,
        ambientColorTemperature: light.ambientColorTemperature,
        primaryLightIntensity: directional.map { Double($0.primaryLightIntensity) },
        primaryLightDirection: directional.map { $0.primaryLightDirection.list })
    }
    if let depth = frame.capturedDepthData {
      let name = String(format: "%06d.f32", count)
      let map = depth.converting(toDepthDataType: kCVPixelFormatType_DepthFloat32).depthDataMap
      try map.packedFloats.write(to: folder.appendingPathComponent(name))
      line.depth = Depth(
        width: CVPixelBufferGetWidth(map), height: CVPixelBufferGetHeight(map),
        timestamp: frame.capturedDepthDataTimestamp, file: name)
    }
    if keepsImages, let space = CGColorSpace(name: CGColorSpace.sRGB) {
      let name = String(format: "%06d.jpg", count)
      let image = CIImage(cvPixelBuffer: frame.capturedImage)
      try context.writeJPEGRepresentation(
        of: image, to: folder.appendingPathComponent(name), colorSpace: space)
      line.image = name
    }
    return line
  }

  private func write(_ line: some Encodable) throws {
    try file.write(contentsOf: encoder.encode(line) + Data([0x0A]))
  }
}

private struct Header: Encodable {
  var schema = "facegauge.arkit"
  var version = 1
  var name: String
  var fps: Int
}

private struct Line: Encodable {
  var timestamp: TimeInterval
  var camera: Camera
  var faces: [Face]
  var light: Light?
  var depth: Depth?
  var image: String?
}

private struct Camera: Encodable {
  var intrinsics: [[Float]]
  var transform: [[Float]]
  var resolution: [Int]
}

private struct Light: Encodable {
  var ambientIntensity: Double
  var ambientColorTemperature: Double
  var primaryLightIntensity: Double?
  var primaryLightDirection: [Float]?
}

private struct Depth: Encodable {
  var width: Int
  var height: Int
  var timestamp: TimeInterval
  var file: String
}

private struct Face: Encodable {
  var identifier: String
  var isTracked: Bool
  var transform: [[Float]]
  var blendShapes: [String: Float]
  var vertices: Data
  var leftEyeTransform: [[Float]]
  var rightEyeTransform: [[Float]]
  var lookAtPoint: [Float]

  init(_ anchor: ARFaceAnchor) {
    identifier = anchor.identifier.uuidString
    isTracked = anchor.isTracked
    transform = anchor.transform.list
    blendShapes = Dictionary(
      uniqueKeysWithValues: anchor.blendShapes.map { ($0.key.rawValue, $0.value.floatValue) })
    vertices = anchor.geometry.vertices.flatMap(\.list).withUnsafeBytes { Data($0) }
    leftEyeTransform = anchor.leftEyeTransform.list
    rightEyeTransform = anchor.rightEyeTransform.list
    lookAtPoint = anchor.lookAtPoint.list
  }
}

extension simd_float3 {
  fileprivate var list: [Float] { [x, y, z] }
}

extension simd_float3x3 {
  fileprivate var list: [[Float]] { [columns.0.list, columns.1.list, columns.2.list] }
}

extension simd_float4x4 {
  fileprivate var list: [[Float]] {
    [columns.0, columns.1, columns.2, columns.3].map { [$0.x, $0.y, $0.z, $0.w] }
  }
}

extension CVPixelBuffer {
  /// The floats row by row, without what rows are padded with.
  fileprivate var packedFloats: Data {
    CVPixelBufferLockBaseAddress(self, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(self, .readOnly) }
    var data = Data()
    guard let start = CVPixelBufferGetBaseAddress(self) else { return data }
    for row in 0..<CVPixelBufferGetHeight(self) {
      data.append(
        Data(
          bytes: start + row * CVPixelBufferGetBytesPerRow(self),
          count: 4 * CVPixelBufferGetWidth(self)))
    }
    return data
  }
}
