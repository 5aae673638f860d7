import FacePipeline
import Foundation
import Platform
import TFLite
import Tensor

extension FuzzTarget {
  /// A `.tflite` file, planned and given its memory.
  static let model = FuzzTarget("model") { bytes in
    let model = try Model(bytes: bytes[...])
    _ = model.plan
    // Weights of nothing in particular take long for nothing; what is evaluated is the planning.
    guard model.arenaBytes < 16 << 20, model.multiplyAccumulates < 1 << 22 else { return }
    let session = Session(model)
    for index in model.inputs.indices {
      session.withInput(index) { span in
        for position in span.indices { span[position] = 0.5 }
      }
    }
    session.run()
    for index in model.outputs.indices { _ = session.output(index) }
  }

  /// A `.task` bundle, with every member of it.
  static let bundle = FuzzTarget("bundle") { bytes in
    let bundle = try ModelBundle(bytes: bytes, name: "fuzz.task")
    for name in bundle.memberNames { _ = try bundle.member(name) }
  }

  /// The options of a custom operator, read in every way there is.
  static let flexbuffer = FuzzTarget("flexbuffer") { bytes in
    let map = try FlexMap(bytes[...], of: "a custom operator")
    for key in ["a", "b", "block_size", "half_width_offset", "left_eye", "matrix"] {
      _ = try? map.integer(key, in: -1000...1000)
      _ = try? map.float(key)
      _ = try? map.integers(key, in: 0...477, maximumCount: 478)
    }
  }

  /// MediaPipe's `GeometryPipelineMetadata`.
  static let canonicalMesh = FuzzTarget("canonical-mesh") { bytes in
    _ = try CanonicalFaceMesh(protobuf: bytes)
  }

  /// A head of `fit blendshapes`, written again.
  static let blendshapeHead = FuzzTarget("blendshape-head") { bytes in
    let head = try BlendshapeHead(json: bytes, source: "head.json")
    let again = try BlendshapeHead(json: head.json(), source: "head.json")
    precondition(again == head, "a head that is not what was written")
  }

  /// A card of a detector or landmark model; a card that is refused must be refused in one line.
  static let modelCard = FuzzTarget("model-card") { bytes in
    func refusal(_ body: () throws(FileError) -> Void) {
      do { try body() } catch {
        precondition(!error.description.contains("\n"), "an error of several lines")
      }
    }
    refusal { () throws(FileError) in _ = try DetectorCard(json: bytes, path: "card.json") }
    refusal { () throws(FileError) in _ = try LandmarkCard(json: bytes, path: "card.json") }
  }

  /// The state that an interrupted evaluation goes on from.
  static let trackingState = FuzzTarget("tracking-state") { bytes in
    guard let state = TrackingState(json: bytes) else { return }
    let again = try TrackingState(json: state.json())
    precondition(again != nil, "a state that cannot be read back")
  }
}
