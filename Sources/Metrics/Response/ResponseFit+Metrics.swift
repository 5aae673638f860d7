internal import FaceCore
internal import Records

extension ResponseFit: DefinedMetrics {
  /// Gain and own share of all coefficients and of each, then what only single ones have.
  package static let definitions = [gain, ownShare, offset, error, delay]

  private static let gain = definition(
    "gain", "Gain of coefficients", "1", .closest, target: 1,
    "least squares slope of a predicted coefficient over its own label, all other labels and labelled angles of the "
      + "head held, within each person or clip; mean over coefficients"
  ).within(.any)
  private static let ownShare = definition(
    "own_share", "Own share of coefficients", "1", .higher,
    "squared slope of the own prediction over those of all predictions, when a label moves; mean over coefficients; "
      + "in [0, 1]"
  ).within(.unit)
  private static let offset = definition(
    "offset", "Coefficient at rest", "1", .closest, target: 0,
    "prediction where all labels and angles are 0; of one coefficient"
  ).within(.any)
  private static let error = definition(
    "rms_error", "RMS error of a coefficient", "1", .lower,
    "√ of the mean of (p − g)² over found faces; of one coefficient")
  private static let delay = definition(
    "delay", "Delay of a coefficient", "ms", .closest, target: 0,
    "lag of the largest correlation of prediction and label, mean over clips; of one coefficient"
  ).within(.any)

  private static func definition(
    _ name: String, _ title: String, _ unit: String, _ direction: Direction,
    target: Double? = nil, _ formula: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: "response.\(name)", title: title, stage: "response", unit: unit, direction: direction,
      target: target, formula: formula + "; slices coefficient=NAME have one", source: "FaceGauge")
  }

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
