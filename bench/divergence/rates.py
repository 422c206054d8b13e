"""How the iterations of divergent loops ran: Fig. 6.2 of the thesis."""

from dataclasses import dataclass

MODES = ("full", "sub-group", "masked", "serial")


@dataclass(frozen=True)
class Rates:
    """Iterations of work-items in each mode, of all divergent loops of a benchmark together."""

    full: int = 0
    sub_group: int = 0
    masked: int = 0
    serial: int = 0

    def shares(self) -> dict[str, float]:
        """The modes' shares of all iterations."""
        counts = dict(zip(MODES, (self.full, self.sub_group, self.masked, self.serial), strict=True))
        total = sum(counts.values())
        return {mode: count / total if total else 0.0 for mode, count in counts.items()}
