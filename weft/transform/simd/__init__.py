"""Whole-function vectorization: one work-item per SIMD lane."""
