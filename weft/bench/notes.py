"""Why a benchmark falls short of its goal: the measured reason, in a few words; shown beside its ratios.

What has no entry here has not been looked into.
"""

NOTES: dict[str, str] = {
    "amd/SimpleConvolution": "inner loops differ in length: masked gathers; padded 20 times quicker",
    "math/pow/double": "141 vector instructions for 8 numbers, a division among them: log2 as a sum of two",
    "math/pow/double8": "141 vector instructions for 8 numbers, a division among them: log2 as a sum of two",
}
