package import Records

/// A part of a report: turns a record into blocks, or into none where it has nothing to show.
package struct ReportSection: Sendable {
  /// Name for links, unique among sections.
  package let id: String
  /// Heading for people.
  package let title: String
  /// Whether it shows the measurement or series of that name.
  package let claims: @Sendable (String) -> Bool
  /// The content; empty where the record has no data for it.
  package let blocks: @Sendable (Record) -> [Block]
}

extension ReportSection {
  /// Why nothing that the section shows was measured; nil where something was.
  func reasonAlone(in record: Record) -> String? {
    let metrics = record.measurements.filter { claims($0.name) }
    guard !metrics.isEmpty, metrics.allSatisfy({ $0.value == nil }),
      !record.series.contains(where: { claims($0.name) })
    else { return nil }
    return "Not measured: \(metrics.compactMap(\.reason).uniqued.joined(separator: "; "))."
  }
}

extension Record {
  /// The metrics over all frames that a section shows.
  func measurements(of section: ReportSection) -> [Measurement] {
    measurements.filter { $0.slice == nil && section.claims($0.name) }
  }

  /// The series that a section shows.
  func series(of section: ReportSection) -> [Series] {
    series.filter { section.claims($0.name) }
  }
}

/// The catalogue of sections.
package enum ReportSections {
  /// Every section, in reading order.
  package static let all: [ReportSection] = [
    .summary, .gates, .headlines, .clips, .sweepAdvice, .sweepCurves, .sweepFronts, .sweepEffects,
    .sweepCost, .stages, .detection, .scores, .calibration, .landmarks, .blendshapes, .pose,
    .tracking, .degradations, .slices, .latency, .timing, .paired, .worstImages, .misses,
    .otherMetrics, .provenance,
  ]
}
