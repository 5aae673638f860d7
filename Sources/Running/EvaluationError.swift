internal import Datasets
internal import Imaging
package import Platform
internal import Records

/// Why an evaluation could not be finished, in one line.
package struct EvaluationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong, as far as an exit code tells cases apart.
  package enum Kind: Sendable {
    /// The input is wrong: dataset, model, image or gates.
    case wrongData
    /// An input is not there.
    case notFound
    /// A model, or a program such as ffmpeg, is not there.
    case modelMissing
    /// The machine computes otherwise than what it would add to.
    case unavailable
    /// Options and environment do not go together.
    case wrongUse
    /// Nothing meets the objective.
    case objectiveUnmet
    /// The output cannot be made.
    case cannotWrite
    /// Reading or writing failed half-way.
    case inputOutput
    /// The caller asked to stop.
    case interrupted
    /// The program is at fault.
    case failed
  }

  /// What went wrong.
  package let kind: Kind
  /// Operation, object, expected, found and position, in one line.
  package let description: String
  /// What the operating system said; nil where it has no part in it.
  package let cause: SystemError?

  /// Makes an error.
  package init(_ kind: Kind, _ description: String, cause: SystemError? = nil) {
    self.kind = kind
    self.description = description
    self.cause = cause
  }

  /// An input is wrong: what could not be done with it, what was expected, and what was found.
  package static func wrongData(_ description: String) -> EvaluationError {
    EvaluationError(.wrongData, description)
  }

  /// Does work whose parts throw errors of their own, which become evaluation errors with the same words.
  package static func wrapping<Result: ~Copyable>(
    _ work: () throws -> Result
  ) throws(EvaluationError) -> Result {
    do {
      return try work()
    } catch {
      throw EvaluationError(error)
    }
  }

  /// Wraps what a part of the run threw, keeping its words.
  package init(_ error: any Error) {
    switch error {
    case let error as EvaluationError: self = error
    case let error as FileError:
      let kind: Kind =
        switch error.kind {
        case .notFound: .notFound
        case .wrongData: .wrongData
        case .cannotWrite: .cannotWrite
        case .inputOutput: .inputOutput
        case .missing: .modelMissing
        case .interrupted: .interrupted
        case .unavailable: .unavailable
        }
      self.init(kind, error.description, cause: error.cause)
    case let error as DigestError:
      self.init(.inputOutput, error.description, cause: error.cause)
    case is ImageError, is any DataError:
      self.init(.wrongData, "\(error)")
    default: self.init(.failed, "\(error)")
    }
  }
}
