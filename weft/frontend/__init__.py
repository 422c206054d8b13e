"""The front end: OpenCL C source and build options to LLVM IR, by clang."""
