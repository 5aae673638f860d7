@preconcurrency import CHDF5

/// What lies at a path of an HDF5 file.
package enum HDF5ObjectKind: String, Sendable {
  case group, dataset
  /// A named datatype.
  case other
}

extension HDF5File {
  /// Creates a group and the groups above it; one that exists stays as it is. Throws `.cannotWrite`.
  package func createGroup(_ path: String) throws(HDF5Error) {
    let operation = Operation("create", path, in: self.path)
    try requireWritable(operation)
    try withOpenFile(operation) { library throws(HDF5Error) in
      try requireGroups(ObjectPath.parts(path, operation), library, operation)
    }
  }

  /// Makes the groups named by `parts`, each inside the one before it, where they are missing.
  func requireGroups(
    _ parts: [String], _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) {
    let creation = try library.handle(H5Pcreate(H5P_CLS_GROUP_CREATE_ID_g), operation)
    try library.check(H5Pset_obj_track_times(creation.id, false), operation)
    let links = try Self.linkCreationList(parts, library, operation)
    for count in parts.indices.map({ $0 + 1 }) {
      let path = "/" + parts.prefix(count).joined(separator: "/")
      guard try hasLink(path, library, operation) else {
        _ = try library.handle(
          H5Gcreate2(id, path, links.id, creation.id, 0), operation, .cannotWrite)
        continue
      }
      var info = H5O_info_t()
      let basicFields: UInt32 = 1
      try library.check(H5Oget_info_by_name2(id, path, &info, basicFields, 0), operation)
      guard info.type == H5O_TYPE_GROUP else {
        throw operation.mismatch(
          expected: "'\(path.dropFirst())' to be a group", found: "a dataset")
      }
    }
  }

  /// Whether the group above a path in a file that is written, which must be there, has the path's last name.
  func hasLink(
    _ path: String, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> Bool {
    let exists = H5Lexists(id, path, 0)
    try library.check(exists, operation)
    return exists > 0
  }

  /// Marks names as UTF-8 only where they need it: one such name makes its group one of the newer format.
  static func linkCreationList(
    _ names: some Sequence<String>, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> Handle {
    let list = try library.handle(H5Pcreate(H5P_CLS_LINK_CREATE_ID_g), operation)
    if !names.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) {
      try library.check(H5Pset_char_encoding(list.id, H5T_CSET_UTF8), operation)
    }
    return list
  }

  /// Whether something is at a path; a soft link to nothing counts as nothing. Throws `.refused` for external links.
  package func exists(_ path: String) throws(HDF5Error) -> Bool {
    let operation = Operation("look up", path, in: self.path)
    return try reading(operation) { () throws(HDF5Error) in
      try ObjectPath(file: self, operation: operation).resolve(path) != nil
    }
  }

  /// What is at a path; throws `.wrongLayout` if nothing is.
  package func kind(of path: String) throws(HDF5Error) -> HDF5ObjectKind {
    let operation = Operation("look up", path, in: self.path)
    return try reading(operation) { () throws(HDF5Error) in
      try ObjectPath(file: self, operation: operation).require(path).header.kind
    }
  }

  /// The names in a group in ascending order of their UTF-8; throws `.wrongLayout` if it is no group.
  package func members(of path: String) throws(HDF5Error) -> [String] {
    let operation = Operation("list", path, in: self.path)
    return try reading(operation) { () throws(HDF5Error) in
      let paths = ObjectPath(file: self, operation: operation)
      let links = try paths.links(of: paths.require(path))
      guard !links.hasUnreadableName else {
        throw operation.failure(.corrupt, "the name of a member is not UTF-8")
      }
      return links.links.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
  }
}
