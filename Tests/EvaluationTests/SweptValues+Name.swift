import FacePipeline
import Tuning

extension SweptValues {
  /// Some values of the setting of a name.
  init(_ name: String, _ values: [Double]) {
    // swift-format-ignore: NeverForceUnwrap
    self.init(PipelineSetting.named(name)!, values)
  }
}
