"""The study of divergent loops: `python -m bench.divergence` measures and writes docs/divergence.md."""
