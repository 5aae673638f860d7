internal import FaceCore
internal import Imaging
internal import Platform

/// Reads a dataset once to group its frames and determine their strata.
struct SplitSurvey {
  private let reader: DatasetReader
  private let grouping: DatasetSplit.Grouping
  private let stratum: DatasetSplit.Stratum?
  private(set) var strata = Strata()
  var groups: FrameGroups
  private var sameImage = 0
  private var sameRecording = 0
  private var unknownSubjects = 0

  init(
    of reader: DatasetReader, _ grouping: DatasetSplit.Grouping, stratum: DatasetSplit.Stratum?
  ) {
    self.reader = reader
    self.grouping = grouping
    self.stratum = stratum
    groups = FrameGroups(count: reader.frameCount)
  }

  /// Assumptions made.
  var remarks: [ImportRemark] {
    var remarks: [ImportRemark] = []
    remarks.assume(sameImage, "frames with the image of an earlier one stay with it")
    remarks.assume(sameRecording, "recordings with the labels of an earlier one stay with it")
    remarks.assume(
      unknownSubjects,
      "frames have neither subject nor identity: each sequence is taken as its own subject")
    return remarks
  }

  mutating func read(
    advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(FileError) {
    var images: [SIMD2<UInt64>: Int] = [:]
    var sequences: [Int: Int] = [:]
    var subjects: [String: Int] = [:]
    var people: [Int: Int] = [:]
    var recordings = ReferenceRecordings()
    var next = 0
    while next < reader.frameCount {
      let range = try reader.range(from: next, atMost: 256)
      next = range.upperBound
      for (frame, faces) in zip(try reader.frames(range), try reader.labels(range)) {
        try FileError.stop(
          if: isInterrupted(),
          "interrupted after checking \(frame.index) frames; nothing was written")
        let index = frame.index
        func meet<Key>(_ key: Key, _ known: inout [Key: Int]) -> Bool {
          if let other = known[key] {
            groups.join(index, other)
            return true
          }
          known[key] = index
          return false
        }
        if let digest = try digest(of: frame), meet(digest, &images) { sameImage += 1 }
        if grouping != .frame {
          _ = meet(frame.sequence, &sequences)
          recordings.add(frame, faces)
        }
        if grouping == .subject {
          let identities = faces.compactMap(\.identity)
          for identity in identities { _ = meet(identity, &people) }
          let subject =
            reader.sequences.indices.contains(frame.sequence)
            ? reader.sequences[frame.sequence].subject : ""
          if !subject.isEmpty { _ = meet(subject, &subjects) }
          if subject.isEmpty, identities.isEmpty { unknownSubjects += 1 }
        }
        observe(faces, frame: index)
        advance(1)
      }
    }
    strata.bin()
    for (first, second) in recordings.same() {
      groups.join(first, second)
      sameRecording += 1
    }
  }

  /// Sequences of frames without images, by the hash of their labels.
  private struct ReferenceRecordings {
    private struct Recording {
      var first: Int
      var frames = 0
      var hasImages = false
      var hasher = Hasher()
    }

    private var recordings: [Int: Recording] = [:]

    mutating func add(_ frame: Frame, _ faces: [FaceLabel]) {
      var recording = recordings[frame.sequence] ?? Recording(first: frame.index)
      recording.frames += 1
      recording.hasImages = recording.hasImages || !frame.hasNoImage
      recording.hasher.combine(faces.count)
      // Of two copies of a recording the tracks may have different numbers.
      for face in faces {
        var face = face
        face.identity = nil
        recording.hasher.combine(face)
      }
      recording.hasher.combine(frame.timestampMicroseconds)
      recordings[frame.sequence] = recording
    }

    /// First frames of recordings of at least two frames that repeat the labels and times of an earlier one.
    func same() -> [(first: Int, second: Int)] {
      var known: [Int: Int] = [:]
      return recordings.sorted { $0.key < $1.key }.compactMap { _, recording in
        guard recording.frames > 1, !recording.hasImages else { return nil }
        let hash = recording.hasher.finalize()
        if let first = known[hash] { return (first, recording.first) }
        known[hash] = recording.first
        return nil
      }
    }
  }

  private func digest(of frame: Frame) throws(FileError) -> SIMD2<UInt64>? {
    let bytes = try reader.image(frame.index).bytes
    guard !bytes.isEmpty else { return nil }
    return try FileError.reading { try ImageDigest.of(bytes) }
  }

  private mutating func observe(_ faces: [FaceLabel], frame: Int) {
    guard let stratum else { return strata.add("", frame: frame) }
    if faces.isEmpty { strata.add("no face", frame: frame) }
    for face in faces {
      switch stratum {
      case .expression: strata.add(face.expression ?? "not labelled", frame: frame)
      case .attribute(let name):
        if let value = face.attributes[name] {
          strata.add(value, frame: frame)
        } else {
          strata.add("not labelled", frame: frame)
        }
      }
    }
  }
}
