internal import HDF5

/// What a file may lack.
extension HDF5File {
  /// A table whose numbers fit a type; nil where the file has none.
  func optional<Element: HDF5Element>(
    _ path: String, holding type: Element.Type, shape: [Int?]
  ) throws(HDF5Error) -> HDF5Dataset? {
    try exists(path) ? dataset(path, holding: type, shape: shape) : nil
  }

  /// A table of texts; nil where the file has none.
  func optionalStrings(_ path: String, shape: [Int?]) throws(HDF5Error) -> HDF5Dataset? {
    try exists(path) ? stringDataset(path, shape: shape) : nil
  }

  /// The members of a group; none where the file has no such group.
  func optionalMembers(of path: String) throws(HDF5Error) -> [String] {
    try exists(path) ? members(of: path) : []
  }

  /// An attribute of the root; nil where it has none.
  func optionalAttribute<Value: HDF5AttributeValue>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(HDF5Error) -> Value? {
    try hasAttribute(name, of: "/") ? attribute(name, of: "/") : nil
  }
}
