"""No file ends the process: damaged modules are built, or refused with a log."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("mutations.py")


@pytest.mark.parametrize(
    ("count", "seed"), [(200, 1), pytest.param(10_000, 2, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_damaged_modules_end_in_an_error(count: int, seed: int, tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), str(count), str(seed), str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=3000)
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-4000:]
    assert "'failed'" not in ended.stdout
    assert "'refused'" in ended.stdout
