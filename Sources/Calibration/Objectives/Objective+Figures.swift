extension Objective {
  /// Throws the first figure that it names and that is not there.
  package func checkFigures(among known: [String]) throws(CalibrationError) {
    for name in [figure] + limits.map(\.figure) where !known.contains(name) {
      throw .unknownFigure(name, among: known)
    }
  }

  /// The names of the figures: the goal's, then each limit's.
  package var figureNames: [String] { [figure] + limits.map(\.figure) }
}
