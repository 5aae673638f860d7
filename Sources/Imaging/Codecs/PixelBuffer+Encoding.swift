internal import CImaging
internal import CTurboJPEG
internal import Foundation

/// How a JPEG stores its two color-difference channels.
package enum ChromaSampling: Sendable, Hashable {
  /// One sample per pixel (4:4:4).
  case full
  /// One sample per two by two pixels (4:2:0).
  case quarter
}

extension PixelBuffer {
  /// The image as a baseline JPEG of quality 1 to 100. Throws if a side is 0 or above 65,500.
  package func jpegBytes(
    quality: Int, chroma: ChromaSampling = .quarter
  ) throws(ImageError) -> [UInt8] {
    try checkEncodable(as: .jpeg)
    guard (1...100).contains(quality) else {
      throw ImageError("encode", "JPEG", expected: "a quality of 1 to 100", found: "\(quality)")
    }
    let sampling = Int32((chroma == .full ? TJSAMP_444 : TJSAMP_420).rawValue)
    guard let turbo = tjInitCompress() else {
      throw ImageError("encode", "JPEG", expected: "memory for a codec", found: "none")
    }
    defer { tjDestroy(turbo) }
    var count = tjBufSize(Int32(width), Int32(height), sampling)
    var status: Int32 = -1
    // Safety: the buffer has the size that TurboJPEG names as its largest output, and may not grow.
    let encoded = [UInt8](unsafeUninitializedCapacity: Int(count)) { to, written in
      var start = to.baseAddress
      status = bytes.withUnsafeBufferPointer { from in
        tjCompress2(
          turbo, from.baseAddress, Int32(width), 0, Int32(height), TJPF_RGB.rawValue,
          &start, &count, sampling, Int32(quality), TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT)
      }
      written = status == 0 ? Int(count) : 0
    }
    guard status == 0 else {
      throw ImageError(
        "encode", "JPEG", expected: "\(width)x\(height) pixels that fit",
        found: "'\(String(cString: tjGetErrorStr2(turbo)))'")
    }
    return encoded
  }

  /// The image as an RGB8 PNG. Throws if a side is 0 or above 65,500.
  package func pngBytes() throws(ImageError) -> [UInt8] {
    try checkEncodable(as: .png)
    var start: UnsafeMutablePointer<UInt8>?
    var count = 0
    defer { free(start) }
    let message = bytes.withUnsafeBufferPointer { from in
      CMessage.reporting { message in
        fg_png_write(
          from.baseAddress, UInt32(width), UInt32(height), &start, &count, message)
      }
    }
    if let message {
      throw ImageError(
        "encode", "PNG", expected: "\(width)x\(height) pixels that fit", found: "'\(message)'")
    }
    return Array(UnsafeBufferPointer(start: start, count: count))
  }

  private func checkEncodable(as format: ImageFormat) throws(ImageError) {
    let sides = 1...ImageHeader.maximumSide
    guard sides.contains(width), sides.contains(height) else {
      throw ImageError(
        "encode", format.rawValue, expected: "sides of 1 to \(ImageHeader.maximumSide)",
        found: "\(width)x\(height)")
    }
  }
}
