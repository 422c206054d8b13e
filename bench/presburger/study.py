"""The measurements as plain data, and whether they meet the goals."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.presburger.problems import PROBLEMS
from bench.presburger.running import WITH, WITHOUT
from bench.presburger.solving import ALONE, CLASS, Tally
from bench.side_by_side import Times
from weft.errors import WeftError

# Maximum seconds for all inputs and widths of FastWalshTransform, and for one width of BitonicSort.
WALSH_SECONDS, BITONIC_SECONDS = 60.0, 1.0
FASTER = {"amd/FastWalshTransform": 1.3, "amd/BitonicSort": 2.0}
PEERS = ("intel", "pocl")


class BadStudy(WeftError):
    """A file does not contain a record of the study."""


@dataclass
class Study:
    """Tallies by problem set, width and method; run times by kernel."""

    processor: str
    z3: str = ""
    limit_ms: int = 0
    tallies: dict[str, dict[int, dict[str, Tally]]] = field(default_factory=dict)
    times: dict[str, Times] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def verdicts(self) -> list[tuple[str, str, bool]]:
        """Return the goals, the findings, and whether the goals are met."""
        verdicts = []
        for problem in PROBLEMS:
            widths = self.tallies.get(problem.name, {})
            for width, tallies in widths.items():
                own, known = tallies[CLASS], problem.eliminated[width]
                expected = problem.end - problem.low - known.no
                if problem.name == "FastWalshTransform":
                    expected = (problem.end - 1) // width
                right = own.yes == expected and own.unknown == 0 and bool(own.condition)
                what = f"{problem.name}, {width} lanes: {expected} inputs are consecutive, on one condition"
                verdicts.append((what, f"{own.yes}, `{own.condition}`", right))
            for way in (CLASS, ALONE):
                spent = [tallies[way].seconds for tallies in widths.values() if way in tallies]
                if problem.name == "FastWalshTransform" and len(spent) == len(problem.sets):
                    what = f"FastWalshTransform, {way}: all widths in {WALSH_SECONDS:.0f} s"
                    verdicts.append((what, f"{sum(spent):.2f} s", sum(spent) < WALSH_SECONDS))
                elif spent and problem.name == "BitonicSort":
                    what = f"BitonicSort, {way}: a width in {BITONIC_SECONDS:.0f} s"
                    verdicts.append((what, f"{max(spent):.3f} s", max(spent) < BITONIC_SECONDS))
            wrong = sum(t.wrong for tallies in widths.values() for t in tallies.values())
            verdicts.append((f"{problem.name}: no answer of Z3 contradicts", f"{wrong} do", wrong == 0))
        return verdicts + self._faster()

    def _faster(self) -> list[tuple[str, str, bool]]:
        verdicts = []
        for kernel, times in self.times.items():
            before, after = times.seconds.get(WITHOUT), times.seconds.get(WITH)
            if before is None or after is None:
                continue
            ratio, goal = before / after, FASTER[kernel]
            verdicts.append((f"{kernel}: {goal} times as fast with proofs", f"{ratio:.2f}", ratio >= goal))
            for peer in PEERS:
                if peer in times.seconds:
                    share = times.seconds[peer] / after
                    verdicts.append((f"{kernel}: faster than {peer}", f"{share:.2f} times", share > 1))
        return verdicts


def save(study: Study, path: Path) -> None:
    """Write the record of a study."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(study), indent=1) + "\n")


def load(path: Path) -> Study:
    """Read the record of a study."""
    try:
        record = json.loads(path.read_text())
        tallies = {
            name: {int(w): {way: Tally(**t) for way, t in ways.items()} for w, ways in widths.items()}
            for name, widths in record.pop("tallies").items()
        }
        times = {name: Times(**t) for name, t in record.pop("times").items()}
        return Study(**record, tallies=tallies, times=times)
    except (KeyError, TypeError, ValueError) as error:
        raise BadStudy(f"{path} holds no record of this study: {error}") from error
