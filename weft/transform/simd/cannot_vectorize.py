"""The refusal of a loop."""


class CannotVectorize(Exception):
    """A loop holds something that has no vector form yet; the message says what."""
