internal import FaceCore

/// What is painted where on ICT-FaceKit's mesh, which has no texture: a share of each paint for each vertex, 0 to 1.
struct FaceKitPaint: Sendable {
  /// What a vertex belongs to.
  enum Material: Sendable {
    case skin, mouth, gums, teeth, eye
  }

  let materials: [Material]
  private(set) var brow: [Float]
  private(set) var lips: [Float]
  /// The edge of the lids, which lashes darken.
  private(set) var lids: [Float]
  private(set) var hair: [Float]
  /// How much light reaches a vertex; less within the mouth and behind the lids.
  private(set) var openness: [Float]
  /// For vertices of the eyeballs the distance from the eye's axis, in centimetres.
  private(set) var axisDistances: [Float]

  init(neutral: [SIMD3<Float>], eyes: [FaceKitEye]) {
    materials = neutral.indices.map { Self.material(of: $0) }
    brow = .init(repeating: 0, count: neutral.count)
    lips = brow
    lids = brow
    hair = brow
    openness = .init(repeating: 1, count: neutral.count)
    axisDistances = brow
    for eye in eyes {
      for (vertex, distance) in zip(eye.vertices, eye.axisDistances(in: neutral)) {
        axisDistances[vertex] = distance
      }
    }
    let points = FaceKitLayout.landmarks68.map { neutral[$0] }
    let outerLips = Array(points[48..<60])
    for vertex in FaceKitLayout.skin {
      let point = neutral[vertex]
      let distance =
        [points[17..<22], points[22..<27]]
        .map { Self.distance(from: point, to: Array($0)) }.min() ?? .infinity
      brow[vertex] = 1 - Self.step(distance, from: 0.18, to: 0.42)
      let edge =
        [Array(points[36..<42]), Array(points[42..<48])]
        .map { Self.distance(from: point, to: $0 + $0.prefix(1)) }.min() ?? .infinity
      lids[vertex] = 1 - Self.step(edge, from: 0.02, to: 0.14)
      if point.z > 8 {
        lips[vertex] = Self.step(Self.depth(of: point, in: outerLips), from: -0.06, to: 0.06)
      }
      hair[vertex] = Self.step(point.y - Self.hairline(atZ: point.z), from: -0.3, to: 0.3)
    }
    for vertex in neutral.indices {
      switch materials[vertex] {
      case .mouth, .gums, .teeth:
        openness[vertex] = 0.15 + 0.6 * Self.step(neutral[vertex].z, from: 7, to: 11)
      default: break
      }
    }
    for vertex in FaceKitLayout.eyeSockets { openness[vertex] = 0.5 }
  }

  private static func material(of vertex: Int) -> Material {
    switch vertex {
    case FaceKitLayout.mouthSocket: .mouth
    case FaceKitLayout.gumsAndTongue: .gums
    case FaceKitLayout.teeth: .teeth
    case FaceKitLayout.eyeLeft, FaceKitLayout.eyeRight: .eye
    default: .skin
    }
  }

  /// The height above which there is hair: forehead, temple, ear, nape, from front to back, in centimetres.
  private static func hairline(atZ z: Float) -> Float {
    let line: [(z: Float, y: Float)] = [
      (-20, -7), (-4, -6), (-3, 2.5), (0.5, 5), (2.5, 5), (4, 7.5), (7, 10), (20, 10.5),
    ]
    for (back, front) in zip(line, line.dropFirst()) where z <= front.z {
      let share = (z - back.z) / (front.z - back.z)
      return back.y + min(max(share, 0), 1) * (front.y - back.y)
    }
    return line[line.count - 1].y
  }

  /// 0 below one end, 1 above the other, and smooth between.
  private static func step(_ value: Float, from low: Float, to high: Float) -> Float {
    let share = min(max((value - low) / (high - low), 0), 1)
    return share * share * (3 - 2 * share)
  }

  /// The distance from a line of straight parts.
  private static func distance(from point: SIMD3<Float>, to line: [SIMD3<Float>]) -> Float {
    var least = Float.infinity
    for (start, end) in zip(line, line.dropFirst()) {
      let (along, offset) = (end - start, point - start)
      let share = min(max((offset * along).sum() / (along * along).sum(), 0), 1)
      let rest = offset - share * along
      least = min(least, (rest * rest).sum())
    }
    return least.squareRoot()
  }

  /// How far a point seen from the front is inside a closed outline; negative outside.
  private static func depth(of point: SIMD3<Float>, in outline: [SIMD3<Float>]) -> Float {
    let closed = (outline + outline.prefix(1)).map { SIMD3($0.x, $0.y, 0) }
    let flat = SIMD3(point.x, point.y, 0)
    var isInside = false
    for (start, end) in zip(closed, closed.dropFirst()) where (start.y > flat.y) != (end.y > flat.y)
    {
      let crossing = start.x + (flat.y - start.y) / (end.y - start.y) * (end.x - start.x)
      if flat.x < crossing { isInside.toggle() }
    }
    let distance = distance(from: flat, to: closed)
    return isInside ? distance : -distance
  }
}
