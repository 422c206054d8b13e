"""Proofs about the addresses of a block of lanes, in machine arithmetic.

Terms (`terms.py`) express the addresses of loads and stores in the lane number, uniform inputs and constants.
`decide.py` classifies them and finds conditions; docs/smt.md describes how. The compiler uses only the
top-level modules. `studies/` has slower procedures, which the compiler does not use.
"""
