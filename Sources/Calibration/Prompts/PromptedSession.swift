package import FaceCore
package import Metrics

/// What a tracker gave for one person in one video while prompts were held.
package struct PromptedSession: Sendable, Hashable, Codable {
  /// Name of the video.
  package var name: String
  /// Who it is; empty where unknown.
  package var subject: String
  /// Mean of each coefficient in each repetition of a face at rest, by the coefficient's name.
  package var rest: [String: [Double]]
  /// Mean of each coefficient in each repetition of a prompt that labels it more than 0, by the coefficient's name.
  package var prompted: [String: [Double]]
  /// Under which conditions the faces were seen.
  package var conditions: FaceConditions

  /// Joins what was measured.
  package init(
    name: String, subject: String, rest: [String: [Double]], prompted: [String: [Double]],
    conditions: FaceConditions
  ) {
    self.name = name
    self.subject = subject
    self.rest = rest
    self.prompted = prompted
    self.conditions = conditions
  }

  /// A repetition is used if so many frames have a face.
  package static let minFrames = 5
}

/// Collects the faces of prompts, session by session.
package struct PromptedFaces: Sendable {
  private struct Repetition: Hashable {
    var video: Int
    var prompt: FacePrompt
    var number: Int
  }

  private struct Sums {
    var frames = 0
    var sums = [Double](repeating: 0, count: Blendshape.allCases.count)
    var counts = [Int](repeating: 0, count: Blendshape.allCases.count)
  }

  private var videos: [Int: (name: String, subject: String)] = [:]
  private var repetitions: [Repetition: Sums] = [:]
  private var conditions: [Int: FaceConditions.Counts] = [:]
  /// The repetitions in the order in which they were seen.
  private var order: [Repetition] = []

  /// Starts without faces.
  package init() {}

  /// Adds the face of a frame; returns the number of its repetition among all.
  package mutating func add(
    _ face: FacePrediction, at moment: PromptSchedule.Moment, video: Int, name: String,
    subject: String
  ) -> Int {
    videos[video] = (name, subject)
    let repetition = Repetition(video: video, prompt: moment.prompt, number: moment.repetition)
    if repetitions[repetition] == nil { order.append(repetition) }
    conditions[video, default: FaceConditions.Counts()].add(face)
    var sums = repetitions[repetition] ?? Sums()
    sums.frames += 1
    for (index, value) in (face.blendshapes ?? []).enumerated()
    where value.isFinite && sums.sums.indices.contains(index) {
      sums.sums[index] += Double(value)
      sums.counts[index] += 1
    }
    repetitions[repetition] = sums
    return order.firstIndex(of: repetition) ?? 0
  }

  /// How many repetitions of any prompt have enough frames.
  package var repetitionCount: Int {
    repetitions.values.count { $0.frames >= PromptedSession.minFrames }
  }

  /// The sessions in the order of their videos; those without a repetition of enough frames are left out.
  package var sessions: [PromptedSession] {
    videos.sorted { $0.key < $1.key }.compactMap { video, about in
      var (rest, prompted): ([String: [Double]], [String: [Double]]) = ([:], [:])
      for repetition in order where repetition.video == video {
        guard let sums = repetitions[repetition], sums.frames >= PromptedSession.minFrames else {
          continue
        }
        for (shape, label) in repetition.prompt.labels where sums.counts[shape.index] > 0 {
          let mean = sums.sums[shape.index] / Double(sums.counts[shape.index])
          if repetition.prompt.isRest {
            rest[shape.rawValue, default: []].append(mean)
          } else if label > 0 {
            prompted[shape.rawValue, default: []].append(mean)
          }
        }
      }
      guard !rest.isEmpty || !prompted.isEmpty else { return nil }
      return PromptedSession(
        name: about.name, subject: about.subject, rest: rest, prompted: prompted,
        conditions: (conditions[video] ?? FaceConditions.Counts()).conditions)
    }
  }
}
