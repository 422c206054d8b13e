"""Measures Weft in its source tree: `python -m bench` is `weft bench` with peers of its own."""
