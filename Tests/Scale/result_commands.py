"""The commands whose results `same_results.py` compares, in groups; each line runs in one folder, after those it needs."""

import collections
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

Group = collections.namedtuple("Group", "needs lines", defaults=[[], []])

QUICK = "--resamples 200"
STILLS = "dlib-faces/testing_with_face_landmarks.xml"
TRACKING = "--threshold min-tracking-confidence=0.3,0.5,0.7 --threshold min-face-presence-confidence=0.3:0.7:0.2"


def shards(command, name):
    return [*(f"{command} -o {name} --shard {index}/2" for index in range(2)), f"join {name} --missing", f"join {name}"]


def imports():
    """Every format of which the public data or the checkout have a small file."""
    plain = {
        "300w-xml": "imglab {data}/300w-annots/labels_ibug_300W_test.xml --labels-only",
        "300w-csv": "hrnet {data}/300w-annots/face_landmarks_300w_valid_common.csv --labels-only",
        "ibug": "pts {data}/eos-ibug/examples/data",
        "ferplus": "ferplus {data}/ferplus/data/FER2013Valid/label.csv --labels-only",
        "aflw2000": "aflw2000 {data}/aflw2000-prnet",
        "cofw68": "cofw68 {data}/cofw68/COFW68_Data --labels-only",
        "wider": "wider-mat {data}/wider-eval-gt/wider_face_val.mat {data}/wider-eval-gt/wider_hard_val.mat --labels-only",
        "coco": "coco {data}/coco-eval/dataset/cocoapi/instances_val2014_100.json --category person --labels-only",
        "livelink": "livelink {data}/livelink-alexdjulin/anim/alex_rom_4.csv",
        "livelink-68": "livelink {data}/livelink-neurosync/generated/30c1e660-973e-4551-9af8-f18b4c850ef3/shapes.csv",
        "packets": "livelink-packets {data}/livelink-llv/examples/dao.gesichter",
        "openface": "openface {data}/pyfeat/feat/tests/data/OpenFace_Test.csv",
        "pyfeat": "pyfeat {data}/pyfeat/docs/data/news_sample/001.csv",
        "mot": "mot {data}/mot-tud/motmetrics/data/TUD-Campus/gt.txt",
        "otb": "otb {data}/otb-sample/data/Football1",
        "images": "images {data}/wider-val-img/images",
        "portraits": "labels {root}/Datasets/portraits/portraits.json --labels-only",
    }
    for mapping, file in [("nhwc-classes", "coursera-signs/test_signs"), ("nchw-floats", "caffe/solver_data"),
                          ("nchw-channels", "caffe/sample_data"), ("mpii-parallel-arrays", "mpii-newell/valid")]:
        only = " --labels-only" if "mpii" in mapping else ""
        plain[mapping] = f"hdf5 {{root}}/Datasets/mappings/{mapping}.json {{data}}/hdf5-real/{file}.h5{only}"
    for name in ["300vw/anno_300vw", "wflw/test_wflw", "cofw/test_cofw", "coco/test_coco_wholebody"]:
        plain[f"mmpose-{name.split('/')[0]}"] = f"coco {{data}}/mmpose-face/{name}.json --labels-only"
    outputs = {
        "coco": "coco {data}/coco-eval/dataset/cocoapi/instances_val2014_fakebbox100_results.json "
                "{data}/coco-eval/dataset/cocoapi/instances_val2014_100.json --category person",
        "cofw68": "cofw68-results {data}/cofw68/Results/CFSS_CFOW68.txt",
        "mot": "mot {data}/mot-tud/motmetrics/data/TUD-Campus/test.txt",
        "otb": "otb {data}/otb-sample/results/OPE/MEEM/Football1.json",
    }
    return [
        *(f"import {words} -o {name}.h5" for name, words in plain.items()),
        *(f"import {words} --of {name}.h5 -o {name}-output.h5" for name, words in outputs.items()),
        *(f"evaluate {name}.h5 --predictions {name}-output.h5 -o {name}-run {QUICK}" for name in outputs),
        *(f"inspect {name}.h5" for name in [*plain, "coco-output"]),
    ]


GROUPS = {
    "demo": Group(lines=["demo -o demo", "metrics", "models"]),
    "helen": Group(lines=[
        "import pts {data}/helen68/testset -o helen.h5", "inspect helen.h5 --json",
        f"evaluate helen.h5 -o helen --num-faces 3 {QUICK} --json",
        f"evaluate helen.h5 -o helen-full --num-faces 3 --detector full-range {QUICK}",
        f"evaluate helen.h5 -o helen-attention --landmarks attention {QUICK} --jobs 2",
        "report helen -o helen-report", "overlay helen -o helen-drawn --frames 0:70:10",
    ]),
    "clips": Group(lines=[
        "import video {data}/videos/obama.mp4 {data}/videos/short_hamilton_clip.mp4 -o clips.h5",
        f"evaluate clips.h5 -o clips --mode video --num-faces 3 {QUICK}",
        f"evaluate clips.h5 -o clips-ios --mode video --compatibility ios {QUICK}",
        "leakage clips -o clips-leakage --resamples 200 --json",
        "fit blendshapes clips --teacher -o head.json",
        f"evaluate clips.h5 -o clips-head --mode video --blendshapes head.json {QUICK}",
    ]),
    "motion": Group(["helen"], [
        "subset helen.h5 --frames 0:24:2 -o twelve.h5",
        "animate twelve.h5 --motion pan --motion leave --frames-per-clip 8 --longest-side 480 -o moving.h5",
        f"evaluate moving.h5 -o moving --mode video {QUICK}",
        f"evaluate moving.h5 -o correlation --tracker correlation {QUICK}",
        f"compare moving correlation -o trackers {QUICK}",
        "track moving.h5 --tracker '{program} serve' -o served.h5",
        f"evaluate moving.h5 --predictions served.h5 -o served {QUICK}",
    ]),
    "sweep": Group(["motion", "clips"], [
        f"sweep moving.h5 -o sweep --mode video {TRACKING} {QUICK} --objective 'max f1' "
        "--objective 'min nme where tracked_share >= 0.5 with 95 %' --json",
        "sweep moving.h5 -o smoothing --mode video --threshold smoothing-beta=10,40,80 --objective 'min jitter where lag <= 20'",
        f"sweep helen -o sweep-run --threshold min-suppression-threshold=0.3,0.5 {QUICK}",
        f"sweep moving.h5 --predictions served.h5 -o sweep-output --threshold min-face-detection-confidence=0.3,0.7 {QUICK}",
        f"sweep clips.h5 -o sweep-smile --mode video --threshold expression:happy=0.1:0.5:0.1 {QUICK}",
        "settings sweep --emit python", "settings sweep --emit kotlin",
    ]),
    "compare": Group(["helen"], [
        f"compare helen helen-full -o comparison {QUICK} --json",
        f"compare helen helen-full --gates {{root}}/Datasets/portraits/gates.json {QUICK}",
        f"compare helen helen-full helen-attention -o ranking {QUICK}",
        "report --index helen helen-full comparison ranking -o overview",
    ]),
    "calibrate": Group(["helen"], [
        f"calibrate helen -o calibration.json --report calibration {QUICK} --json",
        f"evaluate helen.h5 -o calibrated --calibration calibration.json {QUICK}", "settings calibration.json --emit python",
    ]),
    "profile": Group(["helen"], ["profile helen.h5 -o profile --frames 30 --warm-up 3 --baseline-out baseline.json",
                                 "history baseline.json -o history"]),
    "explain": Group(lines=[
        "explain {data}/dlib-faces/bald_guys.jpg --num-faces 3 -o explained.html --png explained.png --json",
        "explain {data}/dlib-faces/dogs.jpg",
        "similarity {data}/dlib-faces/bald_guys.jpg {data}/dlib-faces/Tom_Cruise_avp_2014_4.jpg --json",
    ]),
    "datasets": Group(["helen"], [
        f"import imglab {{data}}/{STILLS} -o dlib.h5", "merge dlib.h5 helen.h5 -o merged.h5",
        "merge-faces merged.h5 -o joined.h5",
        "validate joined.h5 --decode --html checked.html --markdown checked.md", "validate helen/predictions.h5 --json",
        "export coco dlib.h5 -o dlib-coco", "export imglab dlib.h5 -o dlib-imglab",
        "split merged.h5 --parts train=0.8,test=0.2 --seed 7 -o split.h5", "annotate dlib.h5 -o annotated.h5",
        "degrade dlib.h5 --by blur,dark,occluder,jpeg -o degraded.h5",
        f"evaluate degraded.h5 -o degraded --num-faces 5 {QUICK}",
    ]),
    "imports": Group(lines=imports()),
    "shards": Group(["motion"], [
        *shards(f"evaluate moving.h5 --mode video {QUICK}", "parts"), *shards(f"evaluate helen.h5 {QUICK}", "still-parts"),
        *shards(f"sweep moving.h5 --mode video {TRACKING} {QUICK}", "sweep-parts"),
    ]),
}


def with_needs(names):
    """The groups of these names with those that they need, in order; all without names."""
    wanted = set(names or GROUPS)
    while needed := {need for name in wanted for need in GROUPS[name].needs} - wanted:
        wanted |= needed
    return [name for name in GROUPS if name in wanted]
