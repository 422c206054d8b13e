"""Afterwards a module defines one function and what it needs; barriers and `convergent` are gone.

Work-items run in loops now, so nothing depends any more on which of them run an instruction together.
"""

from weft.ir import Function, Module


def keep_only(module: Module, function: Function) -> None:
    """Removes all functions but one, with the declarations nobody uses."""
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
    for number, text in module.attribute_groups.items():
        module.attribute_groups[number] = text.replace("convergent ", "")
    function.suffix = tuple(w for w in function.suffix if w != "convergent")
