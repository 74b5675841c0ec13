#!/usr/bin/env python3
"""Webhook deliveries per second of the hub, beside libcurl alone, to one local receiver. Prints one Markdown table.

Events are posted while the webhook is paused; the clock runs from the moment it is enabled until the receiver has all of
them: the hub reads them from its log, signs, sends, and writes the outcomes down. The two take turns.
"""

import argparse
import contextlib
import http.client
import json
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from receiver import Receiver  # noqa: E402
from servers import Clarion  # noqa: E402

BUILD = HERE.parent / "build"
BATCH = 500


def cpu(pid):
    """Seconds of processor time the process has used."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def request(port, method, path, body, kind="application/json"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.closing(connection):
        connection.request(method, path, body if isinstance(body, str) else json.dumps(body), {"Content-Type": kind})
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status < 300, text
        return json.loads(text)


def hub(arguments):
    """One round of the hub: deliveries per second, CPU of each in µs, connections opened."""
    with Receiver() as receiver, Clarion() as server:
        path = "/observers"
        webhook = request(server.port, "POST", path, {
            "topics": ["bench"], "url": receiver.url, "maxInFlight": arguments.in_flight, "enabled": False})
        line = json.dumps("x" * (arguments.bytes - 2)) + "\n"
        for _ in range(arguments.count // BATCH):
            request(server.port, "POST", "/topics/bench/events", line * BATCH, "application/x-ndjson")
        before, begin = cpu(server.process.pid), time.monotonic()
        request(server.port, "PATCH", f"{path}/{webhook['id']}", {"enabled": True})
        heard = 0
        while heard < arguments.count:
            heard, connections = receiver.counts()
            if time.monotonic() - begin > 120:
                sys.exit(f"{heard} of {arguments.count} deliveries after two minutes\n{server.output()}")
            time.sleep(0.005)
        taken = time.monotonic() - begin
        return arguments.count / taken, (cpu(server.process.pid) - before) * 1e6 / arguments.count, connections


def libcurl(arguments):
    """One round of libcurl alone: deliveries per second."""
    with Receiver() as receiver:
        words = [BUILD / "curl_alone", receiver.url, arguments.in_flight, arguments.count, arguments.bytes]
        return float(subprocess.run(list(map(str, words)), check=True, stdout=subprocess.PIPE, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clarion", default=HERE.parent.parent / ".build/release/clarion", metavar="PATH")
    parser.add_argument("--count", type=int, default=100_000, help="deliveries of a round, in multiples of 500")
    parser.add_argument("--bytes", type=int, default=1024, help="of an event")
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    Clarion.executable = arguments.clarion
    Clarion.options = ("--allow-egress", "127.0.0.0/8")
    ours, alone = [], []
    for _ in range(arguments.rounds):
        ours.append(hub(arguments))
        alone.append(libcurl(arguments))
    rate = statistics.median(round[0] for round in ours)
    peer = statistics.median(alone)
    print(
        f"{arguments.count:,} deliveries of {arguments.bytes} bytes, {arguments.in_flight} in flight, "
        f"medians of {arguments.rounds} rounds.\n\n"
        "| | deliveries/s | over libcurl alone | CPU each | connections |\n|---|---:|---:|---:|---:|\n"
        f"| Clarion | {rate:,.0f} | {rate / peer:.2f} | {statistics.median(round[1] for round in ours):.1f} µs "
        f"| {max(round[2] for round in ours)} |\n"
        f"| libcurl alone | {peer:,.0f} | 1.00 | | |")


if __name__ == "__main__":
    main()
