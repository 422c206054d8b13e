"""Compares Weft with the other OpenCL implementations for CPUs of a machine: `weft bench`.

The data flows `families` (what is measured) -> `worker` (a process per platform) -> `drive` (the parent that
takes samples turn by turn) -> `outcome` (best times, ratios, goals) -> `table`, `chart`, `record`.
"""
