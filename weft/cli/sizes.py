"""Sizes as words of a command line."""

import argparse

from weft.kernel import LocalSize


def read_size(text: str) -> LocalSize:
    """Read `8,8`; missing dimensions are 1."""
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        raise argparse.ArgumentTypeError(
            f"expected one to three positive numbers separated by commas, got {text!r}"
        )
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z
