"""A server that compiles for the programs of one user and outlives them: docs/compile-server.md.

Importing the compiler takes longer than compiling a small program. The server keeps the compiler in memory.
It is optional: a program that finds no server, or loses the connection, compiles by itself.
"""
