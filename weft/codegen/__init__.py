"""From LLVM IR to machine code in memory: host target, optimizer, JIT, and the object cache on disk."""
