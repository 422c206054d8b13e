"""A stand-in for the compiler whose kernels are the native test functions of the worker pool.

A "source" is a list of kernel names; an unknown name is a build error, so builds, failures and launches can
be tested without the compiler.
"""

from dataclasses import dataclass, field

from weft.device._pool import lib

from weft.abi import SMALL_IDS
from weft.device.memories import Memory
from weft.errors import BuildError, InvalidBuildOptions, UnsupportedError
from weft.kernel import CodeOptions, KernelTraits
from weft.program_variables import ProgramVariables

OPTIONS = CodeOptions(level=2, method="auto")
# Of a kernel whose work-items share memory: it runs in work-groups.
TRAITS = KernelTraits(
    shares_nothing=False,
    queries_group=True,
    dimensions=1,
    column_major=False,
    rows_along_y=False,
    interleaves_bits=False,
    reuses_rows=False,
    shares_columns=False,
    guards_columns=False,
    divergent_exits=(False, False, False),
    benefits_from_noalias=False,
    may_block_progress=False,
    may_wait=False,
    instructions=10,
    own_instructions=10,
    loop_work=(),
)


@dataclass(frozen=True)
class Argument:
    """As weft.frontend.metadata.KernelArgument."""

    name: str
    type_name: str
    address_space: str
    access: str = "none"
    qualifiers: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Info:
    """As weft.frontend.metadata.KernelInfo."""

    name: str
    arguments: tuple[Argument, ...]
    reqd_work_group_size: tuple[int, int, int] | None = None
    work_group_size_hint: tuple[int, int, int] | None = None
    vec_type_hint: str | None = None
    sub_group_size: int | None = None
    attributes: str = ""
    uniform_groups: bool = True


@dataclass(frozen=True)
class Layout:
    """As weft.compiler.ArgumentLayout."""

    kind: str
    size: int
    alignment: int
    offset: int


@dataclass(frozen=True)
class Function:
    """As weft.group_code.WorkGroupFunction."""

    address: int
    local_bytes: int
    requires_noalias: bool = False
    block: tuple[int, int] | None = None
    provisional: bool = False

    def context_bytes(self, size: tuple[int, int, int]) -> int:
        return 0


@dataclass
class Kernel:
    """As weft.compiler.Kernel."""

    name: str
    info: Info
    arguments: tuple[Layout, ...]
    argument_bytes: int
    function: str
    local_bytes: int = 0
    private_bytes: int = 0
    sub_group_size: int = 16
    local_sizes: list[tuple[int, int, int]] = field(default_factory=list)
    id_bits: list[int] = field(default_factory=list)
    traits: KernelTraits = TRAITS
    options: CodeOptions = OPTIONS
    benefits_from_noalias: bool = False
    known: list[tuple[tuple[int, ...], ...]] = field(default_factory=list)

    generic_address: int = 0

    def on(self, memory: Memory) -> "Kernel":
        assert memory.is_host, "the functions of testing.c are in this process"
        return self

    def worth_specializing(self, known: tuple[tuple[int, ...], ...], context: object, item_ns: float) -> bool:
        return bool(known)

    def work_group_function(
        self,
        local_size: tuple[int, int, int],
        id_bits: int = SMALL_IDS,
        known: tuple[tuple[int, ...], ...] = (),
        noalias: bool = False,
        context: object = None,
        non_uniform: bool = False,
    ) -> Function:
        assert not non_uniform
        self.known.append(known)
        self.id_bits.append(id_bits)
        self.local_sizes.append(local_size)
        if self.name == "unsupported":
            raise UnsupportedError("this kernel needs what there is not")
        return Function(lib.weft_test_function(self.function.encode()), self.local_bytes)


POINTER = Argument("p", "float*", "global")
LONG = Argument("n", "ulong", "private")


def _kernel(
    name: str,
    function: str,
    kinds: str,
    required: tuple[int, int, int] | None = None,
    hint: tuple[int, int, int] | None = None,
    local_bytes: int = 0,
) -> Kernel:
    """`kinds`: one letter for each argument: g(lobal), c(onstant), v(alue), l(ocal), i(mage), s(ampler)."""
    names = {"g": "global", "c": "constant", "v": "value", "l": "local", "i": "image", "s": "sampler"}
    info = Info(name, tuple(LONG if kind == "v" else POINTER for kind in kinds), required, hint)
    layouts = tuple(Layout(names[kind], 8, 8, 8 * index) for index, kind in enumerate(kinds))
    return Kernel(name, info, layouts, 8 * len(kinds), function, local_bytes)


def kernels() -> dict[str, Kernel]:
    """All kernels the stand-in knows."""
    known = (
        _kernel("empty", "empty", ""),
        _kernel("add", "add", "ggg"),
        _kernel("count", "count", "g"),
        _kernel("visit", "visit", "g"),
        _kernel("spin", "spin", "v"),
        _kernel("record", "record", "ggv"),
        _kernel("required", "visit", "g", required=(4, 2, 1)),
        _kernel("hinted", "visit", "g", hint=(8, 1, 1)),
        _kernel("locals", "empty", "lvl", local_bytes=100),
        _kernel("constants", "empty", "c"),
        _kernel("pictures", "empty", "is"),
        _kernel("unsupported", "empty", ""),
    )
    return {kernel.name: kernel for kernel in known}


class Program:
    """As weft.compiler.Program."""

    def __init__(self, names: list[str]) -> None:
        known = kernels()
        self.log = "a warning\n"
        self.variables = ProgramVariables("")
        self.kernels = {name: known[name] for name in names}

    def binary(self) -> bytes:
        return b"FAKE " + " ".join(self.kernels).encode()


class FakeCompiler:
    """As the module weft.compiler."""

    def __init__(self) -> None:
        self.builds: list[tuple[str, str]] = []

    def build(
        self,
        source: str,
        options: str,
        *,
        embedded: bool = False,
        only: frozenset[str] | None = None,
        buffers: frozenset[int] = frozenset(),
    ) -> Program:
        self.builds.append((source, options))
        if "-bad" in options:
            raise InvalidBuildOptions("unknown option -bad")
        names = source.split()
        for name in names:
            if name not in kernels():
                raise BuildError(f"error: what is {name}?\n")
        return Program(names)

    def load_binary(self, data: bytes) -> Program:
        if not data.startswith(b"FAKE "):
            raise ValueError("not a binary")
        return Program(data[5:].decode().split())
