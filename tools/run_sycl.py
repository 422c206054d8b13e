"""Runs the tests of dpctl and dpnp on Weft or on Intel's runtime.

    python tools/run_sycl.py VENV dpctl                         # all tests of dpctl on Weft
    python tools/run_sycl.py VENV dpnp --every 200              # every 200th test of dpnp, chosen by its name
    python tools/run_sycl.py VENV dpnp --every 200 --runtime intel

VENV is an environment with dpctl, dpnp, pytest and Cython from PyPI. Each test is recorded when it ends, in
`VENV/PACKAGE-RUNTIME-EVERY-REST.jsonl`. A test that takes too long or ends the process is recorded as such,
and the following tests run in a new process. Recorded tests are not run again. Weft is the one of the Python
that runs this program.

pytest also loads this file, as a plugin that chooses and records the tests.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_CHOICE, _RECORD = "RUN_SYCL_CHOICE", "RUN_SYCL_RECORD"
_ORDER = ("passed", "failed", "skipped", "xfailed", "too long", "ended the process")


# The plugin


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Keep the chosen tests that are not recorded yet."""
    every, rest = (int(word) for word in os.environ[_CHOICE].split("/"))
    done = results(Path(os.environ[_RECORD]))
    chosen = [i for i in items if zlib.crc32(i.nodeid.encode()) % every == rest and i.nodeid not in done]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
    items[:] = chosen


def _record(**entry: str) -> None:
    with open(os.environ[_RECORD], "a") as file:
        file.write(json.dumps(entry) + "\n")


def pytest_runtest_logstart(nodeid: str) -> None:
    """Record that a test begins."""
    _record(begins=nodeid)


def pytest_runtest_logreport(report: Any) -> None:
    """Record that a part of a test has ended."""
    if report.when == "call" or report.outcome != "passed":
        outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        _record(test=report.nodeid, outcome=outcome)


# The driver


def _entries(record: Path) -> Iterator[dict[str, str]]:
    if record.exists():
        for line in record.read_text().splitlines():
            yield json.loads(line)


def results(record: Path) -> dict[str, str]:
    """Return the result of each test; a test failed if any part of it failed."""
    outcomes: dict[str, str] = {}
    for entry in _entries(record):
        if "test" in entry and outcomes.get(entry["test"]) != "failed":
            outcomes[entry["test"]] = entry["outcome"]
    return outcomes


def _unfinished(record: Path) -> str | None:
    """Return the test that began last, if it has not ended."""
    begun = [entry["begins"] for entry in _entries(record) if "begins" in entry]
    return begun[-1] if begun and begun[-1] not in results(record) else None


def _environment(venv: Path, runtime: str) -> dict[str, str]:
    vendors = venv / f"vendors-{runtime}"
    vendors.mkdir(exist_ok=True)
    if runtime == "weft":
        from weft.icd.register import library_path  # the plugin also runs where Weft is not installed

        library = library_path()
    else:
        library = venv / "lib" / "libintelocl.so"
    (vendors / f"{runtime}.icd").write_text(f"{library}\n")
    return {
        **os.environ,
        "OCL_ICD_VENDORS": str(vendors),
        "LD_LIBRARY_PATH": str(venv / "lib"),
        "ONEAPI_DEVICE_SELECTOR": "opencl:cpu",
        "PYTHONPATH": str(Path(__file__).parent),
    }


def _run(command: Sequence[str], environment: dict[str, str], record: Path, log: Path, seconds: float) -> int:
    """Run tests until all have ended or one takes too long; return the status, or -1 in the latter case."""
    # Test names are relative to this folder if the tests are below it.
    folder = record.parent / "run"
    folder.mkdir(exist_ok=True)
    with log.open("a") as output:
        process = subprocess.Popen(
            command, env=environment, cwd=folder, stdout=output, stderr=output, stdin=subprocess.DEVNULL
        )
        while True:
            try:
                return process.wait(5)
            except subprocess.TimeoutExpired:
                changed = record.stat().st_mtime if record.exists() else time.time()
                if _unfinished(record) and time.time() - changed > seconds:
                    process.kill()
                    process.wait()
                    return -1


def main(arguments: Sequence[str]) -> int:
    """Run the tests and print how many passed; return 1 if one did not."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("venv", type=Path, help="environment with the packages")
    parser.add_argument("package", choices=("dpctl", "dpnp"))
    parser.add_argument("--runtime", choices=("weft", "intel"), default="weft", help="default: weft")
    parser.add_argument("--every", type=int, default=1, help="one test of so many (default: all)")
    parser.add_argument("--rest", type=int, default=0, help="which one of so many (default: 0)")
    parser.add_argument("--seconds", type=float, default=300.0, help="for one test (default: 300)")
    options = parser.parse_args(arguments)
    venv = options.venv.resolve()
    name = f"{options.package}-{options.runtime}-{options.every}-{options.rest}"
    record, log = venv / f"{name}.jsonl", venv / f"{name}.log"
    environment = _environment(venv, options.runtime)
    environment |= {_CHOICE: f"{options.every}/{options.rest}", _RECORD: str(record)}
    plugins = ["-p", Path(__file__).stem, "-p", "no:cacheprovider"]
    command = [str(venv / "bin" / "python"), "-m", "pytest", "-q", *plugins, "--pyargs", options.package]
    while (status := _run(command, environment, record, log, options.seconds)) not in (0, 1, 5):
        hung = _unfinished(record)
        if hung is None:
            sys.exit(f"pytest ended with status {status}, see {log}")
        outcome = "too long" if status == -1 else "ended the process"
        with record.open("a") as file:
            file.write(json.dumps({"test": hung, "outcome": outcome}) + "\n")
    outcomes = results(record)
    counts = Counter(outcomes.values())
    print(f"{name}: " + ", ".join(f"{counts[kind]} {kind}" for kind in _ORDER if counts[kind]))
    wrong = [test for test, outcome in outcomes.items() if outcome not in ("passed", "skipped", "xfailed")]
    print("".join(f"{outcomes[test]}: {test}\n" for test in wrong), end="")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
