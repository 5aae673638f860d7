package import FaceCore
package import Imaging

/// What a rendered image shows of a person: expression, pose, position and light.
package struct RenderSetting: Sendable, Hashable {
  /// The 52 coefficients in the order of `Blendshape`; `_neutral` moves nothing.
  package var coefficients = [Float](repeating: 0, count: Blendshape.allCases.count)
  /// Where the head is.
  package var placement: HeadPlacement
  /// What lights it.
  package var light = RenderLight()

  /// A face without expression that looks into the camera, so many centimetres ahead.
  package init(distance: Double) {
    placement = HeadPlacement(distance: distance)
  }

  /// The level of a coefficient.
  package subscript(shape: Blendshape) -> Double {
    get { Double(coefficients[shape.index]) }
    set { coefficients[shape.index] = Float(newValue) }
  }
}

/// Draws heads, and labels them by their geometry.
package struct HeadRenderer: Sendable {
  /// The heads' shapes.
  package let kit: FaceKit
  /// What sees them.
  package let camera: RenderCamera
  /// The standard deviation of the camera's noise, in steps of 8 bits.
  package let noise: Double

  /// Makes a renderer.
  package init(kit: FaceKit, camera: RenderCamera, noise: Double = 1.5) {
    (self.kit, self.camera, self.noise) = (kit, camera, noise)
  }

  /// An image and its label.
  package struct Rendered: Sendable {
    /// The image.
    package let pixels: PixelBuffer
    /// Box of the face region, points, coefficients, pose, and the person's number as identity.
    package let label: FaceLabel
  }

  /// Draws a person; the noise has a seed of its own.
  package func render(_ person: RenderedPerson, _ setting: RenderSetting, seed: UInt64) -> Rendered
  {
    let mesh = setting.placement.place(
      kit.vertices(of: person.mesh, coefficients: setting.coefficients))
    let lit = LitMesh(
      vertices: mesh, triangles: kit.triangles,
      colors: setting.light.lit(person.colors, of: mesh, kit.triangles),
      discs: LitMesh.Discs(
        distances: kit.paint.axisDistances,
        vertices: [FaceKitLayout.eyeLeft, FaceKitLayout.eyeRight], color: person.iris))
    let image = HeadImage(
      lit, camera: camera, background: person.background * Float(setting.light.intensity),
      noise: noise, seed: seed)
    return Rendered(
      pixels: image.pixels, label: label(of: person, setting, mesh, samples: image.samples))
  }

  private func label(
    of person: RenderedPerson, _ setting: RenderSetting, _ mesh: [SIMD3<Float>],
    samples: SampleBuffer
  ) -> FaceLabel {
    let region = kit.faceRegion.map { camera.project(SIMD3<Double>(mesh[$0])) }
    var label = FaceLabel(
      box: BoundingBox(around: region) ?? BoundingBox(x: 0, y: 0, width: 0, height: 0),
      identity: person.number)
    let points = FaceKitLayout.landmarks68.map { SIMD3<Double>(mesh[$0]) }
    label.landmarks = [
      Landmarks(
        scheme: .ibug68, points: points.map { camera.project($0) },
        visibility: points.map { samples.shows($0, camera: camera) ? .visible : .occluded })
    ].compactMap { $0 }
    label.blendshapes = setting.coefficients
    label.blendshapes?[Blendshape.neutral.index] = .nan
    label.pose = setting.placement.pose
    return label
  }
}
