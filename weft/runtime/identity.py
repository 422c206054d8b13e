"""What the platform says of itself: the one source for the runtime and for the C side, which answers
clGetPlatformInfo before Python runs. Imports nothing that needs a compiled module: the build reads it."""

from weft import __version__

NAME = "Weft"
VENDOR = "Weft developers"
VERSION = f"OpenCL 3.0 Weft {__version__}"
PROFILE = "FULL_PROFILE"
ICD_SUFFIX = "WEFT"
EXTENSIONS = ("cl_khr_icd", "cl_khr_extended_versioning")
NUMERIC_VERSION = 3 << 22
EXTENSION_VERSION = 1 << 22
HOST_TIMER_RESOLUTION = 1  # nanoseconds
