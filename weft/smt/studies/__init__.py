"""Slower decision procedures for `weft consecutive`, `weft explain` and `make presburger`.

The compiler does not use them: unbounded integers and modulo elimination (`integers.py`, `presburger.py`),
one period of a term (`period.py`), a search for counterexamples (`search.py`), every value of an input
(`ranges.py`, `synthesis.py`), SMT-LIB problems and Z3 (`smtlib.py`, `z3_solver.py`). `thorough.py` runs them
in turn.
"""
