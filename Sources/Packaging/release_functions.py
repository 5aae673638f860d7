#!/usr/bin/env python3
"""Let the linker leave out functions that nothing calls: release_functions.py LIST FOLDER ARCHIVE...

LIST names object files, one on each line, in quotes. The Swift compiler marks public functions as retained, because
another module or a debugger may call them. In a program that is linked whole, and whose functions no other file can
look up by name, every call is a relocation that the linker sees. Data stay retained: the Swift runtime finds types and
conformances by their sections. Copies of the objects and archives without the mark on sections of code are written to
FOLDER, and their list to FOLDER/objects. Prints the number of sections released.

Exit codes: 0 written, 64 usage, 65 a file is something else, 66 a file is missing.
"""

import pathlib
import struct
import sys

# Of sections' headers, in ELF for 64-bit machines.
RETAINED = 0x200000


def release(data, start):
    """Clears the mark on sections of code of the object that begins there; returns how many had it."""
    if data[start:start + 6] != b"\x7fELF\x02\x01":
        return 0
    headers, = struct.unpack_from("<Q", data, start + 40)
    size, count, names = struct.unpack_from("<HHH", data, start + 58)
    # Where they do not fit, the number of sections and the place of their names are in the first header.
    first = start + headers
    count = count or struct.unpack_from("<Q", data, first + 32)[0]
    names = names if names != 0xFFFF else struct.unpack_from("<I", data, first + 40)[0]
    text, = struct.unpack_from("<Q", data, first + names * size + 24)
    released = 0
    for header in range(first, first + count * size, size):
        name, _, flags = struct.unpack_from("<IIQ", data, header)
        if flags & RETAINED and data.startswith(b".text", start + text + name):
            struct.pack_into("<Q", data, header + 8, flags & ~RETAINED)
            released += 1
    return released


def copy(source, target):
    """Copies an object or an archive of objects; returns how many sections were released."""
    data = bytearray(source.read_bytes())
    if data[:8] != b"!<arch>\n":
        released = release(data, 0)
    else:
        released, place = 0, 8
        while place + 60 <= len(data):
            size = int(data[place + 48:place + 58])
            released += release(data, place + 60)
            place += 60 + size + size % 2
    target.write_bytes(data)
    return released


def main(arguments):
    if len(arguments) < 2:
        print("usage: release_functions.py LIST FOLDER ARCHIVE...", file=sys.stderr)
        return 64
    folder = pathlib.Path(arguments[1])
    try:
        objects = pathlib.Path(arguments[0]).read_text(encoding="utf-8").splitlines()
        sources = {pathlib.Path(line.strip("'\"")): folder / f"{index}.o" for index, line in enumerate(objects)}
        archives = {path: folder / path.name for path in map(pathlib.Path, arguments[2:])}
        released = sum(copy(source, target) for source, target in (sources | archives).items())
        (folder / "objects").write_text("".join(f"'{target}'\n" for target in sources.values()), encoding="utf-8")
    except (ValueError, struct.error) as error:
        print(f"error: cannot release functions of {arguments[0]}: {error}", file=sys.stderr)
        return 65
    except OSError as error:
        print(f"error: cannot release functions of {error.filename}: {error.strerror}", file=sys.stderr)
        return 66
    print(f"{released} sections of code released")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
