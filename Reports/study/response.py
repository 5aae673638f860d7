#!/usr/bin/env python3
"""Makes the study of Response.md: what MediaPipe's coefficients and poses answer to, on rendered heads.

    python3 response.py --kit FaceXModel --work WORK

Renders three sets of people, evaluates MediaPipe's models on them, and writes response.json, gains.svg and the tables of
Response.md next to this file. What exists in WORK is kept, so an interrupted run goes on. Needs facegauge with its models.
"""
import argparse, html, json, os, pathlib, statistics, subprocess, sys

from tables import table, write_tables

HERE = pathlib.Path(__file__).resolve().parent
# The sets of people: title, and the identities of ICT-FaceKit that their heads are mixed from.
SETS = {"first": ("identities 0 to 11", range(12)), "other": ("identities 12 to 99", range(12, 100)),
        "all": ("all 100", range(100))}
COLORS = {"first": "#3b6fb6", "other": "#c0622d", "all": "#5b8f3a"}
DISTANCE = {"pose.found_share": "share of the faces that were found",
            "pose.distance.slope.conditional": "reported distance per cm of distance", "pose.distance.offset.conditional": "its offset, cm",
            "pose.distance.relative.conditional": "mean error of distance, share of it",
            "pose.position.conditional": "mean error of position, cm"}


def run(*command):
    command = [str(part) for part in command]
    print("+", *command[:6], file=sys.stderr)
    if status := subprocess.run(command, stdout=subprocess.DEVNULL).returncode:
        sys.exit(f"error: status {status} of {' '.join(command)}")


def kit(people):
    """A folder with the identities of a set, numbered from 0; links to the files of the kit."""
    folder = work / "kits" / people
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {f"identity{old:03}.obj": f"identity{new:03}.obj" for new, old in enumerate(SETS[people][1])}
    for file in arguments.kit.iterdir():
        name = wanted.get(file.name) if file.name.startswith("identity") else file.name
        if name and not (folder / name).exists():
            os.symlink(file, folder / name)
    return folder


def evaluated(design, people, *options):
    """The run of MediaPipe's models on 12 people of a set."""
    dataset, folder = work / f"{design}.{people}.h5", work / f"{design}.{people}"
    if not dataset.exists():
        run(facegauge, "render", "--design", design, "--people", 12, "--from", kit(people),
            "--identities", len(SETS[people][1]), "-o", dataset, "--force")
    if not folder.exists():
        run(facegauge, "evaluate", dataset, "-o", folder, *options)
    return folder


def measured(subcommand, design, people, *options):
    """What `response` or `leakage` finds in a run."""
    folder = work / f"{subcommand}.{design}.{people}"
    if not folder.exists():
        run(facegauge, subcommand, evaluated(design, people, *options), "-o", folder)
    return json.loads((folder / f"{subcommand}.json").read_text())


def rounded(value):
    return None if value is None else round(value, 5)


def short(value):
    return {key: rounded(value[key]) for key in ("value", "low", "high")}


def gains(people):
    found = measured("response", "response", people)
    return {"frames": found["frames"], "missed": found["missed"], "mean": short(found["mean_gain"]),
            "channels": {one["coefficient"]: {**{key: short(one[key]) for key in ("gain", "offset", "own_share")},
                                              "rank": one["own_rank"], "rms": rounded(one["rms_error"]["value"]),
                                              "calibrated": rounded(one["calibrated_error"])} for one in found["channels"]},
            "slopes": {f"{row} on {column}": cell["value"] for row, cells in zip(found["matrix"]["rows"], found["matrix"]["slopes"])
                       for column, cell in zip(found["matrix"]["columns"], cells)}}


def turns(people):
    found = measured("leakage", "pose", people)
    return {"faces": found["faces"], "frames": found["frames"],
            "slopes": {f"{one['coefficient']} on {angle}": short(slope) for one in found["turns"]
                       for angle, slope in zip(found["angles"], one["slopes"]) if slope["value"] is not None}}


def distances(people):
    record = json.loads((evaluated("distance", people) / "record.json").read_text())
    found = {one["name"]: one for one in record["measurements"] if one["slice"] is None}
    return {name: short(found[name]["interval"] | {"value": found[name]["value"]}) for name in DISTANCE}


def delays(people):
    found = measured("response", "clips", people, "--mode", "video")
    return {one["coefficient"]: short(one["delay_frames"]) for one in found["channels"]
            if one["delay_frames"]["value"] is not None}


def calibrated(fitted, people):
    """Mean errors of the coefficients of one set, as they are and with a calibration that was fitted to another set."""
    calibration, folder = work / f"calibration.{fitted}.json", work / f"calibrated.{people}"
    if not calibration.exists():
        run(facegauge, "calibrate", evaluated("response", fitted), "-o", calibration)
    if not folder.exists():
        run(facegauge, "evaluate", work / f"response.{people}.h5", "--calibration", calibration, "-o", folder)
    found = {}
    for name, source in (("before", evaluated("response", people)), ("after", folder)):
        record = json.loads((source / "record.json").read_text())
        one = next(one for one in record["measurements"] if one["name"] == "blendshapes.mae" and one["slice"] is None)
        found[name] = short(one["interval"] | {"value": one["value"]})
    return found


def number(value, places=2):
    """`.87`, `−.03`, `1.05`."""
    text = f"{abs(value):.{places}f}"
    text = text[1:] if text.startswith("0.") else text
    return text if float(text) == 0 or value >= 0 else "−" + text


def cell(value, places=2):
    interval = "" if value["low"] is None else f" ({number(value['low'], places)} to {number(value['high'], places)})"
    return number(value["value"], places) + interval


def agreement(study):
    """Correlations of the gains and of all slopes between two sets."""
    rows = []
    for one, other in (("first", "other"), ("first", "all"), ("other", "all")):
        found = []
        for values in ({key: part["gain"]["value"] for key, part in study["gains"][people]["channels"].items()} for people in (one, other)), \
                      (study["gains"][people]["slopes"] for people in (one, other)):
            left, right = values
            keys = [key for key in left if left[key] is not None and right.get(key) is not None]
            found.append(f"{number(statistics.correlation([left[key] for key in keys], [right[key] for key in keys]), 3)} ({len(keys):,})")
        rows.append([f"{SETS[one][0]}, {SETS[other][0]}", *found])
    return table(["sets", "gains", "all slopes of predictions on labels"], rows)


def tables(study):
    channels = study["gains"]["all"]["channels"]
    ordered = sorted(channels, key=lambda name: -channels[name]["gain"]["value"])
    counts = []
    for people, (title, _) in SETS.items():
        own = study["gains"][people]
        values = [one["gain"]["value"] for one in own["channels"].values()]
        counts.append([title, f"{own['frames']:,}", str(own["missed"]), cell(own["mean"]), str(sum(value >= .5 for value in values)),
                       str(sum(abs(value) < .05 for value in values)), str(sum(one["rank"] == 1 for one in own["channels"].values()))])
    slopes = study["turns"]["all"]["slopes"]
    clear = [name for name, slope in slopes.items() if slope["low"] > 0 or slope["high"] < 0]
    largest = sorted(clear, key=lambda name: -min(abs(slopes[name]["low"]), abs(slopes[name]["high"])))
    saved = sorted((name for name in channels if channels[name]["calibrated"] is not None),
                   key=lambda name: channels[name]["calibrated"] - channels[name]["rms"])
    return {
        "counts": table(["heads mixed from", "images", "faces missed", "mean gain", "gain ≥ .5", "gain under .05", "own prediction moves most"], counts),
        "gains": table(["coefficient", *(title for title, _ in SETS.values()), "own rank"], [
            [f"`{name}`", *(cell(study["gains"][people]["channels"][name]["gain"]) for people in SETS), str(channels[name]["rank"])]
            for name in ordered]),
        "agreement": agreement(study),
        "turns": f"Of {len(slopes)} slopes, {len(clear)} have an interval without 0. The largest, by the end of the interval nearest to 0:\n\n"
                 + table(["coefficient on angle", "change per 10°"], [[f"`{name.split(' on ')[0]}` on {name.split(' on ')[1].replace('|', chr(92) + '|')}", cell(slopes[name], 3)]
                                                                       for name in largest[:12]]),
        "distances": table(["", *(title for title, _ in SETS.values())],
                           [[title, *(cell(study["distances"][people][name]) for people in SETS)] for name, title in DISTANCE.items()]),
        "delays": table(["coefficient", "delay in frames"],
                        [[f"`{name}`", cell(value, 1)] for name, value in sorted(study["delays"].items(), key=lambda one: -one[1]["value"])]),
        "calibration": table(["", "mean absolute error of all coefficients"], [[title, cell(study["calibrated"][key], 3)] for key, title in (
            ("before", "as they are"), ("after", "with the calibration"))]),
        "calibrated": table(["coefficient", "RMS error", "after a straight line fitted to other people"],
                            [[f"`{name}`", number(channels[name]["rms"], 3), number(channels[name]["calibrated"], 3)] for name in saved[:8]])}


def chart(study):
    """Gains with their intervals, one row a coefficient, one color a set."""
    channels = study["gains"]["all"]["channels"]
    ordered = sorted(channels, key=lambda name: -channels[name]["gain"]["value"])
    left, width, height = 170, 720, 60 + 18 * len(ordered)
    x = lambda value: left + (value + .1) / 1.1 * (width - left - 20)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for tick in (0, .25, .5, .75, 1):
        out.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="40" y2="{height - 10}" stroke="#ddd"/>'
                   f'<text x="{x(tick):.1f}" y="34" text-anchor="middle" fill="#444">{tick:g}</text>')
    for index, (people, (title, _)) in enumerate(SETS.items()):
        out.append(f'<circle cx="{left + 10 + index * 170}" cy="12" r="4" fill="{COLORS[people]}"/>'
                   f'<text x="{left + 18 + index * 170}" y="16" fill="#222">{html.escape(title)}</text>')
    for row, name in enumerate(ordered):
        out.append(f'<text x="{left - 8}" y="{58 + 18 * row}" text-anchor="end" fill="#222">{name}</text>')
        for index, people in enumerate(SETS):
            gain, y = study["gains"][people]["channels"][name]["gain"], 49.5 + 18 * row + 4.5 * index
            out.append(f'<line x1="{x(gain["low"]):.1f}" x2="{x(gain["high"]):.1f}" y1="{y}" y2="{y}" stroke="{COLORS[people]}"/>'
                       f'<circle cx="{x(gain["value"]):.1f}" cy="{y}" r="2.5" fill="{COLORS[people]}"/>')
    return "\n".join([*out, "</svg>"]) + "\n"


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--kit", type=pathlib.Path, required=True, help="folder FaceXModel of ICT-FaceKit, 100 identities")
parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for datasets and runs")
parser.add_argument("--facegauge", default="facegauge", help="the program (default: facegauge)")
arguments = parser.parse_args()
arguments.kit = arguments.kit.resolve()
facegauge, work = arguments.facegauge, arguments.work.resolve()
work.mkdir(parents=True, exist_ok=True)
study = {"gains": {people: gains(people) for people in SETS}, "turns": {people: turns(people) for people in ("first", "all")},
         "calibrated": calibrated("first", "other"), "distances": {people: distances(people) for people in SETS}, "delays": delays("first")}
(HERE / "gains.svg").write_text(chart(study))
write_tables(HERE / "Response.md", tables(study))
# The slopes are 2,601 for each set.
for people in SETS:
    del study["gains"][people]["slopes"]
(HERE / "response.json").write_text(json.dumps(study, indent=1, sort_keys=True) + "\n")
