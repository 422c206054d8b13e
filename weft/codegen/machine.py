"""LLVM's code generator for a target.

The target machine alone determines the processor's features: `without_processors` drops the attributes that
clang adds to functions.
"""

from functools import cache
from typing import Any

from weft.codegen.binding import complaints, llvm
from weft.lazy_pattern import lazy_pattern
from weft.target import Target

# Quotes inside strings are escaped in LLVM's text form, so these match only attributes.
_PROCESSOR = lazy_pattern(r' ?"(?:target-cpu|tune-cpu|target-features)"="[^"]*"')
_PROCESSOR_NAMES = ('"target-', '"tune-cpu"')


def machine(target: Target, opt_level: int = 3) -> Any:
    """Return LLVM's TargetMachine for a target; one per level for the whole process."""
    return _machine(target.triple, target.cpu, target.features, opt_level)


def without_processors(ir: str) -> str:
    """Remove the target attributes of functions from a module given as text."""
    return _PROCESSOR.sub("", ir) if any(name in ir for name in _PROCESSOR_NAMES) else ir


@cache
def _machine(triple: str, cpu: str, features: str, opt_level: int) -> Any:
    binding = llvm()
    if triple.partition("-")[0] != binding.get_process_triple().partition("-")[0]:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
    with complaints(f"set up code generation for {cpu}"):
        # Position-independent code of the small model: JITLink puts the sections of one object next to each
        # other and reaches everything else through stubs, so no address needs 64 bits in the code.
        return binding.Target.from_triple(triple).create_target_machine(
            cpu=cpu, features=features, opt=opt_level, reloc="pic", codemodel="small", jit=True
        )
