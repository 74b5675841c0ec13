#!/usr/bin/env python3
"""A cluster beside the embedded log, in one run: posts, time from post to receipt, fan-out, takeover. Prints Markdown tables.

All share this machine's processors: what several nodes cost together says more than how fast they are.
"""

import argparse
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "webhooks")]

from nodes import cluster  # noqa: E402
from receiver import Receiver  # noqa: E402
from servers import Clarion  # noqa: E402

LOAD = HERE.parent / "build/load"

#: How many servers and hubs there are; none: the embedded log.
EMBEDDED, ONE, TWO, THREE = (0, 1), (1, 1), (1, 2), (1, 3)
REPLICATED = (3, 2)


@contextlib.contextmanager
def started(servers, nodes):
    """The hubs of an arrangement."""
    if servers:
        with cluster(servers, nodes) as hubs:
            yield hubs
    else:
        with Clarion() as hub:
            yield [hub]


def load(mode, arrangement, listening, seconds, *options):
    """One run of the generator, which posts to the first node; streams are at the nodes of the given places, in turn."""
    with started(*arrangement) as hubs:
        command = [LOAD, mode, "--port", hubs[0].port, "--seconds", seconds, *options]
        for place in listening:
            command += ["--stream-port", hubs[place].port]
        for hub in hubs:
            command += ["--pid", hub.process.pid]
        return json.loads(output(command))


def output(command):
    """What a program printed; its words on how it failed, if it did."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def rounds(count, works, run):
    """Results by work; the works take turns, so that what else happens on the machine hits all alike."""
    results = {name: [] for name in works}
    for number in range(count):
        for name in works if number % 2 == 0 else reversed(works):
            print(f"{name}: round {number + 1} of {count}", file=sys.stderr)
            results[name].append(run(*works[name]))
    return results


def table(head, results, *figures):
    """One line for each work: the median of each figure."""
    print("| " + " | ".join(head) + " |\n|---" + "|---:" * len(figures) + "|")
    for name, taken in results.items():
        print(f"| {name} | " + " | ".join(figure(lambda value: statistics.median(map(value, taken))) for figure in figures) + " |")
    print(flush=True)


def number(key, scale=1, form="{:,.0f}"):
    return lambda median: form.format(median(lambda result: result[key] * scale))


def measure_posts(arguments):
    works = {"embedded": (EMBEDDED,), "one server": (ONE,), "three servers, three replicas": ((3, 1),)}
    results = rounds(arguments.rounds, works, lambda arrangement: load("posts", arrangement, [], arguments.seconds))
    table(["16 connections post", "posts/s", "p50, ms", "p99, ms", "hub's CPU, µs"], results, number("posts_per_s"),
          number("ack_p50_us", 1e-3, "{:.2f}"), number("ack_p99_us", 1e-3, "{:.2f}"), number("cpu_us_per_post"))  # fmt: skip


def measure_latency(arguments):
    works = {
        "embedded": (EMBEDDED, [0]), "one server, the same node": (TWO, [0]), "one server, another node": (TWO, [1]),
        "three servers, the same node": (REPLICATED, [0]), "three servers, another node": (REPLICATED, [1]),
    }  # fmt: skip
    options = ["--streams", 10, "--rate", 500, "--posters", 4]
    results = rounds(arguments.rounds, works, lambda *work: load("fanout", *work, arguments.seconds, *options))
    table(["500 posts/s, 10 streams: from post to receipt", "p50, ms", "p99, ms"], results,
          number("latency_p50_us", 1e-3, "{:.2f}"), number("latency_p99_us", 1e-3, "{:.2f}"))  # fmt: skip


def measure_fanout(arguments):
    works = {"embedded": (EMBEDDED, [0]), "one node": (ONE, [0]), "two nodes": (TWO, [0, 1]), "three nodes": (THREE, [0, 1, 2])}
    options = ["--streams", 300, "--rate", 2000]
    results = rounds(arguments.rounds, works, lambda *work: load("fanout", *work, arguments.seconds, *options))
    table(["2,000 posts/s, 300 streams over all nodes", "deliveries/s", "all hubs' CPU per delivery, µs"], results,
          number("deliveries_per_s"), number("cpu_us_per_delivery", 1, "{:.2f}"))  # fmt: skip


def takeover():
    """Seconds from the death of the node that delivers a webhook to the next delivery."""
    with cluster(1, 2) as hubs, Receiver() as receiver:
        request(hubs[0], "/observers", {"topics": ["bench"], "url": receiver.url})
        request(hubs[0], "/topics/bench/events", "before")
        wait_until(lambda: heard(receiver) == 1)
        # Whoever delivers has the connection.
        [holder] = [hub for hub in hubs if is_connected(hub.process.pid, receiver.url)]
        [other] = [hub for hub in hubs if hub is not holder]
        holder.process.kill()
        died = time.monotonic()
        request(other, "/topics/bench/events", "after")
        wait_until(lambda: heard(receiver) == 2)
        return time.monotonic() - died


def request(hub, path, body):
    output(["curl", "-sSf", "--json", json.dumps(body), f"http://127.0.0.1:{hub.port}{path}"])


def heard(receiver):
    requests, _ = receiver.counts()
    return requests


def is_connected(pid, url):
    port = url.rstrip("/").rsplit(":", 1)[1].split("/")[0]
    return f"pid={pid}," in output(["ss", "-tnpH", "dst", f"127.0.0.1:{port}"])


def wait_until(condition, patience=30):
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            sys.exit("nothing came for half a minute")
        time.sleep(0.005)


def measure_takeover(arguments):
    taken = sorted(takeover() for _ in range(arguments.rounds))
    print(f"A node that delivers is killed: the other goes on after {statistics.median(taken):.1f} s ({taken[0]:.1f} to {taken[-1]:.1f}).")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clarion", default=HERE.parent.parent / ".build/release/clarion", metavar="PATH")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3)
    arguments = parser.parse_args()
    Clarion.executable = arguments.clarion
    Clarion.options = ("--allow-egress", "127.0.0.0/8")
    for measured in (measure_posts, measure_latency, measure_fanout, measure_takeover):
        measured(arguments)


if __name__ == "__main__":
    main()
