"""What rounds come to: one line of the Markdown table for each figure, and remarks under it."""

import statistics


def show(value, unit):
    if value is None:
        return "–"
    if unit == "bytes":
        return f"{value / 1024:.1f} KB"
    if unit == "µs" and value >= 1000:
        return f"{value / 1000:.1f} ms"
    number = f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return number if unit == "/s" else f"{number} {unit}"


def show_demand(demand, unit):
    if demand is None:
        return ""
    limit = f"{demand.limit:g} × Nchan" if demand.ratio else show(demand.limit, unit)
    return f"{'≤' if demand.most else '≥'} {limit}"


OURS = ("clarion", "base")


class Table:
    """Prints as it goes. `contenders` are server classes, Clarion first; `missed` says whether any demand was."""

    def __init__(self, contenders, values, spread=False):
        self.contenders = contenders
        self.values = values
        self.spread = spread
        self.with_base = any(c.name == "base" for c in contenders)
        self.missed = False
        titles = ["work", "figure", *(c.title for c in contenders), "over Nchan", *(["over base"] * self.with_base)]
        titles += ["must", "goal", ""]
        print("| " + " | ".join(titles) + " |\n|" + "---|" * len(titles), flush=True)

    def row(self, row, rounds):
        for figure in row.figures:
            self.line(row, figure, rounds)

    def remark(self, words, value):
        print(f"| | {words} | {value} |" + " |" * (len(self.contenders) + self.with_base + 3), flush=True)

    def line(self, row, figure, rounds):
        each = {name: [r and figure.value(r) for r in results] for name, results in rounds.items()}
        # Of a peer the rounds that failed are left out, with a remark; of our own one is enough to say nothing.
        good = {name: v if name in OURS else [f for f in v if f is not None] for name, v in each.items()}
        medians = {name: statistics.median(v) for name, v in good.items() if v and None not in v}
        ours, theirs = medians.get("clarion"), medians.get("nchan")
        ratio = ours / theirs if ours is not None and theirs else None
        verdict = ""
        if figure.must and ours is not None:
            must = figure.must.met(ours, ratio)
            goal = figure.goal.met(ours, ratio) if figure.goal else False
            self.missed |= must is False
            verdict = "goal" if must and goal else "reached" if must else "**missed**" if must is False else ""
        cells = [
            row.title.format(**self.values) if figure is row.figures[0] else "",
            figure.label,
            *(self.cell(good.get(c.name, []), figure.unit) for c in self.contenders),
            f"{ratio:.2f}" if ratio is not None else "",
            *([self.over_base(each)] * self.with_base),
            show_demand(figure.must, figure.unit),
            show_demand(figure.goal, figure.unit),
            verdict,
        ]
        print("| " + " | ".join(cells) + " |", flush=True)

    def cell(self, each, unit):
        if None in each:
            return "failed"
        median = show(statistics.median(each) if each else None, unit)
        return f"{median} ({show(min(each), unit)}–{show(max(each), unit)})" if self.spread and len(each) > 1 else median

    def over_base(self, each):
        """Of the ratios within a round, the median, and the least and the most."""
        pairs = [(a, b) for a, b in zip(each.get("clarion", []), each.get("base", [])) if a is not None and b]
        ratios = sorted(a / b for a, b in pairs)
        return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})" if ratios else ""


def remarks(row, rounds):
    """What a reader must know to read the row's figures rightly."""
    results = [(name, r) for name, all_of in rounds.items() for runs in all_of if runs for r in runs.values()]
    for name in rounds:
        if name not in OURS and None in rounds[name]:
            yield f"{row.name}, {name}: {rounds[name].count(None)} of {len(rounds[name])} rounds failed, see above; they do not count."
        # Busy and yet sending all that was offered is no limit.
        limited = [r for n, r in results if n == name and r.get("load_busy", 0) > 0.95]
        if any(r["posts_per_s"] < 0.99 * r.get("offered_per_s", float("inf")) for r in limited):
            yield f"{row.name}, {name}: the load generator was busy all the time; the figure is a lower bound."
        refused = sum(r["posts_refused"] for n, r in results if n == name)
        if refused:
            yield f"{row.name}, {name}: {refused:,} posts were refused."
