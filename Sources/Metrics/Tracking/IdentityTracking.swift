internal import FaceCore
package import Records

/// How well faces keep who they are: CLEAR-MOT, ID measures and HOTA over the labelled video sequences.
///
/// Faces are compared by the boxes of `FaceMatching`, pairs have an IoU of .50 or more but for HOTA, and
/// each sequence stands alone. A prediction on an ignored label, a crowd or a labelled face without
/// identity counts neither way; one without identity is a track of that frame alone. Where an
/// identity is twice in a frame, the second has none. Frames that were not analysed are left out. The only label of a
/// frame without a position and its only face are a pair without an IoU: a pair at every overlap, which says nothing of
/// where faces are.
package struct IdentityTracking: FrameMetric {
  /// One analysed frame.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    package var sequence: Int
    /// Who is labelled, ascending.
    var people: [Int]
    /// Who is given out, ascending; nil, at the end, for a face without identity.
    var tracks: [Int?]
    /// IoU of each person with each track; 1 for a pair that has none.
    var overlaps: PairWeights
    /// Whether the overlaps are IoUs.
    var isLocated: Bool
  }

  package var frames = FrameTable<Entry>()
  package var videos = FrameTable<VideoSums<Sums>>()

  package init() {}

  package static var table: String { "tracking.mota" }

  /// What happened in some sequences, and what HOTA counts in them.
  package typealias Sums = NamedSums<Event, Pairing, Double>

  /// The frames with somebody labelled or given out.
  package var countedFrames: FrameRuns {
    frames.keys { !$0.people.isEmpty || !$0.tracks.isEmpty }
  }

  /// The sums over the frames of the table, each sequence for itself.
  package func sums() -> Sums {
    frames.sequences.reduce(into: Sums()) { sums, sequence in
      var own = Sums()
      own[.labelledFrames] = sequence.entries.count { !$0.people.isEmpty }
      own[.givenFrames] = sequence.entries.count { $0.tracks.contains { $0 != nil } }
      own.addEvents(of: sequence.entries)
      own.addPairs(of: sequence.entries)
      sums.add(own, times: 1)
    }
  }
}

extension IdentityTracking {
  /// ID measures first, then CLEAR-MOT, in the order that MOT Challenge prints them, then HOTA.
  package static let definitions = [
    idf1, idp, idr, recall, precision, people, mostlyTracked, partiallyTracked, mostlyLost,
    falsePositives, misses, switches, fragmentations, mota, motp, hota, detectionAccuracy,
    associationAccuracy, localizationAccuracy,
  ]

  private static let withoutPosition =
    "the only label of a frame, without a position, and its only face are a pair"

  /// Harmonic mean of IDP and IDR.
  package static let idf1 = definition(
    "idf1", "IDF1", .higher, in: .unit,
    "2·IDTP over labelled and given faces; IDTP: frames that people share (IoU .50 or more) with "
      + "the one track assigned to each over the whole sequence so that their number is largest; "
      + "in [0, 1]; \(withoutPosition)")
  /// Share of given faces under the right identity.
  package static let idp = definition(
    "idp", "ID precision", .higher, in: .proportion,
    "IDTP (tracking.idf1) over given faces; in [0, 1]")
  /// Share of labelled faces under the right identity.
  package static let idr = definition(
    "idr", "ID recall", .higher, in: .proportion,
    "IDTP (tracking.idf1) over labelled faces; in [0, 1]")
  /// Share of labelled faces that have a track.
  package static let recall = definition(
    "recall", "Tracking recall", .higher, in: .proportion,
    "labelled faces with a track over labelled faces; in [0, 1]; a track is kept while its IoU is "
      + ".50 or more, the rest is assigned for most pairs, then most IoU; \(withoutPosition)")
  /// Share of given faces that are on a labelled face.
  package static let precision = definition(
    "precision", "Tracking precision", .higher, in: .proportion,
    "labelled faces with a track over given faces; in [0, 1]")
  /// Labelled identities.
  package static let people = definition(
    "people", "Labelled people", .neither, unit: "people",
    "labelled identities, each sequence for itself; a property of the dataset")
  /// People who are nearly always found.
  package static let mostlyTracked = definition(
    "mostly_tracked", "Mostly tracked people", .higher, unit: "people",
    "people with a track in 80 % or more of their frames, whichever track")
  /// People who are found at times.
  package static let partiallyTracked = definition(
    "partially_tracked", "Partially tracked people", .lower, unit: "people",
    "people with a track in 20 % or more of their frames, and under 80 %")
  /// People who are hardly found.
  package static let mostlyLost = definition(
    "mostly_lost", "Mostly lost people", .lower, unit: "people",
    "people with a track in under 20 % of their frames")
  /// Given faces on nobody.
  package static let falsePositives = definition(
    "false_positives", "Faces on nobody", .lower, unit: "faces",
    "given faces that are no labelled face's track, over all frames")
  /// Labelled faces without a track.
  package static let misses = definition(
    "misses", "Faces without a track", .lower, unit: "faces",
    "labelled faces without a track, over all frames")
  /// Changes of the track that a person has.
  package static let switches = definition(
    "id_switches", "Identity switches", .lower, unit: "switches",
    "times that a person has another track than when last found")
  /// Interruptions of people's tracks.
  package static let fragmentations = definition(
    "fragmentations", "Fragmentations", .lower, unit: "times",
    "times that a person is no longer found, though later again")
  /// All errors of CLEAR-MOT over the labelled faces.
  package static let mota = definition(
    "mota", "MOTA", .higher, in: .any,
    "1 − (misses + false positives + identity switches) over labelled faces; in (−∞, 1]")
  /// How far tracks are from the faces that they are on.
  package static let motp = definition(
    "motp", "MOTP (distance)", .lower, in: .unit,
    "mean of 1 − IoU over the labelled faces with a track and a position; in [0, 0.5]")

  /// Detection and association in balance.
  package static let hota = higherOrder(
    "hota", "HOTA",
    "mean over the overlaps .05, .10 to .95 of √(DetA · AssA); \(withoutPosition), at each overlap")
  /// The part of HOTA that measures whether faces are found.
  package static let detectionAccuracy = higherOrder(
    "deta", "HOTA: detection accuracy",
    "mean over HOTA's overlaps of pairs over pairs, misses and false positives")
  /// The part of HOTA that measures whether faces keep their identities.
  package static let associationAccuracy = higherOrder(
    "assa", "HOTA: association accuracy",
    "mean over HOTA's overlaps of the mean over pairs of the frames that person and track have as a "
      + "pair, over those of either; 0 at an overlap without pairs")
  /// How close HOTA's pairs are.
  package static let localizationAccuracy = higherOrder(
    "loca", "HOTA: localisation accuracy",
    "mean over HOTA's overlaps of the mean IoU of pairs with a position; 1 at an overlap without "
      + "such pairs")

  private static let higherOrder = DefinitionGroup(
    prefix: "tracking.", direction: .higher, range: .unit,
    ending: "; in [0, 1], undefined where labelled or given faces have no identities",
    source: "Luiten et al. 2020")

  /// The metrics in the order of `definitions`; all are undefined without identities on both sides.
  package func measurements(of sums: Sums) -> [Measurement] {
    guard sums.hasIdentities else {
      return Self.definitions.map {
        $0.undefined("no video sequence has identities of labelled and of given faces", n: 0)
      }
    }
    func share(_ definition: MetricDefinition, _ part: Double, of whole: Int) -> Measurement {
      definition.ratio(part, of: whole, else: "no face to count")
    }
    func count(_ definition: MetricDefinition, _ value: Int, of n: Int) -> Measurement {
      definition.measurement(Double(value), n: n)
    }
    let errors = sums.misses + sums.falsePositives + sums[.switches]
    let found = Double(sums[.found])
    let mota =
      sums[.labelled] == 0 ? nil : 1 - Double(errors) / Double(sums[.labelled])
    let events: [Measurement] = [
      share(Self.idf1, Double(2 * sums[.identified]), of: sums[.labelled] + sums[.given]),
      share(Self.idp, Double(sums[.identified]), of: sums[.given]),
      share(Self.idr, Double(sums[.identified]), of: sums[.labelled]),
      share(Self.recall, found, of: sums[.labelled]),
      share(Self.precision, found, of: sums[.given]),
      count(Self.people, sums[.people], of: sums[.people]),
      count(Self.mostlyTracked, sums[.mostlyTracked], of: sums[.people]),
      count(Self.partiallyTracked, sums.partiallyTracked, of: sums[.people]),
      count(Self.mostlyLost, sums[.mostlyLost], of: sums[.people]),
      count(Self.falsePositives, sums.falsePositives, of: sums[.given]),
      count(Self.misses, sums.misses, of: sums[.labelled]),
      count(Self.switches, sums[.switches], of: sums[.labelled]),
      count(Self.fragmentations, sums[.fragmentations], of: sums[.labelled]),
      Self.mota.measurement(mota, n: sums[.labelled], else: "no face to count"),
      Self.motp.ratio(
        sums[.distance], of: sums[.located],
        else: sums[.found] == 0
          ? "no labelled face has a track" : "no labelled face with a track has a position"),
    ]
    func higherOrder(_ definition: MetricDefinition, _ value: Double?) -> Measurement {
      definition.measurement(
        value, n: value == nil ? 0 : sums[.labelled],
        else: sums.hasPairs ? "no labelled face with a track has a position" : "no face to count")
    }
    return events + [
      higherOrder(Self.hota, sums.accuracy),
      higherOrder(Self.detectionAccuracy, sums.detection),
      higherOrder(Self.associationAccuracy, sums.association),
      higherOrder(Self.localizationAccuracy, sums.localization),
    ]
  }

  private static let definition = DefinitionGroup(
    prefix: "tracking.", ending: "; undefined where labelled or given faces have no identities",
    source: "CLEAR-MOT (Bernardin and Stiefelhagen 2008), ID measures (Ristani et al. 2016)")
}

extension IdentityTracking: AdditiveFamily, FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [.labels, .faces]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard frame.isVideo, frame.prediction.status == .analysed else { return }
    let (index, labels) = (frame.frame.index, frame.labels)
    let (faces, matching) = (frame.faces, frame.matching)
    var labelOf: [Int: Int] = [:]
    var nameless: Set<Int> = []
    for label in (matching.matches.map(\.label) + matching.missed).sorted() {
      if let identity = labels[label].identity, labelOf[identity] == nil {
        labelOf[identity] = label
      } else {
        nameless.insert(label)
      }
    }
    let left = Set(matching.ignored).union(
      matching.matches.filter { nameless.contains($0.label) }.map(\.face))
    var faceOf: [Int: Int] = [:]
    var anonymous: [Int] = []
    for face in faces.indices where !left.contains(face) {
      if let identity = faces[face].identity, faceOf[identity] == nil {
        faceOf[identity] = face
      } else {
        anonymous.append(face)
      }
    }
    let people = labelOf.sorted { $0.key < $1.key }
    let tracks = faceOf.sorted { $0.key < $1.key }
    let hasInner = faces.haveInnerPoints
    let isLocated = !matching.matches.contains { $0.iou == nil }
    let shown = (tracks.map(\.value) + anonymous).map { faces[$0] }
    let boxes = shown.map(\.finiteBox)
    let places = people.map { labels[$0.value].matchingBoxes(hasInner: hasInner) }
    let entry = Entry(
      sequence: frame.frame.sequence, people: people.map(\.key),
      tracks: tracks.map(\.key) + anonymous.map { _ in nil },
      overlaps: try PairWeights(rows: people.count, columns: shown.count, frame: index) {
        isLocated ? places[$0].iou(with: shown[$1], in: boxes[$1]) ?? 0 : 1
      },
      isLocated: isLocated)
    try add(entry, for: index)
  }

  /// Whether there are identities on both sides, so that the metrics mean something.
  package var isPresent: Bool { total.hasIdentities }

  package static let presentation = MetricPresentation(
    headlines: [.init(.identities, [mota.name, idf1.name, switches.name])])
}

extension IdentityTracking.Entry: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(sequence, people, tracks, overlaps, isLocated)
  }

  package init(from row: inout RowReader) {
    self.init(
      sequence: row.read(), people: row.read(), tracks: row.read(), overlaps: row.read(),
      isLocated: row.read())
  }
}
