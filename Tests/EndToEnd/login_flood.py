"""Asks a hub again and again with credentials that are not valid, from several addresses: run as a process of its own.

    login_flood.py PORT COUNT RATE TARGET [ADDRESS…]

Each request shows another credential. RATE is how many a second in all, 0 for as many as go. Prints a JSON object: how many
answers of each status came, and how long it took.
"""

import collections
import json
import os
import re
import selectors
import socket
import sys
import time

#: Requests that are sent at once on one connection.
BATCH = 20
STATUS = re.compile(rb"HTTP/1\.1 ([0-9]{3}) ")
#: The longest beginning of a status line that may be cut off.
OVERLAP = len(b"HTTP/1.1 200")


def flood(port, count, rate, target, addresses):
    selector = selectors.DefaultSelector()
    clients = []
    for address in addresses:
        connection = socket.create_connection(("127.0.0.1", port), source_address=(address, 0))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = {"socket": connection, "turns": 0, "awaited": 0, "rest": b""}
        clients.append(client)
        selector.register(connection, selectors.EVENT_READ, client)
    statuses = collections.Counter()
    sent, began = 0, time.monotonic()
    while sum(statuses.values()) < count:
        # Each as often as the others.
        turn = min(client["turns"] for client in clients)
        for client in clients:
            due = count if rate == 0 else min(count, int((time.monotonic() - began) * rate))
            if client["awaited"] or client["turns"] > turn or due - sent < min(BATCH, count - sent):
                continue
            client["turns"] += 1
            number = min(BATCH, count - sent)
            client["socket"].sendall(b"".join(
                b"GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer clk_%032d\r\n\r\n" % (target, sent + place)
                for place in range(number)))
            client["awaited"] = number
            sent += number
        for key, _ in selector.select(0.001 if rate else 1):
            client = key.data
            piece = client["socket"].recv(1 << 18)
            assert piece, "the hub has closed a connection"
            data = client["rest"] + piece
            end = 0
            for match in STATUS.finditer(data):
                statuses[match[1].decode()] += 1
                client["awaited"] -= 1
                end = match.end()
            client["rest"] = data[max(end, len(data) - OVERLAP):]
    print(json.dumps({"statuses": statuses, "seconds": time.monotonic() - began}))


if __name__ == "__main__":
    port, count, rate, target, *addresses = sys.argv[1:]
    # An attacker's processor is not the hub's: here it is the same, and must not be what is measured.
    os.nice(10)
    flood(int(port), int(count), int(rate), target.encode(), addresses)
