"""Endpoints that answer anything: the hub stays whole, keeps nothing, and others do not notice.

Some thousand answers here; 100,000 with CLARION_LOAD=full.
"""

import json
import os
import statistics
import threading
import time

import pytest

from answer_fuzzer import KINDS
from certificates import Authority
from test_webhook_isolation import Program, p99, post_evenly
from waiting import wait_until
from webhook_receiver import WebhookReceiver

FULL = os.environ.get("CLARION_LOAD") == "full"
ANSWERS = 100_000 if FULL else 2_000
RATE, SECONDS, ROUNDS = (100, 12, 7) if FULL else (50, 2, 1)
#: Endpoints of each kind.
WIDTH = 10
ORIGIN = "hub.example.com"
OPTIONS = ("--allow-egress", "127.0.0.0/8", "--webhooks-origin", ORIGIN, "--durability", "process",
           "--retention-events", "2000", "--webhooks-disable-after", "36500d")


class Fuzz(Program):
    """Endpoints of `answer_fuzzer.py`, and webhooks at them that are kept enabled while they answer 410."""

    def __init__(self, hub, authority, seed, topic, width=WIDTH):
        super().__init__("answer_fuzzer.py", str(seed), str(authority.certificate), str(authority.key), elsewhere=True)
        self.hub, self.topic = hub, topic
        self.webhooks = {
            hub.register(self.url(kind, number), topic, headers={"Authorization": "Bearer credential"}, format=format)["id"]: kind
            for kind in KINDS for number, format in zip(range(width), ["raw", "cloudevents-structured"] * width)}

    def url(self, kind, number):
        scheme = "http" if kind == "plain" else "https"
        return f"{scheme}://127.0.0.1:{self.line[kind]}/{number}"

    def answers(self):
        """How many answers were given, by kind."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def keep_on(self):
        for observer in self.hub.observers(kind="webhook", topic=self.topic):
            assert observer.get("reason") in (None, "gone"), observer
            if observer["state"] == "disabled":
                assert self.hub.request("PATCH", f"/observers/{observer['id']}", json={"enabled": True}).status_code == 200

    def ask(self, kind, number):
        """Asks an endpoint for its consent, and tries it out: whatever it answers is told in words of the hub's."""
        body = {"topics": [self.topic + ".asked"], "url": self.url(kind, number), "handshake": True}
        response = self.hub.request("POST", "/observers", json=body, timeout=60)
        assert response.status_code in (201, 422, 429), response.text
        if response.status_code == 201:
            id = response.json()["id"]
            assert response.json()["allowedRate"] is None or 1 <= response.json()["allowedRate"] < 2**53
            assert self.hub.request("DELETE", f"/observers/{id}").status_code == 204
        id = next(id for id, other in self.webhooks.items() if other == kind)
        response = self.hub.request("POST", f"/observers/{id}/test", timeout=60)
        assert response.status_code in (200, 429), response.text
        if response.status_code == 200:
            attempt = response.json()
            assert attempt["failure"] is not None or 200 <= attempt["status"] <= 299, attempt
            assert "credential" not in (attempt["response"] or "")


def use_every_slot(hub, topic, endpoints=16, window=32):
    """Has as many deliveries under way as endpoints may have that have not answered yet: half of all slots, at least."""
    count, release = endpoints * window, threading.Event()
    with WebhookReceiver(lambda delivery: release.wait(60) and 204) as receiver:
        ids = [hub.register(receiver.url(), topic, maxInFlight=window)["id"] for _ in range(endpoints)]
        for number in range(window):
            hub.post(topic, str(number))
        receiver.wait_for(count)
        release.set()
        wait_until(lambda: all(hub.observer(id)["stats"]["delivered"] == window for id in ids), what=f"{count} deliveries")
        assert hub.request("DELETE", f"/topics/{topic}/observers").json() == {"unregistered": endpoints}


def sockets_in_use(hub):
    """How many sockets the hub has, but for connections that the other side has closed: those it closes a second later, and
    one with something unread in it, which passes for alive, when it is 118 s old."""
    return hub.sockets() - (0 if FULL else hub.sockets_closed_by_others())


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.mark.measured
@pytest.mark.parametrize("seed", [1, 2] if FULL else [20261122])
def test_whatever_endpoints_answer_the_hub_stays_whole(start_hub, authority, figure, topic, seed):
    hub = start_hub(
        *OPTIONS, "--webhooks-ca-file", str(authority.file), "--webhooks-retry", ",".join(["1ms"] * 9))
    assert hub.observers() == []  # over the connection that is kept for all further requests
    before = sockets_in_use(hub)
    use_every_slot(hub, f"{topic}.slots")
    wanted = ANSWERS // 2 if FULL else ANSWERS
    with Fuzz(hub, authority, seed, f"{topic}.fuzz") as fuzz, Program("healthy_receiver.py") as healthy:
        webhook = hub.register(f"http://127.0.0.1:{healthy.line}/", f"{topic}.healthy")
        began, processor_time, posted = time.monotonic(), hub.processor_time(), 0
        while sum(fuzz.answers().values()) < wanted:
            for _ in range(20):
                hub.post(f"{topic}.fuzz", "x" * (posted % 3000))
                hub.post(f"{topic}.healthy", f"{time.monotonic():.6f}")
                posted += 1
            fuzz.keep_on()
            # Not each time: one that says nothing takes 15 s.
            if posted % 100 == 20:
                fuzz.ask(KINDS[posted // 100 % len(KINDS)], posted)
            # As fast as a good endpoint is delivered to beside them.
            wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == posted, 60, "the healthy endpoint's deliveries")
        answers = fuzz.answers()
        figure(f"{answers} answers to {posted} events in {time.monotonic() - began:.0f} s, RSS {hub.rss() >> 20} MiB")
        # Half of them come over TLS. An endpoint with which nothing goes on costs nothing.
        figure.at_most((hub.processor_time() - processor_time) / sum(answers.values()) * 1000, 2, "the processor time of an answer, in ms,")
        assert all(answers.values())
        # Each way to fail was told, none that is not one.
        failures = {observer.get("lastFailure") for observer in hub.observers(topic=f"{topic}.fuzz")}
        assert failures <= {None, "connection-reset", "response-too-large", "status", "timeout", "tls-error"}
        # Cleanly, with much of it under way and put off.
        hub.restart()
        fuzz.keep_on()
        hub.post(f"{topic}.fuzz", "again")
        wait_until(lambda: sum(fuzz.answers().values()) > sum(answers.values()), what="an answer after the restart")
        # With all that waits for them: tens of thousands of deliveries.
        response = hub.request("DELETE", f"/topics/{topic}.fuzz/observers", timeout=300)
        assert response.json() == {"unregistered": len(KINDS) * WIDTH}
    # The slots are all there, the sockets are not, and nothing goes on by itself.
    use_every_slot(hub, f"{topic}.slots")
    hub.request("DELETE", f"/topics/{topic}.healthy/observers")
    try:
        wait_until(lambda: sockets_in_use(hub) <= before, 150, "the sockets from before")
    except AssertionError as error:
        error.add_note(f"{before} before, {hub.sockets()} now, of which are connections: {hub.connections()}")
        raise
    idle = hub.processor_time()
    time_of_look = time.monotonic()
    wait_until(lambda: time.monotonic() > time_of_look + 1)
    figure.at_most(hub.processor_time() - idle, 0.05, "the processor time of an idle second, in s,")
    hub.stop()
    hub.assert_sound()


@pytest.mark.measured
def test_a_healthy_endpoint_does_not_notice_answers_of_chance(start_hub, authority, figure, topic):
    """In turn alone and beside them, both at the same rate; the median of the rounds counts."""
    hub = start_hub(*OPTIONS, "--webhooks-ca-file", str(authority.file))
    latencies = {"alone": [], "beside": []}
    answered = 0
    for number in range(ROUNDS):
        for company, taken in latencies.items():
            name = f"{topic}.{number}.{company}"
            with Program("healthy_receiver.py") as healthy:
                webhook = hub.register(f"http://127.0.0.1:{healthy.line}/", name)
                # Of every event, too.
                with Fuzz(hub, authority, number, name if company == "beside" else f"{name}.idle", 2) as fuzz:
                    count = post_evenly(hub, name, RATE, SECONDS)
                    wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == count, deadline=60)
                    answered += sum(fuzz.answers().values())
                taken.append(healthy.finish())
                for topic_of in (name, f"{name}.idle"):
                    hub.request("DELETE", f"/topics/{topic_of}/observers")
    assert {len(taken) for rounds in latencies.values() for taken in rounds} == {RATE * SECONDS}
    middle = {company: statistics.median(map(p99, rounds)) for company, rounds in latencies.items()}
    figure(f"{RATE} events/s, {answered} answers of chance, healthy p50/p99 ms: " + ", ".join(
        f"{company} {statistics.median(map(statistics.median, rounds)):.2f}/{middle[company]:.2f} "
        f"({' '.join(f'{p99(taken):.2f}' for taken in rounds)})" for company, rounds in latencies.items()))
    figure.at_most(middle["beside"], 1.2 * middle["alone"], "the p99 beside answers of chance, in ms,")
