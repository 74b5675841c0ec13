"""The clock of the day steps, back and forth, while the hub runs, while it is paused and while it is stopped. What is a
duration goes on as if nothing had happened."""

import sqlite3
import threading
import time
from datetime import datetime

import pytest

import one_node_cluster
from stepped_clock import DAY, HOUR, SteppedClock
from test_topics import retain
from test_webhooks import LOOPBACK, RETRIES, stats
from waiting import wait_until
from webhook_receiver import WebhookReceiver

#: A retry every second, for as long as a test may take.
EVERY_SECOND = ("--webhooks-retry", ",".join(["1s"] * 60))

STEPS = pytest.mark.parametrize("step", [-HOUR, HOUR, -6 * DAY, 6 * DAY], ids=["-1h", "+1h", "-6d", "+6d"])


@pytest.fixture
def clock(tmp_path):
    return SteppedClock(tmp_path)


@pytest.fixture
def start(start_hub, clock):
    """Starts hubs by the stepped clock."""
    return lambda *options: start_hub(*LOOPBACK, *options, environment=clock.environment)


def refuse(receiver, status=500):
    receiver.answer = lambda delivery: status


def accept(receiver):
    refuse(receiver, 204)


def wait_for_stats(hub, webhook, **wanted):
    return wait_until(
        lambda: all(stats(hub, webhook)[name] == value for name, value in wanted.items()), what=f"{wanted}")


def deliveries(hub, webhook):
    return hub.get(f"/observers/{webhook['id']}/deliveries").json()["deliveries"]


def seconds_to(text, clock):
    """How far in the future of the hub's clock a time of the API is. In a cluster that is the servers' clock, which stays."""
    now = time.time() if one_node_cluster.IS_ON else clock.now()
    return datetime.fromisoformat(text).timestamp() - now


def test_the_clock_that_is_stepped_is_the_hubs(start, clock, topic):
    hub = start()
    for step in (-HOUR, 6 * DAY):
        clock.step(step)
        hub.post(topic)
        assert abs(seconds_to(hub.history(topic)[-1]["time"], clock)) < 30


@STEPS
def test_a_rate_goes_on(start, clock, receiver, topic, step):
    hub = start(*RETRIES)
    hub.register(receiver.url(), topic, ratePerSecond=50)
    for number in range(20):
        hub.post(topic, str(number))
    receiver.wait_for(20)
    clock.step(step)
    began = time.monotonic()
    for number in range(50):
        hub.post(topic, str(number))
    receiver.wait_for(70)
    # Nor is it lifted.
    assert time.monotonic() - began > 0.5


@STEPS
def test_a_braked_endpoint_that_has_recovered_is_tried(start, clock, receiver, topic, step):
    hub = start(*RETRIES)
    refuse(receiver)
    webhook = hub.register(receiver.url(), topic)
    for number in range(20):
        hub.post(topic, str(number))
    wait_until(lambda: stats(hub, webhook)["failed"] > 40)
    clock.step(step)
    accept(receiver)
    wait_for_stats(hub, webhook, delivered=20, pending=0)


@STEPS
def test_what_the_store_failed_to_record_is_recorded(start, clock, receiver, topic, step):
    hub = start(*RETRIES)
    webhook = hub.register(receiver.url(), topic)
    answering = threading.Event()
    receiver.answer = lambda delivery: answering.wait(30) and 204
    for number in range(5):
        hub.post(topic, str(number))
    receiver.wait_for(5)
    # Another process has the database.
    with sqlite3.connect(hub.data / "clarion.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        answering.set()
        wait_until(lambda: "the log failed" in hub.log, 30)
        clock.step(step)
        other.execute("ROLLBACK")
    wait_for_stats(hub, webhook, delivered=5, pending=0)
    assert len(receiver.deliveries) == 5


@STEPS
@pytest.mark.parametrize("restarted", [False, True], ids=["running", "restarted"])
def test_what_was_posted_before_a_step_goes_out(start, clock, receiver, topic, step, restarted):
    hub = start(*RETRIES)
    webhook = hub.register(receiver.url(), topic, enabled=False)
    events = [hub.post(topic, str(number))["id"] for number in range(5)]
    if restarted:
        hub.stop()
    clock.step(step)
    if restarted:
        hub.restart()
    hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": True})
    assert {delivery.id for delivery in receiver.wait_for(5)} == set(events)


@STEPS
@pytest.mark.parametrize("life", ["running", "stopped", "killed"])
@pytest.mark.parametrize("ordered", [False, True], ids=["", "ordered"])
def test_a_retry_comes_when_it_is_due(start, clock, receiver, topic, step, life, ordered):
    hub = start("--webhooks-retry", "2s,2s,2s")
    refuse(receiver)
    webhook = hub.register(receiver.url(), topic, ordered=ordered)
    hub.post(topic, "x")
    wait_for_stats(hub, webhook, failed=1)
    failed = receiver.deliveries[0].time
    accept(receiver)
    if life == "stopped":
        hub.stop()
    if life == "killed":
        hub.kill()
    clock.step(step)
    if life != "running":
        hub.restart()
    else:
        # By the clock as it is now.
        due = seconds_to(deliveries(hub, webhook)[0]["nextAttemptAt"], clock)
        assert due < 3
    again = receiver.wait_for(2)[1]
    # Of a hub that was stopped only the clock can tell for how long.
    assert again.attempt == 2 and (again.time - failed > 1.5 or (life != "running" and step > 0))
    wait_for_stats(hub, webhook, delivered=1, pending=0)


def test_a_retry_is_no_earlier_for_a_step_while_the_hub_ran(start, clock, receiver, topic):
    hub = start("--webhooks-retry", "1h")
    refuse(receiver)
    webhook = hub.register(receiver.url(), topic)
    hub.post(topic, "x")
    wait_for_stats(hub, webhook, failed=1)
    clock.step(6 * DAY)
    # Whoever is told of time by a request looks at what is due.
    hub.post(topic, "y")
    wait_for_stats(hub, webhook, failed=2)
    hub.restart()
    hub.post(topic, "z")
    wait_for_stats(hub, webhook, failed=3)
    assert [delivery.attempt for delivery in receiver.deliveries] == [1, 1, 1]
    assert all(2000 < seconds_to(found["nextAttemptAt"], clock) < 4400 for found in deliveries(hub, webhook))


def failing_webhook(hub, receiver, topic):
    """A webhook whose first delivery has failed once."""
    refuse(receiver)
    webhook = hub.register(receiver.url(), topic)
    hub.post(topic, "x")
    wait_for_stats(hub, webhook, failed=1)
    return webhook


@pytest.mark.parametrize("meanwhile", ["running", "paused", "stopped"])
def test_a_step_of_days_between_two_failures_disables_nothing(start, clock, receiver, topic, meanwhile):
    hub = start(*EVERY_SECOND)
    webhook = failing_webhook(hub, receiver, topic)
    path = f"/observers/{webhook['id']}"
    if meanwhile == "paused":
        hub.request("PATCH", path, json={"enabled": False})
    if meanwhile == "stopped":
        hub.stop()
    clock.step(6 * DAY)
    if meanwhile == "stopped":
        hub.restart()
    if meanwhile == "paused":
        hub.request("PATCH", path, json={"enabled": True})
    wait_until(lambda: stats(hub, webhook)["failed"] >= 3)
    observer = hub.observer(webhook["id"])
    assert observer["state"] == "active" and observer["stats"]["deadLetters"] == 0
    accept(receiver)
    wait_for_stats(hub, webhook, delivered=1, pending=0)


@pytest.mark.parametrize("meanwhile", ["paused", "stopped"])
def test_what_is_not_tried_does_not_fail(start_hub, receiver, topic, meanwhile):
    """The same without a step: longer than the period, in which nothing was attempted."""
    hub = start_hub(*LOOPBACK, "--webhooks-retry", ",".join(["300ms"] * 60), "--webhooks-disable-after", "2s")
    webhook = failing_webhook(hub, receiver, topic)
    path = f"/observers/{webhook['id']}"
    if meanwhile == "paused":
        hub.request("PATCH", path, json={"enabled": False})
    else:
        hub.stop()
    time.sleep(2.5)
    if meanwhile == "paused":
        hub.request("PATCH", path, json={"enabled": True})
    else:
        hub.restart()
    wait_until(lambda: stats(hub, webhook)["failed"] >= 3)
    assert hub.observer(webhook["id"])["state"] == "active"
    wait_until(lambda: hub.observer(webhook["id"])["state"] == "disabled")


@pytest.mark.parametrize("step", [-10, 10, 0], ids=["back", "forward", "both"])
def test_a_clock_that_steps_all_the_time_stops_nothing(start, clock, receiver, topic, step):
    hub = start(*RETRIES)
    receiver.answer = lambda delivery: 500 if delivery.attempt == 1 else 204
    webhooks = [hub.register(receiver.url(), topic, ratePerSecond=rate) for rate in (None, 200)]
    ended = threading.Event()

    def shake():
        sign = 1
        while not ended.wait(0.0003):
            clock.step(step or 10 * sign)
            sign = -sign

    thread = threading.Thread(target=shake)
    thread.start()
    try:
        for number in range(100):
            hub.post(topic, str(number))
        # Nothing is posted any more that would wake anybody.
        receiver.wait_for(400)
        for webhook in webhooks:
            wait_for_stats(hub, webhook, delivered=100, pending=0)
        # History is removed while nothing else happens.
        retain(hub, topic, {"events": 10})
        wait_until(lambda: hub.get(f"/topics/{topic}").json()["events"] <= 10)
    finally:
        ended.set()
        thread.join()
    assert hub.stop() < 5


def test_a_hub_is_stopped_in_time_while_the_clock_goes_back(start, clock, topic):
    with WebhookReceiver(lambda delivery: time.sleep(20) or 204) as hanging:
        hub = start(*RETRIES)
        hub.register(hanging.url(), topic)
        hub.post(topic, "x")
        hanging.wait_for(1)
        ended = threading.Event()

        def shake():
            while not ended.wait(0.01):
                clock.step(-1)

        thread = threading.Thread(target=shake)
        thread.start()
        try:
            hub.stop()
        finally:
            ended.set()
            thread.join()


@STEPS
def test_a_key_is_known_for_a_day_whatever_the_clock_says(start, clock, topic, step):
    hub = start()
    headers = {"Idempotency-Key": "k", "Content-Type": "text/plain"}
    post = lambda: hub.request("POST", f"/topics/{topic}/events", data="x", headers=headers)
    first = post()
    clock.step(step)
    assert post().json()["id"] == first.json()["id"]
    hub.restart()
    assert post().json()["id"] == first.json()["id"]


def test_events_from_when_the_clock_was_ahead_go_with_what_follows_them(start, clock, topic):
    hub = start("--retention-age", "5s")
    hub.post(topic)
    clock.step(365 * DAY)
    hub.post(topic)
    clock.step(-365 * DAY)
    for _ in range(50):
        hub.post(topic)
    # In a cluster nothing was stepped, and they are as old by themselves.
    clock.step(6)
    wait_until(lambda: hub.get(f"/topics/{topic}").status_code == 404, 40)
