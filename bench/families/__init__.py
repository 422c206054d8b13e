"""The benchmarks, a module per family; every module of this folder is found by itself."""
