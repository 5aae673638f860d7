internal import FaceCore

extension LandmarkScheme: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(UInt8(Self.all.firstIndex(of: self) ?? 0))
  }

  package init(from row: inout RowReader) { self = Self.all[Int(row.byte())] }
}
