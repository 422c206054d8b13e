"""Parse, validate and translate SPIR-V modules for OpenCL to LLVM IR."""
