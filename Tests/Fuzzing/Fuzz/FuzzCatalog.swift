extension FuzzTarget {
  /// Every target.
  static let all: [FuzzTarget] =
    [
      model, bundle, flexbuffer, canonicalMesh, trackingState, picture, pairs, record, gates,
      baseline,
      calibration, hdf5, shards,
    ] + importers
}
