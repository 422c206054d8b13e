"""What is wrong with a module."""


class InvalidModule(Exception):
    """A module is malformed, or uses what Weft does not support; the message is for the build log."""
