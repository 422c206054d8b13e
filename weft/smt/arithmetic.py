"""The machine's arithmetic on single numbers modulo 2^width, kept as integers that are not negative."""

from collections.abc import Iterable, Sequence


def signed(value: int, width: int) -> int:
    """A number modulo 2^width as two's complement."""
    return value - (1 << width) if value >> (width - 1) else value


def compared(predicate: str, width: int, a: int, b: int) -> bool:
    """The truth of a comparison of two numbers that are not negative."""
    if predicate[0] == "s":
        a, b = signed(a, width), signed(b, width)
    match predicate[-2:]:
        case "eq":
            return a == b
        case "ne":
            return a != b
        case "lt":
            return a < b
        case "le":
            return a <= b
        case "gt":
            return a > b
    return a >= b


def apply(op: str, width: int, numbers: Sequence[int], source_width: int = 0) -> int | None:
    """An operation on numbers, as the machine does it; None where the IR leaves it undefined."""
    size = 1 << width
    a, b = numbers[0], numbers[-1]
    match op:
        case "add":
            return (a + b) % size
        case "sub":
            return (a - b) % size
        case "mul":
            return (a * b) % size
        case "and":
            return a & b
        case "or":
            return a | b
        case "xor":
            return a ^ b
        case "shl":
            return (a << b) % size if b < width else None
        case "lshr":
            return a >> b if b < width else None
        case "ashr":
            return (signed(a, width) >> b) % size if b < width else None
        case "udiv":
            return a // b if b else None
        case "urem":
            return a % b if b else None
        case "sdiv" | "srem":
            return _signed_division(op, width, a, b)
        case "umin":
            return min(a, b)
        case "umax":
            return max(a, b)
        case "smin" | "smax":
            first = signed(a, width) < signed(b, width)
            return a if first == (op == "smin") else b
        case "zext" | "trunc":
            return a % size
        case "sext":
            return signed(a, source_width) % size
        case "select":
            return numbers[1] if a else b
    raise AssertionError(op)


def _signed_division(op: str, width: int, a: int, b: int) -> int | None:
    x, y = signed(a, width), signed(b, width)
    if y == 0 or (y == -1 and a == 1 << (width - 1)):
        return None
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return (quotient if op == "sdiv" else x - y * quotient) % (1 << width)


def keeps_promises(
    op: str, flags: Iterable[str], width: int, source: int, numbers: Sequence[int], result: int
) -> bool:
    """Whether an operation on numbers of `source` bits does what its flags say."""
    a, b = numbers[0], numbers[-1]
    for flag in flags:
        match flag:
            case "nuw":
                kept = _exact(op, a, b) == result
            case "nsw":
                second = b if op == "shl" else signed(b, source)
                kept = _exact(op, signed(a, source), second) == signed(result, width)
            case "nneg":
                kept = signed(a, source) >= 0
            case "disjoint":
                kept = a & b == 0
            case "exact" if op in ("lshr", "ashr"):
                kept = a % (1 << b) == 0
            case "exact":
                kept = signed(a, source) % signed(b, source) == 0 if op == "sdiv" else a % b == 0
            case _:
                kept = True
        if not kept:
            return False
    return True


def _exact(op: str, a: int, b: int) -> int:
    match op:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "shl":
            return a << b
    return a  # trunc
