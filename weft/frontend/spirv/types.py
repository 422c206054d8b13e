"""The types of a SPIR-V module, and their LLVM spelling.

Types are values; a pointer refers to its pointee by id, since a structure may contain a pointer to itself.
The rest of Weft sees opaque types (images, samplers, events) as plain pointers.
"""

from weft.dataclasses import dataclass
from weft.frontend.pipes import PIPE_POINTER, RESERVE_ID
from weft.frontend.spirv.binary import Instruction
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.module import Module

MOST_MEMBERS = 16_383
MOST_DEPTH = 255
# Maximum size of a type, and of all variables of a function or module.
MOST_BYTES = 1 << 31
# Maximum alignment of variables and parameters.
MOST_ALIGNMENT = 1 << 12

# LLVM's address spaces. Built-in variables (Input) become calls.
SPACES = {"Function": 0, "CrossWorkgroup": 1, "UniformConstant": 2, "Workgroup": 3, "Generic": 4}


@dataclass(frozen=True)
class Type:
    """Any type: LLVM's spelling, size and alignment in bytes, nesting depth, and number of leaf values."""

    llvm: str
    size: int = 0
    align: int = 1
    depth: int = 1
    leaves: int = 1

    @property
    def in_memory(self) -> bool:
        """Whether a variable may have the type."""
        return self.size > 0 or isinstance(self, Struct)


@dataclass(frozen=True)
class Void(Type):
    """The type without values."""


@dataclass(frozen=True)
class Bool(Type):
    """A boolean; a byte in memory."""


@dataclass(frozen=True)
class Int(Type):
    """An integer; signedness is a property of instructions."""

    width: int = 0


@dataclass(frozen=True)
class Float(Type):
    """A floating-point number."""

    width: int = 0


@dataclass(frozen=True)
class Vector(Type):
    """A vector of numbers or booleans."""

    element: Type = Type("")
    count: int = 0


@dataclass(frozen=True)
class Array(Type):
    """An array."""

    element: Type = Type("")
    count: int = 0


@dataclass(frozen=True)
class Struct(Type):
    """A structure; structures with different ids are different types."""

    id: int = 0
    members: tuple[Type, ...] = ()
    packed: bool = False


@dataclass(frozen=True)
class Pointer(Type):
    """A pointer to a storage class."""

    storage: str = ""
    pointee: int = 0


@dataclass(frozen=True)
class Opaque(Type):
    """An image, sampler, event, pipe, pipe storage, reservation id, named barrier or sampled image.

    `mangled` is its name in symbols.
    """

    mangled: str = ""
    name: str = ""
    access: str = "none"
    sampled: "Opaque | None" = None


RESERVATION = Opaque(RESERVE_ID, 8, 8, name="reserve_id_t")
PIPE_STORAGE = Opaque(PIPE_POINTER, 8, 8, name="pipe storage")
NAMED_BARRIER = Opaque("ptr addrspace(3)", 8, 8, name="named barrier")


@dataclass(frozen=True)
class Signature(Type):
    """The type of a function."""

    returns: Type = Type("")
    parameters: tuple[Type, ...] = ()


VOID = Void("void")
BOOL = Bool("i1", 1, 1)
_FLOATS = {16: "half", 32: "float", 64: "double"}
_COUNTS = (2, 3, 4, 8, 16)
_ACCESS = {"ReadOnly": "ro", "WriteOnly": "wo", "ReadWrite": "rw"}
_PIPE_ACCESS = {"ReadOnly": "read_only", "WriteOnly": "write_only"}
_ACCESS_NAMES = {"ro": "read_only", "wo": "write_only", "rw": "read_write"}


def scalar(type: Type) -> Type:
    """Return the element type of a vector, else the type itself."""
    return type.element if isinstance(type, Vector) else type


def lanes(type: Type) -> int:
    """Return the number of elements of a vector, else 1."""
    return type.count if isinstance(type, Vector) else 1


def vector(element: Type, count: int) -> Vector:
    """Return a vector type; a vector of 3 has the size of one of 4. Vectors of bool cannot be in memory."""
    size = 0 if isinstance(element, Bool) else (4 if count == 3 else count) * element.size
    return Vector(f"<{count} x {element.llvm}>", size, max(size, 1), element.depth + 1, 1, element, count)


def of_lanes(element: Type, count: int) -> Type:
    """Return a vector type, or the element type if `count` is 1."""
    return element if count == 1 else vector(element, count)


def integer(width: int) -> Int:
    """Return an integer type."""
    return Int(f"i{width}", width // 8, width // 8, width=width)


class Types:
    """The types of a module by id; `definitions` holds LLVM's definitions of structures."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._types: dict[int, Type] = {}
        self._packed = {id for id, decorations in module.decorations.items() if "CPacked" in decorations}
        self.definitions: list[str] = []

    def __getitem__(self, id: int) -> Type:
        type = self._types.get(id)
        if type is None:
            raise InvalidModule(f"id {id} is not a type")
        return type

    def pointee(self, type: Pointer) -> Type:
        """Return the pointee type."""
        return self[type.pointee]

    def add(self, instruction: Instruction, length: int | None = None) -> None:
        """Translate a definition; `length` is the length of an array."""
        type = self._read(instruction, length)
        if type.depth > MOST_DEPTH:
            raise InvalidModule(f"types nested more than {MOST_DEPTH} deep are not supported")
        if max(type.size, type.leaves) > MOST_BYTES:
            raise InvalidModule(f"a type of {type.size} bytes is too large")
        self._types[instruction.result] = type

    def _read(self, instruction: Instruction, length: int | None) -> Type:
        match instruction.name:
            case "TypeVoid":
                return VOID
            case "TypeBool":
                return BOOL
            case "TypeInt":
                return self._integer(instruction)
            case "TypeFloat":
                width = instruction.number(0)
                if width not in _FLOATS:
                    raise InvalidModule(f"{width}-bit floats are not supported")
                return Float(_FLOATS[width], width // 8, width // 8, width=width)
            case "TypeVector":
                return self._vector(instruction)
            case "TypeArray":
                return self._array(instruction, length)
            case "TypeStruct":
                return self._struct(instruction)
            case "TypePointer":
                return self._pointer(instruction)
            case "TypeFunction":
                return self._function(instruction)
            case "TypeImage":
                return self._image(instruction)
            case "TypeSampler":
                return Opaque("ptr", 8, 8, mangled="11ocl_sampler", name="sampler_t")
            case "TypeEvent":
                return Opaque("ptr", 8, 8, mangled="9ocl_event", name="event_t")
            case "TypePipe":
                return self._pipe(instruction)
            case "TypePipeStorage":
                return PIPE_STORAGE
            case "TypeReserveId":
                return RESERVATION
            case "TypeNamedBarrier":
                return NAMED_BARRIER
            case "TypeSampledImage":
                image = self[instruction.id(0)]
                if not isinstance(image, Opaque) or not image.name.startswith("image"):
                    raise InvalidModule("OpTypeSampledImage: the operand is not an image type")
                return Opaque("ptr", name="sampled image", sampled=image)
            case "TypeOpaque":
                return Type("ptr")
        raise InvalidModule(f"Op{instruction.name} is not supported")

    def _pipe(self, instruction: Instruction) -> Type:
        access = _PIPE_ACCESS.get(str(instruction.word(0)))
        if access is None:
            raise InvalidModule("OpTypePipe: a pipe must be read-only or write-only")
        return Opaque(PIPE_POINTER, 8, 8, name="pipe", access=access)

    def _integer(self, instruction: Instruction) -> Type:
        width, signed = instruction.number(0), instruction.number(1)
        if width not in (8, 16, 32, 64) or signed > 1:
            raise InvalidModule(f"{width}-bit integers are not supported")
        return integer(width)

    def _vector(self, instruction: Instruction) -> Type:
        element, count = self[instruction.id(0)], instruction.number(1)
        if not isinstance(element, Bool | Int | Float):
            raise InvalidModule("OpTypeVector: the components must be numeric or bool")
        if count not in _COUNTS:
            raise InvalidModule(f"vectors of {count} elements are not supported")
        return vector(element, count)

    def _array(self, instruction: Instruction, length: int | None) -> Type:
        element = self[instruction.id(0)]
        if not length or length < 0:
            raise InvalidModule("OpTypeArray: the length must be a constant greater than 0")
        if not element.in_memory:
            raise InvalidModule("OpTypeArray: the element type has no size")
        size = length * _padded(element)
        spelled, leaves = f"[{length} x {element.llvm}]", length * element.leaves
        return Array(spelled, size, element.align, element.depth + 1, leaves, element, length)

    def _struct(self, instruction: Instruction) -> Type:
        members = tuple(self[id] for id in instruction.numbers(0))
        if len(members) > MOST_MEMBERS:
            raise InvalidModule(f"structures of more than {MOST_MEMBERS} members are not supported")
        if not all(member.in_memory for member in members):
            raise InvalidModule("OpTypeStruct: a member type has no size")
        id = instruction.result
        packed = id in self._packed
        size, align = 0, 1
        for member in members:
            wanted = 1 if packed else member.align
            size = -(-size // wanted) * wanted + _padded(member)
            align = max(align, wanted)
        body = ", ".join(member.llvm for member in members)
        body = f"<{{ {body} }}>" if packed else f"{{ {body} }}"
        self.definitions.append(f"%s{id} = type {body}")
        depth = 1 + max((member.depth for member in members), default=0)
        size = -(-size // align) * align
        leaves = 1 + sum(member.leaves for member in members)
        return Struct(f"%s{id}", size, align, depth, leaves, id, members, packed)

    def _pointer(self, instruction: Instruction) -> Type:
        storage, pointee = instruction.word(0), instruction.id(1)
        if storage == "Input":
            return Pointer("ptr", storage=storage, pointee=pointee)
        space = SPACES.get(storage)
        if space is None:
            raise InvalidModule(f"storage class {storage} is not supported")
        spelled = f"ptr addrspace({space})" if space else "ptr"
        return Pointer(spelled, 8, 8, storage=storage, pointee=pointee)

    def _function(self, instruction: Instruction) -> Type:
        returns = self[instruction.id(0)]
        parameters = tuple(self[id] for id in instruction.numbers(1))
        if any(isinstance(type, Void | Signature) for type in parameters) or isinstance(returns, Signature):
            raise InvalidModule("OpTypeFunction: invalid parameter or result type")
        return Signature("", returns=returns, parameters=parameters)

    def _image(self, instruction: Instruction) -> Type:
        dimension, depth, arrayed, multisampled = instruction.word(1), *instruction.numbers(2)[:3]
        names = {"1D": "1d", "2D": "2d", "3D": "3d", "Buffer": "1d_buffer"}
        has_depth = depth == 1
        known = dimension == "2D" if has_depth else dimension in names
        if not known or multisampled or arrayed > 1:
            raise InvalidModule(f"{dimension} images with these properties are not supported")
        access = _ACCESS[instruction.word(7)] if len(instruction.operands) > 7 else "ro"
        name = f"image{names[dimension]}{'_array' * arrayed}{'_depth' * has_depth}"
        if name in ("image3d_array", "image1d_buffer_array"):
            raise InvalidModule(f"images of type {name} are not supported")
        symbol = f"ocl_{name}_{access}"
        mangled = f"{len(symbol)}{symbol}"
        return Opaque("ptr", 8, 8, mangled=mangled, name=f"{name}_t", access=_ACCESS_NAMES[access])


def _padded(type: Type) -> int:
    """Return the distance between two elements in memory."""
    return -(-type.size // type.align) * type.align
