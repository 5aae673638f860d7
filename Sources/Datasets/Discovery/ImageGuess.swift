internal import FaceCore
internal import Platform

/// Where the images of a file are, and how they are stored.
struct ImageGuess {
  enum Store: Equatable {
    /// Pixels with their axes, the values of black and white, and the order of channels.
    case pixels(layout: String, range: [Double], channels: [Int]?)
    /// JPEG or PNG files.
    case files
    /// JPEG or PNG files one after another, and the array of their offsets.
    case blob(offsets: Int)
  }

  /// The array.
  let index: Int
  let store: Store
  /// Whether each array is one image, rather than each row.
  let isSingle: Bool
  /// Pixels of an image, the most where they differ; nil where they are not known.
  let width: Double?
  let height: Double?
  /// Decisions that the values do not prove, in words.
  let doubts: [String]

  private static let smallestSide = 8

  /// The array that is likeliest to hold the images; nil where none does.
  static func find(in arrays: [FoundArray], isMATLAB: Bool) -> ImageGuess? {
    let guesses = arrays.enumerated().compactMap { index, array in
      guess(index, array, arrays, isMATLAB: isMATLAB).map { (score: score(array, $0), guess: $0) }
    }
    return guesses.max { $0.score < $1.score }?.guess
  }

  private static func score(_ array: FoundArray, _ guess: ImageGuess) -> Int {
    var score = 0
    if array.words.contain(
      "image", "img", "imgs", "frame", "photo", "pixel", "rgb", "patch", "face", "data", "x", "jpg",
      "jpeg", "png")
    {
      score += 1000
    }
    if array.words.contain(
      "mask", "depth", "seg", "segm", "eye", "eyes", "flow", "heat", "label", "map", "normal")
    {
      score -= 2000
    }
    if array.type == "u8" || guess.store == .files { score += 500 }
    // One that cannot be read is of less use than its like.
    if array.problem != nil { score -= 100 }
    return score + Int(min((guess.width ?? 256) + (guess.height ?? 256), 8192) / 32)
  }

  private static func guess(
    _ index: Int, _ array: FoundArray, _ arrays: [FoundArray], isMATLAB: Bool
  ) -> ImageGuess? {
    guard array.leaf.attribute == nil, !array.isTexts else { return nil }
    if ["variable-length u8", "u8"].contains(array.type), let sizes = array.sample.imageSizes {
      return files(index, array, sizes, arrays)
    }
    // Arrays that cannot be read are known by their headers alone.
    guard array.isNumbers || array.problem != nil, array.type != "variable-length u8",
      array.type != "string"
    else { return nil }
    let shape = array.shape
    let hasPattern = !array.pattern.variables.isEmpty
    guard
      let found = layout(
        shape, mayBeSingle: hasPattern, isBytes: array.type == "u8", isMATLAB: isMATLAB)
    else { return nil }
    func extent(_ letter: Character) -> Double? {
      let axis = Array(found).firstIndex(of: letter)
      return axis.flatMap { shape[$0] }.map(Double.init)
    }
    let isSingle = !found.contains("N")
    var doubts: [String] = []
    var (range, channels): ([Double], [Int]?) = ([0, 255], nil)
    if let problem = array.problem {
      doubts = ["cannot be read, so that range and order of channels are not known: \(problem)"]
    } else {
      channels = Self.channels(array, isMATLAB ? String(found.reversed()) : found, &doubts)
      range = Self.range(array, &doubts)
    }
    return ImageGuess(
      index: index, store: .pixels(layout: found, range: range, channels: channels),
      isSingle: isSingle, width: extent("W"), height: extent("H"), doubts: doubts)
  }

  private static func files(
    _ index: Int, _ array: FoundArray, _ sizes: [ImageSize], _ arrays: [FoundArray]
  ) -> ImageGuess? {
    var store = Store.files
    let isVariable = array.type == "variable-length u8"
    var isSingle = array.shape.count < (isVariable ? 1 : 2)
    if isSingle, array.leaf.count == 1, array.pattern.variables.isEmpty,
      let size = array.shape.first
    {
      let offsets = arrays.firstIndex { other in
        other.shape.count == 1 && other.isNumbers && other.sample.isWhole
          && other.sample.bounds?.lowerBound == 0
          && other.sample.bounds?.upperBound == size.map(Double.init)
      }
      guard let offsets else { return nil }
      (store, isSingle) = (.blob(offsets: offsets), false)
    }
    let (width, height) = (sizes.map(\.width).max() ?? 0, sizes.map(\.height).max() ?? 0)
    return ImageGuess(
      index: index, store: store, isSingle: isSingle, width: width > 0 ? Double(width) : nil,
      height: height > 0 ? Double(height) : nil, doubts: [])
  }

  /// The axes of an array of images in the order of the extents; nil where it is none.
  private static func layout(
    _ shape: [Int?], mayBeSingle: Bool, isBytes: Bool, isMATLAB: Bool
  ) -> String? {
    func isSide(_ axis: Int) -> Bool { shape[axis].map { $0 >= smallestSide } ?? true }
    func isChannels(_ axis: Int) -> Bool { shape[axis].map { [1, 3, 4].contains($0) } ?? false }
    switch (shape.count, isMATLAB) {
    case (4, false):
      if isChannels(3), isSide(1), isSide(2) { return "NHWC" }
      return isChannels(1) && isSide(2) && isSide(3) ? "NCHW" : nil
    case (4, true):
      return isChannels(2) && isSide(0) && isSide(1) ? "HWCN" : nil
    case (3, _):
      if mayBeSingle, isChannels(2), isSide(0), isSide(1) { return "HWC" }
      if mayBeSingle, isChannels(0), isSide(1), isSide(2) { return "CHW" }
      guard isBytes, isSide(1), isSide(isMATLAB ? 0 : 2) else { return nil }
      return isMATLAB ? "HWN" : "NHW"
    case (2, _) where mayBeSingle && isBytes:
      return isSide(0) && isSide(1) ? "HW" : nil
    default: return nil
    }
  }

  private static func range(_ array: FoundArray, _ doubts: inout [String]) -> [Double] {
    guard let bounds = array.sample.bounds else { return [0, 255] }
    let (low, high) = (bounds.lowerBound, bounds.upperBound)
    if array.type == "u8" { return [0, 255] }
    let known: [[Double]] = [[0, 1], [-1, 1], [0, 255], [0, 1023], [0, 4095], [0, 65_535]]
    let text = "values from \(low.shortText()) to \(high.shortText())"
    if array.sample.isWhole, low >= 0, high > 1,
      let range = known.dropFirst(2).first(where: { high <= $0[1] })
    {
      if range[1] != 255 { doubts.append("\(text): white is taken as \(Int(range[1]))") }
      return range
    }
    if let range = known.first(where: { low >= $0[0] - 0.01 && high <= $0[1] * 1.01 }) {
      doubts.append("\(text): black is taken as \(Int(range[0])) and white as \(Int(range[1]))")
      return range
    }
    doubts.append(
      "\(text): its mean is taken off, so that colors are those of the least and greatest value")
    return [low, high]
  }

  /// The order of three channels, where the axes are those of the file, by the colors of skin, which has more red than blue.
  private static func channels(
    _ array: FoundArray, _ layout: String, _ doubts: inout [String]
  ) -> [Int]? {
    let letters = layout.filter { $0 != "N" }
    guard let axis = letters.firstIndex(of: "C") else { return nil }
    var (redder, bluer) = (0, 0)
    var count = 3
    for part in array.sample.parts {
      let shape = layout.hasPrefix("N") ? Array(part.shape.dropFirst()) : part.shape
      guard shape.count == 3 else { continue }
      count = shape[letters.distance(from: letters.startIndex, to: axis)]
      guard count >= 3 else { return nil }
      let rows = layout.hasPrefix("N") ? part.shape[0] : 1
      let size = shape.reduce(1, *)
      for row in 0..<rows where (row + 1) * size <= part.values.count {
        let pixels = part.values[row * size..<(row + 1) * size]
        let (first, last) = Self.means(pixels, shape, letters)
        if first > last * 1.02 { redder += 1 }
        if last > first * 1.02 { bluer += 1 }
      }
    }
    let isReversed = bluer >= 2 * max(redder, 1) || bluer == 1 && redder == 0
    let seen =
      "the middle is redder in \(max(redder, bluer)) of \(redder + bluer) images that were looked at"
    if redder == bluer {
      doubts.append("RGB or BGR is not known from the colors: taken as RGB")
    } else if isReversed {
      doubts.append("taken as BGR: with blue first \(seen)")
    } else {
      doubts.append("taken as RGB: \(seen)")
    }
    if isReversed { return [2, 1, 0] }
    return count == 3 ? nil : [0, 1, 2]
  }

  /// Means of the first and of the third channel in the middle of an image.
  private static func means(
    _ pixels: ArraySlice<Double>, _ shape: [Int], _ letters: String
  ) -> (Double, Double) {
    var extents: [Character: (count: Int, stride: Int)] = [:]
    var stride = 1
    for (letter, count) in zip(letters, shape).reversed() {
      extents[letter] = (count, stride)
      stride *= count
    }
    guard let height = extents["H"], let width = extents["W"], let planes = extents["C"] else {
      return (0, 0)
    }
    var sums = (0.0, 0.0)
    let low = min(0, pixels.min() ?? 0)
    for row in height.count / 4..<max(height.count * 3 / 4, height.count / 4 + 1) {
      for column in width.count / 4..<max(width.count * 3 / 4, width.count / 4 + 1) {
        let place = pixels.startIndex + row * height.stride + column * width.stride
        sums.0 += pixels[place] - low
        sums.1 += pixels[place + 2 * planes.stride] - low
      }
    }
    return sums
  }
}
