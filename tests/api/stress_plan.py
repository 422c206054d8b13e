"""Random plans of commands on shared buffers, and what they must lead to when run one after the other.

A plan is a list of steps in a total order. Each step names the buffers it reads and writes, so the steps it
must wait for are known: the last writer of what it reads, and the readers and the last writer of what it
writes. Any execution that keeps these dependencies gives what the sequential replay gives.
"""

from dataclasses import dataclass, field
from random import Random

import numpy as np

WORDS = 512
KINDS = ("fill", "write", "read", "copy", "kernel", "rect")


@dataclass
class Step:
    """One command: who enqueues it, on which of its queues, on what, and after which steps."""

    kind: str
    thread: int
    queue: int
    target: int
    source: int
    start: int
    count: int
    value: int
    gated: bool
    after: set[int] = field(default_factory=set)

    @property
    def reads(self) -> set[int]:
        """The buffers that the step reads."""
        return {"read": {self.target}, "copy": {self.source}, "rect": {self.source}}.get(
            self.kind, {self.source, self.target} if self.kind == "kernel" else set()
        )

    @property
    def writes(self) -> set[int]:
        """The buffers that the step writes."""
        return set() if self.kind == "read" else {self.target}


def make_plan(random: Random, steps: int, threads: int, queues: int, buffers: int) -> list[Step]:
    """A random plan with its dependencies."""
    plan: list[Step] = []
    writer: dict[int, int] = {}
    readers: dict[int, set[int]] = {}
    for number in range(steps):
        start = random.randrange(WORDS)
        target, source = random.sample(range(buffers), 2)
        step = Step(
            kind=random.choice(KINDS),
            thread=random.randrange(threads),
            queue=random.randrange(queues),
            target=target,
            source=source,
            start=start,
            count=random.randint(1, WORDS - start),
            value=random.randrange(1 << 16),
            gated=random.random() < 0.05,
        )
        for buffer in step.reads | step.writes:
            step.after |= {writer[buffer]} if buffer in writer else set()
        for buffer in step.writes:
            step.after |= readers.pop(buffer, set())
            writer[buffer] = number
        for buffer in step.reads:
            readers.setdefault(buffer, set()).add(number)
        step.after.discard(number)
        plan.append(step)
    return plan


def pattern(step: Step) -> np.ndarray:
    """The words that a step writes from the host."""
    return np.arange(step.count, dtype=np.uint32) * 7 + np.uint32(step.value)


def replay(plan: list[Step], memory: list[np.ndarray]) -> dict[int, np.ndarray]:
    """Run a plan one step after the other; what each reading step found."""
    found: dict[int, np.ndarray] = {}
    for number, step in enumerate(plan):
        span = slice(step.start, step.start + step.count)
        target, source = memory[step.target], memory[step.source]
        match step.kind:
            case "fill":
                target[span] = step.value
            case "write":
                target[span] = pattern(step)
            case "read":
                found[number] = target[span].copy()
            case "copy":
                target[span] = source[span]
            case "rect":
                target.reshape(-1, 16)[:8, 4:12] = source.reshape(-1, 16)[8:16, 2:10]
            case "kernel":
                target[span] = target[span] * np.uint32(3) + source[span] + np.uint32(step.value)
    return found
