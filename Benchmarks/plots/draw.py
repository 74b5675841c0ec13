#!/usr/bin/env python3
"""Draws what a run measured: draw.py results.json FOLDER. Needs nothing but Python. Rows that the run did not have are left out."""

import json
import math
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from rows import ROWS  # noqa: E402
from servers import CONTENDERS  # noqa: E402
from svg import Drawing  # noqa: E402
from table import show  # noqa: E402

# Of which figures of which row there are bars.
BARS = [
    ("fanout", "deliveries/s"), ("wide", "server CPU per delivery"), ("closed-1000", "deliveries/s"), ("closed-1", "posts/s"),
    ("closed-1", "server CPU per post"), ("closed-1-16", "posts/s"), ("closed-1-16", "server CPU per post"), ("latency", "p99"),
    ("idle-4000", "memory each"), ("idle-15000", "memory each"), ("drop", "p99"),
]  # fmt: skip
WIDTH, LEFT, RIGHT = 760, 70, 30


def medians(figure, rounds):
    """The median of each contender that has the figure."""
    each = {name: [figure.value(r) for r in results if r] for name, results in rounds.items()}
    return {name: statistics.median(values) for name, values in each.items() if values}


def legend(drawing, names, y):
    x = LEFT
    for contender in CONTENDERS:
        if contender.name in names:
            drawing.bar(x, y - 9, 10, 10, contender.name)
            drawing.text(x + 15, y, contender.title)
            x += 35 + 7 * len(contender.title)


def bars(results, path):
    """One group for each figure, each scaled to its own longest bar."""
    rows = {row.name: row for row in ROWS}
    groups = []
    for name, label in BARS:
        if any(any(each) for each in results["rows"].get(name, {}).values()):
            figure = next(figure for figure in rows[name].figures if figure.label == label)
            groups.append((rows[name].title, figure, medians(figure, results["rows"][name])))
    names = {name for _, _, values in groups for name in values}
    height = 62 + sum(26 + 17 * len(values) for _, _, values in groups)
    drawing = Drawing(WIDTH, height, "Clarion beside its peers")
    drawing.text(LEFT, 24, f"Medians of one run, {results.get('date', '')}. Rates: longer is better; the rest: shorter is.", kind="title")
    legend(drawing, names, 46)
    y = 76
    for title, figure, values in groups:
        drawing.text(LEFT, y, f"{title}: {figure.label}")
        y += 7
        for contender in CONTENDERS:
            if contender.name in values:
                value = values[contender.name]
                length = (WIDTH - LEFT - RIGHT - 110) * value / max(values.values())
                drawing.bar(LEFT, y, length, 13, contender.name)
                drawing.text(LEFT + length + 6, y + 11, show(value, figure.unit), kind="small")
                y += 17
        y += 19
    drawing.write(path)


def powers(low, high):
    first = math.floor(math.log10(low))
    return [10.0**n for n in range(first, max(first + 1, math.ceil(math.log10(high))) + 1)]


def curves(row, rounds, path):
    """Two panels side by side, both axes logarithmic: the row's two figures over its steps."""
    labels = list(dict.fromkeys(figure.label.split(": ")[1] for figure in row.figures))
    names = {name for name, results in rounds.items() if any(results)}
    drawing = Drawing(WIDTH, 330, row.title)
    drawing.text(LEFT, 24, row.title[0].upper() + row.title[1:], kind="title")
    legend(drawing, names, 46)
    width = (WIDTH - LEFT - RIGHT - 60) / 2
    for number, label in enumerate(labels):
        figures = [f for f in row.figures if f.label.endswith(": " + label) and medians(f, rounds)]
        steps = [int(figure.label.split()[0].replace(",", "")) for figure in figures]
        values = [medians(figure, rounds) for figure in figures]
        ticks = powers(min(min(v.values()) for v in values), max(max(v.values()) for v in values))
        left, top, bottom = LEFT + number * (width + 60), 90, 285

        def across(step):
            return left + width * math.log(step / steps[0]) / math.log(steps[-1] / steps[0])

        def up(value):
            return bottom - (bottom - top) * math.log(value / ticks[0]) / math.log(ticks[-1] / ticks[0])

        drawing.text(left, top - 14, f"{label}, {figures[0].unit}")
        for tick in ticks:
            drawing.line([(left, up(tick)), (left + width, up(tick))], "grid")
            drawing.text(left - 6, up(tick) + 4, f"{tick:,.0f}" if tick >= 1 else f"{tick:g}", "end", "small")
        for step in steps:
            drawing.text(across(step), bottom + 17, f"{step:,}", "middle", "small")
        drawing.text(left + width / 2, bottom + 36, figures[0].label.split()[1].rstrip(":"), "middle", "small")
        drawing.line([(left, top), (left, bottom), (left + width, bottom)], "axis")
        for contender in CONTENDERS:
            points = [(across(s), up(v[contender.name])) for s, v in zip(steps, values) if contender.name in v]
            drawing.line(points, f"line {contender.name}")
            for x, y in points:
                drawing.dot(x, y, contender.name)
    drawing.write(path)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    results = json.loads(pathlib.Path(sys.argv[1]).read_text())
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for row in ROWS:
        rounds = results["rows"].get(row.name, {})
        if row.name.startswith("curve-") and any(any(each) for each in rounds.values()):
            curves(row, rounds, folder / f"{row.name}.svg")
    if any(name in results["rows"] for name, _ in BARS):
        bars(results, folder / "peers.svg")


if __name__ == "__main__":
    main()
