extension Series.Content: Codable {
  private enum Kind: String, Codable {
    case curve, histogram, table
  }

  private enum CodingKeys: String, CodingKey {
    case kind
  }

  /// Reads an object whose `kind` says which fields stand beside it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(Kind.self, forKey: .kind) {
    case .curve: self = .curve(try Series.Curve(from: decoder))
    case .histogram: self = .histogram(try Series.Histogram(from: decoder))
    case .table: self = .table(try Series.Table(from: decoder))
    }
  }

  /// Writes `kind` and, beside it, the fields of that kind.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .curve(let curve):
      try container.encode(Kind.curve, forKey: .kind)
      try curve.encode(to: encoder)
    case .histogram(let histogram):
      try container.encode(Kind.histogram, forKey: .kind)
      try histogram.encode(to: encoder)
    case .table(let table):
      try container.encode(Kind.table, forKey: .kind)
      try table.encode(to: encoder)
    }
  }
}
