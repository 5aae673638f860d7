"""Words that the formats know, for seeds and for libFuzzer's dictionaries."""

LIVE_LINK = """
    EyeBlinkLeft EyeLookDownLeft EyeLookInLeft EyeLookOutLeft EyeLookUpLeft EyeSquintLeft
    EyeWideLeft EyeBlinkRight EyeLookDownRight EyeLookInRight EyeLookOutRight
    EyeLookUpRight EyeSquintRight EyeWideRight JawForward JawRight JawLeft JawOpen
    MouthClose MouthFunnel MouthPucker MouthRight MouthLeft MouthSmileLeft MouthSmileRight
    MouthFrownLeft MouthFrownRight MouthDimpleLeft MouthDimpleRight MouthStretchLeft
    MouthStretchRight MouthRollLower MouthRollUpper MouthShrugLower MouthShrugUpper
    MouthPressLeft MouthPressRight MouthLowerDownLeft MouthLowerDownRight MouthUpperUpLeft
    MouthUpperUpRight BrowDownLeft BrowDownRight BrowInnerUp BrowOuterUpLeft
    BrowOuterUpRight CheekPuff CheekSquintLeft CheekSquintRight NoseSneerLeft
    NoseSneerRight TongueOut HeadYaw HeadPitch HeadRoll LeftEyeYaw LeftEyePitch
    LeftEyeRoll RightEyeYaw RightEyePitch RightEyeRoll
""".split()

NUMBERS = ["NaN", "nan", "inf", "-1", "1e308", "-1e308", "1e-320", "9223372036854775807", "0x1p3", "1e19"]
JSON = ["null", "true", "[]", "{}", "\\ud800", "[[[[[[[["] + NUMBERS

DICTIONARIES = {
    "model": ["TFL3", b"\xff\xff\xff\xff", b"\x00\x00\x00\x80", b"\xff\xff\xff\x7f"],
    "bundle": [b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"\xff\xff\xff\xff"],
    "image": [
        b"\xff\xd8", b"\xff\xd9", b"\xff\xc0", b"\xff\xc2", b"\xff\xc4", b"\xff\xda", b"\xff\xdb",
        b"\xff\xdd", b"\xff\xe1", b"\xff\xee", "Exif\0\0II*\0", "Exif\0\0MM\0*", "Adobe", "IHDR",
        "IDAT", "PLTE", "tRNS", "IEND", "acTL",
    ],
    "hdf5": [
        b"\x89HDF\r\n\x1a\n", "OHDR", "OCHK", "TREE", "SNOD", "HEAP", "GCOL", "FRHP", "FADB", "FAHD",
        "EAHD", "BTHD", b"\xff" * 8, b"\xff" * 4,
    ],
    "record": JSON + ["facegauge.record", "schema", "version", "measurements", "series"],
    "gates": JSON + ["facegauge.gates", "at_least", "at_most", "limit", "metric", "direction", "slice",
                     "max_worsening", "max_relative_worsening", "evaluated_by", "interval", "value"],
    "tracker": JSON + ["\n", '"frame":', '"faces":[', '"points":[', '"box":[', '"rejected":[', '"sync":', '"received_ns":',
                       '"finished_ns":', '"stages_ns":{', '"device":{', '"scheme":"five"', '"candidates":['],
    "pairs": ["a,b,same", "\"", ",", "\r\n", "0", "1", "a", "b"],
    "tracking-state": JSON + ["regions", "smoother", "lastTimestampMicroseconds"],
    "import-labels": JSON + ["facegauge.labels", "ibug68", "wflw98", "box", "landmarks", "visible"],
    "import-imglab": NUMBERS + [
        "<box", "<part", "<image", "</image>", "<images>", "</box>", "ignore='1'", "&#0;", "<![CDATA[",
        "<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;", "<!--", "-->",
    ],
    "import-hrnet": NUMBERS + ["image_name,scale,center_w,center_h,", '"', "original_0_x", "\r\n"],
    "import-livelink": NUMBERS + ["Timecode", "BlendShapeCount", ":", "23:59:59:59.999", '"', "\r\n"],
    "import-pts": NUMBERS + ["version: 1", "n_points: ", "{", "}", "\u2028", "\u0085"],
    "import-livelink-packets": [b"\x1f\x8b\x08", b"\xff\xff\xff\xff", b"\x7f\x80\x00\x00"],
    "import-coco": JSON + [
        '"images":[', '"annotations":[', '"bbox":[', '"image_id":', '"keypoints":[', '"face_kpts":[', '"iscrowd":1',
        '"segmentation":', '"score":',
    ],
    "import-mediapipe": JSON + ["facegauge.mediapipe", '"landmarks":', '"matrix":', '"timestamp_ms":', "\n{"],
    "import-arkit": JSON + ["facegauge.arkit", '"vertices":', '"depth":', '"camera":', '"transform":', "\n{"],
    "import-vision": JSON + ["facegauge.vision", '"boundingBox":', '"regions":', '"uuid":', "\n{"],
    "import-hdf5-mapping": JSON + [
        "facegauge.hdf5-mapping", '"columns":[', '"layout":', '"NCHW"', '"HWC"', '"CHW"', "xxyy", "xyxy", "xywh",
        "center-scale", '"matlab":true', '"repeat":true', '"path":', '"base":', '"visible":', '"states":',
        "{image}", "{subject}/", "{split}", "{sequence}", ":box", "@age", '"order":"@', '"split":',
    ],
    "import-otb-results": JSON + ['"resType":', '"res":', '"startFrame":', '"len":'],
    "import-wflw": NUMBERS + [".jpg", " "], "import-wider": NUMBERS + [".jpg\n", "\n1\n", "\n0\n"],
    "import-wider-detections": NUMBERS + [".jpg\n", "\n1\n"], "import-ferplus": NUMBERS + ['"(', ')"', "Usage"],
    "import-openface": NUMBERS + ["frame", "face_id", "success", "timestamp", ", ", "AU01_r", "gaze_0_x"],
    "import-pyfeat": NUMBERS + ["FaceRectX", "input", "frame", "Identity", "approx_time"],
    "import-cofw68-results": NUMBERS + [" ", "0 1 0 1", " \n"],
    "import-retinaface": NUMBERS + ["# ", ".jpg", "-1 -1 -1", "\n# a.jpg 9 9\n"],
    "import-fddb": NUMBERS + ["\n1\n", "\n0\n", "/img_1", " "], "import-yolo": NUMBERS + [" ", "0 0.5 "],
    "import-yolo-description": NUMBERS + ["train:", "val:", "names:", "path:", "kpt_shape:", "kpt_names:", "\n- ", "\n  0: ", "../", ".txt"],
    "import-voc-lists": ["a", "\n", "\r\n", " 1", " -1", "/"],
    "import-voc": NUMBERS + ["<object>", "</object>", "<bndbox>", "<xmin>", "<name>", "<part>", "<filename>",
                             "<annotation>", "<difficult>1</difficult>", "<!--", "&amp;"],
    "import-cvat": NUMBERS + ["<image ", "<box ", "xtl=", "rotation=", "<points ", "points=", ";", "<track>",
                              "<attribute ", "label="],
    "import-csv": NUMBERS + [",", ";", "image", "x_0", "frame", ".jpg"],
    "column-draft": NUMBERS + [",", ";", "image", "x_0", "frame", ".jpg"],
    "import-labelme": JSON + ['"shapes":', '"points":', '"group_id":'],
    "import-label-studio": JSON + ['"data":', '"annotations":', '"result":', '"sequence":', '"value":'],
    "import-mediapipe-dump": JSON + ['"faceLandmarks":', '"frame":', '"data":'],
    "import-celeba": NUMBERS + [".jpg ", " -1", " 1"], "import-celeba-points": NUMBERS + [".jpg "],
    "import-fer2013": NUMBERS + ["emotion", "pixels", "Usage", "Training", " 255"],
    "import-mot": NUMBERS + [",", "-1"], "import-otb": NUMBERS + [",", "\t"],
}

MAT = [b"MATLAB 5.0", b"\x00\x01IM", b"\x01\x00MI", b"\x0e\0\0\0", b"\x0f\0\0\0", b"\xff\xff\xff\xff", "Pose_Para", "Points"]
for target in ["wider-mat", "aflw2000", "cofw68"]:
    DICTIONARIES[f"import-{target}"] = MAT
for target in ["cofw", "hdf5-mapped", "hdf5-grouped"]:
    DICTIONARIES[f"import-{target}"] = DICTIONARIES["hdf5"]
