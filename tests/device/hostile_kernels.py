"""Kernels that a program must survive, as a table: what each does, and what the user is told of it.

Each takes a buffer of 1024 ints and a number. `told` is a part of the message that names the kernel; None
means that the kernel may end as it likes, because what it does need not fault.
"""

from dataclasses import dataclass

INVALID = "invalid memory access"
ILLEGAL = "illegal instruction"
DIVISION = "arithmetic exception"
LATE = "longer than WEFT_ISOLATED_SECONDS"
ENDED = "': "  # any message

# Where the parts of the region are, from the first buffer: see protocol.h.
_TO_VARIABLES = 32 << 20
_TO_CODE = _TO_VARIABLES + (1 << 20)
_TO_IMPORTS = _TO_VARIABLES + (256 << 20) + 4096


@dataclass(frozen=True)
class Hostile:
    """A kernel: its body, the number it gets, the work-items of its launch, and what the user is told."""

    name: str
    body: str
    number: int = 0
    items: int = 256
    told: str | None = INVALID
    before: str = ""  # functions, which stay functions

    @property
    def source(self) -> str:
        return f"{self.before} kernel void {self.name}(global int *a, long n) {{ {self.body} }}"


_I = "int i = get_global_id(0); "
_BYTES = "((global char *)a)"

_DISTANCES = {
    "above_512m": 1 << 29,
    "above_64g": 1 << 36,
    "above_1t": 1 << 40,
    "above_16t": 1 << 44,
    "above_all": 1 << 46,
    "not_canonical": 1 << 62,
    "below_512m": -(1 << 29),
    "below_64g": -(1 << 36),
    "below_1t": -(1 << 40),
    "below_16t": -(1 << 44),
}

_ACCESSES = {
    "store": _I + _BYTES + "[n + i] = 7;",
    "load": _I + "a[i] = " + _BYTES + "[n + i];",
}

_STARTS = {  # each walks from somewhere, and writes until it faults
    "up_from_buffer": "volatile global long *p = (volatile global long *)a; for (;; p += 64) *p = n;",
    "down_from_buffer": "volatile global long *p = (volatile global long *)a; for (;; p--) *p = n;",
    "up_from_null": "volatile global long *p = (volatile global long *)8; for (;; p++) *p = n;",
    "up_the_stack": "volatile long x = n; volatile long *p = &x; for (;; p++) *p = n;",
    "down_the_stack": "volatile long x = n; volatile long *p = &x; for (;; p--) *p = n;",
}

_LOOPS = {
    "empty": "while (n == 0) ;",
    "reads": "volatile global int *p = a; while (p[1] != 77) ;",
    "counts": "volatile long x = 0; while (x >= 0) x = (x + 1) & 1023;",
    "one_of_many": _I + "volatile global int *p = a; if (i == 100) while (p[1] != 77) ; a[i] = i;",
    "with_barrier": "volatile global int *p = a; while (p[1] != 77) barrier(CLK_LOCAL_MEM_FENCE);",
    "atomic": "volatile global int *p = a; while (atomic_add(p, 1) != 1 || n == 0) ;",
    "prints_nothing": 'volatile global int *p = a; while (p[1] != 77) if (p[2] == 78) printf("%d", p[3]);',
}

# The table of imports holds addresses of functions of the server: from there its own memory is found.
_SERVER = "global long *table = (global long *)(" + _BYTES + f" - {_TO_IMPORTS - 4096} - 65536L); "
_CONTROL = {
    "server_code": _SERVER + "*(volatile global long *)table[0] = n;",
    "libc_code": _SERVER + "*(volatile global long *)table[1] = n;",
    "up_from_server_code": _SERVER
    + "volatile global long *p = (volatile global long *)((table[0] | 4095) + 1); for (;; p++) *p = n;",
    "all_of_server_data": _SERVER
    + "long page = table[0] & -4096L; for (long k = 0; k < 64; k++)"
    + " ((volatile global long *)(page + k * 4096))[n & 511] = n;",
    "table_of_imports": _SERVER + "table[1] = n;",
}

_DEEP = (
    "__attribute__((noinline)) int deep(global int *a) {{ volatile int big[{count}];"
    " for (int k = 0; k < {count}; k += 256) big[k] = k; return big[a[1] & 1023]; }}"
)

HOSTILE = (
    *(Hostile(f"{a}_{w}", body, n) for w, n in _DISTANCES.items() for a, body in _ACCESSES.items()),
    *(
        Hostile(f"walk_{name}", body, -1, 1, None if "stack" in name else INVALID)
        for name, body in _STARTS.items()
    ),
    *(Hostile(f"loop_{name}", body, told=LATE) for name, body in _LOOPS.items()),
    *(Hostile(f"control_{name}", body, -1, 1) for name, body in _CONTROL.items()),
    Hostile("null_store", "*(volatile global int *)n = 7;"),
    Hostile("null_load", "a[get_global_id(0)] = *(volatile global int *)n;"),
    Hostile("null_and_a_bit", "*(volatile global int *)n = 7;", 4088),
    Hostile("atomic_out_of_bounds", "atomic_inc((volatile global int *)(a + n));", 1 << 40),
    Hostile("vector_out_of_bounds", "vstore16((int16)(1), get_global_id(0), a + n);", 1 << 40),
    Hostile("overwrites_code", "*(volatile global int *)(" + _BYTES + " - n) = 7;", _TO_CODE, 1),
    Hostile("overwrites_imports", "*(volatile global int *)(" + _BYTES + " - n) = 7;", _TO_IMPORTS, 1),
    Hostile(
        "overwrites_variables",
        "for (long k = 8; k < n; k += 8) *(volatile global long *)(" + _BYTES + " - k) = -1;",
        _TO_VARIABLES + 64,
        1,
        None,
    ),
    Hostile("trap", "if (n == 0) __builtin_trap();", told=ILLEGAL),
    Hostile(
        "system_call",
        '__asm__ volatile("movl $39, %%eax\\n\\tsyscall" ::: "memory"); a[0] = n;',
        items=1,
        told="a system call that kernels may not make",
    ),
    Hostile(
        "divides_into_a_trap",  # OpenCL C's own division does not
        '__asm__ volatile("xorl %%ecx, %%ecx\\n\\tidivl %%ecx" ::: "memory");',
        told=DIVISION,
    ),
    Hostile("jump_to_nowhere", '__asm__ volatile("jmp *%0" :: "r"(n) : "memory");', 1 << 40, 1),
    Hostile("trap_in_one_item", "if (get_global_id(0) == 200) __builtin_trap();", told=ILLEGAL),
    Hostile("stack_overflow", "a[0] = deep(a);", items=1, before=_DEEP.format(count="3 << 20")),
    Hostile(
        "stack_overflow_in_all_items", "a[get_global_id(0)] = deep(a);", before=_DEEP.format(count="3 << 20")
    ),
    Hostile("huge_stack_frame", "a[0] = deep(a);", items=1, before=_DEEP.format(count="96 << 20")),
    Hostile(
        "large_private_array",
        "volatile int big[1 << 20]; big[(a[1] & 1) + n] = 3; a[0] = big[a[2] & 1];",
        items=1,
        told=None,
    ),
    Hostile("string_out_of_bounds", 'printf("%s", (constant char *)n);', 8, 1),
)
