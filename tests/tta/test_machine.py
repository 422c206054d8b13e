"""Descriptions of machines: the paper's table, and what is wrong with others."""

import re

import pytest

from weft.tta.machine import MachineError, load_machine, parse_machine

SMALL = """
name = "small"
clock_mhz = 50
buses = 4
delay_slots = 1
memory_bytes = 65536
[immediates]
short_bits = 8
long = 1
[[register_file]]
name = "rf"
count = 1
registers = 16
read_ports = 1
write_ports = 1
[[register_file]]
name = "bool"
kind = "bool"
count = 1
registers = 8
read_ports = 1
write_ports = 1
[[unit]]
name = "alu"
count = 2
[unit.operations]
add = 1
mul = 3
"""


def test_the_default_machine_is_that_of_the_paper() -> None:
    machine = load_machine()
    count: dict[str, int] = {}
    for unit in machine.units:
        count[unit.kind] = count.get(unit.kind, 0) + 1
    assert count == {"alu": 4, "fadd": 4, "fmul": 4, "lsu": 9}
    files = [(f.boolean, f.registers, f.read_ports, f.write_ports) for f in machine.files]
    assert files == [(False, 32, 1, 1)] * 4 + [(True, 16, 1, 1)] * 5
    assert machine.clock_mhz == 100


def test_a_machine_is_read_from_a_file(tmp_path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    machine = load_machine(str(path))
    assert [unit.name for unit in machine.units] == ["alu.0", "alu.1"]
    assert machine.units_for("mul") == (0, 1)
    assert machine.units_for("fadd") == ()
    assert [machine.is_short(number) for number in (127, 128, 0xFFFFFF80, 0xFFFFFF7F)] == [
        True,
        False,
        True,
        False,
    ]
    twice = machine.with_units(3, 12)
    assert (len(twice.units), len(twice.files), twice.buses) == (3, 6, 12)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("buses = 4", "buses = 0", "buses must be a number of at least 4, got 0"),
        ("buses = 4", 'buses = "many"', "buses must be a number"),
        ("memory_bytes = 65536", "memory_bytes = 65538", "must be a multiple of 4 up to 2^32, got 65538"),
        ("memory_bytes = 65536", "memory_bytes = 8589934592", "must be a multiple of 4 up to 2^32"),
        ("add = 1", "fly = 1", "unknown operation 'fly'"),
        ("add = 1", "add = 0", "add must be a number of at least 1"),
        ('kind = "bool"', 'kind = "float"', "kind must be word or bool"),
        ('kind = "bool"', 'kind = "word"', "needs a register file of kind bool"),
        ('name = "bool"', 'name = "rf"', "two units or register files have the same name"),
        ("[unit.operations]", "[unit.other]", "the table 'operations' is missing"),
        ("[[unit]]", "[unit]", "'unit' must be a list of tables"),
        ("clock_mhz = 50", "clock_mhz", "machine:"),
        ('name = "small"', "", "a name is missing"),
    ],
)
def test_what_is_wrong_is_named(old: str, new: str, message: str) -> None:
    with pytest.raises(MachineError, match=re.escape(message)):
        parse_machine(SMALL.replace(old, new, 1))


def test_an_unknown_machine_is_refused(tmp_path) -> None:
    with pytest.raises(MachineError, match="unknown machine or file 'nowhere'; machines: table2"):
        load_machine("nowhere")
    path = tmp_path / "binary"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MachineError, match="not a text file"):
        load_machine(str(path))
