"""Kernels are compiled at their best from the start, wherever a test does not say otherwise."""

import os

os.environ.setdefault("WEFT_TIERS", "0")
