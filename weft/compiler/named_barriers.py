"""Define the named barriers of a program (SPIR-V: OpTypeNamedBarrier) in terms of other built-in functions.

    %b = call ptr addrspace(3) @weft.named_barrier_initialize(i32 %count)     ; by all of a work-group
    call void @weft.named_barrier_wait(ptr addrspace(3) %b)                   ; by all of a sub-group

A named barrier is two numbers in local memory: how many sub-groups have arrived so far, and how many meet at
a time. Each arrival is numbered, and its sub-group waits until all that meet with it have arrived:

    if (get_sub_group_local_id() == 0) {
        ulong number = atom_inc(&barrier->arrived);
        while (atomic_load(&barrier->arrived) < number - number % barrier->count + barrier->count);
    }

Nothing is reset, so a sub-group may arrive again before others have left. The loop is one of those in which
sub-groups wait for one another (`analysis/waiting_loops.py`), so all make progress.

A work-group has `MOST_NAMED_BARRIERS` of them. Each initialization takes the next one, cyclically: barriers
that a function creates in several calls, or a loop in its last iterations, are different. Kernels begin with
the first one, which the functions of several linked programs share.
"""

import re
from collections.abc import Sequence

from weft.abi import MOST_NAMED_BARRIERS
from weft.abi import NAMED_BARRIER_INITIALIZE as INITIALIZE
from weft.abi import NAMED_BARRIER_WAIT as WAIT
from weft.codegen.program_text import ProgramText
from weft.lazy_pattern import lazy_pattern

# The variable in local memory that holds the barriers.
BARRIERS_OF_GROUP = "weft.named_barriers"

_DECLARED = lazy_pattern(rf"\ndeclare [^\n@]*@(?:{INITIALIZE}|{WAIT})\([^\n]*")
# The head of a function and the label of its first block.
_HEAD = lazy_pattern(r'\ndefine [^\n]*?@("[^"\n]*"|[-\w.$]+)\([^\n]*\{\n(?:[^ \n;][^\n]*:[^\n]*\n)?')
_GROUP = lazy_pattern(r"\nattributes #(\d+) = ")
_POINTER = "ptr addrspace(3)"
_TYPE = f"{{ i32, [{MOST_NAMED_BARRIERS} x {{ i64, i64 }}] }}"
_NEXT = f"{_POINTER} @{BARRIERS_OF_GROUP}"

_DEFINITIONS = f"""
@{BARRIERS_OF_GROUP} = internal addrspace(3) global {_TYPE} undef, align 8

define internal {_POINTER} @{INITIALIZE}(i32 %count) #together {{
entry:
  call void @_Z7barrierj(i32 1)
  %item = call i64 @_Z19get_local_linear_idv()
  %leads = icmp eq i64 %item, 0
  br i1 %leads, label %first, label %all
first:
  %next = load i32, {_NEXT}, align 8
  %slot = urem i32 %next, {MOST_NAMED_BARRIERS}
  %arrived = getelementptr {_TYPE}, {_NEXT}, i32 0, i32 1, i32 %slot, i32 0
  store i64 0, {_POINTER} %arrived, align 8
  %some = call i32 @llvm.umax.i32(i32 %count, i32 1)
  %wide = zext i32 %some to i64
  %meet = getelementptr {_TYPE}, {_NEXT}, i32 0, i32 1, i32 %slot, i32 1
  store i64 %wide, {_POINTER} %meet, align 8
  %following = add i32 %next, 1
  store i32 %following, {_NEXT}, align 8
  br label %all
all:
  call void @_Z7barrierj(i32 1)
  %after = load i32, {_NEXT}, align 8
  %last = add i32 %after, -1
  %made = urem i32 %last, {MOST_NAMED_BARRIERS}
  %barrier = getelementptr {_TYPE}, {_NEXT}, i32 0, i32 1, i32 %made, i32 0
  ret {_POINTER} %barrier
}}

define internal void @{WAIT}({_POINTER} %barrier) #together {{
entry:
  call void @_Z17sub_group_barrierj(i32 3)
  %item = call i32 @_Z22get_sub_group_local_idv()
  %leads = icmp eq i32 %item, 0
  br i1 %leads, label %first, label %all
first:
  %number = call i64 @_Z8atom_incPU7CLlocalVm({_POINTER} %barrier)
  %meet = getelementptr i64, {_POINTER} %barrier, i32 1
  %count = load i64, {_POINTER} %meet, align 8
  %before = urem i64 %number, %count
  %start = sub i64 %number, %before
  %end = add i64 %start, %count
  br label %waits
waits:
  %arrived = call i64 @_Z11atomic_loadPU7CLlocalVU7_Atomicm({_POINTER} %barrier)
  %missing = icmp ult i64 %arrived, %end
  br i1 %missing, label %waits, label %all
all:
  call void @_Z17sub_group_barrierj(i32 3)
  ret void
}}
"""
# Declarations of the functions that the definitions call.
_CALLED = {
    "_Z7barrierj": "declare void @_Z7barrierj(i32) #together",
    "_Z17sub_group_barrierj": "declare void @_Z17sub_group_barrierj(i32) #together",
    "_Z19get_local_linear_idv": "declare i64 @_Z19get_local_linear_idv()",
    "_Z22get_sub_group_local_idv": "declare i32 @_Z22get_sub_group_local_idv()",
    "_Z8atom_incPU7CLlocalVm": f"declare i64 @_Z8atom_incPU7CLlocalVm({_POINTER})",
    "_Z11atomic_loadPU7CLlocalVU7_Atomicm": (
        f"declare i64 @_Z11atomic_loadPU7CLlocalVU7_Atomicm({_POINTER})"
    ),
    "llvm.umax.i32": "declare i32 @llvm.umax.i32(i32, i32)",
}


def define_named_barriers(ir: str, kernels: Sequence[str]) -> str:
    """Define the functions of named barriers in a whole program, if it declares them."""
    if not _DECLARED.search(ir):
        return ir
    text = ProgramText(ir)
    using = {k for k in kernels if any(INITIALIZE in text.called_by(f) for f in text.reached_from([k]))}

    def begins(head: re.Match[str]) -> str:
        name = head[1].strip('"')
        return f"{head[0]}  store i32 0, {_NEXT}, align 8\n" if name in using else head[0]

    ir = _HEAD.sub(begins, _DECLARED.sub("", f"\n{ir}"))
    words = [line for symbol, line in _CALLED.items() if f" @{symbol}(" not in ir]
    group = 1 + max((int(number) for number in _GROUP.findall(ir)), default=-1)
    added = "\n".join((_DEFINITIONS, *words)).replace("#together", f"#{group}")
    return f"{ir[1:].rstrip()}\n{added}\nattributes #{group} = {{ convergent nounwind }}\n"
