"""Decide SMT-LIB problems with Z3, which is optional: the compiler does not need it."""

import re
import time
from typing import Any

from weft.dataclasses import dataclass, field
from weft.errors import WeftError


class NoSolver(WeftError):
    """Z3 is not installed."""


@dataclass(frozen=True)
class Decision:
    """The result of Z3: `sat`, `unsat`, `unknown` or `timeout`; the model for `sat`; processor time."""

    answer: str
    seconds: float
    model: dict[str, int] = field(default_factory=dict)


def is_available() -> bool:
    """Return whether Z3 can be imported."""
    try:
        _z3()
    except NoSolver:
        return False
    return True


def version() -> str:
    """Return the version of Z3."""
    return str(_z3().get_version_string())


def _z3() -> Any:
    # Imported here: it takes 0.3 s and 30 MB, and most commands do not use it.
    try:
        import z3
    except ImportError as error:
        raise NoSolver("Z3 is not installed: pip install 'weft[smt]'") from error
    return z3


def decide(problem: str, limit_ms: int = 60_000) -> Decision:
    """Run Z3 on a problem; after `limit_ms` the answer is `timeout`."""
    z3 = _z3()
    start = time.thread_time()
    solver = z3.Solver()
    solver.set("timeout", limit_ms)
    solver.from_string(re.sub(r"\((set-logic [^)]*|check-sat)\)", "", problem))
    answer = solver.check()
    spent = time.thread_time() - start
    if answer == z3.sat:
        model = solver.model()
        values = {d.name(): model[d].as_long() for d in model.decls() if hasattr(model[d], "as_long")}
        return Decision("sat", spent, values)
    if answer == z3.unsat:
        return Decision("unsat", spent)
    reason = solver.reason_unknown()
    return Decision("timeout" if "timeout" in reason or "cancel" in reason else "unknown", spent)
