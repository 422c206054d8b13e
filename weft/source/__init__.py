"""Source-to-source tools for OpenCL C: `weft vectorize` and `weft patterns` (docs/source.md)."""
