"""A server that compiles for the programs of one user, and outlives them: docs/compile-server.md.

A program that compiles needs a compiler in memory, which takes longer than to compile. The server has it
there. It is never needed: whoever finds none, or is left by one, compiles by itself.
"""
