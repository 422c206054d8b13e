"""Measures a bundle on a machine without Weft: `python -m bench.maps.elsewhere BUNDLE --record FILE`."""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from bench.maps.measuring import Maps
from weft.source.worker_process import PlatformProcess

_LIMIT = 60.0


def main() -> None:
    """Measure and write the row."""
    parser = argparse.ArgumentParser(prog="python -m bench.maps.elsewhere", description=__doc__)
    parser.add_argument("bundle", help="what `make maps ARGS='--bundle FILE'` has written")
    parser.add_argument(
        "--platform", default="", help="a part of the platform's name; default: the first one"
    )
    parser.add_argument("--name", required=True, help="what people call the platform, for --platform")
    parser.add_argument("--scale", type=int, default=1, help="so many times as many work-items (GPUs: 16)")
    parser.add_argument("--record", required=True, help="where the row is written")
    given = parser.parse_args()
    bundle = json.loads(Path(given.bundle).read_text())

    def begin(label: str) -> None:
        print(label, file=sys.stderr, flush=True)

    with (
        tempfile.TemporaryDirectory(prefix="weft-maps-") as folder,
        PlatformProcess(given.platform, os.environ, _LIMIT) as process,
    ):
        maps = Maps(process, bundle, Path(folder), given.scale, begin)
        Path(given.record).write_text(json.dumps(maps.row(given.name), indent=1))
    print("\n".join(maps.failed), file=sys.stderr)


if __name__ == "__main__":
    main()
