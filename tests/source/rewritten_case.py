"""A kernel test's file with its kernel rewritten: the same arguments and reference, another launch."""

from dataclasses import replace
from typing import Any

from kernel_case import KernelCase, Range

from weft.frontend.options import parse_options
from weft.source.rewrite import Request, Rewritten, vectorize


def fits(launch: Range, factor: int, of_groups: bool) -> bool:
    """Whether work-items of a launch can be merged."""
    return launch.offset[0] % factor == 0 and (not of_groups or launch.local_size[0] % factor == 0)


def merged_launch(launch: Range, factor: int, of_groups: bool) -> Range:
    """The launch of the kernel whose work-items were merged."""
    x = -(-launch.global_size[0] // factor)
    local = launch.local_size[0] // factor if of_groups else 1
    return Range(
        launch.text,
        (x, *launch.global_size[1:]),
        (local, *launch.local_size[1:]),
        (launch.offset[0] // factor, *launch.offset[1:]),
    )


def rewritten(case: KernelCase, **how: Any) -> Rewritten:
    """The file's kernel, rewritten."""
    kernels = (case.kernel,) if case.kernel else ()
    return vectorize(
        case.source, parse_options(case.options), case.path.name, Request(kernels=kernels, **how)
    )


def with_source(case: KernelCase, source: str) -> KernelCase:
    """The case with another source."""
    return replace(case, source=source)
