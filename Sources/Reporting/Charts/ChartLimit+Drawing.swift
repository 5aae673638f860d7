internal import Platform
import Records

extension [ChartLimit] {
  /// The values on an axis.
  func on(_ axis: ChartLimit.Axis) -> [Double] {
    filter { $0.axis == axis && $0.value.isFinite }.map(\.value)
  }
}

extension ChartLimit {
  /// The class of its line: the colour says the verdict.
  var style: String { "limit" + (verdict.map { " \($0.rawValue)" } ?? "") }

  /// The limit of a gate, labelled with what passes.
  init?(_ result: GateResult, unit: String, axis: Axis) {
    guard let limit = result.gate.limit, limit.isFinite else { return nil }
    self.init(
      label: "gate: \(result.gate.direction.words) \(Measurement.text(of: limit, unit: unit))",
      axis: axis, value: limit, verdict: result.verdict)
  }
}

extension ChartCanvas {
  /// Draws a limit across the plot with its label at the end of the line.
  mutating func draw(_ limit: ChartLimit) {
    guard limit.value.isFinite else { return }
    switch limit.axis {
    case .vertical:
      let height = y(limit.value)
      line(from: (left, height), to: (right, height), class: limit.style)
      label(
        limit.label, at: (right, height + (height - top < 16 ? 14 : -5)), gap: 4, isLeft: true)
    case .horizontal:
      let position = x(limit.value)
      line(from: (position, top), to: (position, bottom), class: limit.style)
      label(
        limit.label, at: (position, bottom - 8), gap: 4, isLeft: position > (left + right) / 2)
    }
  }
}
