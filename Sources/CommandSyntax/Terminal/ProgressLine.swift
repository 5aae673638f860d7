/// The text of a progress bar at one moment.
package struct ProgressLine {
  /// What is being done.
  package var label: String
  /// What is counted, as in `frames`.
  package var unit: String
  /// How many are done.
  package var completed: Int
  /// Nil if it is not known how many there will be.
  package var total: Int?
  /// How many of the completed ones count towards the rate.
  package var sinceStart: Int
  /// Time since the start.
  package var elapsed: Duration

  /// Describes a moment of a long loop.
  package init(
    label: String, unit: String, completed: Int, total: Int?, sinceStart: Int, elapsed: Duration
  ) {
    self.label = label
    self.unit = unit
    self.completed = completed
    self.total = total
    self.sinceStart = sinceStart
    self.elapsed = elapsed
  }

  /// The label, bar, count, rate and remaining time, in at most this many terminal columns.
  ///
  /// Where there is too little room, the bar goes first, then the remaining time and the rate.
  package func rendered(columns: Int) -> String {
    let label = label.withoutControlCharacters
    var parts = [count, rate, remaining].compactMap { $0 }
    let barSpace = columns - ([label] + parts).joined(separator: "  ").displayWidth - 1
    if let total, barSpace >= 7 {
      let bar = Self.bar(filled: completed, of: total, columns: min(barSpace, 42))
      return "\(label) \(bar)  \(parts.joined(separator: "  "))"
    }
    while parts.count > 1, ([label] + parts).joined(separator: "  ").displayWidth > columns {
      parts.removeLast()
    }
    return Self.cut(([label] + parts).joined(separator: "  "), to: columns)
  }

  /// The label, count, rate and remaining time, without a bar.
  package var plain: String {
    ([label.withoutControlCharacters] + [count, rate, remaining].compactMap { $0 })
      .joined(separator: "  ")
  }

  private static func bar(filled: Int, of total: Int, columns: Int) -> String {
    let inside = columns - 2
    let share = total > 0 ? Double(min(filled, total)) / Double(total) : 1
    let length = Int((share * Double(inside)).rounded(.down))
    return "[" + String(repeating: "#", count: length)
      + String(repeating: "-", count: inside - length) + "]"
  }

  private static func cut(_ text: String, to columns: Int) -> String {
    var width = 0
    return String(
      text.prefix { character in
        width += character.displayWidth
        return width <= columns
      })
  }

  private var count: String {
    (total.map { "\(completed)/\($0)" } ?? "\(completed)") + " " + unit
  }

  private var perSecond: Double? {
    let seconds = elapsed / .seconds(1)
    return seconds > 0 && sinceStart > 0 ? Double(sinceStart) / seconds : nil
  }

  private var rate: String? {
    perSecond.map { rate in
      switch rate {
      case 100...: Self.decimal(rate, positions: 0) + "/s"
      case 1...: Self.decimal(rate, positions: 1) + "/s"
      default: Self.decimal(rate * 60, positions: 1) + "/min"
      }
    }
  }

  private var remaining: String? {
    guard let total, let perSecond else { return nil }
    let seconds = Int(min(Double(max(0, total - completed)) / perSecond, 359_999).rounded(.up))
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let clock = Self.twoDigits(seconds % 60)
    return hours > 0
      ? "ETA \(hours):\(Self.twoDigits(minutes)):\(clock)" : "ETA \(minutes):\(clock)"
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  private static func decimal(_ number: Double, positions: Int) -> String {
    guard positions > 0 else { return "\(Int(min(number, 1e15).rounded()))" }
    let tenths = Int(min(number * 10, 1e15).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
