"""Repeats the measurements of the paper on Presburger arithmetic in memory access optimization."""
