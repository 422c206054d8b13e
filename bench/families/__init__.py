"""Benchmarks of this source tree; every module of this folder is found by itself."""
