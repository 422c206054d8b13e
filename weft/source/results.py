"""Compare the outputs of two kernels, up to rounding."""

import numpy as np

# Tolerances by element size: relative to the number, and to the largest number of the buffer.
_TOLERANCES = {2: (4e-3, 4e-3), 4: (1e-4, 1e-5), 8: (1e-10, 1e-12)}


def difference(expected: np.ndarray, found: np.ndarray) -> str:
    """Describe where results differ by more than rounding; empty if they do not."""
    if expected.dtype.kind != "f":
        wrong = expected != found
    else:
        relative, absolute = _TOLERANCES[expected.dtype.itemsize]
        a, b = expected.astype(np.float64), found.astype(np.float64)
        finite = np.isfinite(a)
        largest = np.abs(a[finite]).max(initial=0.0)
        with np.errstate(invalid="ignore"):
            close = np.abs(a - b) <= relative * np.abs(a) + absolute * largest
        wrong = ~(close | (a == b) | (np.isnan(a) & np.isnan(b)))
    if not wrong.any():
        return ""
    at = int(np.argmax(wrong))
    return f"differs in {int(wrong.sum())} elements, first [{at}]: {found[at]} instead of {expected[at]}"
