import Foundation
import Tensor
import TestSupport

/// TensorFlow Lite's own engine, by its C library in a Python package of requirements-live.txt.
struct LiteRTModel: InferenceModel {
  /// The path of the Python that has the package; nil for none.
  static let python = LivePython.path
  private static let library = Result { try LiteRTLibrary() }

  let inputs: [InferencePort]
  let outputs: [InferencePort]
  private let bytes: [UInt8]
  private let library: LiteRTLibrary

  init(bytes: [UInt8]) throws {
    let library = try Self.library.get()
    let session = try LiteRTSession(bytes, library)
    (self.bytes, self.library) = (bytes, library)
    inputs = try session.inputs.map { try library.port($0) }
    outputs = try session.outputs.map { try library.port($0) }
  }

  func makeSession() -> any InferenceSession {
    do {
      return try LiteRTSession(bytes, library)
    } catch {
      preconditionFailure("a model that was loaded has another session: \(error)")
    }
  }
}

/// An interpreter with one thread, and its copy of the model's file.
final class LiteRTSession: InferenceSession {
  private let library: LiteRTLibrary
  // Safety: the C library reads the file for as long as the interpreter lives; freed in `deinit`, after it.
  private let file: UnsafeMutableRawBufferPointer
  private let model, interpreter: OpaquePointer?
  let inputs, outputs: [OpaquePointer]

  init(_ bytes: [UInt8], _ library: LiteRTLibrary) throws {
    self.library = library
    file = .allocate(byteCount: bytes.count, alignment: 64)
    file.copyBytes(from: bytes)
    model = library.makeModel(file.baseAddress, file.count)
    let options = library.makeOptions()
    library.setThreads(options, 1)
    interpreter = model.flatMap { library.makeInterpreter($0, options) }
    library.deleteOptions(options)
    let isReady = interpreter.map { library.allocateTensors($0) } == 0
    inputs = (0..<(isReady ? library.inputCount(interpreter) : 0)).compactMap { [interpreter] in
      library.input(interpreter, $0)
    }
    outputs = (0..<(isReady ? library.outputCount(interpreter) : 0)).compactMap { [interpreter] in
      library.output(interpreter, $0)
    }
    // A first run finds what a model lacks.
    guard isReady, library.invoke(interpreter) == 0 else {
      throw LiteRTError("no model that TensorFlow Lite runs")
    }
  }

  deinit {
    library.deleteInterpreter(interpreter)
    library.deleteModel(model)
    file.deallocate()
  }

  func withInput<R, E: Error>(
    _ index: Int, _ body: (inout MutableTensorView) throws(E) -> R
  ) throws(E) -> R {
    // Safety: the interpreter owns the floats, as many as the tensor's bytes hold, until `deinit`.
    var view = MutableTensorView(unsafe: library.floats(of: inputs[index]))
    return try body(&view)
  }

  func run() {
    precondition(library.invoke(interpreter) == 0, "a model of fixed shapes ran before")
  }

  func withOutput<R, E: Error>(
    _ index: Int, _ body: (TensorView) throws(E) -> R
  ) throws(E) -> R {
    // Safety: as for inputs.
    try body(TensorView(unsafe: UnsafeBufferPointer(library.floats(of: outputs[index]))))
  }
}

struct LiteRTError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The functions of TensorFlow Lite's C interface, `tensorflow/lite/c/c_api.h`.
struct LiteRTLibrary: Sendable {
  typealias Handle = OpaquePointer?
  let makeModel: @Sendable @convention(c) (UnsafeRawPointer?, Int) -> Handle
  let deleteModel: @Sendable @convention(c) (Handle) -> Void
  let makeOptions: @Sendable @convention(c) () -> Handle
  let setThreads: @Sendable @convention(c) (Handle, Int32) -> Void
  let deleteOptions: @Sendable @convention(c) (Handle) -> Void
  let makeInterpreter: @Sendable @convention(c) (Handle, Handle) -> Handle
  let deleteInterpreter: @Sendable @convention(c) (Handle) -> Void
  let allocateTensors: @Sendable @convention(c) (Handle) -> Int32
  let invoke: @Sendable @convention(c) (Handle) -> Int32
  let inputCount, outputCount: @Sendable @convention(c) (Handle) -> Int32
  let input, output: @Sendable @convention(c) (Handle, Int32) -> Handle
  private let type, rank: @Sendable @convention(c) (Handle) -> Int32
  private let dimension: @Sendable @convention(c) (Handle, Int32) -> Int32
  private let name: @Sendable @convention(c) (Handle) -> UnsafePointer<CChar>?
  private let data: @Sendable @convention(c) (Handle) -> UnsafeMutableRawPointer?
  private let byteSize: @Sendable @convention(c) (Handle) -> Int

  init() throws {
    let script = "from importlib.util import find_spec; print(find_spec('pyopen_wakeword').origin)"
    let found = try ProcessResult(running: LiteRTModel.python ?? "", ["-c", script])
    let path = URL(filePath: found.output.trimmingCharacters(in: .newlines))
      .deletingLastPathComponent().appending(path: "lib/libtensorflowlite_c.so").path
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw LiteRTError("cannot open \(path): \(found.errors)")
    }
    func function<Function>(_ name: String, as type: Function.Type = Function.self) throws
      -> Function
    {
      guard let symbol = dlsym(library, "TfLite\(name)") else {
        throw LiteRTError("no TfLite\(name) in \(path)")
      }
      // Safety: the types are those of the library's header.
      return unsafeBitCast(symbol, to: type)
    }
    makeModel = try function("ModelCreate")
    deleteModel = try function("ModelDelete")
    makeOptions = try function("InterpreterOptionsCreate")
    setThreads = try function("InterpreterOptionsSetNumThreads")
    deleteOptions = try function("InterpreterOptionsDelete")
    makeInterpreter = try function("InterpreterCreate")
    deleteInterpreter = try function("InterpreterDelete")
    allocateTensors = try function("InterpreterAllocateTensors")
    invoke = try function("InterpreterInvoke")
    inputCount = try function("InterpreterGetInputTensorCount")
    outputCount = try function("InterpreterGetOutputTensorCount")
    input = try function("InterpreterGetInputTensor")
    output = try function("InterpreterGetOutputTensor")
    type = try function("TensorType")
    rank = try function("TensorNumDims")
    dimension = try function("TensorDim")
    name = try function("TensorName")
    data = try function("TensorData")
    byteSize = try function("TensorByteSize")
  }

  /// Describes a tensor; throws for one whose elements are not 32-bit floats.
  func port(_ tensor: OpaquePointer) throws -> InferencePort {
    let name = name(tensor).map { String(cString: $0) } ?? ""
    let sizes = (0..<rank(tensor)).map { Int(dimension(tensor, $0)) }
    guard type(tensor) == 1, let shape = Shape(sizes) else {
      throw LiteRTError("tensor '\(name)' of type \(type(tensor)), expected FLOAT32 of fixed shape")
    }
    return InferencePort(name: name, shape: shape)
  }

  func floats(of tensor: OpaquePointer) -> UnsafeMutableBufferPointer<Float> {
    UnsafeMutableRawBufferPointer(start: data(tensor), count: byteSize(tensor))
      .assumingMemoryBound(to: Float.self)
  }
}
