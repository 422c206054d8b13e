"""Why a benchmark falls short of its goal: the measured reason, in a few words; shown beside its ratios."""

_AS_OTHERS = "one 64-bit division after the other, as the others do: no vector instruction divides integers"

NOTES: dict[str, str] = {
    "amd/FastWalshTransform": "places by i / step and i % step: gathers and scatters",
    "amd/SimpleConvolution": "bounds of the inner loops differ by work-item: masked gathers (padded: 20 times quicker)",
    "micro/12 values across 24 barriers": "an array of 12 values a work-item lies in the context in work-item order",
    "micro/division by uniform/ulong": _AS_OTHERS,
    "micro/division by varying/ulong": _AS_OTHERS,
    "micro/gather/L2, 256 KiB table": "all take the time of the processor's gathers",
    "micro/scatter/L2, 256 KiB table": "all take the time of the processor's scatters",
    "parboil/mri-q": "sin and cos of one angle are two functions, each of which reduces it",
    "parboil/sad": "16-bit gathers in lanes (12.7 ms); one by one the 4x4 sums are not vectorized, which pocl does",
    "rodinia/bfs": "few work-items are active: scalar, as on pocl",
}
