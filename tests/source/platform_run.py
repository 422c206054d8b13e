"""Kernels before and after rewriting on every OpenCL platform of this machine.

    python tests/source/platform_run.py --kernels --random 300 --seed 7 --out findings

`--kernels` takes the files of the kernel tests, `--random` so many random kernels (`source_kernels.py`),
several in one program, and `--fuzz` so many of those that the compiler is tested with, most of which are
refused. Each is rewritten by eV and by iV, or by both; what comes out must be what the kernel gave before
on the same platform: integers bit by bit, floats within the file's limit (by iV within 1e-4, as sums are
reassociated). Refusals are counted with their reasons. A driver that ends its process is started again, the
kernel runs once more alone, and is written to a file.
"""

import argparse
import copy
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "kernels"))
sys.path.insert(0, str(Path(__file__).parent.parent / "fuzz"))
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from fuzz_kernel import kernel_cases
from fuzz_peer_worker import PeerLaunch
from fuzz_peers import Peer, peer_launch
from fuzz_worker import fuzzing
from hypothesis import given, seed
from hypothesis import strategies as st
from kernel_case import FOLDER, KernelCase, Range, load
from kernel_ways import PROGRAMS
from rewritten_case import fits, merged_launch, rewritten
from source_kernels import programs

from bench.platforms import find_platforms
from weft.source.refusal import Refused, SourceError
from weft.source.rewrite import Rewritten

WAYS = {
    "eV": {"inter": 4},
    "iV": {"intra": 4, "fast_math": True},
    "eV+iV": {"inter": 4, "intra": 4, "fast_math": True},
}
IV_LIMIT = 1e-4
TOGETHER = 5
"""Random kernels of a program."""


class Run:
    """Counts what the platforms made of kernels; `out` gets those that failed."""

    def __init__(self, platforms: list[str], ways: list[str], out: Path) -> None:
        self.peers = {p.name: Peer(p) for p in find_platforms() if not platforms or p.name in platforms}
        self.ways, self.out = ways, out
        self.counts: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()

    def take(self, cases: Sequence[KernelCase], on: str = "") -> None:
        """All ways of cases, which are one program together, on all platforms.

        What fails to run on one of them runs there once more alone.
        """
        again = bool(on)
        self.counts["kernels"] += 0 if again else len(cases)
        whole = [replace(case, source="\n".join(c.source for c in cases)) for case in cases]
        found = {way: self.rewrite(cases, way, again) for way in self.ways}
        failed: set[tuple[int, str]] = set()
        for name in [on] if on else list(self.peers):
            # All launches of one text in turn: it is built once.
            wanted = {(at, now.launch) for made in found.values() for at, now in made.items()}
            before = {key: self.launch(name, before_rewriting(whole[key[0]], key[1])) for key in wanted}
            for way, made in found.items():
                for at, now in made.items():
                    after = self.launch(name, now.as_launch(whole[at]))
                    expected = before[at, now.launch]
                    if len(cases) > 1 and (isinstance(after, str) or isinstance(expected, str)):
                        failed.add((at, name))
                    else:
                        self.compare(name, way, cases[at], expected, after, now.text)
        PROGRAMS.clear()
        for at, name in sorted(failed):
            self.take([cases[at]], name)

    def rewrite(self, cases: Sequence[KernelCase], way: str, again: bool) -> dict[int, "Now"]:
        """The cases that can be rewritten, in one text, and how they are launched then."""
        found: dict[int, tuple[Rewritten, int]] = {}
        for at, case in enumerate(cases):
            made = self.attempt(case, way, again)
            if made is not None:
                found[at] = made
        text = "\n".join(made.text for made, _ in found.values())
        return {
            at: Now(self.fitting(cases[at], made, factor), made, factor, text)
            for at, (made, factor) in found.items()
        }

    def attempt(self, case: KernelCase, way: str, again: bool) -> tuple[Rewritten, int] | None:
        """The program with the case's kernel rewritten, and how many work-items are merged."""
        how = WAYS[way]
        factors = (4, 2) if how.get("inter") else (0,)
        counts: Counter[str] = Counter() if again else self.counts
        try:
            for factor in factors:
                made = rewritten(case, **{**how, "inter": factor})
                if any(fits(launch, factor or 1, of_groups(made)) for launch in case.launches):
                    counts[f"{way}: rewritten"] += 1
                    return made, factor
            counts[f"{way}: no launch with such sizes"] += 1
        except Refused as why:
            counts[f"{way}: refused"] += 1
            self.reasons[f"{way}: {why.reason}"] += not again
        except SourceError as error:
            self.note(case, way, "rewriter", str(error), "")
        return None

    def fitting(self, case: KernelCase, made: Rewritten, factor: int) -> Range:
        """The first launch that can be one of merged work-items."""
        return next(v for v in case.launches if fits(v, factor or 1, of_groups(made)))

    def launch(self, name: str, launch: PeerLaunch) -> dict[str, np.ndarray] | str:
        """What a platform makes of a launch."""
        return self.peers[name].launch(copy.deepcopy(launch))

    def compare(
        self,
        name: str,
        way: str,
        case: KernelCase,
        expected: dict[str, np.ndarray] | str,
        found: dict[str, np.ndarray] | str,
        text: str,
    ) -> None:
        """One rewritten kernel on one platform."""
        if isinstance(expected, str):
            self.counts[f"{name}: fails before rewriting"] += 1
            self.write(case, f"{name}-before", expected, "")
            return
        if isinstance(found, str):
            self.note(case, way, name, found, text)
            return
        wrong = different(expected, found, max(case.tolerance, IV_LIMIT if "iV" in way else 0.0))
        if wrong:
            self.note(case, way, name, wrong, text)
        else:
            self.counts[f"{way}: {name} the same"] += 1

    def note(self, case: KernelCase, way: str, name: str, problem: str, text: str) -> None:
        """Something went wrong."""
        self.counts[f"{way}: {name} WRONG"] += 1
        self.write(case, f"{name}-{way}", problem, text)

    def write(self, case: KernelCase, what: str, problem: str, text: str) -> None:
        """Keep a kernel."""
        self.out.mkdir(parents=True, exist_ok=True)
        file = self.out / f"{what.replace('+', '-')}-{self.counts['kernels']}-{case.path.name}"
        head = "".join(f"// {line}\n" for line in (case.path.name, *problem.splitlines()[:20]))
        file.write_text(f"{head}{case}\n/* ---- rewritten ----\n*/\n{text}")
        print(f"{what}: {case.path.name}: {problem.splitlines()[0] if problem else ''} ({file})", flush=True)

    def report(self) -> None:
        """The counts so far."""
        for key in sorted(self.counts):
            print(f"{self.counts[key]:6}  {key}")
        for reason, count in self.reasons.most_common(40):
            print(f"{count:6}  refused: {reason}")


@dataclass(frozen=True)
class Now:
    """A rewritten kernel: its launch before, what was made of it, and the text of the whole program."""

    launch: Range
    made: Rewritten
    factor: int
    text: str

    def as_launch(self, case: KernelCase) -> PeerLaunch:
        """The launch of the rewritten kernel."""
        before = before_rewriting(case, self.launch)
        if not self.factor:
            return replace(before, source=self.text)
        merged = next(m for m in self.made.merged if m.kernel == case.kernel or case.kernel is None)
        size = merged_launch(self.launch, self.factor, merged.of_groups)
        arguments = dict(before.arguments)
        if merged.items:
            total = self.launch.global_size[0] + self.launch.offset[0]
            arguments[merged.items] = np.uint64(total).tobytes()
        return replace(
            before,
            source=self.text,
            arguments=arguments,
            global_size=size.global_size,
            local_size=size.local_size,
            offset=size.offset,
        )


def before_rewriting(case: KernelCase, launch: Range) -> PeerLaunch:
    """The launch of the kernel as it was written."""
    return peer_launch(replace(case, launches=(launch,)))


def of_groups(made: Rewritten) -> bool:
    """Whether merged work-items know their group."""
    return any(merged.of_groups for merged in made.merged)


def different(expected: dict[str, np.ndarray], found: dict[str, np.ndarray], limit: float) -> str | None:
    """Where two runs differ; floats may by the limit, relative to the greatest."""
    for name, array in expected.items():
        try:
            if limit and array.dtype.kind == "f":
                scale = float(np.max(np.abs(array[np.isfinite(array)]), initial=0.0))
                np.testing.assert_allclose(found[name], array, limit, limit * scale, err_msg=name)
            else:
                np.testing.assert_array_equal(found[name], array, err_msg=name)
        except AssertionError as error:
            return str(error).strip()
    return None


def files(part: str) -> Iterator[KernelCase]:
    """The files of the kernel tests that run; `part` is `i/n`."""
    number, _, parts = part.partition("/")
    every = sorted(FOLDER.rglob("*.cl"))
    for path in every[int(number) :: int(parts or 1)]:
        case = load(path)
        if case.error is None:
            yield case


def search(run: Run, strategy: st.SearchStrategy[Any], count: int, start: int) -> None:
    """Take so many random programs."""

    @seed(start)
    @fuzzing(count, repeatable=False)
    @given(cases=strategy)
    def look(cases: tuple[KernelCase, ...]) -> None:
        run.take(cases)
        print(dict(run.counts), flush=True)

    look()


def main() -> int:
    """The command line; 1 if something went wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--kernels", metavar="I/N", nargs="?", const="0/1", help="the files of the kernel tests, or a part")
    add("--random", type=int, default=0, help="how many random kernels")
    add("--fuzz", type=int, default=0, help="how many of those that the compiler is tested with")
    add("--seed", type=int, default=random.randrange(10**9), help="default: a new one")
    add("--platforms", default="", help="short names with commas; default: all")
    add("--ways", default=",".join(WAYS), help="eV, iV and eV+iV, with commas")
    add("--out", type=Path, default=Path("platform-findings"), help="folder for kernels that fail")
    options = parser.parse_args()
    run = Run(options.platforms.split(",") if options.platforms else [], options.ways.split(","), options.out)
    print(f"seed {options.seed}, platforms: {', '.join(run.peers)}", flush=True)
    if options.kernels:
        for case in files(options.kernels):
            print(case.path.name, flush=True)
            run.take([case])
    if options.random:
        search(run, programs(TOGETHER), -(-options.random // TOGETHER), options.seed)
    if options.fuzz:
        search(run, st.tuples(kernel_cases(hidden=False)), options.fuzz, options.seed)
    run.report()
    for peer in run.peers.values():
        peer.close()
    return int(any("WRONG" in key for key in run.counts))


if __name__ == "__main__":
    sys.exit(main())
