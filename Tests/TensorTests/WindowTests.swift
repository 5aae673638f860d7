import Tensor
import Testing

@Suite struct WindowTests {
  /// From TensorFlow's definition: size, kernel, stride, positions before and after.
  @Test(arguments: [
    (128, 5, 2, 1, 2), (64, 3, 2, 0, 1), (64, 3, 1, 1, 1), (7, 3, 2, 1, 1), (4, 2, 2, 0, 0),
  ])
  func `SAME padding puts the odd position after`(
    _ size: Int, _ kernel: Int, _ stride: Int, _ before: Int, _ after: Int
  ) {
    let padding = Window.samePadding(size: size, kernel: kernel, stride: stride)
    #expect(padding.before == before)
    #expect(padding.after == after)
  }

  @Test func `a window that does not fit is refused`() {
    #expect(Window(input: (2, 2), kernel: (3, 1), stride: (1, 1), padding: .none) == nil)
    #expect(Window(input: (2, 2), kernel: (1, 1), stride: (0, 1), padding: .none) == nil)
    #expect(
      Window(
        input: (2, 2), kernel: (1, 1), stride: (1, 1),
        padding: Window.Padding(top: -1, bottom: 0, left: 0, right: 0)) == nil)
  }

  @Test func `shapes refuse empty sizes and more than a gibibyte`() {
    #expect(Shape([])?.count == 1)
    #expect(Shape([2, 3, 4])?.count == 24)
    #expect(Shape([2, 0]) == nil)
    #expect(Shape([Int.max, Int.max]) == nil)
    #expect(Shape([Shape.maximumCount])?.count == Shape.maximumCount)
    #expect(Shape([Shape.maximumCount, 2]) == nil)
  }

  /// Halves: one, two, the smallest subnormal, infinity, minus two thirds rounded to half.
  @Test func `half floats widen exactly`() {
    let bytes: [UInt8] = [0, 0x3c, 0, 0x40, 1, 0, 0, 0x7c, 0x55, 0xb9]
    #expect([Float](float16Bytes: bytes[...]) == [1, 2, 0x1p-24, .infinity, -0x1.554p-1])
  }
}
