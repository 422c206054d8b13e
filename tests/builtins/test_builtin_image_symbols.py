"""Which image functions the library has, and the symbols of their forms for known formats and samplers."""

import pytest

from weft import ir
from weft.builtins.catalogue import catalogue
from weft.builtins.images import TaggedSymbol, read_tags, specialized_symbol
from weft.builtins.library import DEFAULT, compile_symbols, mark_constant_loads
from weft.target import x86
from weft.transform.workgroup.specialize_image_formats import specialize_image_formats

READ = "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i"


@pytest.mark.parametrize(
    "tagged",
    [
        TaggedSymbol(READ),
        TaggedSymbol(READ, (5, 2)),
        TaggedSymbol(READ, None, 20),
        TaggedSymbol(READ, (0, 14), 3),
    ],
)
def test_tags_are_read_as_they_are_written(tagged: TaggedSymbol) -> None:
    assert read_tags(str(tagged)) == tagged


def test_only_functions_that_read_or_write_pixels_are_tagged() -> None:
    assert specialized_symbol(READ, (5, 2), (20,)) == f"{READ}.i5.2.s20"
    assert specialized_symbol(READ, (), ()) == READ
    query = "_Z15get_image_width14ocl_image2d_ro"
    assert specialized_symbol(query, (5, 2), ()) == query


@pytest.mark.parametrize(
    "symbol",
    [
        "_Z11read_imagef14ocl_image2d_wo11ocl_samplerDv2_f",  # a write-only image
        "_Z12write_imagef14ocl_image2d_roDv2_iDv4_f",  # a read-only image
        "_Z11read_imagef14ocl_image2d_roDv2_f",  # real coordinates without a sampler
        "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv4_f",  # coordinates of another kind of image
        "_Z11read_imagei20ocl_image2d_depth_ro11ocl_samplerDv2_f",  # depths are real
        "_Z12write_imagef20ocl_image2d_depth_woDv2_iDv4_f",
        "_Z12write_imageh14ocl_image2d_woDv2_iDv4_f",
        "_Z11read_imageh14ocl_image2d_wo11ocl_samplerDv2_f",
        "_Z12write_imagef14ocl_image2d_woDv2_iDv4_i",
        "_Z21get_image_num_samples14ocl_image2d_ro",
    ],
)
def test_what_is_no_image_function(symbol: str) -> None:
    assert catalogue().find_symbol(symbol) is None


def test_nothing_of_the_choice_remains_where_format_and_sampler_are_known() -> None:
    known = f"{READ}.i5.2.s20"
    definition = catalogue().find_symbol(known)
    assert definition is not None
    text = compile_symbols({known: definition}, x86.for_lanes(8), DEFAULT)[known]
    assert "switch" not in text and "br " not in text and "call <4 x float>" not in text
    assert text.count("uitofp <4 x i8>") == 1


def test_loads_from_constant_memory_do_not_depend_on_stores() -> None:
    text = "define void @f(ptr addrspace(2) %p, ptr %q) {\n  %a = load i32, ptr addrspace(2) %p, align 4\n"
    text += "  %b = load i32, ptr %q, align 4\n  ret void\n}\n!3 = !{}\n"
    marked = mark_constant_loads(text)
    assert "addrspace(2) %p, align 4, !invariant.load !4\n" in marked
    assert "ptr %q, align 4\n" in marked and "!4 = !{}" in marked
    unmarked = text.replace("addrspace(2)", "addrspace(1)")
    assert mark_constant_loads(unmarked) == unmarked


def test_calls_are_replaced_where_something_is_known() -> None:
    module = ir.parse(f"""
define void @k(ptr %a, ptr %b, ptr %s, i1 %c) {{
entry:
  %1 = call <4 x float> @{READ}(ptr %a, ptr %s, <2 x i32> zeroinitializer)
  %2 = call <4 x float> @{READ}(ptr %b, ptr inttoptr (i64 20 to ptr), <2 x i32> zeroinitializer)
  %which = select i1 %c, ptr %a, ptr %b
  %3 = call <4 x float> @{READ}(ptr %which, ptr %s, <2 x i32> zeroinitializer)
  %4 = call <4 x float> @{READ}(ptr %which, ptr null, <2 x i32> zeroinitializer)
  ret void
}}
declare <4 x float> @{READ}(ptr, ptr, <2 x i32>)
""")
    kernel = module.function("k")
    assert specialize_image_formats(kernel, ((5, 2), (), (18,), ()), specialized_symbol) == 4
    called = [i.called_function.name for i in kernel.instructions() if i.called_function is not None]
    assert called == [f"{READ}.i5.2.s18", f"{READ}.s20", f"{READ}.s18", f"{READ}.s0"]
    assert specialize_image_formats(kernel, (), specialized_symbol) == 0
