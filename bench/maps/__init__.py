"""The gain of vectors by memory access pattern, on each installed platform: `make maps`.

For each pattern of CLVectorizer, section 3, there is a small kernel that consists mostly of accesses with
that pattern. `weft vectorize` rewrites it with each factor (eV; iV and both if it has a loop). The rows of
this machine's devices in `weft/source/devices.json`, the basis of `weft vectorize --auto`, are replaced;
other rows are kept.

A machine without Weft is measured with a bundle of the kernels, and needs only Python, numpy and pyopencl:

    make maps ARGS='--bundle kernels.json'
    python -m bench.maps.elsewhere kernels.json --platform NVIDIA --name nvidia --scale 16 --record row.json
    make maps ARGS='--merge row.json'
"""
