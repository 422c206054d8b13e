"""Remove everything from a module except one function and its dependencies; drop barriers and `convergent`.

Work-items run in loops at this point, so convergence no longer matters.
"""

from weft.ir import Function, Module
from weft.ir.attributes import without


def keep_only(module: Module, function: Function) -> None:
    """Remove all other functions, and declarations without users."""
    for other in module.functions:
        if other is not function and not other.is_declaration:
            for block in other.blocks:
                for instruction in block.instructions:
                    instruction.set_operands(())
            other.blocks.clear()
            del module.globals[other.name or ""]
    for other in module.functions:
        if other.is_declaration and not other.users:
            del module.globals[other.name or ""]
    drop_convergent(module)


def drop_convergent(module: Module) -> None:
    for number, text in module.attribute_groups.items():
        module.attribute_groups[number] = without(text, "convergent")
    # LLVM does not read a group without attributes.
    empty = {f"#{n}" for n, text in module.attribute_groups.items() if not text}
    for function in module.functions:
        function.suffix = tuple(w for w in function.suffix if w != "convergent" and w not in empty)
        for instruction in function.instructions():
            suffix = instruction.attributes.get("suffix")
            if suffix:
                kept = tuple(w for w in suffix if w != "convergent" and w not in empty)
                instruction.attributes["suffix"] = kept
    for reference in empty:
        del module.attribute_groups[int(reference[1:])]
