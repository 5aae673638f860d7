#!/usr/bin/env python3
"""Check record.json and gates files against their schemas in Sources/Packaging/Schemas.

Needs the package jsonschema (4.18 or newer). Prints each broken rule as
`FILE: POSITION: MESSAGE`; exits with 1 if there was one.

    python3 Tests/Oracles/check_record_schema.py RUN/record.json gates.json ...
"""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator

FOLDER = pathlib.Path(__file__).parents[2] / "Sources" / "Packaging" / "Schemas"


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def validator(name):
    schema = json.loads((FOLDER / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def main(paths):
    if not paths:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    validators = {name: validator(name) for name in ("record", "gates")}
    broken = 0
    for path in paths:
        document = json.loads(pathlib.Path(path).read_text(), parse_constant=refuse_constant)
        name = document.get("schema") if isinstance(document, dict) else None
        chosen = validators["gates" if name == "facegauge.gates" else "record"]
        for error in chosen.iter_errors(document):
            broken += 1
            print(f"{path}: {error.json_path}: {error.message}")
    print(f"{len(paths)} checked, {broken} broken rules", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
