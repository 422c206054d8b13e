"""The change to the host program that rewritten kernels require: printed, or written with `--host`."""

from collections.abc import Sequence

from weft.source.inter import Merged
from weft.source.layout import Layout


def note(merged: Merged) -> str:
    """Describe the change in one sentence."""
    factor = merged.factor
    if merged.of_groups:
        return (
            f"{merged.kernel}: divide the global size, local size and global offset along x by {factor}; "
            f"the local size must be a multiple of {factor}"
        )
    if merged.items:
        return (
            f"{merged.kernel}: divide the global size along x by {factor} and round up; set argument "
            f"{merged.arguments} ({merged.items}, a ulong) to the global size before, plus the global "
            f"offset, which must be a multiple of {factor} and is divided, too"
        )
    return (
        f"{merged.kernel}: divide the global size along x by {factor}, of which it must be a multiple; "
        f"the global offset likewise"
    )


def c_header(merged: Sequence[Merged], layouts: Sequence[Layout] = ()) -> str:
    """Return a C header with functions that convert buffers and enqueue kernels for their original range."""
    lines = [
        "/* Written by weft vectorize: what the host of rewritten kernels has to do. */",
        "#pragma once",
        "#include <CL/cl.h>",
    ]
    for layout in layouts:
        lines += ["", *_c_conversions(layout)]
    for one in merged:
        lines += ["", *_c_function(one)]
    return "\n".join(lines) + "\n"


def _c_function(merged: Merged) -> list[str]:
    factor, name = merged.factor, merged.kernel
    lines = [
        f"/* {note(merged)}. The sizes are those before; without a local size pass NULL. */",
        f"static inline cl_int enqueue_{name}(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,",
        "                                    const size_t *global, const size_t *local, cl_event *event) {",
        "    size_t sizes[3] = {1, 1, 1}, groups[3] = {1, 1, 1};",
        "    for (cl_uint d = 0; d < dimensions; d++) {",
        "        sizes[d] = global[d];",
        "        groups[d] = local ? local[d] : 1;",
        "    }",
    ]
    if merged.items:
        lines += [
            "    cl_ulong items = sizes[0];",
            f"    cl_int status = clSetKernelArg(kernel, {merged.arguments}, sizeof items, &items);",
            "    if (status != CL_SUCCESS)",
            "        return status;",
            f"    sizes[0] = (sizes[0] + {factor - 1}) / {factor};",
            "    /* Work-items do not know their groups: the implementation chooses. */",
            "    local = NULL;",
        ]
    else:
        lines += [
            f"    if (sizes[0] % {factor} || (local && groups[0] % {factor}))",
            "        return CL_INVALID_WORK_GROUP_SIZE;",
            f"    sizes[0] /= {factor};",
            f"    groups[0] /= {factor};",
        ]
    lines += [
        "    return clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, sizes, local ? groups : NULL,",
        "                                  0, NULL, event);",
        "}",
    ]
    return lines


def _c_conversions(layout: Layout) -> list[str]:
    """Return functions that convert a buffer before a launch and, if the kernel writes to it, back after
    it."""
    type, width = f"cl_{layout.element}", layout.blocks
    new = f"(c / {width} * rows + r) * {width} + c % {width}" if width else "c * rows + r"
    lines = [f"/* {layout.note}. */"]
    if width:
        lines.append(f"/* `to` has rows * (columns rounded up to a multiple of {width}) elements. */")
    statements = {"to": f"to[{new}] = from[r * columns + c]"}
    if layout.written:
        statements["from"] = f"to[r * columns + c] = from[{new}]"
    for name, text in statements.items():
        lines += [
            f"static inline void {layout.buffer}_of_{layout.kernel}_{name}_layout(",
            f"        const {type} *from, {type} *to, size_t rows, size_t columns) {{",
            "    for (size_t r = 0; r < rows; r++)",
            "        for (size_t c = 0; c < columns; c++)",
            f"            {text};",
            "}",
        ]
    return lines


def python_module(merged: Sequence[Merged], layouts: Sequence[Layout] = ()) -> str:
    """Return a pyopencl module with functions that convert buffers and enqueue kernels for their original
    range."""
    lines = [
        '"""Written by weft vectorize: what the host of rewritten kernels has to do."""',
        "",
        "import numpy as np",
        "import pyopencl as cl",
    ]
    for layout in layouts:
        lines += ["", "", *_python_conversions(layout)]
    for one in merged:
        lines += ["", "", *_python_function(one)]
    return "\n".join(lines) + "\n"


def _python_conversions(layout: Layout) -> list[str]:
    """Return functions that convert a buffer before a launch and, if the kernel writes to it, back after
    it."""
    width = layout.blocks
    lines = [
        f"def {layout.buffer}_of_{layout.kernel}_to_layout(array, columns):",
        f'    """{layout.note}.',
        "",
        f"    Returns the content for the buffer, and the number of rows for argument {layout.argument}.",
        '    """',
        "    matrix = array.reshape(-1, columns)",
    ]
    if width:
        lines += [
            f"    matrix = np.pad(matrix, ((0, 0), (0, -columns % {width})))",
            f"    blocks = matrix.reshape(len(matrix), -1, {width}).transpose(1, 0, 2)",
            "    return np.ascontiguousarray(blocks).ravel(), len(matrix)",
        ]
    else:
        lines.append("    return np.ascontiguousarray(matrix.T).ravel(), len(matrix)")
    if layout.written:
        lines += [
            "",
            "",
            f"def {layout.buffer}_of_{layout.kernel}_from_layout(array, columns, rows):",
            '    """The array as it was before, from the content of the buffer after the launch."""',
        ]
        if width:
            lines += [
                f"    matrix = array.reshape(-1, rows, {width}).transpose(1, 0, 2).reshape(rows, -1)",
                "    return np.ascontiguousarray(matrix[:, :columns]).ravel()",
            ]
        else:
            lines.append("    return np.ascontiguousarray(array.reshape(columns, rows).T).ravel()")
    return lines


def _python_function(merged: Merged) -> list[str]:
    factor, name = merged.factor, merged.kernel
    lines = [
        f"def enqueue_{name}(queue, kernel, global_size, local_size=None):",
        f'    """{note(merged)}. The sizes are those before."""',
        "    x, *rest = global_size",
    ]
    if merged.items:
        lines += [
            f"    kernel.set_arg({merged.arguments}, np.uint64(x))",
            f"    return cl.enqueue_nd_range_kernel(queue, kernel, (-(-x // {factor}), *rest), None)",
        ]
    else:
        lines += [
            f"    if x % {factor} or (local_size is not None and local_size[0] % {factor}):",
            f'        raise ValueError("sizes along x must be multiples of {factor}")',
            "    if local_size is not None:",
            f"        local_size = (local_size[0] // {factor}, *local_size[1:])",
            f"    return cl.enqueue_nd_range_kernel(queue, kernel, (x // {factor}, *rest), local_size)",
        ]
    return lines
