"""Statements of random kernels that are hard on a compiler, in one way each.

A shape is a function that writes a statement: `shape(statements, scope, place)`. `SHAPES` has them by name,
so that a search can be for some of them alone. Each is legal, and has one result: what OpenCL leaves open,
such as a quotient by zero or a conversion out of range, is computed, and then used so that any value of the
type gives the same.
"""

from fuzz_calls import FAMILIES
from fuzz_expressions import Scope, Variable
from fuzz_places import Place
from fuzz_statements import Shape, Statements

# What every element of `flat` is.
FLAT = 77
FLAT_LENGTH = 256

# Elements of a local array that is written in pieces.
PIECES = 640

_CHAINS = {
    # type: operations on the two elements before, {p} and {q}
    "uint": (
        "{p} + {q}", "{p} - {q}", "{p} ^ {q}", "{p} * {q}", "{p} | {q}", "min({p}, {q}) + 1u",
        "{p} * 3u + {q}",
        "({p} & 1u) ? {p} : {q}", "{p} + ({q} >> 3)", "rotate({p}, 5u) ^ {q}", "{p} / ({q} | 1u)",
        "hadd({p}, {q})",
    ),
    "sums": ("{p} + {q}", "{p} - {q}", "{p} + {q}", "{p} * 2u + {q}"),
    "ulong": ("{p} + {q}", "{p} - {q}", "{p} * {q}", "{p} ^ ({q} >> 7)", "({p} << 1) + {q}"),
    "int": ("({p} >> 1) + ({q} >> 1)", "({p} ^ {q})", "max({p}, {q})", "-({p} >> 2) - ({q} >> 2)",
        "~({p} & {q})"),
    "short": ("(short)({p} + {q})", "(short)({p} * {q})", "(short)({p} - ({q} >> 1))", "max({p}, {q})"),
    "uchar": ("(uchar)({p} + {q})", "(uchar)({p} ^ ({q} >> 1))", "add_sat({p}, {q})", "(uchar)({p} - {q})"),
    "float": ("fmax({p}, {q}) - fmin({p}, {q}) + 1.0f", "fmin({p} + {q}, 4000.0f)",
        "({p} < {q} ? {p} : {q}) + 0.5f"),
}  # fmt: skip
_CHAIN_TYPES = {"sums": "uint"}
_LENGTHS = (5, 8, 14, 25, 40, 60)


def chain(s: Statements, scope: Scope, place: Place) -> None:
    """Operations of which each takes the results of the two before it."""
    c = s.choices
    family = c.pick(list(_CHAINS))
    kind = _CHAIN_TYPES.get(family, family)
    length = c.pick(_LENGTHS)
    if s.budget.runs < length * place.often:
        length = _LENGTHS[0]
    s.budget.runs -= length * place.often
    uniform = place.uniform and c.chance(30)
    operations = [c.pick(_CHAINS[family]) for _ in range(c.number(1, 3))]
    name = s.name("u" if uniform else "v")
    seeds = [_seed(s, scope, uniform, family) for _ in range(2)]
    if c.chance(30) and kind != "float":
        p, q = f"{name}c[k_ - 1u]", f"{name}c[k_ - 2u]"
        s.line(f"{kind} {name}c[{length}];")
        s.line(f"{name}c[0] = {seeds[0]}, {name}c[1] = {seeds[1]};")
        s.line("#pragma unroll")
        s.line(f"for (uint k_ = 2u; k_ < {length}u; k_++) {name}c[k_] = {operations[0].format(p=p, q=q)};")
        s.line(f"{kind} {name} = {name}c[{length - 1}];")
    else:
        s.line(f"{kind} {name}c0 = {seeds[0]}, {name}c1 = {seeds[1]};")
        for k in range(2, length):
            text = operations[k % len(operations)].format(p=f"{name}c{k - 1}", q=f"{name}c{k - 2}")
            s.line(f"{kind} {name}c{k} = {text};")
        s.line(f"{kind} {name} = {name}c{length - 1};")
    variable = Variable(name, kind, uniform)
    scope.variables.append(variable)
    _use_chain(s, scope, place, name, uniform)


def _seed(s: Statements, scope: Scope, uniform: bool, family: str) -> str:
    if family == "sums" and not uniform and s.choices.chance(70):
        return s.choices.pick(("lid", "gid", "lid * 4u", "gid + n", "(uint)get_local_id(0)"))
    value = s.expressions.value(scope, uniform, 1)
    if family == "float":
        return f"(float)({value} & 0xffu) * 0.5f"
    return f"({_CHAIN_TYPES.get(family, family)})({value})"


def _use_chain(s: Statements, scope: Scope, place: Place, name: str, uniform: bool) -> None:
    """An index, a guard or a number of iterations that a chain computes."""
    c = s.choices
    targets = [v.name for v in scope.writable(uniform) if v.kind == "uint"]
    if not targets:
        return
    target = c.pick(targets)
    form = c.pick(("index", "guard", "loop", "none"))
    if form == "index":
        s.line(f"{target} += {'table' if uniform else 'in'}[(uint){name} & {7 if uniform else 63}u];")
    elif form == "guard":
        with s.braces(f"if (((uint){name} & 7u) < {c.number(1, 7)}u)"):
            s.line(f"{target} ^= {s.expressions.value(scope, uniform, 1)};")
    elif form == "loop":
        s.line(f"for (uint k_ = 0u; k_ < ((uint){name} & 7u); k_++) {target} = {target} * 5u + k_;")
        s.budget.runs -= 4 * place.often


# Guards of a quotient: {q}, {r} are x / y and x % y, computed before in any case, {z} is the result. All are
# of the type {t}; the result does not depend on the quotient where {y} is zero.
_GUARDS = (
    "{z} = {y} == 0 ? ({t})1 : {q};",
    "{z} = {y} != 0 ? {q} : {x};",
    "if ({y} == 0) {z} = 1; else {z} = {q};",
    "{z} = 5; if ({y} != 0) {z} = {q} + {r};",
    "if ({y} != 0 && {x} > 3) {{ {z} = {r}; {v} += (uint){q}; }} else {{ {z} = 1; {v} ^= 2u; }}",
    "{z} = 1; for (int j_ = 0; j_ < 3; j_++) {{ if ({y} == 0) break; {z} ^= {q}; if ({z} > 100) break; }}",
    "switch ({y}) {{ case 0: {z} = 1; break; case 3: {z} = {q}; break; default: {z} = {q} ^ {r}; }}",
    "{z} = 0; if ({x} != 55) {{ if ({y} == 0) {z} = 1; else {z} = {q}; }}",
    "{z} = {y} == 0 || {x} == 3 ? ({t})1 : {q};",
    "{z} = {y} && {q} > 2 ? {q} : {r}; if ({y} == 0) {z} = 9;",
    "bool b_ = {y} == 0; {z} = 4; {v} += b_ ? 1u : 2u; if (!b_) {z} = {r};",
    "for (int j_ = 0; j_ < 4; j_++) {{ if ({y} == 0) {{ {z} += 1; continue; }} {z} ^= {q} + ({t})j_; }}",
    "{z} = ({y} == 0 ? ({t})0 : ({t})-1) & {q};",
    "{z} = select({q}, ({t})8, ({m})({y} == 0));",
    "{z} = {y} == 0 ? 0 : ({t})(({t}){q} * {y}) == {x};",
    "do {{ {z} = 2; if (!{y}) break; {z} = {q}; }} while (0);",
    "if ({y} > 0) {z} = {q}; else if ({y} == 0) {z} = 7; else {z} = {r};",
)
# Types of guarded divisions, the type of their conditions for select, and a dividend that no divisor
# makes overflow.
_DIVIDED = {
    "int": ("int", "(int)({a}) >> 1"),
    "uint": ("uint", "{a}"),
    "long": ("long", "(long)(int)({a}) * 77"),
    "ulong": ("ulong", "(ulong)({a}) << ({b} & 31u)"),
    "short": ("short", "(short)(({a} & 0x7fffu) - 0x3000u)"),
    "uchar": ("uchar", "(uchar)({a})"),
    "char": ("char", "(char)(({a} & 0x7fu) - 60u)"),
    "ushort": ("ushort", "(ushort)({a})"),
}
_DIVISORS = (
    "{a} & 1u",
    "{a} & 3u",
    "{a} % 3u",
    "lid & 1u",
    "uni[0]",
    "{u} & 1u",
    "lid",
    "{x} & 1",
    "{a} & 0x30u",
    "n & 1u",
)


def division_guard(s: Statements, scope: Scope, place: Place) -> None:
    """A quotient that is computed first, and used only if the divisor is not zero."""
    c = s.choices
    kind = c.pick(list(_DIVIDED))
    mask, dividend = _DIVIDED[kind]
    name = s.name("v")
    x, y, q, r, z = (f"{name}{letter}" for letter in "xyqrz")
    divisor = s.expressions.fill(c.pick(_DIVISORS), scope, False, 1)
    targets = [v.name for v in _some(s, scope, "uint", 1)]
    s.line(
        f"{kind} {x} = {s.expressions.fill(dividend, scope, False, 1)}, {y} = ({kind})({divisor}), {z} = 0;"
    )
    s.line(f"{kind} {q} = {x} / {y}, {r} = {x} % {y};")
    if c.chance(20) and place.may_wait:
        s.line("barrier(CLK_LOCAL_MEM_FENCE);")
    if c.chance(20):
        s.line(f"{c.pick(targets)} ^= {s.expressions.value(scope, False, 1)};")
    guard = c.pick(_GUARDS).format(x=x, y=y, q=q, r=r, z=z, t=kind, v=c.pick(targets), m=mask)
    with s.braces(""):
        s.line(guard)
    scope.variables.append(Variable(z, kind, False))
    if c.chance(30):
        s.line(f"{c.pick(targets)} += guarded_quotient((int)({x} >> 1), (int){y});")
    if c.chance(20):
        whole = f"(int)({s.expressions.value(scope, False, 1)})"
        s.line(f"int {name}w = {whole}, {name}d = (int)({y}) - 1, {name}o = {name}w / {name}d;")
        overflow = f"{name}d == 0 || ({name}w == INT_MIN && {name}d == -1)"
        s.line(f"{c.pick(targets)} += {overflow} ? 1u : (uint){name}o;")
    if c.chance(20):
        s.line(f"int4 {name}i = (int4)((int){x}, 9, -7, 5) >> 1, {name}j = (int4)((int){y}, 0, (int){y}, 2);")
        s.line(f"int4 {name}k = {name}i / {name}j;")
        s.line(f"{name}k = {c.pick(('{j} == 0 ? (int4)(3) : {k}', 'select({k}, {i}, {j} == 0)'))};".format(
            i=f"{name}i", j=f"{name}j", k=f"{name}k"))  # fmt: skip
        s.line(f"{c.pick(targets)} += (uint)({name}k.x ^ {name}k.y ^ {name}k.z ^ {name}k.w);")


GUARDED_QUOTIENT = """\
uint guarded_quotient(int x, int y) {
    int q = x / y;
    if (y == 0) return 1u;
    return (uint)(q + x % y);
}
"""

# Floating point numbers of any size, some of them not numbers, as {f}.
_ANY_FLOATS = (
    "(float)({a}) * 0.5f", "(float)(int)({a})", "(float){x} * 3.5f", "(float){x} * 1.0e8f",
    "-(float)({a} & 0x3ffu)", "as_float({a})", "(float)({n}) - 77.5f", "300.0f", "1.0e20f", "-1.0f",
    "(float){x} * 0.25f",
)  # fmt: skip
_ANY_DOUBLES = (
    "(double)({a}) * 1.5",
    "(double)(int)({a}) * 1.0e9",
    "-(double)({a} & 0x3fffu) * 0.5",
    "1.0e30",
    "(double){x}",
)

# What a number made of such may be used for: {c} is of the type, {f} what it was made of, {lo} and {hi}
# are the limits
# of the type, {e} is the type. None depends on the value where the conversion is out of range.
_USES = (
    "(uint)((long){c} >= {lo} && (long){c} <= {hi})",
    "(uint)((long){c} > {hi})",
    "(uint)(((long){c} - {lo}) >> {bits})",
    "({f} > {lo} && {f} < {hi} ? (uint){c} : 7u)",
    "(uint)({e})({c} ^ {c})",
    "({f} >= 0 && {f} < 100 ? table[(uint){c} & 7u] : 3u)",
)
_FLAT_USES = {
    8: ("flat[(long){c} - {lo}]", "flat[(int){c} - {lo}]", "flat[{c} & 255]"),
    16: ("flat[((int){c} - {lo}) >> 8]", "flat[{c} & 255]", "flat[clamp((int){c}, 0, 255)]"),
    32: ("flat[(uint){c} >> 24]", "flat[{c} & 255]", "flat[min((uint){c}, 255u)]",
         "({c} >= 0 && {c} < 256 ? flat[{c}] : 77u)"),
    64: ("flat[{c} & 255]", "flat[(ulong){c} >> 56]", "({c} >= 0 && {c} < 256 ? flat[{c}] : 77u)"),
}  # fmt: skip
_CONVERTED = {
    "uchar": (8, 0), "char": (8, -128), "ushort": (16, 0), "short": (16, -(2**15)), "int": (32, -(2**31)),
    "uint": (32, 0), "long": (64, 0), "ulong": (64, 0),
}  # fmt: skip


def conversion(s: Statements, scope: Scope, place: Place) -> None:
    """A floating point number, in range or not, as an integer of any size."""
    c = s.choices
    kind = c.pick(list(_CONVERTED))
    bits, low = _CONVERTED[kind]
    double = c.chance(25)
    name = s.name("v")
    source = s.expressions.fill(c.pick(_ANY_DOUBLES if double else _ANY_FLOATS), scope, False, 1)
    s.line(f"{'double' if double else 'float'} {name}f = {source};")
    s.line(f"{kind} {name}c = {c.pick((f'({kind})', f'convert_{kind}', f'convert_{kind}_rtz'))}({name}f);")
    uses = _FLAT_USES[bits] * 2 if s.outputs else ()
    if bits < 64:
        uses += _USES
    use = c.pick(uses or ("(uint)({c} & ~{c})",))
    text = use.format(c=f"{name}c", f=f"{name}f", lo=low, hi=low + 2**bits - 1, bits=bits, e=kind)
    s.line(f"uint {name} = {text};")
    scope.variables.append(Variable(name, "uint", False))
    if c.chance(25):
        s.line(f"float4 {name}g = (float4)((float){name}f, 900.0f, -3.5f, 17.25f);")
        s.line(
            f"uchar4 {name}h = convert_uchar4({name}g); short4 {name}s = convert_short4({name}g * 1.0e4f);"
        )
        s.line(f"{name} += (uint)any({name}h > (uchar)255) + (uint){name}h.w;")
        if s.outputs:
            s.line(f"{name} ^= flat[{name}h.{c.pick('xyz')}] + flat[128 + ({name}s.{c.pick('xyzw')} >> 8)];")


def pieces(s: Statements, scope: Scope, place: Place) -> None:
    """An exchange through local memory at indices made of a quotient and a remainder of the local id."""
    if not (place.may_wait and s.outputs):
        s.change(scope, place)
        return
    c = s.choices
    width, parts = c.pick((8, 4, 2, 16)), c.number(1, 8)
    row = width * parts + c.pick((width, 0, 1))
    kind = c.pick(("float", "uint", "uchar", "ushort"))
    array, name = s.name("piece"), s.name("v")
    s.locals.append(f"__local {kind} {array}[{PIECES}];")
    number = c.pick(("size_t", "uint", "int"))
    s.line(f"{number} {name}t = lid, {name}q = {name}t / {width} * {row} + {name}t % {width};")
    everything = s.budget.runs > 64 * place.often and c.chance(50)
    if everything:  # so that any element can be read
        s.line(f"for (uint k_ = lid; k_ < {PIECES}u; k_ += size) {array}[k_] = ({kind})(k_ & 63u);")
        s.line("barrier(CLK_LOCAL_MEM_FENCE);")
        s.budget.runs -= 64 * place.often
    for part in range(parts):
        value = s.expressions.value(scope, False, 1)
        s.line(f"{array}[{name}q + {width * part}] = ({kind})(({value}) & 0xffu);")
    s.line("barrier(CLK_LOCAL_MEM_FENCE);")
    if everything and c.chance(60):
        step = c.pick((1, 3, 8, 9))
        read = f"{array}[{name}t * {step} + {c.number(0, 60)}]"
    else:
        other = f"(lid + {s.expressions.value(scope, c.chance(50), 1)}) % size"
        s.line(f"{number} {name}o = {other};")
        part = c.number(0, parts - 1) * width
        read = f"{array}[{name}o / {width} * {row} + {name}o % {width} + {part}]"
    s.line(f"uint {name} = (uint){read};")
    s.line("barrier(CLK_LOCAL_MEM_FENCE);")
    s.budget.runs -= 2 * parts * place.often
    scope.variables.append(Variable(name, "uint", False))


# Numbers less than 32 that count in few bits as {k} goes up by one, and as {c}, of 8 bits, goes up. {w} is a
# small number that the compiler does not know: for all it knows, {k} + {w} wraps around in 32 bits.
_NARROW_COUNTS = (
    "({k} & 3u)", "({k} & 15u)", "({k} % 8u)", "(({k} + {w}) & 7u)", "(({k} * 4u) & 28u)",
    "(({k} << 28) >> 28)", "((uint)((int)({k} << 28) >> 28) + 8u)", "(7u - {k} & 7u)",
    "(uint)((uchar)({k} * 16u) >> 3)", "((uint)(int)(char)({k} * 32u) + 128u >> 3)",
    "(uint)((ushort)({k} * 4096u) >> 11)", "(({k} & 1u) * 2u + ({k} >> 1 & 1u))",
    "(uint)((uchar){c} >> 3)", "(uint)({c} & 7)",
)  # fmt: skip
_WRAPPING_STEPS = (
    "{v} += in[{k} + {w}] ^ in[{i}];",
    "{v} = {v} * 3u + in[{k} + {w}] + table[{i} & 7u];",
    "{v} ^= in[{k} + {w}] + {i};",
    "for (uint q_ = 0u; q_ < 3u; q_++) {v} += in[{i} + q_] + in[{k} + {w}];",
    "{v} += narrow_index(in, {i}) + in[{k} + {w}];",
)
_WRAPPING_STORES = (
    "{v}w[{k}] = in[{k} + {w}] + in[{i}]; {v} += {v}w[{k}];",
    "{v}w[{i}] = in[{k} + {w}]; {v} += {i};",
    "{v}w[{i} + 1u] = in[{k} + {w}]; {v} += {v}w[{i}];",
    "{v} += {v}w[{i}] * 5u; {v}w[{i} + 1u] = in[{k} + {w}];",
)
_WRAPPING_LENGTHS = (40, 24, 17, 8)


def wrapping_loop(s: Statements, scope: Scope, place: Place) -> None:
    """A loop with a sum that wraps around in 32 bits, for all a compiler knows, and one that does in few."""
    c = s.choices
    name = s.name("v")
    rich = s.budget.runs > 120 * place.often
    length = c.pick(_WRAPPING_LENGTHS) if rich else _WRAPPING_LENGTHS[-1]
    words = {"k": "k_", "w": f"{name}u", "c": f"{name}n", "v": name}
    step = c.pick((*_WRAPPING_STEPS, *_WRAPPING_STORES) if rich else _WRAPPING_STEPS)
    step = step.format(i=c.pick(_NARROW_COUNTS).format(**words), **words)
    s.line(f"uint {name} = {s.expressions.value(scope, False, 1)}, {name}u = (uint)uni[{c.number(0, 5)}];")
    s.line(f"uint {name}l = {length}u{c.pick(('', ' - (uint)uni[1]'))};")
    s.line(f"{c.pick(('uchar', 'char'))} {name}n = {c.number(0, 3)};")
    if f"{name}w" in step:
        s.line(f"uint {name}w[40];")
        s.line(f"for (uint k_ = 0u; k_ < 40u; k_++) {name}w[k_] = k_ * 7u;")
        s.budget.runs -= 40 * place.often
    with s.braces(f"for (uint k_ = 0u; k_ < {name}l; k_++)"):
        s.line(step)
        s.line(f"{name}n += {c.pick((37, 8, 1))};")
    s.budget.runs -= 2 * length * place.often
    scope.variables.append(Variable(name, "uint", False))


NARROW_INDEX = """\
uint narrow_index(__global const uint *in, uint k) {
    return in[k & 3u] + in[(uchar)(k * 32u) >> 3];
}
"""


def library_calls(s: Statements, scope: Scope, place: Place) -> None:
    """Many calls of the library, whose results are exact: of small whole numbers, or of integers."""
    c = s.choices
    family = c.pick(FAMILIES)
    name = s.name("v")
    variables = [f"{name}{letter}" for letter in "abc"]
    for variable in variables:
        s.line(f"{family.type_name} {variable} = {s.expressions.fill(family.first, scope, False, 1)};")
    number = c.pick((3, 6, 12, 25, 40))
    if s.budget.runs < number * place.often:
        number = 3
    s.budget.runs -= number * place.often
    for _ in range(number):
        f, g, h = (c.pick(variables) for _ in range(3))
        call = c.pick(family.calls).format(f=f, g=g, h=h, k=c.number(0, 3))
        s.line(f"{c.pick(variables)} = {family.bounded.format(call)};")
    _new(s, scope, " + ".join(family.last.format(v) for v in variables))


def pointers(s: Statements, scope: Scope, place: Place) -> None:
    """A pointer that is chosen at run time, and what it points to read and changed."""
    c = s.choices
    forms = [_chosen_input]
    if s.outputs:
        forms += [_chosen_output, _walked_input]
    if s.budget.runs > 0:
        forms += [_chosen_array, _chosen_record]
    if place.may_wait and len(place.tiles) > 1:
        forms += [_chosen_tile, _chosen_tile]
    c.pick(forms)(s, scope, place)


def _new(s: Statements, scope: Scope, text: str) -> None:
    name = s.name("v")
    s.line(f"uint {name} = {text};")
    scope.variables.append(Variable(name, "uint", False))


def _chosen_input(s: Statements, scope: Scope, place: Place) -> None:
    c, p = s.choices, s.name("p")
    condition = s.expressions.condition(scope, s.alike(False))
    index = s.expressions.value(scope, s.alike(False), 1)
    if c.chance(50):
        s.line(f"__global const uint *{p} = {condition} ? in : in + {c.number(1, 32)}u;")
        _new(s, scope, f"{p}[({index}) & 31u]")
    else:
        s.line(f"__global const uint *{p}[3] = {{in, in + 9, in + gid % 32u}};")
        _new(s, scope, f"{p}[({index}) % 3u][{c.pick(('lid & 31u', 'gid & 15u', '7u'))}]")


def _chosen_output(s: Statements, scope: Scope, place: Place) -> None:
    c, p = s.choices, s.name("p")
    own = ("out + gid * 4u", "out + gid * 4u + 2u", "(__global uint *)(quads + gid)")
    condition = s.expressions.condition(scope, s.alike(False))
    s.line(f"__global uint *{p} = {condition} ? {c.pick(own)} : {c.pick(own)};")
    value = s.expressions.value(scope, False, 1)
    s.line(f"{p}[({s.expressions.value(scope, False, 1)}) & 1u] {c.pick(('+=', '^=', '='))} {value};")


def _walked_input(s: Statements, scope: Scope, place: Place) -> None:
    c, p = s.choices, s.name("p")
    name = s.name("v")
    s.line(f"uint {name} = 1u;")
    start = s.expressions.value(scope, s.alike(False), 1)
    step = c.pick((7, 9, 16, 33))
    walk = f"for (__global const uint *{p} = in + (({start}) & 31u); {p} < in + 60; {p} += {step})"
    s.line(f"{walk} {name} = {name} * 3u + *{p};")
    s.budget.runs -= 8 * place.often
    scope.variables.append(Variable(name, "uint", False))


def _some(s: Statements, scope: Scope, kind: str, count: int) -> list[Variable]:
    """So many variables of a kind that work-items may change on their own, new ones if there are too few."""
    found = [v for v in scope.writable(False) if v.kind == kind]
    while len(found) < count:
        s.define(Variable(s.name("v"), kind, False), scope)
        found.append(scope.variables[-1])
    return found


def _chosen_array(s: Statements, scope: Scope, place: Place) -> None:
    c, p = s.choices, s.name("p")
    s.budget.runs -= 16 * place.often
    arrays = _some(s, scope, "array", 2)
    one, other = c.pick(arrays), c.pick(arrays)
    index, value = s.expressions.value(scope, s.alike(False), 1), s.expressions.value(scope, False, 1)
    if c.chance(50):
        condition = s.expressions.condition(scope, s.alike(False))
        s.line(f"uint *{p} = {condition} ? {one.name} : {other.name} + {c.number(0, 4)}u;")
        s.line(f"{p}[({index}) & 3u] {c.pick(('=', '+='))} {value};")
        _new(s, scope, f"{p}[lid & 3u] + {one.name}[2]")
    else:
        s.line(f"uint *{p}[2] = {{{one.name}, {other.name}}};")
        s.line(f"{p}[({index}) & 1u][({value}) & 7u] ^= {value};")
        _new(s, scope, f"{p}[lid & 1u][({index}) & 7u]")


def _chosen_record(s: Statements, scope: Scope, place: Place) -> None:
    c = s.choices
    records = _some(s, scope, "record", 1)
    one, other = c.pick(records), c.pick(records)
    condition = s.expressions.condition(scope, s.alike(False))
    value = s.expressions.value(scope, False, 1)
    if c.chance(50):
        s.line(f"touch_record({condition} ? &{one.name} : &{other.name}, {value});")
    else:
        p = s.name("p")
        s.line(f"struct record *{p} = {condition} ? &{one.name} : &{other.name};")
        s.line(f"{p}->several[({value}) % 3u] += {p}->first; {p}->second -= (short){p}->several[1];")
        if c.chance(30):
            s.line(f"touch_record({p}, {value});")
    _new(s, scope, f"{one.name}.first ^ (uint){other.name}.second")


def _chosen_tile(s: Statements, scope: Scope, place: Place) -> None:
    c, p = s.choices, s.name("p")
    one, other = place.tiles[0], place.tiles[1]
    uniform = c.chance(40)
    condition = s.expressions.condition(scope, uniform)
    s.line(f"{one}[lid] = {s.expressions.value(scope, False, 1)};")
    s.line(f"{other}[lid] = {s.expressions.value(scope, False, 1)};")
    s.line(f"__local uint *{p} = {condition} ? {one} : {other};")
    s.line(f"{p}[lid] {c.pick(('=', '^=', '+='))} {s.expressions.value(scope, False, 1)};")
    s.line("barrier(CLK_LOCAL_MEM_FENCE);")
    _new(s, scope, f"{p}[(lid + {s.expressions.value(scope, c.chance(50), 1)}) % size]")
    s.line("barrier(CLK_LOCAL_MEM_FENCE);")


# Elements of memory that belong to one work-item; {j} is less than 3, {x} a component.
_SUMS = (
    "out[gid * 4u + {j}u]", "out[gid * 4u + {j}u]", "wide[gid]", "quads[gid].{x}",
    "((__global uint *)(quads + gid))[{j}]", "narrow[gid]", "out8[gid * 5u + {j}u]", "out16[gid * 3u + {j}u]",
)  # fmt: skip
# Elements of which the iteration tells which one it is, perhaps one of those above.
_MOVING_SUMS = (
    "out[gid * 4u + (k_ & 3u)]",
    "out8[gid * 5u + k_ % 5u]",
    "quads[gid].s{j}",
    "out[gid * 4u + m % 4u]",
)
_SUM_STEPS = (
    "{e} += {a};", "{e} += {a};", "{e} ^= {a} + k_;", "{e} = {e} * 3u + {a};", "{e} -= in[(gid + k_) & 63u];",
    "{e} = {a};", "if ({c}) {e} += {a};", "if ({c}) {e} ^= {a}; else {e} += 5u;", "{e} += {f};",
    "{f} = {e} + {a};",
    "if ({c}) {{ {f} += {a}; {e} = {f}; }}", "{v} += {e};", "if ({e} & 1u) {v} ^= k_;",
    "for (uint q_ = 0u; q_ < {t}; q_++) {e} += {a} ^ q_;",
    "for (uint q_ = 0u; q_ < {t}; q_++) {{ if ({c}) continue; {e} += q_; {f} ^= {e}; }}",
    "{e} = 0u; for (uint q_ = 0u; q_ < 3u; q_++) {e} += in[(k_ + q_) & 63u]; {f} += {e};",
    "if ({c}) break;", "if ({c}) continue;",
)  # fmt: skip
_SUM_LENGTHS = ("3u", "n % 5u", "(uint)uni[1]", "in[gid] % 5u", "(lid & 3u)", "{u} % 6u")


def memory_sums(s: Statements, scope: Scope, place: Place) -> None:
    """A loop that accumulates in elements of memory, under conditions or not, and reads them."""
    if not s.outputs or s.budget.runs < 60 * place.often:
        s.change(scope, place)
        return
    c = s.choices
    s.budget.runs -= 40 * place.often
    elements = [c.pick(_SUMS), c.pick((*_SUMS, *_MOVING_SUMS))]
    tile = place.tiles[0] if place.may_wait and place.tiles and c.chance(30) else ""
    if tile:
        s.line(f"{tile}[lid] = {s.expressions.value(scope, False, 1)};")
        elements[c.number(0, 1)] = f"{tile}[lid]"
    e, f = (text.format(j=c.number(0, 2), x=c.pick("xyzw")) for text in elements)
    name = s.name("v")
    s.line(f"uint {name} = {s.expressions.value(scope, False, 1)};")
    length = c.pick(_SUM_LENGTHS).format(u=s.expressions.value(scope, place.uniform, 1))
    s.line(f"uint {name}t = {length};")
    with s.braces(c.pick((
        f"for (uint k_ = 0u; k_ < {name}t; k_++)",
        f"for (uint k_ = {name}t; k_ > 0u; k_--)",
        f"for (int k_ = 0; k_ < (int){name}t; k_ += 2)",
    ))):  # fmt: skip
        for _ in range(c.number(1, 3)):
            words = {
                "a": s.expressions.value(scope, s.alike(False), 1),
                "c": s.expressions.condition(scope, s.alike(False)),
                "t": c.pick(("2u", "(k_ & 3u)", f"{name}t")),
            }
            s.line(c.pick(_SUM_STEPS).format(e=e, f=f, v=name, **words))
    if tile:
        s.line(f"{name} ^= {tile}[lid];")
        s.line("barrier(CLK_LOCAL_MEM_FENCE);")
    scope.variables.append(Variable(name, "uint", False))


TOUCH_RECORD = """\
void touch_record(struct record *r, uint x) {
    r->first ^= x;
    r->several[x % 3u] += r->first;
    if (x & 1u) r->second--;
}
"""

SHAPES: dict[str, Shape] = {
    "chains": chain,
    "guards": division_guard,
    "conversions": conversion,
    "pieces": pieces,
    "calls": library_calls,
    "pointers": pointers,
    "wraps": wrapping_loop,
    "sums": memory_sums,
}
