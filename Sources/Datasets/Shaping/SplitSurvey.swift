internal import Digests
internal import FaceCore
internal import Imaging

/// Reads a dataset once to learn which frames belong together, and of which strata they are.
struct SplitSurvey {
  private let reader: DatasetReader
  private let grouping: DatasetSplit.Grouping
  private let stratum: String?
  private(set) var strata = Strata()
  var groups: FrameGroups
  private var samePicture = 0
  private var sameRecording = 0
  private var unknownSubjects = 0

  init(of reader: DatasetReader, _ grouping: DatasetSplit.Grouping, stratum: String?) {
    self.reader = reader
    self.grouping = grouping
    self.stratum = stratum
    groups = FrameGroups(count: reader.frameCount)
  }

  /// What was decided on the way.
  var remarks: [ImportRemark] {
    var remarks: [ImportRemark] = []
    if samePicture > 0 {
      remarks.append(
        .assumed("\(samePicture) frames with the picture of an earlier one stay with it"))
    }
    if sameRecording > 0 {
      remarks.append(
        .assumed("\(sameRecording) recordings with the labels of an earlier one stay with it"))
    }
    if unknownSubjects > 0 {
      remarks.append(
        .assumed(
          "\(unknownSubjects) frames have neither subject nor identity: each sequence is taken for "
            + "a subject of its own"))
    }
    return remarks
  }

  mutating func read(
    advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(DatasetError) {
    var pictures: [SIMD2<UInt64>: Int] = [:]
    var sequences: [Int: Int] = [:]
    var subjects: [String: Int] = [:]
    var people: [Int: Int] = [:]
    var recordings = Recordings()
    var next = 0
    while next < reader.frameCount {
      let range = try reader.range(from: next, atMost: 256)
      next = range.upperBound
      for (frame, faces) in zip(try reader.frames(range), try reader.labels(range)) {
        guard !isInterrupted() else {
          throw DatasetError(
            .interrupted, "interrupted after looking at \(frame.index) frames; nothing was written")
        }
        let index = frame.index
        func meet<Key>(_ key: Key, _ known: inout [Key: Int]) -> Bool {
          if let other = known[key] {
            groups.join(index, other)
            return true
          }
          known[key] = index
          return false
        }
        if let digest = try digest(of: frame), meet(digest, &pictures) { samePicture += 1 }
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

  /// Sequences of frames without pictures, by what their labels hash to.
  private struct Recordings {
    private struct Recording {
      var first: Int
      var frames = 0
      var hasPictures = false
      var hasher = Hasher()
    }

    private var recordings: [Int: Recording] = [:]

    mutating func add(_ frame: Frame, _ faces: [FaceLabel]) {
      var recording = recordings[frame.sequence] ?? Recording(first: frame.index)
      recording.frames += 1
      recording.hasPictures = recording.hasPictures || !frame.hasNoPicture
      recording.hasher.combine(faces)
      recording.hasher.combine(frame.timestampMicroseconds)
      recordings[frame.sequence] = recording
    }

    /// First frames of recordings of two frames or more with the labels and times of an earlier one.
    func same() -> [(first: Int, second: Int)] {
      var known: [Int: Int] = [:]
      return recordings.sorted { $0.key < $1.key }.compactMap { _, recording in
        guard recording.frames > 1, !recording.hasPictures else { return nil }
        let hash = recording.hasher.finalize()
        if let first = known[hash] { return (first, recording.first) }
        known[hash] = recording.first
        return nil
      }
    }
  }

  private func digest(of frame: Frame) throws(DatasetError) -> SIMD2<UInt64>? {
    let bytes = try reader.picture(frame.index).bytes
    guard !bytes.isEmpty else { return nil }
    do {
      return try PictureDigest.of(bytes)
    } catch {
      throw DatasetError(.inputOutput, "\(error)")
    }
  }

  private mutating func observe(_ faces: [FaceLabel], frame: Int) {
    guard let stratum else { return strata.add("", frame: frame) }
    if faces.isEmpty { strata.add("no face", frame: frame) }
    for face in faces {
      if stratum == "expression" {
        strata.add(face.expression ?? "not labelled", frame: frame)
      } else if let value = face.attributes[stratum] {
        strata.add(value, frame: frame)
      } else {
        strata.add("not labelled", frame: frame)
      }
    }
  }
}
