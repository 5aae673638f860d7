/// A model that an engine has loaded and validated; sessions on any number of threads share it.
package protocol InferenceModel: Sendable {
  /// The inputs in the file's order.
  var inputs: [InferencePort] { get }
  /// The outputs in the file's order.
  var outputs: [InferencePort] { get }

  /// Loads a model's file; throws an error of one line for a model that the engine does not run.
  init(bytes: [UInt8]) throws

  /// Makes a session with all the memory that its runs take.
  func makeSession() -> any InferenceSession
}

/// Runs a model, each time on the thread that calls `run` and on no other; one for each worker.
///
/// No call allocates, and no run fails: a model whose runs might is refused at load.
package protocol InferenceSession: AnyObject {
  /// Lets `body` write an input before each run; its contents after a run are undefined.
  func withInput<R, E: Error>(
    _ index: Int, _ body: (inout MutableTensorView) throws(E) -> R
  ) throws(E) -> R

  /// Runs the model.
  func run()

  /// Lets `body` read an output of the last run.
  func withOutput<R, E: Error>(
    _ index: Int, _ body: (TensorView) throws(E) -> R
  ) throws(E) -> R
}

/// An input or output: floats in row-major order, which stand for the real numbers of a quantised tensor.
package struct InferencePort: Sendable, Hashable {
  /// The tensor's name in the file.
  package let name: String
  /// The tensor's shape.
  package let shape: Shape

  /// Describes a tensor.
  package init(name: String, shape: Shape) {
    (self.name, self.shape) = (name, shape)
  }
}
