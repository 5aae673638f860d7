#!/usr/bin/env python3
"""Check JSON files of FaceGauge against the schemas in Sources/Packaging/Schemas, each by the schema that it names.

A file of objects, one a line, is checked line by line, by the schema that its first line names. Needs the package
jsonschema (4.18 or newer). Prints each broken rule as `FILE: POSITION: MESSAGE`; exits with 1 if there was one.

    python3 Tests/Oracles/check_record_schema.py RUN/record.json gates.json ...
"""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator

FOLDER = pathlib.Path(__file__).parents[2] / "Sources" / "Packaging" / "Schemas"


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def validators():
    """A validator of every schema of files, by the name that files state."""
    found = {}
    for path in sorted(FOLDER.glob("*.schema.json")):
        schema = json.loads(path.read_text())
        Draft202012Validator.check_schema(schema)
        if "properties" in schema:
            found[schema["properties"]["schema"]["const"]] = Draft202012Validator(schema)
    return found


def documents(text):
    """The value of a text, or those of its lines."""
    try:
        return [json.loads(text, parse_constant=refuse_constant)]
    except json.JSONDecodeError:
        return [json.loads(line, parse_constant=refuse_constant) for line in text.splitlines() if line.strip()]


def main(paths):
    if not paths:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    known = validators()
    broken = 0
    for path in paths:
        values = documents(pathlib.Path(path).read_text())
        name = values[0].get("schema") if values and isinstance(values[0], dict) else None
        if name not in known:
            print(f"{path}: $.schema: {name!r} is none of {', '.join(known)}")
            broken += 1
            continue
        for number, value in enumerate(values, 1):
            position = f"{path}, line {number}" if len(values) > 1 else path
            for error in known[name].iter_errors(value):
                broken += 1
                print(f"{position}: {error.json_path}: {error.message}")
    print(f"{len(paths)} checked, {broken} broken rules", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
