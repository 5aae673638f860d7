import TestSupport

extension BrokenInput {
  /// ReferenceRecordings of Live Link Face, as CSV and as packets.
  static let recordings: [BrokenInput] = [
    csv("an empty recording", "", "cannot read a.csv: expected a header, found an empty file"),
    csv(
      "a recording of something else", "Time,Values\n1,2\n",
      "cannot read a.csv, line 1: expected a header that begins with "
        + "Timecode,BlendShapeCount, found 'Time,Values'"),
    csv("a recording without frames", header, "cannot read a: expected frames, found none"),
    csv(
      "a timecode that is none", header + row(time: "now"),
      "cannot read a.csv, line 2: expected a timecode HH:MM:SS:FF.mmm below 24 h and "
        + "60 frames, found 'now'"),
    csv(
      "a timecode beyond the day's frames", header + row(time: "99:99:99:99.9"),
      "cannot read a.csv, line 2: expected a timecode HH:MM:SS:FF.mmm below 24 h and "
        + "60 frames, found '99:99:99:99.9'"),
    csv(
      "another count of channels", header + row(count: "7"),
      "cannot read a.csv, line 2: expected a count of 61, the channels of the "
        + "header, found '7'"),
    csv(
      "a channel that is a word", header + row(value: "x1"),
      "cannot read a.csv, line 2: expected a number in EyeBlinkLeft, found 'x1'"),
    csv(
      "a channel of 1e400", header + row(value: "1e400"),
      "cannot read a.csv, line 2: expected a number in EyeBlinkLeft, found '1e400'"),
    csv(
      "a row that is short", header + "00:00:00:00.0,61,0.5\n",
      "cannot read a.csv, line 2: expected 63 fields, found '3'"),
    packets(
      "an empty file of packets", [],
      "cannot read a.gesichter: expected gzip of at most 134217728 bytes, found a "
        + "cut stream"),
    packets(
      "packets without gzip", LiveLinkPacket.recording([LiveLinkPacket()]),
      "cannot read a.gesichter: expected gzip of at most 134217728 bytes, found a "
        + "broken stream"),
    packed(
      "packets that are cut", { Array($0.dropLast(9)) },
      "cannot read a.gesichter: expected gzip of at most 134217728 bytes, found a "
        + "cut stream"),
    packed(
      "packets with a tail", { $0 + [1, 2, 3] },
      "cannot read a.gesichter: expected gzip of at most 134217728 bytes, found 3 "
        + "bytes after its end"),
    packed(
      "packets of another version", { $0 }, [7, 0, 0, 0, 0],
      "cannot read a.gesichter, byte 1: expected version 6, found 7"),
    packed(
      "four billion packets", { $0 }, [6, 255, 255, 255, 255],
      "cannot read a.gesichter, byte 5: expected 4294967295 packets, found 0 and 0 "
        + "more bytes"),
    packed(
      "a packet of four billion bytes", { $0 }, [6, 0, 0, 0, 1, 255, 255, 255, 255],
      "cannot read a.gesichter, byte 9: expected a packet of 4294967295 bytes, found "
        + "0"),
    packed(
      "60 channels", { $0 },
      LiveLinkPacket.recording([LiveLinkPacket(count: 60, values: [Float](repeating: 0, count: 60))]
      ), "cannot read a.gesichter, byte 46: expected 0 or 61 channels, found 60"),
    packed(
      "a channel that is nan", { $0 },
      LiveLinkPacket.recording([LiveLinkPacket(values: [Float](repeating: .nan, count: 61))]),
      "cannot read a.gesichter, byte 46: expected a finite number, found nan"),
    packed(
      "a rate of 0 frames per second", { $0 }, LiveLinkPacket.recording([LiveLinkPacket(rate: 0)]),
      "cannot read a.gesichter, byte 45: expected a fraction of a frame of 0 to 1000 "
        + "at 0 to 1000 frames per second, found 0.5 at 0/1"),
    packed(
      "times of 600,000 years", { $0 },
      LiveLinkPacket.recording([
        LiveLinkPacket(frame: 0, rate: 1), LiveLinkPacket(frame: .max, rate: 1, denominator: .max),
      ]),
      "cannot read a, frame 4294967295: expected microseconds within "
        + "4503599627370496 of the first, found 1.84467440672671e+25"),
    packed(
      "what unpacks to 300 MB", { $0 }, [UInt8](repeating: 0, count: 300 << 20),
      "cannot read a.gesichter: expected gzip of at most 134217728 bytes, found more"),
  ]

  private static let header = LiveLinkTests.text([])

  private static func row(
    time: String = "00:00:00:00.000", count: String = "61", value: String = "0.5"
  ) -> String {
    "\(time),\(count),\(value)" + String(repeating: ",0.5", count: 60) + "\n"
  }

  private static func csv(_ what: String, _ text: String, _ message: String) -> BrokenInput {
    BrokenInput(what, "import livelink a.csv -o b.h5", "a.csv", text, message)
  }

  private static func packets(_ what: String, _ bytes: [UInt8], _ message: String) -> BrokenInput {
    BrokenInput(
      what, "import livelink-packets a.gesichter -o b.h5", "a.gesichter", bytes: bytes, message)
  }

  private static func packed(
    _ what: String, _ spoil: @escaping @Sendable ([UInt8]) -> [UInt8], _ message: String
  ) -> BrokenInput {
    packed(what, spoil, LiveLinkPacket.recording([LiveLinkPacket()]), message)
  }

  private static func packed(
    _ what: String, _ spoil: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 },
    _ recording: @autoclosure @escaping @Sendable () -> [UInt8], _ message: String
  ) -> BrokenInput {
    BrokenInput(what, "import livelink-packets a.gesichter -o b.h5", message) {
      try $0.write(spoil(LiveLinkPacketTests.gzip(recording())), to: "a.gesichter")
    }
  }
}
