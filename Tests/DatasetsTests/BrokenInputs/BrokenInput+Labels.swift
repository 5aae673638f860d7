import TestSupport

extension BrokenInput {
  private static let points68 = (0..<68).map { "\($0) \($0)" }.joined(separator: "\n")

  /// Label files of each format.
  static let labels: [BrokenInput] = [
    xml("an empty XML", "", "cannot read a.xml: expected XML, found an empty file"),
    xml("no XML", "image a.jpg\n", "cannot read a.xml, line 1: expected XML, found a syntax error"),
    xml(
      "an XML that ends early", "<dataset>\n<images>\n<image file='a.jpg'>",
      "cannot read a.xml, line 3: expected XML, found a syntax error"),
    xml(
      "an XML of something else", "<dataset></dataset>",
      "cannot read a.xml: expected imglab XML with an <images> element, found none"),
    xml(
      "a box that is no number", box("top='x' left='1' width='2' height='2'"),
      "cannot read a.xml, line 2: expected a number in top of <box>, found 'x'"),
    xml(
      "a box of nan", box("top='nan' left='1' width='2' height='2'"),
      "cannot read a.xml, line 2: expected a number in top of <box>, found 'nan'"),
    xml(
      "a box of negative size", box("top='1' left='1' width='-2' height='2'"),
      "cannot read a.xml, line 2: expected a box of non-negative size, found -2.0 x "
        + "2.0"),
    xml(
      "a box without a height", box("top='1' left='1' width='2'"),
      "cannot read a.xml, line 2: expected a number in height of <box>, found none"),
    xml(
      "a box of no image", "<dataset><images><box top='1'/></images></dataset>",
      "cannot read a.xml, line 1: expected <box> inside <image>"),
    xml(
      "an image without a name", "<dataset><images><image/></images></dataset>",
      "cannot read a.xml, line 1: expected <image file='...'>, found no file"),
    xml(
      "a part twice",
      "<dataset><images><image file='a'>\n<box top='1' left='1' width='2' height='2'>\n"
        + "<part name='01' x='1' y='2'/>\n<part name='01' x='1' y='2'/></box></image></images>"
        + "</dataset>",
      "cannot read a.xml, line 4: expected each part once in a box, found part 01 "
        + "twice"),
    xml(
      "entities that grow a billionfold",
      "<!DOCTYPE d [<!ENTITY a 'aaaaaaaaaa'>"
        + zip("abcdefgh", "bcdefghi").map { from, to in
          "<!ENTITY \(to) '\(String(repeating: "&\(from);", count: 10))'>"
        }.joined() + "]>\n<dataset><images><image file='&i;'/></images></dataset>",
      "cannot read a.xml, line 1: expected XML without a document type, found <!DOCTYPE"),
    xml(
      "an entity from another file",
      "<!DOCTYPE d [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>\n<dataset><images>"
        + "<image file='&a;'/></images></dataset>",
      "cannot read a.xml, line 1: expected XML without a document type, found <!DOCTYPE"),
    xml(
      "an instruction without content", "<?xml version='1.0'?>\n<?yat?>\n",
      "cannot read a.xml, line 3: expected XML, found a syntax error"),
    BrokenInput(
      "an element whose name is no text", "import imglab a.xml -o b.h5 --labels-only", "a.xml",
      bytes: Array("<dataset>\n<image ".utf8) + [0xFF, 0xFE, 0xB8] + Array("='a'/></dataset>".utf8),
      "cannot read a.xml, line 2: expected UTF-8, or ISO-8859-1 if the XML declares it, found "
        + "other bytes"),
    xml(
      "a hundred thousand open elements", String(repeating: "<a>", count: 100_000),
      "cannot read a.xml, line 1: expected XML, found a syntax error"),
    json(
      "an empty JSON", "",
      "cannot read a.json, line 1, column 1: expected JSON, found the end of the file"),
    json(
      "a JSON that ends early", "{\"schema\": \"facegauge.labels\"",
      "cannot read a.json, line 1, column 30: expected ',' or '}', found the end of the file"),
    json(
      "a JSON of a list", "[]",
      "cannot read a.json: expected an object with the schema \"facegauge.labels\", found an empty "
        + "list"),
    json(
      "labels of a later version",
      "{\"schema\":\"facegauge.labels\",\"version\":2,\"images\":[]}",
      "cannot read 'version' in a.json: expected 1, found 2"),
    json(
      "labels without images", "{\"schema\":\"facegauge.labels\",\"version\":1}",
      "cannot read a.json: expected the key \"images\", found none"),
    json(
      "images that are a number",
      "{\"schema\":\"facegauge.labels\",\"version\":1,\"images\":3}",
      "cannot read 'images' in a.json: expected a list, found 3"),
    json(
      "a box of three numbers", image("{\"box\":[1,2,3]}"),
      "cannot read a.json, image 'a': expected a box of 4 numbers, found 3"),
    json(
      "a box of negative size", image("{\"box\":[1,2,-3,4]}"),
      "cannot read a.json, image 'a': expected a box of non-negative size"),
    json(
      "a box of 1e999", image("{\"box\":[1,2,3,1e999]}"),
      "cannot read 'images[0].faces[0].box[3]' in a.json: expected a number that a double can hold, "
        + "found 1e999"),
    json(
      "points of an unknown scheme",
      image("{\"box\":[1,2,3,4],\"landmarks\":{\"my5\":{\"points\":[],\"visible\":[]}}}"),
      "cannot read a.json, image 'a': expected a landmark scheme (ibug68, wflw98, "
        + "cofw29, five, lapa106, aflw21, aflw19, mediapipe478, dlib5, "
        + "blazeface6, facepp83, helen194), found 'my5'"),
    json(
      "one point of 68",
      image(
        "{\"box\":[1,2,3,4],\"landmarks\":{\"ibug68\":{\"points\":[[1,2]],\"visible\":[2]}}}"),
      "cannot read a.json, image 'a': expected 68 points [x, y] and 68 states 0 to "
        + "2 in ibug68, found 1 and 1"),
    json(
      "a hundred thousand open lists", String(repeating: "[", count: 100_000),
      "cannot read a.json, line 1, column 65: expected at most 64 nested values, found '['"),
    json(
      "bytes that are no text", bytes: [0xFF, 0xFE, 0x7B, 0x80, 0x81],
      "cannot read a.json, line 1, column 1: expected JSON, found byte 255"),
    points("an empty .pts", "", "cannot read set/a.pts: expected points, found none"),
    points(
      "67 points", points68.split(separator: "\n").dropLast().joined(separator: "\n"),
      "cannot read set/a.pts: expected 5, 6, 19, 21, 29, 68, 83, 98, 106, 194, 468 or 478 points, "
        + "or --points, found 67"),
    points(
      "a .pts that ends early", "version: 1\nn_points: 68\n{\n1 2\n",
      "cannot read set/a.pts: expected '}' at the end, found 1 points"),
    points(
      "another number of points than promised", "n_points: 68\n{\n1 2\n}\n",
      "cannot read set/a.pts: expected 68 points, found 1"),
    points(
      "a number of points beyond reason", "n_points: 999999999999\n{\n}\n",
      "cannot read set/a.pts, line 1: expected n_points: COUNT, found 'n_points: "
        + "999999999999'"),
    points(
      "a point of three numbers", "1 2 3\n",
      "cannot read set/a.pts, line 1: expected two numbers, found '1 2 3'"),
    points(
      "a point of nan", "1 2\n3 nan\n",
      "cannot read set/a.pts, line 2: expected two numbers, found '3 nan'"),
    points(
      "a point of words", "eye nose\n",
      "cannot read set/a.pts, line 1: expected two numbers, found 'eye nose'"),
    points(
      "points after the end", "{\n1 2\n}\n3 4\n",
      "cannot read set/a.pts, line 4: expected nothing after '}', found '3 4'"),
    BrokenInput(
      "points of two images", "import pts set -o b.h5",
      "cannot import set/a.pts: expected one image of that name, found a.jpeg and a.jpg"
    ) {
      try $0.write(points68, to: "set/a.pts")
      try $0.write(Sample.jpeg(8, 8), to: "set/a.jpg")
      try $0.write(Sample.jpeg(8, 8), to: "set/a.jpeg")
    },
    BrokenInput(
      "a folder without points", "import pts set -o b.h5",
      "cannot import set: expected .pts files, found none"
    ) {
      try $0.write(Sample.jpeg(8, 8), to: "set/a.jpg")
    },
    rows("an empty CSV", "", "cannot read a.csv: expected a header, found an empty file"),
    rows(
      "a CSV of something else", "a,b,c\n1,2,3\n",
      "cannot read a.csv, line 1: expected a header that begins with "
        + "image_name,scale,center_w,center_h, found 'a,b,c'"),
    rows(
      "a CSV of half a point", header(29) + ",original_29_x\n",
      "cannot read a.csv, line 1: expected two columns a point, found '59 columns'"),
    rows(
      "a row that is short", header(29) + "\na.jpg,1,2,3\n",
      "cannot read a.csv, line 2: expected 62 fields, found '4'"),
    rows(
      "a row of words",
      header(29) + "\na.jpg,1,2,3," + Array(repeating: "x", count: 58).joined(separator: ","),
      "cannot read a.csv, line 2: expected a number in column 5, found 'x'"),
    rows(
      "a row of hexadecimal",
      header(29) + "\na.jpg,0x1p3,2,3,"
        + Array(repeating: "1", count: 58).joined(separator: ","),
      "cannot read a.csv, line 2: expected a number in column 2, found '0x1p3'"),
    rows(
      "a quote that stays open", header(29) + "\n\"a.jpg,1,2\n",
      "cannot read a.csv, line 2: expected a closing quote, found 'the end of the "
        + "file'"),
    BrokenInput(
      "labels of an image that is gone", "import labels a.json -o b.h5", status: 66,
      "cannot read ./a.jpg: no such file (--images names the folder of the images, --labels-only omits them)"
    ) {
      try $0.write(image("{\"box\":[1,2,3,4]}"), to: "a.json")
    },
  ]

  private static func xml(_ what: String, _ text: String, _ message: String) -> BrokenInput {
    BrokenInput(what, "import imglab a.xml -o b.h5 --labels-only", "a.xml", text, message)
  }

  private static func box(_ attributes: String) -> String {
    "<dataset><images><image file='a.jpg'>\n<box \(attributes)/></image></images></dataset>"
  }

  private static func json(_ what: String, _ text: String, _ message: String) -> BrokenInput {
    json(what, bytes: Array(text.utf8), message)
  }

  private static func json(_ what: String, bytes: [UInt8], _ message: String) -> BrokenInput {
    BrokenInput(what, "import labels a.json -o b.h5 --labels-only", "a.json", bytes: bytes, message)
  }

  @Sendable private static func image(_ face: String) -> String {
    "{\"schema\":\"facegauge.labels\",\"version\":1,\"images\":"
      + "[{\"name\":\"a\",\"file\":\"a.jpg\",\"faces\":[\(face)]}]}"
  }

  private static func points(_ what: String, _ text: String, _ message: String) -> BrokenInput {
    BrokenInput(what, "import pts set -o b.h5", message) {
      try $0.write(text, to: "set/a.pts")
      try $0.write(Sample.jpeg(8, 8), to: "set/a.jpg")
    }
  }

  private static func rows(_ what: String, _ text: String, _ message: String) -> BrokenInput {
    BrokenInput(what, "import hrnet a.csv -o b.h5 --labels-only", "a.csv", text, message)
  }

  private static func header(_ count: Int) -> String {
    "image_name,scale,center_w,center_h,"
      + (0..<count).map { "original_\($0)_x,original_\($0)_y" }.joined(separator: ",")
  }
}
