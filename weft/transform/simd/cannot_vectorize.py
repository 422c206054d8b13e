"""The refusal of a loop: the reasons, and the exception that carries one."""

from enum import unique

from weft.remarks import Argument, Message, Reason


@unique
class NotVectorized(Message):
    """Why a loop over work-items, or a function, does not run in lanes."""

    # The loop itself
    NOT_COUNTING_WORK_ITEMS = "the loop does not only count work-items"
    NO_TRIP_COUNT = "the loop does not count to a number"
    SEVERAL_ENTRIES_OR_EXITS = "the loop is not entered or left in one place"
    DIVERGENT_EXIT = "work-items may leave the loop at different times"
    TOO_FEW_WORK_ITEMS = "there are too few work-items in a row"
    VALUE_USED_AFTER_LOOP = "a value of the loop is used after it"
    # Loops inside it
    NESTED_TOO_DEEP = "inner loops are nested too deep"
    INNER_LOOP_FORM = "an inner loop has no preheader or several latches"
    INNER_VALUE_WITHOUT_PHI = "a value leaves an inner loop other than by a phi after it"
    NEVER_LEFT = "work-items never leave a loop"
    NOT_ENTERED_ONCE = "the loop that does most is not entered once by each work-item"
    # Control flow between lanes
    UNREACHED_MASKED_CODE = "no branch leads to masked code"
    BRANCH_INTO_MASKED_CODE = "a uniform branch leads into masked code"
    REJOINED_INSIDE = "work-items come together in the middle of masked code"
    NEVER_REJOINED = "work-items do not come together again"
    MASK_UNKNOWN = "masked code is entered from several places"
    # Instructions
    NO_VECTOR_FORM = "{operation} has no vector form"
    VARYING_TYPE = "values of type {type} differ between work-items"
    INDIRECT_CALL = "a call through a pointer has no vector form"
    MAY_WAIT = "work-items could wait for one another in a loop"
    SHARED_PRIVATE_MEMORY = "work-items share private memory in turn"
    CALLEE_SHARES_PRIVATE_MEMORY = "{callee} uses private memory that work-items share in turn"
    # Functions that run in the lanes of their callers
    TOO_MANY_REGISTERS = "it would take more registers than there are"
    CHANGES_COPY = "it changes a structure of which it has a copy"
    CONDITIONAL_PRIVATE_MEMORY = "it takes private memory on the way"
    PRIVATE_ADDRESS_KEPT = "an address of private memory is kept"
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
