"""Table 6: the two kernels and the settings of Weft in which they are timed."""

KERNELS = ("amd/FastWalshTransform", "amd/BitonicSort")
SCALAR, LANES, WITHOUT, WITH = "scalar", "lanes", "without proofs", "with proofs"
WAYS = {
    SCALAR: {"WEFT_WORKGROUP": "loops", "WEFT_PROOFS": "0"},
    LANES: {"WEFT_LANES": "8", "WEFT_PROOFS": "0"},
    WITHOUT: {"WEFT_PROOFS": "0"},
    WITH: {"WEFT_PROOFS": "1"},
}
