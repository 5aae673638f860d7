"""Datasets through h5py alone, to test that Datasets/FORMAT.md is all one needs to know.

    python3 Tests/Oracles/h5py_dataset.py              writes Tests/Oracles/expected/h5py_dataset.json
    python3 Tests/Oracles/h5py_dataset.py write OUT.h5 runs FORMAT.md's recipe on two images
    python3 Tests/Oracles/h5py_dataset.py read FILE.h5 prints what h5py sees, as JSON

The expected values are files as people write them with h5py, zlib-compressed base64, with what h5py reads.
"""

import base64
import json
import math
import os
import pathlib
import re
import sys
import tempfile
import zlib

import h5py
import numpy as np
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
FORMAT = HERE.parent.parent / "Datasets" / "FORMAT.md"


def recipe():
    text = FORMAT.read_text()
    block = re.search(r"### Writing one with h5py\n+```python\n(.*?)```", text, re.S)
    return block.group(1)


def write_recipe(out):
    """Runs the recipe from FORMAT.md unchanged, in a folder with two images."""
    out = pathlib.Path(out).resolve()
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            os.mkdir("images")
            Image.new("RGB", (640, 480), (90, 120, 150)).save("images/a.jpg", quality=50)
            Image.new("RGB", (640, 480), (200, 40, 10)).save("images/b ß 顔.jpg", quality=50)
            exec(recipe(), {})
            out.write_bytes(pathlib.Path("dataset.h5").read_bytes())
        finally:
            os.chdir(before)


def png(width, height, seed):
    image = np.random.default_rng(seed).integers(0, 4, (height, width, 3)) * 60
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        Image.fromarray(image.astype("u1")).save(file.name)
        return pathlib.Path(file.name).read_bytes()


BLOBS = [png(12, 8, 1), png(9, 9, 2), png(7, 11, 3)]
SIZES = [[12, 8], [9, 9], [7, 11]]


BLENDSHAPES = """
_neutral browDownLeft browDownRight browInnerUp browOuterUpLeft browOuterUpRight cheekPuff cheekSquintLeft
cheekSquintRight eyeBlinkLeft eyeBlinkRight eyeLookDownLeft eyeLookDownRight eyeLookInLeft eyeLookInRight
eyeLookOutLeft eyeLookOutRight eyeLookUpLeft eyeLookUpRight eyeSquintLeft eyeSquintRight eyeWideLeft eyeWideRight
jawForward jawLeft jawOpen jawRight mouthClose mouthDimpleLeft mouthDimpleRight mouthFrownLeft mouthFrownRight
mouthFunnel mouthLeft mouthLowerDownLeft mouthLowerDownRight mouthPressLeft mouthPressRight mouthPucker mouthRight
mouthRollLower mouthRollUpper mouthShrugLower mouthShrugUpper mouthSmileLeft mouthSmileRight mouthStretchLeft
mouthStretchRight mouthUpperUpLeft mouthUpperUpRight noseSneerLeft noseSneerRight
""".split()


def begin(f):
    f.attrs["format"] = "facegauge.dataset"
    f.attrs["version"] = 1


def put_blobs(f, offsets="u8", size="i4"):
    f["images/offsets"] = np.cumsum([0] + [len(b) for b in BLOBS]).astype(offsets)
    f["images/bytes"] = np.frombuffer(b"".join(BLOBS), "u1")
    f["images/size"] = np.array(SIZES, size)


def defaults(f):
    """numpy's default types everywhere: int64, float64, bool; bytes of a fixed length."""
    begin(f)
    f["images/offsets"] = np.cumsum([0] + [len(b) for b in BLOBS])
    f["images/bytes"] = np.frombuffer(b"".join(BLOBS), np.uint8)
    f["images/size"] = np.array(SIZES)
    f["images/name"] = np.array(
        [b"a.png", b"b", "längste".encode()], h5py.string_dtype("utf-8", 9))
    f["frames/sequence"] = np.array([0, 0, 1])
    f["frames/timestamp_us"] = np.array([0, 33333, 0])
    f["sequences/name"] = ["clip", "rest"]
    f["sequences/kind"] = ["video", "still"]
    f["sequences/first"] = [0, 2]
    f["sequences/count"] = [2, 1]
    f["sequences/fps"] = [30, 0]
    f["faces/frame"] = [0, 0, 2]
    f["faces/box"] = np.array([[1.1, 2.2, 3.3, 4.4], [0, 0, 2, 2], [-3, 5, 4, 1e-3]])
    f["faces/area"] = [10, 4, 0]
    f["faces/ignore"] = np.array([False, True, False])
    f["faces/crowd"] = [0, 0, 1]
    f["faces/category"] = [1, 1, 2]
    f["faces/identity"] = [-1, 7, 0]
    f["faces/landmarks/ibug68/points"] = points()
    f["faces/landmarks/ibug68/visible"] = states()


def integers(f):
    """Whole numbers where floats are expected, unsigned where signed ones are, in big-endian order."""
    begin(f)
    put_blobs(f, offsets=">i4", size=">u2")
    f["faces/frame"] = np.array([1, 2], ">u8")
    f["faces/box"] = np.array([[1, 2, 3, 4], [0, -1, 2, 2]])
    f["faces/area"] = np.array([3, 4], "u8")
    f["faces/identity"] = np.array([3, 2], "u4")


def pixels(f):
    begin(f)
    f.attrs["name"] = np.bytes_("pixels")
    f["images/pixels"] = np.arange(2 * 4 * 6 * 3, dtype="u1").reshape(2, 4, 6, 3)
    f["images/size"] = np.array([[6, 4], [6, 4]], "i4")
    f["faces/frame"] = np.array([1], "i4")
    f["faces/box"] = np.array([[1, 1, 3, 2]], "f4")


def no_faces(f):
    begin(f)
    put_blobs(f)
    f["faces/frame"] = np.zeros(0, "i4")
    f["faces/box"] = np.zeros((0, 4), "f4")


def compressed(f):
    """Chunks, filters and tables that the format does not know."""
    begin(f)
    f.attrs.update(name="compressed ✓", licence="none", note=[1, 2, 3])
    blob = b"".join(BLOBS)
    f["images/offsets"] = np.cumsum([0] + [len(b) for b in BLOBS]).astype("u8")
    f.create_dataset("images/bytes", data=np.frombuffer(blob, "u1"), chunks=(64,),
                     compression="gzip", shuffle=True, fletcher32=True, maxshape=(None,))
    f.create_dataset("images/size", data=np.array(SIZES, "i4"), chunks=(2, 2), compression=9)
    f.create_dataset("images/name", data=["α", "", "γ" * 40], dtype=h5py.string_dtype(),
                     chunks=(2,), maxshape=(None,))
    f.create_dataset("faces/frame", data=np.array([0, 1, 1], "i4"), chunks=(2,), maxshape=(None,))
    f.create_dataset("faces/box", data=np.arange(12, dtype="f4").reshape(3, 4), chunks=(2, 3),
                     compression="gzip")
    f.create_dataset("faces/landmarks/ibug68/points", data=points().astype("f4"),
                     chunks=(1, 68, 2), compression="gzip", shuffle=True)
    f["faces/landmarks/ibug68/visible"] = states().astype("u1")
    f["faces/landmarks/mine12/points"] = np.zeros((3, 12, 2), "f4")
    f["faces/mood"] = ["happy", "sad", "sad"]
    f["splits/train"] = [0, 2]


def faceAttributes(f):
    """Numbers of numpy's own types, blendshapes in MediaPipe's order, an ARKit-like gap in them."""
    defaults(f)
    shapes = np.arange(3 * 52).reshape(3, 52) / 64 - 0.25
    shapes[:, 0] = np.nan
    shapes[1] = np.nan
    f["faces/blendshapes"] = shapes
    f["faces/blendshapes"].attrs["names"] = BLENDSHAPES
    pose = np.stack([np.eye(4)] * 3)
    pose[0, :3, 3] = [1, 2, -30]
    pose[1] = np.nan
    pose[2, :3, 3] = np.nan
    f["faces/pose"] = pose
    f["faces/expression"] = ["happy", "", "freude ✓"]
    f["faces/attributes/occlusion"] = [2, 0, 1]
    f["faces/attributes/headYaw"] = np.array([0.5, np.nan, -1], "f4")
    five = np.arange(3 * 5 * 3).reshape(3, 5, 3) / 4
    five[1] = np.nan
    f["faces/landmarks/five/points"] = five
    f["faces/landmarks/five/visible"] = np.array([[2] * 5, [0] * 5, [1] * 5])
    f["splits/train"] = np.array([0, 2])
    f["splits/test"] = np.array([1], "u1")


def external_storage(f):
    begin(f)
    put_blobs(f)
    put_faces(f)
    size = f["images/bytes"].shape
    del f["images/bytes"]
    f.create_dataset("images/bytes", size, "u1", external=[("/etc/hostname", 0, size[0])])


def virtual(f):
    begin(f)
    put_blobs(f)
    layout = h5py.VirtualLayout((1, 4), "f4")
    layout[:] = h5py.VirtualSource("elsewhere.h5", "box", (1, 4))
    f["faces/frame"] = [0]
    f.create_virtual_dataset("faces/box", layout)


def external_link(f):
    begin(f)
    put_blobs(f)
    f["faces"] = h5py.ExternalLink("elsewhere.h5", "/faces")


def compound(f):
    begin(f)
    put_blobs(f)
    f["faces/frame"] = [0]
    f["faces/box"] = np.zeros(1, [("x", "f4"), ("y", "f4"), ("w", "f4"), ("h", "f4")])


def unstored_extent(f):
    begin(f)
    put_faces(f)
    f.create_dataset("images/size", (10 ** 12, 2), "i4", chunks=(1024, 2))


def put_faces(f):
    f["faces/frame"] = [0]
    f["faces/box"] = [[1.0, 2.0, 3.0, 4.0]]


def states():
    state = np.arange(3 * 68).reshape(3, 68) % 3
    state[1] = 0
    return state


def points():
    numbers = np.linspace(-1, 12, 3 * 68 * 2).reshape(3, 68, 2)
    numbers[states() == 0] = np.nan
    return numbers


def read(path):
    with h5py.File(path) as f:
        boxes = f["faces/box"][:]
        frames = f["faces/frame"][:]
        sizes = f["images/size"][:]

        def column(name):
            return f[name][:].tolist() if name in f else None

        def text(name):
            return f[name].asstr()[:].tolist() if name in f else None

        if "images/pixels" in f:
            images = [p.tobytes() for p in f["images/pixels"][:]]
        else:
            ends, blob = f["images/offsets"][:], f["images/bytes"][:].tobytes()
            images = [blob[ends[i]:ends[i + 1]] for i in range(len(ends) - 1)]
        seen = {
            "name": f.attrs.get("name"),
            "names": text("images/name"),
            "sizes": sizes.tolist(),
            "images": [zlib.crc32(p) for p in images],
            "frame_sequences": column("frames/sequence"),
            "timestamps": column("frames/timestamp_us"),
            "sequence_names": text("sequences/name"),
            "sequence_kinds": text("sequences/kind"),
            "sequence_subjects": text("sequences/subject"),
            "sequence_firsts": column("sequences/first"),
            "sequence_counts": column("sequences/count"),
            "sequence_fps": column("sequences/fps"),
            "face_frames": frames.tolist(),
            "boxes": boxes.tolist(),
            "areas": column("faces/area"),
            "identities": column("faces/identity"),
            "categories": column("faces/category"),
        }
        for name in ["ignore", "crowd"]:
            flags = f"faces/{name}"
            seen[name] = [bool(v) for v in f[flags][:]] if flags in f else None
        scheme = "faces/landmarks/ibug68"
        if scheme in f:
            seen["points"] = [[[v if math.isfinite(v) else None for v in p] for p in face]
                              for face in f[scheme + "/points"][:].tolist()]
            seen["visible"] = f[scheme + "/visible"][:].tolist()
        seen["faceAttributes"] = read_face_attributes(f, column, text)
        if isinstance(seen["name"], bytes):
            seen["name"] = seen["name"].decode()
        return {key: value for key, value in seen.items() if value is not None}


def read_face_attributes(f, column, text):
    def gaps(values):
        return [gaps(v) for v in values] if isinstance(values, list) else values if math.isfinite(values) else None

    def numbers(name):
        return gaps(column(name)) if name in f else None

    found = {
        "blendshapes": numbers("faces/blendshapes"),
        "poses": f["faces/pose"][:].reshape(-1, 16).tolist() if "faces/pose" in f else None,
        "expressions": text("faces/expression"),
        "five": numbers("faces/landmarks/five/points"),
    }
    if found["poses"]:
        found["poses"] = gaps(found["poses"])
    if found["blendshapes"]:
        found["blendshape_names"] = [str(n) for n in f["faces/blendshapes"].attrs["names"]]
    if "faces/attributes" in f:
        found["attributes"] = {name: numbers("faces/attributes/" + name) for name in f["faces/attributes"]}
    if "splits" in f:
        found["splits"] = {name: column("splits/" + name) for name in f["splits"]}
    return {key: value for key, value in found.items() if value is not None} or None


def expected():
    files, refused = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/file.h5"

        def packed():
            data = pathlib.Path(path).read_bytes()
            return {"bytes": len(data), "zlib": base64.b64encode(zlib.compress(data, 9)).decode()}

        write_recipe(path)
        files["recipe"] = packed() | {"seen": read(path)}
        for fill in [defaults, integers, pixels, no_faces, compressed, faceAttributes]:
            with h5py.File(path, "w") as f:
                fill(f)
            files[fill.__name__] = packed() | {"seen": read(path)}
        for fill in [external_storage, virtual, external_link, compound, unstored_extent]:
            with h5py.File(path, "w") as f:
                fill(f)
            refused[fill.__name__] = packed()
        for version in ["v110", "v200"]:
            with h5py.File(path, "w", libver=version) as f:
                compressed(f)
            files[f"compressed_{version}"] = packed() | {"seen": read(path)}
    with open(HERE / "expected" / "h5py_dataset.json", "w") as out:
        json.dump({"files": files, "refused": refused}, out, ensure_ascii=False, separators=(",", ":"))
        out.write("\n")


if __name__ == "__main__":
    match sys.argv[1:]:
        case []: expected()
        case ["write", out]: write_recipe(out)
        case ["read", file]: json.dump(read(file), sys.stdout)
        case _: sys.exit(__doc__)
