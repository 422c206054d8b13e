"""Sizes as command-line arguments."""

import argparse

from weft.kernel import LocalSize


def read_size(text: str) -> LocalSize:
    """Parse `8,8`; missing dimensions are 1."""
    x, y, z = (*read_sizes(text), 1, 1)[:3]
    return x, y, z


def read_sizes(text: str) -> tuple[int, ...]:
    """Parse `8,8` to as many dimensions as there are numbers."""
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        raise argparse.ArgumentTypeError(
            f"expected one to three positive numbers separated by commas, got {text!r}"
        )
    return tuple(sizes)
