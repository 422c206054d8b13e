"""Errors of the machine, its compiler and its simulator."""

from weft.errors import UnsupportedError, WeftError


class Refused(UnsupportedError):
    """A kernel needs something that the machine lacks; the message names it."""


class IllegalSchedule(WeftError):
    """A program uses a port, a bus, a unit or a result that it may not use in that cycle."""


class DeviceFault(WeftError):
    """A program did something that the machine cannot do, such as an access to unmapped memory."""
