"""The first code of a kernel: how much it was used, and what takes its place."""

import ctypes
import time
from collections.abc import Callable

from weft.abi import TIER_BETTER, TIER_CLOCK
from weft.group_code import Form, WorkGroupFunction
from weft.kernel import CodeOptions, KernelCode

# Better code is compiled after so many launches, or so many ticks of the processor's clock: some 5 ms.
# Compiling takes twenty times as long, but a program that has waited so long is likely to go on.
LAUNCHES = 30
TICKS = 15_000_000


class FirstCode:
    """First code of one form, which runs until `give_way` has code for the same form."""

    def __init__(
        self,
        code: KernelCode,
        options: CodeOptions,
        form: Form,
        function: WorkGroupFunction,
        finish: Callable[["FirstCode", bytes], None],
    ) -> None:
        self.code = code
        self.options = options
        """Those of the code that is to follow."""
        self.form = form
        self.function = function
        self.finish = finish
        """Takes what was compiled for the form, as `compile_form` gives it."""
        self.asked = False
        """Whether better code was asked for, which happens once even if there is none."""
        self.launches = 0
        self.latest = 0.0
        self._better = ctypes.c_uint64.from_address(function.code.data_address + TIER_BETTER)
        self._clock = ctypes.c_uint64.from_address(function.code.data_address + TIER_CLOCK)

    def launched(self) -> None:
        """Counts a launch."""
        self.launches += 1
        self.latest = time.monotonic()

    @property
    def ticks(self) -> int:
        """The processor's clock while its work-groups ran."""
        return self._clock.value

    @property
    def is_due(self) -> bool:
        """Whether it was used so much that better code pays."""
        return not self.asked and (self.launches >= LAUNCHES or self.ticks >= TICKS)

    def give_way(self, better: WorkGroupFunction) -> bool:
        """Has `better` run all further work-groups, if it can; whoever calls keeps both alive."""
        if not better.can_follow(self.function):
            return False
        self._better.value = better.address  # an aligned word: threads see all of it or nothing
        return True
