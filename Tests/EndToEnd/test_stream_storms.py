"""Thousands of streams that come within a second, and go at once."""

import os
import resource
import selectors
import socket
import time

import pytest

from hub_process import events_path
from metrics import Reading
from waiting import wait_until

#: The load generator and the hub have 20,000 descriptors each on the smallest machine that this is for.
STREAMS = 10_000 if os.environ.get("CLARION_LOAD") == "full" else 1_000


@pytest.mark.measured
def test_of_all_that_come_within_a_second_none_is_refused_or_forgotten(start_hub, topic, figure):
    hub = start_hub("--max-streams-per-client", str(STREAMS))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    clients = []
    try:
        began = time.monotonic()
        for _ in range(STREAMS):
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", hub.port))
            clients.append(client)
        figure.at_most(time.monotonic() - began, 1, f"seconds in which {STREAMS} connect:")
        heads = heads_of(clients, f"GET {events_path(topic)} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode())
        figure.at_most(time.monotonic() - began, STREAMS / 2_000, f"seconds until {STREAMS} streams are open:")
        assert [head for head in heads if not head.startswith(b"HTTP/1.1 200 ")] == []
        hub.post(topic, "to all")
        for client in clients:
            client.setblocking(True)
            client.settimeout(10)
            received = b""
            while b"data: to all\n\n" not in received:
                part = client.recv(4096)
                assert part, received
                received += part
        assert open_streams(hub) == STREAMS
        for client in clients:
            client.close()
        began = time.monotonic()
        wait_until(lambda: open_streams(hub) == 0)
        figure.at_most(time.monotonic() - began, 1, f"seconds until {STREAMS} that leave at once are forgotten:")
    finally:
        for client in clients:
            client.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def open_streams(hub):
    return Reading.of(hub)["clarion_streams"]


def heads_of(clients, request):
    """Sends a request on each as soon as it is connected, and returns the beginnings of the answers."""
    answers = []
    with selectors.DefaultSelector() as selector:
        for client in clients:
            selector.register(client, selectors.EVENT_WRITE)
        deadline = time.monotonic() + 30
        while len(answers) < len(clients) and time.monotonic() < deadline:
            for key, event in selector.select(1):
                if event & selectors.EVENT_WRITE:
                    key.fileobj.send(request)
                    selector.modify(key.fileobj, selectors.EVENT_READ)
                else:
                    answers.append(key.fileobj.recv(512))
                    selector.unregister(key.fileobj)
    assert len(answers) == len(clients), f"{len(clients) - len(answers)} were not answered"
    return answers
