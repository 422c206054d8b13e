"""Two tiers of code: quickly compiled baseline code first, then optimized code.

Optimized code takes several times as long to compile as baseline code. A separate process compiles it for
kernels that run, and it takes over at the next work-group (`weft/codegen/tier_entry.py`). `tiered_code.py`
has the states and transitions.
"""
