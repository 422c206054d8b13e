"""The refusal of a loop: the reasons, and the exception that carries one."""

from enum import unique

from weft.remarks import Argument, Message, Reason


@unique
class NotVectorized(Message):
    """Why a loop over work-items, or a function, does not run in lanes."""

    # Loops
    NOT_COUNTING_WORK_ITEMS = "the loop is not a plain work-item loop"
    TOO_FEW_WORK_ITEMS = "the work-group has too few consecutive work-items"
    LOOP_FORM = "a loop has several entries or latches, or is not in LCSSA form"
    NESTED_TOO_DEEP = "inner loops are nested too deeply"
    # Control flow between lanes
    UNSTRUCTURED = "divergent control flow is unstructured"
    # Instructions
    NO_VECTOR_FORM = "{operation} has no vector form"
    MAY_WAIT = "work-items may wait for each other in a loop"
    SHARED_PRIVATE_MEMORY = "work-items share private memory"
    FAR_ARRAYS = "lanes in a divergent loop would access a private array beyond the first-level cache"
    CALLEE_SHARES_PRIVATE_MEMORY = "{callee} uses private memory that work-items share"
    # Functions
    TOO_MANY_LANES = "it is called for more lanes than two registers hold"
    FUNCTIONS_TOO_LARGE = (
        "the functions of the program are too large, or use too much private memory, for lanes"
    )
    COPY_MAY_CHANGE = "it may modify a structure passed by value while other lanes read it"
    NEVER_RETURNS = "it never returns"
    # The cost model
    COSTS_MORE = "{width} lanes are not profitable"
    ALONG_ROWS = "lanes are not profitable: LLVM vectorizes loops along the rows of single work-items"
    LEFT_TO_LLVM = "it has no inner loops"
    INTERLEAVED = "it has no inner loops; interleaved, because vector loads would wait for vector stores"
    FEW_UNROLLED = "few work-items share local memory: unrolled, because loads would wait for masked stores"
    SCATTERS = "scatters cost more than lanes gain"


class CannotVectorize(Exception):
    """A loop contains something without a vector form, or lanes are not profitable."""

    def __init__(self, reason: NotVectorized, **arguments: Argument) -> None:
        self.refusal = Reason(reason, **arguments)
        super().__init__(reason, arguments)

    def __str__(self) -> str:
        return str(self.refusal)
