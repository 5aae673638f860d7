internal import Platform
import Records

/// The frame of a chart: size, margins, axes, legend; in units that are pixels at full size.
struct ChartCanvas {
  /// Width of every chart.
  static let width = 520.0
  /// About how wide a character is.
  static let characterWidth = 6.4

  private(set) var xml = XMLWriter()
  /// The plot's edges.
  let left: Double, right: Double, top: Double, bottom: Double
  /// The axes; values go from left to right and from bottom to top.
  let horizontal: Axis, vertical: Axis

  /// Room for axes, a legend of these labels, and `rowsAbove` lines of text over the plot.
  init(
    horizontal: Axis, vertical: Axis, height: Double = 250, left: Double? = nil,
    legend: [String] = [], rowsAbove: Int = 0
  ) {
    self.horizontal = horizontal
    self.vertical = vertical
    let widest = vertical.ticks.map { vertical.label($0).count }.max() ?? 1
    let keys = LegendLayout(legend)
    self.left = left ?? 30 + Double(widest) * ChartCanvas.characterWidth
    let last = horizontal.ticks.last.map { horizontal.label($0).count } ?? 1
    right = ChartCanvas.width - max(14, Double(last) * ChartCanvas.characterWidth / 2 + 2)
    top = 10 + keys.height + Double(rowsAbove) * 15
    bottom = top + height
    for key in keys.keys { draw(key) }
  }

  /// Horizontal position of a value.
  func x(_ value: Double) -> Double {
    left + horizontal.fraction(value) * (right - left)
  }

  /// Vertical position of a value.
  func y(_ value: Double) -> Double {
    bottom - vertical.fraction(value) * (bottom - top)
  }

  /// Draws the grid, the ticks and the axes' names.
  mutating func drawAxes(xLabel: String, yLabel: String) {
    drawGrid()
    drawHorizontalAxis(xLabel: xLabel)
    drawVerticalName(yLabel)
  }

  /// Draws the grid with the ticks of the vertical axis.
  mutating func drawGrid() {
    for tick in vertical.ticks {
      line(from: (left, y(tick)), to: (right, y(tick)), class: "grid")
      text(vertical.label(tick), at: (left - 6, y(tick) + 4), anchor: "end", class: "tick")
    }
  }

  /// Writes the name of the vertical axis next to the plot.
  mutating func drawVerticalName(_ name: String) {
    let middle = (top + bottom) / 2
    let room = bottom - top + 14
    let isLong = Double(name.count) * ChartCanvas.characterWidth > room
    xml.element(
      "text",
      [
        "class": "name", "text-anchor": "middle",
        "textLength": isLong ? coordinate(room) : nil,
        "lengthAdjust": isLong ? "spacingAndGlyphs" : nil,
        "transform": "rotate(-90) translate(\(coordinate(-middle)) 12)",
      ], text: name)
  }

  /// Draws the ticks and the name of the horizontal axis alone.
  mutating func drawHorizontalAxis(xLabel: String) {
    for tick in horizontal.ticks {
      line(from: (x(tick), bottom), to: (x(tick), bottom + 4), class: "axis")
      text(horizontal.label(tick), at: (x(tick), bottom + 18), anchor: "middle", class: "tick")
    }
    line(from: (left, bottom), to: (right, bottom), class: "axis")
    text(xLabel, at: ((left + right) / 2, bottom + 36), anchor: "middle", class: "name")
  }

  /// Draws a straight line.
  mutating func line(
    from start: (x: Double, y: Double), to end: (x: Double, y: Double), class name: String
  ) {
    xml.empty(
      "line",
      [
        "class": name, "x1": coordinate(start.x), "y1": coordinate(start.y),
        "x2": coordinate(end.x), "y2": coordinate(end.y),
      ])
  }

  /// Draws an interval from left to right, with caps of so many units to either side of it.
  mutating func whisker(from low: Double, to high: Double, at height: Double, cap: Double) {
    line(from: (low, height), to: (high, height), class: "whisker")
    for end in [low, high] {
      line(from: (end, height - cap), to: (end, height + cap), class: "whisker")
    }
  }

  /// Draws text whose baseline lies at a position.
  mutating func text(
    _ text: String, at position: (x: Double, y: Double), anchor: String, class name: String
  ) {
    xml.element(
      "text",
      [
        "class": name, "text-anchor": anchor, "x": coordinate(position.x),
        "y": coordinate(position.y),
      ], text: text)
  }

  /// Draws a label next to a position, so many units to the left or to the right of it.
  mutating func label(
    _ label: String, at position: (x: Double, y: Double), gap: Double, isLeft: Bool
  ) {
    text(
      label, at: (position.x + (isLeft ? -gap : gap), position.y),
      anchor: isLeft ? "end" : "start", class: "label")
  }

  /// Draws a path of absolute points, joined in order.
  mutating func path(_ points: [(x: Double, y: Double)], isClosed: Bool = false, class name: String)
  {
    var data = ""
    var last = ""
    for point in points {
      let pair = "\(coordinate(point.x)) \(coordinate(point.y))"
      if pair == last { continue }
      data += (data.isEmpty ? "M" : "L") + pair
      last = pair
    }
    guard !data.isEmpty else { return }
    xml.empty("path", ["class": name, "d": data + (isClosed ? "Z" : "")])
  }

  /// Draws a rectangle that shows `tip`, where there is one, when pointed at, and selects `selection`.
  mutating func bar(
    x: Double, y: Double, width: Double, height: Double, class name: String, tip: String? = nil,
    selection: String? = nil
  ) {
    xml.element(
      "rect",
      [
        "class": name, "x": coordinate(x), "y": coordinate(y), "width": coordinate(width),
        "height": coordinate(height), "data-select": selection,
      ]
    ) { xml in
      if let tip { xml.element("title", text: tip) }
    }
  }

  /// Draws many small points as one path, those at the same position once.
  mutating func points(_ positions: [(x: Double, y: Double)], class name: String) {
    var seen: Set<String> = []
    var data = ""
    for position in positions {
      let dot = "M\(coordinate(position.x)) \(coordinate(position.y))h0"
      if seen.insert(dot).inserted { data += dot }
    }
    guard !data.isEmpty else { return }
    xml.empty("path", ["class": name, "d": data])
  }

  /// Draws a dot that shows `tip` when pointed at, and selects `selection`.
  mutating func dot(
    at position: (x: Double, y: Double), class name: String, tip: String, selection: String? = nil
  ) {
    xml.element(
      "circle",
      [
        "class": name, "cx": coordinate(position.x), "cy": coordinate(position.y), "r": "4.5",
        "data-select": selection,
      ]
    ) { $0.element("title", text: tip) }
  }

  /// Draws a small dot that selects `selection`.
  mutating func point(at position: (x: Double, y: Double), class name: String, selection: String) {
    xml.empty(
      "circle",
      [
        "class": name, "cx": coordinate(position.x), "cy": coordinate(position.y), "r": "2.5",
        "data-select": selection,
      ])
  }

  /// Wraps the drawing with its title and description for those who do not see it; `below` is the axis' room.
  func svg(id: String, title: String, description: String, below: Double = 44) -> String {
    xml.svg(
      id: id, title: title, description: description, width: ChartCanvas.width,
      height: bottom + below, plot: plot)
  }

  /// The edges of the plot and the values at its left and right end, then at its bottom and top.
  private var plot: String {
    let edges = [left, right, top, bottom].map(coordinate)
    let ends = [horizontal.low, horizontal.high, vertical.low, vertical.high].map(\.plainText)
    return (edges + ends).joined(separator: " ")
  }

  private mutating func draw(_ key: LegendLayout.Key) {
    let style = seriesClass(key.index)
    line(from: (key.x, key.y - 4), to: (key.x + 18, key.y - 4), class: "line \(style)")
    text(key.label, at: (key.x + 24, key.y), anchor: "start", class: "key")
  }
}

extension XMLWriter {
  /// What was written as an SVG of that size, with a title and a description for those who do not see it.
  ///
  /// `plot` is what the page's script must know of a chart's axes.
  func svg(
    id: String, title: String, description: String, width: Double, height: Double,
    plot: String? = nil
  ) -> String {
    var svg = XMLWriter()
    svg.element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "role": "img",
        "viewBox": "0 0 \(coordinate(width)) \(coordinate(height))", "data-plot": plot,
        "aria-labelledby": "\(id)-title \(id)-desc",
      ]
    ) {
      $0.element("title", ["id": "\(id)-title"], text: title)
      $0.element("desc", ["id": "\(id)-desc"], text: description)
      $0.markup(output)
    }
    return svg.output
  }
}

/// The class that gives the n-th series its colour and dash.
func seriesClass(_ index: Int) -> String {
  "s\(index % 6)"
}

/// A position in an SVG, to a tenth.
func coordinate(_ value: Double) -> String {
  let tenths = (value * 10).rounded()
  guard tenths.magnitude < 1e9 else { return "0" }
  return (tenths / 10).plainText
}

/// Where the keys of a legend stand, in rows from the left.
private struct LegendLayout {
  struct Key {
    var index: Int
    var label: String
    var x: Double
    var y: Double
  }

  var keys: [Key] = []
  var height: Double { keys.last.map { $0.y + 8 } ?? 0 }

  init(_ labels: [String]) {
    var x = 4.0
    var y = 14.0
    for (index, label) in labels.enumerated() {
      let width = 44 + Double(label.count) * ChartCanvas.characterWidth
      if x > 4, x + width > ChartCanvas.width {
        (x, y) = (4, y + 18)
      }
      keys.append(Key(index: index, label: label, x: x, y: y))
      x += width
    }
  }
}
