/// A picture's width and height in pixels.
public struct PictureSize: Sendable, Hashable, Codable {
  /// Width in pixels.
  public var width: Int
  /// Height in pixels.
  public var height: Int

  /// Makes a size from pixels.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// Where a frame stands in its dataset: everything but its pixels and labels.
public struct Frame: Sendable, Hashable {
  /// Position in the dataset, from 0.
  public var index: Int
  /// The name that reports use, such as the picture's file name.
  public var name: String
  /// Index of the sequence that the frame belongs to.
  public var sequence: Int
  /// Time within the sequence in microseconds; 0 for still pictures.
  public var timestampMicroseconds: Int64
  /// The picture's size as it is decoded.
  public var size: PictureSize

  /// Whether there are labels only: a size of 0 by 0 pixels.
  public var hasNoPicture: Bool { size.width == 0 && size.height == 0 }

  /// Makes a frame.
  public init(
    index: Int, name: String, sequence: Int, timestampMicroseconds: Int64, size: PictureSize
  ) {
    self.index = index
    self.name = name
    self.sequence = sequence
    self.timestampMicroseconds = timestampMicroseconds
    self.size = size
  }
}
