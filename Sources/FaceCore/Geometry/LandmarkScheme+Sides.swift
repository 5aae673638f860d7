extension LandmarkScheme {
  /// For each point the one of the same spot on the other side of the face, itself in the middle; nil if unknown.
  package var otherSides: [Int]? {
    switch self {
    case .ibug68:
      exchange(
        Self.line(0, 16), Self.line(17, 26), Self.line(31, 35),
        [(36, 45), (37, 44), (38, 43), (39, 42), (40, 47), (41, 46)], Self.line(48, 54),
        Self.line(55, 59), Self.line(60, 64), [(65, 67)])
    case .wflw98:
      exchange(
        Self.outline, [(55, 59), (56, 58), (60, 72), (61, 71), (62, 70), (63, 69), (64, 68)],
        [(65, 75), (66, 74), (67, 73)], Self.line(76, 82), Self.line(83, 87), Self.line(88, 92),
        [(93, 95), (96, 97)])
    case .lapa106:
      exchange(
        Self.outline, Self.line(55, 65), [(66, 79), (67, 78), (68, 77), (69, 76), (70, 75)],
        [(71, 82), (72, 81), (73, 80), (74, 83)], Self.line(84, 90), Self.line(91, 95),
        Self.line(96, 100), [(101, 103), (104, 105)])
    case .cofw29:
      exchange(
        [(0, 1), (2, 3), (4, 6), (5, 7), (8, 9), (10, 11), (12, 14), (13, 15), (16, 17)],
        [(18, 19), (22, 23)])
    case .five: exchange([(0, 1), (3, 4)])
    case .aflw21: exchange(Self.line(0, 5), Self.line(6, 11), [(12, 16), (13, 15), (17, 19)])
    case .aflw19: exchange(Self.line(0, 5), Self.line(6, 11), [(12, 14), (15, 17)])
    case .mediapipe478: exchange(Self.mesh)
    default: nil
    }
  }

  private func exchange(_ pairs: [(Int, Int)]...) -> [Int] {
    var others = Array(0..<count)
    for (one, other) in pairs.joined() { (others[one], others[other]) = (other, one) }
    return others
  }

  /// The pairs of points that stand in a row from one side to the other.
  private static func line(_ first: Int, _ last: Int) -> [(Int, Int)] {
    (first...last).map { ($0, first + last - $0) }.filter { $0.0 < $0.1 }
  }

  /// Contour and brows of 98 and of 106 points.
  private static let outline: [(Int, Int)] =
    line(0, 32) + [(33, 46), (34, 45), (35, 44), (36, 43), (37, 42), (38, 50), (39, 49)]
    + [(40, 48), (41, 47)]

  /// The vertices of MediaPipe's canonical face, which mirror each other exactly: those of the right side come first, and
  /// both sides in one order. Each iris has its point at larger x first.
  private static let mesh: [(Int, Int)] = {
    let middle: Set = [
      0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 94, 151, 152, 164, 168, 175,
      195, 197, 199, 200,
    ]
    let sides = (0..<468).filter { !middle.contains($0) }
    return Array(zip(sides.prefix(220), sides.suffix(220)))
      + [(468, 473), (469, 476), (470, 475), (471, 474), (472, 477)]
  }()
}

extension Blendshape {
  /// For each coefficient the index of the one of the other side, its own where it has none.
  package static let otherSides: [Int] = allCases.map { shape in
    let name = shape.rawValue
    let other =
      name.hasSuffix("Left")
      ? name.dropLast(4) + "Right" : name.hasSuffix("Right") ? name.dropLast(5) + "Left" : name[...]
    return Blendshape(rawValue: String(other))?.index ?? shape.index
  }
}
