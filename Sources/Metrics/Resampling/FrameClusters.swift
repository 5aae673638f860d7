/// Which frames belong together when a dataset is resampled: a subject's, else a video's, else related stills.
///
/// A clip that is the whole dataset is cut into stretches of as many frames, which take the place of clusters. They are
/// independent where what goes wrong stays alike for a small part of a stretch, and say nothing of other clips.
///
/// Source: Schmeiser 1982 for ten stretches (batches). Coverage by simulation: `ClipCoverageTests`.
package struct FrameClusters: Sendable, Hashable {
  /// Of few bytes, because each still has one.
  private struct Stretch: Sendable, Hashable {
    private var first, end: UInt32
    private var number: Int32
    private var member: Int32
    /// The next stretch of the same cluster; itself where there is none.
    var next: UInt32 = 0

    init(frames: Range<Int>, sequence: Int, cluster: Int) {
      first = UInt32(frames.lowerBound)
      end = UInt32(frames.upperBound)
      number = Int32(sequence)
      member = Int32(cluster)
    }

    var frames: Range<Int> {
      get { Int(first)..<Int(end) }
      set { (first, end) = (UInt32(newValue.lowerBound), UInt32(newValue.upperBound)) }
    }

    var sequence: Int { Int(number) }

    var cluster: Int {
      get { Int(member) }
      set { member = Int32(newValue) }
    }
  }

  /// The first and the last stretch of a cluster.
  private struct Member: Sendable, Hashable {
    var first: UInt32 = 0
    var last: UInt32 = 0
    var isEmpty = true
  }

  private enum Owner: Sendable, Hashable {
    case subject(String)
    case video(Int)
    case photo(Int)
    case stretch(Int)
  }

  /// So many stretches of a single clip stand for clusters.
  package static let stretches = 10

  /// For frames whose image or person others have too the first of them.
  private let photos: [Int: Int]
  /// The frames of the dataset's one clip; nil where there is more.
  private let clip: Range<Int>?
  /// Whether stills that follow each other are alike, as frames of a clip are.
  private let areStillsAlike: Bool

  private var stretches: [Stretch] = []
  private var owners: [Owner: Int] = [:]
  private var members: [Member] = []

  /// Starts without frames.
  ///
  /// `photos` names for each still whose image or person others have too the first of them; `clip` has the frames of a
  /// clip that is the whole dataset and long enough to be cut. `areStillsAlike` says that stills which follow each other are.
  package init(
    photos: [Int: Int] = [:], clip: Range<Int>? = nil, areStillsAlike: Bool = false
  ) {
    self.photos = photos
    self.clip = clip
    self.areStillsAlike = areStillsAlike
  }

  /// The stretch of a clip, from 0, that one of its frames is in.
  package static func stretch(of frame: Int, in clip: Range<Int>) -> Int {
    (frame - clip.lowerBound) * stretches / clip.count
  }

  /// Whether the clusters are stretches of the dataset's one clip.
  package var isOfOneClip: Bool { clip != nil }

  /// How many clusters there are.
  package var count: Int { members.count }

  /// Adds the frame after those that are there; an empty subject is nobody's.
  ///
  /// Frames come in ascending order.
  package mutating func add(_ frame: Int, sequence: Int, subject: String, isVideo: Bool) {
    let owner: Owner? =
      if let clip {
        .stretch(Self.stretch(of: frame, in: clip))
      } else if !subject.isEmpty {
        .subject(subject)
      } else {
        isVideo ? .video(sequence) : photos[frame].map { .photo($0) }
      }
    let cluster = owner.flatMap { owners[$0] } ?? members.count
    if cluster == members.count {
      members.append(Member())
      if let owner { owners[owner] = cluster }
    }
    append(Stretch(frames: frame..<frame + 1, sequence: sequence, cluster: cluster))
  }

  /// Takes in the frames of a later part of the same dataset.
  package mutating func merge(_ later: FrameClusters) {
    var laterOwners = [Owner?](repeating: nil, count: later.count)
    for (owner, cluster) in later.owners { laterOwners[cluster] = owner }
    let clusters = laterOwners.map { owner -> Int in
      if let known = owner.flatMap({ owners[$0] }) { return known }
      members.append(Member())
      if let owner { owners[owner] = members.count - 1 }
      return members.count - 1
    }
    for var stretch in later.stretches {
      stretch.cluster = clusters[stretch.cluster]
      append(stretch)
    }
  }

  /// Lengthens the last stretch where the frames go on from it.
  private mutating func append(_ stretch: Stretch) {
    if let last = stretches.last, last.cluster == stretch.cluster,
      last.sequence == stretch.sequence, last.frames.upperBound == stretch.frames.lowerBound
    {
      stretches[stretches.count - 1].frames =
        last.frames.lowerBound..<stretch.frames.upperBound
    } else {
      let position = UInt32(stretches.count)
      let member = members[stretch.cluster]
      if !member.isEmpty { stretches[Int(member.last)].next = position }
      members[stretch.cluster] = Member(
        first: member.isEmpty ? position : member.first, last: position, isEmpty: false)
      stretches.append(stretch)
      stretches[Int(position)].next = position
    }
  }

  /// The cluster of a frame; nil for one that was not added.
  package func cluster(of frame: Int) -> Int? {
    let own = stretches.indices.partitioningIndex { stretches[$0].frames.upperBound > frame }
    guard own < stretches.count, stretches[own].frames.contains(frame) else { return nil }
    return stretches[own].cluster
  }

  /// The clusters that have at least one of some frames, ascending.
  package func clusters(of frames: some Swift.Sequence<Int>) -> [Int] {
    let counts = counts(of: frames)
    return counts.indices.filter { counts[$0] > 0 }
  }

  /// How many clusters some frames are of, and how many of equal size those are worth.
  package func sizes(of frames: some Swift.Sequence<Int>) -> ClusterSizes {
    ClusterSizes(
      counts(of: frames).lazy.map(Double.init), isOfOneClip: isOfOneClip,
      areStillsAlike: areStillsAlike)
  }

  /// How many clusters there are, and how many of equal size they are worth by their frames.
  package var sizes: ClusterSizes {
    ClusterSizes(
      members.lazy.map { stretches(of: $0).reduce(0.0) { $0 + Double($1.frames.count) } },
      isOfOneClip: isOfOneClip, areStillsAlike: areStillsAlike)
  }

  private func counts(of frames: some Swift.Sequence<Int>) -> [Int] {
    var counts = [Int](repeating: 0, count: count)
    for frame in frames {
      if let cluster = cluster(of: frame) { counts[cluster] += 1 }
    }
    return counts
  }

  private func stretches(of member: Member) -> [Stretch] {
    guard !member.isEmpty else { return [] }
    var own = [stretches[Int(member.first)]]
    var position = member.first
    while position != member.last {
      position = stretches[Int(position)].next
      own.append(stretches[Int(position)])
    }
    return own
  }

  /// Takes one cluster alone.
  package func draw(only cluster: Int) -> FrameDraw {
    var draw = FrameDraw()
    for stretch in stretches(of: members[cluster]) { draw.take(stretch.frames) }
    return draw
  }

  /// Takes as many whole copies of each cluster as `copies` gives, one number per cluster.
  package func draw(_ copies: [some BinaryInteger]) -> FrameDraw {
    var draw = FrameDraw()
    for (member, times) in zip(members, copies) where times > 0 {
      let own = stretches(of: member)
      for _ in 0..<Int(times) {
        for stretch in own { draw.take(stretch.frames) }
      }
    }
    return draw
  }
}
