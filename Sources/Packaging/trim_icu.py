#!/usr/bin/env python3
"""Leave out of ICU's data what the program does not use: trim_icu.py DATA OUTPUT

DATA is ICU's common data, as `icudt76_dat` of Swift's lib_FoundationICU.a has it: a header, the number of items, the
places of each item's name and bytes from there on, in the order of names (ICU's `ucmndata.h`). Kept is what writes and
reads numbers, dates and times in American English, and host names: the locale, currencies, time zones, properties of
characters, their normalization. Left out are other locales, for which ICU takes the root locale; the order of text,
boundaries of lines and words, names of languages, regions and units, converters of encodings, dictionaries and
transliterations. Prints the numbers of bytes.

Exit codes: 0 written, 64 usage, 65 DATA is something else.
"""

import re
import struct
import sys

# A locale's file: a language, and perhaps a script, region or variant.
LOCALE = re.compile(r"[a-z]{2,3}(_\w+)?")
KEPT = {"root", "en", "en_US", "en_US_POSIX"}
UNUSED = re.compile(r"\.(brk|cfu|cnv|dict|spp)$|/(brkitr|coll|lang|rbnf|region|translit|unit)/"
                    r"|/(cnvalias|unames)\.icu$|/nfkc\w*\.nrm$|/langInfo\.res$")


def is_used(name):
    if UNUSED.search(name):
        return False
    resource = re.search(r"([^/]+)\.res$", name)
    return not (resource and LOCALE.fullmatch(resource[1])) or resource[1] in KEPT


def trimmed(data):
    header, magic = struct.unpack_from("<H2s", data)
    if magic != b"\xda\x27" or data[12:16] != b"CmnD":
        raise ValueError("expected ICU's common data, of little-endian machines")
    count, = struct.unpack_from("<I", data, header)
    places = [struct.unpack_from("<II", data, header + 4 + 8 * index) for index in range(count)]
    ends = [start for _, start in places[1:]] + [len(data) - header]
    items = []
    for (name, start), end in zip(places, ends):
        text = data[header + name:data.index(b"\0", header + name)]
        if is_used(text.decode("ascii")):
            items.append((text + b"\0", data[header + start:header + end]))
    names, contents, table = b"", b"", b""
    first = 4 + 8 * len(items)
    padded = -(first + sum(len(name) for name, _ in items)) % 16
    start = first + sum(len(name) for name, _ in items) + padded
    for name, item in items:
        table += struct.pack("<II", first + len(names), start + len(contents))
        names += name
        contents += item + bytes(-len(item) % 16)
    return data[:header] + struct.pack("<I", len(items)) + table + names + bytes(padded) + contents


def main(arguments):
    if len(arguments) != 2:
        print("usage: trim_icu.py DATA OUTPUT", file=sys.stderr)
        return 64
    with open(arguments[0], "rb") as file:
        data = file.read()
    try:
        kept = trimmed(data)
    except (ValueError, struct.error) as error:
        print(f"error: cannot trim {arguments[0]}: {error}", file=sys.stderr)
        return 65
    with open(arguments[1], "wb") as file:
        file.write(kept)
    print(f"{len(data)} bytes, {len(kept)} kept")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
