"""A transport-triggered processor: description, compiler and simulator (pocl, section 6.4)."""
