"""The table of entries agrees with the ICD specification."""

import re
from pathlib import Path

import pytest

from weft.icd.prototypes import prototypes

DEBIAN_HEADER = Path("/usr/include/CL/cl_icd.h")

# Slots counted in the table of the cl_khr_icd specification.
KNOWN_SLOTS = {
    "clGetPlatformIDs": 0,
    "clCreateContext": 4,
    "clCreateBuffer": 14,
    "clBuildProgram": 30,
    "clEnqueueNDRangeKernel": 59,
    "clGetExtensionFunctionAddress": 65,
    "clSetEventCallback": 81,
    "clCreateSubDevices": 93,
    "clCreateCommandQueueWithProperties": 123,
    "clSetContextDestructorCallback": 148,
    "clGetKernelSuggestedLocalWorkSize": 149,
}
LOADERS_SLOTS = 150  # of OpenCL 3.1; what follows is Weft's own


def test_every_slot_is_there_once() -> None:
    names = [p.name for p in prototypes()]
    assert len(names) == len(set(names))
    assert [p.index for p in prototypes()] == list(range(len(names)))
    assert all(name.endswith(("INTEL", "KHR")) for name in names[LOADERS_SLOTS:])


@pytest.mark.parametrize("name", KNOWN_SLOTS)
def test_known_slot(name: str) -> None:
    assert prototypes()[KNOWN_SLOTS[name]].name == name


def test_only_windows_slots_are_empty() -> None:
    assert all("D3D" in p.name or "DX9" in p.name for p in prototypes() if not p.returns)


def test_entries_that_return_objects_report_through_a_pointer() -> None:
    without = {
        p.name
        for p in prototypes()
        if p.returns not in ("cl_int", "void", "") and not p.reports_through_pointer
    }
    assert without == {
        "clGetExtensionFunctionAddress",
        "clGetExtensionFunctionAddressForPlatform",
        "clSVMAlloc",
    }


@pytest.mark.skipif(not DEBIAN_HEADER.exists(), reason="the OpenCL headers are not installed")
def test_signatures_agree_with_the_installed_headers() -> None:
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^#.*?$", "", DEBIAN_HEADER.read_text(), flags=re.S | re.M)
    order = re.findall(r"cl_api_cl\w+\s+(cl\w+);", text[text.index("struct _cl_icd_dispatch {") :])
    assert order == [p.name for p in prototypes()][: len(order)]
    assert len(order) in (LOADERS_SLOTS - 1, LOADERS_SLOTS)
    typedef = r"\(\s*CL_API_CALL\s*\*\s*cl_api_(\w+)\)\s*\((.*?)\)\s*(?:CL_API_SUFFIX\w*)?\s*;"
    found = dict(re.findall(typedef, text, re.S))
    for prototype in prototypes():
        if not prototype.returns or prototype.index >= len(order):
            continue
        flat = re.sub(r"\([^()]*\*[^()]*\)\s*\([^()]*\)", "callback", found[prototype.name])
        theirs = [" ".join(part.split()) for part in flat.split(",")]
        if theirs == ["void"]:
            theirs = []
        assert len(theirs) == len(prototype.parameters), prototype.name
        for parameter, their in zip(prototype.parameters, theirs, strict=True):
            if parameter.type == "callback":
                assert "callback" in their, prototype.name
                continue
            kind = parameter.type.rstrip("* ").replace("const ", "")
            same = {"cl_uint": "(cl_uint|unsigned int)", "cl_int": "(cl_int|int)"}.get(kind, kind)
            assert re.search(rf"\b{same}\b", their), (prototype.name, parameter, their)
            assert parameter.type.count("*") == their.count("*") + their.count("["), (prototype.name, their)
