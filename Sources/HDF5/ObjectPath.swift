@preconcurrency import CHDF5

/// Resolves paths one link at a time, so that libhdf5 never follows a link that leaves the file.
struct ObjectPath {
  let file: HDF5File
  let operation: Operation

  /// The parts of a path; throws `.wrongLayout` for one that no object can have.
  static func parts(_ path: String, _ operation: Operation) throws(HDF5Error) -> [String] {
    let parts = path.split(separator: "/").map(String.init)
    guard !path.utf8.contains(0), !parts.contains("..") else {
      throw operation.failure(.wrongLayout, "this is no path inside an HDF5 file")
    }
    return parts.filter { $0 != "." }
  }

  /// The path with every soft link replaced by its target; nil where nothing is there.
  func resolve(
    _ path: String, _ library: borrowing HDF5Library
  ) throws(HDF5Error) -> String? {
    var pending = Array(try Self.parts(path, operation).reversed())
    try judge(UInt64(try info(ofResolved: "/", library).addr))
    var current = ""
    var softLinks = 0
    while let part = pending.popLast() {
      let parent = current.isEmpty ? "/" : current
      guard try kind(ofResolved: parent, library) == .group else {
        throw operation.mismatch(expected: "'\(parent)' to be a group", found: "no group")
      }
      let next = current + "/" + part
      let exists = H5Lexists(file.id, next, 0)
      try library.check(exists, operation)
      guard exists > 0 else { return nil }
      var info = H5L_info_t()
      try library.check(H5Lget_info(file.id, next, &info, 0), operation)
      switch info.type {
      case H5L_TYPE_HARD:
        try judge(UInt64(info.u.address))
        current = next
      case H5L_TYPE_SOFT:
        softLinks += 1
        guard softLinks <= 16 else {
          throw operation.failure(.refused, "its soft links go in circles")
        }
        let target = try softLinkTarget(next, size: info.u.val_size, library)
        if target.hasPrefix("/") { current = "" }
        pending += try Self.parts(target, operation).reversed()
      case H5L_TYPE_EXTERNAL:
        throw operation.failure(.refused, "'\(next.dropFirst())' is a link into another file")
      default:
        throw operation.failure(.refused, "'\(next.dropFirst())' is a link of an unknown kind")
      }
    }
    return current.isEmpty ? "/" : current
  }

  /// The resolved path of an object that must be there; throws `.wrongLayout` if it is not.
  func require(
    _ path: String, _ library: borrowing HDF5Library
  ) throws(HDF5Error) -> String {
    guard let resolved = try resolve(path, library) else {
      throw operation.failure(.wrongLayout, try missingReason(path, library))
    }
    return resolved
  }

  private func missingReason(
    _ path: String, _ library: borrowing HDF5Library
  ) throws(HDF5Error) -> String {
    let name = "/" + (try Self.parts(path, operation)).joined(separator: "/")
    var info = H5L_info_t()
    guard H5Lexists(file.id, name, 0) > 0, H5Lget_info(file.id, name, &info, 0) >= 0,
      info.type == H5L_TYPE_SOFT
    else {
      _ = library.takeMessage()
      return "there is no such object"
    }
    let target = try softLinkTarget(name, size: info.u.val_size, library)
    return "it is a soft link to '\(target)', which is not there"
  }

  /// Our own files need no judging, and may still be in memory.
  private func judge(_ address: UInt64) throws(HDF5Error) {
    guard !file.isWritable else { return }
    try ObjectHeader(at: address, in: file.raw, operation).judgeMessages(in: file.raw)
  }

  private func softLinkTarget(
    _ path: String, size: Int, _ library: borrowing HDF5Library
  ) throws(HDF5Error) -> String {
    guard (1...65_536).contains(size) else {
      throw operation.failure(.corrupt, "a soft link has a target of \(size) bytes")
    }
    var bytes = [UInt8](repeating: 0, count: size + 1)
    try library.check(H5Lget_val(file.id, path, &bytes, size, 0), operation)
    guard let target = String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self) else {
      throw operation.failure(.corrupt, "a soft link's target is not UTF-8")
    }
    return target
  }

  func info(
    ofResolved path: String, _ library: borrowing HDF5Library
  ) throws(HDF5Error) -> H5O_info_t {
    var info = H5O_info_t()
    let basicFields: UInt32 = 1
    try library.check(H5Oget_info_by_name2(file.id, path, &info, basicFields, 0), operation)
    return info
  }

  func kind(
    ofResolved path: String, _ library: borrowing HDF5Library
  ) throws(HDF5Error) -> HDF5ObjectKind {
    switch try info(ofResolved: path, library).type {
    case H5O_TYPE_GROUP: .group
    case H5O_TYPE_DATASET: .dataset
    default: .other
    }
  }
}
