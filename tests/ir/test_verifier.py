"""The verifier rejects each way to break an invariant, and says where."""

from collections.abc import Callable

import pytest

from weft import ir
from weft.ir.builder import Builder
from weft.ir.function import Function
from weft.ir.instruction import Instruction
from weft.ir.types import (
    I1,
    I8,
    I32,
    I64,
    PTR,
    VOID,
    ArrayType,
    FloatType,
    FunctionType,
    PointerType,
    StructType,
    VectorType,
)
from weft.ir.values import (
    Argument,
    ConstantAggregate,
    ConstantExpression,
    ConstantString,
    ConstantZero,
    Poison,
    Undef,
    Value,
    const_int,
)
from weft.ir.verifier import VerificationError, verify

_MODULE = """@table = global [4 x i32] zeroinitializer

define i32 @f(ptr %p, i32 %n) #0 {
entry:
  %start = add i32 %n, 1
  br label %loop

loop:
  %i = phi i32 [ %start, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %p, i32 %i
  %x = load i32, ptr %at, align 4
  %next = add nuw i32 %i, %x
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  %r = call i32 @g(ptr @table, i32 %next) #0
  ret i32 %r
}

declare i32 @g(ptr, i32)

attributes #0 = { nounwind }
"""

FLOAT = FloatType("float")
V4 = VectorType(I32, 4)


class _Parts:
    """The module, and its values by name."""

    def __init__(self) -> None:
        self.module = ir.parse(_MODULE)
        self.f = self.module.function("f")
        self.g = self.module.function("g")
        self.entry, self.loop, self.exit = self.f.blocks
        self.values = {i.name: i for i in self.f.instructions() if i.name}

    def __getitem__(self, name: str) -> Instruction:
        return self.values[name]

    def insert(
        self, opcode: str, type: ir.types.Type, operands: list[Value], **attributes: object
    ) -> Instruction:
        """Puts an instruction at the end of the last block, where everything is defined."""
        return Builder(self.exit, self.exit.terminator).emit(opcode, type, operands, **attributes)


def _complaints(break_it: Callable[[_Parts], object]) -> str:
    parts = _Parts()
    verify(parts.module)
    break_it(parts)
    with pytest.raises(VerificationError) as caught:
        verify(parts.module)
    assert caught.value.problems
    return str(caught.value)


def _c(value: int) -> Value:
    return const_int(I32, value)


# Module, function, blocks, use lists


def _rename_key(p: _Parts) -> None:
    p.module.globals["other"] = p.module.globals.pop("table")


def _forget_module(p: _Parts) -> None:
    p.g.module = None


def _drop_declaration(p: _Parts) -> None:
    del p.module.globals["g"]


def _bad_initializer(p: _Parts) -> None:
    p.module.variables[0].initializer = _c(1)


def _foreign_global_in_expression(p: _Parts) -> None:
    stranger = Function("stranger", FunctionType(VOID, ()))
    p.insert("ptrtoint", I64, [ConstantExpression("getelementptr", PTR, [stranger], {"element_type": I8})])


def _stray_global_user(p: _Parts) -> None:
    p.g.users[p["x"]] = 1


def _extra_argument(p: _Parts) -> None:
    p.f.arguments.append(Argument(I32, "more", 2))


def _wrong_index(p: _Parts) -> None:
    p.f.arguments[1].index = 5


def _empty_name(p: _Parts) -> None:
    p["x"].name = ""


def _named_void(p: _Parts) -> None:
    p.exit.terminator.name = "result"


def _branch_to_entry(p: _Parts) -> None:
    p.loop.terminator.replace_operand(p.exit, p.entry)
    p.f.remove_block(p.exit)


def _foreign_block(p: _Parts) -> None:
    p.loop.function = p.g


def _block_twice(p: _Parts) -> None:
    p.f.blocks.append(p.loop)


def _wrong_block(p: _Parts) -> None:
    p["x"].block = p.exit


def _instruction_twice(p: _Parts) -> None:
    p.loop.instructions.insert(3, p["x"])


def _no_terminator(p: _Parts) -> None:
    p.exit.terminator.erase()


def _empty_block(p: _Parts) -> None:
    p.f.add_block("empty")


def _two_terminators(p: _Parts) -> None:
    Builder(p.exit, p["r"]).ret(_c(0))


def _late_phi(p: _Parts) -> None:
    phi = p["i"]
    phi.detach()
    p.loop.insert_before(p["next"], phi)


def _branch_to_removed_block(p: _Parts) -> None:
    p.f.remove_block(p.exit)


def _branch_to_block_of_another_function(p: _Parts) -> None:
    other = p.module.add_function("other", FunctionType(VOID, ()))
    block = other.add_block("there")
    Builder(block).ret()
    p.loop.terminator.replace_operand(p.exit, block)


def _phi_without_edge(p: _Parts) -> None:
    p["i"].add_incoming(_c(0), p.exit)


def _phi_misses_edge(p: _Parts) -> None:
    p["i"].remove_incoming(p.entry)


def _phi_needs_entry_per_edge(p: _Parts) -> None:
    p.entry.terminator.set_operands([p["more"], p.loop, p.loop])


def _phi_differs_for_one_block(p: _Parts) -> None:
    p.entry.terminator.set_operands([const_int(I1, 1), p.loop, p.loop])
    p["i"].add_incoming(_c(3), p.entry)


def _detached_operand(p: _Parts) -> None:
    p["x"].detach()


def _operand_of_another_function(p: _Parts) -> None:
    p["next"].set_operand(1, Argument(I32, "alien", 0))


def _block_operand(p: _Parts) -> None:
    p["next"].set_operand(1, p.loop)


def _use_in_front_of_definition(p: _Parts) -> None:
    p["at"].set_operand(1, p["next"])


def _use_beside_definition(p: _Parts) -> None:
    p["start"].set_operand(0, p["next"])


def _phi_use_not_dominated(p: _Parts) -> None:
    p["i"].set_operand(0, p["next"])


def _unknown_user(p: _Parts) -> None:
    p["next"].operands[1] = p["start"]


def _stale_user(p: _Parts) -> None:
    p["start"].users[p["r"]] = 1


def _miscounted(p: _Parts) -> None:
    p["x"].users[p["next"]] = 2


def _dangling_metadata(p: _Parts) -> None:
    p["x"].metadata["range"] = "!9"


def _dangling_metadata_node(p: _Parts) -> None:
    p.module.metadata[0] = "!{!5}"


def _dangling_function_metadata(p: _Parts) -> None:
    p.f.metadata["note"] = "!7"


def _dangling_group(p: _Parts) -> None:
    p.module.attribute_groups.clear()


@pytest.mark.parametrize(
    ("break_it", "complaint"),
    [
        (_rename_key, "@table stands in the module as @other"),
        (_forget_module, "@g does not belong to the module"),
        (_drop_declaration, "@g is not in the module"),
        (_bad_initializer, "[4 x i32] is initialised with i32"),
        (_foreign_global_in_expression, "@stranger is not in the module"),
        (_stray_global_user, "the use list of @g does not match"),
        (_extra_argument, "the arguments do not match the type"),
        (_wrong_index, "argument 1 says it is number 5"),
        (_empty_name, "empty name"),
        (_named_void, "a result of type void has the name 'result'"),
        (_branch_to_entry, "a branch to the entry block"),
        (_foreign_block, "block %loop does not belong to the function"),
        (_block_twice, "block %loop stands twice"),
        (_wrong_block, "does not belong to it"),
        (_instruction_twice, "an instruction stands twice"),
        (_no_terminator, "block %exit does not end with a terminator"),
        (_empty_block, "block %empty does not end with a terminator"),
        (_two_terminators, "a terminator in the middle of a block\n    ret i32 0"),
        (_late_phi, "a phi after other instructions"),
        (_branch_to_removed_block, "block %exit is not in the function"),
        (_branch_to_block_of_another_function, "block %there is not in the function"),
        (_phi_without_edge, "1 entries for the 0 edges from %exit"),
        (_phi_misses_edge, "no value for the edge from %entry"),
        (_phi_needs_entry_per_edge, "1 entries for the 2 edges from %entry"),
        (_phi_differs_for_one_block, "different values for the edges from %entry"),
        (_detached_operand, "%x (load) is not in the function"),
        (_operand_of_another_function, "is no argument of the function"),
        (_block_operand, "a block as an operand"),
        (_use_in_front_of_definition, "does not dominate its use in\n    %at = getelementptr"),
        (_use_beside_definition, "does not dominate its use in\n    %start = add i32 %next, 1"),
        (_phi_use_not_dominated, "does not dominate its use in\n    %i = phi"),
        (_unknown_user, "does not know this user\n    %next = add nuw i32 %i, %start"),
        (_stale_user, "counts 1 uses where there are 0"),
        (_miscounted, "counts 2 uses where there are 1"),
        (_dangling_metadata, "metadata !9 does not exist\n    %x = load"),
        (_dangling_metadata_node, "metadata refers to !5"),
        (_dangling_function_metadata, "metadata !7 does not exist"),
        (_dangling_group, "attribute group #0 does not exist"),
    ],
)
def test_structure_that_breaks_an_invariant_is_rejected(
    break_it: Callable[[_Parts], object], complaint: str
) -> None:
    assert complaint in _complaints(break_it)


# Types of instructions: (opcode, result, operands, attributes, complaint)

_P = Undef(PTR)
_F = Undef(FLOAT)
_V = Undef(V4)
_I1 = const_int(I1, 1)
_PAIR = Undef(StructType((I32, FLOAT)))
_ATOMIC = {"atomic": True, "align": 4}

_BAD = [
    ("frob", I32, [], {}, "unknown opcode 'frob'"),
    ("add", I32, [_c(1)], {}, "add has 1 operands, not 2"),
    ("add", I32, [_c(1), const_int(I64, 1)], {}, "operands of different types i32 and i64"),
    ("add", FLOAT, [_F, _F], {}, "add of float"),
    ("fadd", I32, [_c(1), _c(1)], {}, "fadd of i32"),
    ("add", I64, [_c(1), _c(1)], {}, "the result is i64, not i32"),
    ("fneg", I32, [_c(1)], {}, "fneg of i32"),
    ("icmp", I1, [_F, _F], {"predicate": "eq"}, "icmp of float"),
    ("icmp", I1, [_c(1), _c(1)], {"predicate": "oeq"}, "'oeq' is no predicate of icmp"),
    ("icmp", I32, [_c(1), _c(1)], {"predicate": "eq"}, "the result is i32, not i1"),
    ("fcmp", I1, [_V, _V], {"predicate": "oeq"}, "fcmp of <4 x i32>"),
    ("trunc", I64, [_c(1)], {}, "wrong way"),
    ("zext", I8, [_c(1)], {}, "wrong way"),
    ("fpext", FLOAT, [_F], {}, "wrong way"),
    ("sext", V4, [_c(1)], {}, "sext from i32 to <4 x i32>"),
    ("fptosi", I32, [_c(1)], {}, "fptosi from i32 to i32"),
    ("bitcast", I64, [_c(1)], {}, "bitcast from i32 to i64"),
    ("bitcast", I64, [_P], {}, "bitcast from ptr to i64"),
    ("addrspacecast", PTR, [_P], {}, "to itself"),
    ("inttoptr", PTR, [_F], {}, "inttoptr from float to ptr"),
    ("select", I32, [_c(1), _c(1), _c(1)], {}, "the condition is i32"),
    ("select", I32, [_I1, _c(1), _F], {}, "alternatives of different types i32 and float"),
    ("extractelement", I32, [_c(1), _c(0)], {}, "extractelement of i32"),
    ("insertelement", V4, [_V, _F, _c(0)], {}, "insertelement of float into <4 x i32>"),
    ("insertelement", V4, [_V, _c(0), _F], {}, "insertelement into <4 x i32> at float"),
    ("shufflevector", V4, [_V, _c(1), _V], {}, "shufflevector of <4 x i32> and i32"),
    (
        "shufflevector",
        VectorType(I32, 1),
        [_V, _V, ConstantAggregate(VectorType(I32, 1), [_c(8)])],
        {},
        "the mask names element 8 of 8",
    ),
    ("shufflevector", V4, [_V, _V, ConstantZero(VectorType(I64, 4))], {}, "not a vector of i32"),
    ("extractvalue", I32, [_PAIR], {"indices": (2,)}, "has no member (2,)"),
    ("extractvalue", I32, [_PAIR], {"indices": ()}, "without indices"),
    ("extractvalue", I32, [_PAIR], {"indices": (1,)}, "the result is i32, not float"),
    ("insertvalue", _PAIR.type, [_PAIR, _F], {"indices": (0,)}, "is i32, not float"),
    ("alloca", PTR, [], {"allocated": VOID}, "alloca of void"),
    ("alloca", PTR, [_F], {"allocated": I32}, "the count is float"),
    ("alloca", PTR, [], {"allocated": I32, "align": 3}, "the alignment 3 is no power of two"),
    ("alloca", PTR, [], {"allocated": I32, "addrspace": 5}, "the result is ptr, not ptr addrspace(5)"),
    ("load", I32, [_c(1)], {}, "load through i32"),
    ("load", VOID, [_P], {}, "load of void"),
    ("load", I32, [_P], {"atomic": True, "ordering": "acquire"}, "an atomic load needs an alignment"),
    ("load", I32, [_P], {**_ATOMIC, "ordering": "release"}, "load cannot have the ordering 'release'"),
    ("load", I32, [_P], {"ordering": "acquire"}, "has an ordering but is not atomic"),
    ("load", _PAIR.type, [_P], {**_ATOMIC, "ordering": "acquire"}, "an atomic load of { i32, float }"),
    ("store", VOID, [_c(1)], {}, "store has 1 operands, not 2"),
    (
        "store",
        VOID,
        [_c(1), _P],
        {**_ATOMIC, "ordering": "acquire"},
        "store cannot have the ordering 'acquire'",
    ),
    ("store", I32, [_c(1), _P], {}, "the result is i32, not void"),
    ("fence", VOID, [], {"ordering": "monotonic"}, "fence cannot have the ordering 'monotonic'"),
    ("cmpxchg", I32, [_P, _c(1), _c(1)], {"success": "seq_cst", "failure": "seq_cst"}, "not { i32, i1 }"),
    (
        "cmpxchg",
        StructType((I32, I1)),
        [_P, _c(1), _c(1)],
        {"success": "seq_cst", "failure": "release"},
        "cmpxchg cannot have the ordering 'release'",
    ),
    (
        "cmpxchg",
        StructType((FLOAT, I1)),
        [_P, _F, _F],
        {"success": "seq_cst", "failure": "seq_cst"},
        "cmpxchg of float and float",
    ),
    ("atomicrmw", FLOAT, [_P, _F], {"operation": "add", "ordering": "seq_cst"}, "atomicrmw add of float"),
    ("atomicrmw", I32, [_P, _c(1)], {"operation": "fadd", "ordering": "seq_cst"}, "atomicrmw fadd of i32"),
    ("atomicrmw", I32, [_P, _c(1)], {"operation": "frob", "ordering": "seq_cst"}, "atomicrmw frob"),
    ("atomicrmw", I32, [_P, _c(1)], {"operation": "add", "ordering": "unordered"}, "ordering 'unordered'"),
    ("getelementptr", PTR, [_c(1)], {"element_type": I32}, "getelementptr of i32"),
    ("getelementptr", PTR, [_P, _F], {"element_type": I32}, "an index is float"),
    ("getelementptr", PTR, [_P, _c(0), _c(2)], {"element_type": _PAIR.type}, "has no field 2"),
    ("getelementptr", PTR, [_P, _c(0), _c(0)], {"element_type": I32}, "cannot index i32"),
    ("getelementptr", PTR, [_P, _V], {"element_type": I32}, "the result is ptr, not <4 x ptr>"),
    ("getelementptr", PTR, [_P], {}, "needs an element type"),
    ("getelementptr", PTR, [_P], {"element_type": VOID}, "whose size is not known"),
    ("call", I32, [_P], {}, "call needs a function type"),
    ("call", I32, [_F, _P], {"function_type": FunctionType(I32, (I32,))}, "argument 0 is float, not i32"),
    ("call", I32, [_P], {"function_type": FunctionType(I32, (I32,))}, "0 arguments for 1 parameters"),
    ("call", I32, [_c(1)], {"function_type": FunctionType(I32, ())}, "the callee is i32"),
    ("call", I64, [_P], {"function_type": FunctionType(I32, ())}, "the result is i64, not i32"),
    (
        "call",
        VOID,
        [_P],
        {"function_type": FunctionType(VOID, ()), "bundles": (("x", 1),)},
        "the operand bundles take 1 operands of 0",
    ),
    (
        "call",
        VOID,
        [_c(1), _P],
        {"function_type": FunctionType(VOID, (I32,)), "argument_attributes": ((), ())},
        "attributes for 2 of 1 arguments",
    ),
    ("freeze", I32, [Undef(VOID)], {}, "an operand of type void"),
    (
        "freeze",
        ArrayType(I32, 2),
        [ConstantAggregate(ArrayType(I32, 2), [_c(1)])],
        {},
        "a constant of type [2 x i32] whose elements do not match it",
    ),
    ("freeze", ArrayType(I8, 2), [ConstantString(ArrayType(I8, 2), b"abc")], {}, "a string of 3 bytes"),
    ("freeze", I8, [ConstantExpression("trunc", I8, [const_int(I8, 1)])], {}, "trunc from i8 to i8"),
    ("freeze", I32, [ConstantExpression("add", I32, [_c(1), _F])], {}, "a constant add of different types"),
    (
        "freeze",
        PTR,
        [ConstantExpression("getelementptr", PTR, [_c(1)], {"element_type": I8})],
        {},
        "getelementptr of i32",
    ),
    ("phi", I32, [_c(1)], {}, "pairs of value and block"),
    ("unreachable", VOID, [_c(1)], {}, "unreachable has 1 operands, not 0"),
]


@pytest.mark.parametrize(("opcode", "type", "operands", "attributes", "complaint"), _BAD)
def test_an_instruction_with_wrong_types_is_rejected(
    opcode: str, type: ir.types.Type, operands: list[Value], attributes: dict[str, object], complaint: str
) -> None:
    assert complaint in _complaints(lambda p: p.insert(opcode, type, list(operands), **attributes))


def _flag(p: _Parts) -> None:
    p["next"].flags = ("exact",)


def _flag_twice(p: _Parts) -> None:
    p["next"].flags = ("nuw", "nuw")


def _call_type(p: _Parts) -> None:
    p["r"].attributes["function_type"] = FunctionType(I32, (PTR, I64))


def _condition(p: _Parts) -> None:
    p.loop.terminator.set_operand(0, p["x"])


def _return_type(p: _Parts) -> None:
    p.exit.terminator.set_operand(0, Poison(FLOAT))


def _return_nothing(p: _Parts) -> None:
    p.exit.terminator.set_operands([])


def _phi_type(p: _Parts) -> None:
    p["i"].set_operand(0, Poison(FLOAT))


def _switch_case_twice(p: _Parts) -> None:
    p.entry.terminator.erase()
    Builder(p.entry).emit("switch", VOID, [p["start"], p.loop, _c(1), p.exit, _c(1), p.exit])


def _switch_case_type(p: _Parts) -> None:
    p.entry.terminator.erase()
    Builder(p.entry).emit("switch", VOID, [p["start"], p.loop, const_int(I8, 1), p.exit])


def _target_is_a_number(p: _Parts) -> None:
    p.entry.terminator.set_operands([_c(1)])


@pytest.mark.parametrize(
    ("break_it", "complaint"),
    [
        (_flag, "add cannot carry the flag 'exact'\n    %next = add exact i32 %i, %x"),
        (_flag_twice, "a flag is given twice"),
        (_call_type, "@g is i32 (ptr, i32), called as i32 (ptr, i64)"),
        (_condition, "the condition is i32, not i1"),
        (_return_type, "a function of type i32 returns float"),
        (_return_nothing, "a function of type i32 returns no value"),
        (_phi_type, "a phi of type i32 takes a value of type float"),
        (_switch_case_twice, "the case 1 stands twice"),
        (_switch_case_type, "not a constant of type i32"),
        (_target_is_a_number, "not a block"),
    ],
)
def test_an_instruction_at_odds_with_its_function_is_rejected(
    break_it: Callable[[_Parts], object], complaint: str
) -> None:
    assert complaint in _complaints(break_it)


def test_every_problem_is_listed() -> None:
    parts = _Parts()
    parts["next"].flags = ("exact",)
    parts["x"].metadata["range"] = "!9"
    parts.f.metadata["note"] = "!7"
    with pytest.raises(VerificationError) as caught:
        verify(parts.module)
    assert len(caught.value.problems) == 3


def test_one_function_can_be_verified_alone() -> None:
    parts = _Parts()
    verify(parts.f)
    parts["next"].flags = ("exact",)
    with pytest.raises(VerificationError):
        verify(parts.f)
    verify(parts.g)


def test_code_that_cannot_be_reached_may_use_what_does_not_dominate_it() -> None:
    parts = _Parts()
    dead = parts.f.add_block("dead")
    Builder(dead).ret(parts["next"])
    verify(parts.module)


def test_a_declaration_needs_no_blocks() -> None:
    module = ir.Module()
    module.add_function("f", FunctionType(VOID, (PointerType(3),)))
    verify(module)
