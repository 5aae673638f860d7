"""Makes the seeds and dictionaries of the fuzz targets: `make_corpus.py FOLDER`.

Small files of every format by h5py, Pillow and struct, what the oracles left in Tests/Oracles/expected,
and small files of the shared data where FACEGAUGE_SHARED names it.
"""

import base64
import gzip
import io
import json
import os
import pathlib
import random
import struct
import sys
import zipfile
import zlib

import h5py
import numpy as np
from PIL import Image

import file_seeds
import head_seeds
import import_seeds
import tracker_seeds
import words

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
OUT = pathlib.Path(sys.argv[1])
# Larger seeds cost more in time than they find.
LARGEST = 48 << 10


def seed(target, content):
    if isinstance(content, str):
        content = content.encode()
    if len(content) > LARGEST:
        return
    folder = OUT / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"seed-{len(list(folder.iterdir())):04}").write_bytes(content)


def image(size=(16, 12), form="JPEG", mode="RGB", **options):
    rows = random.Random(size[0]).randbytes(size[0] * size[1] * 3)
    buffer = io.BytesIO()
    Image.frombytes("RGB", size, rows).convert(mode).save(buffer, form, **options)
    return buffer.getvalue()


def images():
    for mode in ["RGB", "L", "CMYK"]:
        for progressive in [False, True]:
            seed("image", image(mode=mode, progressive=progressive, quality=60))
    exif = Image.Exif()
    exif[0x0112] = 6
    seed("image", image(exif=exif))
    for mode in ["RGB", "L", "RGBA", "P", "1", "I;16", "LA"]:
        try:
            seed("image", image((7, 5), "PNG", mode))
        except (OSError, ValueError):
            pass


def oracles():
    kinds = [(b"TFL3", 4, "model"), (b"\x89HDF", 0, "hdf5"), (b"\x89HDF", 0, "hdf5-listing"), (b"\xff\xd8", 0, "image")]
    kinds += [(b"\x89PNG", 0, "image"), (b"MATLAB 7.3", 0, "import-cofw")]

    def visit(value):
        if isinstance(value, dict):
            for part in value.values():
                visit(part)
        elif isinstance(value, list):
            for part in value:
                visit(part)
        elif isinstance(value, str) and len(value) > 40:
            try:
                content = base64.b64decode(value, validate=True)
                if content[:1] == b"x":
                    content = zlib.decompress(content)
            except (ValueError, zlib.error):
                return
            for magic, at, target in kinds:
                if content[at : at + len(magic)] == magic:
                    seed(target, content)

    for file in sorted((ROOT / "Tests/Oracles/expected").glob("*.json")):
        visit(json.loads(file.read_text()))
    custom = json.loads((ROOT / "Tests/Oracles/expected/tflite_custom_operators.json").read_text())
    for option in custom["options"]:
        seed("flexbuffer", base64.b64decode(option["bytes"]))


def bundles():
    for count in range(3):
        buffer = io.BytesIO(b"front" * count)
        with zipfile.ZipFile(buffer, "a", zipfile.ZIP_STORED) as archive:
            for index in range(count):
                archive.writestr(f"member{index}.tflite", b"\x18\0\0\0TFL3" + bytes(index * 9))
            archive.comment = b"x" * count
        seed("bundle", buffer.getvalue())


def varint(value):
    parts = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes(parts + [value])


def field(number, content):
    return bytes([number << 3 | 2]) + varint(len(content)) + content


def canonical_meshes():
    floats = struct.pack("<2340f", *[value / 8 for value in range(2340)])
    weights = b"".join(
        field(2, b"\x08" + varint(index) + b"\x15" + struct.pack("<f", 0.5)) for index in [4, 300])
    triangles = b"".join(varint(index) for index in [0, 1, 2, 465, 466, 467])
    packed = b"\x08\0\x10\0" + field(3, floats) + field(4, triangles)
    loose = b"\x08\0\x10\0" + b"".join(
        b"\x1d" + floats[at : at + 4] for at in range(0, len(floats), 4))
    loose += b"".join(b"\x20" + varint(index) for index in [0, 1, 2])
    for mesh in [packed, loose]:
        seed("canonical-mesh", field(1, mesh) + weights + b"\x18\x01")
    seed("canonical-mesh", field(1, b"\x08\0" + field(3, floats[:40])) + weights)
    head_seeds.write(seed)
    tracker_seeds.write(seed)


def states():
    seed("tracking-state", json.dumps({"regions": [], "smoother": {"filters": []}}))
    region = {"xCenter": 0.5, "yCenter": 0.5, "width": 0.2, "height": "nan", "rotation": 0}
    seed(
        "tracking-state",
        json.dumps({"regions": [region], "smoother": {}, "lastTimestampMicroseconds": 40000}))


def records():
    record = json.loads((ROOT / "Reports/demo/record.json").read_text())
    seed("record", json.dumps(small(record)))
    for key in list(record):
        seed("record", json.dumps({**small(record), key: small(record[key], 6)}))
    gates = json.loads((ROOT / "Datasets/portraits/gates.json").read_text())
    seed("gates", json.dumps(gates))
    for gate in gates["gates"]:
        seed("gates", json.dumps({**gates, "gates": [gate]}))
        change = {**gate, "slice": "dark", "max_worsening": 0.01, "max_relative_worsening": 0.1, "evaluated_by": "interval"}
        seed("gates", json.dumps({**gates, "gates": [change]}))
    time = {"stage": "total", "slice": "tracked", "milliseconds": 4.5, "n": 30}
    baseline = {
        "schema": "facegauge.baseline", "version": 1, "commit": None, "created": "2026-01-01T00:00:00Z",
        "dataset": "d", "datasetSHA256": "0" * 64, "cpu": "c", "blasCore": "Haswell",
        "referenceMilliseconds": 0.25, "options": {"mode": "video"}, "stages": [time, {**time, "slice": "detector_ran"}]}
    seed("baseline", json.dumps(baseline))
    for target, content in file_seeds.seeds():
        seed(target, content)
    errors = {"brierScore": 0.1, "expectedError": 0.2, "negativeLogLikelihood": 0.3}
    dataset = {"name": "d", "sha256": "0" * 64, "frames": 7}
    calibration = {
        "schema": "facegauge.calibration", "version": 2, "created": "2026-01-01T00:00:00Z",
        "tool": {"name": "facegauge", "version": "1", "build": "release"}, "dataset": dataset,
        "models": [], "tracker": None, "options": {"mode": "video", "num-faces": "1"}, "notes": ["n"],
        "blendshapes": None, "thresholds": [], "timeOffsets": {},
        "settings": {
            "values": {"min-face-detection-confidence": 0.4}, "objective": "max f1", "metric": 0.9,
            "interval": {"low": 0.8, "high": 1, "level": 0.95, "method": "m", "reason": None},
            "dataset": dataset}}
    for calibrator in [
            {"method": "platt", "slope": 1.5, "intercept": -0.5}, {"method": "temperature", "temperature": 2},
            {"method": "beta", "a": 1, "b": 0.5, "c": 0.1},
            {"method": "isotonic", "scores": [0.1, 0.5], "shares": [0.2, 0.9]},
            {"method": "histogram", "edges": [0.5, 1], "shares": [0.1, 0.8]}]:
        score = {
            "of": "detection", "calibrator": calibrator, "cases": 9, "clusters": 5, "positives": 4,
            "folds": 2, "before": errors, "after": errors,
            "attempts": [
                {"method": calibrator["method"], "negativeLogLikelihood": 0.3, "reason": None}]}
        seed("calibration", json.dumps({**calibration, "scores": [score]}))
    seed("pairs", "a,b,same\na,b,1\n")
    seed("pairs", "same,more,b,a\r\n0,x,\"b\",a\r\n")


def small(value, limit=2):
    """The same with lists cut, as far as the pairs of a table go on having equal lengths."""
    if isinstance(value, dict):
        return {key: small(part, limit) for key, part in value.items()}
    if isinstance(value, list):
        return [small(part, limit) for part in value[:limit]]
    return value


def put_blendshapes(file):
    names = ["_neutral"] + sorted(
        name[0].lower() + name[1:] for name in words.LIVE_LINK[:52] if name != "TongueOut")
    shapes = file.create_dataset("faces/blendshapes", data=np.full((2, 52), 0.5, "f4"))
    shapes.attrs.create("names", names, dtype=h5py.string_dtype())


def dataset(**options):
    buffer = io.BytesIO()
    images = [image((9, 8)), image((8, 9)), image((7, 7), "PNG")]
    with h5py.File(buffer, "w", **options) as file:
        file.attrs.update(format="facegauge.dataset", version=1, name="seed", labelled=1)
        ends = np.cumsum([0] + [len(one) for one in images])
        file["images/offsets"] = ends.astype("u8")
        file["images/bytes"] = np.frombuffer(b"".join(images), "u1")
        file["images/size"] = np.array([[9, 8], [8, 9], [7, 7]], "i4")
        text = h5py.string_dtype()
        file.create_dataset("images/name", data=["a", "b", "c"], dtype=text)
        file["frames/sequence"] = np.array([0, 0, 1], "i4")
        file["frames/timestamp_us"] = np.array([0, 40000, 0], "i8")
        file.create_dataset("sequences/name", data=["clip", "still"], dtype=text)
        file.create_dataset("sequences/subject", data=["x", ""], dtype=text)
        file.create_dataset("sequences/kind", data=["video", "still"], dtype=text)
        file["sequences/first"] = np.array([0, 2], "i4")
        file["sequences/count"] = np.array([2, 1], "i4")
        file["sequences/fps"] = np.array([25.0, 0.0])
        file["faces/frame"] = np.array([0, 2], "i4")
        file["faces/box"] = np.array([[1, 1, 5, 5], [0, 0, 7, 7]], "f4")
        for name in ["area", "score"]:
            file[f"faces/{name}"] = np.array([25, 49], "f4")
        for name in ["ignore", "crowd"]:
            file[f"faces/{name}"] = np.array([0, 1], "u1")
        for name in ["category", "identity"]:
            file[f"faces/{name}"] = np.array([0, 1], "i4")
        file.create_dataset("faces/expression", data=["happy", ""], dtype=text)
        file["faces/landmarks/ibug68/points"] = np.full((2, 68, 2), 3, "f4")
        file["faces/landmarks/ibug68/visible"] = np.full((2, 68), 2, "u1")
        put_blendshapes(file)
        file["faces/pose"] = np.tile(np.eye(4, dtype="f4"), (2, 1, 1))
        file["faces/attributes/headYaw"] = np.array([0.5, 1], "f8")
        file["splits/train"] = np.array([0, 2], "i4")
    return buffer.getvalue()


def predictions(**options):
    buffer = io.BytesIO()
    tables = {
        "frames/status": np.array([0, 0, 1], "u1"),
        "frames/size": np.array([[9, 8], [9, 8], [0, 0]], "i4"),
        "frames/stage_ns": np.array([[1], [2], [3]], "u8"),
        "frames/detector_ran": np.array([1, 0, 0], "u1"),
        "detections/frame": np.array([0], "i4"),
        "detections/box": np.array([[1, 2, 3, 4]], "f4"),
        "detections/score": np.array([0.5], "f4"),
        "detections/keypoints": np.ones((1, 6, 2), "f4"),
        "detector/offsets": np.array([0, 2, 2, 2], "u8"),
        "detector/anchor": np.array([3, 4], "i4"),
        "detector/score": np.array([0.5, 0.25], "f4"),
        "detector/regressors": np.ones((2, 16), "f4"),
        "faces/frame": np.array([0, 1], "i4"),
        "faces/kept": np.array([1, 0], "u1"),
        "faces/tracked": np.array([0, 1], "u1"),
        "faces/detection_score": np.array([0.5, np.nan], "f4"),
        "faces/presence": np.array([0.5, 0.1], "f4"),
        "faces/tongue_out": np.array([np.nan, np.nan], "f4"),
        "faces/region": np.full((2, 5), 0.5, "f4"),
        "faces/box": np.full((2, 4), 5, "f4"),
        "faces/landmarks/ibug68/points": np.full((2, 68, 3), 5, "f4"),
        "faces/pose": np.ones((2, 4, 4), "f4"),
    }
    with h5py.File(buffer, "w", **options) as file:
        file.attrs.update(format="facegauge.predictions", version=4, candidate_floor=0.01)
        for name in ["dataset_name", "dataset_sha256", "dataset_path", "mode"]:
            file.attrs[name] = "x"
        for name, text in [
            ("models", "m"), ("model_stages", "detection"), ("model_sha256", "00"),
            ("options", "a=b"),
        ]:
            file.attrs.create(name, [text], dtype=h5py.string_dtype())
        for path, values in tables.items():
            file[path] = values
        put_blendshapes(file)
        file["frames/stage_ns"].attrs.create("stages", ["total"], dtype=h5py.string_dtype())
    return buffer.getvalue()


def hdf5():
    for versions in ["earliest", "latest"]:
        seed("hdf5", dataset(libver=versions))
        seed("hdf5", predictions(libver=versions))
        buffer = io.BytesIO()
        with h5py.File(buffer, "w", libver=versions) as file:
            for index, form in enumerate(["u1", "<i2", ">i4", "<f2", ">f8", "<u8", "S5"]):
                file.create_dataset(f"types/{index}", data=np.ones((5, 3)).astype(form), chunks=(2, 2))
            for name in ["gzip", "lzf"]:
                file.create_dataset(f"packed/{name}", data=np.arange(64), compression=name, shuffle=True)
            file.create_dataset("packed/sum", data=np.arange(64), chunks=(8,), fletcher32=True)
            file.create_dataset("grow", (3, 2), "f4", maxshape=(None, None), fillvalue=7)
            file.create_dataset("text", data=["a", "bc"], dtype=h5py.string_dtype())
            file["links/soft"], file["links/out"] = h5py.SoftLink("/types/0"), h5py.ExternalLink("o.h5", "/t0")
            file.create_dataset("compound", data=np.zeros(2, [("a", "i4"), ("b", [("c", "f2", (2,))], (3,))]))
        seed("hdf5", buffer.getvalue())
    for content in [*file_seeds.structures(), *file_seeds.indexes()]:
        seed("hdf5", content)


def labels():
    face = {"box": [1, 2, 30, 40], "landmarks": {"ibug68": {"30": [5, 6], "36": [7.5, 8]}}}
    seed(
        "import-labels",
        json.dumps({
            "schema": "facegauge.labels", "version": 1,
            "images": [{"name": "a", "file": "a.jpg", "faces": [face, {"box": [0, 0, 1, 1]}]}],
        }))
    portraits = json.loads((ROOT / "Datasets/portraits/portraits.json").read_text())
    seed("import-labels", json.dumps(portraits))
    parts = "".join(f"<part name='{i:02}' x='{i}' y='{i + 3}'/>" for i in range(68))
    box = "<box top='1' left='2' width='30' height='40' ignore='1'>"
    seed(
        "import-imglab",
        f"<?xml version='1.0'?><dataset><name>x</name><images><image file='a.jpg'>{box}"
        f"<label>y</label>{parts}</box></image><image file='b.jpg'/></images></dataset>")
    seed("import-imglab", f"<dataset><images><image file='a'>{box}</box></image></images></dataset>")
    for count in [29, 68, 98]:
        names = ",".join(f"original_{i}_x,original_{i}_y" for i in range(count))
        numbers = ",".join(f"{i + 1}.5,{i + 2}" for i in range(count))
        row = f"a.jpg,0.335,34.5,34.5,{numbers}\n"
        seed("import-hrnet", f"image_name,scale,center_w,center_h,{names}\n{row}{row}")
    points = "\n".join(f"{i + 0.5} {i}" for i in range(68))
    seed("import-pts", f"version: 1\nn_points: 68\n{{\n{points}\n}}\n")
    seed("import-pts", points.replace("\n", "\r\n"))
    mesh = "\n".join(f"{i} {i}" for i in range(478))
    seed("import-pts", mesh)


def importers():
    for target, content in [*import_seeds.texts(), *import_seeds.files()]:
        seed(target, content)


def live_link():
    channels = words.LIVE_LINK
    for count, ends in [("BlendShapeCount", "\n"), ("BlendshapeCount", "\r\n")]:
        rows = [",".join(["Timecode", count] + channels)]
        for frame in range(3):
            values = [f"{(frame * 7 + i) % 10 / 10}" for i in range(61)]
            rows.append(",".join([f"10:20:30:{frame:02}.{frame * 100:03}", "61"] + values))
        seed("import-livelink", ends.join(rows) + ends)

    def text(value):
        return struct.pack(">I", len(value)) + value

    def packet(frame, count):
        body = b"\x06" + text(b"device") + text("näme".encode())
        body += struct.pack(">IfIIB", frame, 0.5, 60, 1, count)
        return text(body + struct.pack(f">{count}f", *[i / 64 for i in range(count)]))

    packets = [packet(120 + i, 61) for i in range(3)] + [packet(124, 0)]
    recording = b"\x06" + struct.pack(">I", len(packets)) + b"".join(packets)
    seed("import-livelink-packets", recording)
    seed("import-livelink-packets", gzip.compress(recording, mtime=0))


def shared(folder):
    taken = {
        "image": ["*.jpg", "*.png"], "import-imglab": ["*.xml"], "import-pts": ["*.pts"],
        "import-hrnet": ["mmpose-face/**/*.csv"], "import-livelink": ["livelink-*/**/*.csv"],
        "hdf5": ["*.h5", "*.hdf5", "*.mat"], "import-coco": ["mmpose-face/**/*.json"],
        "import-wflw": ["mmpose-face/**/*.txt"], "import-ferplus": ["ferplus/**/*.csv"],
        "import-pyfeat": ["pyfeat/**/*.csv"], "import-openface": ["pyfeat/**/*.csv"],
        "import-mot": ["mot-tud/**/*.txt"], "import-otb-results": ["otb-sample/**/*.json"],
        "import-otb": ["otb-sample/**/*.txt"], "import-aflw2000": ["aflw2000*/**/*.mat"],
        "import-cofw68": ["cofw68/**/*.mat"], "import-cofw68-results": ["cofw68/Results/*.txt"], "import-wider-mat": ["wider*/*.mat"],
    }
    for target, patterns in taken.items():
        for pattern in patterns:
            files = [file for file in sorted(folder.rglob(pattern)) if file.is_file()]
            for file in random.Random(1).sample(files, min(12, len(files))):
                content = file.read_bytes()
                if len(content) > LARGEST and file.suffix in {".csv", ".xml", ".txt"}:
                    content = b"\n".join(content.splitlines()[:12])
                if target != "hdf5" or b"\x89HDF" in content[:513]:
                    seed(target, content)
    for file in sorted(folder.rglob("*.gesichter"))[:6]:
        seed("import-livelink-packets", gzip.decompress(file.read_bytes())[:4000])


def dictionaries():
    for target, entries in words.DICTIONARIES.items():
        lines = []
        for entry in entries:
            content = entry if isinstance(entry, bytes) else entry.encode()
            lines.append('"' + "".join(f"\\x{byte:02x}" for byte in content) + '"')
        (OUT / f"{target}.dict").write_text("\n".join(lines) + "\n")


OUT.mkdir(parents=True, exist_ok=True)
random.seed(4)
for make in [images, oracles, bundles, canonical_meshes, states, records, hdf5, labels, importers, live_link, dictionaries]:
    make()
if "FACEGAUGE_SHARED" in os.environ:
    shared(pathlib.Path(os.environ["FACEGAUGE_SHARED"]) / "data")
for target in sorted(path for path in OUT.iterdir() if path.is_dir()):
    print(f"{target.name}: {len(list(target.iterdir()))} seeds")
