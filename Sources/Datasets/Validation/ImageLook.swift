internal import FaceCore
internal import Imaging
internal import Platform

/// Examines the bytes of images, several in parallel.
struct ImageLook {
  /// Whether pixels are decoded; otherwise only headers and ends are checked.
  let decodes: Bool
  /// Hash to find candidates for equal images.
  let hash: ImageHash

  /// State of the bytes of each image.
  func look(at images: [ImagePrefetcher.Image]) -> [CheckedFrame.Image] {
    let step = decodes ? 1 : 32
    let starts = Array(stride(from: 0, to: images.count, by: step))
    let found = starts.concurrentMap { start in
      images[start..<min(start + step, images.count)].map { look(at: $0.stored) }
    }
    return found.flatMap { $0 }
  }

  /// The size in the header of an image that can be decoded whole.
  private func wholeSize(of bytes: ArraySlice<UInt8>) throws(ImageError) -> ImageSize {
    let header = try ImageHeader(ofWhole: bytes[...])
    try header.requireMemory(ofBytes: bytes.count)
    return header.size
  }

  private func look(at stored: Result<StoredImage, FileError>) -> CheckedFrame.Image {
    do {
      let image = try stored.get()
      let size =
        switch image {
        case .encoded(let bytes):
          decodes
            ? try PixelBuffer(decoding: bytes[...]).size
            : try wholeSize(of: bytes)
        case .pixels(let pixels): pixels.size
        }
      return .sound(size, image.bytes, hash: hash.of(image.bytes[...]))
    } catch let error as ImageError {
      return .broken(error.description)
    } catch {
      return .broken("\(error)")
    }
  }
}
