"""YuNet, the face detector of OpenCV, with its five points."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from ..running import PathLike


class YuNet:
    """The detector on each image alone. The time includes resizing."""

    scheme, facts = "five", ("detector_boxes",)

    def __init__(self, model: PathLike, *, min_score: float = 0.02, max_iou: float = 0.45, longer_side: int = 0) -> None:
        import cv2  # type: ignore[import-not-found, unused-ignore]
        self._cv2: Any = cv2
        self._longer_side = longer_side
        self._detector: Any = cv2.FaceDetectorYN.create(str(model), "", (320, 320), min_score, max_iou, 5000)
        self.name = f"YuNet, OpenCV {cv2.__version__}"
        self.models = [{"name": Path(model).name, "stage": "detection",
                        "sha256": hashlib.sha256(Path(model).read_bytes()).hexdigest()}]
        self.settings = {"min-score": min_score, "max-iou": max_iou, "longer-side": longer_side}

    def __call__(self, image: Any, time: float | None) -> Any:
        import numpy as np
        height, width = image.shape[:2]
        scale = min(1, self._longer_side / max(width, height)) if self._longer_side else 1
        if scale < 1:
            size = round(width * scale), round(height * scale)
            image = self._cv2.resize(image, size, interpolation=self._cv2.INTER_AREA)
        self._detector.setInputSize((image.shape[1], image.shape[0]))
        rows = self._detector.detect(self._cv2.cvtColor(image, self._cv2.COLOR_RGB2BGR))[1]
        rows = np.zeros((0, 15)) if rows is None else rows.astype(float)
        rows[:, :14] *= np.tile([width / image.shape[1], height / image.shape[0]], 7)
        return rows

    def faces(self, rows: Any, width: int, height: int) -> list[dict[str, Any]]:
        """A row is the box, five points in the order of the scheme, and the score."""
        return [{"box": row[:4], "points": row[4:14], "score": row[14]} for row in rows]
