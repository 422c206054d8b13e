"""Define the pipe functions of a module in terms of library built-ins and plain IR.

clang calls a function with an unmangled name, with size and alignment of a packet as the last arguments:

    %r = call i32 @__read_pipe_2(ptr addrspace(1) %p, ptr addrspace(4) %data, i32 4, i32 4)

becomes a call of

    define internal i32 @weft.read_pipe_2.4.4(ptr addrspace(1) %pipe, ptr addrspace(4) %data) {
      %id = call i64 @_Z24atomic_pipe_reserve_readPU8CLglobalmjj(ptr addrspace(1) %pipe, i32 1, i32 4)
      ...
      %packet = getelementptr i8, ptr addrspace(1) %pipe, i64 %offset
      call void @llvm.memcpy.p4.p1.i64(ptr addrspace(4) align 4 %data, ptr addrspace(1) align 4 %packet, ...)
      call void @_Z23atomic_pipe_commit_readPU8CLglobalmm(ptr addrspace(1) %pipe, i64 %id)

so that the kernel copies the packet, and the variable that receives it can be a register. A pipe is a pointer
to global memory, a reservation id an integer (`weft/builtins/lib/pipe.cl`). For work-group and sub-group
functions the first work-item acts: a reservation is broadcast, and a commit follows a barrier.
"""

import re

from weft.lazy_pattern import lazy_pattern

PIPE_POINTER = "ptr addrspace(1)"
RESERVE_ID = "i64"

_TYPE = lazy_pattern(r'target\("spirv\.(?:(Pipe)"[^)]*|ReserveId")\)( zeroinitializer)?')
_NAME = (
    r"(?:(?:work_group_|sub_group_)?(?:reserve|commit)_(?:read|write)_pipe|(?:read|write)_pipe_[24]"
    r"|get_pipe_(?:num|max)_packets_[rw]o)"
)
# The functions that clang calls.
PIPE_FUNCTION = lazy_pattern(rf"__{_NAME}")
_DECLARED = lazy_pattern(rf"^declare [^\n@]*@__({_NAME})\([^\n]*\n", re.MULTILINE)
_CALL = lazy_pattern(
    rf"^(  [^\n@]*\bcall [^\n@]*)@__({_NAME})\(([^\n]*), i32 (\d+), i32 (\d+)\)(?=[^()\n]*$)", re.MULTILINE
)
_CALLED_YET = lazy_pattern(rf"^  [^\n@]*\bcall [^\n@]*@__({_NAME})\(", re.MULTILINE)
_IDS = lazy_pattern(
    r"^declare [^\n@]*@(_Z19is_valid_reserve_id13ocl_reserveid|__weft_null_reserve_id)\([^\n]*\n",
    re.MULTILINE,
)
# Attributes of functions that work-items call individually, and of those that all of a group call.
_ALONE, _TOGETHER = "#alone", "#together"
_ID_FUNCTIONS = {
    "__weft_null_reserve_id": f"define internal i64 @__weft_null_reserve_id() {_ALONE} {{\n  ret i64 0\n}}\n",
    "_Z19is_valid_reserve_id13ocl_reserveid": f"""\
define internal zeroext i1 @_Z19is_valid_reserve_id13ocl_reserveid(i64 %id) {_ALONE} {{
  %valid = icmp ne i64 %id, 0
  ret i1 %valid
}}
""",
}

# The work-item that acts for the group, the broadcast of its reservation, and the barrier before a commit.
_GROUPS = {
    "work_group": (
        "call i64 @_Z19get_local_linear_idv()",
        "call i64 @_Z20work_group_broadcastmmmm(i64 %own, i64 0, i64 0, i64 0)",
        "call void @_Z7barrierj(i32 3)",
    ),
    "sub_group": (
        "call i32 @_Z22get_sub_group_local_idv()",
        "call i64 @_Z19sub_group_broadcastmj(i64 %own, i32 0)",
        "call void @_Z17sub_group_barrierj(i32 3)",
    ),
}
_BUILTINS = {
    "reserve": (RESERVE_ID, "jj", ("i32", "i32")),
    "packet": ("i64", "mjj", (RESERVE_ID, "i32", "i32")),
    "commit": ("void", "m", (RESERVE_ID,)),
    "num": ("i32", "", ()),
    "max": ("i32", "", ()),
}
_GROUP = lazy_pattern(r"^attributes #(\d+) = ", re.MULTILINE)
_CALLED = lazy_pattern(r"call (\w+) (@[\w.]+)\(([^\n]*)\)")
_ARGUMENT = lazy_pattern(r"(ptr addrspace\(\d\)|\w+)(?: align \d+)? [^,]+(?:, )?")


def has_pipes(ir: str) -> bool:
    """Return whether a module from clang uses pipes or reservations."""
    return 'target("spirv.Pipe"' in ir or 'target("spirv.ReserveId")' in ir


def lower_pipes(ir: str) -> str:
    """Replace pipes by pointers and reservation ids by integers, and define their functions."""

    def replaced(match: re.Match[str]) -> str:
        if match[1]:
            return f"{PIPE_POINTER} null" if match[2] else PIPE_POINTER
        return f"{RESERVE_ID} 0" if match[2] else RESERVE_ID

    return define_pipe_functions(_TYPE.sub(replaced, ir))


def define_pipe_functions(ir: str) -> str:
    """Define the pipe functions that a module declares.

    Calls with an unknown packet size are kept, so that the program is refused.
    """
    declared = set(_DECLARED.findall(ir))
    needed: dict[str, str] = {}

    def specialized(match: re.Match[str]) -> str:
        head, name, arguments, size, alignment = match.groups()
        if name not in declared:
            return match[0]
        symbol = f"weft.{name}.{size}.{alignment}"
        if symbol not in needed:
            needed[symbol] = _definition(symbol, name, int(size), int(alignment))
        return f"{head}@{symbol}({arguments})"

    ir = _CALL.sub(specialized, ir)
    unresolved = set(_CALLED_YET.findall(ir))
    ir = _DECLARED.sub(lambda declaration: declaration[0] if declaration[1] in unresolved else "", ir)
    needed.update((symbol, _ID_FUNCTIONS[symbol]) for symbol in _IDS.findall(ir))
    ir = _IDS.sub("", ir)
    if not needed:
        return ir
    definitions = "\n".join(needed.values())
    # Attributes must be in groups, where the passes that decide on inlining look for them.
    group = 1 + max((int(number) for number in _GROUP.findall(ir)), default=-1)
    words = [f"attributes #{group} = {{ nounwind }}", f"attributes #{group + 1} = {{ convergent nounwind }}"]
    definitions = definitions.replace(_ALONE, f"#{group}").replace(_TOGETHER, f"#{group + 1}")
    return "\n".join((ir.rstrip("\n"), definitions, *_declarations(definitions, ir), *words, ""))


def _builtin(what: str, direction: str, *arguments: str) -> str:
    """Return a call of a pipe built-in."""
    result, mangled, types = _BUILTINS[what]
    name = f"atomic_pipe_{what}_{direction}"
    passed = "".join(f", {type} {value}" for type, value in zip(types, arguments, strict=True))
    return f"call {result} @_Z{len(name)}{name}PU8CLglobalm{mangled}({PIPE_POINTER} %pipe{passed})"


def _definition(symbol: str, name: str, size: int, alignment: int) -> str:
    """Return the definition of a pipe function for a packet size."""
    if name.startswith("get_pipe_"):
        what = "num" if "num" in name else "max"
        return _function("i32", symbol, "", f"  %n = {_builtin(what, 'packets')}\n  ret i32 %n\n")
    direction = "read" if "read_pipe" in name else "write"
    if name.endswith("_2"):
        return _function("i32", symbol, "ptr addrspace(4) %data", _access_one(direction, size, alignment))
    if name.endswith("_4"):
        parameters = "i64 %id, i32 %index, ptr addrspace(4) %data"
        return _function("i32", symbol, parameters, _access(direction, size, alignment))
    group = next((g for g in _GROUPS if name.startswith(g)), "")
    if "reserve" in name:
        return _function("i64", symbol, "i32 %count", _reserve(direction, size, group), bool(group))
    return _function("void", symbol, "i64 %id", _commit(direction, group), bool(group))


def _function(result: str, symbol: str, parameters: str, body: str, converges: bool = False) -> str:
    more = f", {parameters}" if parameters else ""
    words = _TOGETHER if converges else _ALONE
    return f"define internal {result} @{symbol}({PIPE_POINTER} %pipe{more}) {words} {{\nentry:\n{body}}}\n"


def _copy(direction: str, size: int, alignment: int) -> str:
    """Copy a packet at %offset of the pipe to or from %data."""
    # Packets are adjacent, from a start with the largest alignment.
    packet = f"{PIPE_POINTER} align {min(alignment, size & -size or alignment)} %packet"
    data = f"ptr addrspace(4) align {alignment} %data"
    reads = direction == "read"
    spaces, operands = ("p4.p1", f"{data}, {packet}") if reads else ("p1.p4", f"{packet}, {data}")
    return f"""  %packet = getelementptr i8, {PIPE_POINTER} %pipe, i64 %offset
  call void @llvm.memcpy.{spaces}.i64({operands}, i64 {size}, i1 false)
"""


def _access_one(direction: str, size: int, alignment: int) -> str:
    return f"""  %id = {_builtin("reserve", direction, "1", str(size))}
  %refused = icmp eq i64 %id, 0
  br i1 %refused, label %end, label %there
there:
  %offset = {_builtin("packet", direction, "%id", "0", str(size))}
{_copy(direction, size, alignment)}  {_builtin("commit", direction, "%id")}
  br label %end
end:
  %result = phi i32 [ -1, %entry ], [ 0, %there ]
  ret i32 %result
"""


def _access(direction: str, size: int, alignment: int) -> str:
    return f"""  %offset = {_builtin("packet", direction, "%id", "%index", str(size))}
  %refused = icmp slt i64 %offset, 0
  br i1 %refused, label %end, label %there
there:
{_copy(direction, size, alignment)}  br label %end
end:
  %result = phi i32 [ -1, %entry ], [ 0, %there ]
  ret i32 %result
"""


def _reserve(direction: str, size: int, group: str) -> str:
    reserve = _builtin("reserve", direction, "%count", str(size))
    if not group:
        return f"  %id = {reserve}\n  ret i64 %id\n"
    place, broadcast, _ = _GROUPS[group]
    return f"""{_if_first(place)}first:
  %made = {reserve}
  br label %all
all:
  %own = phi i64 [ 0, %entry ], [ %made, %first ]
  %id = {broadcast}
  ret i64 %id
"""


def _commit(direction: str, group: str) -> str:
    commit = _builtin("commit", direction, "%id")
    if not group:
        return f"  {commit}\n  ret void\n"
    place, _, barrier = _GROUPS[group]
    return f"""  {barrier}
{_if_first(place)}first:
  {commit}
  br label %all
all:
  ret void
"""


def _if_first(place: str) -> str:
    type = place.split()[1]
    return f"""  %place = {place}
  %leads = icmp eq {type} %place, 0
  br i1 %leads, label %first, label %all
"""


def _declarations(definitions: str, ir: str) -> list[str]:
    """Return declarations of functions that definitions call and the module does not declare."""
    declarations: dict[str, str] = {}
    for result, symbol, arguments in _CALLED.findall(definitions):
        types = ", ".join(_ARGUMENT.findall(arguments))
        if symbol not in declarations and f"{symbol}(" not in ir:
            waits = "broadcast" in symbol or "barrier" in symbol
            words = "" if symbol.startswith("@llvm.") else " convergent nounwind" if waits else " nounwind"
            declarations[symbol] = f"declare {result} {symbol}({types}){words}"
    return list(declarations.values())
