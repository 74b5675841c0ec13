"""Large events for endpoints that take them and never answer: bounded in memory, which comes back when they are gone."""

import json
import socket
import threading

import pytest

from metrics import Reading
from waiting import wait_until

WEBHOOKS, EVENTS, SIZE = 300, 10, 1_000_000


@pytest.fixture
def deaf_port():
    """Takes every connection, and reads nothing of what comes."""
    held = []
    with socket.create_server(("127.0.0.1", 0), backlog=2000) as listener:
        def accept():
            try:
                while True:
                    held.append(listener.accept()[0])
            except OSError:
                pass
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
    for connection in held:
        connection.close()


def test_large_events_for_endpoints_that_hang(start_hub, receiver, deaf_port, topic, figure):
    hub = start_hub("--allow-egress", "127.0.0.0/8", "--durability", "process")
    hub.register(receiver.url(), f"{topic}.small")
    hub.post(f"{topic}.small", "0")
    receiver.wait_for(1)
    ids = [hub.register(f"http://127.0.0.1:{deaf_port}/{number}", f"{topic}.large")["id"] for number in range(WEBHOOKS)]
    before = hub.rss()
    for _ in range(EVENTS):
        hub.post(f"{topic}.large", b"x" * SIZE)
    wait_until(lambda: Reading.of(hub).value("clarion_webhook_in_flight") >= 50, what="attempts that hang")
    for number in range(1, 300):
        hub.post(f"{topic}.small", str(number))
        receiver.wait_for(number + 1)
    # 256 MiB that are read ahead, and 128 under way, which are there twice.
    most = (hub.rss() - before) / 2**20
    assert most < 700
    for id in ids:
        assert hub.request("DELETE", f"/observers/{id}").status_code == 204
    wait_until(lambda: hub.rss() - before < 200 << 20, what="memory that is given back")
    figure(f"3,000 deliveries of 1 MB that hang: {most:.0f} MiB more, {(hub.rss() - before) >> 20} when they are gone")


def test_what_is_read_ahead_is_bounded_by_all_that_it_takes(start_hub, receiver, topic, figure):
    """Attributes of CloudEvents counted for nothing: 300 events of 900 KB without data took a gigabyte for eight webhooks."""
    hub = start_hub("--allow-egress", "127.0.0.0/8", "--durability", "process")
    for _ in range(8):
        hub.register(receiver.url(), topic, format="cloudevents-binary", maxInFlight=1)
    hub.post(topic, "first")
    receiver.wait_for(8)
    is_over = threading.Event()
    receiver.answer = lambda delivery: is_over.wait() and 204
    before = hub.rss()
    event = {"specversion": "1.0", "source": "/s", "type": "t", "bulk": "x" * 900_000}
    try:
        for number in range(120):
            hub.post(topic, json.dumps({**event, "id": str(number)}), headers={"Content-Type": "application/cloudevents+json"})
        most = (hub.rss() - before) / 2**20
        # What was just posted is in memory as well, until webhooks are told that they have to read it.
        wait_until(lambda: hub.rss() - before < 120 << 20, what="memory that what is read ahead may take")
    finally:
        is_over.set()
    figure(f"960 deliveries of 900 KB of attributes: {most:.0f} MiB more, and then less than 120")
