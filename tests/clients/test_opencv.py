"""OpenCV's OpenCL module, where it is installed (`make test-clients`): filters equal to those of the CPU."""

import importlib.util
import sys
from collections.abc import Mapping

import pytest
from client_programs import run_program

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("cv2"), reason="OpenCV is not installed")

FILTERS = """
import sys
import cv2
import numpy as np

random = np.random.default_rng(1)
colours = random.integers(0, 256, (201, 307, 3), dtype=np.uint8)
gray = cv2.cvtColor(colours, cv2.COLOR_BGR2GRAY)
reals = gray.astype(np.float32) / 255
nine = np.ones((3, 3), np.float32) / 9
turn = np.float32([[1, 0.2, 3], [0.1, 1, 4]])

# Name -> function, its argument, and how much rounding may differ.
FILTERS = {
    "GaussianBlur of reals": (lambda x: cv2.GaussianBlur(x, (5, 5), 1.5), reals, 1e-5),
    "GaussianBlur of bytes": (lambda x: cv2.GaussianBlur(x, (5, 5), 1.5), gray, 1),
    "medianBlur": (lambda x: cv2.medianBlur(x, 5), gray, 0),
    "cvtColor": (lambda x: cv2.cvtColor(x, cv2.COLOR_BGR2HSV), colours, 0),
    "resize": (lambda x: cv2.resize(x, (151, 97)), colours, 1),
    "Sobel": (lambda x: cv2.Sobel(x, cv2.CV_16S, 1, 0), gray, 0),
    "threshold": (lambda x: cv2.threshold(x, 100, 255, cv2.THRESH_BINARY)[1], gray, 0),
    "erode": (lambda x: cv2.erode(x, np.ones((3, 3), np.uint8)), gray, 0),
    "filter2D": (lambda x: cv2.filter2D(x, -1, nine), reals, 1e-5),
    "addWeighted": (lambda x: cv2.addWeighted(x, 0.3, x, 0.6, 2), gray, 1),
    "gemm": (lambda x: cv2.gemm(x, x, 1, None, 0, flags=cv2.GEMM_2_T), reals, 1e-2),
    "dft": (lambda x: cv2.dft(x, flags=cv2.DFT_COMPLEX_OUTPUT), reals[:128, :128].copy(), 0.1),
    "equalizeHist": (cv2.equalizeHist, gray, 0),
    "warpAffine": (lambda x: cv2.warpAffine(x, turn, (300, 200)), gray, 2),
}
for name, (function, picture, tolerance) in FILTERS.items():
    cv2.ocl.setUseOpenCL(False)
    expected = np.asarray(function(picture), np.float64)
    cv2.ocl.setUseOpenCL(True)
    assert cv2.ocl.Device_getDefault().name().startswith("pthread-")
    found = function(cv2.UMat(picture)).get().astype(np.float64)
    assert np.abs(found - expected).max() <= tolerance, name
print("equal")
"""


def test_filters_give_what_the_cpu_gives(environment: Mapping[str, str]) -> None:
    # Without this OpenCV takes GPUs only.
    variables = {**environment, "OPENCV_OPENCL_DEVICE": "Weft:CPU:"}
    assert run_program([sys.executable, "-c", FILTERS], variables, timeout=600) == "equal\n"
