import Datasets
import TestSupport

extension BrokenInput {
  /// Folders of images, and videos.
  static let images: [BrokenInput] = [
    image(
      "an empty JPEG", "a.jpg", [],
      "cannot import set/a.jpg: cannot decode image: expected the first bytes of a "
        + "JPEG or PNG, found no bytes"),
    image(
      "a text instead of a JPEG", "a.jpg", Array("image".utf8),
      "cannot import set/a.jpg: cannot decode image: expected the first bytes of a "
        + "JPEG or PNG, found 0x696d6167"),
    image(
      "a JPEG of two bytes", "a.jpg", [0xFF, 0xD8],
      "cannot import set/a.jpg: cannot decode image: expected the first bytes of a "
        + "JPEG or PNG, found 0xffd8"),
    image(
      "a JPEG without a size", "a.jpg", [0xFF, 0xD8, 0xFF, 0xD9],
      "cannot import set/a.jpg: cannot decode JPEG: expected a frame header, found "
        + "none"),
    image(
      "a JPEG of 65535 by 65535", "a.jpg",
      [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 255, 255, 255, 255, 1, 1, 0x11, 0],
      "cannot import set/a.jpg: cannot decode JPEG: expected sides of 1 to 65500 and "
        + "at most 134217728 pixels, found 65535x65535"),
    image(
      "a JPEG whose marker has no end", "a.jpg", [0xFF, 0xD8, 0xFF, 0xE0, 255, 255, 1, 2, 3],
      "cannot import set/a.jpg: cannot decode JPEG: expected a frame header, found "
        + "none"),
    image(
      "a JPEG of 0 by 8", "a.jpg", jpeg { $0[$1] = 0 },
      "cannot import set/a.jpg: cannot decode JPEG: expected sides of 1 to 65500 and "
        + "at most 134217728 pixels, found 8x0"),
    image(
      "a JPEG of 12 bits", "a.jpg", jpeg { $0[$1 - 2] = 12 },
      "cannot import set/a.jpg: cannot decode JPEG: expected 8 bits and 1, 3 or 4 "
        + "channels, found 12 bits and 3 channels"),
    image(
      "a PNG of its signature", "a.png", Array(Sample.png(4, 4).prefix(8)),
      "cannot import set/a.png: cannot decode PNG: expected a header chunk, found "
        + "none"),
    image(
      "a PNG of 2^31 by 2^31", "a.png",
      Array(Sample.png(4, 4).prefix(16)) + [0x80, 0, 0, 0, 0x80, 0, 0, 0]
        + Array(Sample.png(4, 4).dropFirst(24)),
      "cannot import set/a.png: cannot decode PNG: expected sides of 1 to 65500 and "
        + "at most 134217728 pixels, found 2147483648x2147483648"),
    image(
      "a PNG of color type 9", "a.png",
      Array(Sample.png(4, 4).prefix(25)) + [9] + Array(Sample.png(4, 4).dropFirst(26)),
      "cannot import set/a.png: cannot decode PNG: expected a color type of 0, 2, 3, "
        + "4 or 6 and at most 16 bits, found type 9, 8 bits"),
    image(
      "a GIF", "a.png", Array("GIF89a\u{1}\0\u{1}\0\0\0\0;".utf8),
      "cannot import set/a.png: cannot decode image: expected the first bytes of a "
        + "JPEG or PNG, found those of GIF, which is not read"),
    BrokenInput(
      "a folder without images", "import images set -o b.h5",
      "cannot import set: expected .jpg, .jpeg or .png files, found none"
    ) {
      try $0.write("", to: "set/readme.txt")
    },
    BrokenInput(
      "an image that is a folder", "import images set -o b.h5",
      "cannot import set: expected .jpg, .jpeg or .png files, found none"
    ) {
      try $0.write("", to: "set/a.jpg/b.txt")
    },
    BrokenInput(
      "a text of no format", "import a.dat -o b.h5",
      "cannot import a.dat: expected one of "
        + DatasetFormats.all.map(\.name).joined(separator: ", ")
        + ", found none of them (name the format to see why)"
    ) {
      try $0.write("only text", to: "a.dat")
    },
  ]

  private static func image(_ what: String, _ name: String, _ bytes: [UInt8], _ message: String)
    -> BrokenInput
  {
    BrokenInput(what, "import images set -o b.h5", "set/\(name)", bytes: bytes, message)
  }

  /// A JPEG of 8 by 8, changed at the lower byte of its height.
  private static func jpeg(_ change: (inout [UInt8], Int) -> Void) -> [UInt8] {
    var bytes = Sample.jpeg(8, 8)
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: [0xFF, 0xC0]) })
    else { return [] }
    change(&bytes, start + 6)
    return bytes
  }

  /// Videos, which ffmpeg reads.
  static let videos: [BrokenInput] = [
    video(
      "an empty video", "",
      "cannot import a.mp4: expected a video stream, found none (ffmpeg: …"),
    video(
      "a text instead of a video", "hello",
      "cannot import a.mp4: expected a video stream, found none (ffmpeg: …"),
    video(
      "a video of zeros", String(repeating: "\0", count: 5000),
      "cannot import a.mp4: expected a video stream, found none (ffmpeg: …"),
    video(
      "a playlist of other files", "#EXTM3U\n#EXTINF:1,\n/etc/passwd\n#EXT-X-ENDLIST\n",
      "cannot import a.mp4: expected a video stream, found none (ffmpeg: …"),
    video(
      "a list of other files", "ffconcat version 1.0\nfile /etc/passwd\n",
      "cannot import a.mp4: expected a video stream, found none (ffmpeg: …"),
  ]

  private static func video(_ what: String, _ text: String, _ message: String) -> BrokenInput {
    BrokenInput(what, "import video a.mp4 -o b.h5", "a.mp4", text, message)
  }
}
