"""The words of a command line."""

from collections.abc import Sequence


def join_options(arguments: Sequence[str]) -> list[str]:
    """Join --options and its value with an equals sign, because the value may start with a dash."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] == "--options":
            joined[-1] = f"--options={argument}"
        else:
            joined.append(argument)
    return joined
