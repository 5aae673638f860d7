internal import FaceCore
internal import Platform
internal import Statistics

/// What is noticed over the frames of an ARKit session: depth maps and what they say of the mesh, jumps of the world's
/// origin, and names of coefficients.
struct ARKitSessionFacts {
  /// A camera that moves faster than this between two frames has not moved: the world's origin has. In metres per
  /// second and in degrees per second; less than the least steps, in metres and degrees, count as noise.
  private static let speeds = (move: 3.0, turn: 720.0), steps = (move: 0.05, turn: 15.0)

  private var camera: (seconds: Double, transform: RigidTransform)?
  private var (jumps, firstJump) = (0, 0)
  private var (depthSeconds, depthGaps): (Double?, [Double]) = (nil, [])
  private var longestLag: Double?
  private var differences: [Double] = []
  private var (given, hasTongue): (Set<String>, Bool) = ([], false)

  /// Takes in the camera of a frame; true where the world's origin jumped before it.
  mutating func add(_ transform: RigidTransform, at seconds: Double, frame: Int) -> Bool {
    defer { camera = (seconds, transform) }
    guard let camera, seconds > camera.seconds else { return false }
    let step = camera.transform.inverse.after(transform).rows
    let move = (step[3] * step[3] + step[7] * step[7] + step[11] * step[11]).squareRoot()
    let rotations = [camera.transform, transform].map { Rotation($0.headPose) }
    let turn = rotations[0].flatMap { before in rotations[1].map(before.degrees) } ?? 0
    let time = seconds - camera.seconds
    guard
      move > max(Self.steps.move, Self.speeds.move * time)
        || turn > max(Self.steps.turn, Self.speeds.turn * time)
    else { return false }
    if jumps == 0 { firstJump = frame }
    jumps += 1
    return true
  }

  /// Takes in that a frame has a depth map, which was captured at a time of its own.
  mutating func addDepth(of captured: Double?, frame seconds: Double) {
    if let depthSeconds { depthGaps.append(seconds - depthSeconds) }
    depthSeconds = seconds
    if let captured { longestLag = max(longestLag ?? 0, abs(seconds - captured)) }
  }

  /// Takes in the names of a face's coefficients.
  mutating func add(_ shapes: [Float], hasTongue: Bool) {
    if hasTongue { self.hasTongue = true }
    for shape in Blendshape.allCases where !shapes[shape.index].isNaN {
      given.insert(shape.rawValue)
    }
  }

  /// Compares a depth map with a mesh in camera coordinates, which looks along -z, at the pixels of its vertices.
  ///
  /// Returns the median depth there and the median of depth less the vertices' own, in metres; nil where fewer than
  /// half of the vertices have a depth.
  mutating func compare(
    _ mesh: [SIMD3<Double>], at pixels: [Point], with map: DepthMap, of size: (Double, Double)
  ) -> (depth: Double, difference: Double)? {
    var (depths, offsets): ([Double], [Double]) = ([], [])
    for (vertex, pixel) in zip(mesh, pixels) {
      let x = pixel.x * Double(map.width) / size.0
      let y = pixel.y * Double(map.height) / size.1
      guard x >= 0, y >= 0, x < Double(map.width), y < Double(map.height) else { continue }
      let depth = Double(map.metres[Int(y) * map.width + Int(x)])
      guard depth.isFinite, depth > 0 else { continue }
      depths.append(depth)
      offsets.append(depth + vertex.z)
    }
    guard 2 * depths.count >= mesh.count, let depth = Self.median(depths),
      let difference = Self.median(offsets)
    else { return nil }
    differences.append(difference)
    return (depth, difference)
  }

  private static func median(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.sorted().quantileOfSorted(0.5)
  }

  /// What was noticed, a line each; `frames` are all, `depths` those with a depth map.
  func remarks(frames: Int, depths: Int) -> [ImportRemark] {
    var lines: [String] = []
    if depths > 0 {
      let gap = Self.median(depthGaps).map { ", one every \(Self.milliseconds($0)) ms (median)" }
      let lag = longestLag.map {
        ", captured up to \(Self.milliseconds($0)) ms from their frames"
      }
      lines.append("\(depths) of \(frames) frames have a depth map\(gap ?? "")\(lag ?? "")")
    }
    if let difference = Self.median(differences) {
      let centimetres = (100 * difference.magnitude).text(decimals: 1)
      let faces = differences.count == 1 ? "1 face" : "\(differences.count) faces"
      let side =
        difference.magnitude < 0.000_5
        ? "less than 0.1 cm off the mesh"
        : "\(centimetres) cm \(difference < 0 ? "nearer" : "farther") than the mesh"
      lines.append(
        "at the vertices of the mesh depth maps are \(side) (median of \(faces))")
    }
    if jumps > 0 {
      let place =
        jumps == 1 ? "frame \(firstJump)" : "\(jumps) frames, first before frame \(firstJump)"
      lines.append(
        "the world's origin jumps before \(place): the camera moves by "
          + "more than 3 m/s or 720°/s there, so positions in the world do not go on; attribute worldJump marks them"
      )
    }
    let missing = Blendshape.allCases.filter { $0 != .neutral && !given.contains($0.rawValue) }
    if !given.isEmpty, !missing.isEmpty {
      lines.append(
        "\(given.count) of 51 coefficients are given, missing are "
          + missing.map(\.rawValue).listed(atMost: 8))
    }
    if hasTongue {
      lines.append(
        "tongueOut, ARKit's 52nd coefficient, is an attribute; _neutral, MediaPipe's 52nd, stays unlabelled"
      )
    }
    return lines.map { .assumed($0) }
  }

  private static func milliseconds(_ seconds: Double) -> String {
    (1000 * seconds).text(decimals: 1)
  }
}
