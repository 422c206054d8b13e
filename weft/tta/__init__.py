"""A transport-triggered processor: its description, a compiler for it, and its simulator (pocl, section
6.4)."""
