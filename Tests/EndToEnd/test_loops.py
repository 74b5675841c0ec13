"""Webhooks that lead back to the hub they are registered at: they come to an end, and the dead letters say why."""

import json

import pytest

from hub_process import events_path
from problems import assert_problem
from raw_http import exchange
from test_deliveries import deliveries, delivery, stats
from waiting import wait_until

LOOPBACK = ("--allow-egress", "127.0.0.0/8")
MOST = 8


def settled(*hubs):
    """Whether nothing is on its way any more."""
    return all(observer["stats"]["pending"] == 0 for hub in hubs for observer in hub.observers(kind="webhook"))


def wait_for_dead_letter(hub, webhook):
    wait_until(lambda: stats(hub, webhook)["deadLetters"] == 1, what="a dead letter")
    return delivery(hub, webhook, deliveries(hub, webhook, state="dead")[0]["event"])["attemptLog"]


@pytest.mark.parametrize("format", ["raw", "cloudevents-binary", "cloudevents-structured"])
def test_a_hub_that_is_its_own_webhook(start_hub, receiver, format):
    hub = start_hub(*LOOPBACK)
    # To topics in a ring: a CloudEvent that comes back to a topic is known by its id.
    count = 3 if format == "raw" else 10
    for number in range(count):
        hub.register(f"{hub.url}{events_path(f'ring.{(number + 1) % count}')}", f"ring.{number}", format=format)
    hub.register(receiver.url(), "ring.*")
    hub.post("ring.0", b"round")
    wait_until(lambda: len(hub.history("ring.*")) == MOST + 1, what="eight rounds")
    wait_until(lambda: settled(hub), what="an end")
    assert len(hub.history("ring.*")) == MOST + 1
    hops = sorted(int(delivery.headers["clarion-hop"]) for delivery in receiver.wait_for(MOST + 1))
    assert hops == list(range(1, MOST + 2))
    dead = [webhook for webhook in hub.observers(kind="webhook") if webhook["stats"]["deadLetters"]]
    assert len(dead) == 1
    attempts = wait_for_dead_letter(hub, dead[0])
    # No use trying again.
    assert len(attempts) == 1 and attempts[0]["status"] == 508
    assert "loop-detected" in json.dumps(attempts[0])


def test_an_event_keeps_its_count_over_a_restart_and_retries(start_hub, receiver):
    hub = start_hub(*LOOPBACK, "--webhooks-retry", "50ms,50ms,50ms,50ms,50ms,50ms,50ms,50ms,50ms")
    answers = iter([500, 500])
    receiver.answer = lambda delivery: next(answers, 204)
    webhook = hub.register(receiver.url(), "a", enabled=False)
    hub.post("a", b"x", headers={"Clarion-Hop": "5"})
    hub.restart()
    assert hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": True}).status_code == 200
    arrived = receiver.wait_for(3)
    assert [delivery.headers["clarion-hop"] for delivery in arrived] == ["6"] * 3
    # Whoever made it has not said anything of hubs.
    hub.post("a", b"y")
    assert receiver.wait_for(4)[3].headers["clarion-hop"] == "1"


def test_an_endpoint_that_answers_508_by_itself_is_tried_again(start_hub, receiver):
    hub = start_hub(*LOOPBACK, "--webhooks-retry", "20ms")
    answers = iter([508])
    receiver.answer = lambda delivery: next(answers, 204)
    hub.register(receiver.url(), "a")
    hub.post("a", b"x", headers={"Clarion-Hop": "7"})
    assert [delivery.attempt for delivery in receiver.wait_for(2)] == [1, 2]


def test_two_hubs_in_a_circle(start_hub):
    one, two = start_hub(*LOOPBACK), start_hub(*LOOPBACK)
    webhooks = [one.register(f"{two.url}{events_path('circle')}", "circle"),
                two.register(f"{one.url}{events_path('circle')}", "circle")]
    one.post("circle", b"round")
    wait_until(lambda: len(one.history("circle")) + len(two.history("circle")) == MOST + 1, what="four rounds each")
    wait_until(lambda: settled(one, two), what="an end")
    assert (len(one.history("circle")), len(two.history("circle"))) == (5, 4)
    assert stats(two, webhooks[1])["deadLetters"] == 0
    assert wait_for_dead_letter(one, webhooks[0])[0]["status"] == 508


def test_a_delivery_changes_nothing_but_by_posting(start_hub, receiver):
    """A webhook that has events delivered again whenever one is delivered would never come to an end."""
    hub = start_hub(*LOOPBACK, "--webhooks-retry", "10ms")
    target = hub.register(receiver.url(), "a")
    for what in ["replay", "recover", "test", "secret/rotate"]:
        hub.register(f"{hub.url}/observers/{target['id']}/{what}", "a")
    hub.register(f"{hub.url}/observers", "a")
    hub.post("a", json.dumps({"since": "earliest", "topics": ["a"], "url": receiver.url("/more")}))
    wait_until(lambda: settled(hub), what="an end")
    assert len(receiver.deliveries) == 1
    assert len(hub.observers(kind="webhook")) == 6
    for webhook in hub.observers(kind="webhook"):
        if webhook["id"] != target["id"]:
            assert stats(hub, webhook)["deadLetters"] == 1
    for method, path in [("POST", "/observers"), ("PUT", "/observers/x"), ("PATCH", "/observers/x"), ("DELETE", "/observers/x"),
                         ("POST", "/observers/x/replay"), ("PUT", "/topics/a"), ("DELETE", "/topics/a")]:
        response = hub.request(method, path, json={}, headers={"Clarion-Hop": "1"})
        assert_problem(response, 508, "loop-detected", parameter="Clarion-Hop")


@pytest.mark.parametrize("count, status", [
    ("0", 201), ("1", 201), ("8", 201), ("008", 201), ("9", 508), ("10", 508), ("99999999999999999999999", 508)])
def test_how_many_may_have_been(shared_hub, topic, count, status):
    for method, path in [("POST", events_path(topic)), ("PUT", f"/topics/{topic}/value")]:
        response = shared_hub.request(method, path, data="x", headers={"Clarion-Hop": count})
        assert response.status_code == status
        if status == 508:
            assert_problem(response, 508, "loop-detected", parameter="Clarion-Hop")


@pytest.mark.parametrize("count", ["-1", "+1", "1.0", "1, 1", "x", "0x1", "1 2", "\u0661"])
def test_what_is_no_number(shared_hub, topic, count):
    response = shared_hub.request("POST", events_path(topic), data="x", headers={"Clarion-Hop": count.encode()})
    assert_problem(response, 400, "parameter-invalid", parameter="Clarion-Hop")
    assert shared_hub.history(topic) == []


@pytest.mark.parametrize("counts", [(1, 1), (0, 9), (9, 0)])
def test_two_counts_are_none(shared_hub, topic, counts):
    head = f"POST {events_path(topic)} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
    fields = "".join(f"Clarion-Hop: {count}\r\n" for count in counts)
    response = exchange(shared_hub.port, f"{head}{fields}\r\nx".encode())
    assert_problem(response, 400, "parameter-invalid", parameter="Clarion-Hop")
    assert shared_hub.history(topic) == []
