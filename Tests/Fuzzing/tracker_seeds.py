"""What trackers send in a run over three frames, in both versions of the line protocol."""

import json


def write(seed):
    hello = {"protocol": "facegauge.tracker", "version": 1, "name": "n", "inputs": ["rgb", "image", "dataset"]}
    face = {"box": [1, 2, 3, 4], "score": 0.5, "presence": 0.5, "identity": 3, "blendshapes": {"jawOpen": 0.25},
            "transform": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "tracked": True, "region": [0.5, 0.5, 0.2, 0.2, 0.1],
            "attributes": {"AU12": 2.5, "age": None}, "tongue_out": 0.25}
    five = {"points": [1, 2, 3, None, 5, 6, 7, 8, 9, 10], "hidden": [True, None, False, False, False],
            "unsmoothed": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}
    detection = {"box": [1, 2, 3, 4], "score": 0.5, "keypoints": list(range(12))}
    candidate = {"anchor": 3, "score": 0.5, "regressors": list(range(16))}

    def talk(hello, **more):
        lines = [hello] + [{"frame": frame, **more} for frame in range(3)]
        return "".join(json.dumps(line) + "\n" for line in lines)

    seed("tracker", talk(hello, faces=[face]))
    seed("tracker", talk({**hello, "scheme": "five", "facts": ["detector_ran"]}, faces=[five], detector_ran=False))
    seed("tracker", talk({**hello, "stages": ["a", "total"]}, faces=[], detections=[detection], stages_ns={"a": 5, "total": 7}))
    seed("tracker", talk({**hello, "candidate_floor": 0.5, "options": {"detector": "short"}}, candidates=[candidate], rejected=[face]))
    seed("tracker", talk(hello, error="broken"))
    sync = [{"sync": number, "received_ns": number * 1000, "sent_ns": number * 1000 + 10} for number in range(32)]
    answers = [{"frame": frame, "faces": [face], "received_ns": 1000, "finished_ns": 2000, "readings": {"battery": 0.5, "heat": None}}
               for frame in range(3)]
    lines = [{"note": "open"}, {**hello, "version": 2, "device": {"model": "m"}, "readings": ["battery", "heat"]}] + sync[:16] + answers + sync[16:]
    seed("tracker", "".join(json.dumps(line) + "\n" for line in lines))
