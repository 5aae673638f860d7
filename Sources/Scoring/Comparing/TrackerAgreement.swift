internal import Datasets
internal import FaceCore
internal import Metrics
internal import Platform
internal import Records

/// How far runs agree with one another on the same frames, without labels.
struct TrackerAgreement {
  /// What two runs have in common, over some frames.
  private struct Sums {
    /// Faces of both in pairs, and all faces of both.
    var (shared, given) = (0.0, 0.0)
    var (distance, distances) = (0.0, 0.0)
    var (change, changes) = (0.0, 0.0)
  }

  private struct Difference {
    var frame: Int
    var faces: Int
    var points: Double
    var text: String
  }

  private let count: Int
  private let pairs: [(first: Int, second: Int)]
  /// By run: whether its faces have positions, without which they are no other run's.
  private let hasPositions: [Bool]
  /// The positions of the pairs of which both have them.
  private let comparable: [Int]
  private let clusters: FrameClusters
  /// By pair and cluster.
  private var sums: [[Sums]]
  /// By run and cluster: frames in which only it differs.
  private var alone: [[Double]]
  /// By cluster: frames that all analysed.
  private var frames: [Double]
  private var differences: [[Difference]]

  init(hasPositions: [Bool], clusters: FrameClusters) {
    let runs = hasPositions.count
    let pairs = (0..<runs).flatMap { first in
      (first + 1..<runs).map { (first: first, second: $0) }
    }
    count = runs
    self.pairs = pairs
    self.hasPositions = hasPositions
    comparable = pairs.indices.filter {
      hasPositions[pairs[$0].first] && hasPositions[pairs[$0].second]
    }
    self.clusters = clusters
    sums = Array(repeating: Array(repeating: Sums(), count: clusters.count), count: pairs.count)
    alone = Array(repeating: Array(repeating: 0, count: clusters.count), count: runs)
    frames = Array(repeating: 0, count: clusters.count)
    differences = Array(repeating: [], count: runs)
  }

  /// Takes in what all runs output in a frame; a frame that one did not analyse is left out.
  mutating func add(_ frame: Int, _ runs: [FramePrediction]) throws(MetricError) {
    guard let cluster = clusters.cluster(of: frame),
      runs.allSatisfy({ $0.status == .analysed })
    else { return }
    frames[cluster] += 1
    var apart = pairs.map { _ in 0.0 }
    var distances: [Double?] = pairs.map { _ in nil }
    for index in comparable {
      let pair = pairs[index]
      let (first, second) = (runs[pair.first].faces, runs[pair.second].faces)
      let same = try FaceMatching.continuations(of: second, from: first, frame: frame)
      let given = Double(first.count + second.count)
      sums[index][cluster].shared += 2 * Double(same.count)
      sums[index][cluster].given += given
      apart[index] = given == 0 ? 0 : 1 - 2 * Double(same.count) / given
      var own: [Double] = []
      for (later, earlier) in same.sorted(by: { $0.key < $1.key }) {
        let (one, other) = (first[earlier], second[later])
        if let distance = one.distance(to: other) { own.append(distance) }
        if let change = one.coefficientDifference(from: other) {
          sums[index][cluster].change += change
          sums[index][cluster].changes += 1
        }
      }
      sums[index][cluster].distance += own.reduce(0, +)
      sums[index][cluster].distances += Double(own.count)
      distances[index] = own.max()
    }
    for run in 0..<count where canStandAlone(run) {
      let own = comparable.filter { pairs[$0].first == run || pairs[$0].second == run }
      let others = comparable.filter { !own.contains($0) }
      guard let other = others.first, others.allSatisfy({ apart[$0] == 0 }) else { continue }
      let counts = runs.map(\.faces.count)
      if own.allSatisfy({ apart[$0] > 0 }) {
        alone[run][cluster] += 1
        let rest = counts[pairs[other].first]
        note(
          Difference(
            frame: frame, faces: max(1, abs(counts[run] - rest)), points: 0,
            text: counts[run] == rest
              ? "\(Self.faces(rest)) as the others, elsewhere"
              : "\(Self.faces(counts[run])), the others \(rest)"), of: run)
      } else if let nearest = own.compactMap({ distances[$0] }).min(),
        own.allSatisfy({ distances[$0] != nil }),
        let spread = others.compactMap({ distances[$0] }).max(), nearest > spread
      {
        note(
          Difference(
            frame: frame, faces: 0, points: nearest - spread,
            text: "points \((100 * nearest).text(significantDigits: 2)) % of the face from the "
              + "others', which are \((100 * spread).text(significantDigits: 2)) % apart"),
          of: run)
      }
    }
  }

  /// Whether there are two others that its faces can be compared with.
  private func canStandAlone(_ run: Int) -> Bool {
    hasPositions[run] && hasPositions.count { $0 } > 2
  }

  /// The frames by cluster in which it can, none where it never does.
  private func frames(of run: Int) -> [Double] {
    canStandAlone(run) ? frames : frames.map { _ in 0 }
  }

  private static func faces(_ count: Int) -> String { count == 1 ? "1 face" : "\(count) faces" }

  private static let kept = 64

  private mutating func note(_ difference: Difference, of run: Int) {
    differences[run].append(difference)
    guard differences[run].count > 4 * Self.kept else { return }
    differences[run] = largest(of: run, limit: Self.kept)
  }

  private func largest(of run: Int, limit: Int) -> [Difference] {
    let sorted = differences[run].sorted {
      ($0.faces, $0.points, -$0.frame) > ($1.faces, $1.points, -$1.frame)
    }
    return clusters.first(limit, of: sorted, inFrame: \.frame)
  }

  /// The agreement with its intervals, and up to `limit` frames of each run; `name` gives a frame's name.
  func summary(
    _ bootstrap: ClusterBootstrap, frames limit: Int, name: (Int) throws -> String
  ) rethrows -> Ranking.Agreement {
    let copies = (0..<bootstrap.resamples).map {
      bootstrap.copies(ofDraw: $0, clusters: clusters.count)
    }
    func estimate(
      _ part: [Double], of whole: [Double], n: [Double], in range: MetricRange
    ) -> Ranking.Estimate {
      func ratio(_ copies: [Int]?) -> Double? {
        func sum(_ values: [Double]) -> Double {
          guard let copies else { return values.reduce(0, +) }
          return zip(values, copies).reduce(0) { $0 + $1.0 * Double($1.1) }
        }
        let all = sum(whole)
        return all > 0 ? sum(part) / all : nil
      }
      let value = ratio(nil)
      let sizes = ClusterSizes(whole.filter { $0 > 0 }, isOfOneClip: clusters.isOfOneClip)
      return Ranking.Estimate(
        value: value, n: Int(n.reduce(0, +)),
        interval: value.map { value in
          bootstrap.interval(of: copies.map { ratio($0) }, about: value, in: range, sizes: sizes)
        } ?? .none("there is nothing to compare"))
    }
    let pairs = zip(self.pairs, sums).map { pair, sums in
      Ranking.PairAgreement(
        first: pair.first, second: pair.second,
        faces: estimate(sums.map(\.shared), of: sums.map(\.given), n: sums.map(\.given), in: .unit),
        points: estimate(
          sums.map(\.distance), of: sums.map(\.distances), n: sums.map(\.distances),
          in: .atLeastZero),
        coefficients: estimate(
          sums.map(\.change), of: sums.map(\.changes), n: sums.map(\.changes), in: .atLeastZero))
    }
    let runs = try (0..<count).map { run in
      Ranking.RunAgreement(
        alone: estimate(alone[run], of: frames(of: run), n: frames(of: run), in: .unit),
        frames: try largest(of: run, limit: limit).map {
          Ranking.DifferingFrame(frame: try name($0.frame), index: $0.frame, text: $0.text)
        })
    }
    return Ranking.Agreement(frames: Int(frames.reduce(0, +)), pairs: pairs, runs: runs)
  }
}

extension FacePrediction {
  /// Mean distance of the points that both have over √(width · height) of both boxes; nil for other schemes.
  fileprivate func distance(to other: FacePrediction) -> Double? {
    guard let scheme, scheme == other.scheme, let box, let theirs = other.box else { return nil }
    let size = ((box.width * box.height).squareRoot() + (theirs.width * theirs.height).squareRoot())
    let distances = zip(points, other.points).compactMap { one, other -> Double? in
      let (x, y) = (Double(one.x - other.x), Double(one.y - other.y))
      let distance = (x * x + y * y).squareRoot()
      return distance.isFinite ? distance : nil
    }
    guard !distances.isEmpty, size > 0 else { return nil }
    return 2 * distances.reduce(0, +) / Double(distances.count) / size
  }

  /// Mean absolute difference of the coefficients that both have; nil without any.
  fileprivate func coefficientDifference(from other: FacePrediction) -> Double? {
    guard let own = blendshapes, let theirs = other.blendshapes else { return nil }
    // The first one is _neutral, which is nobody's expression.
    let differences = zip(own, theirs).dropFirst().map { abs(Double($0) - Double($1)) }
      .filter(\.isFinite)
    return differences.isEmpty
      ? nil : differences.reduce(0, +) / Double(differences.count)
  }
}
