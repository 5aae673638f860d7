package import FaceCore

/// A number made from blendshapes, such as `(mouthSmileLeft + mouthSmileRight)/2 - 0.1`.
package indirect enum ExpressionFormula: Sendable, Hashable {
  /// A constant.
  case number(Double)
  /// One coefficient.
  case coefficient(Blendshape)
  /// The largest of all coefficients but `_neutral`.
  case strongest
  /// The formula with the other sign.
  case negated(ExpressionFormula)
  /// Two formulas joined by `+`, `-`, `*` or `/`.
  case joined(Operator, ExpressionFormula, ExpressionFormula)
  /// A function of one formula or more.
  case call(Function, [ExpressionFormula])

  /// What joins two formulas.
  package enum Operator: Character, Sendable {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case over = "/"
  }

  /// What takes formulas in brackets.
  package enum Function: String, Sendable, CaseIterable {
    case max, min, mean, abs
  }

  /// The value over 52 coefficients; nil where one that it needs is not given or it is not finite.
  package func value(of coefficients: [Float]) -> Double? {
    guard coefficients.count == Blendshape.allCases.count else { return nil }
    let value = result(coefficients)
    return value.isFinite ? value : nil
  }

  private func result(_ coefficients: [Float]) -> Double {
    switch self {
    case .number(let number): return number
    case .coefficient(let blendshape): return Double(coefficients[blendshape.index])
    case .strongest:
      return Self.largest(
        Blendshape.allCases.filter { $0 != .neutral }.map { Double(coefficients[$0.index]) })
    case .negated(let formula): return -formula.result(coefficients)
    case .joined(let sign, let left, let right):
      let (left, right) = (left.result(coefficients), right.result(coefficients))
      switch sign {
      case .plus: return left + right
      case .minus: return left - right
      case .times: return left * right
      case .over: return left / right
      }
    case .call(let function, let formulas):
      let values = formulas.map { $0.result(coefficients) }
      switch function {
      case .max: return Self.largest(values)
      case .min: return -Self.largest(values.map { -$0 })
      case .mean: return values.reduce(0, +) / Double(values.count)
      case .abs: return values.first.map(Swift.abs) ?? .nan
      }
    }
  }

  /// NaN where any value is.
  private static func largest(_ values: [Double]) -> Double {
    values.reduce(-Double.infinity) { $0.isNaN || $1.isNaN ? .nan : Swift.max($0, $1) }
  }
}

extension ExpressionFormula: CustomStringConvertible {
  /// As it is written in a rules file; reading it again gives an equal formula.
  package var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .coefficient(let blendshape): blendshape.rawValue
    case .strongest: "strongest"
    case .negated(let formula): "-\(formula.inner)"
    case .joined(let sign, let left, let right):
      "\(left.inner) \(sign.rawValue) \(right.inner)"
    case .call(let function, let formulas):
      "\(function.rawValue)(\(formulas.map(\.description).joined(separator: ", ")))"
    }
  }

  /// In brackets where it would else be read as part of what is around it.
  private var inner: String {
    switch self {
    case .joined: "(\(description))"
    case .number, .coefficient, .strongest, .negated, .call: description
    }
  }
}
