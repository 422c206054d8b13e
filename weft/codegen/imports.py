"""What compiled kernels may call besides the mathematics and memory routines that LLVM itself puts calls to.

The worker pool has such functions and stands above this package, so it leaves their addresses here.
"""

IMPORTS: dict[str, int] = {}
