/// The value of an attribute, independent of its exact type in the file.
package enum HDF5AttributeContent: Sendable, Equatable {
  case texts([String])
  case integers([Int])
  case numbers([Double])

  var count: Int {
    switch self {
    case .texts(let values): values.count
    case .integers(let values): values.count
    case .numbers(let values): values.count
    }
  }

  var description: String {
    switch self {
    case .texts: count == 1 ? "a text" : "\(count) texts"
    case .integers: count == 1 ? "an integer" : "\(count) integers"
    case .numbers: count == 1 ? "a number" : "\(count) numbers"
    }
  }
}

/// A Swift value that attributes can store.
package protocol HDF5AttributeValue: Sendable {
  /// The expected value, for error messages.
  static var attributeDescription: String { get }
  /// Whether it is written as one value rather than as an array.
  static var isSingleAttribute: Bool { get }
  /// nil if the content is of another type or count.
  init?(attribute: HDF5AttributeContent)
  var attributeContent: HDF5AttributeContent { get }
}

extension Array: HDF5AttributeValue where Element: HDF5AttributeArrayElement {
  package static var attributeDescription: String { Element.attributeArrayDescription }
  package static var isSingleAttribute: Bool { false }
  package init?(attribute: HDF5AttributeContent) {
    guard let values = Element.values(of: attribute) else { return nil }
    self = values
  }
  package var attributeContent: HDF5AttributeContent { Element.content(self) }
}

/// A value that attributes can store alone, as an array of one, and in arrays.
package protocol HDF5AttributeArrayElement: HDF5AttributeValue {
  static var attributeArrayDescription: String { get }
  static func values(of content: HDF5AttributeContent) -> [Self]?
  static func content(_ values: [Self]) -> HDF5AttributeContent
}

extension HDF5AttributeArrayElement {
  package static var isSingleAttribute: Bool { true }
  package init?(attribute: HDF5AttributeContent) {
    guard let values = Self.values(of: attribute), values.count == 1 else { return nil }
    self = values[0]
  }
  package var attributeContent: HDF5AttributeContent { Self.content([self]) }
}

extension String: HDF5AttributeArrayElement {
  package static var attributeDescription: String { "a text" }
  package static var attributeArrayDescription: String { "texts" }
  package static func values(of content: HDF5AttributeContent) -> [String]? {
    guard case .texts(let values) = content else { return nil }
    return values
  }
  package static func content(_ values: [String]) -> HDF5AttributeContent { .texts(values) }
}

extension Int: HDF5AttributeArrayElement {
  package static var attributeDescription: String { "an integer" }
  package static var attributeArrayDescription: String { "integers" }
  package static func values(of content: HDF5AttributeContent) -> [Int]? {
    guard case .integers(let values) = content else { return nil }
    return values
  }
  package static func content(_ values: [Int]) -> HDF5AttributeContent { .integers(values) }
}

extension Double: HDF5AttributeArrayElement {
  package static var attributeDescription: String { "a number" }
  package static var attributeArrayDescription: String { "numbers" }
  package static func values(of content: HDF5AttributeContent) -> [Double]? {
    switch content {
    case .texts: return nil
    case .numbers(let values): return values
    case .integers(let values):
      let numbers = values.compactMap { Double(exactly: $0) }
      return numbers.count == values.count ? numbers : nil
    }
  }
  package static func content(_ values: [Double]) -> HDF5AttributeContent { .numbers(values) }
}
