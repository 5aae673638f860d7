/// An image's width and height in pixels.
package struct ImageSize: Sendable, Hashable, Codable {
  /// Width in pixels.
  package var width: Int
  /// Height in pixels.
  package var height: Int

  /// Makes a size from pixels.
  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Whether it is 0 by 0: nothing tells a size.
  package var isNothing: Bool { width == 0 && height == 0 }
}

/// A frame's entry in its dataset: everything but its pixels and labels.
package struct Frame: Sendable, Hashable {
  /// Position in the dataset, from 0.
  package var index: Int
  /// The name that reports use, such as the image's file name.
  package var name: String
  /// Index of the sequence that the frame belongs to.
  package var sequence: Int
  /// Time within the sequence in microseconds; 0 for still images.
  package var timestampMicroseconds: Int64
  /// The size of the decoded image, or of one that is not there as its source states it; 0 by 0 pixels if nothing tells.
  package var size: ImageSize
  /// Whether there are labels only.
  package var hasNoImage: Bool

  /// Makes a frame; without an image where its size is 0 by 0.
  package init(
    index: Int, name: String, sequence: Int, timestampMicroseconds: Int64, size: ImageSize,
    hasNoImage: Bool = false
  ) {
    self.index = index
    self.name = name
    self.sequence = sequence
    self.timestampMicroseconds = timestampMicroseconds
    self.size = size
    self.hasNoImage = hasNoImage || size.isNothing
  }
}
