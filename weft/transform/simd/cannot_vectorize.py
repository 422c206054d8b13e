"""The refusal of a loop: the reasons, and the exception that carries one."""

from enum import unique

from weft.remarks import Argument, Message, Reason


@unique
class NotVectorized(Message):
    """Why a loop over work-items, or a function, does not run in lanes."""

    # Loops
    NOT_COUNTING_WORK_ITEMS = "the loop does not only count work-items"
    TOO_FEW_WORK_ITEMS = "there are too few work-items in a row"
    LOOP_FORM = "a loop has several entries or latches, or values leave it other than by phis after it"
    NESTED_TOO_DEEP = "inner loops are nested too deep"
    # Control flow between lanes
    UNSTRUCTURED = "branches on which work-items differ do not nest, so that masks cannot follow them"
    # Instructions
    NO_VECTOR_FORM = "{operation} has no vector form"
    MAY_WAIT = "work-items could wait for one another in a loop"
    SHARED_PRIVATE_MEMORY = "work-items share private memory in turn"
    CALLEE_SHARES_PRIVATE_MEMORY = "{callee} uses private memory that work-items share in turn"
    # Functions
    TOO_MANY_LANES = "more lanes call it than two registers have"
    FUNCTIONS_TOO_LARGE = "the functions of the program have too much code or private memory for lanes"
    COPY_MAY_CHANGE = "it may change a structure that is passed by value while lanes read it"
    NEVER_RETURNS = "it never returns"
    # The cost model
    COSTS_MORE = "{width} lanes would cost more than they gain"
    LEFT_TO_LLVM = "it has no inner loops"
    SCATTERS = "scatters would cost more than lanes gain"


class CannotVectorize(Exception):
    """A loop holds something that has no vector form, or lanes do not pay."""

    def __init__(self, reason: NotVectorized, **arguments: Argument) -> None:
        self.refusal = Reason(reason, **arguments)
        super().__init__(reason, arguments)

    def __str__(self) -> str:
        return str(self.refusal)
