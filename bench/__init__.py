"""Benchmark Weft and compare it with other OpenCL implementations for CPUs; requires a checkout.

`make bench` runs `python -m bench`. Data flows from `families` (the benchmarks) through `worker` (one process
per platform), `drive` (the parent, which interleaves samples) and `outcome` (best times, ratios, goals) to
`table`, `chart` and `record`. The packages `divergence`, `presburger` and `host` and the programs
`compile_time`, `ir_speed` and `proof_cost` are separate studies.
"""
