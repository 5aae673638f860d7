internal import FaceCore
internal import Imaging
internal import Platform
internal import Tensor

/// What a model of the user's expects of pixels: size, channels, layout and normalisation.
struct ModelInput: Sendable, Hashable {
  let width: Int
  let height: Int
  let channels: Channels
  let layout: Layout
  /// A value is (byte − mean) / divisor, one of each per channel.
  let mean: [Float]
  let divisor: [Float]
  /// How an image of another aspect ratio becomes the input; a detector's choice alone.
  let fit: Fit

  enum Channels: String, Sendable, CaseIterable {
    case rgb, bgr, gray
    var count: Int { self == .gray ? 1 : 3 }
  }

  enum Layout: String, Sendable, CaseIterable { case nhwc, nchw }

  enum Fit: String, Sendable, CaseIterable {
    /// The image is stretched to the input.
    case stretch
    /// The image is centred with black bars.
    case letterbox
  }

  /// Reads the card's `input`; only a detector's has a fit.
  init(_ node: JSONNode, hasFit: Bool) throws(FileError) {
    try node.requireKeys(
      ["size", "layout"], optional: ["channels", "mean", "divisor"] + (hasFit ? ["fit"] : []))
    let size = try node["size"].items(2...2, of: "numbers")
    width = try size[0].integer(1...4096)
    height = try size[1].integer(1...4096)
    channels = try node["channels"].given?.choice(Channels.self) ?? .rgb
    layout = try node["layout"].choice(Layout.self)
    mean = try Self.numbers(node["mean"], channels.count, default: 0)
    divisor = try Self.numbers(node["divisor"], channels.count, default: 1)
    guard divisor.allSatisfy({ abs($0) >= 1e-6 }) else {
      throw node["divisor"].wrong("numbers other than 0")
    }
    fit = try node["fit"].given?.choice(Fit.self) ?? .stretch
  }

  /// One number, or one for each channel.
  private static func numbers(
    _ node: JSONNode, _ channels: Int, default value: Float
  ) throws(FileError) -> [Float] {
    guard node.isGiven else { return Array(repeating: value, count: channels) }
    guard case .array? = node.value else {
      return Array(repeating: Float(try node.number(-1e6...1e6)), count: channels)
    }
    return try node.items(channels...channels, of: "numbers").map { (item) throws(FileError) in
      Float(try item.number(-1e6...1e6))
    }
  }

  /// The shape of the model's input.
  var shape: [Int] {
    layout == .nhwc
      ? [1, height, width, channels.count] : [1, channels.count, height, width]
  }

  /// Cuts a region of an image, black beyond it, with centres of pixels on centres of pixels.
  final class Writer {
    let input: ModelInput
    private let crop: ImageToTensor
    /// RGB from 0 to 255.
    private var pixels: [Float]
    /// From positions in the input that was written last, 0 to 1, to those in its image.
    private(set) var projection = DetectionDecoder.identity

    init(_ input: ModelInput) {
      self.input = input
      crop = ImageToTensor(
        width: input.width, height: input.height, keepsAspectRatio: input.fit == .letterbox,
        border: .zero, range: 0...255)
      pixels = [Float](repeating: 0, count: input.width * input.height * 3)
    }

    /// Fills the input.
    func write(
      _ image: borrowing PixelBuffer, region: NormalizedRect, into tensor: inout MutableTensorView
    ) throws(ImageError) {
      let size = image.originalSize
      projection = crop.projection(of: region, in: size)
      // The crop samples corners of pixels; half a pixel of the input less half a pixel of the image leads to centres.
      var shifted = region
      let across = SIMD2(projection[0], projection[4]) / Float(input.width)
      let down = SIMD2(projection[1], projection[5]) / Float(input.height)
      let pixel = SIMD2(1 / Float(size.width), 1 / Float(size.height))
      let shift = (across + down - pixel) / 2
      shifted.xCenter += shift.x
      shifted.yCenter += shift.y
      _ = try pixels.withMutableBuffer { (floats) throws(ImageError) in
        try crop.convert(image, region: shifted, into: floats)
      }
      normalize(into: &tensor)
    }

    /// Fills the input with an image that has no face.
    func write(_ probe: ModelProbe, into tensor: inout MutableTensorView) {
      pixels = probe.bytes(pixels.count)
      normalize(into: &tensor)
    }

    private func normalize(into tensor: inout MutableTensorView) {
      let count = input.width * input.height
      let channels = input.channels.count
      for pixel in 0..<count {
        let rgb = SIMD3(pixels[3 * pixel], pixels[3 * pixel + 1], pixels[3 * pixel + 2])
        for channel in 0..<channels {
          let byte: Float =
            switch input.channels {
            case .rgb: rgb[channel]
            case .bgr: rgb[2 - channel]
            case .gray: 0.299 * rgb.x + 0.587 * rgb.y + 0.114 * rgb.z
            }
          let position =
            input.layout == .nhwc ? pixel * channels + channel : channel * count + pixel
          tensor[position] = (byte - input.mean[channel]) / input.divisor[channel]
        }
      }
    }
  }
}

/// How a number of a model's output becomes a probability.
enum ScoreActivation: String, Sendable, CaseIterable { case none, logistic }
