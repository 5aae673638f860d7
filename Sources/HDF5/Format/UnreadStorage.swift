/// What makes values readable that are stored in a way that is not read.
enum UnreadStorage {
  /// For what libhdf5 reads without plugins.
  static let repack = "which 'h5repack -f GZIP=4 in.h5 out.h5' makes readable"

  /// For a group whose links are compressed.
  static let copyGroups =
    "python3 -c \"import h5py; a, b = h5py.File('in.h5'), h5py.File('out.h5', 'w'); "
    + "b.attrs.update(a.attrs); a.visititems(lambda n, o: a.copy(o, b, n) "
    + "if isinstance(o, h5py.Dataset) else b.require_group(n).attrs.update(o.attrs))\" "
    + "makes it readable"

  /// What to do about a filter, by its identifier.
  static func filter(_ id: Int, of object: String?) -> String {
    if let name = builtIn[id] { return "it is compressed by \(name) (filter \(id)), \(repack)" }
    let name = registered[id].map { "\($0) (filter \(id))" } ?? "filter \(id)"
    // A quote would end the command's text.
    let path = object.flatMap { $0.contains { "'\"\\$`".contains($0) } ? nil : $0 } ?? "NAME"
    return "it is compressed by \(name), which is not read; in a copy of the file, "
      + "python3 -c \"import h5py, hdf5plugin; f = h5py.File('copy.h5', 'a'); "
      + "v = f['\(path)'][()]; del f['\(path)']; f['\(path)'] = v\" makes it readable"
  }

  /// The name of a filter, by its identifier.
  static func name(_ id: Int) -> String {
    HDF5Format.Filter(rawValue: id).map { "\($0)" } ?? builtIn[id] ?? registered[id]
      ?? "filter \(id)"
  }

  /// IV.A.2.l, filters of libhdf5 itself.
  private static let builtIn = [4: "szip", 5: "nbit", 6: "scale-offset"]

  /// Filters registered with The HDF Group.
  private static let registered = [
    305: "LZO", 307: "bzip2", 32_001: "Blosc", 32_002: "MAFISC", 32_003: "Snappy",
    32_004: "LZ4", 32_005: "APAX", 32_006: "CBF", 32_007: "JPEG-XR", 32_008: "bitshuffle",
    32_009: "SPDP", 32_010: "LPC-Rice", 32_011: "CCSDS-123", 32_012: "JPEG-LS", 32_013: "zfp",
    32_014: "fpzip", 32_015: "Zstd", 32_016: "B3D", 32_017: "SZ", 32_018: "FCIDECOMP",
    32_019: "JPEG", 32_020: "VBZ", 32_021: "FAPEC", 32_022: "BitGroom",
    32_023: "Granular BitRound", 32_024: "SZ3", 32_025: "Delta-Rice", 32_026: "Blosc2",
    32_027: "FLAC", 32_028: "SPERR", 32_029: "TERSE/PROLIX", 32_030: "FFMPEG",
  ]
}
