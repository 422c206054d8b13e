"""Stacks of sub-groups that wait, also where C compilers check jumps, as those of distributions do."""

import shlex
import subprocess
import sysconfig
from pathlib import Path

import pytest

from weft.device import build_pool

# Sub-groups of 4 of 40 work-items pass a token from the last one to the first, twice around a barrier.
PROGRAM = """
#include <stdio.h>
#include "sub_groups.h"
static uint32_t next, rounds;
static volatile int token;
static _Alignas(128) char stacks[9 << 16];
weft_thread *weft_guard(void) { return 0; }
void weft_unguard(weft_thread *self) { (void)self; }
static void group(const weft_launch *launch, const void *args, void *local, void *context,
                  uint64_t x, uint64_t y, uint64_t z) {
    weft_begin_sub_groups(group, launch, args, local, context, x, y, z, &next, 40, stacks, 1 << 16);
    for (;;) {
        while (next < 40) {
            int mine = next / 4, wanted = 10 * rounds + 9 - mine;
            next += 4;
            while (token != wanted)
                weft_yield();
            token++;
        }
        weft_await_sub_groups();
        if (++rounds == 2)
            break;
        next = 0;
    }
    weft_end_sub_groups();
}
int main(void) {
    group(0, 0, 0, 0, 1, 2, 3);
    printf("%d %d\\n", token, (int)rounds);
}
"""


@pytest.mark.parametrize("more", [(), ("-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2")], ids=["plain", "checks"])
def test_stacks_take_turns_however_they_are_compiled(tmp_path: Path, more: tuple[str, ...]) -> None:
    source, made = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    compiler = shlex.split(sysconfig.get_config_var("CC"))
    files = [str(source), *(str(build_pool.HERE / name) for name in ("sub_groups.c", "sync.c"))]
    options = [*build_pool.COMPILE_ARGUMENTS, *more, f"-I{build_pool.HERE}", "-o", str(made)]
    subprocess.run([*compiler, *files, *options], check=True)
    done = subprocess.run([made], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "20 2\n"), done
