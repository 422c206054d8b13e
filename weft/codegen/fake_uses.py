"""Uses of values that generate no code but keep LLVM's back ends from merging a definition with its use."""

_DECLARATION = "declare void @llvm.fake.use(...)"


def fake_use(operand: str) -> str:
    """Return the line that uses a value; the operand includes its type."""
    return f"  call void (...) @llvm.fake.use({operand})"


def declared(text: str) -> str:
    """Return the module with the declaration that such lines need."""
    return text if _DECLARATION in text else f"{text}\n{_DECLARATION}\n"
