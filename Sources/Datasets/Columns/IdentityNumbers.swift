/// Numbers of people whom tables name, the same in all tables of an import.
///
/// A whole number is the same person in all tables of stills; those of clips count the tracks of their table.
struct IdentityNumbers {
  private var numbers: [String: Int] = [:]
  private var taken: Set<Int> = []
  private var next = 0
  private var (shared, others) = (0, 0)

  /// The numbers of the names of a table: their own, where all of them are whole numbers that nobody else has.
  mutating func numbers(of names: [String], areOfClips: Bool) -> [Int] {
    for name in names where numbers[name] != nil && DelimitedText.wholeNumber(name) != nil {
      if areOfClips {
        numbers[name] = nil
        others += 1
      } else {
        shared += 1
      }
    }
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

  /// What was assumed of numbers that several tables have.
  var remarks: [ImportRemark] {
    var remarks: [ImportRemark] = []
    remarks.assume(
      others,
      "identities got another number, as an earlier table has theirs: whole numbers count the tracks of "
        + "the clips of their table")
    remarks.assume(
      shared, "identities are numbers that an earlier table has too: they are the same people")
    return remarks
  }

  private mutating func free() -> Int {
    while taken.contains(next) { next += 1 }
    return next
  }
}
