"""The files for apps: compiled against the parts of the phones' libraries that they use, and what they record, imported."""

import json
import os
import shutil
import subprocess
import unittest

import facegauge
import h5py
import numpy as np
import sample
from test_module import Folder

PHONE = sample.HERE / "phone"
FILES = sample.ROOT / "Datasets"


def unpack(name, folder):
    """The files that a text holds, each after its name."""
    files = []
    for part in (PHONE / name).read_text().split("\n== ")[1:]:
        path, text = part.split("\n", 1)
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        files.append(file)
    return files


@unittest.skipIf(shutil.which("swiftc") is None, "needs swiftc")
class SwiftTests(Folder):
    def setUp(self):
        super().setUp()
        unpack("apple.txt", self.folder)

    def swiftc(self, *words):
        subprocess.run(["swiftc", "-warnings-as-errors", "-I", str(self.folder), *map(str, words)], check=True, timeout=300,
                       cwd=self.folder)

    def modules(self, *names):
        for name in names:
            self.swiftc("-emit-module", "-parse-as-library", "-module-name", name, f"{name}.swift")

    def test_files_for_arkit_and_vision_compile(self):
        self.modules("CoreImage", "ARKit", "ImageIO", "Vision")
        self.swiftc("-typecheck", FILES / "arkit/FaceSessionRecorder.swift")
        self.swiftc("-typecheck", FILES / "vision/FaceObservations.swift")
        self.swiftc("-typecheck", "-parse-as-library", FILES / "devices/VisionTracker.swift", FILES / "devices/TrackerClient.swift")

    def test_what_mediapipe_finds_on_ios(self):
        for name, linked in (("UIKit", []), ("MediaPipeTasksVision", ["-lUIKit"])):
            self.swiftc("-emit-module", "-emit-library", "-parse-as-library", "-module-name", name, "-o", f"lib{name}.so",
                        "-L", self.folder, f"{name}.swift", *linked)
        self.swiftc("-parse-as-library", "-o", "recorded", "-L", self.folder, "-lUIKit", "-lMediaPipeTasksVision",
                    PHONE / "RecordedFace.swift", FILES / "mediapipe/LandmarkerRecorder.swift",
                    FILES / "devices/FaceLandmarkerTracker.swift", FILES / "devices/TrackerClient.swift")
        expect(self, [str(self.folder / "recorded")], {"LD_LIBRARY_PATH": str(self.folder)})


@unittest.skipIf(shutil.which("javac") is None, "needs javac")
class JavaTests(Folder):
    def test_what_mediapipe_finds_on_android(self):
        sources = unpack("android.txt", self.folder / "library")
        sources += [PHONE / "RecordedFace.java", FILES / "mediapipe/LandmarkerRecorder.java",
                    FILES / "devices/FaceLandmarkerTracker.java", FILES / "devices/TrackerClient.java"]
        subprocess.run(["javac", "--release", "8", "-Xlint:all,-options", "-Werror", "-d", str(self.folder / "classes"),
                        *map(str, sources)], check=True, timeout=300)
        expect(self, ["java", "-cp", str(self.folder / "classes"), "RecordedFace"], {})


def expect(test, command, environment):
    """What is recorded has the points, the coefficient and the pose of the face, and so has the tracker's face."""
    run = subprocess.run([*command, str(test.folder)], check=True, timeout=300, capture_output=True, text=True,
                         env={**os.environ, **environment})
    points = np.stack([np.arange(478) / 512 * 200, np.full(478, 50), np.full(478, -50)], axis=1)
    pose = [1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, -40, 0, 0, 0, 1]
    (face,) = json.loads(run.stdout)
    np.testing.assert_allclose(np.reshape(face["points"], (478, 3)), points, atol=1e-4)
    test.assertEqual((face["blendshapes"], face["transform"]), ({"jawOpen": 0.75}, pose))
    for name, frames, faces in (("video", 3, 3), ("stills", 2, 1)):
        output = test.folder / f"{name}.h5"
        facegauge.running.command("import", "mediapipe", str(test.folder / f"{name}.json"), "-o", str(output), labels_only=name == "stills")
        with h5py.File(output) as file:
            test.assertEqual(len(file["images/size"]), frames)
            test.assertEqual(len(file["faces/frame"]), faces)
            found = file["faces/landmarks/mediapipe478/points"][0]
            np.testing.assert_allclose(found[:, :2], points[:, :2], atol=1e-3)
            test.assertEqual(file["faces/pose"][0].ravel().tolist(), pose)


if __name__ == "__main__":
    unittest.main()
