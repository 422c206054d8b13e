"""OpenCL C rewritten as OpenCL C: `weft vectorize` and `weft patterns` (docs/source.md)."""
