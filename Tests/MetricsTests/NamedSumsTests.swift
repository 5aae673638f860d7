import Metrics
import Testing

struct NamedSumsTests {
  private enum Count: Int, SumName {
    case frames, faces
  }

  private enum Amount: Int, SumName {
    case error, part

    static let width = 4
    static let sets = 3
  }

  private typealias Sums = NamedSums<Count, Amount, Double>

  private static func sums(_ scale: Double) -> Sums {
    var sums = Sums()
    sums[.faces] = Int(3 * scale)
    sums[.error] = 0.1 * scale
    sums[.part, 2, 2] += 0.7 * scale
    return sums
  }

  @Test func `each name of each set has its own sum`() {
    var sums = Sums()
    for set in 0..<3 {
      for offset in 0..<3 { sums[.part, set, offset] = Double(10 * set + offset + 1) }
      sums[.error, set] = Double(-set)
    }
    sums[.frames] = 7
    let parts = (0..<3).map { set in (0..<3).map { sums[.part, set, $0] } }
    #expect(parts == [[1, 2, 3], [11, 12, 13], [21, 22, 23]])
    #expect((0..<3).map { sums[.error, $0] } == [0, -1, -2])
    #expect(sums[.frames] == 7 && sums[.faces] == 0)
  }

  @Test func `bytes and numbers give the same sums back`() throws {
    var table = FrameTable<Sums>()
    for frame in 0..<3 {
      try table.add(Self.sums(Double(frame)), for: frame, in: "sums")
      var numbers = Self.sums(Double(frame)).numbers[...]
      #expect(numbers.count == 2 + 4 * 3)
      #expect(Sums(numbers: &numbers) == Self.sums(Double(frame)) && numbers.isEmpty)
    }
    #expect(Array(table.entries) == (0..<3).map { Self.sums(Double($0)) })
  }

  @Test func `numbers add up as sums do`() {
    var sums = Self.sums(1)
    sums.add(Self.sums(2), times: 5)
    #expect(sums[.faces] == 33)
    let added = zip(Self.sums(1).numbers, Self.sums(2).numbers).map { $0 + 5 * $1 }
    #expect(sums.numbers == added)
  }

  @Test func `numbers that no count can be are none`() {
    for number in [1e300, -.infinity, .nan] {
      var numbers = [number, 3][...]
      #expect(Int(numbers: &numbers) == 0 && numbers == [3])
      numbers = [number]
      #expect(ExactSum(numbers: &numbers) == ExactSum())
    }
  }
}
