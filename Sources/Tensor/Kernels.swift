import CKernels
import Foundation

/// The SIMD kernels compiled for one instruction set. Layouts are row-major [height, width, channels].
// Safety: every pointer parameter must hold the floats that its sizes require, and outputs must
// not overlap inputs. The tables are constants of the C target.
package struct Kernels: Sendable {
  /// The instruction sets that kernels are compiled for, weakest first.
  package enum Level: Int, Sendable, CaseIterable {
    /// Any CPU of the architecture, 4 floats at a time.
    case baseline
    /// AVX2 with FMA, 8 floats at a time.
    case x86_64_v3
    /// AVX-512, 16 floats at a time.
    case x86_64_v4
    /// NEON, which every 64-bit ARM has, 8 floats at a time in two registers.
    case neon
  }

  /// The instruction set.
  package let level: Level
  nonisolated(unsafe) let table: UnsafePointer<fg_kernels>

  /// The kernels of a level; nil if this CPU cannot run them.
  package init?(level: Level) {
    guard let table = fg_kernels_at(Int32(level.rawValue)) else { return nil }
    self.level = level
    self.table = table
  }

  /// All kernels that this CPU can run, weakest first, up to the level that the environment names.
  package static let available: [Kernels] = {
    let all = Level.allCases.compactMap { Kernels(level: $0) }
    guard let limit, let end = all.firstIndex(where: { $0.name == limit }) else { return all }
    return Array(all[...end])
  }()

  /// The environment variable that names the strongest instruction set to use, so that machines compute alike.
  package static let limitVariable = "FACEGAUGE_KERNELS"
  /// What the variable asks for; nil where it is not set.
  package static var limit: String? {
    ProcessInfo.processInfo.environment[limitVariable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Why the kernels that the variable asks for cannot be used; nil where they are, or where it is not set.
  package static var limitProblem: String? {
    guard let limit, limit != available.last?.name else { return nil }
    return "cannot compute with \(limitVariable)=\(limit): expected one of "
      + available.map(\.name).joined(separator: ", ") + " on this machine"
  }

  /// The kernels that cover `channels` with the fewest unused floats; ties go to the longer vectors.
  ///
  /// Vectors longer than `channels` are excluded, and the baseline is used only without an alternative.
  package static func fitting(channels: Int) -> Kernels? {
    func covered(_ kernels: Kernels) -> Int {
      (channels + kernels.lanes - 1) / kernels.lanes * kernels.lanes
    }
    return available.dropFirst().filter { $0.lanes <= channels }
      .min { (covered($0), $1.lanes) < (covered($1), $0.lanes) } ?? available.first
  }

  /// The kernels for convolutions and pools of so many channels: the longest vectors of which half a one fits.
  ///
  /// These kernels end a row of channels with a half vector where that is enough. Fewer channels than half a vector are
  /// still faster with longer vectors than the baseline has.
  package static func covering(channels: Int) -> Kernels? {
    available.dropFirst().last { $0.halfLanes <= channels } ?? available.last
  }

  /// Name and version of the compiler that built the kernels.
  package static var compiler: String { String(cString: fg_compiler()) }

  /// The instruction set's name, such as `x86-64-v3`.
  package var name: String { String(cString: table.pointee.name) }

  /// Floats in one vector.
  package var lanes: Int { table.pointee.lanes }

  /// Floats in the shorter vector that may end a row of channels; `lanes` where there is none.
  package var halfLanes: Int { table.pointee.half_lanes }

  /// Lays out a row-major [depth, channels] matrix for `convolve` of this instruction set.
  package func pack(_ matrix: [Float], depth: Int, channels: Int) -> FloatStorage {
    precondition(matrix.count == depth * channels)
    return FloatStorage(count: table.pointee.packed_count(depth, channels)) { packed in
      matrix.withUnsafeBufferPointer {
        table.pointee.pack($0.baseAddress, depth, channels, packed.baseAddress)
      }
    }
  }

  /// Packed weights as 16-bit floats, two in the place of one; nil where a weight would be another number, or where the
  /// instruction set cannot widen them.
  package func narrow(_ packed: FloatStorage) -> FloatStorage? {
    var isExact = false
    let narrow = FloatStorage(count: (packed.count + 1) / 2) {
      isExact = table.pointee.narrow(packed.pointer, packed.count, $0.baseAddress) != 0
    }
    return isExact ? narrow : nil
  }

  /// A convolution over an input that carries its padding already, as one fused pass over some rows of the output.
  ///
  /// `residual` adds [pixels, residualChannels] to the first channels before the clamp, after which
  /// `slopes` [outputChannels] multiply negative values. `residual` and `output` are at the first of the rows. To one
  /// pixel, weights may be `narrow` ones.
  package func convolve(
    _ input: UnsafePointer<Float>, window: Window, inputChannels: Int,
    packed weights: UnsafePointer<Float>, areNarrow: Bool = false, bias: UnsafePointer<Float>,
    residual: UnsafePointer<Float>?, residualChannels: Int, slopes: UnsafePointer<Float>?,
    into output: UnsafeMutablePointer<Float>, outputChannels: Int, rows: Range<Int>, clamp: Clamp
  ) {
    var work = fg_convolution()
    work.weights = weights
    work.has_float16_weights = areNarrow ? 1 : 0
    work.bias = bias
    work.residual = residual ?? bias
    work.residual_channels = residual == nil ? 0 : residualChannels
    work.slopes = slopes
    work.output = output
    work.channels = outputChannels
    work.low = clamp.low
    work.high = clamp.high
    if window.isPointwise {
      work.input = input + rows.lowerBound * window.outputWidth * inputChannels
      work.rows = 1
      work.pixels = rows.count * window.outputWidth
      work.pixel_step = inputChannels
      work.segments = 1
      work.segment_length = inputChannels
    } else {
      work.row_step = window.strideHeight * window.paddedWidth * inputChannels
      work.input = input + rows.lowerBound * work.row_step
      work.rows = rows.count
      work.pixels = window.outputWidth
      work.pixel_step = window.strideWidth * inputChannels
      work.segments = window.kernelHeight
      work.segment_length = window.kernelWidth * inputChannels
      work.segment_step = window.paddedWidth * inputChannels
    }
    table.pointee.convolve(&work)
  }

  /// The product matrix · values with a bias a row, as one fused pass: [rows, depth] · [depth, columns].
  ///
  /// `residual` [rows, columns] is added before the clamp. It is what a pointwise convolution between two
  /// transpositions computes, with the same operations in the same order.
  package func mix(
    _ values: UnsafePointer<Float>, by matrix: UnsafePointer<Float>, rows: Int, depth: Int,
    columns: Int, bias: UnsafePointer<Float>, residual: UnsafePointer<Float>?,
    into output: UnsafeMutablePointer<Float>, clamp: Clamp
  ) {
    var work = fg_convolution()
    work.input = matrix
    work.weights = values
    work.bias = bias
    work.residual = residual ?? bias
    work.residual_channels = residual == nil ? 0 : columns
    work.output = output
    work.channels = columns
    work.low = clamp.low
    work.high = clamp.high
    work.rows = 1
    work.pixels = rows
    work.pixel_step = depth
    work.segments = 1
    work.segment_length = depth
    table.pointee.mix(&work)
  }

  /// A depthwise convolution, weights [kernelHeight, kernelWidth, channels], over some rows of the output.
  ///
  /// `zeros` holds a row of the input's length; `output` is the first of the rows. `slopes` [channels]
  /// multiply negative values after the clamp.
  package func depthwise(
    _ input: UnsafePointer<Float>, window: Window, channels: Int,
    weights: UnsafePointer<Float>, bias: UnsafePointer<Float>, zeros: UnsafePointer<Float>,
    slopes: UnsafePointer<Float>?, into output: UnsafeMutablePointer<Float>, rows: Range<Int>,
    clamp: Clamp
  ) {
    var work = fg_depthwise(
      input: input, input_height: window.inputHeight, input_width: window.inputWidth,
      channels: channels, weights: weights, bias: bias, zeros: zeros, slopes: slopes,
      output: output,
      first_row: rows.lowerBound, rows: rows.count, output_width: window.outputWidth,
      kernel_height: window.kernelHeight, kernel_width: window.kernelWidth,
      stride_height: window.strideHeight, stride_width: window.strideWidth,
      pad_top: window.padding.top, pad_left: window.padding.left, low: clamp.low, high: clamp.high)
    table.pointee.depthwise(&work)
  }

  /// The maximum under each window; padding is ignored.
  package func maxPool(
    _ input: UnsafePointer<Float>, window: Window, channels: Int,
    into output: UnsafeMutablePointer<Float>, clamp: Clamp
  ) {
    var work = fg_pool(
      input: input, input_height: window.inputHeight, input_width: window.inputWidth,
      channels: channels, output: output, output_height: window.outputHeight,
      output_width: window.outputWidth, kernel_height: window.kernelHeight,
      kernel_width: window.kernelWidth, stride_height: window.strideHeight,
      stride_width: window.strideWidth, pad_top: window.padding.top,
      pad_left: window.padding.left, low: clamp.low, high: clamp.high)
    table.pointee.max_pool(&work)
  }

  /// A bilinear resize by interpolations made at load, plus a residual of the output's size.
  package func resize(
    _ input: UnsafePointer<Float>, by resize: BilinearResize, channels: Int,
    residual: UnsafePointer<Float>?, into output: UnsafeMutablePointer<Float>
  ) {
    resize.rows.withUnsafeBufferPointer { rows in
      resize.columns.withUnsafeBufferPointer { columns in
        var work = fg_resize(
          input: input, residual: residual, input_width: resize.inputWidth, channels: channels,
          output: output, output_height: rows.count, output_width: columns.count,
          rows: rows.baseAddress, columns: columns.baseAddress)
        table.pointee.resize(&work)
      }
    }
  }

  /// Adds bias [channels] and a residual [pixels, residualChannels] to the values, clamps, then multiplies
  /// negative values by `slopes` [channels].
  package func finish(
    _ values: UnsafeMutablePointer<Float>, pixels: Int, channels: Int,
    bias: UnsafePointer<Float>, residual: UnsafePointer<Float>?, residualChannels: Int,
    slopes: UnsafePointer<Float>?, clamp: Clamp
  ) {
    table.pointee.finish(
      values, pixels, channels, bias, residual ?? bias, residual == nil ? 0 : residualChannels,
      slopes, clamp.low, clamp.high)
  }

  /// The values limited to a range.
  package func clamp(
    _ values: UnsafePointer<Float>, into clamped: UnsafeMutablePointer<Float>, count: Int,
    to clamp: Clamp
  ) {
    table.pointee.clamp(values, clamped, count, clamp.low, clamp.high)
  }
}

/// Arithmetic on two arrays, element by element.
package enum BinaryOperation: Sendable, Hashable {
  /// a + b
  case add
  /// a − b
  case subtract
  /// a · b
  case multiply
  /// a / b
  case divide
  /// (a − b)²
  case squaredDifference
  /// a where a ≥ 0, a · b elsewhere
  case slope
  /// The larger of a and b
  case maximum
  /// The smaller of a and b
  case minimum

  fileprivate var code: fg_binary {
    switch self {
    case .add: fg_add
    case .subtract: fg_subtract
    case .multiply: fg_multiply
    case .divide: fg_divide
    case .squaredDifference: fg_squared_difference
    case .slope: fg_slope
    case .maximum: fg_maximum
    case .minimum: fg_minimum
    }
  }
}

/// A function of one array's elements.
package enum UnaryOperation: Sendable, Hashable {
  /// −x
  case negate
  /// √x
  case squareRoot
  /// 1 / √x
  case reciprocalSquareRoot
  /// 1 / (1 + e⁻ˣ)
  case logistic
  /// eˣ
  case exponential
  /// x · min(max(x + 3, 0), 6) / 6
  case hardSwish

  fileprivate var code: fg_unary {
    switch self {
    case .negate: fg_negate
    case .squareRoot: fg_square_root
    case .reciprocalSquareRoot: fg_reciprocal_square_root
    case .logistic: fg_logistic
    case .exponential: fg_exponential
    case .hardSwish: fg_hard_swish
    }
  }
}

// Safety: every pointer parameter must hold the floats that the counts and strides require.
extension Kernels {
  /// Combines `count` pairs and clamps the results; a step of 0 repeats one float of its array, 1 walks along.
  ///
  /// `result` may be `a` or `b` itself.
  package func combine(
    _ operation: BinaryOperation, _ a: UnsafePointer<Float>, step aStep: Int,
    _ b: UnsafePointer<Float>, step bStep: Int, into result: UnsafeMutablePointer<Float>,
    count: Int, clamp: Clamp
  ) {
    table.pointee.binary(
      operation.code, a, aStep, b, bStep, result, count, clamp.low, clamp.high)
  }

  /// Maps `count` floats.
  package func map(
    _ operation: UnaryOperation, _ values: UnsafePointer<Float>,
    into result: UnsafeMutablePointer<Float>, count: Int
  ) {
    table.pointee.unary(operation.code, values, result, count)
  }

  /// Layer normalisation of rows as long as `scales`: (x − mean) · scale / √(variance + epsilon).
  package func normalize(
    _ values: UnsafePointer<Float>, rows: Int, scales: FloatStorage, epsilon: Float,
    into result: UnsafeMutablePointer<Float>
  ) {
    table.pointee.normalize(values, rows, scales.count, scales.pointer, epsilon, result)
  }

  /// Writes the columns of a [rows, columns] matrix as rows; `rowStep` may be of any sign.
  ///
  /// The rows of the result are `resultStep` floats apart, or without gaps.
  package func transpose(
    _ values: UnsafePointer<Float>, rowStep: Int, rows: Int, columns: Int,
    into result: UnsafeMutablePointer<Float>, resultStep: Int? = nil
  ) {
    table.pointee.transpose(values, rowStep, rows, columns, result, resultStep ?? rows)
  }

  /// The sum of `count` floats, added up in as many parts as a vector has lanes.
  package func sum(_ values: UnsafePointer<Float>, count: Int) -> Float {
    table.pointee.sum(values, count)
  }

  /// Multiplies and adds in registers as fast as the core can, in independent chains; the floating-point operations done.
  package func multiplyAdd(rounds: Int) -> Int {
    _ = table.pointee.multiply_add(rounds)
    return 2 * rounds * Int(FG_CHAINS) * lanes
  }
}
