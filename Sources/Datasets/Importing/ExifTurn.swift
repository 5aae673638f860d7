internal import FaceCore

/// The way from the upright image, as Exif describes it and viewers show it, to the pixels as stored.
struct ExifTurn {
  /// Size of the stored image.
  let stored: ImageSize
  private let mirrors: [FaceRepair]

  /// The turn of an orientation from 2 to 8; nil for an upright image.
  ///
  /// Each step mirrors the image: the odd ones of JEITA CP-3451's eight orientations are mirror images when upright.
  init?(orientation: Int, stored: ImageSize) {
    switch orientation {
    case 2: mirrors = [.fromRight]
    case 3: mirrors = [.fromRight, .fromBelow]
    case 4: mirrors = [.fromBelow]
    case 5: mirrors = [.exchangedAxes]
    case 6: mirrors = [.exchangedAxes, .fromBelow]
    case 7: mirrors = [.exchangedAxes, .fromRight, .fromBelow]
    case 8: mirrors = [.exchangedAxes, .fromRight]
    default: return nil
    }
    self.stored = stored
  }

  /// Size of the upright image.
  var upright: ImageSize { mirrors[0] == .exchangedAxes ? stored.exchanged : stored }

  /// Whether the stored image is a mirror image, in which left and right of a face are exchanged.
  var isMirror: Bool { !mirrors.count.isMultiple(of: 2) }

  /// A face of the upright image in the pixels as stored: box, points, sides and pose.
  func label(_ face: FaceLabel) -> FaceLabel {
    var face = mirrors.reduce(face) { $1.label($0, in: stored) }
    if isMirror { face = FaceRepair.sides.label(face, in: stored) }
    face.pose = face.pose.map(pose)
    return face
  }

  /// A mirror image of a face is that of a face: both the camera's axes and the face's x are turned around.
  private func pose(_ pose: HeadPose) -> HeadPose {
    mirrors.reduce(into: pose) { pose, mirror in
      for column in 0..<4 {
        let (x, y) = (pose.matrix[column], pose.matrix[4 + column])
        switch mirror {
        case .exchangedAxes: (pose.matrix[column], pose.matrix[4 + column]) = (-y, -x)
        case .fromRight: pose.matrix[column] = -x
        default: pose.matrix[4 + column] = -y
        }
      }
      for row in 0..<3 { pose.matrix[4 * row] = -pose.matrix[4 * row] }
    }
  }
}

extension ImageSize {
  /// Width and height exchanged.
  var exchanged: ImageSize { ImageSize(width: height, height: width) }

  /// Whether the sides have the ratio of another size's, within the rounding of whole pixels.
  func hasRatio(of other: ImageSize) -> Bool {
    abs(width * other.height - height * other.width) <= max(other.width, other.height)
  }
}
