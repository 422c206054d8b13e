"""Measures how times grow with the range, the kernel's length and the work-group: `python -m
bench.scaling`."""
