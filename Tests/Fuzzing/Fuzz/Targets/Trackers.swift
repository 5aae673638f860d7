import Datasets
import FaceCore
import Foundation
import Imaging
import Platform
import Running
import Synchronization

extension FuzzTarget {
  /// What a tracker at the other end of a connection sends in a run over three frames, from its first line on.
  static let tracker = FuzzTarget("tracker") { bytes in
    let other = try sender.get()
    other.bytes.withLock { $0 = bytes }
    let output = ScratchFile.url("tracked.h5")
    var run = TrackerRun(
      dataset: try dataset.get(), trackers: [.init(command: "\(other.address)", output: output)])
    run.replaces = true
    _ = try run.run()
    let written = try PredictionsReader(output)
    let problems = try DatasetValidation(of: written)
    precondition(!problems.hasErrors, "predictions that are not valid")
  }

  /// Sends the bytes of a run to whoever connects, and reads what comes.
  private struct Sender: Sendable {
    let address: NetworkAddress
    let bytes: SharedBytes
  }

  private static let sender = Result<Sender, any Error> {
    guard let any = NetworkAddress("tcp://127.0.0.1:0") else { throw SystemError.notFound }
    let (listener, address, _) = try Descriptor.listener(at: any)
    let bytes = SharedBytes()
    Thread {
      while true {
        guard (try? listener.isReady()) == true, let socket = try? listener.accepted() else {
          continue
        }
        try? socket.sendAll(bytes.withLock { $0 })
        socket.endWriting()
        while let more = try? socket.bytes(upTo: 1 << 16), !more.isEmpty {}
        try? socket.end()
      }
    }.start()
    return Sender(address: address, bytes: bytes)
  }

  private static let dataset = Result<URL, any Error> {
    let url = ScratchFile.url("tracked-dataset.h5")
    let writer = try DatasetWriter(url, name: "three", isLabelled: false, replacing: true)
    writer.beginSequence(SequenceDescription(name: "clip", kind: .video, framesPerSecond: 30))
    let image = PixelBuffer(width: 9, height: 8)
    for frame in 0..<3 {
      try writer.add(
        name: "\(frame)", image: try image.pngBytes(), size: ImageSize(width: 9, height: 8),
        timestampMicroseconds: Int64(frame) * 33_333, faces: [])
    }
    try writer.finish()
    return url
  }
}

/// Bytes that two threads hand over.
private final class SharedBytes: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  func withLock<R: Sendable>(_ body: (inout sending [UInt8]) -> sending R) -> R {
    bytes.withLock(body)
  }
}
