internal import FaceCore
internal import Foundation
internal import Platform

/// A condition such as `yaw>=0.5` or `expression=happy,sad` on faces, frames or sequences.
///
/// The field is a name, the operator one of `=`, `!=`, `<`, `<=`, `>`, `>=`. Text is compared by patterns with `*`
/// and `?`; `=` accepts several values separated by commas. `==` is `=`, and quotes around a value are left out, as those of
/// programs. Unlabelled values satisfy no condition.
package struct FaceCondition: Sendable, Equatable {
  enum Comparison: String, Sendable, CaseIterable {
    case notEqual = "!="
    case atMost = "<="
    case atLeast = ">="
    case equal = "="
    case below = "<"
    case above = ">"
  }

  /// The text of the condition.
  package let text: String
  let field: String
  let comparison: Comparison
  /// The values after the operator, split at commas.
  let values: [String]

  /// Reads a condition; nil if it has no field, operator or value.
  package init?(_ text: String) {
    self.text = text
    guard let start = text.firstIndex(where: { "!<>=".contains($0) }) else { return nil }
    field = text[..<start].trimmingCharacters(in: .whitespaces)
    let rest = text[start...]
    guard let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
      return nil
    }
    self.comparison = comparison
    var value = rest.dropFirst(comparison.rawValue.count)
    if comparison == .equal, value.first == "=" { value = value.dropFirst() }
    values = value.split(separator: ",", omittingEmptySubsequences: false).map {
      Self.withoutQuotes($0.trimmingCharacters(in: .whitespaces))
    }
    guard !field.isEmpty, values.allSatisfy({ !$0.isEmpty }) else { return nil }
    guard !isOrder || values.count == 1 else { return nil }
  }

  private static func withoutQuotes(_ value: String) -> String {
    guard value.count >= 2, let quote = value.first, "\"'".contains(quote), value.last == quote
    else { return value }
    return String(value.dropFirst().dropLast())
  }

  /// The value of a field in a face of a frame.
  enum Value: Equatable {
    case number(Double)
    case text(String)
    /// Several words, one of which must match.
    case words([String])
    case missing
  }

  /// The number that a value is; one of degrees, such as `20deg`, becomes radians. Nil for other text.
  static func number(_ value: String) -> Double? {
    guard value.hasSuffix(degrees) else { return Double(value) }
    return Double(value.dropLast(degrees.count)).map { $0 * .pi / 180 }
  }

  /// What follows a number of degrees.
  static let degrees = "deg"

  /// Whether it compares with a limit.
  var isOrder: Bool { ![.equal, .notEqual].contains(comparison) }

  /// The attribute that it is on, if it is on one of that name.
  private var attribute: String {
    field.hasPrefix("attributes.") ? String(field.dropFirst("attributes.".count)) : field
  }

  /// Whether it is on an angle.
  var isOfAngle: Bool { FaceLabel.isAngle(attribute: attribute) }

  /// What values the field has, where the limit is far from all of them, as one in another unit; nil elsewhere.
  func caution(_ range: ClosedRange<Double>?) -> String? {
    guard isOrder, let range, let wanted = values.first.flatMap(Self.number),
      !range.contains(wanted)
    else { return nil }
    let most = max(range.lowerBound.magnitude, range.upperBound.magnitude)
    guard isOfAngle || wanted.magnitude > 10 * most else { return nil }
    return "\(field) is \(isOfAngle ? "in radians, " : "")\(range.lowerBound.shortText()) to "
      + range.upperBound.shortText()
      + (isOfAngle && !values[0].hasSuffix(Self.degrees) ? " (20deg is a limit in degrees)" : "")
  }

  /// Whether a value satisfies it; numbers are compared as numbers.
  func isSatisfied(by value: Value) -> Bool {
    switch value {
    case .missing: return false
    case .number(let number):
      let wanted = values.compactMap(Self.number)
      switch comparison {
      case .equal: return wanted.contains(number)
      case .notEqual: return !wanted.contains(number)
      case .below: return wanted.allSatisfy { number < $0 }
      case .atMost: return wanted.allSatisfy { number <= $0 }
      case .above: return wanted.allSatisfy { number > $0 }
      case .atLeast: return wanted.allSatisfy { number >= $0 }
      }
    case .text(let text): return isSatisfied(by: .words([text]))
    case .words(let words):
      let fits = words.contains { word in values.contains { Self.matches(word, pattern: $0) } }
      return comparison == .equal ? fits : !fits
    }
  }

  /// Whether a text is matched from end to end by a pattern with `*` for any letters and `?` for one.
  static func matches(_ text: String, pattern: String) -> Bool {
    let (text, pattern) = (Array(text), Array(pattern))
    var (at, position) = (0, 0)
    var retry: (at: Int, position: Int)?
    while at < text.count {
      if position < pattern.count, pattern[position] == "*" {
        retry = (at, position)
        position += 1
      } else if position < pattern.count, pattern[position] == "?" || pattern[position] == text[at]
      {
        at += 1
        position += 1
      } else if let last = retry {
        retry = (last.at + 1, last.position)
        at = last.at + 1
        position = last.position + 1
      } else {
        return false
      }
    }
    return pattern[position...].allSatisfy { $0 == "*" }
  }
}

/// The fields that a condition may name, and their values.
enum ConditionField: Sendable {
  /// A field of a face.
  case face(@Sendable (FaceLabel) -> FaceCondition.Value)
  /// A field of a frame, its sequence and its faces.
  case frame(@Sendable (Frame, SequenceDescription?, [FaceLabel]) -> FaceCondition.Value)

  /// Names of the fields that hold text.
  static let textNames = Set(
    ["landmarks", "name", "sequence", "subject", "kind"]
      + FaceLabel.columns.filter(\.isText).map(\.title))

  /// Fields that every dataset has, by name.
  static let fixed: [String: ConditionField] = [
    "landmarks": .face { .words($0.landmarks.map(\.scheme.name)) },
    "identity": .face { $0.identity.map { .number(Double($0)) } ?? .missing },
    "category": .face { .number(Double($0.category)) },
    "ignore": .face { .number($0.isIgnored ? 1 : 0) },
    "crowd": .face { .number($0.isCrowd ? 1 : 0) },
    "pose": .face { .number($0.pose == nil ? 0 : 1) },
    "blendshapes": .face { .number($0.blendshapes == nil ? 0 : 1) },
    "box.width": .face { .number($0.box.width) },
    "box.height": .face { .number($0.box.height) },
    "box.area": .face { .number($0.box.area) },
    "name": .frame { frame, _, _ in .text(frame.name) },
    "frame": .frame { frame, _, _ in .number(Double(frame.index)) },
    "seconds": .frame { frame, _, _ in .number(Double(frame.timestampMicroseconds) / 1e6) },
    "width": .frame { frame, _, _ in .number(Double(frame.size.width)) },
    "height": .frame { frame, _, _ in .number(Double(frame.size.height)) },
    // Those that a tracker is to find: neither ignored ones, nor crowds, nor objects of other categories.
    "faces": .frame { _, _, faces in .number(Double(faces.count(where: \.isToBeFound))) },
    "sequence": .frame { _, sequence, _ in sequence.map { .text($0.name) } ?? .missing },
    "subject": .frame { _, sequence, _ in
      sequence.flatMap { $0.subject.isEmpty ? nil : .text($0.subject) } ?? .missing
    },
    "kind": .frame { _, sequence, _ in .text((sequence?.kind ?? .still).rawValue) },
    "fps": .frame { _, sequence, _ in .number(sequence?.framesPerSecond ?? 0) },
  ].merging(
    FaceLabel.columns.map { column in (column.title, .face { column.value(of: $0) }) }
  ) { $1 }

  /// The field of a name: a fixed one, a blendshape's, an attribute's, or `attributes.NAME`; nil for none.
  static func named(_ name: String, in dataset: DatasetReader) -> ConditionField? {
    if let field = fixed[name] { return field }
    if let shape = Blendshape(rawValue: name) {
      return .face { face in
        guard let value = face.blendshapes?[shape.index], !value.isNaN else { return .missing }
        return .number(Double(value))
      }
    }
    let prefix = "attributes."
    let attribute = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    guard dataset.attributeNames.contains(attribute) else { return nil }
    return .face { face in face.attributes[attribute].map { .number($0) } ?? .missing }
  }
}

extension FaceLabel {
  /// Whether a tracker that does not find it misses a face.
  fileprivate var isToBeFound: Bool {
    category == FaceCategories.face && !isIgnored && !isCrowd
  }
}
