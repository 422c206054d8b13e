"""The plain code of kernels: what they start with, and stay with when they cannot be optimized."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from weft.codegen.cache import Cache
from weft.group_code import Form, WorkGroupFunction, compile_form, load_form
from weft.kernel import CodeOptions, KernelCode


class Baseline:
    """Compiles the plain code of one kernel or takes it from the cache; `options` are those of the best."""

    def __init__(
        self, code: KernelCode, options: CodeOptions, key: Callable[[Form, CodeOptions], str]
    ) -> None:
        self._code, self._options, self._key = code, options.first_tier(), key

    def load(self, form: Form, store: Cache) -> WorkGroupFunction:
        """The code of a form."""
        key = self._key(form, self._options)
        data = store.get(key)
        if data is not None:
            with suppress(Exception):  # an entry that is no code counts as none
                return load_form(self._code, data)
        data = compile_form(self._code, self._options, form)
        function = load_form(self._code, data)
        store.put(key, data)
        return function

    def load_any(self, forms: Sequence[Form], store: Cache) -> WorkGroupFunction:
        """The code of the first of some forms that can be compiled; raises what is wrong with the last.

        The more a form knows, the more passes run. What one of these fails for, others may do without.
        """
        for form in forms[:-1]:
            with suppress(Exception):
                return self.load(form, store)
        return self.load(forms[-1], store)
