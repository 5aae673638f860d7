import CKernels

/// One image row as planes: channel c has `width` floats at `floats + c * step`.
// Safety: holds channels * step floats, and one more before each plane's first and after its last float.
package struct PlaneRow {
  /// The first float of the first plane.
  package let floats: UnsafeMutablePointer<Float>
  /// Floats from one plane to the next.
  package let step: Int

  /// Makes a row at a pointer.
  package init(_ floats: UnsafeMutablePointer<Float>, step: Int) {
    self.floats = floats
    self.step = step
  }
}

/// What a convolution computes rows of planes from.
// Safety: the pointers are into storage of the layer, which its owner keeps as long as this value.
package struct PlaneWork: Sendable {
  /// Whether it is a 3x3 depthwise convolution, of stride 1 and padded by one; otherwise its taps are all channels of a
  /// pixel, with weights [depth, channels] that are not packed.
  package var isDepthwise = false
  /// The rows that it reads and those that it adds, by their index in a chain.
  package var source = 0
  package var residual: Int?
  /// Taps of a pixel, and channels of what is added.
  package let depth: Int
  package var residualChannels = 0
  package let clamp: Clamp
  nonisolated(unsafe) package let weights: UnsafePointer<Float>
  /// The same weights where most of them are 0.
  package var sparse: SparseWeights?
  nonisolated(unsafe) package let bias: UnsafePointer<Float>
  nonisolated(unsafe) package let slopes: UnsafePointer<Float>?

  /// Describes a convolution.
  package init(
    depth: Int, weights: FloatStorage, bias: FloatStorage, slopes: FloatStorage?, clamp: Clamp
  ) {
    self.depth = depth
    self.clamp = clamp
    (self.weights, self.bias, self.slopes) = (weights.pointer, bias.pointer, slopes?.pointer)
  }
}

/// Weights [depth, channels] without those that are 0, channel by channel.
package final class SparseWeights: Sendable {
  fileprivate nonisolated(unsafe) let weights: UnsafeMutableBufferPointer<fg_weight>
  fileprivate nonisolated(unsafe) let runs: UnsafeMutableBufferPointer<fg_weight_run>

  /// How many there are.
  package var count: Int { weights.count }

  /// Takes the weights of a layer that reads planes `step` floats apart; nil for planes of more than 8 GB.
  package init?(_ matrix: FloatStorage, channels: Int, step: Int) {
    guard matrix.count / channels * step <= Int(Int32.max) else { return nil }
    let values = UnsafeBufferPointer(start: matrix.pointer, count: matrix.count)
    var found: [fg_weight] = []
    var ranges: [Range<Int>] = []
    for channel in 0..<channels {
      let start = found.count
      for k in 0..<matrix.count / channels where values[k * channels + channel] != 0 {
        found.append(fg_weight(offset: Int32(k * step), value: values[k * channels + channel]))
      }
      ranges.append(start..<found.count)
    }
    let weights = UnsafeMutableBufferPointer.copying(found)
    let first = UnsafePointer(weights.baseAddress.unsafelyUnwrapped)
    self.weights = weights
    runs = .copying(
      ranges.map { fg_weight_run(first: first + $0.lowerBound, count: $0.count) })
  }

  deinit {
    weights.deallocate()
    runs.deallocate()
  }
}

/// Where the lines of planes are.
package struct PlaneLines: Sendable {
  /// Lines of the image, and floats of each, a multiple of the lanes.
  package var count: Int
  package var width: Int
  /// Floats from one plane to the next, and of those before each line.
  package var step: Int
  package var margin: Int
  /// Rows and columns of the image where all of it is one line, with a 0 after each row; otherwise a line is a row.
  package var rows = 0
  package var columns = 0

  /// Makes lines that are rows.
  package init(count: Int, width: Int, step: Int, margin: Int) {
    (self.count, self.width, self.step, self.margin) = (count, width, step, margin)
  }

  /// The least number of floats from one plane to the next that spreads planes over all sets of a cache: an odd multiple
  /// of its lines, of 16 floats.
  package static func step(_ least: Int) -> Int { ((least + 15) / 16 | 1) * 16 }

  /// Makes one line of a whole image; the margins are 0s for the rows above and below it. Width, margin and step are
  /// multiples of 16, so that planes of any number of channels can share memory, margin over margin.
  package init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (rows, columns)
    count = 1
    width = (rows * (columns + 1) + 15) / 16 * 16
    step = Self.step(width + columns + 2)
    margin = step - width
  }
}

/// Rows of one layer that later layers still read, in a ring.
package struct PlaneRing: Sendable {
  /// Planes of a row.
  package let channels: Int
  /// How many rows later than rows 0 it is computed; the first of a pair, where two are computed at a time.
  package let delay: Int
  /// A power of two.
  package var count = 1
  /// Floats from the start of the chain's memory.
  package var offset = 0

  /// Makes a ring of one row or of more.
  package init(channels: Int, delay: Int, count: Int = 1) {
    self.channels = channels
    self.delay = delay
    self.count = count
  }
}

/// Layers one after another, as the kernels read them.
// Safety: written only inside `init`; what the layers point to lives as long as their owner.
package final class PlaneLayers: Sendable {
  private nonisolated(unsafe) let layers: UnsafeMutableBufferPointer<fg_plane_layer>
  private nonisolated(unsafe) let rings: UnsafeMutableBufferPointer<fg_plane_rows>
  private nonisolated(unsafe) let offsets: UnsafeMutableBufferPointer<Int>
  fileprivate nonisolated(unsafe) let chain: fg_plane_chain
  private let sparse: [SparseWeights]

  /// Joins layers; rings[0] is the chain's first rows, rings[i + 1] the output of layer i.
  package init(_ works: [PlaneWork], rings: [PlaneRing], lines: PlaneLines) {
    sparse = works.compactMap(\.sparse)
    layers = .copying(
      works.map {
        fg_plane_layer(
          is_depthwise: $0.isDepthwise ? 1 : 0, source: $0.source, residual: $0.residual ?? -1,
          depth: $0.depth, residual_channels: $0.residualChannels, weights: $0.weights,
          runs: $0.sparse.map { UnsafePointer($0.runs.baseAddress.unsafelyUnwrapped) },
          bias: $0.bias, slopes: $0.slopes, low: $0.clamp.low, high: $0.clamp.high)
      })
    self.rings = .copying(
      rings.map {
        fg_plane_rows(
          channels: $0.channels, delay: $0.delay, count: $0.count, offset: $0.offset)
      })
    offsets = .copying((0..<(rings.map(\.channels).max() ?? 0)).map { $0 * lines.step })
    chain = fg_plane_chain(
      layers: layers.baseAddress, layer_count: layers.count, rows: self.rings.baseAddress,
      offsets: offsets.baseAddress, height: lines.count, width: lines.width, step: lines.step,
      margin: lines.margin, line_rows: lines.rows, row_width: lines.columns)
  }

  deinit {
    layers.deallocate()
    rings.deallocate()
    offsets.deallocate()
  }
}

extension UnsafeMutableBufferPointer {
  fileprivate static func copying(_ elements: [Element]) -> Self {
    let buffer = allocate(capacity: elements.count)
    _ = buffer.initialize(fromContentsOf: elements)
    return buffer
  }
}

// Safety: every pointer parameter must hold the floats that its sizes require; `width` is a multiple of `lanes`.
extension Kernels {
  /// A convolution of one row of planes with the epilogue of `convolve`.
  ///
  /// Tap k of a pixel is `offsets[k]` floats after it in `input`.
  package func convolvePlanes(
    _ input: UnsafePointer<Float>, offsets: UnsafePointer<Int>, width: Int, by layer: PlaneWork,
    into output: PlaneRow, channels: Int
  ) {
    var work = planes(
      input, offsets: offsets, width: width, by: layer, into: output, channels: channels)
    table.pointee.convolve_planes(&work)
  }

  /// Two rows of the output of a convolution from four sums of taps: a + b + c and a - b + d.
  ///
  /// The taps are listed as for one row, those of a first; `ends` are where those of a, b and c end.
  package func convolvePlanes(
    _ input: UnsafePointer<Float>, offsets: UnsafePointer<Int>, ends: (Int, Int, Int), width: Int,
    by layer: PlaneWork, into output: (PlaneRow, PlaneRow), channels: Int
  ) {
    var work = fg_winograd_planes(
      first: planes(
        input, offsets: offsets, width: width, by: layer, into: output.0, channels: channels),
      ends: ends, second: output.1.floats)
    table.pointee.winograd_planes(&work)
  }

  private func planes(
    _ input: UnsafePointer<Float>, offsets: UnsafePointer<Int>, width: Int, by layer: PlaneWork,
    into output: PlaneRow, channels: Int
  ) -> fg_planes {
    var work = fg_planes()
    work.input = input
    work.offsets = offsets
    work.depth = layer.depth
    work.weights = layer.weights
    work.bias = layer.bias
    work.slopes = layer.slopes
    work.output = output.floats
    work.output_step = output.step
    work.pixels = width
    work.channels = channels
    work.low = layer.clamp.low
    work.high = layer.clamp.high
    return work
  }

  /// What every layer of a chain computes at a time: row `time` minus its delay.
  ///
  /// Where lines are rows, `memory` begins with zeros: a plane and a margin.
  package func advance(
    _ layers: PlaneLayers, memory: UnsafeMutablePointer<Float>, time: Int
  ) {
    withUnsafePointer(to: layers.chain) { table.pointee.advance_planes($0, memory, time) }
  }
}
