"""What became of each event for each webhook, and how an operator has it delivered again."""

import base64
import re
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import pytest
import requests
from standardwebhooks import Webhook

import one_node_cluster
from metrics import Reading
from problems import assert_problem
from waiting import DEADLINE, wait_until
from webhook_receiver import WebhookReceiver

LOOPBACK = ("--allow-egress", "127.0.0.0/8")
#: Three attempts, and then a dead letter.
RETRIES = ("--webhooks-retry", "20ms,20ms")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


@pytest.fixture
def hub(start_hub):
    return start_hub(*LOOPBACK, *RETRIES)


@pytest.fixture(scope="module")
def shared_hub(start_shared_hub):
    return start_shared_hub(*LOOPBACK, *RETRIES)


def stats(hub, webhook):
    return hub.observer(webhook["id"])["stats"]


def deliveries(hub, webhook, **query):
    """Every delivery, page by page."""
    found = []
    while True:
        response = hub.get(f"/observers/{webhook['id']}/deliveries", params=query)
        assert response.status_code == 200, response.text
        page = response.json()
        assert set(page) == {"deliveries", "next"}
        found += page["deliveries"]
        if page["next"] is None:
            return found
        query = {**query, "cursor": page["next"]}


def delivery(hub, webhook, event):
    response = hub.get(f"/observers/{webhook['id']}/deliveries/{event}")
    assert response.status_code == 200, response.text
    return response.json()


def ask(hub, webhook, what, **options):
    return hub.request("POST", f"/observers/{webhook['id']}/{what}", **options)


# What became of it

def test_a_delivery_with_its_attempts(shared_hub, receiver, topic):
    receiver.answer = lambda delivery: (503, {}, "busy \N{SNOWMAN}".encode()) if delivery.attempt == 1 else (200, {}, b"ok")
    webhook = shared_hub.register(receiver.url(), topic)
    event = shared_hub.post(topic, "x", type="created")
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)
    found = delivery(shared_hub, webhook, event["id"])
    log = found.pop("attemptLog")
    assert {**found, "attemptedAt": None} == {
        "event": event["id"], "topic": topic, "type": "created", "state": "delivered", "attempts": 2, "status": 200,
        "failure": None, "nextAttemptAt": None, "attemptedAt": None, "createdAt": event["time"]}
    assert TIME.fullmatch(found["attemptedAt"]) and found["attemptedAt"] == log[1]["at"]
    assert [attempt["number"] for attempt in log] == [1, 2]
    assert [attempt["status"] for attempt in log] == [503, 200]
    assert [attempt["failure"] for attempt in log] == ["status", None]
    assert [attempt["response"] for attempt in log] == ["busy \N{SNOWMAN}", "ok"]
    assert log[0]["message"] and log[1]["message"] is None
    assert all(0 <= attempt["durationMs"] < 15_000 and TIME.fullmatch(attempt["at"]) for attempt in log)
    assert log[0]["at"] <= log[1]["at"]
    assert all(0 < attempt["answeredMs"] <= attempt["durationMs"] + 1 for attempt in log)
    # The second went over the connection of the first, neither with TLS.
    assert 0 < log[0]["connectedMs"] <= log[0]["answeredMs"] and log[1]["connectedMs"] is None
    assert log[0]["securedMs"] is log[1]["securedMs"] is None
    # The list has the same, without the attempts.
    assert deliveries(shared_hub, webhook) == [found]


def test_a_delivery_that_waits_tells_when_it_is_tried_again(start_hub, receiver, topic):
    hub = start_hub(*LOOPBACK)
    receiver.answer = lambda delivery: 500
    webhook = hub.register(receiver.url(), topic)
    event = hub.post(topic, "x")
    wait_until(lambda: stats(hub, webhook)["failed"] == 1)
    found = delivery(hub, webhook, event["id"])
    assert found["state"] == "pending" and found["attempts"] == 1 and found["failure"] == "status"
    wait = datetime.fromisoformat(found["nextAttemptAt"]) - datetime.fromisoformat(found["attemptedAt"])
    assert timedelta(seconds=4) <= wait <= timedelta(seconds=6)


def test_at_most_1_kib_of_an_answer_is_kept(shared_hub, receiver, topic):
    receiver.answer = lambda delivery: (200, {}, b"a" * 5000)
    webhook = shared_hub.register(receiver.url(), topic)
    event = shared_hub.post(topic, "x")
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)
    assert delivery(shared_hub, webhook, event["id"])["attemptLog"][0]["response"] == "a" * 1024


def test_an_answer_that_is_no_text_is_shown_nevertheless(shared_hub, receiver, topic):
    receiver.answer = lambda delivery: (200, {}, b"\xff\x00\x1b")
    webhook = shared_hub.register(receiver.url(), topic)
    event = shared_hub.post(topic, "x")
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)
    assert delivery(shared_hub, webhook, event["id"])["attemptLog"][0]["response"] == "\N{REPLACEMENT CHARACTER}\x00\x1b"


def test_why_nothing_arrives_is_told(shared_hub, topic):
    receiver = WebhookReceiver().start()
    webhook = shared_hub.register(receiver.url(), topic)
    receiver.stop()
    event = shared_hub.post(topic, "x")
    wait_until(lambda: stats(shared_hub, webhook)["deadLetters"] == 1)
    found = delivery(shared_hub, webhook, event["id"])
    assert found["state"] == "dead" and found["failure"] == "connection-refused" and found["status"] is None
    assert [attempt["failure"] for attempt in found["attemptLog"]] == ["connection-refused"] * 3
    observer = shared_hub.observer(webhook["id"])
    assert observer["lastFailure"] == "connection-refused"
    assert TIME.fullmatch(observer["failingSince"])


def test_nothing_is_said_of_failing_where_nothing_fails(shared_hub, receiver, topic):
    receiver.answer = lambda delivery: 500 if delivery.attempt == 1 else 204
    webhook = shared_hub.register(receiver.url(), topic)
    shared_hub.post(topic, "x")
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)
    found = stats(shared_hub, webhook)
    assert set(found) == {"delivered", "failed", "pending", "deadLetters", "lastStatus", "lastAttemptAt"}
    assert found["failed"] == 1 and found["lastStatus"] == 204


def test_attempts_survive_a_restart(hub, receiver, topic):
    receiver.answer = lambda delivery: 500
    webhook = hub.register(receiver.url(), topic)
    event = hub.post(topic, "x")
    wait_until(lambda: stats(hub, webhook)["deadLetters"] == 1)
    before, counted = delivery(hub, webhook, event["id"]), stats(hub, webhook)
    hub.kill()
    hub.restart()
    assert delivery(hub, webhook, event["id"]) == before
    assert stats(hub, webhook) == counted


@pytest.mark.parametrize("limit", [1, 7, 12, 1000])
def test_a_list_newest_first_page_by_page(shared_hub, receiver, topic, limit):
    receiver.answer = lambda delivery: 500 if delivery.body == b"bad" else 204
    webhook = shared_hub.register(receiver.url(), topic)
    ids = [shared_hub.post(topic, "bad" if number % 3 == 0 else "good")["id"] for number in range(12)]
    wait_until(lambda: stats(shared_hub, webhook)["pending"] == 0)
    assert [found["event"] for found in deliveries(shared_hub, webhook, limit=limit)] == ids[::-1]
    dead = deliveries(shared_hub, webhook, limit=limit, state="dead")
    assert [found["event"] for found in dead] == ids[::3][::-1]
    assert {found["state"] for found in dead} == {"dead"}
    assert len(deliveries(shared_hub, webhook, limit=limit, state="delivered")) == 8
    assert deliveries(shared_hub, webhook, limit=limit, state="pending") == []


def test_deliveries_go_with_their_topic(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic)
    event = shared_hub.post(topic, "x")["id"]
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)
    assert shared_hub.request("DELETE", f"/topics/{topic}").status_code == 204
    assert deliveries(shared_hub, webhook) == []
    assert_problem(shared_hub.get(f"/observers/{webhook['id']}/deliveries/{event}"), 404, "delivery-unknown")
    assert_problem(ask(shared_hub, webhook, f"deliveries/{event}/redeliver"), 404, "event-unknown")
    assert ask(shared_hub, webhook, "replay", json={"since": "earliest"}).json() == {"replayed": 0}


# Redeliver

def test_what_arrived_is_delivered_again(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic)
    event = shared_hub.post(topic, '"x"')["id"]
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)
    response = ask(shared_hub, webhook, f"deliveries/{event}/redeliver")
    assert response.status_code == 202, response.text
    assert response.json()["event"] == event and response.json()["state"] in ("pending", "delivered")
    again = receiver.wait_for(2)
    assert [delivery.id for delivery in again] == [event, event] and [delivery.attempt for delivery in again] == [1, 1]
    Webhook(webhook["secret"]).verify(again[1].body, again[1].headers)
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 2)
    found = delivery(shared_hub, webhook, event)
    # Earlier attempts are kept.
    assert found["attempts"] == 1 and [attempt["number"] for attempt in found["attemptLog"]] == [1, 1]
    assert len(deliveries(shared_hub, webhook)) == 1


def test_a_dead_letter_is_delivered_again_with_all_its_attempts(shared_hub, receiver, topic):
    receiver.answer = lambda delivery: 500
    webhook = shared_hub.register(receiver.url(), topic)
    event = shared_hub.post(topic, "x")["id"]
    wait_until(lambda: stats(shared_hub, webhook)["deadLetters"] == 1)
    assert ask(shared_hub, webhook, f"deliveries/{event}/redeliver", json={}).status_code == 202
    wait_until(lambda: len(receiver.deliveries) == 6)
    wait_until(lambda: stats(shared_hub, webhook)["deadLetters"] == 1)
    assert [delivery.attempt for delivery in receiver.deliveries] == [1, 2, 3, 1, 2, 3]
    assert stats(shared_hub, webhook)["pending"] == 0


def test_what_waits_is_tried_at_once(start_hub, receiver, topic):
    hub = start_hub(*LOOPBACK, "--webhooks-retry", "1h,1h")
    for ordered in (False, True):
        before = len(receiver.deliveries)
        receiver.answer = lambda delivery: 500
        webhook = hub.register(receiver.url(), f"{topic}{ordered}", ordered=ordered)
        event = hub.post(f"{topic}{ordered}", "x")["id"]
        wait_until(lambda: stats(hub, webhook)["failed"] == 1)
        receiver.answer = lambda delivery: 204
        assert ask(hub, webhook, f"deliveries/{event}/redeliver").status_code == 202
        receiver.wait_for(before + 2)
        wait_until(lambda: stats(hub, webhook)["delivered"] == 1)
        assert stats(hub, webhook)["pending"] == 0


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("status", [204, 500])
@pytest.mark.parametrize("how", ["redeliver", "replay"])
def test_what_is_under_way_when_it_is_delivered_again_is_not_mistaken_for_that(
        start_hub, receiver, topic, ordered, status, how):
    hub = start_hub(*LOOPBACK, "--webhooks-retry", "1h,1h")
    release = threading.Event()

    def answer(delivery):
        release.wait(DEADLINE)
        return status if len(receiver.deliveries) == 1 else 204

    receiver.answer = answer
    webhook = hub.register(receiver.url(), topic, ordered=ordered)
    event = hub.post(topic, "x")["id"]
    receiver.wait_for(1)
    if how == "redeliver":
        response = ask(hub, webhook, f"deliveries/{event}/redeliver")
    else:
        response = ask(hub, webhook, "replay", json={"since": "earliest"})
    assert response.status_code == 202
    release.set()
    again = receiver.wait_for(2)
    assert [delivery.id for delivery in again] == [event, event] and [delivery.attempt for delivery in again] == [1, 1]
    wait_until(lambda: delivery(hub, webhook, event)["state"] == "delivered")
    found = stats(hub, webhook)
    assert found["pending"] == 0
    assert (found["delivered"], found["failed"]) == ((2, 0) if status == 204 else (1, 1))
    assert [attempt["status"] for attempt in delivery(hub, webhook, event)["attemptLog"]] == [status, 204]
    assert len(receiver.deliveries) == 2


@pytest.mark.parametrize("status", [204, 500])
def test_what_is_under_way_when_an_observer_is_disabled_is_recorded(hub, receiver, topic, status):
    release = threading.Event()

    def answer(delivery):
        if delivery.body == b"last":
            return 410
        release.wait(DEADLINE)
        return status

    receiver.answer = answer
    webhook = hub.register(receiver.url(), topic)
    event = hub.post(topic, "x")["id"]
    receiver.wait_for(1)
    hub.post(topic, "last")
    wait_until(lambda: stats(hub, webhook)["deadLetters"] == 2)
    assert delivery(hub, webhook, event)["state"] == "dead"
    release.set()
    wait_until(lambda: delivery(hub, webhook, event)["attempts"] == 1)
    found, counted = delivery(hub, webhook, event), stats(hub, webhook)
    assert [attempt["status"] for attempt in found["attemptLog"]] == [status] and found["status"] == status
    if status == 204:
        assert found["state"] == "delivered" and found["failure"] is None
        assert (counted["delivered"], counted["failed"], counted["deadLetters"]) == (1, 1, 1)
    else:
        assert found["state"] == "dead" and found["failure"] == "gone"
        assert (counted["delivered"], counted["failed"], counted["deadLetters"]) == (0, 2, 2)
    assert counted["pending"] == 0


def test_an_event_that_was_never_for_an_observer_is_delivered_on_demand(shared_hub, receiver, topic):
    event = shared_hub.post(f"{topic}.other", "before", type="t")["id"]
    webhook = shared_hub.register(receiver.url(), topic)
    assert_problem(shared_hub.get(f"/observers/{webhook['id']}/deliveries/{event}"), 404, "delivery-unknown")
    response = ask(shared_hub, webhook, f"deliveries/{event}/redeliver")
    assert response.status_code == 202
    assert response.json()["topic"] == f"{topic}.other"
    arrived = receiver.wait_for(1)[0]
    assert arrived.id == event and arrived.headers["clarion-topic"] == f"{topic}.other"
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)


def test_a_paused_webhook_keeps_it_until_it_is_enabled(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic, enabled=False)
    event = shared_hub.post(topic, "x")["id"]
    assert ask(shared_hub, webhook, f"deliveries/{event}/redeliver").json()["state"] == "pending"
    shared_hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": True})
    assert receiver.wait_for(1)[0].id == event


# Recover and replay

def test_dead_letters_are_recovered_oldest_first(shared_hub, receiver, topic):
    receiver.answer = lambda delivery: 500
    webhook = shared_hub.register(receiver.url(), topic, maxInFlight=1)
    ids = [shared_hub.post(topic, str(number))["id"] for number in range(10)]
    wait_until(lambda: stats(shared_hub, webhook)["deadLetters"] == 10)
    receiver.answer = lambda delivery: 204
    shared_hub.post(topic, "well")
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)
    before = len(receiver.deliveries)
    response = ask(shared_hub, webhook, "recover", json={"since": ids[4]})
    assert response.status_code == 202 and response.json() == {"recovered": 6}
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 7)
    assert [delivery.id for delivery in receiver.deliveries[before:]] == ids[4:]
    assert stats(shared_hub, webhook)["deadLetters"] == 4
    assert ask(shared_hub, webhook, "recover", json={"since": "1h"}).json() == {"recovered": 4}
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 11)
    assert ask(shared_hub, webhook, "recover", json={"since": "earliest"}).json() == {"recovered": 0}


@pytest.mark.parametrize("count", [300, 1200])
def test_what_several_recover_at_once_is_recovered_once(hub, receiver, topic, count):
    receiver.answer = lambda delivery: 410
    webhook = hub.register(receiver.url(), topic, enabled=False)
    for number in range(count):
        hub.post(topic, str(number))
    hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": True})
    wait_until(lambda: stats(hub, webhook)["deadLetters"] == count, deadline=60)
    # What arrives though its dead letter is written is delivered, and not recovered.
    wait_until(lambda: Reading.of(hub)["clarion_webhook_in_flight"] == 0)
    for enabled in (True, False):
        hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": enabled})
    receiver.answer = lambda delivery: 204
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ask(hub, webhook, "recover", json={"since": "1d"}), range(8)))
    # One at a time: whoever comes meanwhile is told so, and whoever comes later finds nothing left.
    done = [answer.json()["recovered"] for answer in answers if answer.status_code == 202]
    assert sorted(done) == [0] * (len(done) - 1) + [count]
    for answer in answers:
        if answer.status_code != 202:
            assert_problem(answer, 429, "redelivery-busy")
    before = len(receiver.deliveries)
    hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": True})
    wait_until(lambda: stats(hub, webhook)["delivered"] == count, deadline=60)
    wait_until(lambda: stats(hub, webhook)["pending"] == 0)
    assert len(receiver.deliveries) == before + count


def test_an_ordered_webhook_gets_recovered_ones_before_what_waits(hub, receiver, topic):
    receiver.answer = lambda delivery: 410
    webhook = hub.register(receiver.url(), topic, ordered=True, enabled=False)
    dead = [hub.post(topic, str(number))["id"] for number in range(700)]
    hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": True})
    wait_until(lambda: stats(hub, webhook)["deadLetters"] == 700, deadline=60)
    for enabled in (True, False):
        hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": enabled})
    waiting = [hub.post(topic, str(number))["id"] for number in range(700, 800)]
    receiver.answer = lambda delivery: 204
    before = len(receiver.deliveries)
    assert ask(hub, webhook, "recover", json={"since": "1d"}).json() == {"recovered": 700}
    assert len(receiver.deliveries) == before, "paused"
    hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": True})
    wait_until(lambda: stats(hub, webhook)["delivered"] == 800, deadline=60)
    assert [delivery.id for delivery in receiver.deliveries[before:]] == dead + waiting


def test_everything_that_matches_is_replayed(shared_hub, receiver, topic):
    ids = [shared_hub.post(f"{topic}.{name}", "x", type=type)["id"]
           for name, type in (("a", "t"), ("a", None), ("b", "t"), ("c", "u"), ("a", "t"))]
    shared_hub.post(f"{topic}x", "x", type="t")
    webhook = shared_hub.register(receiver.url(), f"{topic}.a", f"{topic}.*", types=["t"])
    response = ask(shared_hub, webhook, "replay", json={"since": "earliest"})
    assert response.status_code == 202 and response.json() == {"replayed": 3}
    arrived = {delivery.id for delivery in receiver.wait_for(3)}
    assert arrived == {ids[0], ids[2], ids[4]}
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 3)
    moment = datetime.now(timezone.utc).isoformat()
    later = shared_hub.post(f"{topic}.a", "later", type="t")["id"]
    receiver.wait_for(4)
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 4)
    for since in (moment, later):
        assert ask(shared_hub, webhook, "replay", json={"since": since}).json() == {"replayed": 1}
        wait_until(lambda: stats(shared_hub, webhook)["pending"] == 0)
    assert [delivery.id for delivery in receiver.wait_for(6)[4:]] == [later, later]
    # Once each: a delivery has one row, however often it is renewed.
    assert len(deliveries(shared_hub, webhook)) == 4


def test_a_replay_of_many_while_events_are_posted(hub, receiver, topic):
    lines = "\n".join(f'{{"data": {number}}}' for number in range(3000))
    response = hub.request(
        "POST", f"/topics/{topic}/events", data=lines, headers={"Content-Type": "application/x-ndjson"})
    assert response.status_code == 201, response.text
    ids = [event["id"] for event in response.json()["events"]]
    webhook = hub.register(receiver.url(), topic, ordered=True)
    stop, posted = threading.Event(), []

    def post():
        while not stop.is_set():
            posted.append(hub.post(topic, "live")["id"])

    poster = threading.Thread(target=post)
    poster.start()
    try:
        wait_until(lambda: posted)
        count = ask(hub, webhook, "replay", json={"since": "1h"}).json()["replayed"]
    finally:
        stop.set()
        poster.join()
    assert 3000 <= count <= 3000 + len(posted)
    wait_until(lambda: stats(hub, webhook)["pending"] == 0, deadline=60)
    arrived = [delivery.id for delivery in receiver.deliveries]
    assert set(arrived) == set(ids + posted)
    # In the sequence of the log, but for the first ones, which had arrived when the replay began.
    first = arrived.index(ids[0])
    assert list(dict.fromkeys(arrived[first:]))[:3000] == ids


@pytest.mark.parametrize("body, code, pointer", [
    ("", "body-invalid", None), ("{", "body-invalid", None), ("[]", "body-invalid", None), ("7", "body-invalid", None),
    ("{}", "member-invalid", "/since"), ('{"since": null}', "member-invalid", "/since"),
    ('{"since": 7}', "member-invalid", "/since"), ('{"since": ""}', "since-invalid", "/since"),
    ('{"since": "yesterday"}', "since-invalid", "/since"), ('{"since": "latest"}', "since-invalid", "/since"),
    ('{"since": "last"}', "since-invalid", "/since"), ('{"since": "-5m"}', "since-invalid", "/since"),
    ('{"since": "abcdefghijkl-1"}', "since-invalid", "/since"),
    ('{"since": "2026-13-01T00:00:00Z"}', "since-invalid", "/since"),
    ('{"since": "1h", "until": "1m"}', "member-unknown", "/until")])
@pytest.mark.parametrize("what", ["recover", "replay"])
def test_since_that_cannot_be(shared_hub, receiver, topic, what, body, code, pointer):
    webhook = shared_hub.register(receiver.url(), topic)
    shared_hub.post(topic, "x")
    response = ask(shared_hub, webhook, what, data=body, headers={"Content-Type": "application/json"})
    assert_problem(response, 400, code, pointer=pointer)


def test_since_an_event_to_come(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic)
    epoch, number = shared_hub.post(topic, "x")["id"].split("-")
    for text in (f"{epoch}-{int(number) + 1000}", f"{epoch}-0"):
        assert_problem(ask(shared_hub, webhook, "replay", json={"since": text}), 400, "since-invalid", pointer="/since")


# Trying out

def test_an_endpoint_is_tried_out(shared_hub, receiver, topic):
    receiver.answer = lambda delivery: (202, {}, b"thanks")
    webhook = shared_hub.register(receiver.url(), topic)
    response = ask(shared_hub, webhook, "test")
    assert response.status_code == 200, response.text
    attempt = response.json()
    arrived = receiver.wait_for(1)[0]
    Webhook(webhook["secret"]).verify(arrived.body, arrived.headers)
    assert arrived.headers["event-type"] == "clarion.test" and "." not in arrived.id
    assert attempt["event"] == arrived.id and attempt["type"] == "clarion.test"
    assert attempt["status"] == 202 and attempt["failure"] is None and attempt["response"] == "thanks"
    assert attempt["number"] == 1 and TIME.fullmatch(attempt["at"]) and attempt["durationMs"] >= 0
    # It is in no log and counts nowhere.
    assert stats(shared_hub, webhook)["delivered"] == 0 and deliveries(shared_hub, webhook) == []


def test_trying_out_what_does_not_work(shared_hub, topic):
    receiver = WebhookReceiver().start()
    receiver.stop()
    webhook = shared_hub.register(receiver.url(), topic, enabled=False)
    attempt = ask(shared_hub, webhook, "test").json()
    assert attempt["failure"] == "connection-refused" and attempt["status"] is None and attempt["message"]
    assert stats(shared_hub, webhook)["failed"] == 0
    with WebhookReceiver(lambda delivery: 410) as gone:
        webhook = shared_hub.register(gone.url(), topic)
        assert ask(shared_hub, webhook, "test").json()["status"] == 410
        assert shared_hub.observer(webhook["id"])["state"] == "active"


def test_only_a_few_at_a_time_try_one_endpoint_out(shared_hub, receiver, topic):
    release = threading.Event()
    receiver.answer = lambda delivery: release.wait(DEADLINE) and 204
    webhook = shared_hub.register(receiver.url(), topic)
    answers = []
    trying = [threading.Thread(target=lambda: answers.append(ask(shared_hub, webhook, "test"))) for _ in range(4)]
    for thread in trying:
        thread.start()
    receiver.wait_for(4)
    refused = ask(shared_hub, webhook, "test")
    assert_problem(refused, 429, "endpoint-busy")
    assert int(refused.headers["Retry-After"]) > 0
    release.set()
    for thread in trying:
        thread.join()
    assert [answer.json()["status"] for answer in answers] == [204] * 4
    assert ask(shared_hub, webhook, "test").status_code == 200 and len(receiver.deliveries) == 5


def test_credentials_that_an_endpoint_sends_back_are_neither_kept_nor_shown(shared_hub, receiver, topic):
    receiver.answer = lambda delivery: (500, {}, repr(delivery.headers).encode())
    webhook = shared_hub.register(receiver.url(), topic, headers={"Authorization": "Bearer abc123", "Cookie": "id=xyz789"})
    event = shared_hub.post(topic, "x")["id"]
    wait_until(lambda: stats(shared_hub, webhook)["failed"] > 0)
    for text in (ask(shared_hub, webhook, "test").text,
                 shared_hub.get(f"/observers/{webhook['id']}/deliveries/{event}").text):
        assert "[redacted]" in text and "abc123" not in text and "xyz789" not in text
    assert receiver.deliveries[0].headers["authorization"] == "Bearer abc123"


def basic(pair):
    return base64.b64encode(pair.encode()).decode()


@pytest.mark.parametrize("name, value, part", [
    ("Cookie", "session=xyz789; theme=dark", "session=xyz789"), ("Cookie", "session=xyz789; theme=dark", "xyz789"),
    ("Cookie", "session=xyz789; theme=dark", "theme=dark; session=xyz789"),
    ("cookie", "session=xyz789;theme=dark;last=one", "theme=dark"),
    ("Authorization", f"Basic {basic('someone:open sesame')}", "someone:open sesame"),
    ("Authorization", f"Basic {basic('someone:open sesame')}", "open sesame"),
    ("Authorization", f"basic {basic('someone:open:sesame')}", "open:sesame"),
    ("Authorization", f"Basic {basic(':open sesame')}", "open sesame"),
    ("Proxy-Authorization", f"Basic {basic('someone:open sesame')}", "open sesame"),
])
def test_parts_of_credentials_that_an_endpoint_sends_back_are_neither_kept_nor_shown(
        shared_hub, receiver, topic, name, value, part):
    receiver.answer = lambda delivery: (500, {}, f"you are <{part}>".encode())
    webhook = shared_hub.register(receiver.url(), topic, headers={name: value})
    event = shared_hub.post(topic, "x")["id"]
    wait_until(lambda: stats(shared_hub, webhook)["failed"] > 0)
    masked = "you are <" + "; ".join(["[redacted]"] * len(part.split("; "))) + ">"
    assert delivery(shared_hub, webhook, event)["attemptLog"][0]["response"] == masked
    assert ask(shared_hub, webhook, "test").json()["response"] == masked
    assert receiver.deliveries[0].headers[name.lower()] == value


# Where it is not for

ROUTES = [("GET", "deliveries"), ("GET", "deliveries/x"), ("POST", "deliveries/x/redeliver"), ("POST", "recover"),
          ("POST", "replay"), ("POST", "test")]


@pytest.mark.parametrize("method, route", ROUTES)
def test_an_observer_that_there_is_not(shared_hub, method, route):
    assert_problem(shared_hub.request(method, f"/observers/nobody/{route}"), 404, "observer-unknown")
    assert_problem(shared_hub.request(method, f"/observers/no.body/{route}"), 400, "observer-id-invalid")


@pytest.mark.parametrize("method, route", ROUTES)
def test_a_stream_has_no_deliveries(shared_hub, topic, method, route):
    with shared_hub.stream(topic) as stream:
        id = stream.headers["clarion-observer-id"]
        assert_problem(shared_hub.request(method, f"/observers/{id}/{route}"), 409, "observer-kind")


@pytest.mark.parametrize("method, route", ROUTES)
def test_a_method_that_the_route_lacks(shared_hub, receiver, topic, method, route):
    webhook = shared_hub.register(receiver.url(), topic)
    for other in {"GET", "POST", "PUT", "DELETE", "PATCH"} - {method}:
        assert_problem(shared_hub.request(other, f"/observers/{webhook['id']}/{route}"), 405, "method-not-allowed")


@pytest.mark.parametrize("query, parameter", [
    ("state=lost", "state"), ("state=", "state"), ("state=Dead", "state"), ("limit=0", "limit"), ("limit=1001", "limit"),
    ("limit=many", "limit"), ("limit=-1", "limit"), ("cursor=x", "cursor"), ("cursor=LTE=", "cursor"), ("cursor=", "cursor"),
    ("cursor=OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk=", "cursor"), ("cursor=MA==", "cursor")])
def test_a_list_with_a_bad_parameter(shared_hub, receiver, topic, query, parameter):
    webhook = shared_hub.register(receiver.url(), topic)
    response = shared_hub.get(f"/observers/{webhook['id']}/deliveries?{query}")
    assert_problem(response, 400, "parameter-invalid", parameter=parameter)


@pytest.mark.parametrize("event", ["x", "0", "-1", "%20", "abcdefghijkl-1", "..%2F..", "a" * 300, "%F0%9F%98%80"])
def test_an_event_that_cannot_be(shared_hub, receiver, topic, event):
    webhook = shared_hub.register(receiver.url(), topic)
    assert_problem(shared_hub.get(f"/observers/{webhook['id']}/deliveries/{event}"), 404, "delivery-unknown")
    assert_problem(ask(shared_hub, webhook, f"deliveries/{event}/redeliver"), 404, "event-unknown")


def test_an_event_to_come(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic)
    epoch, number = shared_hub.post(topic, "x")["id"].split("-")
    for text in (f"{epoch}-{int(number) + 1000}", f"{epoch}-0", f"{epoch}-9223372036854775807"):
        assert_problem(shared_hub.get(f"/observers/{webhook['id']}/deliveries/{text}"), 404, "delivery-unknown")
        assert_problem(ask(shared_hub, webhook, f"deliveries/{text}/redeliver"), 404, "event-unknown")


@pytest.mark.parametrize("route", ["deliveries/{event}/redeliver", "test"])
def test_a_body_that_would_go_unheard(shared_hub, receiver, topic, route):
    webhook = shared_hub.register(receiver.url(), topic)
    event = shared_hub.post(topic, "x")["id"]
    path = route.format(event=event)
    problem = assert_problem(
        ask(shared_hub, webhook, path, json={"force": True}), 400, "member-unknown", pointer="/force")
    assert problem["detail"] == 'There is no member "force". There are none here.'
    assert_problem(ask(shared_hub, webhook, path, data="{", headers={"Content-Type": "application/json"}), 400, "body-invalid")
    response = ask(shared_hub, webhook, path, data="x", headers={"Content-Type": "text/plain"})
    assert_problem(response, 415, "media-type-unsupported")


def test_a_disabled_webhook_is_delivered_nothing(hub, receiver, topic):
    receiver.answer = lambda delivery: 410
    webhook = hub.register(receiver.url(), topic)
    event = hub.post(topic, "x")["id"]
    wait_until(lambda: hub.observer(webhook["id"])["state"] == "disabled")
    wait_until(lambda: stats(hub, webhook)["deadLetters"] == 1)
    assert_problem(ask(hub, webhook, f"deliveries/{event}/redeliver"), 409, "observer-disabled")
    assert_problem(ask(hub, webhook, "recover", json={"since": "1h"}), 409, "observer-disabled")
    assert_problem(ask(hub, webhook, "replay", json={"since": "1h"}), 409, "observer-disabled")
    # It can be tried out whether it is to be enabled again.
    receiver.answer = lambda delivery: 204
    assert ask(hub, webhook, "test").json()["status"] == 204
    hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": True})
    assert ask(hub, webhook, "recover", json={"since": "1h"}).json() == {"recovered": 1}
    wait_until(lambda: stats(hub, webhook)["delivered"] == 1)
    assert stats(hub, webhook)["deadLetters"] == 0


@pytest.mark.measured
def test_a_stop_in_the_middle_of_a_replay_leaves_it_and_the_hub_well(hub, receiver, topic, figure):
    lines = "\n".join(f'{{"data": {number}}}' for number in range(10_000))
    for _ in range(3):
        hub.request("POST", f"/topics/{topic}/events", data=lines, headers={"Content-Type": "application/x-ndjson"})
    webhook = hub.register(receiver.url(), topic, enabled=False)
    thread = threading.Thread(target=lambda: _quietly(lambda: ask(hub, webhook, "replay", json={"since": "earliest"})))
    thread.start()
    wait_until(lambda: stats(hub, webhook)["pending"] > 0)
    figure.at_most(hub.stop(), 8, "the stop, in seconds,")
    thread.join()
    hub.start()
    assert 0 < stats(hub, webhook)["pending"] <= 30_000
    assert ask(hub, webhook, "replay", json={"since": "earliest"}, timeout=60).json() == {"replayed": 30_000}
    assert stats(hub, webhook)["pending"] == 30_000


@pytest.mark.skipif(one_node_cluster.IS_ON, reason="in a cluster: what one replay writes waits for the servers")
def test_a_post_waits_for_one_replay_however_many_are_under_way(start_hub, topic):
    hub = start_hub(*LOOPBACK, "--durability", "process")
    lines = "\n".join(f'{{"data": {number}}}' for number in range(10_000))
    for _ in range(10):
        hub.request("POST", f"/topics/{topic}/events", data=lines, headers={"Content-Type": "application/x-ndjson"})
    webhook = hub.register("https://example.com/hook", topic, enabled=False)
    path = f"{hub.url}/observers/{webhook['id']}/replay"

    def replay():
        # The hub may have ended before: an OSError.
        _quietly(lambda: requests.post(path, json={"since": "earliest"}, timeout=60))

    def median_beside(count):
        """The milliseconds that posts take while replays are under way; they are more than there is time for."""
        threads.extend(threading.Thread(target=replay) for _ in range(count))
        for thread in threads[-count:]:
            thread.start()
        # Not before the first of them writes.
        wait_until(lambda: stats(hub, webhook)["pending"] > 0)
        times = []
        for _ in range(30):
            began = time.monotonic()
            hub.post(f"{topic}.other")
            times.append((time.monotonic() - began) * 1000)
        return statistics.median(times)

    threads = []
    try:
        one, many = median_beside(1), median_beside(100)
    finally:
        hub.kill()
        for thread in threads:
            thread.join()
    # All of them would be a hundred times as much.
    assert many < 10 * max(one, 5), f"{one:.1f} ms beside one, {many:.1f} ms beside a hundred"


def _quietly(work):
    try:
        work()
    except OSError:
        pass
