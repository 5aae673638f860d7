internal import Datasets
internal import Foundation
package import Platform

extension DatasetReader {
  /// Throws where a frame has no image.
  package func requireImages() throws(FileError) {
    guard withoutImageCount == 0 else {
      throw FileError(
        .wrongData,
        "cannot evaluate \(url.relativePath): expected an image in each of \(frameCount) frames, "
          + "found none in \(withoutImageCount) ('facegauge import … --video CLIP' takes them from a "
          + "clip, and 'facegauge evaluate --predictions' needs none)")
    }
  }
}
