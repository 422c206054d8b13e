"""Libraries of mathematics, molecules and pictures on OpenCL, where installed (`make test-clients`)."""

import importlib.util
import re
import shutil
import sys
from collections.abc import Mapping

import pytest
from client_programs import run_program

clfft = shutil.which("clFFT-client") or ""
clblast = shutil.which("clblast_test_xgemv") or ""
ffmpeg = shutil.which("ffmpeg") or ""


@pytest.mark.slow
@pytest.mark.skipif(not clfft, reason="clFFT's client is not installed")
@pytest.mark.usefixtures("libpython")
@pytest.mark.parametrize(
    "lengths", ["-x 64", "-x 256 -b 1024", "-x 1024", "-x 2187", "-x 100 -y 60", "-x 64 -y 64 -z 16"]
)
def test_clfft_transforms_and_checks_itself(environment: Mapping[str, str], lengths: str) -> None:
    assert "PASS" in run_program([clfft, "--cpu", *lengths.split()], environment, timeout=300)


@pytest.mark.slow
@pytest.mark.skipif(not clblast, reason="clBLAST's tests are not installed")
@pytest.mark.usefixtures("libpython")
def test_clblast_multiplies_matrices_with_vectors(environment: Mapping[str, str]) -> None:
    text = re.sub(r"\x1b\[\d+m", "", run_program([clblast], environment, timeout=1200))
    failed = re.findall(r"(\d+) test\(s\) failed", text)
    # half precision; single and double, each also with complex numbers
    assert failed == ["0"] * 5


def picture(filters: str, environment: Mapping[str, str]) -> str:
    """The checksum of a test picture behind ffmpeg's `filters`."""
    device = ["-init_hw_device", "opencl=weft", "-filter_hw_device", "weft"]
    source = ["-f", "lavfi", "-i", "testsrc=size=322x242:rate=2:duration=1,format=yuv420p"]
    command = [ffmpeg, "-hide_banner", "-loglevel", "error", *device, *source]
    return run_program([*command, "-vf", filters, "-f", "md5", "-"], environment, timeout=300)


@pytest.mark.slow
@pytest.mark.skipif(not ffmpeg, reason="ffmpeg is not installed")
@pytest.mark.usefixtures("libpython")
@pytest.mark.parametrize("name", ["transpose", "pad", "erosion", "dilation"])
def test_ffmpeg_filters_as_it_does_without_opencl(environment: Mapping[str, str], name: str) -> None:
    options = "=400:300:10:20" if name == "pad" else ""
    expected = picture(f"{name}{options},format=yuv420p", environment)
    found = picture(f"hwupload,{name}_opencl{options},hwdownload,format=yuv420p", environment)
    assert found == expected


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("openmm"), reason="OpenMM is not installed")
def test_openmm_computes_the_forces_of_its_reference(environment: Mapping[str, str]) -> None:
    text = run_program([sys.executable, "-m", "openmm.testInstallation"], environment, timeout=600)
    assert "Reference vs. OpenCL" in text
    assert "All differences are within tolerance." in text
