package import Tensor

/// A TFLite operator: converts one node of the file into a step of the plan.
package protocol Operator: Sendable {
  /// The schema's name, such as `CONV_2D`; a custom operator's own name. Files give its number.
  static var name: String { get }
  /// The oldest operator version that is understood; 1 by default.
  static var oldestVersion: Int { get }
  /// The newest operator version that is understood, as are all between; 1 by default.
  static var newestVersion: Int { get }
  /// Validates a node; throws for an unsupported feature, with node and value.
  static func lower(_ node: Node) throws(ModelError) -> Lowering
}

extension Operator {
  /// The first version.
  package static var oldestVersion: Int { 1 }
  /// The first version.
  package static var newestVersion: Int { 1 }
}

/// An operator outside the schema, which a file refers to by `name` as its custom code.
package protocol CustomOperator: Operator {}

/// The result of loading a node.
package enum Lowering {
  /// A result known at load.
  case constant(Constant)
  /// The same floats as a tensor, under another shape.
  case alias(of: Int, shape: Shape)
  /// Work at run time that gives floats.
  case step(any Step)
  /// Work at run time that gives quantised numbers, as q − zero point.
  case quantized(any Step, TensorScale)
}

/// One piece of work of a plan, with one output.
package protocol Step: Sendable {
  /// Tensor numbers of its inputs, in the order of `StepMemory.inputs`.
  var inputs: [Int] { get set }
  /// Shape of its output.
  var outputShape: Shape { get }
  /// Multiply-accumulates in one run.
  var multiplyAccumulates: Int { get }
  /// Floats of weights and other constants that one run reads in addition to its inputs.
  var constantCount: Int { get }
  /// Floats of scratch memory in one run.
  var scratchCount: Int { get }
  /// Operator and kernel, such as `CONV_2D sgemm` or `DEPTHWISE_CONV_2D x86-64-v3`.
  var summary: String { get }
  /// This step with a zero padding of rows and columns included; nil if unsupported.
  func absorbing(padding: Window.Padding, inputShape: Shape) -> (any Step)?
  /// This step with a tensor of `channels` innermost elements added to its output; nil if unsupported.
  func absorbing(residual tensor: Int, channels: Int) -> (any Step)?
  /// This step with its output limited; nil if unsupported.
  func absorbing(clamp: Clamp) -> (any Step)?
  /// This step with negative outputs multiplied, channel by channel; nil if unsupported.
  func absorbing(slopes: FloatStorage) -> (any Step)?
  /// Runs the step.
  func run(_ memory: StepMemory)
}

extension Step {
  package var multiplyAccumulates: Int { 0 }
  package var constantCount: Int { 0 }
  package var scratchCount: Int { 0 }
  package func absorbing(padding: Window.Padding, inputShape: Shape) -> (any Step)? { nil }
  package func absorbing(residual tensor: Int, channels: Int) -> (any Step)? { nil }
  package func absorbing(clamp: Clamp) -> (any Step)? { nil }
  package func absorbing(slopes: FloatStorage) -> (any Step)? { nil }

  /// A copy with a change.
  func changed(_ change: (inout Self) -> Void) -> Self {
    var step = self
    change(&step)
    return step
  }
}

/// Memory of a step in one session.
// Safety: made by `Session` from a layout in which each tensor has its floats; valid during `run`.
package struct StepMemory {
  /// The inputs, in the order of `inputs`.
  package let inputs: UnsafePointer<UnsafePointer<Float>>
  /// The output, `outputShape.count` floats.
  package let output: UnsafeMutablePointer<Float>
  /// `scratchCount` floats of any content.
  package let scratch: UnsafeMutablePointer<Float>
}

/// The kernels that a plan may use.
package enum KernelChoice: Sendable, Hashable {
  /// The faster of OpenBLAS and the direct kernels, layer by layer.
  case automatic
  /// OpenBLAS for all convolutions, and the SIMD kernels of one level for the rest.
  case blas(Kernels.Level)
  /// The direct kernels of one level for everything.
  case direct(Kernels.Level)

  /// Kernels for work over `channels` innermost elements.
  func kernels(channels: Int) -> Kernels? {
    switch self {
    case .automatic: Kernels.fitting(channels: channels)
    case .blas(let level), .direct(let level): Kernels(level: level)
    }
  }

  /// Kernels for a convolution or a pool over `channels`.
  func kernels(covering channels: Int) -> Kernels? {
    switch self {
    case .automatic: Kernels.covering(channels: channels)
    case .blas(let level), .direct(let level): Kernels(level: level)
    }
  }
}

extension KernelChoice {
  /// Whether a convolution skips OpenBLAS.
  ///
  /// The direct kernels are faster if they can keep four neighbouring pixels of a row in
  /// registers; they process rows of two or three pixels one by one. OpenBLAS's AVX-512 small-matrix path
  /// allocates on every call unless the number of columns is a multiple of 16.
  func isDirect(window: Window, channels: Int) -> Bool {
    switch self {
    case .automatic:
      window.isPointwise || !(2...3 ~= window.outputWidth) || !channels.isMultiple(of: 16)
    case .blas: false
    case .direct: true
    }
  }
}
