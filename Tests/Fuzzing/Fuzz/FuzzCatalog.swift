extension FuzzTarget {
  /// Every target.
  static let all: [FuzzTarget] =
    [
      model, bundle, flexbuffer, canonicalMesh, blendshapeHead, modelCard, trackingState, image,
      pairs, mesh, record,
      gates,
      baseline, results, shardPlan,
      calibration, rules, hdf5, hdf5Listing, shards, sweepPart, pointMapping, tracker,
    ] + importers
}
