"""Compares Weft with the other OpenCL implementations for CPUs of this machine: `python -m bench`.

The data flows `families` (what is measured) -> `worker` (a process per platform) -> `drive` (the parent that
takes samples turn by turn) -> `report` (table and JSON file).
"""
