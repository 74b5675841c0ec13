"""The rows of the table: what is run for each, which figures come of it, and what they must reach.

The demands are those of docs/performance.md. A figure is taken from one round of one target's results;
`must` and `goal` hold for the median, either of the ratio to Nchan or of Clarion's figure itself.
"""

from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Demand:
    """`most`: a figure or ratio that may not be exceeded, otherwise one that must be reached."""

    limit: float
    most: bool = False
    ratio: bool = False

    def met(self, figure, ratio):
        value = ratio if self.ratio else figure
        return None if value is None else value <= self.limit if self.most else value >= self.limit


@dataclass(frozen=True)
class Figure:
    label: str
    unit: str  # of what `value` returns: "/s", "µs", "bytes", "×"
    value: Callable[[dict], float]
    must: Demand | None = None
    goal: Demand | None = None


@dataclass(frozen=True)
class Run:
    """One start of the generator: its mode and options, with {seconds} and the like filled in."""

    name: str
    arguments: str
    durability: str = "process"
    options: tuple = ()  # further ones for `clarion serve`
    is_authorized: bool = False  # whether the hub asks for a key, and gets one


PEERS = ("nchan", "hummingbird", "starlette")


@dataclass(frozen=True)
class Row:
    name: str
    title: str
    runs: list[Run]
    figures: list[Figure]
    peers: tuple = PEERS  # who beside Clarion can do it at all


def of(key, run="load"):
    """The value under `key` in the result of the run so named."""
    return lambda results: results[run][key]


def at_least(limit, ratio=False):
    return Demand(limit, ratio=ratio)


def at_most(limit, ratio=False):
    return Demand(limit, most=True, ratio=ratio)


TIMED = "--seconds {seconds} --warmup {warmup}"
DELIVERIES = of("deliveries_per_s")
CPU = Figure("server CPU per delivery", "µs", of("cpu_us_per_delivery"))
P50 = Figure("p50", "µs", of("latency_p50_us"))
P99 = Figure("p99", "µs", of("latency_p99_us"))


CPU_OF_POST = of("cpu_us_per_post")


def idle(streams):
    return Row(
        f"idle-{streams}",
        f"{streams:,} idle streams",
        [Run("load", f"idle --streams {streams}")],
        [
            Figure("memory each", "bytes", of("pss_bytes_per_stream"), at_most(0.5, ratio=True), at_most(2048)),
            Figure("memory each after ten events", "bytes", of("used_pss_bytes_per_stream")),
        ],
    )


OF_A_POST = [("post p50", "µs", "ack_p50_us"), ("server CPU per post", "µs", "cpu_us_per_post")]


def curve(name, title, of_each, steps, figures, **more):
    """The same work with more and more of something: a run for each step, and the figures of each."""
    runs = [of_each(step) for step in steps]
    labelled = [
        Figure(f"{run.name}: {label}", unit, of(key, run.name)) for label, unit, key in figures for run in runs
    ]
    return Row(name, title, runs, labelled, **more)


ROWS = [
    Row(
        "fanout",
        "100 streams × 20,000 posts/s offered",
        [Run("load", f"fanout --streams 100 --rate 20000 {TIMED}")],
        [
            Figure("deliveries/s", "/s", DELIVERIES, at_least(4, ratio=True), at_least(6, ratio=True)),
            CPU,
            P50,
            P99,
        ],
    ),
    Row(
        "wide",
        "1,000 streams × 1,000 posts/s offered",
        [Run("load", f"fanout --streams 1000 --rate 1000 {TIMED}")],
        [
            Figure("server CPU per delivery", "µs", CPU.value, at_most(0.35, ratio=True), at_most(0.25, ratio=True)),
            Figure("deliveries/s", "/s", DELIVERIES),
            P50,
            P99,
        ],
    ),
    Row(
        "closed-1000",
        "1,000 streams, one at a time",
        [Run("load", f"closed --streams 1000 {TIMED}")],
        [Figure("deliveries/s", "/s", DELIVERIES, at_least(8, ratio=True), at_least(20, ratio=True)), CPU],
    ),
    Row(
        "closed-15000",
        "15,000 streams, one at a time",
        [Run("load", f"closed --streams 15000 {TIMED}")],
        [CPU, Figure("deliveries/s", "/s", DELIVERIES)],
    ),
    Row(
        "closed-1",
        "1 stream, one at a time",
        [Run("load", f"closed --streams 1 {TIMED}")],
        [
            Figure("posts/s", "/s", of("posts_per_s"), at_least(1, ratio=True), at_least(1.5, ratio=True)),
            Figure("server CPU per post", "µs", CPU_OF_POST, at_most(1, ratio=True), at_most(0.7, ratio=True)),
            P50,
            P99,
        ],
    ),
    Row(
        "closed-1-16",
        "1 stream, 16 posting connections",
        [Run("load", f"closed --streams 1 --posters 16 {TIMED}")],
        [
            Figure("posts/s", "/s", of("posts_per_s"), at_least(0.9, ratio=True), at_least(1.3, ratio=True)),
            Figure("server CPU per post", "µs", CPU_OF_POST, at_most(1.1, ratio=True), at_most(0.8, ratio=True)),
            P50,
            P99,
        ],
    ),
    Row(
        "latency",
        "100 streams × 3,000 posts/s offered",
        [Run("load", f"fanout --streams 100 --rate 3000 {TIMED}")],
        [
            Figure("p50", "µs", P50.value, at_most(0.2, ratio=True), at_most(0.1, ratio=True)),
            Figure("p99", "µs", P99.value, at_most(0.2, ratio=True), at_most(0.1, ratio=True)),
            CPU,
        ],
    ),
    idle(4000),
    idle(15000),
    Row(
        "drop",
        "drop of one of 10,000 streams → gauge down",
        [Run("load", "drop --streams 10000 --drops {drops}")],
        [
            Figure("p50", "µs", of("drop_p50_us")),
            Figure("p99", "µs", of("drop_p99_us"), at_most(20000), at_most(5000)),
        ],
    ),
    Row(
        "posts",
        "posts, 16 connections, no streams",
        [Run("load", f"posts {TIMED}")],
        [
            Figure("posts/s", "/s", of("posts_per_s"), at_least(25000), at_least(60000)),
            Figure("server CPU per post", "µs", CPU_OF_POST),
        ],
    ),
    Row(
        "posts-disk",
        "posts, 16 connections, durability `disk`",
        [Run("load", f"posts {TIMED}", durability="disk")],
        [Figure("posts/s", "/s", of("posts_per_s")), Figure("p99 of the answer", "µs", of("ack_p99_us"))],
        peers=(),
    ),
    Row(
        "posts-key",
        "posts, 16 connections, each shows an API key",
        [Run("open", f"posts {TIMED}"), Run("key", f"posts {TIMED}", is_authorized=True)],
        [
            Figure("server CPU per post", "µs", of("cpu_us_per_post", "key")),
            Figure(
                "over that of an open hub",
                "×",
                lambda results: results["key"]["cpu_us_per_post"] / results["open"]["cpu_us_per_post"],
                at_most(1.05),
            ),
        ],
        peers=(),
    ),
    Row(
        "crowd",
        "1 observer, 500 posts/s, while 15,000 others idle",
        [
            Run("alone", f"fanout --streams 1 --rate 500 --posters 4 {TIMED}"),
            Run("crowd", f"fanout --streams 1 --rate 500 --posters 4 --idle 15000 {TIMED}"),
        ],
        [
            Figure("p99", "µs", of("latency_p99_us", "crowd")),
            Figure(
                "p99, over p99 with none",
                "×",
                lambda results: results["crowd"]["latency_p99_us"] / results["alone"]["latency_p99_us"],
                at_most(1.2),
                at_most(1.05),
            ),
        ],
    ),
    Row(
        "replay",
        "replay of {history:,} events to one stream while 100 listen live to 500 posts/s",
        [Run("load", f"replay --streams 100 --rate 500 --posters 16 --history {{history}} {TIMED}")],
        [
            Figure("events/s", "/s", of("replay_per_s"), at_least(500000), at_least(1000000)),
            Figure(
                "p99 of the others, over p99 before",
                "×",
                lambda results: results["load"]["live_during_p99_us"] / results["load"]["live_before_p99_us"],
                at_most(2),
                at_most(1.1),
            ),
        ],
        peers=(),
    ),
    curve(
        "curve-streams",
        "one post at a time, as streams grow",
        lambda n: Run(f"{n:,} streams", f"closed --streams {n} {TIMED}"),
        [10, 100, 1000, 4000, 15000],
        [("post p50", "µs", "ack_p50_us"), ("server CPU per delivery", "µs", "cpu_us_per_delivery")],
    ),
    curve(
        "curve-topics",
        "1 stream, 16 posting connections, as topics grow",
        lambda n: Run(f"{n:,} topics", f"closed --streams 1 --posters 16 --topics {n} {TIMED}"),
        [100, 1000, 10_000, 100_000, 1_000_000],
        OF_A_POST,
        peers=(),
    ),
    curve(
        "curve-patterns",
        "1 stream, one post at a time, as patterns that do not match grow",
        lambda n: Run(
            f"{n:,} patterns",
            f"closed --streams 1 --idle {max(1, n // 100)} --idle-patterns {min(n, 100)} {TIMED}",
        ),
        [10, 100, 1000, 10_000, 100_000],
        OF_A_POST,
        peers=(),
    ),
]
