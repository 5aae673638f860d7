/// Checks for tables that this version does not know, such as the points of another landmark scheme.
struct KnownTableCheck: DatasetCheck {
  private var unknown = ChecklistLine(
    "tables-known", .warning, holds: "every table is one that this version knows",
    what: "table that this version does not know and does not read", of: "tables")
  var lines: [ChecklistLine] { [unknown] }

  init(of dataset: DatasetReader) {
    unknown.look()
    for table in dataset.unknownTables { unknown.note("'\(table)'") }
  }

  mutating func look(at checked: CheckedFrame) {}
}
