"""Random kernels on the other OpenCL implementations of this machine, to see where these differ from Weft.

    python tests/fuzz/fuzz_peer_run.py --kernels 300 --seed 7 --out findings

Unlike the test it goes on after a difference: each kernel that a peer refuses, does not survive or computes
differently is written to a file of the folder. A difference that all peers share is Weft's.
"""

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "kernels"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from fuzz_kernel import RandomCase, kernel_cases
from fuzz_peers import compare, running_peers
from fuzz_worker import fuzzing
from hypothesis import given, seed


def main() -> int:
    """The command line; 1 if all peers together differ from Weft."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kernels", type=int, default=300, help="how many (default 300)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="default: a new one")
    parser.add_argument("--out", type=Path, default=Path("peer-findings"), help="folder for the kernels")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    with running_peers() as running:
        print(f"seed {options.seed}, peers: {', '.join(running) or 'none'}", flush=True)

        @seed(options.seed)
        @fuzzing(options.kernels, repeatable=False)
        @given(case=kernel_cases(hidden=False))
        def look(case: RandomCase) -> None:
            findings = compare(case, running)
            counts["kernels"] += 1
            for what, found in (("failed", findings.failed), ("different", findings.different)):
                for name, text in found.items():
                    counts[f"{name} {what}"] += 1
                    file = options.out / f"{name}-{what}-{counts['kernels']}.cl"
                    file.write_text("".join(f"// {line}\n" for line in text.splitlines()) + str(case))
            if running and len(findings.different) == len(running):
                counts["weft alone"] += 1
            if counts["kernels"] % 10 == 0:
                print(dict(counts), flush=True)

        look()
    print(dict(counts))
    return 1 if counts["weft alone"] else 0


if __name__ == "__main__":
    sys.exit(main())
