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
    if record.isThere {
      return "it is a run's folder, which 'facegauge report' and 'facegauge compare' read"
    }
    do {
      return command(try ImportSources([path]).format)
    } catch {
      return LabelFiles.areThere(in: path)
        ? "'facegauge import' makes a dataset of one of its label files" : nil
    }
  }

  /// What makes predictions of a path that holds none, in words; nil if nothing is known to.
  static func predictionsText(for path: URL) -> String? {
    guard path.isFolder else {
      return DatasetFormats.all.first { $0.recognises(path) != nil }.map {
        "'facegauge import \($0.name) … --of DATASET' makes predictions of it"
      }
    }
    let stored = path.appendingPathComponent("predictions.h5")
    return stored.isThere
      ? "a run keeps them in \(stored.relativePath)" : nil
  }

  /// What to do with an HDF5 file of this format in place of a dataset, in brackets; empty if nothing is known.
  static func clause(inPlaceOfDataset format: String, at path: String) -> String {
    switch format {
    case PredictionsLayout.format:
      " ('facegauge evaluate DATASET --predictions \(path)' evaluates predictions)"
    case "none":
      " ('facegauge import hdf5 \(path) --draft mapping.json' drafts what makes a dataset of it)"
    default: ""
    }
  }

  /// What to do with an HDF5 file of this format in place of predictions, in brackets; empty if nothing is known.
  static func clause(inPlaceOfPredictions format: String) -> String {
    format == DatasetLayout.format
      ? " ('facegauge import … --of DATASET' makes predictions of a tracker's output)" : ""
  }

  /// What else to do with a file that no format recognises, after a semicolon; empty if nothing is known.
  static func clause(ofUnknown source: URL) -> String {
    switch source.pathExtension.lowercased() {
    case "json", "jsonl", "ndjson": "; of a tool that is not among them export COCO's JSON"
    case "txt", "tsv":
      "; 'facegauge import csv \(source.relativePath) --draft' reads a table with an image in each row"
    case "csv" where TextEncoding.isUTF16(InputFile.head(of: source, 2) ?? []):
      "; it is text in UTF-16, and UTF-8 is read"
    default: ""
    }
  }

  private static func command(_ format: any DatasetFormat) -> String {
    "'facegauge import \(format.name)' makes a dataset of it"
  }
}
