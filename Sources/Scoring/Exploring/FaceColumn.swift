internal import Platform

/// The columns of a table of faces, in their order.
package enum FaceColumn: String, CaseIterable, Sendable {
  case frame, name, sequence, subject
  case time = "time_s"
  case status
  case label
  case labelState = "label_state"
  case labelIdentity = "label_identity"
  case labelX = "label_x"
  case labelY = "label_y"
  case labelWidth = "label_width"
  case labelHeight = "label_height"
  case detection
  case detectionScore = "detection_score"
  case detectionIoU = "detection_iou"
  case detectionReason = "detection_reason"
  case detectionX = "detection_x"
  case detectionY = "detection_y"
  case detectionWidth = "detection_width"
  case detectionHeight = "detection_height"
  case face
  case faceIndex = "face_index"
  case faceIoU = "face_iou"
  case faceReason = "face_reason"
  case pairing
  case faceX = "face_x"
  case faceY = "face_y"
  case faceWidth = "face_width"
  case faceHeight = "face_height"
  case faceScore = "face_score"
  case facePresence = "face_presence"
  case faceTracked = "face_tracked"
  case faceIdentity = "face_identity"
  case nmeInterocular = "nme_interocular"
  case nmeInterpupil = "nme_interpupil"
  case nmeBox = "nme_box"
  case nmeDiagonal = "nme_diagonal"
  case slices

  /// The first line of a file.
  package static let header = allCases.map(\.rawValue).joined(separator: ",") + "\r\n"
}

/// A row of the table; columns without a value are empty.
struct FaceRow {
  private var values: [FaceColumn: String] = [:]

  subscript(column: FaceColumn) -> String? {
    get { values[column] }
    set { values[column] = newValue }
  }

  /// The line of a file, as RFC 4180 has it.
  var line: String {
    FaceColumn.allCases.map { values[$0]?.quotedForCSV ?? "" }.joined(separator: ",") + "\r\n"
  }
}
