"""Machine integers across lanes: where the addresses of a block of work-items lie, proved.

Terms (`terms.py`) are the addresses of loads and stores over the lane's number, inputs that all lanes share,
and constants. `decide.py` answers questions about them; the page docs/smt.md says how.
"""
