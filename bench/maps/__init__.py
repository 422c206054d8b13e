"""What vectors gain by memory access pattern, on each installed platform: `make maps`.

For each pattern of CLVectorizer, section 3, there is a small kernel with accesses of that pattern and little
else, which `weft vectorize` rewrites with each factor (eV; iV and both where it has a loop). The rows of the
devices of this machine in `weft/source/devices.json`, by which `weft vectorize --auto` chooses, are replaced;
others stay.

A machine without Weft is measured by a bundle of the kernels, and needs Python, numpy and pyopencl only:

    make maps ARGS='--bundle kernels.json'
    python -m bench.maps.elsewhere kernels.json --platform NVIDIA --name nvidia --scale 16 --record row.json
    make maps ARGS='--merge row.json'
"""
