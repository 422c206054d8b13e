"""Debian's clinfo, where it is installed; `make test` installs it where it can."""

import re
import shutil
from collections.abc import Mapping

import pytest
from client_programs import run_program

from weft.device.base import KINDS, device
from weft.runtime import identity

clinfo = shutil.which("clinfo") or ""
pytestmark = [
    pytest.mark.skipif(not clinfo, reason="clinfo is not installed"),
    pytest.mark.usefixtures("libpython"),
]


def test_prints_everything_of_all_devices(environment: Mapping[str, str]) -> None:
    text = run_program([clinfo], {**environment, "WEFT_DEVICES": "all"})
    assert identity.VERSION in text
    names = re.findall(r"^  Device Name +(.*)$", text, re.MULTILINE)
    assert names[: len(KINDS)] == [device(kind).info.name for kind in KINDS]
    assert "error" not in text.lower().replace("error correction", "")


def test_lists_the_device(environment: Mapping[str, str]) -> None:
    text = run_program([clinfo, "-l"], environment)
    assert "Platform #0: Weft" in text
    assert "Device #0:" in text
