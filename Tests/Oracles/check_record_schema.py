#!/usr/bin/env python3
"""Check record.json files against Sources/Records/record.schema.json.

Needs the package jsonschema (4.18 or newer). Prints each broken rule as
`FILE: PLACE: MESSAGE`; exits with 1 if there was one.

    python3 Tests/Oracles/check_record_schema.py RUN/record.json ...
"""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator

SCHEMA = pathlib.Path(__file__).parents[2] / "Sources" / "Records" / "record.schema.json"


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def main(paths):
    if not paths:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    schema = json.loads(SCHEMA.read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    broken = 0
    for path in paths:
        record = json.loads(pathlib.Path(path).read_text(), parse_constant=refuse_constant)
        for error in validator.iter_errors(record):
            broken += 1
            print(f"{path}: {error.json_path}: {error.message}")
    print(f"{len(paths)} checked, {broken} broken rules", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
