"""MediaPipe's Face Landmarker through its Python package."""

from __future__ import annotations

from typing import Any

from ..running import PathLike


class MediaPipe:
    """The task on each image, or on the frames of a clip. The time is that of the graph."""

    scheme = "mediapipe478"

    def __init__(self, bundle: PathLike, *, mode: str = "video", num_faces: int = 1) -> None:
        import mediapipe  # type: ignore[import-untyped, import-not-found, unused-ignore]
        import numpy as np
        if mode not in ("video", "image"):
            raise ValueError(f"expected mode video or image, found {mode!r}")
        self._mediapipe: Any = mediapipe
        self._bundle, self._mode, self._num_faces = str(bundle), mode, num_faces
        self.name = f"mediapipe {mediapipe.__version__}"
        self.settings = {"mode": mode, "num-faces": num_faces}
        self._still, self._is_new, self._last = self._landmarker(False), True, 0
        self._clip: Any = None
        # The first images take longer than all others; one without a face leaves no track.
        self._grey = self._image(np.full((480, 640, 3), 128, np.uint8))
        for _ in range(5):
            self._still.detect(self._grey)

    def _landmarker(self, is_video: bool) -> Any:
        tasks = self._mediapipe.tasks
        vision = tasks.vision
        return vision.FaceLandmarker.create_from_options(vision.FaceLandmarkerOptions(
            tasks.BaseOptions(model_asset_path=self._bundle), num_faces=self._num_faces,
            running_mode=vision.RunningMode.VIDEO if is_video else vision.RunningMode.IMAGE,
            output_face_blendshapes=True, output_facial_transformation_matrixes=True))

    def _image(self, pixels: Any) -> Any:
        return self._mediapipe.Image(image_format=self._mediapipe.ImageFormat.SRGB, data=pixels)

    def reset(self) -> None:
        """Forgets the clip before."""
        self._is_new = True

    def __call__(self, image: Any, time: float | None) -> Any:
        frame = self._image(image)
        if time is None or self._mode == "image":
            return self._still.detect(frame)
        if self._is_new:
            if self._clip is not None:
                self._clip.close()
            self._clip, self._is_new, self._last = self._landmarker(True), False, 0
            self._clip.detect_for_video(self._grey, 0)
        self._last = max(self._last + 1, round(time * 1e6) // 1000)
        return self._clip.detect_for_video(frame, self._last)

    def faces(self, result: Any, width: int, height: int) -> list[dict[str, Any]]:
        """The faces of a result; z has the unit of x."""
        import numpy as np
        return [
            {"points": np.array([(p.x * width, p.y * height, p.z * width) for p in points]),
             "blendshapes": {one.category_name: one.score for one in shapes}, "transform": matrix}
            for points, shapes, matrix in zip(
                result.face_landmarks, result.face_blendshapes, result.facial_transformation_matrixes)]
