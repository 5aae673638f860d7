import TestSupport

extension BrokenInput {
  /// Wrong words and numbers on the command line.
  static let options: [BrokenInput] = [
    BrokenInput(
      "an option that is not there", "inspect a.h5 --jsn", status: 64,
      "unknown option '--jsn'; did you mean '--json'?"),
    BrokenInput(
      "a subcommand that is not there", "inspekt a.h5", status: 64,
      "unknown subcommand 'inspekt'; did you mean 'inspect'?"),
    BrokenInput(
      "no output", "import imglab a.xml", status: 64, "missing option '--output <file.h5>'"),
    BrokenInput(
      "an output without a name", "import imglab a.xml -o", status: 64,
      "missing value for '-o': expected <file.h5>"),
    BrokenInput("one file too many", "inspect a.h5 b.h5", status: 64, "unexpected argument 'b.h5'"),
    BrokenInput(
      "no face at all", "evaluate a.h5 -o run --num-faces 0", status: 64,
      "invalid value '0' for '--num-faces': expected an integer from 1 to 1000"),
    BrokenInput(
      "a number that is none", "evaluate a.h5 -o run --jobs many", status: 64,
      "invalid value 'many' for '--jobs': expected an integer from 1 to 256"),
    BrokenInput(
      "a number beyond 64 bits", "evaluate a.h5 -o run --jobs 99999999999999999999", status: 64,
      "invalid value '99999999999999999999' for '--jobs': expected an integer from 1 "
        + "to 256"
    ),
    BrokenInput(
      "an infinite confidence", "evaluate a.h5 -o run --min-face-detection-confidence inf",
      status: 64,
      "invalid value 'inf' for '--min-face-detection-confidence': expected a number"),
    BrokenInput(
      "a frame rate of nan", "animate a.h5 -o b.h5 --fps nan", status: 64,
      "invalid value 'nan' for '--fps': expected a number from 0.001 to 1000"),
    BrokenInput(
      "a seed without people", "animate a.h5 -o b.h5 --seed 2", status: 64,
      "'--seed' requires '--people'"),
    BrokenInput(
      "an index base of 2", "import pts a -o a.h5 --index-base 2", status: 64,
      "invalid value '2' for '--index-base': expected an integer from 0 to 1"),
    BrokenInput(
      "an index base where it has no effect", "import coco a.json -o a.h5 --index-base 0",
      status: 64, "a.json", "{}",
      "'--index-base' has no effect on coco, only on voc, pts, hrnet, aflw2000, cofw68, cofw, otb, "
        + "mot"),
    BrokenInput(
      "a folder of images for a format without names", "import fer2013 a.csv -o a.h5 --images b",
      status: 64, "a.csv", "", "'--images' has no effect on fer2013"),
    BrokenInput(
      "frames that run backwards", "overlay run -o out --frames 9:1:0", status: 64,
      "invalid value '9:1:0' for '--frames': expected frames such as 7, 0:100 or "
        + "0:100:5"),
    BrokenInput(
      "a part that is not there", "overlay run -o out --parts nose", status: 64,
      "invalid value 'nose' for '--parts': expected some of 'mesh', 'contours', "
        + "'axes', 'blendshapes', 'detections', 'regions', 'labels', separated by commas"),
    BrokenInput(
      "live mode that resumes", "evaluate a.h5 -o run --mode live --resume", status: 64,
      "'--resume' cannot be combined with '--mode live'"),
    BrokenInput(
      "a flag twice", "inspect a.h5 --json --json", status: 64,
      "option '--json' is given more than once"),
  ]

  /// Positions that are not there or cannot be written.
  static let positions: [BrokenInput] = [
    BrokenInput("no such dataset", "inspect no.h5", status: 66, "cannot open no.h5: no such file"),
    BrokenInput("no such dataset", "validate no.h5", status: 66, "cannot open no.h5: no such file"),
    BrokenInput(
      "no such label file", "import imglab no.xml -o a.h5", status: 66,
      "cannot read no.xml: no such file"),
    BrokenInput(
      "no such folder of labels", "import pts no -o a.h5", status: 66,
      "cannot read no: no such folder"),
    BrokenInput("no such run", "report no", status: 66, "cannot read no/record.json: no such file"),
    BrokenInput(
      "no such gates", "evaluate good.h5 -o run --gates no.json", status: 66,
      "cannot read no.json: no such file"),
    BrokenInput(
      "no such models", "evaluate good.h5 -o run --models no", status: 66,
      "cannot read no: no such file"),
    BrokenInput(
      "no models", "evaluate good.h5 -o run", status: 69,
      "cannot load blazeface-short-range: expected face_landmarker.task or "
        + "face_detection_short_range.tflite in none, found none (run 'facegauge models "
        + "pull')"),
    BrokenInput(
      "an output that exists", "animate good.h5 -o good.h5", status: 73,
      "cannot write good.h5: it exists already (--force replaces it)"),
    BrokenInput(
      "an output that is the input", "animate good.h5 -o good.h5 --force", status: 73,
      "cannot write good.h5: expected a file other than the input, found the same"),
    BrokenInput(
      "an output in no folder", "animate good.h5 -o no/b.h5", status: 73,
      "cannot write no/b.h5: no folder no"),
    BrokenInput(
      "an output below a file", "animate good.h5 -o good.h5/b.h5", status: 73,
      "cannot write good.h5/b.h5: no folder good.h5"),
    BrokenInput(
      "an output that is a folder", "animate good.h5 -o sub --force", status: 73,
      "cannot write sub: expected a file, found a folder"
    ) {
      try $0.write("", to: "sub/file")
    },
  ]
}
