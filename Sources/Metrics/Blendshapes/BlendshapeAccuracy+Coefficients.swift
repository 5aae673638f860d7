internal import FaceCore
package import Records

extension BlendshapeAccuracy {
  /// Error and concordance of each coefficient, in slices such as `coefficient=jawOpen`.
  ///
  /// Coefficients that no found face has both labelled and given are left out; one whose label is dead has no concordance.
  package func coefficientFigures() -> [Measurement] {
    let faces = self.faces.count
    return channels().flatMap { channel in
      let n = channel.agreement.count
      return [
        (Self.meanAbsoluteError, channel.agreement.meanAbsoluteError),
        (Self.concordance, channel.isLabelDead ? nil : channel.agreement.concordance),
      ].flatMap { definition, value in
        definition.figures(
          value, n: n, missed: faces - n, else: "the coefficient's label is dead (variance < 1e-6)")
      }
      .map { figure in
        var figure = figure
        figure.slice = "coefficient=\(channel.blendshape.rawValue)"
        return figure
      }
    }
  }
}
