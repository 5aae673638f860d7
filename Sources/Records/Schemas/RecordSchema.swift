extension Record {
  /// The JSON Schema (draft 2020-12) that every `record.json` of this version keeps, as UTF-8.
  package static var jsonSchema: [UInt8] { PackageResources.record_schema_json }
}

extension GatesFile {
  /// The JSON Schema (draft 2020-12) that every gates file of this version keeps, as UTF-8.
  package static var jsonSchema: [UInt8] { PackageResources.gates_schema_json }
}
