package import Calibration
package import Datasets
package import Running

extension RunMonitor {
  /// The sketch of a dataset's frames.
  package func sketch(of dataset: DatasetReader) throws -> FrameSketch {
    var sketch = FrameSketch()
    begin(.findingKnownFrames, dataset.frameCount)
    do {
      try dataset.forEachDigest(isInterrupted: isInterrupted) {
        sketch.add($0)
        advance(by: 1)
      }
    } catch {
      try check("while looking for known frames")
      throw error
    }
    return sketch.settled
  }
}
