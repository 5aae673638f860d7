/// Frames by the hashes of their images: eight bytes per slot, up to four fifths of the slots in use.
package struct ImageTable: Sendable {
  private struct Slot {
    var hash: UInt32 = 0
    /// Counted from 1; 0 for a free slot.
    var frame: UInt32 = 0
  }

  private var slots = [Slot](repeating: Slot(), count: 1024)
  private var count = 0

  /// Starts without frames.
  package init() {}

  /// The frames whose images have a hash.
  package func frames(_ hash: UInt32) -> [Int] {
    var found: [Int] = []
    var index = Int(hash) & (slots.count - 1)
    while slots[index].frame != 0 {
      if slots[index].hash == hash { found.append(Int(slots[index].frame) - 1) }
      index = (index + 1) & (slots.count - 1)
    }
    return found
  }

  /// Adds a frame; datasets number them with 32 bits.
  package mutating func add(_ frame: Int, hash: UInt32) {
    guard let number = UInt32(exactly: frame + 1) else { return }
    if 5 * count >= 4 * slots.count {
      let old = slots
      slots = [Slot](repeating: Slot(), count: 2 * old.count)
      for slot in old where slot.frame != 0 { insert(slot) }
    }
    insert(Slot(hash: hash, frame: number))
    count += 1
  }

  private mutating func insert(_ slot: Slot) {
    var index = Int(slot.hash) & (slots.count - 1)
    while slots[index].frame != 0 { index = (index + 1) & (slots.count - 1) }
    slots[index] = slot
  }
}
