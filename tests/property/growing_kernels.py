"""Kernels of any size, by one number: chains, trees, straight code, blocks, nests.

All have the arguments `o` (results), `a` (integers to read, as many as `o`), `m` and `p`.
"""

from collections.abc import Callable

HEAD = "kernel void k(global float *o, global const int *a, int m, int p) { int i = get_global_id(0); "


def _kernel(*parts: str) -> str:
    return HEAD + " ".join(parts) + " }"


def _each(n: int, text: Callable[[int], str]) -> str:
    return " ".join(map(text, range(n)))


def _sums(n: int, type: str) -> str:
    """v0, v1 and so on, each the sum of the two before it: exponentially many ways lead to the last."""
    following = _each(n - 1, lambda k: f"{type} v{k + 2} = v{k + 1} + v{k};")
    return f"{type} v0 = i, v1 = i + ({type})p; {following}"


def _of_sub_groups(*parts: str) -> str:
    return f"__attribute__((intel_reqd_sub_group_size(4))) {_kernel('int x = a[i];', *parts, 'o[i] = x;')}"


def _tree(first: int, n: int) -> str:
    if n <= 1:
        return f"a[i + {first}]"
    half = n // 2
    return f"({_tree(first, half)} {'+-'[half % 2]} {_tree(first + half, n - half)})"


CHAINS: dict[str, Callable[[int], str]] = {
    "sums of int": lambda n: _kernel(
        _sums(n, "int"),
        f"float s = 0; for (int j = 0; j < m; j++) s = s * 0.5f + (v{n} & 255) + j; o[i] = s;",
    ),
    "sums of uint": lambda n: _kernel(
        _sums(n, "uint"),
        f"float s = 0; for (int j = 0; j < m; j++) s = s * 0.5f + (v{n} & 255) + j; o[i] = s;",
    ),
    "sums of float": lambda n: _kernel(
        _sums(n, "float").replace("v0 = i", "v0 = i * 1e-30f"), f"o[i] = v{n};"
    ),
    "guard": lambda n: _kernel(_sums(n, "long"), f"if ((v{n} & 1023) > m * 100) return; o[i] = 1;"),
    "index": lambda n: _kernel(
        _sums(n, "int"), f"float s = 0; for (int j = 0; j < m; j++) s += a[max(v{n} + j, 5) & 255]; o[i] = s;"
    ),
    "clamped index": lambda n: _kernel(
        _sums(n, "int"),
        f"float s = 0; for (int j = 0; j < m; j++) s += a[min(max(v{n} + j, 0), m)]; o[i] = s;",
    ),
    "mixed": lambda n: _kernel(
        "int s = 0; for (int j = 0; j < m; j++) { int x = i;",
        _each(n, lambda k: f"x = x {'+^|'[k % 3]} (m * {k + 3});"),
        "s += a[x & 255]; } o[i] = s;",
    ),
    "linear": lambda n: _kernel(
        "float s = 0; for (int j = 0; j < m; j++) { float t = j; int v = i; if (s > 1e5f) break;",
        _each(n, lambda k: f"v += {k + 1}; t = t * 0.5f + (v & 63);"),
        "s += t; } o[i] = s;",
    ),
    "products": lambda n: _kernel(
        "uint x = i | 1;",
        _each(n, lambda k: f"x = x * (x + {2 * k});"),
        "o[i] = a[x & 255] + a[(x / 7) & 127];",
    ),
    "choices": lambda n: _kernel(
        "int x = i, s = a[i]; for (int j = 0; j < m; j++) {",
        _each(n, lambda k: f"x = s > {k} ? x + {k + 1} : x ^ 5;"),
        "s += a[x & 255]; } o[i] = s;",
    ),
}

BLOCKS: dict[str, Callable[[int], str]] = {
    "tree": lambda n: _kernel("o[i] =", _tree(0, n), ";"),
    "loads": lambda n: _kernel("float s = 0;", _each(n, lambda k: f"s += a[a[i + {k}] & 255];"), "o[i] = s;"),
    "stores": lambda n: _kernel(_each(n, lambda k: f"o[i * {n} + {k}] = a[i + {k}] * 2.0f;")),
    "vectors": lambda n: _kernel(
        "float4 v = i;", _each(n, lambda k: f"v = v.yxwz * 0.5f + {k};"), "o[i] = v.x + v.w;"
    ),
    "ifs": lambda n: _kernel(
        "float s = 0;", _each(n, lambda k: f"if (a[i + {k}] > m) {{ s += {k}; o[i] = s; }}"), "o[i] = s;"
    ),
    "ifs in a loop": lambda n: _kernel(
        "float s = 0; for (int j = 0; j < m; j++) {",
        _each(n, lambda k: f"if (a[i + {k}] > j) {{ s += a[{k}]; o[i] = s; }}"),
        "} o[i] = s;",
    ),
    "uniform ifs": lambda n: _kernel(
        "float s = 0;", _each(n, lambda k: f"if (m > {k}) {{ s += a[i + {k}]; o[i] = s; }}"), "o[i] = s;"
    ),
    "else ifs": lambda n: _kernel(
        "float s = 1; int x = a[i];",
        " else ".join(f"if (x == {k} && a[i + {k}] > m) {{ o[i] = {k}; s = 2; }}" for k in range(n)),
        "o[i] += s;",
    ),
    "switch": lambda n: _kernel(
        "float s = 0; switch (a[i]) {",
        _each(n, lambda k: f"case {k * 7}: s = a[i + {k}]; o[i] = {k}; break;"),
        "} o[i] = s;",
    ),
    "switch in a loop": lambda n: _kernel(
        "float s = 0; for (int j = 0; j < m; j++) switch (a[i] + j) {",
        _each(n, lambda k: f"case {k * 7}: s += a[i + {k}]; o[i] = {k}; break;"),
        "} o[i] = s;",
    ),
    "loops": lambda n: _kernel(
        "float s = 0;",
        _each(n, lambda k: f"for (int j = 0; j < m + {k % 3}; j++) s += a[(i + j * {k + 1}) & 255];"),
        "o[i] = s;",
    ),
    "divergent loops": lambda n: _kernel(
        "float s = 0;",
        _each(n, lambda k: f"for (int j = 0; j < a[i + {k}]; j++) s += a[j + {k}];"),
        "o[i] = s;",
    ),
    "sums in memory": lambda n: _kernel(
        _each(n, lambda k: f"for (int j = 0; j < m + {k % 3}; j++) o[i] += a[(i + j * {k + 1}) & 255];"),
    ),
    "sums in memory in one loop": lambda n: _kernel(
        "for (int j = 0; j < m; j++) {",
        _each(n, lambda k: f"o[i * {n} + {k}] += a[(i + j * {k + 1}) & 255];"),
        "}",
    ),
    "sums in memory through a pointer": lambda n: _kernel(
        "for (int j = 0; j < m; j++) { global const int *q = a + j;",
        _each(n, lambda k: "q += p; o[i] += *q;"),
        "}",
    ),
    "barriers": lambda n: _kernel(
        "local float l[16]; float s = 0; int d = get_local_id(0);",
        _each(n, lambda k: f"l[d] = s + {k}; barrier(1); s += l[(d + {k + 1}) & 15]; barrier(1);"),
        "o[i] = s;",
    ),
    "barriers around clamped indices": lambda n: _kernel(
        "local float l[16]; float s = 0; int d = get_local_id(0);",
        _each(n, lambda k: f"l[d] = s; barrier(1); s += l[clamp(d + {k + 1}, 0, m)] + a[i]; barrier(1);"),
        "o[i] = s;",
    ),
    "barriers in ifs": lambda n: _kernel(
        "local float l[16]; float s = 0; int d = get_local_id(0);",
        _each(
            n,
            lambda k: (
                f"if (m > {k}) {{ l[d] = s + {k}; barrier(1); s += l[(d + {k + 1}) & 15]; barrier(1); }}"
            ),
        ),
        "o[i] = s;",
    ),
    "local memory read before a barrier": lambda n: _kernel(
        "local float l[16]; int d = get_local_id(0); l[d] = 0; barrier(1);",
        _each(n, lambda k: f"if (a[i + {k}] > m) o[i] = {k};"),
        "l[d] = 0; o[i] += l[(d + 1) & 15];",
    ),
    "reductions": lambda n: _of_sub_groups(
        _each(n, lambda k: f"x = (x & 255) + sub_group_reduce_max(x ^ {k}) + a[i + {k}];")
    ),
    "reductions at once": lambda n: _of_sub_groups(
        _each(n, lambda k: f"int y{k} = sub_group_reduce_max(a[i + {k}]);"),
        _each(n, lambda k: f"x = (x ^ y{k}) & 255;"),
    ),
    "reductions in regions": lambda n: _of_sub_groups(
        _each(n, lambda k: f"x = (x & 255) + sub_group_reduce_max(x ^ {k}); barrier(1);")
    ),
}

# As deep as programs are: clang counts brackets, up to 256.
NESTS: dict[str, Callable[[int], str]] = {
    "nested ifs": lambda n: _kernel(
        "float s = 0;",
        _each(n, lambda k: f"if (a[i + {k}] > m) {{ o[i] = {k}; s += 1;"),
        "}" * n,
        "o[i] += s;",
    ),
    "nested loops": lambda n: _kernel(
        "float s = 0;",
        _each(n, lambda k: f"for (int j{k} = 0; j{k} < (a[i + {k}] & 1); j{k}++) {{ s += a[j{k}];"),
        "}" * n,
        "o[i] = s;",
    ),
    "guards": lambda n: _kernel(_each(n, lambda k: f"if (i + {k} * p > m * 1000) return;"), "o[i] = 1;"),
}
