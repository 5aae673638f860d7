"""A tracker in a browser as a program of the line protocol: python -m facegauge.web mine.js"""

from __future__ import annotations

import argparse
import sys

from . import ADAPTERS, serve


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m facegauge.web", description=__doc__)
    parser.add_argument("tracker", help=f"a JavaScript module with init and detect, or one of: {', '.join(ADAPTERS)}")
    parser.add_argument("--files", help="a folder that the page may read, such as that of a model")
    parser.add_argument("--option", action="append", default=[], metavar="name=value", help="an option for init; may be repeated")
    parser.add_argument("--host", default="127.0.0.1", help="the address to serve the page at (default: 127.0.0.1, this machine alone)")
    parser.add_argument("--port", type=int, default=0, help="the port (default: 0, a free one)")
    parser.add_argument("--token", help="the secret part of the address (default: a random one)")
    parser.add_argument("--shown-host", help="the host in the address that is shown (default: that of --host)")
    parser.add_argument("--certificate", help="a PEM file, for https")
    parser.add_argument("--key", help="the key of the certificate, a PEM file")
    given = vars(parser.parse_args(words))
    options = dict(one.partition("=")[::2] for one in given.pop("option"))
    serve(given.pop("tracker"), options=options, **given)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (ImportError, OSError, ValueError) as error:
        sys.exit(f"error: {error}")
