"""Measures Weft and compares it with the other OpenCL implementations for CPUs; needs a checkout.

`make bench` runs `python -m bench`. Its data flows `families` (what is measured) -> `worker` (a process per
platform) -> `drive` (the parent, which takes samples in turn) -> `outcome` (best times, ratios, goals) ->
`table`, `chart`, `record`. The packages `divergence`, `presburger` and `host` and the programs
`compile_time`, `ir_speed` and `proof_cost` are studies of their own.
"""
