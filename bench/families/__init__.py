"""Benchmarks of this source tree. All modules of this folder are discovered automatically."""
