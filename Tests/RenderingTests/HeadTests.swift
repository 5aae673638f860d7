import FaceCore
import Foundation
import Imaging
import Platform
import Rendering
import TestSupport
import Testing

@Suite("Heads and their labels")
struct HeadTests {
  private static let camera = RenderCamera(
    size: ImageSize(width: 320, height: 240),
    verticalFieldOfViewDegrees: HeadPose.verticalFieldOfViewDegrees)

  private static func placement(_ index: Int) -> HeadPlacement {
    var placement = HeadPlacement(distance: 30 + 7 * Double(index))
    placement.position.x = 3 * sin(Double(index))
    placement.position.y = 2 * cos(2 * Double(index))
    placement.yaw = 25 * sin(1.7 * Double(index))
    placement.pitch = 15 * sin(2.3 * Double(index))
    placement.roll = 35 * cos(0.9 * Double(index))
    return placement
  }

  @Test(arguments: 0..<12)
  func `the pose is where the mesh is, and its angles are the setting's`(index: Int) throws {
    let placement = Self.placement(index)
    let pose = placement.pose
    let rotation = try #require(Rotation(pose))
    let angles = HeadAngles(rotation)
    #expect(abs(angles.yaw - placement.yaw) < 1e-4)
    #expect(abs(angles.pitch - placement.pitch) < 1e-4)
    #expect(abs(angles.roll - placement.roll) < 1e-4)
    let mesh = [SIMD3<Float>(1, 2, 3), SIMD3(-4, 5, 11)]
    for (vertex, placed) in zip(mesh, placement.place(mesh)) {
      let canonical = vertex + SIMD3<Float>(FaceKitLayout.canonicalShift)
      let expected = pose.cameraCoordinates(of: canonical)
      let error = SIMD3<Double>(placed) - expected
      #expect((error * error).sum().squareRoot() < 1e-4)
      let point = Self.camera.project(SIMD3<Double>(placed))
      let projected = try #require(pose.project(canonical, onto: Self.camera.size))
      #expect(abs(point.x - projected.x) < 1e-3 && abs(point.y - projected.y) < 1e-3)
    }
  }

  @Test func `a coefficient moves what its mesh moves, in proportion`() {
    let kit = PlainHead.kit
    var setting = RenderSetting(distance: 40)
    setting[.jawOpen] = 0.5
    setting[.mouthFunnel] = 1
    setting.coefficients[0] = 1
    let moved = kit.vertices(of: kit.neutral, coefficients: setting.coefficients)
    for vertex in 0..<FaceKitLayout.faceRegion(of: kit.neutral).count {
      let level: Float =
        switch vertex % Blendshape.allCases.count {
        case Blendshape.jawOpen.index: 0.5
        case Blendshape.mouthFunnel.index: 1
        default: 0
        }
      #expect(moved[vertex] == kit.neutral[vertex] + level * PlainHead.delta)
    }
  }

  @Test func `a person is the same in every dataset of its seed, and differs with the seed`() {
    let kit = PlainHead.kit
    let renderer = HeadRenderer(kit: kit, camera: Self.camera)
    func pixels(_ number: Int, seed: UInt64) -> [UInt8] {
      renderer.render(
        RenderedPerson(number: number, seed: seed, kit: kit), RenderSetting(distance: 40), seed: 3
      ).pixels.bytes
    }
    #expect(pixels(1, seed: 1) == pixels(1, seed: 1))
    #expect(pixels(1, seed: 1) != pixels(2, seed: 1))
    #expect(pixels(1, seed: 1) != pixels(1, seed: 2))
  }

  @Test func `a labelled point is where its vertex is drawn`() {
    let kit = PlainHead.kit
    let mesh = Self.placement(0).place(kit.neutral)
    for vertex in FaceKitLayout.landmarks68.enumerated().filter({ $0.offset % 9 == 0 }).map(
      \.element)
    {
      let point = Self.camera.project(SIMD3<Double>(mesh[vertex]))
      let spot = brightestPixel(ofVertex: vertex, of: mesh, kit, camera: Self.camera)
      #expect(abs(spot.x - point.x) < 1 && abs(spot.y - point.y) < 1, "\(vertex)")
    }
  }

  @Test func `labels hold what was set, and nothing where nothing is known`() throws {
    let kit = PlainHead.kit
    let renderer = HeadRenderer(kit: kit, camera: Self.camera)
    var setting = RenderSetting(distance: 35)
    setting[.jawOpen] = 0.25
    let person = RenderedPerson(number: 4, seed: 1, kit: kit)
    let label = renderer.render(person, setting, seed: 1).label
    let coefficients = try #require(label.blendshapes)
    #expect(coefficients[Blendshape.neutral.index].isNaN)
    #expect(coefficients[Blendshape.jawOpen.index] == 0.25)
    #expect(coefficients.filter { $0 == 0 }.count == 50)
    #expect(label.identity == 4)
    #expect(label.pose == setting.placement.pose)
    #expect(label.landmarks.map(\.scheme) == [.ibug68])
    let frame = BoundingBox(x: 0, y: 0, width: 320, height: 240)
    #expect(label.box.intersection(with: frame) == label.box.area)
    setting.placement.position.x = 500
    let away = renderer.render(person, setting, seed: 1).label
    #expect(away.landmarks[0].visibility.allSatisfy { $0 == .occluded })
  }
}

@Suite(
  "Heads of ICT-FaceKit",
  .enabled(if: Shared.faceKit != nil, "FACEGAUGE_SHARED has no reference/ict-facekit"))
struct FaceKitTests {
  private static let kit = Shared.faceKit.flatMap {
    try? FaceKit(folder: $0.file("FaceXModel"), identities: 12)
  }
  private static let camera = RenderCamera(
    size: ImageSize(width: 480, height: 480), verticalFieldOfViewDegrees: 63)
  private let kit: FaceKit

  init() throws {
    kit = try #require(Self.kit)
  }

  @Test func `the pinned files are those of the folder`() throws {
    let folder = try #require(Shared.faceKit).file("FaceXModel")
    #expect(FaceKitFile.shapes.count == 54 && FaceKitFile.identities.count == 100)
    for file in [FaceKitFile.shapes[0], FaceKitFile.shapes[53], FaceKitFile.identities[11]] {
      let bytes = try [UInt8](Data(contentsOf: folder.appending(path: file.name)))
      #expect(bytes.count == file.byteCount)
      #expect(try SHA256.hexadecimal(of: bytes) == file.sha256)
    }
  }

  @Test func `every coefficient moves the face, on its own side`() {
    let person = kit.vertices(weights: [])
    let none = RenderSetting(distance: 40)
    let neutral = kit.vertices(of: person, coefficients: none.coefficients)
    for shape in Blendshape.allCases where shape != .neutral {
      var setting = none
      setting[shape] = 1
      let moved = kit.vertices(of: person, coefficients: setting.coefficients)
      var sides = SIMD2<Float>.zero
      for (before, after) in zip(neutral, moved) where abs(before.x) > 0.5 {
        let offset = after - before
        let square = (offset * offset).sum()
        if before.x > 0 { sides.x += square } else { sides.y += square }
      }
      #expect(sides.x + sides.y > 1, "\(shape)")
      switch shape {
      case .jawLeft, .jawRight, .mouthLeft, .mouthRight: break
      case _ where shape.rawValue.hasSuffix("Left"): #expect(sides.x > 4 * sides.y, "\(shape)")
      case _ where shape.rawValue.hasSuffix("Right"): #expect(sides.y > 4 * sides.x, "\(shape)")
      default: #expect(sides.x < 2 * sides.y && sides.y < 2 * sides.x, "\(shape)")
      }
    }
  }

  @Test
  func `points of the face are seen from the front, and those of one side from the other are not`()
  {
    let renderer = HeadRenderer(kit: kit, camera: Self.camera)
    let person = RenderedPerson(number: 0, seed: 1, kit: kit)
    var setting = RenderSetting(distance: 40)
    let front = renderer.render(person, setting, seed: 1).label.landmarks[0]
    for point in Array(17..<36) + [36, 39, 42, 45] + Array(48..<60) {
      #expect(front.visibility[point] == .visible, "\(point)")
    }
    setting.placement.yaw = 60
    let turned = renderer.render(person, setting, seed: 1).label.landmarks[0]
    let angles = HeadAngles(Rotation(setting.placement.pose) ?? .identity)
    #expect(abs(angles.yaw - 60) < 1e-4)
    let (right, left) = (turned.visibility[36], turned.visibility[45])
    #expect((right == .visible) != (left == .visible))
  }

  @Test func `visible points are where their vertices are drawn`() {
    var placement = HeadPlacement(distance: 35)
    (placement.yaw, placement.pitch, placement.roll) = (20, -8, 12)
    let mesh = placement.place(kit.vertices(weights: [1, -1, 0.5]))
    let samples = SampleBuffer(mesh, kit.triangles, camera: Self.camera)
    for (point, vertex) in FaceKitLayout.landmarks68.enumerated() where point % 5 == 2 && point < 60
    {
      let position = SIMD3<Double>(mesh[vertex])
      guard samples.shows(position, camera: Self.camera, tolerance: 0.02) else { continue }
      let seen = Self.camera.project(position)
      let spot = brightestPixel(ofVertex: vertex, of: mesh, kit, camera: Self.camera)
      #expect(abs(spot.x - seen.x) < 1.5 && abs(spot.y - seen.y) < 1.5, "\(point)")
    }
  }

  @Test(arguments: RenderedPerson.skinTones.indices)
  func `skin in even light has the typology angle of its label`(number: Int) {
    let person = RenderedPerson(number: number, seed: 1, kit: kit)
    var setting = RenderSetting(distance: 30)
    setting.light.ambient = 1
    let rendered = HeadRenderer(kit: kit, camera: Self.camera, noise: 0)
      .render(person, setting, seed: 1)
    let nose = rendered.label.landmarks[0].points[30]
    let color = rendered.pixels[Int(nose.x), Int(nose.y)]
    let lab = CIELab(red: color.red, green: color.green, blue: color.blue)
    let angle = atan2(lab.lightness - 50, lab.b) * 180 / .pi
    #expect(abs(angle - person.skinTone) < 2, "\(angle) for \(person.skinTone)")
  }
}

/// A color by CIE 15 with the white of D65.
private struct CIELab {
  let lightness, b: Double

  init(red: UInt8, green: UInt8, blue: UInt8) {
    func linear(_ value: UInt8) -> Double {
      let share = Double(value) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    func root(_ t: Double) -> Double {
      t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116
    }
    let (r, g, b) = (linear(red), linear(green), linear(blue))
    let y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b
    let z = 0.0193339 * r + 0.1191920 * g + 0.9503041 * b
    lightness = 116 * root(y) - 16
    self.b = 200 * (root(y) - root(z / 1.08883))
  }
}

/// The brightest pixel where only one vertex shines.
private func brightestPixel(
  ofVertex vertex: Int, of mesh: [SIMD3<Float>], _ kit: FaceKit, camera: RenderCamera
) -> Point {
  var colors = [SIMD3<Float>](repeating: .zero, count: mesh.count)
  colors[vertex] = .one
  let image = HeadImage(
    LitMesh(vertices: mesh, triangles: kit.triangles, colors: colors), camera: camera,
    background: .zero, noise: 0, seed: 0
  ).pixels
  let brightest = stride(from: 0, to: image.bytes.count, by: 3).max {
    image.bytes[$0] < image.bytes[$1]
  }
  let at = (brightest ?? 0) / 3
  return Point(x: Double(at % image.width) + 0.5, y: Double(at / image.width) + 0.5)
}
