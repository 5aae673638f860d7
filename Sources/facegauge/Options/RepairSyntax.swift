import CommandSyntax
import FaceCore
import Platform

extension ValueSyntax<FaceRepair> {
  /// `NAME` or `NAME=VALUE`.
  static var repair: Self {
    let forms = FaceRepair.all.map { $0.name + ($0.value.map { "=\($0)" } ?? "") }
    return Self(
      summary: (forms + ["\(FaceRepair.pointsPrefix)NAME"]).joined(separator: ", "),
      completion: .words(FaceRepair.all.map { $0.name + ($0.value == nil ? "" : "=") })
    ) { word throws(ValueMismatch) in
      if let repair = FaceRepair(word) { return repair }
      let name = String(
        word.trimmingPrefix(FaceRepair.pointsPrefix).prefix { $0 != "=" })
      guard let known = FaceRepair.all.first(where: { $0.name == name }) else {
        let names = FaceRepair.all.map(\.name)
        throw ValueMismatch(
          expected: "one of \(forms.joined(separator: ", "))"
            + Suggestion.clause(for: name, among: names))
      }
      guard FaceRepair(String(word.trimmingPrefix(FaceRepair.pointsPrefix))) == nil else {
        throw ValueMismatch(
          expected: "a change of positions after \(FaceRepair.pointsPrefix), such as "
            + "\(FaceRepair.points(.scale(x: 2, y: 2)).text)")
      }
      throw ValueMismatch(
        expected: known.value.map { "\(name)=\($0)" } ?? "\(name) without a value")
    } write: {
      $0.text
    }
  }
}
