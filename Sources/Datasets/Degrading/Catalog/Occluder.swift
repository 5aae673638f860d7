internal import FaceCore
internal import Imaging
internal import Statistics

extension Degradation {
  /// An opaque grey rectangle on every face, in the shape of its box and at a random place in it.
  static let occluder = Degradation(
    "occluder", quantity: "covered share of the faces' boxes", values: [0.1, 0.2, 0.35, 0.5, 0.7]
  ) { frame, share in
    var choices = frame.choices
    let side = share.squareRoot()
    var patches: [BoundingBox] = []
    for face in frame.faces {
      let (across, down) = (choices.uniform(), choices.uniform())
      let (width, height) = (side * face.box.width, side * face.box.height)
      let patch = BoundingBox(
        x: face.box.x + across * (face.box.width - width),
        y: face.box.y + down * (face.box.height - height), width: width, height: height)
      frame.pixels.fill(patch, with: RGB(60, 60, 60))
      patches.append(patch)
    }
    frame.labels = frame.labels.map { $0.covered(by: patches) }
  }
}
