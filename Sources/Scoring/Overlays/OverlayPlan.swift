package import Foundation
internal import Imaging

/// What is drawn of a run, and where the images go.
package struct OverlayPlan: Sendable {
  /// What the faces are drawn on, where it is not the dataset's images.
  package enum Canvas: String, Sendable, CaseIterable {
    /// A dark ground.
    case dark
    /// A white ground.
    case white
  }

  /// The folder of a finished run.
  package var run: URL
  /// The folder for the images.
  package var folder: URL
  /// The dataset of the run; nil looks where the run found it.
  package var dataset: URL?
  /// The frames to draw.
  package var frames = FrameSelection.all
  /// What to draw, of `partNames`.
  package var parts = defaultParts
  /// The ground; nil draws on the dataset's images.
  package var canvas: Canvas?
  /// File, folder or bundle of the canonical mesh; nil is the user's cache.
  package var models: URL?
  /// Whether the folder may have files already.
  package var replaces = false

  /// Plans to draw every frame.
  package init(run: URL, folder: URL) {
    self.run = run
    self.folder = folder
  }

  /// Everything that can be drawn.
  package static let partNames = FaceOverlay.Part.allCases.map(\.rawValue)
  /// What is drawn where nothing is named.
  package static let defaultParts = ["mesh", "contours", "axes", "blendshapes"]

  var drawn: Set<FaceOverlay.Part> { Set(parts.compactMap(FaceOverlay.Part.init)) }
}
