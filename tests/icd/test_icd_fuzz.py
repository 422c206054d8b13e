"""Thousands of calls with odd arguments: no crash, and always an error that the specification documents."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def fuzz(calls: int, folder: Path, seed: int) -> None:
    """Make calls in a process of their own; whatever goes wrong shows the last call."""
    log = folder / "calls"
    done = subprocess.run(
        [sys.executable, str(FOLDER / "fuzz_calls_worker.py"), str(calls), str(log), str(seed)],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60 + calls / 10,
        check=False,
    )
    last = log.read_text().splitlines()[-1:] if log.exists() else []
    assert (done.returncode, done.stdout) == (0, "ok\n"), f"{done.stderr[-4000:]}\nlast call: {last}"
    assert "Traceback" not in done.stderr, done.stderr[-4000:]


def test_some_calls(tmp_path: Path) -> None:
    fuzz(500, tmp_path, seed=1)


@pytest.mark.slow
def test_many_calls(tmp_path: Path) -> None:
    fuzz(20_000, tmp_path, seed=2)
