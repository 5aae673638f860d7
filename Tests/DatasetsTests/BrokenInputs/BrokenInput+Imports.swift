import TestSupport

extension BrokenInput {
  /// Label files of other collections, and other trackers' output.
  static let imports: [BrokenInput] = [
    coco(
      "an empty COCO JSON", "",
      "cannot read a.json, line 1, column 1: expected JSON, found the end of the file"),
    coco(
      "a COCO JSON that ends early", "{\"images\": [{\"id\": 1",
      "cannot read a.json, line 1, column 21: expected ',' or '}', found the end of "
        + "the file"),
    coco(
      "NaN in a COCO JSON",
      "{\"images\":[{\"id\":1,\"file_name\":\"a\",\"width\":NaN,\"height\":8}]}",
      "cannot read a.json: expected COCO's keys images and annotations, found images"),
    coco("a COCO JSON of a number", "7", "cannot read a.json: expected an object, found a number"),
    coco(
      "a key twice in a COCO JSON", "{\"images\": [], \"images\": []}",
      "cannot read a.json: expected each key once, found 'images' twice"),
    coco(
      "a COCO box of three numbers",
      "{\"images\":[{\"id\":1,\"file_name\":\"a\",\"width\":9,\"height\":8}],\"annotations\":"
        + "[{\"id\":1,\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3]}],\"categories\":[]}",
      "cannot read 'annotations[0].bbox' in a.json: expected 4 numbers x, y, width, "
        + "height, found 3"),
    BrokenInput(
      "a COCO face of an image that is not there",
      "import coco a.json -o b.h5 --labels-only --strict",
      "a.json",
      "{\"images\":[{\"id\":1,\"file_name\":\"a\",\"width\":9,\"height\":8}],\"annotations\":"
        + "[{\"id\":1,\"image_id\":2,\"category_id\":1,\"bbox\":[1,2,3,4]}],"
        + "\"categories\":[{\"id\":1,\"name\":\"face\"}]}",
      "cannot import without loss (--strict): 1 annotations of images that "
        + "the file does not list left out"),
    coco(
      "a hundred thousand open lists of COCO", String(repeating: "[", count: 100_000),
      "cannot read '[0]' in a.json: expected an object, found a list"),
    list(
      "an empty WFLW list", "wflw", "",
      "cannot read a.txt: expected rows of faces, found an empty file"),
    list(
      "a WFLW row that is short", "wflw", "1 2 3 a.jpg\n",
      "cannot read a.txt, line 1: expected 207 columns (98 points, box, 6 "
        + "attributes, name) or 197 (98 points, name), found '4'"),
    list(
      "a WFLW row of words", "wflw", String(repeating: "x ", count: 196) + "a.jpg\n",
      "cannot read a.txt, line 1: expected a number in column 1, found 'x'"),
    list(
      "an empty WIDER list", "wider", "",
      "cannot read a.txt: expected names of images, found an empty file"),
    list(
      "a WIDER count that is none", "wider", "0--A/a.jpg\nmany\n",
      "cannot read a.txt, line 2: expected the number of faces of 0--A/a.jpg, found "
        + "'many'"),
    list(
      "a WIDER list that ends early", "wider", "0--A/a.jpg\n2\n1 2 3 4 0 0 0 0 0 0\n",
      "cannot read a.txt, line 3: expected 2 rows for 0--A/a.jpg, found 'the end "
        + "after 1'"),
    list(
      "a WIDER count of 10^18", "wider", "0--A/a.jpg\n1000000000000000000\n",
      "cannot read a.txt, line 2: expected the number of faces of 0--A/a.jpg, found "
        + "'1000000000000000000'"),
    list(
      "a WIDER box of words", "wider", "0--A/a.jpg\n1\na b c d 0 0 0 0 0 0\n",
      "cannot read a.txt, line 3: expected a number in the box, found 'a'"),
    list(
      "a WIDER blur of 9", "wider", "0--A/a.jpg\n1\n1 2 3 4 9 0 0 0 0 0\n",
      "cannot read a.txt, line 3: expected a whole number to 2 in blur, found '9.0'"),
    BrokenInput(
      "detections of another name", "import wider-detections set -o b.h5",
      "cannot read set/0--A/a.txt, line 1: expected the file's own name as that of the "
        + "image, found 'other'"
    ) {
      try $0.write("other\n0\n", to: "set/0--A/a.txt")
    },
    BrokenInput(
      "fewer detections than promised", "import wider-detections set -o b.h5",
      "cannot read set/0--A/a.txt, line 3: expected 3 rows x y w h score, the count in its "
        + "second line, found '1'"
    ) {
      try $0.write("a\n3\n1 2 3 4 0.5\n", to: "set/0--A/a.txt")
    },
    BrokenInput(
      "a score that is nan", "import wider-detections set -o b.h5",
      "cannot read set/0--A/a.txt, line 3: expected a number in x y w h score, found "
        + "'nan'"
    ) {
      try $0.write("a\n1\n1 2 3 4 nan\n", to: "set/0--A/a.txt")
    },
    table(
      "an empty table of votes", "ferplus", "",
      "cannot read a.csv: expected rows of votes, found an empty file"),
    table(
      "nine votes of ten", "ferplus", "a.png,\"(0, 0, 48, 48)\",1,2,3,4,5,6,7,8,9\n",
      "cannot read a.csv, line 1: expected image, box and ten counts, found '11 "
        + "fields'"),
    table(
      "a vote of -1", "ferplus", "a.png,\"(0, 0, 48, 48)\",-1,0,0,0,0,0,0,0,0,0\n",
      "cannot read a.csv, line 1: expected a whole number of votes in neutral, found "
        + "'-1'"),
    table(
      "a box of words", "ferplus", "a.png,\"(here)\",1,0,0,0,0,0,0,0,0,0\n",
      "cannot read a.csv, line 1: expected a box (left, top, right, bottom), found "
        + "'(here)'"),
    table(
      "an empty table of OpenFace", "openface", "",
      "cannot read a.csv: expected a header, found an empty file"),
    table(
      "a table without points", "openface", "frame,confidence\n1,0.5\n",
      "cannot read a.csv, line 1: expected columns of points, head pose, gaze or action units, found "
        + "'frame,confidence'"),
    table(
      "an empty table of Py-Feat", "pyfeat", "",
      "cannot read a.csv: expected a header, found an empty file"),
    table(
      "a table without boxes", "pyfeat", "frame,input\n1,a.mp4\n",
      "cannot read a.csv, line 1: expected a column 'FaceRectX', found 'frame,input'"),
    list("an empty file of tracks", "mot", "", "cannot read a.txt: expected boxes, found none"),
    list(
      "a track of words", "mot", "1,1,a,b,c,d,1\n",
      "cannot read a.txt, line 1: expected a number in column 3, found 'a'"),
    list(
      "a frame beyond reason", "mot", "999999999999,1,1,1,5,6,1\n",
      "cannot read a.txt, line 1: expected a frame of 0 to 1048576, found "
        + "'999999999999'"),
    list(
      "a frame of -1", "mot", "-1,1,1,1,5,6,1\n",
      "cannot read a.txt, line 1: expected a frame of 0 to 1048576, found '-1'"),
    list(
      "a track of 3 columns", "mot", "1,1,1\n",
      "cannot read a.txt, line 1: expected 7 to 10 fields, found '3'"),
    BrokenInput(
      "an empty OTB sequence", "import otb groundtruth_rect.txt -o b.h5 --labels-only",
      "cannot read groundtruth_rect.txt: expected boxes, found none"
    ) {
      try $0.write("", to: "groundtruth_rect.txt")
    },
    BrokenInput(
      "an OTB box of words", "import otb groundtruth_rect.txt -o b.h5 --labels-only",
      "cannot read groundtruth_rect.txt, line 1: expected 4 numbers, found '1,2,x,4'"
    ) {
      try $0.write("1,2,x,4\n", to: "groundtruth_rect.txt")
    },
    frames(
      "a session of another version", "arkit", "{\"schema\":\"facegauge.arkit\",\"version\":2}\n",
      "cannot read 'version' in a.json, line 1: expected 1, found 2"),
    frames(
      "a session without frames", "arkit", "{\"schema\":\"facegauge.arkit\",\"version\":1}\n",
      "cannot read a.json: expected frames, found none"),
    frames(
      "a depth map of 10^11 columns", "arkit",
      "{\"schema\":\"facegauge.arkit\",\"version\":1}\n"
        + "{\"timestamp\":1,\"faces\":[],\"depth\":{\"width\":99999999999,\"height\":9}}\n",
      "cannot read a.json, line 2: expected a depth map of 99999999999x9 floats, "
        + "found 0 bytes"),
    frames(
      "results without a header", "mediapipe", "{\"name\":\"a\"}\n",
      "cannot read 'schema' in a.json, line 1: expected \"facegauge.mediapipe\", found nothing"),
    frames(
      "results of one point", "mediapipe",
      "{\"schema\":\"facegauge.mediapipe\",\"version\":1}\n"
        + "{\"name\":\"a\",\"width\":9,\"height\":8,\"faces\":[{\"landmarks\":[[0,0,0]]}]}\n",
      "cannot read a.json, line 2: expected 478 landmarks, found 1"),
    frames(
      "observations of an image of 0 pixels", "vision",
      "{\"schema\":\"facegauge.vision\",\"version\":1}\n"
        + "{\"name\":\"a\",\"width\":0,\"height\":8,\"faces\":[]}\n",
      "cannot read a.json, line 2: expected an image of 1 to 65535 pixels, found 0x8"),
    frames(
      "observations that are no JSON", "vision", "observations\n",
      "cannot read a.json, line 1, column 1: expected JSON, found 'o'"),
    mat(
      "an empty MAT-file", [],
      "cannot read set/1_points.mat: expected MAT version 5, found an empty file"),
    mat(
      "a MAT-file of its header", MATSample().file(),
      "cannot read 'Points' in set/1_points.mat: expected a variable of numbers, text or "
        + "cells, found none"),
    mat(
      "a MAT-file that is cut", Array(MATSample().face().dropLast(40)),
      "cannot read set/1_points.mat, byte 1280: expected at most 88 bytes, found 128"),
    mat(
      "a MAT-file of another version",
      Array("MATLAB 9.0 MAT-file".utf8) + [UInt8](repeating: 0, count: 200),
      "cannot read set/1_points.mat: expected MAT version 5, found another file"),
    mat(
      "a MAT element of 4 GB", MATSample().file([14, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0]),
      "cannot read set/1_points.mat, byte 128: expected at most 4 bytes, found 4294967295"),
    mat(
      "a MAT array of 2^31 by 2^31",
      MATSample().file(MATSample().doubles("Points", .init(Int32.max), .init(Int32.max), [1])),
      "cannot read set/1_points.mat, byte 32: expected extents of at most 2147483647 "
        + "values, found 2147483647"),
    mat(
      "a MAT array of a negative extent",
      MATSample().file(MATSample().doubles("Points", -1, 2, [1])),
      "cannot read set/1_points.mat, byte 32: expected extents of at most 2147483647 "
        + "values, found -1"),
    mat(
      "67 points in a MAT-file",
      MATSample().file(
        MATSample().doubles("Points", 67, 2, [Double](repeating: 1, count: 134)), MATSample().hidden
      ), "cannot read 'Points' in set/1_points.mat: expected 68 x 2 numbers, found 67 x 2"),
    mat(
      "points of nan in a MAT-file",
      MATSample().file(
        MATSample().doubles("Points", 68, 2, [Double](repeating: .nan, count: 136)),
        MATSample().hidden),
      "cannot read 'Points' in set/1_points.mat: expected finite numbers, found NaN or "
        + "infinity"),
    BrokenInput(
      "a text instead of wider_face_val.mat", "import wider-mat a.mat -o b.h5 --labels-only",
      "a.mat", "text", "cannot read a.mat: expected MAT version 5, found 4 bytes"),
    BrokenInput(
      "a text instead of COFW", "import cofw a.mat -o b.h5", "a.mat", "text",
      "cannot open a.mat: it is not an HDF5 file"),
    BrokenInput(
      "a folder without MAT-files", "import aflw2000 set -o b.h5",
      "cannot import set: expected .mat files, found none"
    ) {
      try $0.write("", to: "set/a.jpg")
    },
    mapped(
      "an empty mapping", "",
      "cannot read a.json, line 1, column 1: expected JSON, found the end of the file"),
    mapped(
      "a mapping of another version", "{\"schema\":\"facegauge.hdf5-mapping\",\"version\":2}",
      "cannot read 'version' in a.json: expected 1, found 2"),
    mapped(
      "a mapping with an unknown key", mapping("\"colour\":1,"),
      "cannot read a.json: expected only the keys schema, version, images, faces, files, matlab, "
        + "splits, found the key \"colour\""),
    mapped(
      "a mapping of a table that is not there",
      mapping("", pixels: "{\"path\":\"x\",\"layout\":\"NHWC\",\"range\":[0,255]}"),
      "cannot read 'x' in good.h5: there is no such object"),
    mapped(
      "a mapping of another layout",
      mapping("", pixels: "{\"path\":\"faces/box\",\"layout\":\"NHWC\",\"range\":[0,255]}"),
      "cannot read 'faces/box' in good.h5: expected pixels of 4 dimensions (NHWC), "
        + "found f32 [3, 4]"),
    mapped(
      "a mapping of a layout that is none",
      mapping("", pixels: "{\"path\":\"x\",\"layout\":\"HCW\"}"),
      "cannot read 'images.pixels.layout' in a.json: expected N, H, W and C once each, found \"HCW\""
    ),
  ]

  /// The tools over whole datasets.
  static let tools: [BrokenInput] = [
    BrokenInput(
      "a part of no share", "split good.h5 -o b.h5 --parts train", status: 64,
      "invalid value 'train' for '--parts': expected shares such as "
        + "train=0.8,val=0.1,test=0.1"),
    BrokenInput(
      "shares above 1", "split good.h5 -o b.h5 --parts a=0.8,b=0.8", status: 64,
      "invalid value 'a=0.8,b=0.8' for '--parts': expected shares that add up to 1"),
    BrokenInput(
      "one part", "split good.h5 -o b.h5 --parts a=1", status: 64,
      "invalid value 'a=1' for '--parts': expected 2 to 64 parts of different plain names, each with "
        + "a share above 0"),
    BrokenInput(
      "an attribute that is not there", "split good.h5 -o b.h5 --parts a=0.5,b=0.5 --stratify blur",
      "cannot stratify good.h5 by 'blur': expected one of expression"),
    BrokenInput(
      "a condition without a value", "subset good.h5 -o b.h5 --where yaw", status: 64,
      "invalid value 'yaw' for '--where': expected a field, one of = != < <= > >=, "
        + "and a value, such as yaw>=0.5"),
    BrokenInput(
      "a condition on what is not there", "subset good.h5 -o b.h5 --where blur>1",
      "cannot choose by 'blur>1' in good.h5: expected a blendshape or one of "
        + "blendshapes, box.area, box.height, box.width, category, categoryName, crowd, expression, "
        + "faces, fps, frame, height, identity, ignore, kind, landmarks, name, pose, "
        + "score, seconds, sequence, subject, width, found 'blur'"),
    BrokenInput(
      "a split that is not there", "subset good.h5 -o b.h5 --split train",
      "cannot read split 'train' of good.h5: expected a dataset with splits, found "
        + "none"),
    BrokenInput(
      "a dataset merged onto itself", "merge good.h5 good.h5 -o good.h5 --force", status: 73,
      "cannot write good.h5: expected a file other than the input, found the same"),
    BrokenInput(
      "a merger with a text", "merge good.h5 a.h5 -o b.h5", "a.h5", "text",
      "cannot open a.h5: it is not an HDF5 file"),
    BrokenInput(
      "an export of a text", "export coco a.h5 -o out", "a.h5", "text",
      "cannot open a.h5: it is not an HDF5 file"),
    BrokenInput(
      "an export to a format that is not there", "export pts good.h5 -o out", status: 64,
      "invalid value 'pts' for '<format>': expected one of 'coco', 'imglab', "
        + "'cvat', 'cvat-video', 'label-studio', 'yolo', 'mot', 'wider-detections', 'faces', 'openmetrics', 'badge'"
    ),
    BrokenInput(
      "an export into a folder with files", "export coco good.h5 -o out", status: 73,
      "cannot write out: expected a new folder, found one or a file"
    ) {
      try $0.write("", to: "out/a")
    },
    BrokenInput(
      "an empty list of shards", "inspect a.json", "a.json", "",
      "cannot read a.json, line 1, column 1: expected JSON, found the end of the file"),
    BrokenInput(
      "a list of no shards", "inspect a.json", "a.json", shards(""),
      "cannot read 'files' in a.json: expected a list of 1 to 100000 paths, found an empty list"),
    BrokenInput(
      "a list of itself", "inspect a.json", "a.json", shards("\"a.json\""),
      "cannot open a.json: it is not an HDF5 file"),
    BrokenInput(
      "a list of what is not there", "inspect a.json", status: 66, "a.json", shards("\"no.h5\""),
      "cannot open no.h5: no such file"),
    BrokenInput("a list of a text", "inspect a.json", "cannot open a.h5: it is not an HDF5 file") {
      try $0.write(shards("\"a.h5\""), to: "a.json")
      try $0.write("text", to: "a.h5")
    },
    BrokenInput(
      "a pattern of nothing", "inspect *.h5", status: 66, "cannot open *.h5: no such file"),
  ]

  @Sendable private static func shards(_ files: String) -> String {
    "{\"schema\": \"facegauge.shards\", \"version\": 1, \"files\": [\(files)]}"
  }

  private static func coco(_ what: String, _ text: String, _ message: String) -> BrokenInput {
    BrokenInput(what, "import coco a.json -o b.h5 --labels-only", "a.json", text, message)
  }

  private static func list(
    _ what: String, _ format: String, _ text: String, _ message: String
  ) -> BrokenInput {
    BrokenInput(what, "import \(format) a.txt -o b.h5 --labels-only", "a.txt", text, message)
  }

  private static func table(
    _ what: String, _ format: String, _ text: String, _ message: String
  ) -> BrokenInput {
    BrokenInput(what, "import \(format) a.csv -o b.h5 --labels-only", "a.csv", text, message)
  }

  private static func frames(
    _ what: String, _ format: String, _ text: String, _ message: String
  ) -> BrokenInput {
    BrokenInput(what, "import \(format) a.json -o b.h5 --labels-only", "a.json", text, message)
  }

  private static func mat(_ what: String, _ bytes: [UInt8], _ message: String) -> BrokenInput {
    BrokenInput(what, "import cofw68 set -o b.h5", "set/1_points.mat", bytes: bytes, message)
  }

  private static func mapped(_ what: String, _ text: String, _ message: String) -> BrokenInput {
    BrokenInput(what, "import hdf5 a.json good.h5 -o b.h5", "a.json", text, message)
  }

  private static func mapping(_ more: String, pixels: String = "{}") -> String {
    "{\"schema\":\"facegauge.hdf5-mapping\",\"version\":1,\(more)\"images\":{\"pixels\":\(pixels)},"
      + "\"faces\":{\"box\":{\"form\":\"image\"}}}"
  }
}
