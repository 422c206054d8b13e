"""A mutable SSA form that mirrors LLVM's textual IR: parse, change, print."""

from .function import Block, Function, GlobalVariable, Module
from .instruction import Instruction
from .lexer import ParseError
from .parser import parse
from .printer import print_blocks, print_function, print_instruction, print_module, print_variable
from .values import Argument, Constant, ConstantFloat, ConstantInt, Value

__all__ = [
    "Argument",
    "Block",
    "Constant",
    "ConstantFloat",
    "ConstantInt",
    "Function",
    "GlobalVariable",
    "Instruction",
    "Module",
    "ParseError",
    "Value",
    "parse",
    "print_blocks",
    "print_function",
    "print_instruction",
    "print_module",
    "print_variable",
]
