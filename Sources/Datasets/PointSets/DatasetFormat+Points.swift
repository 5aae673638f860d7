internal import FaceCore
internal import Foundation
internal import Platform

extension DatasetFormat {
  /// Reads the sources; points of a scheme that the format states get the places that the user gives them instead.
  func readPlacingPoints(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    let reading = PointReading(options)
    guard reading.isStated, !decidesPoints, settings.contains(.scheme) else {
      return try read(sources, options: options, into: sink)
    }
    var decisions: [LandmarkScheme: PointReading.Decision] = [:]
    var counts: [LandmarkScheme: Int] = [:]
    var others: Set<Int> = []
    var remarks = try read(sources, options: options) { (frame) throws(FileError) in
      var frame = frame
      for index in frame.faces.indices {
        var placed: [Landmarks] = []
        for set in frame.faces[index].landmarks {
          if decisions[set.scheme] == nil {
            decisions[set.scheme] = try reading.decide(
              PointReading.Sets(
                file: frame.name, count: set.points.count,
                names: options.points == nil ? nil : PointNames.names(of: set.scheme), faces: []))
          }
          guard let decision = decisions[set.scheme] else {
            others.insert(set.points.count)
            placed.append(set)
            continue
          }
          counts[set.scheme, default: 0] += 1
          if let moved = decision.order.landmarks(set) { placed.append(moved) }
        }
        frame.faces[index].landmarks = placed
      }
      try sink(frame)
    }
    guard !counts.isEmpty || others.isEmpty else {
      throw PointReading.unused(
        options, found: others, in: sources.map(\.relativePath).joined(separator: ", "))
    }
    for (scheme, count) in counts.sorted(by: { $0.key.name < $1.key.name }) {
      guard let decision = decisions[scheme] else { continue }
      remarks.assume("\(count) sets of \(scheme.count) points \(decision.text)")
    }
    return remarks
  }
}

extension PointReading {
  /// The error where no set has as many points as the stated scheme.
  static func unused(
    _ options: ImportOptions, found: Set<Int>, in file: String
  ) -> FileError {
    let order = options.pointOrder
    return FileError.wrongData(
      "cannot import \(file): expected "
        + "\(order?.places.count ?? 0) points of \(order?.name ?? "a scheme") (--scheme), found "
        + found.sorted().map { "\($0)" }.joined(separator: ", "))
  }
}
