"""The option string of clBuildProgram: what is read, and what is refused with which words."""

import random
import shlex
import time

import pytest

from weft.errors import InvalidBuildOptions
from weft.frontend.options import _FLAGS, STANDARDS, BuildOptions, parse_options, split


def test_nothing_means_the_defaults() -> None:
    assert parse_options("") == parse_options("  \t\n ") == BuildOptions()
    assert parse_options("").std == "CL1.2"


@pytest.mark.parametrize("option", [option for option, field in _FLAGS.items() if field])
def test_each_flag_sets_its_field_only(option: str) -> None:
    parsed = parse_options(option)
    expected = BuildOptions(**{_FLAGS[option]: True})  # type: ignore[arg-type]
    assert parsed == expected != BuildOptions()
    assert parsed.key() != BuildOptions().key()


@pytest.mark.parametrize("option", ["-cl-strict-aliasing"])
def test_options_without_a_meaning_here_are_accepted(option: str) -> None:
    assert parse_options(option) == BuildOptions()


def test_the_last_word_on_aliasing_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parse_options("-fstrict-aliasing") == BuildOptions()
    assert parse_options("-fno-strict-aliasing -fstrict-aliasing") == BuildOptions()
    assert parse_options("-fstrict-aliasing -fno-strict-aliasing").no_strict_aliasing
    monkeypatch.setenv("WEFT_STRICT_ALIASING", "0")
    assert parse_options("").no_strict_aliasing and not parse_options("-fstrict-aliasing").no_strict_aliasing
    assert parse_options("").key() != parse_options("-fstrict-aliasing").key()


@pytest.mark.parametrize(
    ("text", "defines"),
    [
        ("-DA", (("A", "1"),)),
        ("-D A", (("A", "1"),)),
        ("-DA=", (("A", ""),)),
        ("-D A=2 -DB=x+y", (("A", "2"), ("B", "x+y"))),
        ('-D "A=a b"', (("A", "a b"),)),
        ("-DA='a b' -DB", (("A", "a b"), ("B", "1"))),
        ('-DPATH=\\"dir/x.h\\"', (("PATH", '"dir/x.h"'),)),
        ("-DTEXT='\"a\\n\"'", (("TEXT", '"a\\n"'),)),
        ("-DA=B=C", (("A", "B=C"),)),
        ("'-DSQUARE(x)=((x)*(x))'", (("SQUARE(x)", "((x)*(x))"),)),
        ("-DA=1 -DB=2 -DA=3", (("B", "2"), ("A", "3"))),
        ("-D 'A=1\n2'", (("A", "1"),)),
    ],
)
def test_macros_are_defined(text: str, defines: tuple[tuple[str, str], ...]) -> None:
    assert parse_options(text).defines == defines


@pytest.mark.parametrize(
    ("text", "directories"),
    [
        ("-I dir", ("dir",)),
        ("-Idir", ("dir",)),
        ("-I /a -I/b", ("/a", "/b")),
        ('-I "/path/with spaces"', ("/path/with spaces",)),
        ("-I '/path/with spaces' -w", ("/path/with spaces",)),
        ("-I/path/with\\ spaces", ("/path/with spaces",)),
        ('-I"/path/with spaces"', ("/path/with spaces",)),
    ],
)
def test_include_directories_keep_their_order_and_spaces(text: str, directories: tuple[str, ...]) -> None:
    assert parse_options(text).include_dirs == directories


@pytest.mark.parametrize("standard", STANDARDS)
def test_language_versions_of_the_device_are_taken(standard: str) -> None:
    assert parse_options(f"-cl-std={standard}").std == standard


def test_newest_version_of_cxx_for_opencl_needs_no_number() -> None:
    assert parse_options("-cl-std=CLC++").std == "CLC++1.0"


@pytest.mark.parametrize("standard", ["CL2.0", "CLC++1.0"])
def test_version_2_needs_a_device_with_its_features(standard: str) -> None:
    parsed = parse_options(f"-cl-std={standard}")
    assert parsed.for_device(embedded=False, only=None).without == ()
    with pytest.raises(InvalidBuildOptions, match=r"does not support .*__opencl_c_pipes"):
        parsed.for_device(embedded=True, only={"__opencl_c_generic_address_space"})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("-cl-nv-verbose", "-cl-nv-verbose"),
        ("-w -O3", "-O3"),
        ("-W", "-W"),
        ("-Werror=all", "-Werror=all"),
        ("-cl-std=CL2.1", "-cl-std=CL2.1"),
        ("-cl-std=CLC++2020", "-cl-std=CLC++2020"),
        ("-cl-std=", "-cl-std="),
        ("-cl-std", "-cl-std"),
        ("-cl-std=CL1.2 -cl-std=CL3.0", "-cl-std=CL3.0"),
        ("-cl-mad-enable=1", "-cl-mad-enable=1"),
        ("-create-library", "-create-library"),
        ("-x spir", "-x"),
        ("file.cl", "file.cl"),
        ("-", "-"),
        ("-D", "-D"),
        ("-D ''", "-D"),
        ("-D 1x=2", "1x"),
        ("-D =2", "=2"),
        ("-D A-B", "A-B"),
        ("-I", "-I"),
        ("-I dir\0-w", "NUL"),
        ('-D "A=1', "quotation"),
        ("-DA=1\\", "escape"),
    ],
)
def test_unknown_and_malformed_options_are_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(InvalidBuildOptions) as caught:
        parse_options(text)
    assert named in str(caught.value)


def test_a_terminating_nul_is_not_part_of_the_options() -> None:
    assert parse_options("-w\0") == parse_options("-w")


def test_different_options_have_different_keys() -> None:
    texts = [
        "",
        "-w",
        "-Werror",
        "-DA",
        "-DA=2",
        "-DB",
        "-I a",
        "-I b",
        "-I a -I b",
        "-cl-std=CL3.0",
        "-cl-std=CL3.1",
        "-DA -DB",
    ]
    assert len({parse_options(text).key() for text in texts}) == len(texts)
    assert parse_options("-D A  -w").key() == parse_options("-w -DA=1").key()


def test_words_are_those_of_a_shell() -> None:
    choice = random.Random(1)
    for _ in range(20_000):
        text = "".join(choice.choice("ab \t\n\r\\\"'-D=é\v") for _ in range(choice.randrange(12)))
        try:
            expected = shlex.split(text)
        except ValueError:
            with pytest.raises(InvalidBuildOptions):
                split(text)
        else:
            assert split(text) == expected, text


@pytest.mark.parametrize("part", ["1+", "1 ", "\\1", '\\"', "\n", "=", "'a'"])
def test_a_long_option_takes_time_linear_in_its_length(part: str) -> None:
    text = f'-D "A={part * 500_000}"'
    start = time.process_time()
    ((name, _),) = parse_options(text).defines
    assert name == "A"
    # It takes 0.2 s; one that copies the word for each of its characters took minutes.
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "text", ["x" * 5000, "-D " + "+" * 5000, "-D 'A" + "1" * 5000, "-cl-std=" + "1" * 5000]
)
def test_a_message_shows_the_beginning_of_a_long_option(text: str) -> None:
    with pytest.raises(InvalidBuildOptions) as caught:
        parse_options(text)
    assert "characters)" in str(caught.value) and len(str(caught.value)) < 1000
