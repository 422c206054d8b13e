"""The cffi builder of `weft.icd._driver`, used only by the build."""

from cffi import FFI

from weft.icd import generate

ffibuilder = FFI()
ffibuilder.cdef(generate.driver_cdef())
ffibuilder.set_source("weft.icd._driver", generate.driver_source(), py_limited_api=True)
