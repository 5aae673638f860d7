"""dlib's frontal face detector (HOG) with its model of 68 points, as a tracker.

    python dlib_tracker.py

Needs dlib-bin, face_recognition_models and numpy from PyPI, and the module facegauge.
"""
import dlib
import face_recognition_models
import facegauge
import numpy as np


class Tracker:
    name, scheme = "dlib HOG, 68 points", "ibug68"

    def __init__(self):
        self.detector = dlib.get_frontal_face_detector()
        self.points = dlib.shape_predictor(face_recognition_models.pose_predictor_model_location())

    def __call__(self, image, time):
        image = np.ascontiguousarray(image)
        # One doubling finds faces of 40 pixels. Scores are distances from a plane, squeezed to [0, 1]: 0 becomes .5.
        boxes, scores, _ = self.detector.run(image, 1, 0.0)
        return [{"box": [box.left(), box.top(), box.width(), box.height()], "score": 1 / (1 + np.exp(-score)),
                 "points": np.array([[point.x, point.y] for point in self.points(image, box).parts()], float)}
                for box, score in zip(boxes, scores)]


if __name__ == "__main__":
    facegauge.serve(Tracker())
