"""The front end: translate OpenCL C and build options to LLVM IR with clang, and SPIR-V to LLVM IR."""
