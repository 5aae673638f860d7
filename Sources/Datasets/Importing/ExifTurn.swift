package import FaceCore
package import Imaging
package import Platform

/// The way from the upright image, as Exif describes it and viewers show it, to the pixels as stored.
package struct ExifTurn {
  /// Size of the stored image.
  let stored: ImageSize
  private let mirrors: [FaceRepair]

  /// The turn of an orientation from 2 to 8; nil for an upright image.
  ///
  /// Each step mirrors the image: the odd ones of JEITA CP-3451's eight orientations are mirror images when upright.
  package init?(orientation: Int, stored: ImageSize) {
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

  /// The upright image.
  package func upright(_ image: PixelBuffer) -> PixelBuffer {
    let size = upright
    var bytes: [UInt8] = []
    bytes.reserveCapacity(image.bytes.count)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let at = position(x, y)
        let first = (at.y * stored.width + at.x) * 3
        bytes += image.bytes[first..<first + 3]
      }
    }
    return PixelBuffer(width: size.width, height: size.height, bytes: bytes) ?? image
  }

  /// The stored pixel that a pixel of the upright image shows.
  private func position(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
    mirrors.reduce((x, y)) { at, mirror in
      switch mirror {
      case .exchangedAxes: (at.1, at.0)
      case .fromRight: (stored.width - 1 - at.0, at.1)
      default: (at.0, stored.height - 1 - at.1)
      }
    }
  }

  /// Which of the two images the stated size and boxes are of; nil where they are of both.
  func side(of faces: [FaceLabel], stated: ImageSize?) -> Side? {
    guard stored != upright else { return nil }
    if let stated, stated == stored || stated == upright {
      return stated == stored ? .storedBySize : .uprightBySize
    }
    func holds(_ size: ImageSize) -> Bool {
      // A labelled box may reach a few pixels beyond its image.
      faces.allSatisfy {
        $0.box.maxX <= 1.05 * Double(size.width) && $0.box.maxY <= 1.05 * Double(size.height)
      }
    }
    let (isStored, isUpright) = (holds(stored), holds(upright))
    return isStored == isUpright ? nil : isStored ? .storedByBoxes : .uprightByBoxes
  }

  /// What tells which image labels are of.
  enum Side: String, Codable {
    case storedBySize, uprightBySize, storedByBoxes, uprightByBoxes
  }

  /// A box of the upright image in the pixels as stored.
  package func box(_ box: BoundingBox) -> BoundingBox {
    mirrors.reduce(box) { $1.box($0, in: stored) }
  }

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

extension DatasetReader {
  /// How Exif turns a frame's image, 1 (upright) to 8; 1 for pixels, and for what is no image.
  package func orientation(ofImage index: Int) throws(FileError) -> Int {
    guard case .encoded(let bytes) = try image(index) else { return 1 }
    return (try? ImageHeader(of: bytes[...]).orientation) ?? 1
  }
}

extension ImageSize {
  /// The size that a source states; nil where a side is missing, below 1 or above the limit.
  init?(stated width: Int?, _ height: Int?, upTo limit: Int = .max) {
    guard let width, let height, min(width, height) > 0, max(width, height) <= limit else {
      return nil
    }
    self.init(width: width, height: height)
  }

  /// Width and height exchanged.
  var exchanged: ImageSize { ImageSize(width: height, height: width) }

  /// Whether the sides have the ratio of another size's, within the rounding of whole pixels.
  func hasRatio(of other: ImageSize) -> Bool {
    // A source may state any number, whose product with another is beyond an integer.
    abs(Double(width) * Double(other.height) - Double(height) * Double(other.width))
      <= Double(max(other.width, other.height))
  }
}
