"""What only `weft consecutive`, `weft explain` and `make presburger` use: no kernel is compiled with it.

These procedures take their time: integers without bounds and modulo elimination (`integers.py`,
`presburger.py`), one period of a term (`period.py`), a search for counterexamples (`search.py`), every value
of an input (`ranges.py`, `synthesis.py`), SMT-LIB problems and Z3 (`smtlib.py`, `z3_solver.py`).
`thorough.py` runs them in turn.
"""
