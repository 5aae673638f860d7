internal import Dispatch
internal import FaceCore
internal import Imaging
internal import Platform
internal import Synchronization

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
    let found = Mutex([[CheckedFrame.Image]](repeating: [], count: starts.count))
    DispatchQueue.concurrentPerform(iterations: starts.count) { index in
      let part = images[starts[index]..<min(starts[index] + step, images.count)]
      let looks = part.map { look(at: $0.stored) }
      found.withLock { $0[index] = looks }
    }
    return found.withLock { $0.flatMap { $0 } }
  }

  private func look(at stored: Result<StoredImage, FileError>) -> CheckedFrame.Image {
    do {
      let image = try stored.get()
      let size =
        switch image {
        case .encoded(let bytes):
          decodes
            ? try PixelBuffer(decoding: bytes.span).size
            : try ImageHeader(ofWhole: bytes.span).size
        case .pixels(let pixels): pixels.size
        }
      return .sound(size, image.bytes, hash: hash.of(image.bytes.span.bytes))
    } catch let error as ImageError {
      return .broken(error.description)
    } catch {
      return .broken("\(error)")
    }
  }
}
