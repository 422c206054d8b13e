"""The first code of a kernel: how much it was used, and what takes its place."""

import ctypes
from collections.abc import Callable

from weft.abi import TIER_BETTER, TIER_CLOCK
from weft.faults import Fault
from weft.group_code import Form, WorkGroupFunction
from weft.kernel import CodeOptions, KernelCode


class FirstCode:
    """First code of one form, which runs until `give_way` has code for the same form."""

    def __init__(
        self,
        code: KernelCode,
        options: CodeOptions,
        form: Form,
        function: WorkGroupFunction,
        finish: "Callable[[FirstCode, bytes | None, Fault | None], None]",
        waits: int,
    ) -> None:
        self.code = code
        self.options = options
        """Those of the code that is to follow."""
        self.form = form
        self.function = function
        self.finish = finish
        """Takes what was compiled for the form, as `compile_form` gives it, or why there is nothing.

        Neither of them: the program ends. It never fails.
        """
        self.asked = False
        """Whether better code was asked for in this process, which happens once even if there is none."""
        self.over = False
        """Whether it has been answered."""
        self.awaited = False
        """Whether a launch waits for that."""
        self.fault: Fault | None = None
        """Why there is no better code."""
        self._waits = waits
        self._better = ctypes.c_uint64.from_address(function.code.data_address + TIER_BETTER)
        self._clock = ctypes.c_uint64.from_address(function.code.data_address + TIER_CLOCK)

    def is_back(self, waits: int) -> bool:
        """Whether the host program has waited for something since the first launch.

        `waits` counts how often it has. Launches before it does belong together; one that comes later is
        most likely one of many.
        """
        return waits != self._waits

    @property
    def ticks(self) -> int:
        """The processor's clock while its work-groups ran."""
        return self._clock.value

    def give_way(self, better: WorkGroupFunction) -> bool:
        """Has `better` run all further work-groups, if it can; whoever calls keeps both alive."""
        if not better.can_follow(self.function):
            return False
        self._better.value = better.address  # an aligned word: threads see all of it or nothing
        return True
