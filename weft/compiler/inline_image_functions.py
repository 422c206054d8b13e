"""Inline image functions whose format and sampler are known, so that they are vectorized.

    %c = call <4 x float> @read_imagef.i5.2.s20(ptr %image, ptr %sampler, <2 x i32> %at)
        becomes
    %width = load i32, ptr addrspace(2) %field, !invariant.load !0, !weft.descriptor !1
    %x.1 = call i32 @llvm.smax.i32(i32 %x, i32 0)
    %x.2 = call i32 @llvm.smin.i32(i32 %x.1, i32 %last)
    … %pixel = load <4 x i8>, ptr addrspace(1) %address …

What remains of such a function is straight-line code: clamped coordinates, an address, a load, a conversion.
It is inlined before vectorization, so the vectorizer treats it like other code of the kernel: adjacent
work-items that read adjacent pixels load a vector, others gather, and writes are masked. Queries are inlined
too. LLVM inlines and simplifies, so reads of one image share computations.

Refuses generic functions, and functions whose copies would be too large (`Limits.images`); functions outside
inner loops are refused first. Requires and establishes canonical form.
"""

from collections import defaultdict
from enum import unique

from weft import ir
from weft.analysis.memory_effects import DESCRIPTOR, is_image_query
from weft.builtins.images import is_specialized, takes_image
from weft.builtins.library import instructions, link_in
from weft.codegen.canonicalise import inline_parts
from weft.compiler.builtin_flags import builtin_flags
from weft.compiler.compilation_unit import CompilationUnit
from weft.ir import Argument, Function, Instruction
from weft.ir.address_spaces import CONSTANT
from weft.ir.loops import loop_forest
from weft.ir.slices import chain_start
from weft.ir.types import address_space
from weft.remarks import Message

_TO_BASE = ("getelementptr", "inttoptr", "ptrtoint", "addrspacecast", "bitcast")


@unique
class InlinedImages(Message):
    """What was done to calls of image functions."""

    INLINED = "{count} calls of the image function {symbol} inlined, to run in SIMD lanes"
    TOO_LARGE = "{count} calls of the image function {symbol} not inlined: the code would be too long"


def inline_image_functions(unit: CompilationUnit) -> int:
    """Inline the specialized image functions of a kernel; return the number of inlined calls."""
    calls: dict[str, list[Instruction]] = defaultdict(list)
    queries: dict[str, list[Instruction]] = defaultdict(list)
    for i in unit.function.instructions():
        name = i.callee_name
        if takes_image(name):
            if is_image_query(i):
                queries[name].append(i)
            elif is_specialized(name):
                calls[name].append(i)
    if not calls:
        return 0
    calls |= queries
    definitions = _definitions(unit, calls)
    sizes = {name: instructions([module])[name] for name, module in definitions.items()}
    chosen = _chosen(unit, {name: calls[name] for name in definitions}, sizes)
    for name in calls:
        message = InlinedImages.INLINED if name in chosen else InlinedImages.TOO_LARGE
        remark = unit.remarks.passed if name in chosen else unit.remarks.missed
        if name in chosen or name in definitions:
            remark(message, calls[name][0], count=len(calls[name]), symbol=name)
    if not chosen:
        return 0
    parts = [definitions[name] for name in chosen]
    kernel = unit.function.name or ""
    text = inline_parts(ir.print_module(unit.module), unit.target, parts)
    unit.module.become(ir.parse(text))
    unit.function = unit.module.function(kernel)
    unit.remarks.attach(unit.function, text)
    _mark_descriptors(unit.function)
    unit.inlines_images = True
    return sum(len(calls[name]) for name in chosen)


def _definitions(unit: CompilationUnit, symbols: dict[str, list[Instruction]]) -> dict[str, str]:
    """Return the modules of image functions by symbol, for those that are single functions.

    Without clang, the library provides functions for any format instead, which call others.
    """
    modules = {}
    for module in link_in(symbols, unit.target, builtin_flags(unit.options), unit.brought).modules:
        defined = instructions([module])
        if len(defined) == 1:
            modules[next(iter(defined))] = module
    return {name: modules[name] for name in symbols if name in modules}


def _chosen(unit: CompilationUnit, calls: dict[str, list[Instruction]], sizes: dict[str, int]) -> list[str]:
    """Return the functions to inline: those in inner loops first, then those that add the least code."""
    forest = loop_forest(unit.function)
    depth = {name: max(forest.depth(i.parent) for i in of_symbol) for name, of_symbol in calls.items()}
    grown = {name: len(of_symbol) * sizes[name] for name, of_symbol in calls.items()}
    left = unit.limits.images
    chosen = []
    for name in sorted(calls, key=lambda name: (-depth[name], grown[name], name)):
        if grown[name] <= left:
            left -= grown[name]
            chosen.append(name)
    return chosen


def _mark_descriptors(function: Function) -> None:
    """Mark loads from image descriptors, which exist as long as the kernel runs."""
    node = ""
    for i in function.instructions():
        if i.opcode != "load" or address_space(i.operands[0].type) != CONSTANT or not _is_descriptor(i):
            continue
        node = node or function.parent.add_metadata("!{}")
        i.metadata[DESCRIPTOR] = node


def _is_descriptor(load: Instruction) -> bool:
    """Whether a load is from what an argument without address space points to: such arguments are images."""
    if "invariant.load" not in load.metadata:
        return False
    base = chain_start(load.operands[0], _TO_BASE)
    return isinstance(base, Argument) and address_space(base.type) == 0
