package import FaceCore
internal import Foundation
package import Imaging
package import Platform

/// Copies a dataset and adds computed attributes to its labelled faces.
///
/// Attributes of the same names are replaced, and removed where they are undefined now. Faces that do not count, such
/// as ignored ones, get none.
package struct DatasetAnnotation: Sendable {
  /// What a landmark model sees where a face is labelled.
  package struct Sight: Sendable {
    /// Its points in pixels.
    package var points: Landmarks
    /// Predicted yaw in degrees; nil where the points have no pose.
    package var yaw: Double?

    /// Joins points and yaw.
    package init(points: Landmarks, yaw: Double?) {
      self.points = points
      self.yaw = yaw
    }
  }

  /// The attributes to compute.
  package var attributes: [ComputedAttribute]
  /// Looks where a face is labelled; called from several threads. Nil without a landmark model.
  package var look: (@Sendable (FaceLabel, PixelBuffer) throws(FileError) -> Sight?)?

  /// Plans attributes without a landmark model.
  package init(_ attributes: [ComputedAttribute]) {
    self.attributes = attributes
  }

  /// Counts of what was computed.
  package struct Summary: Sendable, Equatable {
    /// Faces that count.
    package var faces = 0
    /// Faces of each slice of each attribute, in the order of the plan.
    package var slices: [[Int]]
    /// Changes and losses of the copy.
    package var remarks: [ImportRemark] = []

    init(_ attributes: [ComputedAttribute]) {
      slices = attributes.map { Array(repeating: 0, count: $0.sliceNames.count) }
    }
  }

  /// Adds the dataset to a writer; throws `.interrupted` if the caller asks to stop.
  package func run(
    over dataset: DatasetReader, into writer: DatasetWriter, advance: (Int) -> Void,
    isInterrupted: () -> Bool
  ) throws(FileError) -> Summary {
    try DatasetCopy.checkSplitNames(of: dataset)
    var copy = DatasetCopy(of: dataset)
    var summary = Summary(attributes)
    copy.revise = { (range, labels, isInterrupted) throws(FileError) in
      var revised: [[FaceLabel]] = []
      for first in stride(from: 0, to: labels.count, by: Self.wave) {
        guard !isInterrupted() else { break }
        let wave = first..<min(first + Self.wave, labels.count)
        revised += try wave.concurrentMap { (offset) throws(FileError) in
          try annotated(labels[offset], frame: range.lowerBound + offset, of: dataset)
        }
      }
      for face in revised.joined() where face.counts { count(face, in: &summary) }
      return revised + labels[revised.count...]
    }
    let outcome = try copy.run(into: writer, advance: advance, isInterrupted: isInterrupted)
    try copy.addSplits(outcome, to: writer)
    summary.remarks = outcome.remarks
    return summary
  }

  private static let wave = 16

  private func count(_ face: FaceLabel, in summary: inout Summary) {
    summary.faces += 1
    for (index, attribute) in attributes.enumerated() {
      guard let value = face.attributes[attribute.attribute] else { continue }
      summary.slices[index][attribute.slice(of: value)] += 1
    }
  }

  private func annotated(
    _ labels: [FaceLabel], frame: Int, of dataset: DatasetReader
  ) throws(FileError) -> [FaceLabel] {
    var labels = labels
    for index in labels.indices {
      for attribute in attributes { labels[index].attributes[attribute.attribute] = nil }
    }
    guard labels.contains(where: \.counts) else { return labels }
    let image = try dataset.image(frame)
    if case .encoded(let bytes) = image, bytes.isEmpty { return labels }
    let pixels: PixelBuffer
    do throws(ImageError) {
      pixels = try image.decoded()
    } catch {
      throw FileError.wrongData(
        "cannot annotate frame \(frame) of \(dataset.url.relativePath): \(error.description)")
    }
    for index in labels.indices where labels[index].counts {
      labels[index].attributes.merge(try values(of: labels[index], in: pixels)) { $1 }
    }
    return labels
  }

  /// The defined attributes of a face.
  private func values(
    of label: FaceLabel, in pixels: PixelBuffer
  ) throws(FileError) -> [String: Double] {
    var values: [String: Double] = [:]
    let sight = try look?(label, pixels)
    let patch = FacePatch(
      of: label, in: pixels, points: FacePatch.points(of: label) ?? sight?.points)
    for attribute in attributes {
      if attribute == .yaw {
        values[attribute.attribute] = sight?.yaw
      } else if let patch {
        values[attribute.attribute] =
          FaceMeasures.all.first { $0.attribute == attribute }?.value(of: patch)
      }
    }
    return values
  }
}

extension FaceLabel {
  /// The label without computed attributes, which do not hold once the pixels change.
  var withoutComputedAttributes: FaceLabel {
    var label = self
    label.attributes = attributes.filter { ComputedAttribute.of(attribute: $0.key) == nil }
    return label
  }
}

extension DatasetReader {
  /// What a copy with other pixels leaves out; nil for nothing.
  var computedAttributesLeftOut: ImportRemark? {
    let names = attributeNames.filter { ComputedAttribute.of(attribute: $0) != nil }
    return names.isEmpty
      ? nil
      : .dropped(
        "attributes of the images as they were left out: \(names.joined(separator: ", ")) "
          + "('facegauge annotate' computes them anew)")
  }
}
