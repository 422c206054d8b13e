"""Passes that change nothing and describe a kernel by remarks, if there is a listener."""
