internal import Dispatch
internal import FaceCore
internal import Imaging
internal import Synchronization

/// Looks at the bytes of pictures, several side by side.
struct PictureLook {
  /// Whether pixels are decoded; else headers and ends are looked at.
  let decodes: Bool
  /// By which pictures that may be the same find each other.
  let hash: PictureHash

  /// What is known of the bytes of each picture.
  func look(at pictures: [PictureReadAhead.Picture]) -> [CheckedFrame.Picture] {
    let step = decodes ? 1 : 32
    let starts = Array(stride(from: 0, to: pictures.count, by: step))
    let found = Mutex([[CheckedFrame.Picture]](repeating: [], count: starts.count))
    DispatchQueue.concurrentPerform(iterations: starts.count) { index in
      let part = pictures[starts[index]..<min(starts[index] + step, pictures.count)]
      let looks = part.map { look(at: $0.stored) }
      found.withLock { $0[index] = looks }
    }
    return found.withLock { $0.flatMap { $0 } }
  }

  private func look(at stored: Result<StoredPicture, DatasetError>) -> CheckedFrame.Picture {
    do {
      let picture = try stored.get()
      let size =
        switch picture {
        case .encoded(let bytes):
          decodes
            ? try PixelBuffer(decoding: bytes.span).size
            : try PictureHeader(ofWhole: bytes.span).size
        case .pixels(let pixels): pixels.size
        }
      return .sound(size, picture.bytes, hash: hash.of(picture.bytes.span.bytes))
    } catch let error as PictureError {
      return .broken(error.description)
    } catch {
      return .broken("\(error)")
    }
  }
}
