"""The terms of addresses say where accesses go: compared with every access of interpreted kernels."""

from collections.abc import Mapping
from typing import Any

import pytest
from kernel_case import KernelCase, Range, all_cases, sampled
from kernel_ways import interpret, link, the_kernel, variables

from weft import abi, ir
from weft.analysis.address_terms import (
    GLOBAL_BLOCK,
    LOCAL_BLOCK,
    AddressTerm,
    NotExpressible,
    kernel_terms,
)
from weft.analysis.consecutive import without_pointer
from weft.analysis.shape import X
from weft.analysis.shapes import shapes
from weft.builtins.library import link_in
from weft.codegen.host import host_target
from weft.compiler.builtin_flags import builtin_flags
from weft.integers import signed
from weft.interp.poison import POISON
from weft.interp.workitem import WorkItem
from weft.ir import Argument, GlobalVariable, Instruction, Value
from weft.ir.dominators import dominators
from weft.smt.evaluate import Program
from weft.smt.terms import inputs

WIDTH = 4
LARGEST = 512
CASES = [case for case in all_cases() if case.error is None]


class AddressObserver:
    """Compares each access with its term; `problems` are those that differ, `checked` counts the others."""

    def __init__(self, addresses: Mapping[Instruction, AddressTerm], arguments: Mapping[str, Any]) -> None:
        self.addresses, self.arguments = addresses, arguments
        self.problems: list[str] = []
        self.checked = 0
        self.values: dict[tuple[WorkItem, Value], Any] = {}
        self.programs = {i: Program(without_pointer(a.term), False) for i, a in addresses.items()}

    def value(self, item: WorkItem, instruction: Instruction, value: Any) -> None:
        self.values[item, instruction] = value

    def load(self, item: WorkItem, pointer: Any, size: int, instruction: Instruction) -> None:
        self._check(item, pointer, instruction)

    def store(self, item: WorkItem, pointer: Any, size: int, instruction: Instruction) -> None:
        self._check(item, pointer, instruction)

    def _check(self, item: WorkItem, pointer: Any, instruction: Instruction) -> None:
        address = self.addresses.get(instruction)
        if address is None or not _starts_at_an_object(address):
            return
        lane = item.local_id[0] % WIDTH
        given = {GLOBAL_BLOCK: item.global_id[0] - lane, LOCAL_BLOCK: item.local_id[0] - lane}
        for key, leaf in address.facts.inputs(address.term).items():
            value = address.values.get(leaf)
            number = self._number(item, value) if value is not None else None
            if number is not None:
                given[key] = number
        needed = inputs(without_pointer(address.term)).keys()
        if not needed <= given.keys():
            return
        found = self.programs[instruction].run(lane, given)
        expected = pointer[1]
        if found is None or signed(found, 64) != expected:
            self.problems.append(f"{address.term} is {found}, the access of {item} is at {expected}: {given}")
        self.checked += 1
        self._check_facts(address, given, lane)

    def _number(self, item: WorkItem, value: Value) -> int | None:
        if isinstance(value, Argument):
            number = self.arguments.get(value.name or "")
            return int(number) if isinstance(number, int) else None
        found = self.values.get((item, value))
        return found if isinstance(found, int) and found is not POISON else None

    def _check_facts(self, address: AddressTerm, given: Mapping[str, int], lane: int) -> None:
        for term in address.facts.terms():
            known = inputs(term).keys()
            if known & {GLOBAL_BLOCK, LOCAL_BLOCK} or not known <= given.keys():
                continue  # blocks start where the test says
            value = Program(term, False).run(lane, given)
            low, high = address.facts.ranges.get(term, (0, 1 << 64))
            modulus, rest = address.facts.residues.get(term, (1, 0))
            below, above = address.facts.signed_ranges.get(term, (-1 << 64, 1 << 64))
            assert value is not None
            right = low <= value <= high and value % modulus == rest
            if not right or not below <= signed(value, term.width) <= above:
                self.problems.append(f"{term} is {value}, against {address.facts.lines()}")


def _starts_at_an_object(address: AddressTerm) -> bool:
    """Whether the pointer that the term starts from is the start of an object, from which bytes count."""
    start = address.term
    while start.op == "add":
        start = start.args[0]
    value = address.values.get(start)
    return isinstance(value, Argument | GlobalVariable)


@pytest.mark.parametrize("case", sampled(CASES, 2))
def test_terms_say_where_accesses_go(case: KernelCase) -> None:
    for launch in case.launches[:1]:
        if max(launch.global_size) <= LARGEST:
            assert observed(case, launch).problems == []


def observed(case: KernelCase, launch: Range) -> AddressObserver:
    kernel = the_kernel(case)
    library = link_in(kernel.code.builtins, host_target(), builtin_flags(kernel.options))
    module = ir.parse(link([kernel.code.text, *library.modules, *variables(kernel)]))
    function = module.function(kernel.name)
    found = shapes(function, launch.triple(launch.local_size), launch.id_bits > abi.INT_IDS)
    terms, tree = kernel_terms(found, WIDTH), dominators(function)
    addresses: dict[Instruction, AddressTerm] = {}
    for i in function.instructions():
        if i.opcode in ("load", "store") and i.block in tree:
            assert i.block is not None
            try:
                addresses[i] = terms.access(i, tree, masked=not found.runs_uniformly(i.block, X))
            except NotExpressible:
                continue
    arguments = case.make_arguments(launch)
    observer = AddressObserver(addresses, arguments)
    interpret(module, case, launch, arguments, (observer,))
    return observer


def test_most_accesses_of_plain_kernels_are_checked() -> None:
    case = next(c for c in CASES if c.name == "plain/vector_add")
    assert observed(case, case.launches[0]).checked >= 3 * case.launches[0].global_size[0]
