"""Random code and random machines, from random numbers."""

import random
from dataclasses import replace

from weft.tta.code import SELECT, Access, Block, Code, Operand, Operation, Phi, Value
from weft.tta.machine import Machine, load_machine
from weft.tta.operations import OPERATIONS

MEMORY = 4096
SPILLS = 2048
BOUND = 1536
_WORDS = (
    "add",
    "sub",
    "mul",
    "and",
    "ior",
    "xor",
    "shl",
    "shr",
    "shru",
    "sxb",
    "min",
    "maxu",
    "fadd",
    "fmul",
    "fsub",
)
_BITS = ("eq", "ne", "lt", "ltu", "leu")


def random_machine(rng: random.Random) -> Machine:
    """A machine like the default one with fewer of everything."""
    machine = load_machine().with_units(rng.choice((1, 2, 4)), rng.choice((4, 8, 32)))
    files = tuple(
        replace(
            f,
            registers=rng.choice((8, 12, 32)),
            read_ports=rng.choice((1, 1, 2)),
            write_ports=rng.choice((1, 1, 2)),
        )
        for f in machine.files
    )
    return replace(
        machine,
        files=files,
        delay_slots=rng.choice((0, 1, 3)),
        long_immediates=rng.choice((1, 4)),
        memory_bytes=MEMORY,
    )


class RandomCode:
    """Blocks of random operations over a small memory: straight, with a branch, or with a loop."""

    def __init__(
        self, rng: random.Random, length: int, most_iterations: int = 3, known_bound: bool = True
    ) -> None:
        self.rng, self.length = rng, length
        self.most_iterations, self.known_bound = most_iterations, known_bound
        self.code = Code([], 0, SPILLS)

    def make(self) -> Code:
        """A program that ends and stores all that it computed."""
        entry, body, end = Block("entry"), Block("body"), Block("end")
        self.code.blocks += [entry, body, end]
        known = self._operations(entry, [], self.length // 3)
        entry.then = body
        counter, following = self.code.new_value(), self.code.new_value()
        phis = [Phi(counter, {entry: 0, body: following})]
        for _ in range(self.rng.randint(0, 6)):
            boolean = self.rng.random() < 0.2
            phis.append(Phi(self.code.new_value(boolean), {entry: self._operand(known, boolean)}))
        body.phis = phis
        inside = self._operations(body, [*known, *(phi.result for phi in phis)], self.length)
        for phi in phis[1:]:
            phi.incoming[body] = self._operand(inside, phi.result.boolean)
        more = self.code.new_value(True)
        bound: Operand = self.rng.randint(1, self.most_iterations)
        if not self.known_bound:
            entry.operations.append(Operation("st32", [BOUND, bound], access=Access("bound", "bound", 0, 4)))
            bound = self.code.new_value()
            entry.operations.append(Operation("ld32", [BOUND], bound, access=Access("bound", "bound", 0, 4)))
        body.operations.append(Operation("add", [counter, 1], following))
        body.operations.append(Operation("ltu", [following, bound], more))
        body.condition, body.then, body.other = more, body, end
        last = self._operations(end, inside, self.length // 3)
        for number, value in enumerate(self.rng.sample(last, min(len(last), 20))):
            end.operations.append(
                Operation("st32", [1024 + 4 * number, value], access=Access("out", "out", 4 * number, 4))
            )
        return self.code

    def _operand(self, known: list[Value], boolean: bool = False) -> Operand:
        fitting = [v for v in known if v.boolean is boolean]
        if not fitting or self.rng.random() < 0.2:
            return (
                self.rng.choice((0, 1))
                if boolean
                else self.rng.choice((0, 1, 7, 0x3F800000, 0xFFFFFFF0, 12345678))
            )
        # Mostly what was computed last, now and then something old.
        return fitting[-1 - min(int(self.rng.expovariate(0.2)), len(fitting) - 1)]

    def _operations(self, block: Block, known: list[Value], count: int) -> list[Value]:
        known = list(known)
        for _ in range(count):
            operation = self._operation(known)
            block.operations.append(operation)
            if operation.result is not None:
                known.append(operation.result)
        return known

    def _operation(self, known: list[Value]) -> Operation:
        rng = self.rng
        bits = [v for v in known if v.boolean]
        guard = (rng.choice(bits), rng.random() < 0.5) if bits and rng.random() < 0.3 else None
        match rng.random():
            case x if x < 0.12:
                place = rng.randrange(16)
                access = Access("data", "data", 4 * place, 4)
                if guard is not None:
                    # A load that does not happen has no result that anybody may use.
                    return Operation("st32", [4 * place, self._operand(known)], guard=guard, access=access)
                return Operation("ld32", [4 * place], self.code.new_value(), access=access)
            case x if x < 0.24:
                place = rng.randrange(16)
                access = Access("data", "data", 4 * place, 4)
                return Operation("st32", [4 * place, self._operand(known)], guard=guard, access=access)
            case x if x < 0.36 and bits:
                boolean = rng.random() < 0.3
                operands: list[Operand] = [
                    rng.choice(bits),
                    self._operand(known, boolean),
                    self._operand(known, boolean),
                ]
                return Operation(SELECT, operands, self.code.new_value(boolean))
            case x if x < 0.5:
                name = rng.choice(_BITS)
                return Operation(
                    name, [self._operand(known), self._operand(known)], self.code.new_value(True)
                )
        name = rng.choice(_WORDS)
        count = OPERATIONS[name].operands
        return Operation(name, [self._operand(known) for _ in range(count)], self.code.new_value())
