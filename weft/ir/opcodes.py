"""The table of opcodes.

It has the arity and effects of each opcode that clang emits for OpenCL C; `form` names the textual form that
the parser and printer share.
"""

from weft.dataclasses import dataclass

INTEGER_FLAGS = ("nuw", "nsw")
FAST_MATH_FLAGS = ("fast", "nnan", "ninf", "nsz", "arcp", "contract", "reassoc", "afn")
INTEGER_PREDICATES = ("eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle")
FLOAT_PREDICATES = (
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true",
)  # fmt: skip

ORDERINGS = ("unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst")
INTEGER_OPERATIONS = (
    "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin",
    "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat",
)  # fmt: skip
FLOAT_OPERATIONS = ("fadd", "fsub", "fmax", "fmin", "fmaximum", "fminimum")
ATOMIC_OPERATIONS = frozenset(("xchg", *INTEGER_OPERATIONS, *FLOAT_OPERATIONS))


@dataclass(frozen=True)
class Opcode:
    """One opcode: textual form, flags it may carry, and its effects."""

    name: str
    form: str
    flags: tuple[str, ...] = ()
    terminator: bool = False
    reads: bool = False
    writes: bool = False


OPCODES: dict[str, Opcode] = {}


def _define(form: str, names: str, flags: tuple[str, ...] = (), **effects: bool) -> None:
    for name in names.split():
        OPCODES[name] = Opcode(name, form, flags, **effects)


_define("ret", "ret", terminator=True)
_define("br", "br", terminator=True)
_define("switch", "switch", terminator=True)
_define("unreachable", "unreachable", terminator=True)
_define("unary", "fneg", FAST_MATH_FLAGS)
_define("binary", "add sub mul shl", INTEGER_FLAGS)
_define("binary", "udiv sdiv lshr ashr", ("exact",))
_define("binary", "urem srem and xor")
_define("binary", "or", ("disjoint",))
_define("binary", "fadd fsub fmul fdiv frem", FAST_MATH_FLAGS)
_define("compare", "icmp", ("samesign",))
_define("compare", "fcmp", FAST_MATH_FLAGS)
_define("cast", "trunc", INTEGER_FLAGS)
_define("cast", "zext uitofp", ("nneg",))
_define("cast", "sext fptoui fptosi sitofp ptrtoint ptrtoaddr inttoptr bitcast addrspacecast")
_define("cast", "fptrunc fpext", FAST_MATH_FLAGS)
_define("phi", "phi", FAST_MATH_FLAGS)
_define("select", "select", FAST_MATH_FLAGS)
_define("freeze", "freeze")
_define("call", "call", FAST_MATH_FLAGS, reads=True, writes=True)
_define("extractelement", "extractelement")
_define("insertelement", "insertelement")
_define("shufflevector", "shufflevector")
_define("extractvalue", "extractvalue")
_define("insertvalue", "insertvalue")
_define("alloca", "alloca")
_define("load", "load", reads=True)
_define("store", "store", writes=True)
_define("fence", "fence", reads=True, writes=True)
_define("cmpxchg", "cmpxchg", reads=True, writes=True)
_define("atomicrmw", "atomicrmw", reads=True, writes=True)
_define("getelementptr", "getelementptr", ("inbounds", "nusw", "nuw"))

CASTS = frozenset(n for n, o in OPCODES.items() if o.form == "cast")
BINARY = frozenset(n for n, o in OPCODES.items() if o.form == "binary")
TERMINATORS = frozenset(n for n, o in OPCODES.items() if o.terminator)
