internal import FaceCore
internal import Foundation
package import Platform

/// Copies those frames of a dataset that satisfy conditions.
///
/// A frame is kept if all conditions on frames hold and, if there are conditions on faces, at least one face
/// satisfies all of them. An ignored region that holds a whole frame is no face: it satisfies those on ignore and crowd
/// alone, and stays in its frame.
package struct DatasetSubset: Sendable {
  /// Handling of the other faces of a kept frame.
  package enum Others: String, Sendable, CaseIterable {
    /// They stay.
    case keep
    /// They stay as ignored faces: neither finding nor missing them counts.
    case ignore
    /// They are removed; a tracker that finds them is then wrong.
    case drop
  }

  /// Conditions, all of which must hold.
  package var conditions: [FaceCondition] = []
  /// Candidate frames; nil means all.
  package var frames: (@Sendable (Int) -> Bool)?
  /// From one candidate frame to the next, which divides the rates of videos.
  package var step = 1
  /// The split of candidate frames; nil means all frames.
  package var split: String?
  /// Names of the landmark schemes to keep; nil means all.
  package var schemes: [String]?
  /// Handling of faces that do not satisfy the conditions.
  package var others = Others.keep

  /// Names of the dataset's schemes.
  package static let schemeNames = LandmarkScheme.all.map(\.name)

  /// A subset of everything.
  package init() {}

  /// Counts of copied and omitted data.
  package struct Summary: Sendable {
    /// Frames left out.
    package var framesLeftOut = 0
    /// Faces of kept frames that do not satisfy the conditions.
    package var otherFaces = 0
    /// Other changes and losses.
    package var remarks: [ImportRemark] = []
  }

  /// Copies kept frames and their splits into a writer.
  ///
  /// Throws `.wrongData` for a field that the dataset does not have, an unknown split or scheme, and if
  /// nothing is left.
  package func run(
    over reader: DatasetReader, into writer: DatasetWriter, advance: (Int) -> Void,
    isInterrupted: () -> Bool
  ) throws(FileError) -> Summary {
    try DatasetCopy.checkSplitNames(of: reader)
    let fields = try fields(in: reader)
    var inSplit: [Bool]?
    if let split {
      var members = [Bool](repeating: false, count: reader.frameCount)
      for frame in try reader.split(split) { members[frame] = true }
      inSplit = members
    }
    for scheme in schemes ?? [] where !reader.schemes.contains(where: { $0.name == scheme }) {
      let known = reader.schemes.map(\.name).joined(separator: ", ")
      throw FileError.wrongData(
        "cannot take landmarks '\(scheme)' of \(reader.url.relativePath): expected some of "
          + (known.isEmpty ? "none" : known))
    }
    let wanted = frames
    var summary = Summary()
    var ranges = [ClosedRange<Double>?](repeating: nil, count: fields.count)
    var copy = DatasetCopy(of: reader)
    copy.step = step
    copy.isWanted = { (inSplit?[$0] ?? true) && (wanted?($0) ?? true) }
    copy.faces = { frame, sequence, labels, _ in
      extend(&ranges, by: labels.filter { !$0.leavesOut(frame.size) }, fields)
      guard var kept = select(labels, fields, frame, sequence, &summary.otherFaces) else {
        return nil
      }
      guard let schemes else { return kept }
      for index in kept.indices {
        kept[index].landmarks.removeAll { !schemes.contains($0.scheme.name) }
      }
      return kept
    }
    let outcome = try copy.run(into: writer, advance: advance, isInterrupted: isInterrupted)
    let cautions = zip(fields, ranges).compactMap { $0.condition.caution($1) }
    guard writer.frameCount > 0 else {
      throw FileError.wrongData(
        "cannot take a subset of \(reader.url.relativePath): expected frames that satisfy all "
          + "conditions, found none of \(reader.frameCount)"
          + (cautions.isEmpty ? "" : ": " + cautions.joined(separator: "; ")))
    }
    try copy.addSplits(outcome, to: writer)
    summary.framesLeftOut = reader.frameCount - writer.frameCount
    summary.remarks =
      outcome.remarks
      + cautions.map { .assumed("a condition's limit is outside of all values: \($0)") }
    return summary
  }

  /// What a region that holds a frame whose faces are not labelled tells; it is no face.
  private static let fieldsOfRegions: Set = ["ignore", "crowd"]

  private typealias Fields = [(condition: FaceCondition, field: ConditionField)]

  /// Takes in the numbers of the faces that conditions are on.
  private func extend(
    _ ranges: inout [ClosedRange<Double>?], by faces: [FaceLabel], _ fields: Fields
  ) {
    for (index, (condition, field)) in fields.enumerated() where condition.isOrder {
      guard case .face(let value) = field else { continue }
      for face in faces {
        guard case .number(let number) = value(face), !number.isNaN else { continue }
        let known = ranges[index] ?? number...number
        ranges[index] = min(known.lowerBound, number)...max(known.upperBound, number)
      }
    }
  }

  private func select(
    _ faces: [FaceLabel], _ fields: Fields, _ frame: Frame, _ sequence: SequenceDescription?,
    _ otherCount: inout Int
  ) -> [FaceLabel]? {
    let isRegion = faces.map { $0.leavesOut(frame.size) }
    var matching = [Bool](repeating: true, count: faces.count)
    var isAboutFaces = false
    for (condition, field) in fields {
      switch field {
      case .frame(let value):
        guard condition.isSatisfied(by: value(frame, sequence, faces)) else { return nil }
      case .face(let value):
        isAboutFaces = true
        let isOfRegions = Self.fieldsOfRegions.contains(condition.field)
        for index in faces.indices where matching[index] {
          matching[index] =
            (isOfRegions || !isRegion[index]) && condition.isSatisfied(by: value(faces[index]))
        }
      }
    }
    guard isAboutFaces else { return faces }
    guard matching.contains(true) else { return nil }
    let isChosen = zip(matching, isRegion).map { $0 || $1 }
    otherCount += isChosen.count { !$0 }
    switch others {
    case .keep: return faces
    case .drop: return zip(faces, isChosen).filter(\.1).map(\.0)
    case .ignore:
      return zip(faces, isChosen).map { face, fits in
        var face = face
        face.isIgnored = face.isIgnored || !fits
        return face
      }
    }
  }

  private func fields(in reader: DatasetReader) throws(FileError) -> Fields {
    var fields: Fields = []
    for condition in conditions {
      guard let field = ConditionField.named(condition.field, in: reader) else {
        let known = ConditionField.fixed.keys.sorted() + reader.attributeNames
        throw FileError.wrongData(
          "cannot choose by '\(condition.text)' in \(reader.url.relativePath): expected a "
            + "blendshape or one of \(known.joined(separator: ", ")), found '\(condition.field)'"
            + Suggestion.perhaps(condition.field, among: known))
      }
      let isText = ConditionField.textNames.contains(condition.field)
      func isNumber(_ value: String) -> Bool {
        (condition.isOfAngle || !value.hasSuffix(FaceCondition.degrees))
          && FaceCondition.number(value)?.isFinite ?? false
      }
      guard isText ? !condition.isOrder : condition.values.allSatisfy(isNumber) else {
        throw FileError.wrongData(
          "cannot choose by '\(condition.text)': expected "
            + (isText ? "= or != for text" : "numbers to compare '\(condition.field)' with"))
      }
      fields.append((condition, field))
    }
    return fields
  }
}
