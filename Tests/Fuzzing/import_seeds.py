"""Seeds of the importers of label files and of other trackers' output, as texts and bytes by target."""

import io
import json
import struct

import h5py
import numpy as np

COCO = {
    "images": [{"id": 7, "file_name": "a.jpg", "width": 9, "height": 8}],
    "categories": [{"id": 1, "name": "face", "keypoints": ["left_eye"], "skeleton": []}],
    "annotations": [
        {"id": 1, "image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4], "area": 12, "iscrowd": 0,
         "keypoints": [1, 2, 2], "num_keypoints": 1},
        {"id": 2, "image_id": 7, "category_id": 1, "bbox": [0, 0, 9, 8], "iscrowd": 1,
         "segmentation": [[1, 2, 3, 4, 5, 6]], "face_box": [1, 1, 2, 2], "face_valid": True,
         "face_kpts": [value for i in range(68) for value in (i, i + 1, 1)]},
    ],
}
RESULTS = [{"image_id": 7, "category_id": 1, "bbox": [1, 2, 3.5, 4], "score": 0.75}]
IDENTITY = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def lines(*objects):
    return "\n".join(json.dumps(one) for one in objects) + "\n"


def texts():
    """Pairs of a target and a text."""
    yield "import-coco", json.dumps(COCO)
    yield "import-coco", json.dumps(RESULTS)
    points = [[i / 512, 0.25, -0.125] for i in range(478)]
    face = {"landmarks": points, "blendshapes": {"_neutral": 0.5, "jawOpen": 0.25},
            "matrix": IDENTITY}
    frame = {"name": "a.jpg", "number": 3, "width": 64, "height": 48, "faces": [face, {"landmarks": points}],
             "latency_ns": 12345}
    head = {"schema": "facegauge.mediapipe", "version": 1}
    yield "import-mediapipe", lines(head, frame)
    yield "import-mediapipe", lines(
        {**head, "kind": "video", "fps": 30}, {**frame, "timestamp_ms": 0, "faces": []},
        {**frame, "timestamp_ms": 33.3, "faces": []})
    head = {"schema": "facegauge.arkit", "version": 1, "name": "t"}
    face = {"identifier": "A", "isTracked": True, "transform": IDENTITY,
            "blendShapes": {"eyeBlink_L": 0.5, "tongueOut": 1}, "lookAtPoint": [0, 0, 1],
            "leftEyeTransform": IDENTITY, "rightEyeTransform": IDENTITY}
    camera = {"resolution": [64, 48], "intrinsics": [[50, 0, 32], [0, 50, 24], [0, 0, 1]],
              "transform": IDENTITY}
    yield "import-arkit", lines(
        head, {"timestamp": 1.5, "faces": [face], "camera": camera,
               "lightEstimate": {"ambientIntensity": 1000, "ambientColorTemperature": 5000}},
        {"timestamp": 1.6, "faces": [{**face, "isTracked": False}],
         "depth": {"width": 1, "height": 1, "metres": "AACAPw=="}})
    head = {"schema": "facegauge.vision", "version": 1, "kind": "video", "name": "v", "fps": 25}
    face = {"uuid": "a", "boundingBox": [0.1, 0.2, 0.5, 0.6], "confidence": 0.75, "roll": 0.1,
            "yaw": -0.2, "pitch": 0.3, "landmarks": {"space": "image", "regions": {
                "leftEye": [[0.2, 0.2], [0.4, 0.2]], "rightEye": [[0.7, 0.2]],
                "outerLips": [[0.3, 0.8], [0.6, 0.8]]}}}
    yield "import-vision", lines(
        head, {"name": "f", "width": 100, "height": 50, "timestamp": 0, "faces": [face]},
        {"name": "g", "width": 100, "height": 50, "timestamp": 0.04, "faces": [face], "latency_ns": 5})
    numbers = " ".join(f"{i / 2}" for i in range(196))
    yield "import-wflw", f"{numbers} 1 2 30 40 0 0 1 0 0 1 a/b.jpg\n" * 2
    yield "import-wflw", f"{numbers} a/b.jpg\n"
    yield "import-wider", "0--A/a.jpg\n2\n1 2 3 4 0 0 0 0 0 0 \n5 6 7 8 2 1 1 1 2 1 \n0--A/b.jpg\n0\n0 0 0 0 0 0 0 0 0 0\n"
    yield "import-wider-detections", "fuzz\n2\n1.5 2 3 4 0.99\n5 6 7 8 0.5\n"
    yield "import-wider-detections", "0--A/fuzz.jpg\n0\n"
    row = " ".join(f"{number}.5" for number in range(68))
    yield "import-cofw68-results", f"7 \n{row} \n{row} \n{' '.join('01' * 34)} \n"
    yield "import-ferplus", "a.png,\"(0, 0, 48, 48)\",4,0,0,1,3,2,0,0,0,0\nb.png,\"(0, 0, 48, 48)\",0,0,0,0,0,0,0,0,0,10\n"
    yield "import-ferplus", (
        "Usage,Image name,neutral,happiness,surprise,sadness,anger,disgust,fear,contempt,unknown,NF\n"
        "Training,fer0000000.png,4,0,0,1,3,2,0,0,0,0\nPublicTest,,0,0,0,0,0,0,0,0,0,10\n")
    pose = ["pose_Tx", "pose_Ty", "pose_Tz", "pose_Rx", "pose_Ry", "pose_Rz"]
    xy = [f"{axis}_{i}" for axis in "xy" for i in range(68)]
    values = [f"{i / 2}" for i in range(136)]
    first = ["frame", "face_id", "timestamp", "confidence", "success"]
    rows = [first + pose + xy + ["AU01_r"]]
    for index in range(2):
        rows.append([f"{index + 1}", "0", f"{index / 25}", "0.9", f"{index}"] + ["1"] * 6 + values + ["0.5"])
    yield "import-openface", "".join(", ".join(row) + "\r\n" for row in rows)
    yield "import-openface", ",".join(["face", "confidence"] + pose + xy) + "\n" + ",".join(
        ["0", "0.5"] + ["1"] * 6 + values) + "\n"
    names = ["FaceRectX", "FaceRectY", "FaceRectWidth", "FaceRectHeight", "FaceScore"] + xy + [
        "Pitch", "Roll", "Yaw", "AU01", "anger", "happiness", "input", "frame"]
    row = ["1", "2", "30", "40", "0.9"] + values + ["1", "2", "3", "0.5", "0.2", "0.7", "a.mp4"]
    yield "import-pyfeat", "\n".join(",".join(one) for one in [names, row + ["0"], row + ["24"]]) + "\n"
    yield "import-mot", "1,1,1,1,5,6,1,-1,-1,-1\n2,1,1,1,5,6,0.5,-1,-1,-1\n2,2,3,3,5,6,1,-1,-1,-1\n"
    yield "import-mot", "1, 2, 1, 1, 5, 6, 0, 12, 1\n"
    yield "import-otb", "1,2,30,40\n1\t2\t30\t41\nNaN NaN NaN NaN\n"
    yield "import-otb-results", json.dumps([
        {"resType": "rect", "startFrame": 1, "len": 2, "annoBegin": 1, "fps": 20.5,
         "res": [[1, 2, 3, 4], [2, 3, 4, 5]]}])
    yield "import-retinaface", "# a/b.jpg 64 48\n1 2 30 40 3 4 0 5 6 0 -1 -1 -1 7 8 1 9 9 0\n5 6 7 8\n# c.jpg 9 9\n"
    yield "import-retinaface", "# a/b.jpg\n1 2 30 40 3 4 0 5 6 0 -1 -1 -1 7 8 1 9 9 0 0.8\n5 6 7 8\n"
    yield "import-fddb", "2002/08/11/big/img_591\n1\n123.58 85.54 1.26 269.69 161.78  1\n2002/08/26/big/img_265\n0\n"
    yield "import-fddb", "2002/08/11/big/img_591\n2\n1 2 30 40 0.9\n5 6 7 8 -3\n"
    thing = ("<object><name>{}</name><truncated>1</truncated><difficult>{}</difficult><bndbox><xmin>1</xmin>"
             "<ymin>2</ymin><xmax>30</xmax><ymax>40</ymax></bndbox><part><name>nose</name></part></object>")
    yield "import-voc", ("<annotation><folder>a</folder><filename>a.jpg</filename>" + thing.format("face", 0)
                         + thing.format("dog", 1) + "</annotation>")
    yield "import-cvat", (
        '<annotations><version>1.1</version><image id="0" name="a.jpg" subset="train" width="64" height="48">'
        '<box label="face" occluded="1" xtl="1" ytl="2" xbr="30" ybr="40" rotation="15"><attribute name="blur">2'
        '</attribute></box><points label="face" points="3,4;5,6;7,8;9,10;11,12"/><polygon points="1,2"/></image>'
        '</annotations>')
    yield "import-cvat", (
        '<annotations><meta><task><size>9</size><source>a.mp4</source></task></meta><track id="0" label="face">'
        '<box frame="0" outside="0" occluded="0" keyframe="1" xtl="1" ytl="2" xbr="30" ybr="40"/>'
        '<box frame="4" outside="1" keyframe="1" xtl="1" ytl="2" xbr="30" ybr="40"/></track><track id="1" label="face">'
        '<skeleton frame="2" keyframe="1"><points label="0" outside="0" occluded="1" points="1,2"/></skeleton></track>'
        '</annotations>')
    tables = ["file,left,top,width,height,conf,x_0,y_0,x_1,y_1,x_2,y_2\na.jpg,1,2,30,40,0.9,1,2,3,4,5,6\n",
              "video;frame;timestamp_ms;track;cx;cy;w;h\na.mp4;0;0;1;9;9;4;4\na.mp4;1;40;1;9;9;4;4\n",
              "image\tpoint\tx\ty\nb.png\tnose\t1\t2\n", "a.jpg,1,2,3,4,face\n"]
    for table in tables:
        yield "import-csv", table
        yield "column-draft", table
    shape = {"label": "face", "group_id": 1, "points": [[1, 2], [30, 40]], "shape_type": "rectangle", "flags": {}}
    yield "import-labelme", json.dumps({
        "version": "5.0.1", "flags": {}, "imagePath": "a.jpg", "imageWidth": 64, "imageHeight": 48,
        "shapes": [shape, dict(shape, label="nose", points=[[9, 9]], shape_type="point")]})
    value = {"x": 1, "y": 2, "width": 30, "height": 40, "rotation": 5, "rectanglelabels": ["face"]}
    keys = [{"frame": 1, "enabled": True, "x": 1, "y": 2, "width": 3, "height": 4},
            {"frame": 5, "enabled": False, "x": 2, "y": 2, "width": 3, "height": 4}]
    for data, result in [
            ({"image": "/data/upload/1/0a1b2c3d-a.jpg"}, {"id": "r", "original_width": 64, "original_height": 48, "value": value}),
            ({"video": "a.mp4"}, {"id": "r", "value": {"framesCount": 9, "sequence": keys, "labels": ["face"]}})]:
        yield "import-label-studio", json.dumps([{"id": 1, "data": data, "annotations": [{"result": [result]}]}])
    point = [{"x": 0.5, "y": 0.25, "z": 0.1}] * 478
    result = {"frame": 0, "faceLandmarks": [point], "faceBlendshapes": [{"categories": [{"categoryName": "jawOpen", "score": 0.5}]}],
              "facialTransformationMatrixes": [{"rows": 4, "columns": 4, "data": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -40, 1]}]}
    yield "import-mediapipe-dump", json.dumps(result) + "\n"
    yield "import-mediapipe-dump", json.dumps({"0": {"face_landmarks": [point]}, "33": {"face_landmarks": []}})
    yield "import-yolo", "0 0.5 0.5 0.25 0.5 0.9 3\n0\t0.5\t0.5\t0.25\t0.5\n"
    yield "import-yolo", "0 0.5 0.5 0.25 0.5\n0 0.5 0.5 0.25 0.5 0.9\n"
    yield "import-yolo", "0 0.5 0.5 0.25 0.5" + " 0.1 0.2 1" * 5 + "\n"
    for description in [
            "path: described\ntrain: a\nval: [a, b]\nnc: 1\nnames: ['face']\n",
            "path: ../x # the root\ntrain: a/images.txt\ntest:\n- a\n- b\nkpt_shape: [5, 3]\nflip_idx: [1, 0, 2, 4, 3]\n"
            "kpt_names:\n  0:\n    - right_eye\n    - left_eye\n    - nose\n    - right_mouth\n    - left_mouth\n"
            "names:\n  0: face\n  1: \"mask\"\n",
            "train: ~\nvalid: ./a/../a\nnames: [face, mask]\n"]:
        yield "import-yolo-description", description
    for names in ["a\nb\n", "a 1\r\ngone -1\r\n"]:
        yield "import-voc-lists", names
    yield "import-celeba", "1\n5_o_Clock_Shadow Smiling \n000001.jpg  1 -1\n"
    yield "import-celeba-points", "1\nlefteye_x lefteye_y\n000001.jpg 69 109 106 113 77 142 73 152 108 154\n"
    yield "import-fer2013", "emotion,pixels,Usage\n3," + " ".join(str(i % 256) for i in range(2304)) + ",Training\n"
    for names in [["a.h5"], ["no.h5", "a.h5"], ["fuzz.json"]]:
        yield "shards", json.dumps(
            {"schema": "facegauge.shards", "version": 1, "name": "x", "files": names})
    yield from mappings()


def mappings():
    head = {"schema": "facegauge.hdf5-mapping", "version": 1, "files": ["a.h5"]}
    pixels = {"pixels": {"path": "x", "layout": "NHWC", "range": [0, 255]}}
    planar = {"pixels": {"path": "planar", "layout": "NCHW", "range": [0, 1]}, "time": {"path": "score"}}
    names = {"names": "names", "repeat": True}
    box = {"form": "xywh", "path": "box", "base": 0}
    points = [{"path": "points", "columns": [0, 136], "layout": "xxyy", "scheme": "ibug68", "base": 1}]
    for images, faces in [
        (pixels, {"box": {"form": "image"}, "expression": {"path": "index", "base": 0, "names": ["a", "b"]}}),
        (planar, {"box": box, "points": points, "attributes": {"size": "score"}}),
        (names, {"box": {"form": "center-scale", "center": "score", "scale": "score", "unit": 200, "base": 1}}),
        (pixels, {"box": box, "pose": {"path": "matrix"}, "image": {"path": "index", "base": 0}}),
    ]:
        yield "import-hdf5-mapping", json.dumps(
            {**head, "images": images, "faces": faces, "splits": {"test": {"path": "index", "base": 0}}})
        yield "import-hdf5-mapping", json.dumps({**head, "images": images, "faces": faces})
    for place, layout in [("{image}", "HWC"), ("{subject}/frames", "NHWC"), ("{split}/cam-{camera}/img{image}", "HW")]:
        box = {"form": "xyxy", "path": place + ":box"}
        yield "import-hdf5-mapping", json.dumps({
            **head, "matlab": layout == "HW", "images": {**pixels, "pixels": {**pixels["pixels"], "path": place, "layout": layout},
                                                         "subject": place + "@subject", "split": "x@split", "order": "@index"},
            "faces": {"box": box, "attributes": {"age": "{subject}@age"}}})
    yield "import-hdf5-mapping", json.dumps(
        {**head, "images": {"bytes": "{image}", "names": "table:name"}, "faces": {"box": {"form": "points"}, "points": points}})


def mat(*elements):
    return b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + b"".join(elements)


def element(kind, content):
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)


def array(name, extents, values, flags=6):
    body = element(6, struct.pack("<II", flags, 0)) + element(5, struct.pack(f"<{len(extents)}i", *extents))
    body += element(1, name.encode()) + values
    return element(14, body)


def doubles(name, extents, numbers):
    return array(name, extents, element(9, struct.pack(f"<{len(numbers)}d", *numbers)))


def cells(name, extents, members):
    return array(name, extents, b"".join(members), flags=1)


def text(name, word):
    return array(name, [1, len(word)], element(4, struct.pack(f"<{len(word)}H", *word.encode())), flags=4)


def files():
    """Pairs of a target and bytes."""
    import zlib

    points = doubles("Points", [68, 2], [float(i) for i in range(136)])
    hidden = array("Occ", [1, 68], element(2, bytes([1] + [0] * 67)), flags=9)
    packed = zlib.compress(points)
    yield "import-cofw68", mat(points, hidden)
    yield "import-cofw68", mat(struct.pack("<II", 15, len(packed)) + packed, hidden)
    pose = doubles("Pose_Para", [1, 7], [0.1, 0.2, 0.3, 10, 20, 30, 0.001])
    roi = doubles("roi", [1, 4], [1, 2, 300, 400])
    yield "import-aflw2000", mat(pose, roi, doubles("pt3d_68", [3, 68], [float(i) for i in range(204)]))
    yield "import-aflw2000", mat(pose, roi, doubles("pt2d", [2, 68], [float(i) for i in range(136)]))
    boxes = cells("", [1, 1], [doubles("", [2, 4], [1, 2, 3, 4, 5, 6, 7, 8])])
    names = cells("", [1, 1], [text("", "0_A_1")])
    marks = [cells(f"{name}_label_list", [1, 1], [cells("", [1, 1], [doubles("", [2, 1], [0, 1])])])
             for name in ["blur", "expression", "illumination", "invalid", "occlusion", "pose"]]
    yield "import-wider-mat", mat(
        cells("event_list", [1, 1], [text("", "0--A")]), cells("file_list", [1, 1], [names]),
        cells("face_bbx_list", [1, 1], [boxes]), *marks)
    yield "import-wider-mat", mat(
        cells("event_list", [1, 1], [text("", "0--A")]), cells("file_list", [1, 1], [names]),
        cells("face_bbx_list", [1, 1], [boxes]),
        cells("gt_list", [1, 1], [cells("", [1, 1], [doubles("", [1, 1], [1])])]))
    for form in ["u1", "f8"]:
        for options in [{}, {"chunks": (1, 4, 6, 3), "compression": "gzip"}]:
            buffer = io.BytesIO()
            with h5py.File(buffer, "w") as file:
                file.create_dataset("x", data=np.ones((2, 4, 6, 3), form), **options)
                file["box"] = np.array([[0, 0, 3, 2], [1, 1, 2, 2]], "f4")
            yield "import-hdf5-mapped", buffer.getvalue()
    for version in ["earliest", "latest"]:
        buffer = io.BytesIO()
        with h5py.File(buffer, "w", libver=version) as file:
            table = np.zeros(1, [("name", "S4"), ("at", [("box", "f4", (4,))])])
            for subject in ["s1", "s2"]:
                group = file.create_group(subject)
                group.attrs["split"], group.attrs["age"] = "train", 30
                for image in range(2):
                    group[f"c{image}-{image}"], group[f"t{image}-{image}"] = np.ones((3, 6, 4), "u1"), table
                    group[f"c{image}-{image}"].attrs["n"] = 2 - image
                    cell = file.require_group(f"#refs#/{subject}{image}")
                    cell["id"] = np.ones((1, 1))
                    group.create_dataset(f"p{image}-{image}", (1, 1), h5py.ref_dtype)[0, 0] = cell.ref
        yield "import-hdf5-grouped", buffer.getvalue()
