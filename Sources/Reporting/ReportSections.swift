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

/// The catalogue of sections.
package enum ReportSections {
  /// Every section, in reading order.
  package static let all: [ReportSection] = [
    .summary, .gates, .detection, .scores, .latency, .worstPictures, .misses, .otherFigures,
    .provenance,
  ]
}
