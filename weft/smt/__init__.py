"""Machine integers across lanes: where the addresses of a block of work-items lie, proved.

Terms (`terms.py`) are the addresses of loads and stores over the lane's number, inputs that all lanes share,
and constants. `decide.py` classifies them and finds conditions; docs/smt.md says how. The modules of this
folder are what the compiler uses. `studies/` has the slower procedures, which no kernel is compiled with.
"""
