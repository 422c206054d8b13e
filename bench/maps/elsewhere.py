"""Measures a bundle on a machine without Weft: `python -m bench.maps.elsewhere BUNDLE --record FILE`."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.maps.measuring import Maps, on_cores
from weft.source.worker_process import PlatformProcess

_LIMIT = 60.0


def main(arguments: Sequence[str]) -> None:
    """Measure and write the row."""
    parser = argparse.ArgumentParser(prog="python -m bench.maps.elsewhere", description=__doc__)
    parser.add_argument("bundle", help="what `make maps ARGS='--bundle FILE'` has written")
    parser.add_argument(
        "--platform", default="", help="a part of the platform's name; default: the first one"
    )
    parser.add_argument("--name", required=True, help="what people call the platform, for --platform")
    parser.add_argument("--scale", type=int, default=1, help="so many times as many work-items (GPUs: 16)")
    parser.add_argument("--record", required=True, help="where the row is written")
    parser.add_argument("--cores", type=int, default=1, help="how many cores a CPU uses, 0 for all (1)")
    options = parser.parse_args(arguments)
    bundle = json.loads(Path(options.bundle).read_text())

    def begin(label: str) -> None:
        print(label, file=sys.stderr, flush=True)

    with on_cores(options.cores):
        started = PlatformProcess(options.platform, os.environ, _LIMIT)
    with tempfile.TemporaryDirectory(prefix="weft-maps-") as folder, started as process:
        maps = Maps(process, bundle, Path(folder), options.scale, begin)
        Path(options.record).write_text(json.dumps(maps.row(options.name), indent=1))
    for line in maps.failed:
        print(line, file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
