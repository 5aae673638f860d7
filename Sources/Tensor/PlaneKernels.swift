import CKernels

/// One image row as planes: channel c has `width` floats at `floats + c * step`.
// Safety: holds channels * step floats, and one more before each plane's first and after its last float.
package struct PlaneRow {
  /// The first float of the first plane.
  package let floats: UnsafeMutablePointer<Float>
  /// Floats from one plane to the next; 0 where all are one plane.
  package let step: Int

  /// Makes a row at a pointer.
  package init(_ floats: UnsafeMutablePointer<Float>, step: Int) {
    self.floats = floats
    self.step = step
  }
}

// Safety: every pointer parameter must hold the floats that its sizes require; `width` is a multiple of `lanes`.
extension Kernels {
  /// A convolution of one row of planes with the epilogue of `convolve`, weights [depth, channels] not packed.
  ///
  /// Tap k of a pixel is `offsets[k]` floats after it in `input`.
  package func convolvePlanes(
    _ input: UnsafePointer<Float>, offsets: UnsafePointer<Int>, depth: Int, width: Int,
    weights: UnsafePointer<Float>,
    bias: UnsafePointer<Float>, residual: PlaneRow?, residualChannels: Int,
    slopes: UnsafePointer<Float>?, into output: PlaneRow, channels: Int, clamp: Clamp
  ) {
    var work = fg_planes(
      input: input, offsets: offsets, depth: depth, weights: weights, bias: bias,
      residual: residual?.floats, residual_step: residual?.step ?? 0,
      residual_channels: residual == nil ? 0 : residualChannels, slopes: slopes,
      output: output.floats, output_step: output.step, pixels: width, channels: channels,
      low: clamp.low, high: clamp.high)
    table.pointee.convolve_planes(&work)
  }

  /// A 3x3 depthwise convolution of one row of planes over the rows above, at and below it, weights [3, 3, channels].
  package func filterPlanes(
    _ rows: (PlaneRow, PlaneRow, PlaneRow), width: Int, weights: UnsafePointer<Float>,
    bias: UnsafePointer<Float>, slopes: UnsafePointer<Float>?, into output: PlaneRow,
    channels: Int, clamp: Clamp
  ) {
    var work = fg_plane_filter(
      rows: (
        UnsafePointer(rows.0.floats), UnsafePointer(rows.1.floats), UnsafePointer(rows.2.floats)
      ),
      row_steps: (rows.0.step, rows.1.step, rows.2.step), weights: weights, bias: bias,
      slopes: slopes, output: output.floats, output_step: output.step, pixels: width,
      channels: channels, low: clamp.low, high: clamp.high)
    table.pointee.filter_planes(&work)
  }
}
