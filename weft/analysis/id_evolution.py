"""Estimate the strides of values along a dimension of ids, between work-items or groups.

For heuristics only: wrap-around is ignored, and values that `shapes` cannot prove linear for that reason are
assumed to be linear.

    int row = get_global_id(0), column = get_global_id(1) + k;       // the sum is truncated to 32 bits
    … a[row * n + column]                                            // probably consecutive along y
"""

from collections.abc import Mapping

from weft.ir import ConstantInt, Instruction, Value
from weft.recursion import Definition, Recursion

from .evolution import INVARIANT, VARYING, Evolution, Wrapping, computed
from .shape import Strides
from .shapes import Shapes
from .work_items import work_item_function


class IdEvolution:
    """Evolutions along one dimension.

    `steps` maps work-item functions that change along the dimension to their strides; None if unknown.
    """

    def __init__(self, dimension: int, steps: Mapping[str, int | None]) -> None:
        self._dimension, self._steps = dimension, steps
        self._of = Recursion(self._evolution, VARYING)

    def stride(self, value: Value) -> int | None:
        """Return the stride of a value; None if it is unknown."""
        evolution = self._of(value)
        return evolution.stride if evolution is not VARYING else None

    def _evolution(self, value: Value) -> Definition[Value, Evolution | None]:
        if not isinstance(value, Instruction):
            return INVARIANT
        if value.opcode == "phi":
            # The common stride of all incoming values, except those computed from the phi.
            evolutions: set[Evolution | None] = set()
            for incoming, _ in value.incoming():
                if not (isinstance(incoming, Instruction) and value in incoming.operands):
                    evolutions.add((yield incoming))
            return evolutions.pop() if len(evolutions) == 1 else VARYING
        if value.opcode == "call":
            return self._call(value)
        return (yield from computed(value, self._of.known, Wrapping.IGNORED))

    def _call(self, call: Instruction) -> Evolution | None:
        query = work_item_function(call)
        if query is None:
            return VARYING
        if not query.takes_dimension:
            return VARYING if query.varying else INVARIANT
        dimension = call.arguments[0]
        if not isinstance(dimension, ConstantInt):
            return VARYING
        if dimension.value != self._dimension:
            return INVARIANT
        stride = self._steps.get(query.name, 0)
        return Evolution(stride) if stride is not None else VARYING


class ProbableStrides:
    """The strides of values along x, y and z: the proved ones, otherwise the probable ones."""

    def __init__(self, shape: Shapes) -> None:
        self._shape = shape
        self._along = [IdEvolution(axis, {"get_global_id": 1, "get_local_id": 1}) for axis in range(3)]

    def of(self, value: Value) -> Strides:
        """Return the strides of a value between adjacent work-items in each dimension; None if unknown."""
        x, y, z = (
            stride if stride is not None else along.stride(value)
            for stride, along in zip(self._shape.of(value).strides, self._along, strict=True)
        )
        return x, y, z
