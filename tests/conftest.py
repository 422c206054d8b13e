"""Kernels are compiled at their best from the start, and must be, wherever a test does not say otherwise."""

import os

os.environ.setdefault("WEFT_TIERS", "0")
os.environ.setdefault("WEFT_VERIFY", "faults")
