"""Counts and checksums of public Live Link Face recordings, by csv, gzip and struct alone.

    FACEGAUGE_SHARED=FOLDER python3 Tests/Oracles/live_link.py    writes Tests/Oracles/expected/live_link.json

A checksum is the CRC-32 of little-endian numbers: times as i64 microseconds from the first frame; coefficients as
f32, frame by frame in the order of ARKit's names sorted; the other channels as f64, frame by frame by sorted name.
"""

import csv
import gzip
import json
import os
import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).resolve().parent
DATA = pathlib.Path(os.environ["FACEGAUGE_SHARED"]) / "data"
CSV = [
    "livelink-alexdjulin/anim/alex_rom_4.csv",
    "livelink-neurosync/generated/30c1e660-973e-4551-9af8-f18b4c850ef3/shapes.csv",
    "livelink-neurosync/livelink/animations/Angry/MySlate_164_iPhone_cal.csv",
    "livelink-neurosync/livelink/animations/Happy/Happy.csv",
    "livelink-neurosync/livelink/animations/Sad/MySlate_167_iPhone_cal.csv",
]


def lower(name):
    return name[0].lower() + name[1:]


def seconds(timecode):
    hours, minutes, whole, frame = timecode.split(":")
    return (int(hours) * 60 + int(minutes)) * 60 + int(whole) + float(frame) / 60


def of_csv(path):
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    values = [[float(v) for v in row[2:]] for row in rows]
    return [seconds(row[0]) for row in rows], header[2:], values


def of_packets(path, columns):
    data = gzip.open(path).read()
    count = struct.unpack_from(">I", data, 1)[0]
    position, times, values = 5, [], []
    for _ in range(count):
        length = struct.unpack_from(">I", data, position)[0]
        packet = data[position + 4:position + 4 + length]
        position += 4 + length
        at = 1
        for _ in range(2):
            at += 4 + struct.unpack_from(">I", packet, at)[0]
        frame, fraction, above, below, channels = struct.unpack_from(">IfIIB", packet, at)
        assert channels == len(columns) and at + 17 + 4 * channels == length
        times.append((frame + fraction) * below / above)
        values.append(list(struct.unpack_from(f">{channels}f", packet, at + 17)))
    assert position == len(data)
    return times, columns, values


def summary(times, columns, values):
    shapes = sorted(range(51), key=lambda i: lower(columns[i]))
    others = sorted(range(51, len(columns)), key=lambda i: lower(columns[i]))
    kept, last = [], -1
    for index, time in enumerate(times):
        step = round(time * 1_000_000 - times[0] * 1_000_000)
        if step > last:
            kept.append((step, values[index]))
            last = step

    def crc(code, numbers):
        return zlib.crc32(struct.pack(f"<{len(numbers)}{code}", *numbers))

    return {
        "rows": len(values),
        "frames": len(kept),
        "times": crc("q", [step for step, _ in kept]),
        "coefficients": crc("f", [row[i] for _, row in kept for i in shapes]),
        "others": crc("d", [row[i] for _, row in kept for i in others]),
        "attributes": len(others),
        "below": sum(v < 0 for row in values for v in row[:52]),
        "above": sum(v > 1 for row in values for v in row[:52]),
        "dead": sum(len({row[i] for row in values}) == 1 for i in range(len(columns))),
        "last": kept[-1][0],
    }


def main():
    expected = {name: summary(*of_csv(DATA / name)) for name in CSV}
    columns = of_csv(DATA / CSV[0])[1]
    for path in sorted((DATA / "livelink-llv/examples").glob("*.gesichter")):
        expected[str(path.relative_to(DATA))] = summary(*of_packets(path, columns))
    with open(HERE / "expected" / "live_link.json", "w") as out:
        json.dump(expected, out, sort_keys=True, separators=(",", ":"))
        out.write("\n")


main()
