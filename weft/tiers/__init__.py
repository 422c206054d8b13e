"""Two tiers of code: the first launches of a kernel run what is compiled quickly, later ones optimized code.

Optimized code takes several times as long to compile as baseline code. It is compiled for kernels that are
used, by a process of its own, and takes over from one work-group to the next (`weft/codegen/tier_entry.py`).
`tiered_code.py` has the states and transitions.
"""
