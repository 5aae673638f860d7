internal import FaceCore
internal import Foundation
internal import FoundationNetworking
internal import Platform
internal import Synchronization

/// Fetches a small file over HTTP, with a bound on its size and on the time.
enum ModelDownload {
  /// The body of the answer; more than `limit` bytes or a status other than 200 is an error.
  static func bytes(from address: String, limit: Int) throws(ModelStoreError) -> [UInt8] {
    guard let url = URL(string: address), let scheme = url.scheme?.lowercased(),
      scheme == "https" || scheme == "http", url.host != nil
    else {
      throw ModelStoreError(.missing, "expected an http or https address, found '\(address)'")
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 30
    configuration.timeoutIntervalForResource = 600
    let receiver = Receiver(limit: limit)
    let session = URLSession(
      configuration: configuration, delegate: receiver, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    session.dataTask(with: url).resume()
    receiver.done.wait()
    return try receiver.result.withLock { $0 }.get()
  }

  private final class Receiver: NSObject, URLSessionDataDelegate, Sendable {
    let limit: Int
    let done = DispatchSemaphore(value: 0)
    let body = Mutex<[UInt8]>([])
    let result = Mutex<Result<[UInt8], ModelStoreError>>(
      .failure(ModelStoreError(.missing, "no answer")))

    init(limit: Int) {
      self.limit = limit
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
      let count = body.withLock { body in
        if body.count <= limit { body.append(contentsOf: data) }
        return body.count
      }
      if count > limit { dataTask.cancel() }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      let received = body.withLock { $0 }
      let outcome: Result<[UInt8], ModelStoreError>
      if received.count > limit {
        outcome = .failure(
          ModelStoreError(.wrongData, "expected at most \(limit) bytes, found more"))
      } else if let error {
        outcome = .failure(ModelStoreError(.missing, error.systemReason))
      } else if let status = (task.response as? HTTPURLResponse)?.statusCode, status != 200 {
        outcome = .failure(ModelStoreError(.missing, "expected status 200, found \(status)"))
      } else {
        outcome = .success(received)
      }
      result.withLock { $0 = outcome }
      done.signal()
    }
  }
}
