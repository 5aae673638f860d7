package import Foundation
internal import Imaging

/// Reads labelled files of a known format into a dataset.
package struct DatasetImport: Sendable {
  /// The format of the sources.
  package var format: any DatasetFormat
  /// The files or folders to read, in order.
  package var sources: [URL]
  /// What the user settled.
  package var options: ImportOptions
  /// Whether anything lost or changed is an error.
  package var isStrict: Bool

  /// Plans an import.
  package init(
    format: any DatasetFormat, sources: [URL], options: ImportOptions, isStrict: Bool
  ) {
    self.format = format
    self.sources = sources
    self.options = options
    self.isStrict = isStrict
  }

  /// Reads everything into a writer and finishes its file; returns what was assumed or left out.
  package func run(
    into writer: DatasetWriter, advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(DatasetError) -> [ImportRemark] {
    var rotated = 0
    for source in sources { try writer.requireOther(than: source) }
    var remarks = try format.read(sources, options: options) {
      (frame) throws(DatasetError) in
      guard !isInterrupted() else {
        throw DatasetError(
          .interrupted, "interrupted after \(writer.frameCount) pictures; nothing was written")
      }
      try writer.requireOther(than: frame.picture)
      let bytes = try SourceFiles.bytes(of: frame.picture)
      do {
        let header = try PictureHeader(of: bytes.span)
        if header.orientation != 1 { rotated += 1 }
        try writer.add(
          name: frame.name, picture: bytes, size: header.size, faces: frame.faces)
      } catch let error as PictureError {
        throw DatasetError(
          .wrongData, "cannot import \(frame.picture.relativePath): \(error.description)")
      } catch let error as DatasetError {
        throw error
      } catch {
        throw DatasetError(.inputOutput, "\(error)")
      }
      advance(1)
    }
    if rotated > 0 {
      remarks.append(
        .assumed(
          "\(rotated) pictures carry an Exif rotation; labels are taken to be for the pixels as "
            + "stored"))
    }
    guard writer.frameCount > 0 else {
      throw DatasetError(
        .wrongData,
        "cannot import \(sources.map(\.relativePath).joined(separator: ", ")): expected pictures, "
          + "found none")
    }
    if isStrict, let loss = remarks.first(where: \.isLoss) {
      throw DatasetError(.wrongData, "cannot import without loss (--strict): \(loss.text)")
    }
    try writer.finish()
    return remarks
  }

  /// The first format that every source looks like, with the reason; throws where there is none.
  package static func detectFormat(
    of sources: [URL]
  ) throws(DatasetError) -> (format: any DatasetFormat, reason: String) {
    for source in sources where !FileManager.default.fileExists(atPath: source.path) {
      throw DatasetError(.notFound, "cannot read \(source.relativePath): no such file or folder")
    }
    for format in DatasetFormats.all {
      let reasons = sources.compactMap { format.recognises($0) }
      if reasons.count == sources.count, let reason = reasons.first { return (format, reason) }
    }
    let names = DatasetFormats.all.map(\.name).joined(separator: ", ")
    throw DatasetError(
      .wrongData,
      "cannot import \(sources.map(\.relativePath).joined(separator: ", ")): expected one of "
        + "\(names), found none of them (name the format to see why)")
  }
}
