package import Datasets
internal import FaceCore
package import Foundation
internal import Platform
internal import Records
package import Running

/// Every face of a run as CSV: labels, what was found of them, errors, and the reasons of misses.
package struct FaceTable {
  private let dataset: DatasetReader
  private let opened: StoredRun.Opened
  private let slices: Set<String>?

  /// Opens a finished run with its dataset, the one that its record names unless another is given.
  ///
  /// Throws where it is another than the run's.
  package init(
    ofRun run: URL, dataset: URL?, monitor: RunMonitor = .silent
  ) throws(EvaluationError) {
    do {
      let stored = try StoredRun(run)
      let dataset = try DatasetReader(try stored.dataset(dataset))
      try stored.check(dataset, to: "export faces", monitor)
      self.dataset = dataset
      opened = try stored.opened(for: dataset)
      slices = Set(stored.record.measurements.compactMap(\.slice))
    } catch {
      throw EvaluationError(error)
    }
  }

  /// Opens predictions of a dataset, which count as `evaluate` counts them with its default settings.
  package init(of predictions: PredictionsReader, _ dataset: DatasetReader) throws {
    self.dataset = dataset
    slices = nil
    let plan = EvaluationPlan(dataset: dataset.url, run: predictions.url)
    opened = StoredRun.Opened(
      tracker: try PredictionOrigin(plan, predictions: predictions), predictions: predictions)
  }

  /// How many frames are read.
  package var frameCount: Int { dataset.frameCount }

  /// Writes the table, which gets its name when it is complete, and returns the number of rows.
  package func write(
    to url: URL, replacing: Bool, advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(EvaluationError) -> Int {
    try EvaluationError.wrapping {
      for input in dataset.files + [dataset.url, opened.predictions.url] {
        try url.requireOther(than: input)
      }
      let file = try AtomicFile(url, replacing: replacing)
      let descriptor = try Descriptor(try file.begin(), [.writing, .appending])
      let handle = FileHandle(fileDescriptor: descriptor.number, closeOnDealloc: true)
      let rows = FaceRows(opened.tracker, of: dataset, slices: slices)
      try handle.write(contentsOf: Data(FaceColumn.header.utf8))
      var count = 0
      for range in try PredictionPass.ranges(
        of: 0..<dataset.frameCount, dataset, [opened.predictions])
      {
        guard !isInterrupted() else {
          throw FileError(
            .interrupted,
            "interrupted after \(range.lowerBound) frames; nothing was written")
        }
        let (frames, labels) = (try dataset.frames(range), try dataset.faces(range))
        let contexts = try dataset.contexts(range)
        var text = ""
        for (offset, given) in try opened.predictions.predictions(range).enumerated() {
          let lines = try rows.rows(
            frames[offset], sequence: dataset.sequence(frames[offset].sequence),
            context: contexts[offset], labels: labels[offset], prediction: given)
          count += lines.count
          text += lines.map(\.line).joined()
        }
        try handle.write(contentsOf: Data(text.utf8))
        advance(range.count)
      }
      try handle.close()
      try file.commit()
      return count
    }
  }
}
