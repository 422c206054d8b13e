"""Passes that change nothing and tell what is known of a kernel, as remarks, if somebody listens."""
