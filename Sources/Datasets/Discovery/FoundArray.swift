internal import HDF5

/// An array of a file, or many of similar paths, with some values.
struct FoundArray {
  let leaf: ContentsWalk.Leaf
  /// What the header of the first says; nil for attributes.
  let description: HDF5Description?
  let sample: ArraySample
  /// The element type in words.
  let type: String
  /// Extents, of MATLAB's files in its order; nil where those that were looked at differ.
  let shape: [Int?]
  /// Why it cannot be read; nil where it can.
  let problem: String?
  /// The words of its last name.
  let words: ArrayWords

  var pattern: PathPattern { leaf.pattern }
  var isNumbers: Bool { !sample.parts.isEmpty && problem == nil }
  var isTexts: Bool { !sample.texts.isEmpty && problem == nil }

  /// Reads the arrays of a leaf: one, or one for each field of a compound type.
  static func read(
    _ leaf: ContentsWalk.Leaf, in file: HDF5File, isMATLAB: Bool, budget: inout Int, depth: Int = 0
  ) -> [FoundArray] {
    guard leaf.attribute == nil else {
      let sample = ArraySample(leaf, in: file, isMATLAB: isMATLAB, budget: &budget)
      let type = sample.texts.isEmpty ? "number" : "string"
      let found = FoundArray(leaf, nil, sample, type: type, shape: sample.shape)
      // An attribute that is neither is of no use, and its type is nobody's fault.
      return sample.parts.isEmpty && sample.texts.isEmpty ? [] : [found]
    }
    var description: HDF5Description
    do {
      description = try file.describe(leaf.paths[0])
    } catch {
      description = HDF5Description()
      description.problem = error
    }
    var fields = description.fields
    if description.problem == nil, !leaf.fields.isEmpty {
      do {
        var dataset = try file.dataset(leaf.paths[0])
        for field in leaf.fields { dataset = try dataset.field(field) }
        description.type = dataset.elementType.description
        description.shape = dataset.shape
        fields = dataset.fields
      } catch {
        description.problem = error
      }
    }
    if !fields.isEmpty, depth < 4, description.problem == nil {
      return fields.prefix(512).flatMap { field in
        var inner = leaf
        inner.pattern = leaf.pattern.followed(by: ":" + field)
        inner.fields.append(field)
        return read(inner, in: file, isMATLAB: isMATLAB, budget: &budget, depth: depth + 1)
      }
    }
    let sample = ArraySample(leaf, in: file, isMATLAB: isMATLAB, budget: &budget)
    let shape =
      sample.shape.isEmpty && description.shape?.isEmpty != true
      ? isMATLAB ? (description.shape ?? []).reversed() : description.shape ?? [] : sample.shape
    return [
      FoundArray(leaf, description, sample, type: description.type ?? "unknown", shape: shape)
    ]
  }

  private init(
    _ leaf: ContentsWalk.Leaf, _ description: HDF5Description?, _ sample: ArraySample, type: String,
    shape: [Int?]
  ) {
    self.leaf = leaf
    self.description = description
    self.sample = sample
    self.type = type
    self.shape = shape
    problem = (description?.problem ?? sample.problem).map(Self.reason)
    words = ArrayWords(leaf.pattern.leafWords)
  }

  /// The part of an error that follows its operation, as the array is named next to it.
  private static func reason(_ error: HDF5Error) -> String {
    var text = error.reason ?? ""
    if let expected = error.expected { text += (text.isEmpty ? "" : ": ") + "expected \(expected)" }
    if let found = error.found { text += (text.isEmpty ? "" : ", ") + "found \(found)" }
    return text.isEmpty ? "\(error)" : text
  }
}

/// The words of an array's name, in lower case.
struct ArrayWords {
  private let whole: String
  private let words: Set<String>

  init(_ name: String) {
    whole = name
    words = Set(name.split { !$0.isLetter }.map(String.init))
  }

  /// Whether one of the texts occurs in the name; texts of up to three letters must be whole words.
  func contain(_ texts: String...) -> Bool {
    texts.contains { $0.count > 3 ? whole.contains($0) : words.contains($0) }
  }
}
