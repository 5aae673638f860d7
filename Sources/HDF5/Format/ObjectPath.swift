/// Resolves paths one link at a time; links into other files are not followed.
struct ObjectPath {
  let file: HDF5File
  let operation: Operation

  /// The parts of a path; throws `.wrongLayout` for an impossible path.
  static func parts(_ path: String, _ operation: Operation) throws(HDF5Error) -> [String] {
    let parts = path.split(separator: "/").map(String.init)
    guard !path.utf8.contains(0), !parts.contains("..") else {
      throw operation.failure(.wrongLayout, "this is not a path inside an HDF5 file")
    }
    return parts.filter { $0 != "." }
  }

  /// The object at a path, soft links followed; nil if there is none.
  func resolve(_ path: String) throws(HDF5Error) -> StoredObject? {
    let root = try object(at: file.root, path: "/")
    var current = root
    var pending = Array(try Self.parts(path, operation).reversed())
    var softLinks = 0
    while let part = pending.popLast() {
      guard current.header.kind == .group else {
        throw operation.mismatch(expected: "'\(current.path)' to be a group", found: "no group")
      }
      guard let link = try links(of: current).links[part] else { return nil }
      let next = current.inner(part)
      switch link {
      case .object(let address):
        current = try object(at: address, path: next)
      case .soft(let target):
        softLinks += 1
        guard softLinks <= 16 else {
          throw operation.failure(.refused, "its soft links go in circles")
        }
        let target = try text(target)
        if target.hasPrefix("/") { current = root }
        pending += try Self.parts(target, operation).reversed()
      case .external:
        throw operation.failure(.refused, "'\(next.dropFirst())' is a link into another file")
      case .unknown:
        throw operation.failure(.refused, "'\(next.dropFirst())' is a link of an unknown kind")
      }
    }
    return current
  }

  /// The object at a path; throws `.wrongLayout` if there is none.
  func require(_ path: String) throws(HDF5Error) -> StoredObject {
    guard let object = try resolve(path) else {
      throw operation.failure(.wrongLayout, try missingReason(path))
    }
    return object
  }

  /// The links of a group; throws `.wrongLayout` for other objects.
  func links(of object: StoredObject) throws(HDF5Error) -> GroupLinks {
    guard object.header.kind == .group else {
      throw operation.mismatch(expected: "a group", found: "a dataset")
    }
    return try file.links(of: object, operation)
  }

  private func object(at address: UInt64, path: String) throws(HDF5Error) -> StoredObject {
    let header = try ObjectHeader(at: address, in: file.raw, operation)
    return StoredObject(path: path, address: address, header: header)
  }

  private func text(_ target: [UInt8]) throws(HDF5Error) -> String {
    guard target.count <= 65_536,
      let text = String(validating: target.prefix { $0 != 0 }, as: UTF8.self)
    else { throw operation.failure(.corrupt, "a soft link's target is not UTF-8") }
    return text
  }

  private func missingReason(_ path: String) throws(HDF5Error) -> String {
    let parts = try Self.parts(path, operation)
    guard let name = parts.last,
      let parent = try resolve(parts.dropLast().joined(separator: "/")),
      parent.header.kind == .group, case .soft(let target) = try links(of: parent).links[name]
    else { return "there is no such object" }
    return "it is a soft link to '\(try text(target))', which is not there"
  }
}

/// An object and its header.
struct StoredObject {
  /// The path without soft links, with a leading slash.
  let path: String
  let address: UInt64
  let header: ObjectHeader

  /// The path of a member.
  func inner(_ name: String) -> String { (path == "/" ? "" : path) + "/" + name }
}
