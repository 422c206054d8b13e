"""`python -m bench`."""

import sys

from bench.platforms import ROOT, find_platforms
from weft.bench.run import main

sys.exit(main(sys.argv[1:], find_platforms, ROOT / "bench" / "results", "python -m bench"))
