"""A model in ONNX Runtime Web, in a page: what it finds is what ONNX Runtime finds in Python.

Needs Chromium, and the packages that `make test-onnx-page` fetches. ONNX Runtime Web is no package of PyPI; its files are in
that of Open WebUI, the module in the source map of a page.
"""

import json
import pathlib
import sys
import unittest
import zipfile

import h5py
import numpy as np
import onnx
import onnxruntime
import sample
import test_pages
from onnx import TensorProto, helper, numpy_helper

WASM = "open_webui/frontend/wasm/"
MODULE = "onnxruntime-web/dist/ort.min.mjs"


def unpack(wheel, folder):
    """Writes ONNX Runtime Web to a folder."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(WASM + "ort-"):
                (folder / name[len(WASM):]).write_bytes(archive.read(name))
            elif name.endswith(".js.map") and MODULE.encode() in archive.read(name):
                sources = json.loads(archive.read(name))
                for source, text in zip(sources["sources"], sources["sourcesContent"]):
                    if source.endswith(MODULE):
                        (folder / "ort.min.mjs").write_text(text)


def model(path, width, height):
    """A detector: the box of what is bright, with a score from a small net of fixed random weights; then a row of no face."""
    random = np.random.default_rng(3)
    features = 8 * (((height - 5) // 4 + 1) // 4) * (((width - 5) // 4 + 1) // 4)
    constants = {
        "weights": random.normal(0, 0.2, (8, 3, 5, 5)).astype("f4"), "flat": np.array([1, features], "i8"),
        "last": random.normal(0, 1 / features ** 0.5, (features, 1)).astype("f4"), "limit": np.array(600 / 255, "f4"),
        "columns": np.arange(width, dtype="f4").reshape(1, 1, 1, width), "rows": np.arange(height, dtype="f4").reshape(1, 1, height, 1),
        "far": np.array(1e6, "f4"), "near": np.array(-1, "f4"), "one": np.array(1, "f4"), "axes": np.array([1, 2, 3], "i8"),
        "channel": np.array([1], "i8"), "row": np.array([1, 1], "i8"), "none": np.array([[0, 0, 5, 5, 0.001]], "f4")}
    steps = [
        ("Conv", ["image", "weights"], "features", {"strides": [4, 4]}), ("Relu", ["features"], "active"),
        ("MaxPool", ["active"], "pooled", {"kernel_shape": [4, 4], "strides": [4, 4]}), ("Reshape", ["pooled", "flat"], "values"),
        ("MatMul", ["values", "last"], "logit"), ("Sigmoid", ["logit"], "score"), ("ReduceSum", ["image", "channel"], "sum"), ("Greater", ["sum", "limit"], "bright"),
        ("Where", ["bright", "columns", "far"], "x"), ("Where", ["bright", "rows", "far"], "y"),
        ("Where", ["bright", "columns", "near"], "u"), ("Where", ["bright", "rows", "near"], "v"),
        ("ReduceMin", ["x", "axes"], "x1"), ("ReduceMin", ["y", "axes"], "y1"), ("ReduceMax", ["u", "axes"], "u2"),
        ("ReduceMax", ["v", "axes"], "v2"), ("Add", ["u2", "one"], "x2"), ("Add", ["v2", "one"], "y2")]
    nodes = [helper.make_node(kind, inputs, [output], **dict(*more)) for kind, inputs, output, *more in steps]
    parts = ["x1", "y1", "x2", "y2", "score"]
    nodes += [helper.make_node("Reshape", [part, "row"], [part + "_column"]) for part in parts]
    nodes += [helper.make_node("Concat", [part + "_column" for part in parts], ["face"], axis=1),
              helper.make_node("Concat", ["face", "none"], ["boxes"], axis=0)]
    graph = helper.make_graph(
        nodes, "detector", [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, height, width])],
        [helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [2, 5])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), path)


class OnnxPageTests(test_pages.Pages):
    @classmethod
    def setUpClass(cls):
        cls.wheel = next(pathlib.Path(sys.prefix).glob("open_webui-*.whl"))

    def expected(self, path):
        """Boxes and scores by ONNX Runtime in Python."""
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        found = [session.run(None, {"image": (one.transpose(2, 0, 1)[None] / np.float32(255)).astype("f4")})[0] for one in sample.images()]
        return np.array(found)[:, 0]

    def run_page(self, *options):
        run = self.page("--files", str(self.folder / "files"), options=options, track=("--input", "rgb"), tracker="onnx")
        self.browse(run.address)
        status, out, error = run.end()
        self.assertEqual((status, error), (0, ""))
        with h5py.File(run.output) as file:
            return file["detections/box"][:], file["detections/score"][:], out, str(file.attrs["options"])

    def test_boxes_and_scores_are_those_of_onnx_runtime(self):
        files = self.folder / "files"
        files.mkdir()
        unpack(self.wheel, files)
        model(files / "model.onnx", 160, 120)
        boxes, scores, out, options = self.run_page()
        expected = self.expected(files / "model.onnx")
        np.testing.assert_array_equal(boxes[:, :2], expected[:, :2])
        np.testing.assert_array_equal(boxes[:, 2:], expected[:, 2:4] - expected[:, :2])
        np.testing.assert_array_equal(boxes, np.array(sample.BOXES, "f4"))
        # Sums of about 500 products in another order: 22 roundings of 6e-8.
        np.testing.assert_allclose(scores, expected[:, 4], rtol=1e-5)
        self.assertGreater(np.ptp(scores), 1e-4)
        self.assertRegex(out, r"model.onnx with onnxruntime-web \S+: 12 frames as rgb, 12 faces, total p50")
        self.assertIn("ONNX Runtime Web, wasm", options)

        # In the middle of a larger input, and stretched: edges are within a pixel of the input.
        model(files / "wide.onnx", 320, 160)
        for fit in ("letterbox", "stretch"):
            with self.subTest(fit):
                boxes, _, _, _ = self.run_page("model=wide.onnx", f"fit={fit}", "threads=1")
                self.assertEqual(len(boxes), 12)
                self.assertLess(np.abs(boxes - sample.BOXES).max(), 1.5)

    def test_what_is_wrong_is_one_line(self):
        files = self.folder / "files"
        files.mkdir()
        unpack(self.wheel, files)
        model(files / "model.onnx", 160, 120)
        for options, text in [
            (["rows=x1,y1,x2,y2"], "found no score"), (["rows=x1,y1,x2,y2,score,class"], "expected rows of 6 numbers"),
            (["model=none.onnx"], "the page failed"), (["output=other"], "no such output"), (["fit=crop"], "expected fit of letterbox, stretch"),
        ]:
            with self.subTest(text):
                run = self.page("--files", str(files), options=options, track=("--input", "rgb"), tracker="onnx")
                self.browse(run.address)
                status, out, error = run.end()
                self.assertEqual((status, out, error.count("\n")), (65, "", 1), error)
                self.assertIn(text, error)


if __name__ == "__main__":
    unittest.main()
