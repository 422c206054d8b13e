"""Convert machine terms to integer expressions, in signed or unsigned interpretation.

Machine arithmetic is integer arithmetic where nothing wraps. Where flags or ranges exclude wrap-around,
operations become integer operations; elsewhere the remainder modulo 2^width is explicit. Truncating division
becomes that of SMT-LIB, with a case distinction if the dividend may be negative. So the result is exact under
the facts. Bit operations are limited to masks of low bits and constants.
"""

from weft.integers import signed

from ..blocks import Block
from ..facts import Facts
from ..solve import Solver
from ..terms import Term, constant
from .integers import Comparison, Poly, choice, div, mod, number, power, variable

# A comparison as `<` or `<=`: the operator, and whether the operands are swapped.
_ORDERS = {"lt": ("<", False), "le": ("<=", False), "gt": ("<", True), "ge": ("<=", True)}


LANE_NAME = "t"


class NotPresburger(Exception):
    """An operation that integers cannot express; the message names it."""


class Integers:
    """Translates terms for the lanes of a block under facts.

    `promises` collects what flags guarantee: (expression, least, greatest). `ideal` ignores wrap-around and
    negative numbers, for a readable form of the term.
    """

    def __init__(self, lanes: range, facts: Facts, ideal: bool = False) -> None:
        self.solver, self.facts, self.ideal = Solver(lanes, facts), facts, ideal
        self.promises: dict[tuple[Poly, int, int], None] = {}
        self._read: dict[tuple[Term, bool], Poly] = {}
        # depth in operands of selects: an operand that is not selected need not satisfy its flags
        self._aside = 0

    def read(self, term: Term, with_sign: bool = False) -> Poly:
        """Return the integer that a term denotes in signed or unsigned interpretation; the lane's number is
        `t`."""
        key = (term, with_sign)
        poly = self._read.get(key)
        if poly is None:
            poly = self._read[key] = self._translated(term, with_sign)
        return poly

    def _translated(self, term: Term, with_sign: bool) -> Poly:
        width, block = term.width, self.solver.of(term)
        if term.constant is not None:
            return number(signed(term.constant, width) if with_sign or self.ideal else term.constant)
        if term.op == "lane":
            return self._wrapped(variable(LANE_NAME), block, with_sign, 0, max(self.solver.lanes))
        if term.op == "input":
            return self._sign_changed(variable(term.key), block, width, True, with_sign)
        if term.op in ("add", "sub", "mul", "shl"):
            return self._sum_or_product(term, block, with_sign)
        natural, sign = self._natural(term, with_sign)
        return self._sign_changed(natural, block, width, not sign, with_sign)

    # Conversion between signed and unsigned interpretation

    def _sign_changed(self, poly: Poly, block: Block, width: int, is_unsigned: bool, with_sign: bool) -> Poly:
        if is_unsigned != with_sign or self.ideal:  # the interpretation does not change
            return poly
        half, size = 1 << width >> 1, 1 << width
        if is_unsigned:
            if block.high < half:
                return poly
            if block.low >= half:
                return poly - number(size)
            return choice(Comparison("<", poly, number(half)), poly, poly - number(size))
        if block.signed_low >= 0:
            return poly
        if block.signed_high < 0:
            return poly + number(size)
        return choice(Comparison("<", poly, number(0)), poly + number(size), poly)

    def _wrapped(self, poly: Poly, block: Block, with_sign: bool, low: int, high: int) -> Poly:
        """Wrap an integer from a given range to the width of the block."""
        if self.ideal:
            return poly
        size, half = 1 << block.width, 1 << block.width >> 1
        if with_sign:
            if -half <= low and high < half:
                return poly
            return mod(poly + number(half), number(size)) - number(half)
        return poly if low >= 0 and high < size else mod(poly, number(size))

    # Operations

    def _sum_or_product(self, term: Term, block: Block, with_sign: bool) -> Poly:
        """Translate exactly if flags or ranges exclude wrap-around in either interpretation."""
        flags = term.flags if self.facts.flags else frozenset[str]()
        for sign in (with_sign, not with_sign):
            exact = self._integer(term, sign)
            if exact is None:
                continue
            poly, low, high = exact
            size, half = 1 << term.width, 1 << term.width >> 1
            least, most = (-half, half - 1) if sign else (0, size - 1)
            fits = least <= low and high <= most
            if fits or ("nsw" if sign else "nuw") in flags:
                if not fits and not self._aside:
                    self.promises[poly, least, most] = None
                return self._sign_changed(poly, block, term.width, not sign, with_sign)
        translated = self._integer(term, with_sign)
        if translated is None:
            raise NotPresburger("a shift by an unknown number")
        return self._wrapped(translated[0], block, with_sign, translated[1], translated[2])

    def _integer(self, term: Term, sign: bool) -> tuple[Poly, int, int] | None:
        """Return a sum or product over the integers, with its least and greatest value."""
        a, b = term.args
        x, one = self.read(a, sign), self._ends(a, sign)
        if term.op == "shl":
            least, most = self._ends(b, False)
            factor = power(self.read(b, False))
            ends = [e << s for e in one for s in (least, min(most, term.width - 1))]
            return x * factor, min(ends), max(ends)
        y, other = self.read(b, sign), self._ends(b, sign)
        if term.op == "mul":
            ends = [p * q for p in one for q in other]
            return x * y, min(ends), max(ends)
        if term.op == "sub":
            return x - y, one[0] - other[1], one[1] - other[0]
        return x + y, one[0] + other[0], one[1] + other[1]

    def _ends(self, term: Term, with_sign: bool) -> tuple[int, int]:
        block = self.solver.of(term)
        return (block.signed_low, block.signed_high) if with_sign else (block.low, block.high)

    def _natural(self, term: Term, with_sign: bool) -> tuple[Poly, bool]:
        """Return the integer in the interpretation that the operation uses, and whether that is signed."""
        op, args = term.op, term.args
        match op:
            case "zext":
                return self.read(args[0], False), False
            case "sext":
                return self.read(args[0], True), True
            case "trunc":
                low, high = self._ends(args[0], with_sign)
                poly = self.read(args[0], with_sign)
                return self._wrapped(poly, self.solver.of(term), with_sign, low, high), with_sign
            case "udiv" | "urem":
                if op == "urem" and self.solver.of(args[0]).high < self.solver.of(args[1]).low:
                    return self.read(args[0], False), False
                divide = div if op == "udiv" else mod
                return divide(self.read(args[0], False), self.read(args[1], False)), False
            case "sdiv" | "srem":
                return self._signed_division(term), True
            case "lshr":
                return div(self.read(args[0], False), power(self.read(args[1], False))), False
            case "ashr":
                return div(self.read(args[0], True), power(self.read(args[1], False))), True
            case "and" | "or" | "xor":
                return self._bits(term), False
            case "select":
                self._aside += 1
                yes, no = (self.read(a, with_sign) for a in args[1:])
                self._aside -= 1
                return self._chosen(args[0], yes, no), with_sign
            case "umin" | "umax" | "smin" | "smax":
                sign = op[0] == "s"
                a, b = (self.read(x, sign) for x in args)
                first = Comparison("<=", a, b)
                return (choice(first, a, b) if op[1:] == "min" else choice(first, b, a)), sign
            case "icmp":
                return self._chosen(term, number(1), number(0)), False
        raise NotPresburger(f"the operation {op}")

    def _signed_division(self, term: Term) -> Poly:
        a, b = term.args
        x, y = self.read(a, True), self.read(b, True)
        divide = div if term.op == "sdiv" else mod
        block = self.solver.of(a)
        if block.signed_low >= 0 or self.ideal:
            return divide(x, y)
        # Truncating division: negate the quotient, or remainder, of the absolute value.
        negative = -divide(-x, y)
        if block.signed_high < 0:
            return negative
        return choice(Comparison("<", x, number(0)), negative, divide(x, y))

    def _chosen(self, condition: Term, yes: Poly, no: Poly) -> Poly:
        known = condition.constant
        if known is not None:
            return yes if known else no
        if condition.op != "icmp":
            return choice(Comparison("=", self.read(condition), number(1)), yes, no)
        predicate = str(condition.data)
        sign = predicate[0] == "s"
        a, b = (self.read(x, sign) for x in condition.args)
        if predicate in ("eq", "ne"):
            test = Comparison("=", a, b)
            return choice(test, yes, no) if predicate == "eq" else choice(test, no, yes)
        op, swapped = _ORDERS[predicate[1:]]
        return choice(Comparison(op, b, a) if swapped else Comparison(op, a, b), yes, no)

    # Bits

    def _bits(self, term: Term) -> Poly:
        op, (a, b) = term.op, term.args
        if op == "or" and "disjoint" in term.flags and self.facts.flags:
            return self.read(a) + self.read(b)
        for value, mask in ((a, b), (b, a)):
            shift = _low_mask(mask) if op == "and" else None
            if shift is not None:
                if mask.constant is not None and self._ends(value, False)[1] <= mask.constant:
                    return self.read(value)
                return mod(self.read(value), power(self.read(shift)))
            if mask.constant is not None:
                return self._with_constant(op, self.read(value), mask.constant, term.width)
        raise NotPresburger(f"{op} of two unknown numbers")

    @staticmethod
    def _with_constant(op: str, x: Poly, mask: int, width: int) -> Poly:
        """Translate each run of ones in the mask separately: its bits of x are a remainder of a quotient."""
        if op == "and" and (cleared := (1 << width) - 1 - mask) & (cleared + 1) == 0:
            return x - mod(x, number(cleared + 1))
        result = number(0) if op == "and" else x
        for low, high in _runs(mask):
            run = number((1 << high) - (1 << low))
            bits = number(1 << low) * mod(div(x, number(1 << low)), number(1 << (high - low)))
            if op == "and":
                result = result + bits
            elif op == "or":
                result = result + run - bits
            else:
                result = result + run - bits - bits
        return result


def _low_mask(term: Term) -> Term | None:
    """Return k of a term that is 2^k - 1."""
    number = term.constant
    if number is not None:
        return constant((number + 1).bit_length() - 1, term.width) if number & (number + 1) == 0 else None
    if term.op == "add" and term.args[1] == constant(-1, term.width):
        shifted = term.args[0]
        if shifted.op == "shl" and shifted.args[0].constant == 1:
            return shifted.args[1]
    if term.op == "xor" and term.args[1] == constant(-1, term.width):
        shifted = term.args[0]
        if shifted.op == "shl" and shifted.args[0] == constant(-1, term.width):
            return shifted.args[1]
    return None


def _runs(mask: int) -> list[tuple[int, int]]:
    """Return the runs of ones in a number, as [low, high)."""
    runs = []
    low = 0
    while mask >> low:
        low += ((mask >> low) & -(mask >> low)).bit_length() - 1
        length = (~(mask >> low) & -~(mask >> low)).bit_length() - 1
        runs.append((low, low + length))
        low += length
    return runs
