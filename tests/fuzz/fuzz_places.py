"""Where statements of random kernels stand: what may be written there, and how much."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """What may be written where."""

    uniform: bool  # all work-items come here together
    barriers: bool  # work-items may wait for each other, if control is uniform
    tiles: tuple[str, ...]  # local arrays that nobody is using
    returns: str | None  # what a return gives, "" nothing; None where there must be none
    breaks: bool = False
    continues: bool = False
    depth: int = 3
    often: int = 1  # how many times the place is run at most

    @property
    def may_wait(self) -> bool:
        return self.uniform and self.barriers


@dataclass(frozen=True)
class Helper:
    """A function of the program that kernels call; one with barriers takes a tile."""

    name: str
    waits: bool


@dataclass
class Budget:
    """How many statements may still run, and how many may be written."""

    runs: int
    lines: int
