internal import Datasets
package import FaceCore
package import Foundation
internal import Running

/// Two runs on the same frames, frame by frame, for reports that show both.
package struct FramePairReading {
  private let runs: [StoredRun]
  private let dataset: DatasetReader

  /// Opens two finished runs with their dataset, the candidate's unless another is given.
  ///
  /// Throws where the dataset is not found.
  package init(base: URL, candidate: URL, dataset: URL? = nil) throws {
    runs = [try StoredRun(base), try StoredRun(candidate)]
    self.dataset = try DatasetReader(try runs[1].dataset(dataset))
  }

  /// Names of the runs' folders, the base first.
  package var names: [String] { runs.map(\.name) }

  /// How many frames the runs have.
  package var frameCount: Int { dataset.frameCount }

  /// Gives out each frame as it is in the base run and in the candidate, in their order, until one is refused.
  package func read(_ take: (_ base: FrameEntry, _ candidate: FrameEntry) -> Bool) throws {
    var opened = try runs.map { try $0.opened(for: dataset) }
    _ = BoxComparison.align(&opened)
    _ = PointComparison.align(&opened, names: names, isLabelled: dataset.isLabelled)
    var readers = zip(runs, opened).map { EntryReader($0, $1, dataset) }
    for range in try PredictionPass.ranges(
      of: 0..<dataset.frameCount, dataset, opened.map(\.predictions))
    {
      let base = try readers[0].entries(in: range)
      guard zip(base, try readers[1].entries(in: range)).allSatisfy(take) else { return }
    }
  }

  /// Small JPEGs of frames in a given order, until they take a number of bytes; frames without an image are left out.
  package func thumbnails(of order: [Int], bytes limit: Int) throws -> [FrameThumbnail] {
    try dataset.thumbnails(of: order, bytes: limit)
  }
}
