"""Kernels before and after rewriting on every OpenCL platform of this machine.

    python tests/source/platform_run.py --kernels --random 300 --seed 7 --out findings

`--kernels` takes the files of the kernel tests, `--random` so many random kernels. Each is rewritten by eV
and by iV, and by both; what comes out must be what the kernel gave before on the same platform: integers bit
by bit, floats within the file's limit (by iV within 1e-4, as sums are reassociated). Refusals are counted
with their reasons. A driver that ends its process is started again, and the kernel is written to a file.
"""

import argparse
import copy
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "kernels"))
sys.path.insert(0, str(Path(__file__).parent.parent / "fuzz"))
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from fuzz_kernel import kernel_cases
from fuzz_peers import Peer, peer_launch
from fuzz_worker import fuzzing
from hypothesis import given, seed
from kernel_case import FOLDER, KernelCase, Range, load
from kernel_ways import PROGRAMS
from rewritten_case import fits, merged_launch, rewritten

from bench.platforms import find_platforms
from weft.source.refusal import Refused, SourceError
from weft.source.rewrite import Rewritten

WAYS = {
    "eV": {"inter": 4},
    "iV": {"intra": 4, "fast_math": True},
    "eV+iV": {"inter": 4, "intra": 4, "fast_math": True},
}
IV_LIMIT = 1e-4


class Run:
    """Counts what the platforms made of kernels; `out` gets those that failed."""

    def __init__(self, platforms: list[str], ways: list[str], out: Path) -> None:
        self.peers = {p.name: Peer(p) for p in find_platforms() if not platforms or p.name in platforms}
        self.ways, self.out = ways, out
        self.counts: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()

    def take(self, case: KernelCase) -> None:
        """All ways of one case on all platforms."""
        self.counts["kernels"] += 1
        for way in self.ways:
            how = dict(WAYS[way])
            launch = next((v for v in case.launches if fits(v, how.get("inter", 1), True)), None)
            if launch is None and how.get("inter"):
                how["inter"] = 2
                launch = next((v for v in case.launches if fits(v, 2, True)), None)
            if launch is None:
                self.counts[f"{way}: no launch with such sizes"] += 1
                continue
            try:
                new = rewritten(case, **how)
            except Refused as why:
                self.counts[f"{way}: refused"] += 1
                self.reasons[why.reason] += 1
                continue
            except SourceError as error:
                self.note(case, way, "rewriter", str(error), "")
                continue
            self.counts[f"{way}: rewritten"] += 1
            self.compare(replace(case, launches=(launch,)), way, how.get("inter", 0), new)
        PROGRAMS.clear()

    def compare(self, case: KernelCase, way: str, factor: int, new: Rewritten) -> None:
        """One rewritten kernel on all platforms."""
        (launch,) = case.launches
        before = peer_launch(case)
        changed, items = case, ""
        if factor:
            (merged,) = new.merged
            items = merged.items
            changed = replace(case, launches=(merged_launch(launch, factor, merged.of_groups),))
        after = replace(peer_launch(case), source=new.text)
        size: Range = changed.launches[0]
        after = replace(after, global_size=size.global_size, local_size=size.local_size, offset=size.offset)
        if items:
            total = launch.global_size[0] + launch.offset[0]
            after = replace(after, arguments={**after.arguments, items: np.uint64(total).tobytes()})
        for name, peer in self.peers.items():
            expected = peer.launch(copy.deepcopy(before))
            if isinstance(expected, str):
                self.counts[f"{name}: fails before rewriting"] += 1
                self.write(case, f"{name}-before", expected, "")
                continue
            found = peer.launch(after)
            if isinstance(found, str):
                self.note(case, way, name, found, new.text)
                continue
            wrong = different(expected, found, max(case.tolerance, IV_LIMIT if "iV" in way else 0.0))
            if wrong:
                self.note(case, way, name, wrong, new.text)
            else:
                self.counts[f"{way}: {name} the same"] += 1

    def note(self, case: KernelCase, way: str, name: str, problem: str, text: str) -> None:
        """Something went wrong."""
        self.counts[f"{way}: {name} WRONG"] += 1
        self.write(case, f"{name}-{way}", problem, text)

    def write(self, case: KernelCase, what: str, problem: str, text: str) -> None:
        """Keep a kernel."""
        self.out.mkdir(parents=True, exist_ok=True)
        file = self.out / f"{what.replace('+', '-')}-{self.counts['kernels']}.cl"
        head = "".join(f"// {line}\n" for line in (case.path.name, *problem.splitlines()[:20]))
        file.write_text(f"{head}{case}\n/* ---- rewritten ----\n*/\n{text}")
        print(f"{what}: {case.path.name}: {problem.splitlines()[0] if problem else ''} ({file})", flush=True)

    def report(self) -> None:
        """The counts so far."""
        for key in sorted(self.counts):
            print(f"{self.counts[key]:6}  {key}")
        for reason, count in self.reasons.most_common(40):
            print(f"{count:6}  refused: {reason}")


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


def main() -> int:
    """The command line; 1 if something went wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--kernels", metavar="I/N", nargs="?", const="0/1", help="the files of the kernel tests, or a part")
    add("--random", type=int, default=0, help="how many random kernels")
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
            run.take(case)
    if options.random:

        @seed(options.seed)
        @fuzzing(options.random, repeatable=False)
        @given(case=kernel_cases(hidden=False))
        def look(case: KernelCase) -> None:
            run.take(case)
            if run.counts["kernels"] % 25 == 0:
                print(dict(run.counts), flush=True)

        look()
    run.report()
    for peer in run.peers.values():
        peer.close()
    return int(any("WRONG" in key for key in run.counts))


if __name__ == "__main__":
    sys.exit(main())
