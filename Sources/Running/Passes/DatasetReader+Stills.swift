package import Datasets
package import FacePipeline
internal import Platform

extension DatasetReader {
  /// That a mode which tracks has stills to run on, each of which begins anew; nil where it has none.
  package func noteOnStills(in mode: RunningMode) -> String? {
    guard mode != .image else { return nil }
    let stills =
      sequences.isEmpty
      ? frameCount : sequences.reduce(0) { $0 + ($1.kind == .still ? $1.count : 0) }
    guard stills > 0 else { return nil }
    let which =
      stills == frameCount
      ? "All frames are stills"
      : "\(stills.groupedText) of \(frameCount.groupedText) frames are stills"
    return
      "\(which): --mode \(mode.rawValue) tracks nothing from one to the next, and runs the detector on "
      + "each ('facegauge import' makes clips of labelled frames with --video or --sequence)."
  }
}
