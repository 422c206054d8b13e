"""Why a benchmark falls short of its goal: the measured reason, in a few words; shown beside its ratios.

What has no entry here has not been looked into.
"""

NOTES: dict[str, str] = {
    "amd/SimpleConvolution": "inner loops differ in length: masked gathers; padded 20 times quicker",
    "parboil/sad": "scalar, 16.0 ms; its 16-bit gathers take 12.2 ms in 8 lanes, 14.6 in 16, 18.0 in 32",
    "rodinia/bfs": "scalar, 2.3 ms; 5.3 ms and more in lanes: gathers and scatters",
}
