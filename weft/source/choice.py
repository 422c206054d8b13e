"""Choose how to rewrite each kernel of a program for a device: the MAPer of CLVectorizer, section 5.

The device table gives the bandwidth for each pattern, method and factor (`devices.py`). The estimated time of
a kernel is the sum of bytes / bandwidth over its accesses, plus its calls of math functions. An access in a
loop counts `LOOP` times, or the trip count if the loop is small and unrolled. The pattern with the smallest
gain limits the total gain (section 4.1), unless its share of the time is below `MINOR`.

Candidates are tried in order of expected gain; if the rewriter refuses one, the next is tried, and the reason
is reported. The expected gain must be at least `MARGIN`, because the table was measured on small kernels with
one pattern each, and a slowdown is worse than no change. The expected loss with either type of ids must be at
most `LOSS`: a gain with only one type stems from a weakness of the compiler, whose effect on a kernel depends
on more than its patterns. The table does not cover sequential lanes, so candidates with such code are not
chosen.
"""

from collections.abc import Iterator, Sequence

from weft.compiler.build_program import compile_program
from weft.dataclasses import dataclass, replace
from weft.frontend.options import BuildOptions
from weft.source.builtin_calls import TRANSCENDENTAL
from weft.source.devices import MATH, NAIVE, RS, Candidate, Device, find
from weft.source.model import Function, Node, Source, parse
from weft.source.patterns import CS, FOCUSED, NONE, RF, Access, patterns
from weft.source.refusal import Refused, SourceError
from weft.source.rewrite import Request, Rewritten, vectorize
from weft.source.shapes import LOOPS

FACTORS = (2, 4, 8, 16)
# Factors of both methods together: larger ones need more registers than there are.
_BOTH = (2, 4)
# Assumed trip count of a loop.
LOOP = 32
# Minimum expected gain of a candidate, and maximum expected loss with either type of ids.
MARGIN = 1.20
LOSS = 1.03
# A pattern with a smaller share of the time does not limit the gain.
MINOR = 0.2
# Among candidates that are nearly as fast as the best, the one with the smallest factor is chosen.
_NEARLY = 1.03
_FLOAT = 4
_MOST_CALLS = 1 << 40


@dataclass(frozen=True)
class Use:
    """A cost in a kernel: its row of the table, its bytes, and a description.

    `looped`: it is in a loop. `buffer` is the buffer that it accesses.
    """

    row: str
    weight: int
    looped: bool
    words: str
    buffer: str = ""


@dataclass(frozen=True)
class Dropped:
    """A candidate with a good expected gain that is not chosen, with the reason."""

    candidate: Candidate
    reason: str


@dataclass(frozen=True)
class KernelChoice:
    """The choice for a kernel. `gain` is its expected speed-up; `expected`, those of all candidates.

    `columns` are buffers that should be transposed; `transposed` is the expected speed-up with that.
    """

    kernel: str
    candidate: Candidate
    gain: float = 1.0
    uses: tuple[Use, ...] = ()
    expected: tuple[tuple[Candidate, float], ...] = ()
    dropped: tuple[Dropped, ...] = ()
    columns: tuple[str, ...] = ()
    transposed: float = 1.0


@dataclass(frozen=True)
class Choice:
    """The choices for the kernels of a program, and the program rewritten accordingly.

    `row` describes how well the row of the table fits the device.
    """

    device: Device
    row: str
    kernels: tuple[KernelChoice, ...]
    rewritten: Rewritten

    def lines(self) -> Iterator[str]:
        """Yield the explanation as text."""
        for one in self.kernels:
            yield from _explained(one, self.device)
        yield f"by the table's row for {self.device} ({self.row})"


def choose(
    text: str,
    options: BuildOptions,
    platform: str = "weft",
    *,
    file: str = "<kernel>.cl",
    kernels: Sequence[str] = (),
    fast_math: bool = False,
    exact: bool = False,
) -> Choice:
    """Choose for each kernel by its patterns and the device's row, and rewrite the program."""
    device, row = find(platform)
    base = Request(exact=exact, fast_math=fast_math)
    chosen = []
    for name, uses in uses_of(text, options, file, kernels).items():
        chosen.append(_choice(text, options, file, request_for(base, name, NAIVE), uses, device))
    return Choice(device, row, tuple(chosen), rewrite(text, options, file, base, chosen))


def rewrite(
    text: str, options: BuildOptions, file: str, base: Request, chosen: Sequence[KernelChoice]
) -> Rewritten:
    """Rewrite each kernel of a program as chosen."""
    rewritten = Rewritten(text)
    # Start with the last kernel, so that the line numbers of earlier ones stay valid.
    for one in reversed(chosen):
        if one.candidate.method:
            new = vectorize(rewritten.text, options, file, request_for(base, one.kernel, one.candidate))
            rewritten = Rewritten(
                new.text,
                new.merged + rewritten.merged,
                new.unrolled + rewritten.unrolled,
                new.not_rewritten + rewritten.not_rewritten,
            )
    return rewritten


def request_for(base: Request, kernel: str, candidate: Candidate) -> Request:
    """Return the request for a candidate of a kernel."""
    return replace(base, kernels=(kernel,), inter=candidate.inter, intra=candidate.intra)


def candidates(loops: bool) -> list[Candidate]:
    """Return all candidates for a kernel, without and with loops."""
    result = [Candidate(inter=f) for f in FACTORS]
    if loops:
        result += [Candidate(intra=f) for f in FACTORS] + [Candidate(f, f) for f in _BOTH]
    return result


def expected(uses: Sequence[Use], device: Device) -> dict[Candidate, float]:
    """Return the expected gain of each candidate that the table covers."""
    gains = {}
    for candidate in candidates(any(u.looped for u in uses)):
        gain = _gain(uses, device, candidate)
        if gain is not None:
            gains[candidate] = gain
    return gains


def _gain(uses: Sequence[Use], device: Device, candidate: Candidate, least: bool = False) -> float | None:
    """Return the gain of a candidate, or with `least` the smallest gain of all id types; None if the table
    lacks it."""
    accesses = [u for u in uses if u.row != MATH]
    calls = [u for u in uses if u.row == MATH]
    memory, new = _time(accesses, device, NAIVE), _time(accesses, device, candidate, least)
    math, new_math = _time(calls, device, NAIVE), _time(calls, device, candidate, least)
    if memory is None or new is None or math is None or new_math is None or not memory + math:
        return None
    for row in {u.row for u in accesses}:
        same = [u for u in accesses if u.row == row]
        before, after = _time(same, device, NAIVE), _time(same, device, candidate, least)
        if before and after and before >= MINOR * memory:
            new = max(new, memory * after / before)
    return (memory + math) / (new + new_math)


def _choice(
    text: str, options: BuildOptions, file: str, base: Request, uses: Sequence[Use], device: Device
) -> KernelChoice:
    (kernel,) = base.kernels
    gains = expected(uses, device)
    by_gain = sorted(gains, key=lambda c: -gains[c])
    dropped: list[Dropped] = []
    chosen, gain = NAIVE, 1.0
    waiting = [candidate for candidate in by_gain if gains[candidate] >= MARGIN]
    while waiting and chosen == NAIVE:
        near = [c for c in waiting if gains[c] * _NEARLY >= gains[waiting[0]]]
        candidate = min(near, key=lambda c: (max(c.inter, c.intra), c.method != "eV", c.intra))
        waiting.remove(candidate)
        least = _gain(uses, device, candidate, least=True) or 0.0
        reason = f"with ids of the other type the expected speed-up is {least:.2f}"
        if least * LOSS >= 1:
            reason = _refusal(text, options, file, request_for(base, kernel, candidate))
        if reason:
            dropped.append(Dropped(candidate, reason))
        else:
            chosen, gain = candidate, gains[candidate]
    choice = KernelChoice(
        kernel, chosen, gain, tuple(uses), tuple((c, gains[c]) for c in by_gain), tuple(dropped)
    )
    columns = column_buffers(uses)
    transposed = _transposed(uses, device, base.fast_math) if columns else 0.0
    return replace(choice, columns=columns, transposed=transposed) if transposed > gain * MARGIN else choice


def _refusal(text: str, options: BuildOptions, file: str, request: Request) -> str:
    """Return why a candidate cannot be chosen; empty if it can."""
    try:
        rewritten = vectorize(text, options, file, request)
    except (Refused, SourceError) as error:
        return str(error)
    serial = [
        *(s for m in rewritten.merged for s in m.serial),
        *(s for u in rewritten.unrolled for s in u.serial),
    ]
    for line, reason in serial[:1]:
        return f"{file}:{line}: lanes would run one after another: {reason}"
    return ""


def column_buffers(uses: Sequence[Use]) -> tuple[str, ...]:
    """Return the buffers whose columns work-items access."""
    return tuple(sorted({u.buffer for u in uses if u.row == CS}))


def _transposed(uses: Sequence[Use], device: Device, fast_math: bool) -> float:
    """Return the expected speed-up with transposed columns, for the best candidate or none."""
    changed = [replace(u, row=RS) if u.row == CS else u for u in uses]
    before, after = _time(uses, device, NAIVE), _time(changed, device, NAIVE)
    if not before or not after:
        return 0.0
    gains = [g for c, g in expected(changed, device).items() if fast_math or not c.intra]
    return before / after * max([1.0, *gains])


# Costs


def uses_of(
    text: str, options: BuildOptions, file: str, kernels: Sequence[str] = ()
) -> dict[str, tuple[Use, ...]]:
    """Return the costs of kernels: accesses to memory and calls of math functions."""
    source = parse(text, options, file)
    wanted = source.kernels(list(kernels))
    program = compile_program(text, options, debug_info=True)
    codes = {code.info.name: code for code in program.kernels}
    uses = {}
    for kernel in wanted:
        code = codes[kernel.name]
        accesses = [_use(a) for a in patterns(code, code.info.reqd_work_group_size)]
        uses[kernel.name] = (*accesses, *_calls(source, kernel))
    return uses


def _use(access: Access) -> Use:
    row = access.pattern
    if row == NONE:
        row = RF if access.neighbours == FOCUSED else RS
    weight = access.copies * LOOP**access.loops * access.element
    measured_as = f" as {row}" if row != access.pattern else ""
    place, what = f"{access.line}:{access.column}", f"{access.object}[{access.index}]"
    words = f"{place}  {access.pattern}{measured_as}, {access.kind} {what}"
    return Use(row, weight, access.loops > 0 or access.copies > 1, words, access.object)


def _calls(source: Source, kernel: Function) -> Iterator[Use]:
    """Yield the calls of math functions in a kernel and in the functions that it calls."""
    own: dict[str, list[tuple[str, int]]] = {}
    looped = False
    for function in source.functions.values():
        callees = own.setdefault(function.name, [])
        stack: list[tuple[Node, int]] = [(function.body, 0)]
        while stack:
            node, depth = stack.pop()
            if node.kind == "CALL_EXPR":
                callees.append((node.name, LOOP**depth))
                looped = looped or (depth > 0 and node.name in TRANSCENDENTAL)
            deeper = depth + (node.kind in LOOPS)
            stack += [(below, deeper) for below in node.children]
    count = dict.fromkeys(own, 0)
    # Iterate as often as calls can nest; this also terminates for recursion, which is an error.
    for _ in own:
        for name, calls in own.items():
            times = (times * (callee in TRANSCENDENTAL or count.get(callee, 0)) for callee, times in calls)
            count[name] = min(sum(times), _MOST_CALLS)
    total = count[kernel.name]
    if total:
        yield Use(MATH, total * _FLOAT, looped, f"{MATH}, {total} calls of mathematical functions")


def _time(uses: Sequence[Use], device: Device, candidate: Candidate, least: bool = False) -> float | None:
    """Return the estimated time of a work-item in nanoseconds; None if the table has no row for it."""
    total = 0.0
    for use in uses:
        time = device.time(use.row, candidate, use.looped, least)
        if time is None:
            return None
        total += use.weight * time
    return total


# Text


def _explained(one: KernelChoice, device: Device) -> Iterator[str]:
    if one.candidate != NAIVE:
        yield f"{one.kernel}: {one.candidate}, expected to be {one.gain:.2f} times as fast"
    elif not one.uses:
        yield f"{one.kernel}: left as it is: it has no accesses to memory that work-items share"
    else:
        best = f" (best: {one.expected[0][0]}, {one.expected[0][1]:.2f})" if one.expected else ""
        but = " and can be taken" if one.dropped else ""
        yield f"{one.kernel}: left as it is: nothing is expected to gain {MARGIN - 1:.0%}{but}{best}"
    shown = one.candidate if one.candidate != NAIVE else one.expected[0][0] if one.expected else NAIVE
    total = _time(one.uses, device, NAIVE) or 1.0
    for use in one.uses:
        before, after = device.time(use.row, NAIVE, use.looped), device.time(use.row, shown, use.looped)
        if before and after:
            share = 100 * use.weight * before / total
            yield f"  {use.words}: {share:.0f} % of the time, {shown} gains {before / after:.2f}"
    for dropped in one.dropped:
        yield f"  not {dropped.candidate}: {dropped.reason}"
    if one.columns:
        names = ", ".join(one.columns)
        yield (
            f"  a work-item accesses columns of {names}: transposed, {one.transposed:.2f} times as "
            f"fast is expected; --layout rewrites the indices"
        )
