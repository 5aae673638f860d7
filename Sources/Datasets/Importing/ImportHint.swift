internal import Foundation
internal import Platform

/// What to do with a path that is not a dataset.
enum ImportHint {
  /// The command that reads the path, in words; nil if none does.
  static func text(for path: URL) -> String? {
    guard path.isFolder else {
      return DatasetFormats.all.first { $0.recognises(path) != nil }.map(command)
    }
    let record = path.appendingPathComponent("record.json")
    if FileManager.default.fileExists(atPath: record.path) {
      return "it is a run's folder, which 'facegauge report' and 'facegauge compare' read"
    }
    do {
      return command(try ImportSources([path]).format)
    } catch {
      return LabelFiles.areThere(in: path)
        ? "'facegauge import' makes a dataset of one of its label files" : nil
    }
  }

  private static func command(_ format: any DatasetFormat) -> String {
    "'facegauge import \(format.name)' makes a dataset of it"
  }
}
