"""SPIR-V modules for OpenCL, read, checked and translated to LLVM IR."""
