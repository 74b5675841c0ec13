"""Webhooks when descriptors are short: they have a share of their own, and what is wanting here is not the endpoint's fault."""

import os
import resource
import socket
import time
from contextlib import contextmanager

import pytest

from hub_process import HubProcess
from problems import assert_problem
from raw_http import RawConnection, request
from test_webhooks import LOOPBACK, stats
from waiting import wait_until
from webhook_receiver import WebhookReceiver

#: One repetition, and the first failure disables: nothing that fails goes unnoticed.
STRICT = ("--webhooks-retry", "50ms", "--webhooks-disable-after", "1ms")


@pytest.fixture
def start_limited_hub(executable, tmp_path):
    """Starts a hub that may have so many descriptors, as `ulimit -n` does it."""
    hubs = []

    def start(limit, *options):
        script = tmp_path / f"limited{limit}"
        script.write_text(f'#!/bin/sh\nulimit -n {limit} && exec "{executable}" "$@"\n')
        script.chmod(0o755)
        hubs.append(HubProcess(script, tmp_path / f"hub{len(hubs)}", options))
        return hubs[-1].start()

    yield start
    for hub in hubs:
        hub.finish()


@contextmanager
def without_descriptors(hub):
    """Lets the hub open nothing: whatever it has open stays, and no number is left for more."""
    taken = {int(name) for name in os.listdir(f"/proc/{hub.process.pid}/fd")}
    free = next(number for number in range(len(taken) + 1) if number not in taken)
    soft, hard = resource.prlimit(hub.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(hub.process.pid, resource.RLIMIT_NOFILE, (free, hard))
    try:
        yield
    finally:
        resource.prlimit(hub.process.pid, resource.RLIMIT_NOFILE, (soft, hard))


def own_name():
    """A name of this machine that its resolver has to look up; libcurl knows localhost by itself."""
    name = socket.gethostname()
    try:
        socket.create_server((socket.gethostbyname(name), 0)).close()
        return name
    except OSError:
        return None


def waits(hub, webhook):
    """Whether one does, and none has failed. What reads the log may itself be busy."""
    response = hub.get(f"/observers/{webhook['id']}")
    if response.status_code != 200:
        assert_problem(response, 503, "overloaded")
        return False
    assert response.json()["stats"]["failed"] == 0
    return response.json()["stats"]["pending"] == 1


def test_who_cannot_read_the_log_for_want_of_descriptors_is_told_to_come_again(start_hub, topic):
    hub = start_hub()
    hub.post(topic, b"x")
    connections = [RawConnection(hub.port) for _ in range(12)]
    for connection in connections:
        connection.send(request("GET", "/healthz"))
        assert connection.receive().status == 200
    found = []
    with without_descriptors(hub):
        while "overloaded" not in found and len(found) < 12_000:
            for connection in connections:
                connection.send(request("GET", f"/topics/{topic}/events"))
            for connection in connections:
                answer = connection.receive()
                found.append(answer.json()["code"] if answer.status != 200 else None)
    assert "overloaded" in found and set(found) <= {None, "overloaded"}
    for connection in connections:
        connection.close()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "its own name"])
def test_what_cannot_be_attempted_for_want_of_descriptors_is_attempted_later(start_hub, topic, name, figure):
    host = own_name() if name == "its own name" else name
    if host is None:
        pytest.skip("this machine's name leads nowhere")
    hub = start_hub("--allow-egress", "0.0.0.0/0", *STRICT)
    with WebhookReceiver() as other, WebhookReceiver(host="0.0.0.0") as receiver:
        # Whatever the hub opens when it first delivers is open then; and stays open, or its number could be used again.
        hub.register(other.url(), f"{topic}.other")
        hub.post(f"{topic}.other", "x")
        other.wait_for(1)
        webhook = hub.register(receiver.url("/", host), topic)
        hub.history(topic)
        with without_descriptors(hub):
            hub.post(topic, "while nothing can be opened")
            wait_until(lambda: "could not be attempted" in hub.log, what="a word in the log")
            response = hub.request("POST", f"/observers/{webhook['id']}/test")
            assert_problem(response, 503, "overloaded")
            assert response.headers["Retry-After"]
            # Some of the pauses, lest the second attempt be counted.
            ended = time.monotonic() + 2.5
            wait_until(lambda: time.monotonic() > ended, what="two seconds")
            wait_until(lambda: waits(hub, webhook), what="a delivery that waits")
        restored = time.monotonic()
        [delivery] = receiver.wait_for(1)
        figure(f"{time.monotonic() - restored:.1f} s from room to the attempt")
        assert delivery.body == b"while nothing can be opened"
        assert delivery.attempt == 1
        wait_until(lambda: stats(hub, webhook)["delivered"] == 1, what="the outcome")
    observer = hub.observer(webhook["id"])
    assert observer["state"] == "active"
    assert observer["stats"]["failed"] == observer["stats"]["deadLetters"] == 0
    [last] = hub.get(f"/observers/{webhook['id']}/deliveries").json()["deliveries"]
    attempts = hub.get(f"/observers/{webhook['id']}/deliveries/{last['event']}").json()["attemptLog"]
    assert [(attempt["number"], attempt["failure"]) for attempt in attempts] == [(1, None)]


def test_hanging_endpoints_leave_descriptors_to_all_others(start_limited_hub, receiver, topic, figure):
    hub = start_limited_hub(256, *LOOPBACK)
    healthy = hub.register(receiver.url("/healthy"), topic)
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as hanging:
        # Connections are made by the kernel, and nobody answers.
        port = hanging.getsockname()[1]
        bad = [hub.register(f"http://127.0.0.1:{port}/{number}", topic) for number in range(100)]
        delays = []
        for number in range(60):
            posted = time.monotonic()
            hub.post(topic, str(number))
            # The first may have to wait until some of those have timed out of which nobody knows yet that they hang.
            receiver.wait_for(number + 1, "/healthy", deadline=60)
            delays.append(time.monotonic() - posted)
            assert hub.get("/healthz").status_code == 200
            # A quarter of the descriptors at most.
            assert connections_to(port, hub) <= 64
            assert hub.descriptors() < 256
        began = time.monotonic()
        later = []
        while time.monotonic() - began < 10:
            posted = time.monotonic()
            hub.post(topic, "later")
            receiver.wait_for(60 + len(later) + 1, "/healthy", deadline=60)
            later.append(time.monotonic() - posted)
            assert hub.get("/healthz").status_code == 200
            wait_until(lambda: time.monotonic() > posted + 0.05, what="a moment")
        figure(f"beside 100 that hang, the healthy one had its first after {delays[0]:.1f} s, others after at most "
               f"{max(delays[1:] + later) * 1000:.0f} ms; {connections_to(port, hub)} connections to those that hang")
        assert max(delays[1:] + later) < 5
        assert stats(hub, healthy)["failed"] == 0
        for webhook in bad:
            for delivery in hub.get(f"/observers/{webhook['id']}/deliveries?limit=5").json()["deliveries"]:
                assert delivery["failure"] in (None, "timeout")
        assert "could not be attempted" not in hub.log


def connections_to(port, hub):
    """How many connections the hub has to a port of this machine (proc(5), net/tcp)."""
    inodes = set()
    for name in os.listdir(f"/proc/{hub.process.pid}/fd"):
        try:
            inodes.add(os.readlink(f"/proc/{hub.process.pid}/fd/{name}"))
        except FileNotFoundError:
            pass
    count = 0
    with open("/proc/net/tcp") as table:
        for line in table.readlines()[1:]:
            fields = line.split()
            if int(fields[2].rpartition(":")[2], 16) == port and f"socket:[{fields[9]}]" in inodes:
                count += 1
    return count
