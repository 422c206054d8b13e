"""The error for invalid modules."""


class InvalidModule(Exception):
    """A module is malformed, or uses what Weft does not support; the message is for the build log."""
