internal import FaceCore
internal import HDF5
internal import Platform

/// A table with one value per face, which is in the files where a face has one; a line of `columns` declares it.
///
/// Writer, reader, cost, digest, `inspect`, conditions and the losses of exports follow from that line. `takeAttributes`
/// names what a label and a prediction hand on to each other.
struct OptionalColumn<Face>: Sendable {
  /// The field that holds the value: what reads it and what sets it. Key paths would make an import 2 % longer.
  enum Field: Sendable {
    /// A finite number; NaN in the table where it is unknown.
    case number(
      _ read: @Sendable (Face) -> Double?, _ set: @Sendable (inout Face, Double?) -> Void)
    /// Text; empty in the table where it is unknown.
    case text(_ read: @Sendable (Face) -> String?, _ set: @Sendable (inout Face, String?) -> Void)
  }

  /// Name of the table in `faces`.
  let name: String
  /// What `inspect`, conditions and messages call it.
  let title: String
  /// What exports call its values.
  let plural: String
  /// The field of a face.
  let field: Field

  init(_ name: String, _ field: Field, title: String? = nil, plural: String) {
    self.name = name
    self.title = title ?? name
    self.plural = plural
    self.field = field
  }

  /// Path of the table.
  var path: String { "faces/\(name)" }
  /// Whether it holds text.
  var isText: Bool { if case .text = field { true } else { false } }
  /// How many times its bytes a value takes in memory.
  var memory: Int { isText ? 2 : 4 }

  func value(of face: Face) -> FaceCondition.Value {
    switch field {
    case .number(let read, _): read(face).map { .number($0) } ?? .missing
    case .text(let read, _): read(face).map { .text($0) } ?? .missing
    }
  }
}

extension OptionalColumn {
  /// Writes the table, which is created with its first value.
  final class Writer {
    let column: OptionalColumn
    private var numbers: Column<Float>?
    private var texts: TextColumn?

    init(_ column: OptionalColumn) { self.column = column }

    /// Bytes of a row in the file; nil where it has no table.
    var bytesPerRow: Int? {
      numbers?.bytesPerRow ?? texts.map { _ in TextColumn.bytesPerRow }
    }

    func append(_ face: Face, row: Int, in tables: TableFile) throws(HDF5Error) {
      switch column.field {
      case .number(let read, _):
        let number = read(face).map(Float.init)
        if numbers == nil, number != nil {
          numbers = try Column(tables, column.path, rowsBefore: row)
        }
        try numbers?.append(number ?? .nan)
      case .text(let read, _):
        let text = read(face)
        if texts == nil, text != nil {
          texts = TextColumn(tables, column.path)
          for _ in 0..<row { try texts?.append("") }
        }
        try texts?.append(text ?? "")
      }
    }
  }

  /// Reads the table.
  struct Reader {
    let column: OptionalColumn
    let table: HDF5Dataset
    private let file: String

    /// Opens the table and checks its type and shape; nil where the file has none.
    init?(_ column: OptionalColumn, in file: HDF5File, rows: Int) throws(HDF5Error) {
      guard try file.exists(column.path) else { return nil }
      self.column = column
      self.file = file.path
      table =
        try column.isText
        ? file.stringDataset(column.path, shape: [rows])
        : file.dataset(column.path, holding: Double.self, shape: [rows])
    }

    /// Sets the values of the faces of a range of rows.
    func read(into faces: inout [Face], rows: Range<Int>) throws {
      switch column.field {
      case .number(_, let set):
        for (offset, number) in try table.readByValue(Double.self, rows: rows).enumerated()
        where !number.isNaN {
          guard number.isFinite else {
            throw FileError(
              .wrongData,
              "cannot read '\(column.path)'[\(rows.lowerBound + offset)] in \(file): expected a "
                + "finite number or NaN, found \(number)")
          }
          set(&faces[offset], number)
        }
      case .text(_, let set):
        for (offset, text) in try table.readStrings(rows: rows).enumerated() where !text.isEmpty {
          set(&faces[offset], text)
        }
      }
    }
  }
}
