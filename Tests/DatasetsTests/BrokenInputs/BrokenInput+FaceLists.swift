import TestSupport

extension BrokenInput {
  /// Lists of faces in other collections' formats, and labels where a dataset is expected.
  static let faceLists: [BrokenInput] = [
    BrokenInput(
      "labels given to evaluate", "evaluate a.json -o run --predictions p.h5", "a.json",
      COCOTests.document(),
      "cannot read 'schema' in a.json: expected \"facegauge.shards\", found nothing ('facegauge "
        + "import coco' makes a dataset of it)"),
    BrokenInput(
      "an XML of labels given to validate", "validate a.xml", "a.xml",
      "<dataset><images/></dataset>",
      "cannot open a.xml: it is not an HDF5 file ('facegauge import imglab' makes a dataset of it)"),
    BrokenInput(
      "an FDDB row of seven numbers", "import fddb a.txt -o b.h5 --labels-only", "a.txt",
      "x/y\n1\n1 2 3 4 5 6 7\n",
      "cannot read a.txt, line 3: expected an ellipse of 6 numbers, or x y w h score, found '1 2 3 4 "
        + "5 6 7'"),
    BrokenInput(
      "FDDB's detections as labels", "import fddb a.txt -o b.h5 --labels-only", "a.txt",
      "x/y\n1\n1 2 3 4 0.9\n",
      "cannot read a.txt, line 3: expected an ellipse of 6 numbers, found a detection x y w h score "
        + "('--of DATASET' makes predictions of it)"),
    BrokenInput(
      "an FDDB list in a folder", "import fddb s -o b.h5 --labels-only",
      "cannot read s/a-ellipseList.txt, line 2: expected the number of faces of x/y, found 'one'"
    ) { try $0.write("x/y\none\n", to: "s/a-ellipseList.txt") },
    BrokenInput(
      "an FDDB list that ends early", "import fddb a.txt -o b.h5 --labels-only", "a.txt",
      "x/y\n2\n9 8 0.5 30 40 1\n",
      "cannot read a.txt, line 3: expected 2 rows for x/y, found 'the end after 1'"),
    BrokenInput(
      "a RetinaFace row of five numbers", "import retinaface a.txt -o b.h5 --labels-only", "a.txt",
      "# a.jpg\n1 2 3 4 5\n",
      "cannot read a.txt, line 2: expected 4 numbers of a box, 19 with five points, 20 with one "
        + "more, or 5 of a prediction's box and score (--of), found '5 numbers'"),
    BrokenInput(
      "a RetinaFace face before any image", "import retinaface a.txt -o b.h5 --labels-only",
      "a.txt",
      "1 2 3 4\n",
      "cannot read a.txt, line 1: expected '# ' and the name of an image, found '1 2 3 4'"),
    BrokenInput(
      "a line of RetinaFace's labelv2 without the image's size",
      "import a.txt -o b.h5 --labels-only", "a.txt",
      "# a.jpg 20 20\n1 2 5 8\n# b.jpg\n1 2 5 8\n",
      "cannot read a.txt, line 3: expected an image and its width and height, as before: boxes are "
        + "left, top, right, bottom, found '# b.jpg'"),
    BrokenInput(
      "a line of RetinaFace's label.txt with the image's size",
      "import a.txt -o b.h5 --labels-only", "a.txt",
      "# a.jpg\n1 2 5 8\n# b.jpg 20 20\n1 2 5 8\n",
      "cannot read a.txt, line 3: expected an image without size, as before: boxes are left, top, "
        + "width, height, found '# b.jpg 20 20'"),
    BrokenInput(
      "a YOLO folder whose first text is broken", "import s -o b.h5",
      "cannot read s/a.txt, line 1: expected a number in column 3, found '.5.'"
    ) { folder in
      try folder.write(Sample.png(9, 9), to: "s/a.png")
      try folder.write("0 0.5 .5. 0.1 0.1\n", to: "s/a.txt")
    },
    BrokenInput(
      "YOLO classes without names", "import s -o b.h5",
      "cannot read s/a.txt, line 2: expected class 0, as there are no names of classes, or "
        + "--category with the number of the class that is a face, found '1'"
    ) { folder in
      try folder.write(Sample.png(9, 9), to: "s/a.png")
      try folder.write("0 0.5 0.5 0.1 0.1\n1 0.5 0.5 0.1 0.1\n", to: "s/a.txt")
    },
    BrokenInput(
      "a YOLO row of eight columns", "import yolo s -o b.h5 --labels-only",
      "cannot read s/a.txt, line 1: expected class, x, y, width, height, then 5 or 68 points or "
        + "none, then a score, a track, both or none (5 to 7, 15 to 17, 20 to 22, 141 to 143 or 209 "
        + "to 211 columns), found '8 columns'"
    ) { folder in
      try folder.write(Sample.png(9, 9), to: "s/a.png")
      try folder.write("0 0.5 0.5 0.1 0.1 0.2 0.3 1\n", to: "s/a.txt")
    },
    BrokenInput(
      "a YOLO row in pixels", "import yolo s -o b.h5",
      "cannot read s/a.txt, line 2: expected x, y, width and height in fractions of the image, found "
        + "'50 40 20 20'"
    ) { folder in
      try folder.write(Sample.png(9, 9), to: "s/a.png")
      try folder.write("0 1 1 2 2\n0 50 40 20 20\n", to: "s/a.txt")
    },
    BrokenInput(
      "YOLO classes without a face", "import yolo s -o b.h5",
      "cannot read s: expected one category named face, or --category with the name or number of "
        + "the one that is, or 'all', found 0 'cat', 1 'dog'"
    ) { folder in
      try folder.write(Sample.png(9, 9), to: "s/a.png")
      try folder.write("0 0.5 0.5 0.1 0.1\n1 0.5 0.5 0.1 0.1\n", to: "s/a.txt")
      try folder.write("cat\ndog\n", to: "s/classes.txt")
    },
    BrokenInput(
      "a Pascal VOC box without an edge", "import voc a.xml -o b.h5 --labels-only", "a.xml",
      "<annotation><filename>a.jpg</filename>\n<object><name>face</name><bndbox><xmin>1</xmin>"
        + "<ymin>1</ymin><xmax>5</xmax></bndbox></object></annotation>",
      "cannot read a.xml, line 2: expected a number in <ymax>, found none"),
    BrokenInput(
      "a Pascal VOC edge that is no number", "import voc a.xml -o b.h5 --labels-only", "a.xml",
      "<annotation><filename>a.jpg</filename>\n<object><name>face</name><bndbox><xmin>x</xmin>"
        + "</bndbox></object></annotation>",
      "cannot read a.xml, line 2: expected a number in <xmin>, found 'x'"),
    BrokenInput(
      "a fer2013.csv of five pixels", "import fer2013 a.csv -o b.h5", "a.csv",
      "emotion,pixels,Usage\n3,1 2 3 4 5,Training\n",
      "cannot read a.csv, line 2: expected 2304 values in pixels, found '5'"),
    BrokenInput(
      "a fer2013.csv of a brighter pixel", "import fer2013 a.csv -o b.h5", "a.csv",
      "emotion,pixels\n3,1 256 3\n",
      "cannot read a.csv, line 2: expected grey values of 0 to 255 in pixels, found '1 256 3'"),
    BrokenInput(
      "a CelebA list of fewer rows than its count",
      "import celeba list_bbox_celeba.txt -o b.h5 --labels-only",
      "list_bbox_celeba.txt", "2\nimage_id x_1 y_1 width height\n000001.jpg 95 71 226 313\n",
      "cannot read list_bbox_celeba.txt, line 3: expected 2 rows, the count in its first line, "
        + "found '1'"
    ),
    BrokenInput(
      "a CelebA file of another name", "import celeba a.txt -o b.h5 --labels-only", "a.txt", "1\n",
      "cannot import a.txt: expected one of list_bbox_celeba.txt, list_landmarks_celeba.txt, "
        + "list_landmarks_align_celeba.txt, list_attr_celeba.txt, identity_celeba.txt, "
        + "list_eval_partition.txt"),
    BrokenInput(
      "class folders without images", "import class-folders s -o b.h5",
      "cannot import s: expected .jpg, .jpeg or .png files, found none"
    ) { try $0.write("x", to: "s/happy/a.txt") },
  ]
}
