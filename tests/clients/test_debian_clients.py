"""Debian's clpeak and hashcat, where they are installed (`make test-clients`)."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from client_programs import run_program

# Programs that are not Python.
pytestmark = pytest.mark.usefixtures("libpython")

clpeak = shutil.which("clpeak") or ""
hashcat = shutil.which("hashcat") or ""


@pytest.mark.slow
@pytest.mark.skipif(not clpeak, reason="clpeak is not installed")
def test_clpeak_measures_every_kernel(environment: Mapping[str, str]) -> None:
    text = run_program([clpeak], environment, timeout=1200)
    assert "Platform: Weft" in text
    figures = re.findall(r"^\s+\w+\s+: ([\d.]+)$", text, re.MULTILINE)
    for section in ("Global memory bandwidth", "Single-precision", "Double-precision", "Integer compute"):
        assert section in text
    assert figures
    assert all(float(figure) > 0 for figure in figures)


@pytest.mark.slow
@pytest.mark.skipif(not hashcat, reason="hashcat is not installed")
def test_hashcat_passes_its_self_test_and_finds_a_word(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    md5_of_abc = "900150983cd24fb0d6963f7d28e17f72"
    # -D 1 means CPUs; hashcat keeps compiled kernels in the home folder.
    command = [hashcat, "-m", "0", "-a", "3", "-D", "1", "--potfile-disable", "--quiet", "--force"]
    variables = {**environment, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    variables["XDG_CACHE_HOME"] = str(tmp_path)
    text = run_program([*command, md5_of_abc, "?l?l?l"], variables, timeout=1200)
    assert f"{md5_of_abc}:abc" in text
