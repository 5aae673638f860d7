internal import CImaging
package import FaceCore
internal import Foundation

/// Values of samples outside an image.
package enum ImageBorder: Sendable, Hashable {
  /// Black.
  case zero
  /// The nearest pixel of the image.
  case replicate
}

/// Crops a rotated region into a float tensor, bit for bit like MediaPipe's CPU converter.
///
/// Tensor pixel 0 samples the region's corner itself, without a half-pixel shift; positions round to
/// 1/32 pixel, values to 8 bits.
package struct ImageToTensor: Sendable {
  /// Tensor width in pixels.
  package let width: Int
  /// Tensor height in pixels.
  package let height: Int
  /// Whether the region grows to the tensor's aspect ratio, rather than being stretched to it.
  package let keepsAspectRatio: Bool
  /// The border mode around the image.
  package let border: ImageBorder
  /// The values of bytes 0 and 255.
  package let range: ClosedRange<Float>

  /// Makes a converter for tensors `[height, width, 3]`.
  package init(
    width: Int, height: Int, keepsAspectRatio: Bool, border: ImageBorder, range: ClosedRange<Float>
  ) {
    self.width = width
    self.height = height
    self.keepsAspectRatio = keepsAspectRatio
    self.border = border
    self.range = range
  }

  /// The number of floats in a tensor.
  package var count: Int { width * height * 3 }

  /// Writes the tensor `[height, width, 3]` of a region and returns the matrix that projects results back.
  ///
  /// The matrix is row-major 4 by 4 and maps coordinates normalised by the tensor to ones normalised by the
  /// image. Both are those of the original where the image was decoded smaller: centres of averaged squares are then sampled
  /// at their place in it. Nothing is allocated. Throws for a region without a finite positive size, an empty image or a
  /// tensor of another count.
  package func convert(
    _ image: borrowing PixelBuffer, region: NormalizedRect,
    into tensor: UnsafeMutableBufferPointer<Float>
  ) throws(ImageError) -> SIMD16<Float> {
    guard tensor.count == count, let start = tensor.baseAddress else {
      throw ImageError(
        "crop", "image", expected: "a tensor of \(count) floats", found: "\(tensor.count)")
    }
    guard image.width > 0, image.height > 0 else {
      throw ImageError(
        "crop", "image", expected: "at least one pixel", found: "\(image.width)x\(image.height)")
    }
    let size = image.originalSize
    let pixels = pixelRegion(of: region, in: size)
    guard pixels.width > 0, pixels.height > 0,
      let homography = Homography(
        fromTensor: (width, height), to: pixels.corners(reducedBy: image.reduction))
    else {
      throw ImageError(
        "crop", "image", expected: "a region of finite positive size", found: "\(region)")
    }
    let scale = (range.upperBound - range.lowerBound) / 255
    let m = homography.elements
    image.bytes.withUnsafeBufferPointer { bytes in
      // Safety: the crop reads `width * height * 3` bytes of the image and writes `count` floats.
      var crop = fg_crop(
        rgb: bytes.baseAddress, width: Int32(image.width), height: Int32(image.height),
        inverse: (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]),
        replicate: border == .replicate, tensor_width: Int32(width),
        tensor_height: Int32(height), scale: scale, offset: range.lowerBound, tensor: start)
      fg_crop_to_tensor(&crop)
    }
    return pixels.projection(width: size.width, height: size.height)
  }

  /// The matrix that `convert` returns for a region of an image of that size.
  package func projection(of region: NormalizedRect, in size: ImageSize) -> SIMD16<Float> {
    pixelRegion(of: region, in: size).projection(width: size.width, height: size.height)
  }

  private func pixelRegion(of region: NormalizedRect, in image: ImageSize) -> PixelRegion {
    var pixels = PixelRegion(
      x: region.xCenter * Float(image.width), y: region.yCenter * Float(image.height),
      width: region.width * Float(image.width), height: region.height * Float(image.height),
      rotation: region.rotation)
    guard keepsAspectRatio else { return pixels }
    let tensorAspect = Float(height) / Float(width)
    if tensorAspect > pixels.height / pixels.width {
      pixels.height = pixels.width * tensorAspect
    } else {
      pixels.width = pixels.height / tensorAspect
    }
    return pixels
  }
}

/// A rotated rectangle in pixels, in the single precision that MediaPipe computes with.
private struct PixelRegion {
  var x, y, width, height, rotation: Float

  /// x and y of bottom left, top left, top right, bottom right, computed via degrees like OpenCV's rotated rectangle.
  ///
  /// They are positions between centres of pixels. A reduced pixel's centre lies in the middle of the `reduction` centres
  /// that it averages.
  func corners(reducedBy reduction: Int) -> SIMD8<Double> {
    let degrees = Float(Double(rotation * 180) / Double.pi)
    let radians = Double(degrees) * Double.pi / 180
    let b = Float(cos(radians)) * 0.5
    let a = Float(sin(radians)) * 0.5
    let bottomLeft = SIMD2(x - a * height - b * width, y + b * height - a * width)
    let topLeft = SIMD2(x + a * height - b * width, y - b * height - a * width)
    let twice = SIMD2(2 * x, 2 * y)
    let scale = Double(reduction)
    func reduced(_ corner: SIMD2<Float>) -> SIMD2<Double> {
      (SIMD2<Double>(corner) - (scale - 1) / 2) / scale
    }
    return SIMD8(
      lowHalf: SIMD4(lowHalf: reduced(bottomLeft), highHalf: reduced(topLeft)),
      highHalf: SIMD4(
        lowHalf: reduced(twice - bottomLeft), highHalf: reduced(twice - topLeft)))
  }

  func projection(width imageWidth: Int, height imageHeight: Int) -> SIMD16<Float> {
    let (c, d) = (cosf(rotation), sinf(rotation))
    let (g, h) = (1 / Float(imageWidth), 1 / Float(imageHeight))
    var m = SIMD16<Float>(repeating: 0)
    m[0] = width * c * g
    m[1] = -height * d * g
    m[3] = (-0.5 * width * c + 0.5 * height * d + x) * g
    m[4] = width * d * h
    m[5] = height * c * h
    m[7] = (-0.5 * height * c - 0.5 * width * d + y) * h
    m[10] = width * g
    m[15] = 1
    return m
  }
}
