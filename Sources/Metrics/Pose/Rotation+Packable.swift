internal import FaceCore

extension Rotation: Packable {
  package func pack(into row: inout RowWriter) { row.write(w, x, y, z) }

  package init(from row: inout RowReader) {
    self.init(w: row.read(), x: row.read(), y: row.read(), z: row.read())
  }
}
