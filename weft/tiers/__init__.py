"""Two tiers of code: a kernel's first launches run code that took less time to compile, later ones the best.

The best code takes several times as long to compile as the first. It is made for kernels that are used, by a
process of its own, and takes over from one work-group to the next (`weft/codegen/tier_entry.py`).
"""
