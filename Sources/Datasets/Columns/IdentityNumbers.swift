/// Numbers of people whom tables name, the same in all tables of an import.
struct IdentityNumbers {
  private var numbers: [String: Int] = [:]
  private var taken: Set<Int> = []
  private var next = 0

  /// The numbers of the names of a table: their own, where all of them are whole numbers that nobody else has.
  mutating func numbers(of names: [String]) -> [Int] {
    let own = names.compactMap { name in
      DelimitedText.wholeNumber(name).flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
    }
    let isOwn =
      Set(own).count == names.count
      && zip(names, own).allSatisfy { name, number in
        numbers[name].map { $0 == number } ?? !taken.contains(number)
      }
    return names.indices.map { index in
      let name = names[index]
      if let known = numbers[name] { return known }
      let number = isOwn ? own[index] : free()
      numbers[name] = number
      taken.insert(number)
      return number
    }
  }

  private mutating func free() -> Int {
    while taken.contains(next) { next += 1 }
    return next
  }
}
