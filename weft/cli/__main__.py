"""`python -m weft.cli`, for environments whose scripts are not on the path."""

import sys

from weft.cli.main import main

sys.exit(main())
