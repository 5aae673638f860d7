@preconcurrency import CHDF5

/// The kind of object at a path of an HDF5 file.
package enum HDF5ObjectKind: String, Sendable {
  case group, dataset
  /// A named datatype.
  case other
}

extension HDF5File {
  /// Creates a group and the groups above it; existing ones are kept. Throws `.cannotWrite`.
  package func createGroup(_ path: String) throws(HDF5Error) {
    let operation = Operation("create", path, in: self.path)
    try requireWritable(operation)
    try withOpenFile(operation) { library throws(HDF5Error) in
      try requireGroups(ObjectPath.parts(path, operation), library, operation)
    }
  }

  /// Creates missing groups named by `parts`, each inside the one before it.
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
      let object = try library.handle(H5Oopen(id, path, 0), operation)
      guard H5Iget_type(object.id) == H5I_GROUP else {
        throw operation.mismatch(
          expected: "'\(path.dropFirst())' to be a group", found: "a dataset")
      }
    }
  }

  /// Whether the existing group above a path in a writable file has a member with the path's last name.
  func hasLink(
    _ path: String, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> Bool {
    let exists = H5Lexists(id, path, 0)
    try library.check(exists, operation)
    return exists > 0
  }

  /// Marks names as UTF-8 only if needed: one such name gives its group the newer format.
  static func linkCreationList(
    _ names: some Sequence<String>, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> Handle {
    let list = try library.handle(H5Pcreate(H5P_CLS_LINK_CREATE_ID_g), operation)
    if !names.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) {
      try library.check(H5Pset_char_encoding(list.id, H5T_CSET_UTF8), operation)
    }
    return list
  }

  /// Whether an object exists at a path; a dangling soft link counts as none. Throws `.refused` for external links.
  package func exists(_ path: String) throws(HDF5Error) -> Bool {
    let operation = Operation("look up", path, in: self.path)
    return try reading(operation) { () throws(HDF5Error) in
      try ObjectPath(file: self, operation: operation).resolve(path) != nil
    }
  }

  /// The kind of object at a path; throws `.wrongLayout` if there is none.
  package func kind(of path: String) throws(HDF5Error) -> HDF5ObjectKind {
    let operation = Operation("look up", path, in: self.path)
    return try reading(operation) { () throws(HDF5Error) in
      try ObjectPath(file: self, operation: operation).require(path).header.kind
    }
  }

  /// The names in a group in ascending order of their UTF-8; throws `.wrongLayout` for other objects.
  package func members(of path: String) throws(HDF5Error) -> [String] {
    try listing(of: path).members
  }

  /// The names in a group, and its address, by which a group of several paths is known.
  package func listing(
    of path: String
  ) throws(HDF5Error) -> (address: UInt64, members: [String]) {
    let operation = Operation("list", path, in: self.path)
    return try reading(operation) { () throws(HDF5Error) in
      let paths = ObjectPath(file: self, operation: operation)
      let group = try paths.require(path)
      let links = try paths.links(of: group)
      guard !links.hasUnreadableName else {
        throw operation.failure(.corrupt, "the name of a member is not UTF-8")
      }
      return (
        group.address, links.links.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      )
    }
  }
}
