import TestSupport

extension BrokenInput {
  /// Lists of pairs of images, and words of `similarity`.
  static let pairs: [BrokenInput] = [
    list("an empty list of pairs", "", "cannot read p.csv: expected a header, found an empty file"),
    list(
      "a list of pairs without a header", "a.jpg,b.jpg,1\n",
      "cannot read p.csv, line 1: expected a column 'a', found 'a.jpg,b.jpg,1'"),
    list(
      "pairs without a truth", "a,b\na.jpg,b.jpg\n",
      "cannot read p.csv, line 1: expected a column 'same', found 'a,b'"),
    list(
      "a column of pairs twice", "a,b,same,a\n",
      "cannot read p.csv, line 1: expected every column once, found 'a'"),
    list(
      "a header of pairs alone", "a,b,same\n\n\n",
      "cannot read p.csv: expected a pair or more, found none"),
    list(
      "a pair of one field", "a,b,same\n\na.jpg\n",
      "cannot read p.csv, line 3: expected 3 fields, found '1'"),
    list(
      "a pair of four fields", "a,b,same\na.jpg,b.jpg,1,1\n",
      "cannot read p.csv, line 2: expected 3 fields, found '4'"),
    list(
      "a pair without its second image", "a,b,same\na.jpg,,1\n",
      "cannot read p.csv, line 2: expected two images, found 'a.jpg,,1'"),
    list(
      "an image paired with itself", "a,b,same\na.jpg, a.jpg,1\n",
      "cannot read p.csv, line 2: expected two images, found 'a.jpg twice'"),
    list(
      "a pair that may belong together", "a,b,same\na.jpg,b.jpg,0.5\n",
      "cannot read p.csv, line 2: expected 0 or 1 in same, found '0.5'"),
    list(
      "a pair without a truth", "a,b,same\na.jpg,b.jpg,\n",
      "cannot read p.csv, line 2: expected 0 or 1 in same, found ''"),
    list(
      "a truth in words", "same,a,b\r\ntrue,a.jpg,b.jpg\r\n",
      "cannot read p.csv, line 2: expected 0 or 1 in same, found 'true'"),
    list(
      "a pair twice, turned round", "a,b,same\na.jpg,b.jpg,1\nb.jpg,a.jpg,0\n",
      "cannot read p.csv, line 3: expected each pair once, found 'that of line 2'"),
    list(
      "a pair of images that are not there", "a,b,same\na.jpg,b.jpg,1\na.jpg,c.jpg,0\n",
      status: 66, "cannot read p.csv, line 3: no such file 'c.jpg'"),
    list(
      "an open quote in pairs", "a,b,same\n\"a.jpg,b.jpg,1\n",
      "cannot read p.csv, line 2: expected a closing quote, found 'the end of the file'"),
    list(
      "zeros in pairs", "a,b,same\na.jpg,b\0.jpg,1\n",
      "cannot read p.csv: expected text, found a byte of 0"),
    BrokenInput(
      "a folder of pairs", "similarity --pairs folder",
      "cannot read folder: expected a file, found a folder"
    ) { try $0.write("", to: "folder/a") },
    BrokenInput(
      "a list of pairs that is not there", "similarity --pairs p.csv", status: 66,
      "cannot read p.csv: no such file"),
    BrokenInput(
      "no images to compare", "similarity", status: 64,
      "expected two images or '--pairs', found 0"),
    BrokenInput(
      "one image to compare", "similarity a.jpg", status: 64,
      "expected two images or '--pairs', found 1"),
    BrokenInput(
      "three images to compare", "similarity a.jpg b.jpg c.jpg", status: 64,
      "expected two images or '--pairs', found 3"),
    BrokenInput(
      "images with a list of pairs", "similarity a.jpg b.jpg --pairs p.csv", status: 64,
      "'--pairs' cannot be combined with images"),
  ]

  private static func list(
    _ what: String, _ text: String, status: Int32 = 65, _ message: String
  ) -> BrokenInput {
    BrokenInput(what, "similarity --pairs p.csv", status: status, message) {
      try $0.write(text, to: "p.csv")
      try $0.write("", to: "a.jpg")
      try $0.write("", to: "b.jpg")
    }
  }
}
