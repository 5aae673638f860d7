import FaceCore
import Foundation

/// Points of upright faces in the orders of files.
enum FacePoints {
  /// An eye distance of 40 pixels, the eyes' middle at (100, 80) and `shift` further right.
  static func at(_ x: Double, _ y: Double, shift: Double = 0) -> Point {
    Point(x: 100 + shift + 20 * x, y: 80 + 20 * y)
  }

  /// The subject's right eye, left eye, nose, right and left corner of the mouth.
  static func five(shift: Double = 0) -> [Point] {
    [(-1, 0), (1, 0), (0, 1.1), (-0.9, 2.1), (0.9, 2.1)].map { at($0.0, $0.1, shift: shift) }
  }

  /// dlib's five points.
  static func dlib5(shift: Double = 0) -> [Point] {
    [(1.4, 0), (0.6, 0), (-1.4, 0), (-0.6, 0), (0, 1.5)].map { at($0.0, $0.1, shift: shift) }
  }

  /// The 68 points of 300-W.
  static func ibug68(shift: Double = 0) -> [Point] {
    let jaw = (0..<17).map { index -> (Double, Double) in
      let angle = Double(index) / 16 * .pi
      return (-2.3 * cos(angle), 3.7 * sin(angle))
    }
    let brows = [-1.8, -1.5, -1.2, -0.8, -0.4, 0.4, 0.8, 1.2, 1.5, 1.8].map { ($0, -0.6) }
    let nose = [0, 0.4, 0.8, 1.1].map { (0.0, $0) } + [-0.4, -0.2, 0, 0.2, 0.4].map { ($0, 1.45) }
    let eye = [(-0.4, 0), (-0.15, -0.1), (0.15, -0.1), (0.4, 0), (0.15, 0.1), (-0.15, 0.1)]
    let eyes = [-1.0, 1].flatMap { centre in eye.map { ($0.0 + centre, $0.1) } }
    func lips(_ count: Int, _ width: Double, _ height: Double) -> [(Double, Double)] {
      (0..<count).map { index in
        let angle = Double(index) / Double(count) * 2 * .pi
        return (-width * cos(angle), 2.1 - height * sin(angle))
      }
    }
    let all = jaw + brows + nose + eyes + lips(12, 0.9, 0.4) + lips(8, 0.7, 0.1)
    return all.map { at($0.0, $0.1, shift: shift) }
  }
}
