"""Draw schedules for the explain page: one row per unit and register file, one column per cycle."""

from collections.abc import Iterator
from html import escape

from .program import FromRegister, Move, Program, ScheduledBlock, ToRegister, ToUnit
from .report import lower_bound, move_text, utilisation

CELL = 11
LEFT = 96
RIGHT = 44
# Longer blocks are cut off at this cycle.
MOST_CYCLES = 400

Row = tuple[str, int, dict[int, list[str]]]
"""The name of a row, its hue, and its events by cycle."""


def block_html(program: Program, block: ScheduledBlock) -> str:
    """Render a block as HTML: a summary, the drawing, and the utilization of each kind of resource."""
    usage = utilisation(Program(program.machine, [block]))
    bounds = lower_bound(program, block)
    uses = "".join(
        f"<tr><td>{escape(use.name)}</td><td>{use.share:.0%}</td><td>{bounds[use.name]}</td></tr>"
        for use in usage.uses
    )
    return (
        f'<div class="schedule"><h3>{escape(block.name)} <small>{block.length} cycles, '
        f"{usage.operations} operations, {usage.operations_per_cycle:.2f} per cycle</small></h3>"
        f'<div class="scroll">{block_svg(program, block)}</div>'
        f"<details><summary>use of each resource</summary><table><tr><th>resource</th><th>used</th>"
        f"<th>least cycles</th></tr>{uses}</table></details></div>"
    )


def block_svg(program: Program, block: ScheduledBlock) -> str:
    """Draw a block: a cell where a unit starts an operation, or a register file is read or written."""
    rows = list(_rows(program, block))
    cycles = min(block.length, MOST_CYCLES)
    width, height = LEFT + cycles * CELL + RIGHT, (len(rows) + 1) * CELL + 4
    parts = [
        f'<svg class="moves" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="schedule of {escape(block.name)}">'
    ]
    for cycle in range(0, cycles, 10):
        x = LEFT + cycle * CELL
        parts.append(f'<text x="{x}" y="9">{cycle}</text>')
        parts.append(f'<path class="rule" d="M{x} 12V{height}"/>')
    for number, (name, hue, cells) in enumerate(rows):
        y = (number + 1) * CELL + 2
        parts.append(f'<text x="2" y="{y + 9}">{escape(name)}</text>')
        parts.append(
            f'<text x="{LEFT + cycles * CELL + 6}" y="{y + 9}">{len(cells) / block.length:.0%}</text>'
        )
        for cycle, texts in sorted(cells.items()):
            if cycle < cycles:
                x, title = LEFT + cycle * CELL, escape("\n".join([f"cycle {cycle}", *texts]))
                parts.append(
                    f'<g style="--h:{hue}"><title>{title}</title>'
                    f'<rect x="{x}" y="{y}" width="{CELL - 1}" height="{CELL - 1}"/></g>'
                )
    return "".join([*parts, "</svg>"])


def _rows(program: Program, block: ScheduledBlock) -> Iterator[Row]:
    machine = program.machine
    triggers: dict[int, dict[int, list[str]]] = {}
    reads: dict[int, dict[int, list[str]]] = {}
    writes: dict[int, dict[int, list[str]]] = {}

    def note(table: dict[int, dict[int, list[str]]], key: int, move: Move) -> None:
        table.setdefault(key, {}).setdefault(move.cycle, []).append(move_text(program, move))

    for move in block.moves:
        if isinstance(move.destination, ToUnit):
            if move.destination.port == 0:
                note(triggers, move.destination.unit, move)
        elif isinstance(move.destination, ToRegister):
            note(writes, move.destination.register[0], move)
        if isinstance(move.source, FromRegister):
            note(reads, move.source.register[0], move)
    kinds = list(dict.fromkeys(unit.kind for unit in machine.units))
    for number, unit in enumerate(machine.units):
        yield unit.name, (205 + kinds.index(unit.kind) * 137) % 360, triggers.get(number, {})
    for number, file in enumerate(machine.files):
        if number in reads or number in writes:
            yield f"{file.name} read", 0, reads.get(number, {})
            yield f"{file.name} write", 40, writes.get(number, {})
