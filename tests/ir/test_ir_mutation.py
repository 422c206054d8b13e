"""Changing the IR: use lists, moving and erasing, splitting blocks, cloning, building."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_llvm import canonical

from weft import ir
from weft.ir import Block, Instruction
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_blocks, clone_function, clone_instruction
from weft.ir.dominators import dominators
from weft.ir.loops import loop_forest
from weft.ir.printer import print_function
from weft.ir.types import (
    I1,
    I8,
    I32,
    I64,
    PTR,
    VOID,
    ArrayType,
    FunctionType,
    IntType,
    StructType,
    VectorType,
)
from weft.ir.values import ConstantInt, Undef, const_int
from weft.ir.verifier import verify

_LOOP = """define i32 @sum(ptr %p, i32 %n) {
entry:
  %guard = icmp sgt i32 %n, 0
  br i1 %guard, label %body, label %exit

body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %total, %body ]
  %at = getelementptr inbounds i32, ptr %p, i32 %i
  %x = load i32, ptr %at, align 4
  %total = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %exit

exit:
  %result = phi i32 [ 0, %entry ], [ %total, %body ]
  ret i32 %result
}

define i32 @caller(ptr %p) {
  %1 = call i32 @sum(ptr %p, i32 4)
  %2 = call i32 @sum(ptr %p, i32 %1)
  ret i32 %2
}
"""


def _named(fn: ir.Function, name: str) -> ir.Instruction:
    return next(i for i in fn.instructions() if i.name == name)


def _block(fn: ir.Function, name: str) -> ir.Block:
    return next(b for b in fn.blocks if b.name == name)


def _sum() -> ir.Function:
    return ir.parse(_LOOP).function("sum")


# Use lists


def test_replacing_all_uses_moves_every_use() -> None:
    fn = _sum()
    total, x = _named(fn, "total"), _named(fn, "x")
    users = set(total.users)
    total.replace_all_uses_with(x)
    assert not total.users
    assert users <= set(x.users)
    verify(fn)
    total.erase()
    verify(fn)
    assert "total" not in print_function(fn)


def test_an_operand_used_twice_is_counted_twice() -> None:
    module = ir.parse("define i32 @f(i32 %a, i32 %b) {\n  %r = mul i32 %a, %a\n  ret i32 %r\n}\n")
    fn = module.function("f")
    a, b = fn.arguments
    r = _named(fn, "r")
    assert a.users == {r: 2}
    r.set_operand(0, b)
    assert a.users == {r: 1} and b.users == {r: 1}
    r.replace_operand(a, b)
    assert not a.users and b.users == {r: 2}
    r.set_operands([a, const_int(I32, 1)])
    assert a.users == {r: 1} and not b.users
    verify(fn)


def test_functions_know_the_calls_to_them() -> None:
    module = ir.parse(_LOOP)
    calls = list(module.function("sum").users)
    assert [c.called_function for c in calls] == [module.function("sum")] * 2
    copy, _ = clone_function(module.function("sum"), "other")
    module.function("sum").replace_all_uses_with(copy)
    assert not module.function("sum").users and len(copy.users) == 2
    module.remove(module.function("sum"))
    verify(module)
    assert "@sum" not in ir.print_module(module)


def test_constants_do_not_know_their_users() -> None:
    with pytest.raises(TypeError):
        const_int(I32, 1).replace_all_uses_with(const_int(I32, 2))


def test_erasing_a_used_instruction_is_refused() -> None:
    with pytest.raises(AssertionError):
        _named(_sum(), "x").erase()


def test_removing_a_used_global_is_refused() -> None:
    module = ir.parse(_LOOP)
    with pytest.raises(AssertionError):
        module.remove(module.function("sum"))


def test_dropping_a_body_leaves_a_declaration_without_uses() -> None:
    module = ir.parse(_LOOP)
    module.function("caller").drop_body()
    assert module.function("caller").is_declaration
    assert not module.function("sum").users
    verify(module)
    canonical(ir.print_module(module))


def test_moving_an_instruction_keeps_its_uses() -> None:
    fn = _sum()
    following = _named(fn, "next")
    following.move_before(_named(fn, "at"))
    assert [i.name for i in _block(fn, "body")][2:4] == ["next", "at"]
    verify(fn)


def test_phi_entries_have_uses_while_they_exist() -> None:
    fn = _sum()
    result, entry = _named(fn, "result"), fn.entry
    assert result.incoming_from(entry) is result.operands[0]
    result.remove_incoming(entry)
    assert result not in entry.users
    with pytest.raises(KeyError):
        result.incoming_from(entry)
    result.add_incoming(const_int(I32, 7), entry)
    verify(fn)


# Blocks


def test_splitting_a_block_tells_the_phis_of_its_successors() -> None:
    fn = _sum()
    body = _block(fn, "body")
    tail = body.split(4, "tail")
    verify(fn)
    assert fn.blocks.index(tail) == fn.blocks.index(body) + 1
    assert body.successors() == [tail] and tail.predecessors() == [body]
    assert [b for _, b in _named(fn, "i").incoming()] == [fn.entry, tail]
    assert [b for _, b in _named(fn, "result").incoming()] == [fn.entry, tail]
    canonical(print_function(fn))


def test_splitting_after_a_switch_with_repeated_targets_keeps_every_entry() -> None:
    module = ir.parse(
        """define i32 @f(i32 %a) {
entry:
  %b = add i32 %a, 1
  switch i32 %b, label %end [
    i32 1, label %end
    i32 2, label %end
  ]

end:
  %p = phi i32 [ %b, %entry ], [ %b, %entry ], [ %b, %entry ]
  ret i32 %p
}
"""
    )
    fn = module.function("f")
    fn.entry.split(1, "tail")
    verify(fn)
    canonical(print_function(fn))


def test_removing_a_block_releases_what_it_used() -> None:
    fn = _sum()
    exit_block = _block(fn, "exit")
    extra = fn.add_block("extra", after=fn.entry)
    Builder(extra).br(exit_block)
    _named(fn, "result").add_incoming(const_int(I32, 1), extra)
    verify(fn)
    _named(fn, "result").remove_incoming(extra)
    fn.remove_block(extra)
    verify(fn)
    assert extra not in exit_block.predecessors() and extra.function is None


def test_successors_and_predecessors_name_each_block_once() -> None:
    module = ir.parse("define void @f(i1 %c) {\n  br i1 %c, label %x, label %x\n\nx:\n  ret void\n}\n")
    entry, x = module.function("f").blocks
    assert entry.successors() == [x] and x.predecessors() == [entry]
    assert entry.terminator.successors() == [x, x]


# Clones


def test_a_cloned_function_is_independent() -> None:
    module = ir.parse(_LOOP)
    fn = module.function("sum")
    before = print_function(fn)
    copy, values = clone_function(fn, "copy")
    verify(module)
    assert print_function(copy) == before.replace("@sum", "@copy")
    mapped = values[_named(fn, "total")]
    assert isinstance(mapped, ir.Instruction) and mapped.block is values[_block(fn, "body")]
    mapped.attributes["x"] = 1
    mapped.metadata["note"] = "!{}"
    mapped.replace_all_uses_with(const_int(I32, 3))
    copy.arguments[0].name = "renamed"
    copy.blocks[1].split(3)
    assert print_function(fn) == before
    verify(module)


def test_a_loop_can_be_peeled_by_cloning_its_blocks() -> None:
    fn = _sum()
    (loop,) = loop_forest(fn)
    values: ValueMap = {}
    (peeled,) = clone_blocks(list(loop.blocks), fn, values, "peel")
    # The copy runs first: it is entered where the loop was, and goes on to the loop.
    header = loop.header
    fn.entry.terminator.replace_operand(header, peeled)
    peeled.terminator.replace_operand(peeled, header)
    for phi in header.phis():
        copy = values[phi]
        assert isinstance(copy, ir.Instruction)
        onward = copy.incoming_from(peeled)
        first = phi.incoming_from(fn.entry)
        copy.replace_all_uses_with(first)
        phi.remove_incoming(fn.entry)
        phi.add_incoming(values.get(onward, onward), peeled)
    for phi in header.phis():
        copy = values[phi]
        assert isinstance(copy, ir.Instruction)
        copy.erase()
    result = _named(fn, "result")
    result.add_incoming(values[_named(fn, "total")], peeled)
    verify(fn)
    canonical(print_function(fn))
    assert peeled.name == "body.peel"
    assert len(loop_forest(fn)) == 1 and dominators(fn).dominates(peeled, header)


def test_cloning_maps_operands_once_even_when_the_map_swaps_values() -> None:
    module = ir.parse("define i32 @f(i32 %a, i32 %b) {\n  %r = sub i32 %a, %b\n  ret i32 %r\n}\n")
    fn = module.function("f")
    a, b = fn.arguments
    (copy,) = clone_blocks(fn.blocks[:], fn, {a: b, b: a})
    assert copy.instructions[0].operands == [b, a]


def test_a_cloned_instruction_keeps_unmapped_operands() -> None:
    fn = _sum()
    total = _named(fn, "total")
    copy = clone_instruction(total, {_named(fn, "x"): const_int(I32, 5)})
    assert copy.operands[0] is total.operands[0]
    assert isinstance(copy.operands[1], ConstantInt) and copy.block is None
    assert copy in _named(fn, "sum").users
    copy.erase()
    verify(fn)


# Names


def test_equal_names_are_printed_differently() -> None:
    module = ir.Module()
    fn = module.add_function("f", FunctionType(VOID, (I32,)))
    fn.arguments[0].name = "x"
    build = Builder(fn.add_block("x"))
    for _ in range(3):
        build.emit("add", I32, [fn.arguments[0], fn.arguments[0]], "x")
    build.emit("add", I32, [fn.arguments[0], fn.arguments[0]], "x.1")
    build.ret()
    text = ir.print_module(module)
    assert ir.print_module(ir.parse(text)) == text
    canonical(text)


def test_types_are_the_same_object_in_all_threads() -> None:
    barrier = threading.Barrier(4)
    made: list[list[VectorType]] = []

    def make() -> None:
        barrier.wait()
        made.append([VectorType(IntType(1000 + n), 3) for n in range(300)])

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(a is b for row in made for a, b in zip(row, made[0], strict=True))


# The builder


def _builder() -> tuple[Builder, ir.Function]:
    fn = ir.Module().add_function("f", FunctionType(VOID, (I32, PTR, VectorType(I64, 4))))
    return Builder(fn.add_block("entry")), fn


@pytest.mark.parametrize(
    ("opcode", "left", "right", "result"),
    [
        ("add", 0xFFFFFFFF, 2, 1),
        ("sub", 1, 2, 0xFFFFFFFF),
        ("mul", 0x10000, 0x10000, 0),
        ("and", 12, 10, 8),
        ("or", 12, 10, 14),
        ("xor", 12, 10, 6),
    ],
)
def test_arithmetic_on_constants_wraps_like_the_machine(
    opcode: str, left: int, right: int, result: int
) -> None:
    build, fn = _builder()
    folded = build.binary(opcode, const_int(I32, left), const_int(I32, right))
    assert isinstance(folded, ConstantInt) and folded.value == result
    assert not fn.entry.instructions


@pytest.mark.parametrize(
    ("opcode", "neutral"),
    [
        ("add", 0),
        ("sub", 0),
        ("or", 0),
        ("xor", 0),
        ("shl", 0),
        ("lshr", 0),
        ("ashr", 0),
        ("mul", 1),
        ("udiv", 1),
    ],
)
def test_neutral_elements_fold_away(opcode: str, neutral: int) -> None:
    build, fn = _builder()
    assert build.binary(opcode, fn.arguments[0], const_int(I32, neutral)) is fn.arguments[0]
    assert not fn.entry.instructions


def test_what_is_not_neutral_is_emitted() -> None:
    build, fn = _builder()
    value = fn.arguments[0]
    for opcode, constant in (("sub", 1), ("mul", 0), ("and", 0), ("udiv", 0), ("srem", 1)):
        made = build.binary(opcode, value, const_int(I32, constant))
        assert isinstance(made, ir.Instruction) and made.opcode == opcode
    left_zero = build.binary("sub", const_int(I32, 0), value)
    assert isinstance(left_zero, ir.Instruction)
    assert build.add(const_int(I32, 0), value) is value


def test_conversions_of_constants_fold() -> None:
    build, fn = _builder()
    minus = const_int(I8, -1)
    for opcode, type, value in (("sext", I32, 0xFFFFFFFF), ("zext", I32, 0xFF), ("trunc", I1, 1)):
        folded = build.cast(opcode, minus, type)
        assert isinstance(folded, ConstantInt) and folded.type is type and folded.value == value
    assert build.cast("sext", fn.arguments[0], I32) is fn.arguments[0]
    assert build.byte_offset(fn.arguments[1], 0) is fn.arguments[1]
    assert not fn.entry.instructions


def test_a_built_function_is_valid() -> None:
    module = ir.Module()
    pair = StructType((I32, ArrayType(I8, 2)))
    helper = module.add_function("helper", FunctionType(pair, (I32,)))
    table = module.add_variable("table", ArrayType(I32, 4), 1, Undef(ArrayType(I32, 4)))
    fn = module.add_function("f", FunctionType(I32, (I32, PTR, VectorType(I64, 4))))
    n, p, offsets = fn.arguments
    entry, loop, done = (fn.add_block(b) for b in ("entry", "loop", "done"))
    build = Builder(entry)
    slot = build.alloca(I32, 4, "slot")
    build.store(n, slot, 4)
    members = build.call(helper, [n], "members")
    first = build.emit("extractvalue", I32, [members], "first", indices=(0,))
    build.emit("insertvalue", pair, [members, first], indices=(0,))
    lanes = build.gep(I8, p, [offsets], "lanes")
    assert lanes.type is VectorType(PTR, 4)
    build.br(loop)

    build = Builder(loop)
    i = build.phi(I32, "i")
    at = build.gep(ArrayType(I32, 4), table, [const_int(I64, 0), build.cast("zext", i, I64)], "at")
    value = build.load(I32, at, 4, "value")
    following = build.add(i, const_int(I32, 1), "following", ("nuw",))
    chosen = build.select(build.icmp("slt", value, first), value, build.sub(value, first), "chosen")
    build.cond_br(build.icmp("ult", following, n), loop, done)
    i.add_incoming(const_int(I32, 0), entry)
    i.add_incoming(following, loop)
    Builder(done).ret(chosen)
    Builder.at_start(loop).mul(i, i, "square")
    verify(module)
    assert [x.name for x in loop.instructions][:2] == ["i", "square"]
    canonical(ir.print_module(module))


def long_block(count: int) -> Block:
    """A block of so many additions and a return."""
    lines = "".join(f"  %v{k} = add i32 %a, {k}\n" for k in range(count))
    return ir.parse(f"define i32 @f(i32 %a) {{\nentry:\n{lines}  ret i32 %a\n}}\n").function("f").entry


@given(st.lists(st.tuples(st.integers(0, 99), st.sampled_from(("find", "insert", "erase"))), max_size=60))
def test_instructions_are_found_while_others_are_inserted_and_removed(steps: list[tuple[int, str]]) -> None:
    block = long_block(100)
    for place, step in steps:
        at = place % len(block.instructions)
        instruction = block.instructions[at]
        assert block.index(instruction) == at
        if step == "insert":
            new = Builder(block, instruction).emit("freeze", I32, [const_int(I32, place)])
            assert block.instructions[at : at + 2] == [new, instruction]
        elif step == "erase" and not instruction.is_terminator:
            instruction.erase()
            assert instruction not in block.instructions
    with pytest.raises(ValueError):
        block.index(long_block(1).terminator)


def test_walking_a_block_compares_few_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def counted(self: Instruction, other: object) -> bool:
        nonlocal compared
        compared += 1
        return self is other

    block = long_block(1000)
    walked = block.instructions[:-1]
    monkeypatch.setattr(Instruction, "__eq__", counted, raising=False)
    for i in walked:
        Builder(block, i).emit("freeze", I32, [const_int(I32, 0)])
    for i in walked:
        i.erase()
    assert compared < 40 * len(walked)
