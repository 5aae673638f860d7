// The tracker of square_tracker.js: the face is where the image is bright.
@main
enum SquareTracker {
  static func main() throws {
    let about = TrackerDescription(
      name: "square 1", inputs: ["rgb"], device: ["model": "a \"Swift\" machine"],
      readings: ["battery"])
    try TrackerClient.run(
      CommandLine.arguments[1], as: about, readings: { ["battery": 0.5] }, detect: detect)
  }

  static func detect(_ frame: TrackerFrame) -> [TrackedFace] {
    guard let rgb = frame.rgb else { return [] }
    var (left, top, right, bottom) = (Int.max, Int.max, -1, -1)
    for y in 0..<frame.height {
      for x in 0..<frame.width {
        let at = 3 * (y * frame.width + x)
        guard Int(rgb[at]) + Int(rgb[at + 1]) + Int(rgb[at + 2]) > 600 else { continue }
        (left, top) = (min(left, x), min(top, y))
        (right, bottom) = (max(right, x), max(bottom, y))
      }
    }
    guard right >= 0 else { return [] }
    let box = [left, top, right + 1 - left, bottom + 1 - top].map(Double.init)
    return [TrackedFace(box: box, score: Double(900 - frame.index) / 1000)]
  }
}
