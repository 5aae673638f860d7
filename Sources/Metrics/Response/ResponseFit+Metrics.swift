internal import FaceCore
internal import Records

extension ResponseFit: DefinedMetrics {
  /// Gain and own share of all coefficients and of each, then what only single ones have.
  package static let definitions = [gain, ownShare, offset, error, delay]

  private static let response = DefinitionGroup(prefix: "response.", source: "FaceGauge")
  private static let gain = response(
    "gain", "Gain of coefficients", .closest, in: .any, target: 1,
    "least squares slope of a predicted coefficient over its own label, all other labels and labelled angles of the "
      + "head held, within each person or clip; mean over coefficients, or in slices coefficient=NAME of one"
  )
  private static let ownShare = response(
    "own_share", "Own share of coefficients", .higher, in: .unit,
    "squared slope of the own prediction over those of all predictions, when a label moves; mean over coefficients, "
      + "or in slices coefficient=NAME of one; in [0, 1]")
  private static let offset = response(
    "offset", "Coefficient at rest", .closest, in: .any, target: 0,
    "prediction where all labels and angles are 0; in slices coefficient=NAME")
  private static let error = response(
    "rms_error", "RMS error of a coefficient",
    "√ of the mean of (p − g)² over found faces; in slices coefficient=NAME")
  private static let delay = response(
    "delay", "Delay of a coefficient", .closest, in: .any, target: 0, unit: "ms",
    "lag of the largest correlation of prediction and label, mean over clips; in slices coefficient=NAME"
  )

  /// The metrics from the places of their numbers: those of the first channel start at `start`.
  static func metrics(
    _ channels: [Channel], mean: ResampledEstimate, share: ResampledEstimate, faces: Int,
    start: Int
  ) -> [ResampledMetrics.Entry] {
    let width = Quantity.allCases.count
    let end = start + channels.count * width
    var entries = [
      ResampledMetrics.Entry(definition: gain, estimate: mean, n: faces, place: end),
      ResampledMetrics.Entry(definition: ownShare, estimate: share, n: faces, place: end + 1),
    ]
    let quantities: [(MetricDefinition, Quantity)] = [
      (gain, .gain), (ownShare, .ownShare), (offset, .offset), (error, .rmsError),
      (delay, .delayMilliseconds),
    ]
    for (index, channel) in channels.enumerated() {
      for (definition, quantity) in quantities
      where quantity != .delayMilliseconds || channel.clips > 0 {
        entries.append(
          ResampledMetrics.Entry(
            definition: definition, slice: "coefficient=\(channel.coefficient.rawValue)",
            estimate: channel[quantity], n: faces,
            place: start + index * width + quantity.rawValue))
      }
    }
    return entries
  }
}
