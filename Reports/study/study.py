#!/usr/bin/env python3
"""Makes the study of README.md: which face tracker to trust, on the same frames.

    python3 study.py --data DATA --bundle face_landmarker.task --yunet yunet.onnx --pfld pfld.onnx --kit FaceXModel --work WORK

Imports the data, lets every tracker process it through `facegauge track`, evaluates and ranks the predictions, and writes
study.json and the tables of README.md beside this file. What exists in WORK is kept, so an interrupted run goes on.
Needs facegauge on the path, Python 3.11 with h5py, and the network for the packages of the trackers.
"""
import argparse, json, pathlib, shutil, subprocess, sys, venv

import h5py
import numpy as np

from tables import table, write_tables

HERE = pathlib.Path(__file__).resolve().parent
MODULE = HERE.parent.parent / "Sources" / "Packaging" / "Python"
# Datasets of stills: arguments of `import` in the data's folder.
STILLS = {
    "helen": ["pts", "helen68/testset"],
    "dlib": ["imglab", "dlib-faces/testing_with_face_landmarks.xml", "dlib-faces/training_with_face_landmarks.xml"],
    "aflw2000": ["aflw2000", "aflw2000-prnet"],
    "wider": ["wider-mat", *(f"wider-eval-gt/wider_{part}_val.mat" for part in ("face", "easy", "medium", "hard")),
              "--images", "wider-val-img/images", "--max-bad-images", "100000"],
}
# Rendered heads: frontal with one expression and many lights, or all of expression, pose, distance, place and light at random.
RENDERED = {"frontal": ["--design", "light"], "random": ["--design", "random", "--images-per-person", "22"]}
CLIPS = ["pyfeat/feat/tests/data/single_face.mp4", "pyfeat/feat/tests/data/WolfgangLanger_Pexels.mp4",
         "videos/obama.mp4", "videos/short_hamilton_clip.mp4"]
# Five points of 300-W's 68: the means of both eyes' outlines, nose tip, mouth corners.
FIVE = [range(36, 42), range(42, 48), [30], [48], [54]]
ENVIRONMENTS = {"mediapipe-0.10.21": "mediapipe-0.10.21", "mediapipe-1.2.3": "mediapipe-1.2.3", "yunet": "yunet",
                "yunet-640": "yunet", "pfld": "landmarks", "dlib": "dlib"}
LABELS = {"facegauge": "FaceGauge", "mediapipe-0.10.21": "MediaPipe 0.10.21", "mediapipe-1.2.3": "MediaPipe 1.2.3",
          "yunet": "YuNet, full size", "yunet-640": "YuNet, 640 px", "pfld": "YuNet 640 + PFLD",
          "dlib": "dlib"}
# Trackers that do not run on a dataset, and why in README.md.
ABSENT = {"wider": ["pfld", "dlib"], "clips": ["pfld", "dlib"], "dlib": ["dlib"]}
PFLD_CARD = {"schema": "facegauge.landmark-model", "version": 1, "name": "PFLD", "scheme": "ibug68",
             "input": {"size": [112, 112], "channels": "rgb", "layout": "nchw", "divisor": 255},
             "crop": {"scale": 1.1}, "output": {"unit": "crop"}}
# The rankings: dataset, trackers (None: all that ran on it) and metrics with their titles in README.md.
FOUND = {"faces.recall": "recall", "faces.precision": "precision"}
POINTS = {"landmarks.nme.interpupil.conditional": "NME of found faces", "landmarks.fr.interpupil@0.08": "failures above 0.08"}
OUTLINE = {"landmarks.nme.interocular.conditional": "NME of found faces, interocular",
           "landmarks.fr.interocular@0.08": "failures above 0.08, interocular"}
MANY = ["facegauge", "mediapipe-0.10.21", "mediapipe-1.2.3", "pfld"]
KINDS = ["facegauge", "pfld", "dlib"]
RANKINGS = {
    "helen": ("helen", None, FOUND | POINTS), "dlib": ("dlib", None, FOUND | POINTS),
    "aflw2000": ("aflw2000", None, FOUND | POINTS), "wider": ("wider", None, FOUND),
    "helen-68": ("helen", [*MANY, "dlib"], OUTLINE), "dlib-68": ("dlib", MANY, OUTLINE), "aflw2000-68": ("aflw2000", [*MANY, "dlib"], OUTLINE),
    **{f"{name}.kinds": (name, ["facegauge", "yunet-640", "pfld", "dlib"], FOUND | POINTS) for name in ("helen", *RENDERED)},
    **{f"{name}.kinds-68": (name, KINDS, OUTLINE) for name in ("helen", *RENDERED)},
    "clips": ("clips", None, {"tracking.tracked_share": "frames with a face", "tracking.losses_per_minute": "losses a minute",
                              "tracking.longest_gap_ms": "longest gap, ms", "jitter.static": "motion a frame, px"}),
}

def run(*command, output=None):
    """Runs a command of facegauge; its last line is shown."""
    command = [str(part) for part in command]
    print("+", *command[:6], "…" if len(command) > 6 else "", file=sys.stderr)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"error: status {done.returncode} of {' '.join(command)}")
    if output:
        output.write_text(done.stdout)


def python(name):
    """The interpreter of an environment with the pinned packages of a tracker."""
    folder = work / "python" / name
    if not (folder / "done").exists():
        venv.create(folder, with_pip=True)
        run(folder / "bin/pip", "install", "-q", "-r", HERE / f"requirements-{name}.txt")
        (folder / "done").touch()
    return folder / "bin/python"


def add_five_points(path):
    """YuNet has five points: labels of 68 get them too."""
    with h5py.File(path, "a") as file:
        points, visible = (file[f"faces/landmarks/ibug68/{part}"][:] for part in ("points", "visible"))
        five = [points[:, list(group), :2].astype(float).mean(axis=1) for group in FIVE]
        file["faces/landmarks/five/points"] = np.stack(five, axis=1).astype(np.float32)
        file["faces/landmarks/five/visible"] = np.stack([visible[:, list(group)].min(axis=1) for group in FIVE], axis=1)


def dataset(name):
    path = work / f"{name}.h5"
    if not path.exists():
        temporary = work / "import.h5"
        if name in RENDERED:
            run(facegauge, "render", *RENDERED[name], "--people", "24", "--identities", "100", "--from", arguments.kit,
                "-o", temporary, "--force")
        else:
            source = ["video", *CLIPS] if name == "clips" else STILLS[name]
            files = [part if part.startswith("--") or part.isdigit() else arguments.data / part for part in source[1:]]
            run(facegauge, "import", source[0], *files, "--name", name, "-o", temporary, "--force")
        if name in ("helen", "dlib", "aflw2000", *RENDERED):
            add_five_points(temporary)
        temporary.rename(path)
    return path


def command(tracker, name, mode, faces):
    """The command line of a tracker."""
    if tracker == "facegauge":
        return f"'{facegauge}' serve --models '{arguments.bundle}' --mode {mode} --num-faces {faces}"
    interpreter = f"PYTHONPATH='{MODULE}' '{python(ENVIRONMENTS[tracker])}'"
    if tracker == "dlib":
        return f"{interpreter} '{HERE}/dlib_tracker.py'"
    program = f"{interpreter} -m facegauge.trackers"
    if tracker.startswith("mediapipe"):
        return f"{program} mediapipe '{arguments.bundle}' --mode {mode} --num-faces {faces}"
    if tracker == "pfld":
        return f"{program} landmarks '{work}/pfld.json' --boxes '{predictions('yunet-640', name)}'"
    side = " --longer-side 640" if tracker == "yunet-640" else ""
    return f"{program} yunet '{arguments.yunet}'{side}"


def predictions(tracker, name):
    path = work / "predictions" / f"{name}.{tracker}.h5"
    if not path.exists():
        mode, faces = ("video", 1) if name == "clips" else ("image", 20)
        run(facegauge, "track", dataset(name), "--mode", mode, "--input", "rgb",
            "--tracker", command(tracker, name, mode, faces), "-o", path)
    return path


def evaluated(tracker, name):
    folder = work / "runs" / name / tracker
    if not folder.exists():
        run(facegauge, "evaluate", dataset(name), "--predictions", predictions(tracker, name), "-o", folder)
    return folder


def trackers_of(name):
    return [tracker for tracker in LABELS if tracker not in ABSENT.get(name, [])]


def ranking(name):
    """What `compare` of several runs wrote."""
    source, trackers, _ = RANKINGS[name]
    folder = work / "rankings" / name
    if not folder.exists():
        run(facegauge, "compare", *(evaluated(tracker, source) for tracker in trackers or trackers_of(source)), "-o", folder)
    return json.loads((folder / "ranking.json").read_text())


def figures(name):
    """The numbers of a ranking that the study shows."""
    whole, metrics = ranking(name), RANKINGS[name][2]
    runs = [one["name"] for one in whole["runs"]]
    found = {one["name"]: one for one in whole["metrics"] if one["name"] in metrics}
    return {"frames": whole["dataset"]["frames"], "clusters": whole["method"]["clusters"], "tests": whole["tests"],
            "notes": whole["notes"], "runs": runs,
            "metrics": {key: [{"value": entry["value"], "reason": entry["reason"], "n": entry["n"],
                               "interval": [entry["interval"]["low"], entry["interval"]["high"]] if entry["interval"] else None,
                               "ranks": entry["ranks"]} for entry in found[key]["entries"]] for key in metrics if key in found},
            "apart": [{"runs": [runs[one["first"]], runs[one["second"]]], "same": one["faces"]["value"],
                       "points": one["points"]["value"]} for one in whole["agreement"]["pairs"]]}


def precision_of(tracker, name):
    """AP of the detector's own boxes, from the run's record; None where it gives no scores."""
    record = json.loads((evaluated(tracker, name) / "record.json").read_text())
    entry = next(one for one in record["measurements"] if one["name"] == "detection.ap50" and one["slice"] is None)
    return {"value": entry["value"], "reason": entry["reason"],
            "interval": [entry["interval"]["low"], entry["interval"]["high"]] if entry["interval"] else None}


def cut_clips():
    """The clips in twelve pieces of about equal length: trackers are started again before each, and an interval needs starts."""
    path, pieces = work / "pieces.h5", 12
    if not path.exists():
        temporary = work / "cut.h5"
        shutil.copy(dataset("clips"), temporary)
        with h5py.File(temporary, "a") as file:
            own, table = file["frames/sequence"][:], file["sequences"]
            counts = np.bincount(own)
            shares = np.maximum(1, np.round(pieces * counts / counts.sum())).astype(int)
            parts = [(clip, part) for clip, rows in enumerate(np.split(np.arange(len(own)), np.cumsum(counts)[:-1]))
                     for part in np.array_split(rows, shares[clip])]
            file["frames/sequence"][:] = np.concatenate(
                [np.full(len(rows), index, "i4") for index, (_, rows) in enumerate(parts)])
            made = {"first": [rows[0] for _, rows in parts], "count": [len(rows) for _, rows in parts]}
            for key in list(table):
                values, kind = table[key][:], table[key].dtype
                del table[key]
                rows = made.get(key, [values[clip] for clip, _ in parts])
                if key == "name":
                    rows = [f"{values[clip].decode()} {index}" for index, (clip, _) in enumerate(parts)]
                table.create_dataset(key, data=rows, dtype=kind)
        temporary.rename(path)
    return path


def latency():
    """Ratios of times with intervals over starts: all trackers in alternation, frame by frame."""
    path = work / "latency.json"
    if not path.exists():
        names, found = trackers_of("clips"), {}
        for mode in ("video", "image"):
            run(facegauge, "track", cut_clips(), "--mode", mode, "--input", "rgb", "--json", "--starts", "12", "--force",
                *(part for tracker in names for part in ("--tracker", command(tracker, "clips", mode, 1),
                                                         "-o", work / "timed" / f"{tracker}.{mode}.h5")), output=work / "times.json")
            found[mode] = dict(zip(names, json.loads((work / "times.json").read_text())))
        path.write_text(json.dumps(found))
    return json.loads(path.read_text())


def text(value):
    if value is None:
        return "–"
    return f"{value:.{0 if value == int(value) or abs(value) >= 100 else 2 if abs(value) >= 1 else 4}f}"


def cell(entry):
    """Value, interval and possible ranks of one tracker."""
    parts = [text(entry["value"])]
    if entry["interval"] and entry["interval"][0] is not None:
        parts.append(f"({text(entry['interval'][0])} to {text(entry['interval'][1])})")
    if entry.get("ranks"):
        first, last = entry["ranks"]
        parts.append(f"#{first}" if first == last else f"#{first}-{last}")
    return " ".join(parts)


def ranking_table(found, titles):
    keys = [key for key in titles if key in found["metrics"]]
    return table(["tracker", *(titles[key] for key in keys)],
                 [[LABELS[run], *(cell(found["metrics"][key][index]) for key in keys)]
                  for index, run in enumerate(found["runs"])])


def side_by_side(found):
    """Each metric of four kinds of trackers on photographs and on rendered heads."""
    rows, places = [], ("helen", *RENDERED)
    for kinds in ("kinds", "kinds-68"):
        for key, title in RANKINGS[f"helen.{kinds}"][2].items():
            entries = [found[f"{name}.{kinds}"]["metrics"][key] for name in places]
            for index, tracker in enumerate(RANKINGS[f"helen.{kinds}"][1]):
                rows.append([title if index == 0 else "", LABELS[tracker], *(cell(one[index]) for one in entries)])
    return table(["metric", "tracker", *(f"{name}, {found[f'{name}.kinds']['frames']} images" for name in places)], rows)


def tables(study):
    """The tables by the names of their places in README.md."""
    found = study["rankings"]
    made = {name: ranking_table(found[name], RANKINGS[name][2]) for name in RANKINGS if ".kinds" not in name}
    made["rendered"] = side_by_side(found)
    trackers = ["facegauge", "mediapipe-0.10.21", "mediapipe-1.2.3"]
    pairs = [(one, other) for index, one in enumerate(trackers) for other in trackers[index + 1:]]
    apart = {name: {tuple(one["runs"]): one for one in found[name]["apart"]} for name in STILLS}
    made["apart"] = table(["pair", *STILLS], [
        [f"{LABELS[one]}, {LABELS[other]}",
         *(f"{apart[name][one, other]['same']:.0%}, {1e6 * apart[name][one, other]['points']:.0f}" for name in STILLS)]
        for one, other in pairs])
    made["ap50"] = table(["tracker", *study["ap50"]], [
        [LABELS[tracker], *(cell(entries[tracker]) for entries in study["ap50"].values())]
        for tracker in ("facegauge", "yunet", "yunet-640")])
    times = study["latency"]
    made["latency"] = table(["tracker", *(f"{mode} mode: median, ms; times FaceGauge" for mode in times)], [
        [LABELS[tracker], *(f"{entries[tracker]['p50']:.1f}; {factor(entries[tracker].get('ratio'))}" for entries in times.values())]
        for tracker in times["video"]])
    return made


def factor(ratio):
    """How many times the first tracker's time, with its interval."""
    if ratio is None:
        return "1"
    return f"{ratio['median']:.1f}" + (f" ({ratio['low']:.1f} to {ratio['high']:.1f})" if "low" in ratio else "")


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--data", type=pathlib.Path, required=True, help="folder of the data, see README.md")
parser.add_argument("--bundle", type=pathlib.Path, required=True, help="MediaPipe's face_landmarker.task")
parser.add_argument("--yunet", type=pathlib.Path, required=True, help="ONNX file of YuNet")
parser.add_argument("--pfld", type=pathlib.Path, required=True, help="ONNX file of PFLD, 68 points")
parser.add_argument("--kit", type=pathlib.Path, required=True, help="folder FaceXModel of ICT-FaceKit, 100 identities")
parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for datasets, runs and rankings")
parser.add_argument("--facegauge", default="facegauge", help="the program (default: facegauge)")
arguments = parser.parse_args()
for key in ("data", "bundle", "yunet", "pfld", "kit", "work"):
    setattr(arguments, key, getattr(arguments, key).resolve())
facegauge, work = arguments.facegauge, arguments.work
for folder in ("predictions", "runs", "rankings", "timed"):
    (work / folder).mkdir(parents=True, exist_ok=True)
(work / "pfld.json").write_text(json.dumps({**PFLD_CARD, "file": str(arguments.pfld)}))
study = {"rankings": {name: figures(name) for name in RANKINGS},
         "ap50": {name: {tracker: precision_of(tracker, name) for tracker in trackers_of(name)} for name in ("wider", "dlib")},
         "latency": latency()}
(HERE / "study.json").write_text(json.dumps(study, indent=1, sort_keys=True) + "\n")
write_tables(HERE / "README.md", tables(study))
