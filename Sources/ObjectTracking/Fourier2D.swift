internal import Foundation
internal import Tensor

/// The discrete Fourier transform of real planes of one size, as products of matrices.
///
/// Any size is supported equally. Planes are stored row by row, in each row one plane after the other:
/// [height, planes, width]. Only columns 0 to width / 2 of the spectrum are kept; the others are conjugates.
struct Fourier2D: Sendable {
  /// Rows of a plane, at least 1.
  let height: Int
  /// Columns of a plane, at least 1.
  let width: Int
  /// Columns of a spectrum.
  let frequencies: Int
  /// [width, 2 * frequencies]: cosines, then negated sines.
  private let rowsForward: [Float]
  /// [2 * frequencies, width]: weighted cosines, then negated sines, over the number of cells.
  private let rowsBackward: [Float]
  /// [2 * height, height]: cosines, then sines.
  private let columns: [Float]

  /// The complex spectra of planes: [height, planes, frequencies].
  struct Spectrum: Sendable {
    var real: [Float]
    var imaginary: [Float]
  }

  init(height: Int, width: Int) {
    self.height = height
    self.width = width
    let frequencies = width / 2 + 1
    self.frequencies = frequencies
    func angle(_ product: Int, _ size: Int) -> Double {
      2 * Double.pi * Double(product % size) / Double(size)
    }
    rowsForward = (0..<width).flatMap { x in
      (0..<frequencies).map { Float(cos(angle(x * $0, width))) }
        + (0..<frequencies).map { Float(-sin(angle(x * $0, width))) }
    }
    let cells = Double(width * height)
    let parts: [(Double) -> Double] = [{ cos($0) }, { -sin($0) }]
    rowsBackward = parts.flatMap { part in
      (0..<frequencies).flatMap { k in
        let weight = (k == 0 || 2 * k == width ? 1 : 2) / cells
        return (0..<width).map { Float(weight * part(angle(k * $0, width))) }
      }
    }
    let waves: [(Double) -> Double] = [{ cos($0) }, { sin($0) }]
    columns = waves.flatMap { wave in
      (0..<height).flatMap { y in (0..<height).map { Float(wave(angle(y * $0, height))) } }
    }
  }

  /// The spectra of planes; `values` is [height, planes, width].
  func spectrum(of values: [Float], planes: Int) -> Spectrum {
    let pair = 2 * frequencies
    let along = Self.product(
      values, rowsForward, rows: height * planes, depth: width, columns: pair)
    let across = Self.product(
      columns, along, rows: 2 * height, depth: height, columns: planes * pair)
    var result = Spectrum(real: [], imaginary: [])
    result.real.reserveCapacity(height * planes * frequencies)
    result.imaginary.reserveCapacity(height * planes * frequencies)
    for row in 0..<(height * planes) {
      let cosine = row * pair
      let sine = (height * planes + row) * pair
      for k in 0..<frequencies {
        result.real.append(across[cosine + k] + across[sine + frequencies + k])
        result.imaginary.append(across[cosine + frequencies + k] - across[sine + k])
      }
    }
    return result
  }

  /// The plane of one spectrum: [height, width].
  func plane(of spectrum: Spectrum) -> [Float] {
    let pair = 2 * frequencies
    var stacked: [Float] = []
    stacked.reserveCapacity(height * pair)
    for row in 0..<height {
      let range = (row * frequencies)..<((row + 1) * frequencies)
      stacked += spectrum.real[range]
      stacked += spectrum.imaginary[range]
    }
    let across = Self.product(columns, stacked, rows: 2 * height, depth: height, columns: pair)
    for row in 0..<height {
      let cosine = row * pair
      let sine = (height + row) * pair
      for k in 0..<frequencies {
        stacked[cosine + k] = across[cosine + k] - across[sine + frequencies + k]
        stacked[cosine + frequencies + k] = across[cosine + frequencies + k] + across[sine + k]
      }
    }
    return Self.product(stacked, rowsBackward, rows: height, depth: pair, columns: width)
  }

  private static func product(
    _ a: [Float], _ b: [Float], rows: Int, depth: Int, columns: Int
  ) -> [Float] {
    precondition(a.count == rows * depth && b.count == depth * columns)
    return [Float](unsafeUninitializedCapacity: rows * columns) { output, count in
      a.withUnsafeBufferPointer { a in
        b.withUnsafeBufferPointer { b in
          guard let a = a.baseAddress, let b = b.baseAddress, let output = output.baseAddress
          else { return }
          // Safety: the three hold rows * depth, depth * columns and rows * columns floats.
          BLAS.multiply(a, b, into: output, rows: rows, depth: depth, columns: columns)
          count = rows * columns
        }
      }
    }
  }
}
