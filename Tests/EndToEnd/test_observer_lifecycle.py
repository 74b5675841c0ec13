"""What happens to webhooks, as events on `clarion.observers`, and when a webhook is given up."""

import threading
import time
from datetime import datetime

import pytest

from waiting import wait_until
from webhook_receiver import WebhookReceiver

LOOPBACK = ("--allow-egress", "127.0.0.0/8")
RETRIES = ("--webhooks-retry", ",".join(["50ms"] * 200))
TOPIC = "clarion.observers"


@pytest.fixture
def hub(start_hub):
    return start_hub(*LOOPBACK, *RETRIES)


def told(hub, count):
    """Waits for so many events on the topic, and returns their types and data."""
    events = wait_until(lambda: (found := hub.history(TOPIC)) and len(found) >= count and found)
    assert len(events) == count, events
    assert all(event["contentType"] == "application/json" for event in events)
    return [(event["type"].removeprefix("clarion.observer."), event["data"]) for event in events]


def test_registered_and_unregistered(hub, topic):
    webhook = hub.register("http://127.0.0.1:65530/secret-path", topic, f"{topic}.*")
    about = {"id": webhook["id"], "kind": "webhook", "topics": [topic, f"{topic}.*"]}
    assert told(hub, 1) == [("registered", about)]
    # A change is neither.
    assert hub.request("PATCH", f"/observers/{webhook['id']}", json={"description": "x"}).status_code == 200
    members = {"topics": [topic], "url": "http://127.0.0.1:65530/"}
    assert hub.request("PUT", f"/observers/{webhook['id']}", json=members).status_code == 200
    assert hub.request("DELETE", f"/observers/{webhook['id']}").status_code == 204
    assert hub.request("PUT", "/observers/mine", json=members).status_code == 201
    assert hub.request("DELETE", f"/topics/{topic}/observers").json() == {"unregistered": 1}
    rest = told(hub, 4)[1:]
    assert [type for type, _ in rest] == ["unregistered", "registered", "unregistered"]
    assert [data["id"] for _, data in rest] == [webhook["id"], "mine", "mine"]
    # Neither is a restart.
    hub.restart()
    told(hub, 4)


def test_streams_come_and_go_in_silence(hub, topic):
    with hub.stream(topic):
        assert len(hub.observers()) == 1
    hub.register("http://127.0.0.1:65530/", topic)
    assert [data["kind"] for _, data in told(hub, 1)] == ["webhook"]


def test_disabled_and_enabled_again(hub, receiver, topic):
    receiver.answer = lambda delivery: 410 if delivery.body == b"last" else 500
    webhook = hub.register(receiver.url(), topic)
    for number in range(4):
        hub.post(topic, str(number))
    receiver.wait_for(4)
    hub.post(topic, "last")
    disabled = told(hub, 2)[1]
    assert disabled[0] == "disabled"
    assert disabled[1]["id"] == webhook["id"] and disabled[1]["reason"] == "gone"
    assert disabled[1]["deadLetters"] == 5, "what was answered 410 is one, too"
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["deadLetters"] == 5)
    receiver.answer = lambda delivery: 204
    hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": True})
    assert told(hub, 3)[2][1]["reason"] == "enabled"
    assert hub.request("POST", f"/observers/{webhook['id']}/recover", json={"since": "1h"}).json() == {"recovered": 5}
    recovered = told(hub, 4)[3]
    assert recovered[0] == "recovered" and recovered[1]["reason"] == "recover" and recovered[1]["recovered"] == 5
    # Nothing to recover is nothing to tell.
    hub.request("POST", f"/observers/{webhook['id']}/recover", json={"since": "1h"})
    hub.register(receiver.url(), topic)
    assert told(hub, 5)[4][0] == "registered"


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_one_that_is_paused_when_its_disabling_is_lifted_is_told_of_too(hub, receiver, topic, method):
    receiver.answer = lambda delivery: 410
    webhook = hub.register(receiver.url(), topic)
    hub.post(topic, "x")
    assert told(hub, 2)[1][0] == "disabled"
    path = f"/observers/{webhook['id']}"
    paused = {"topics": [topic], "url": receiver.url("/other"), "enabled": False}
    assert hub.request(method, path, json=paused).json()["state"] == "paused"
    assert hub.request("PATCH", path, json={"enabled": True}).json()["state"] == "active"
    last = told(hub, 3)[2]
    assert last[0] == "recovered" and last[1]["reason"] == "enabled"


def test_only_another_url_or_enabling_gives_it_its_time_anew(start_hub, receiver, topic):
    hub = start_hub(*LOOPBACK, *RETRIES, "--webhooks-disable-after", "1500ms")
    receiver.answer = lambda delivery: 500
    webhook = hub.register(receiver.url(), topic)
    path = f"/observers/{webhook['id']}"
    members = {"topics": [topic], "url": receiver.url()}
    hub.post(topic, "x")
    since = wait_until(lambda: hub.observer(webhook["id"]).get("failingSince"))
    while hub.observer(webhook["id"])["state"] == "active":
        hub.request("PATCH", path, json={"description": "x"})
        hub.request("POST", f"{path}/secret/rotate")
        assert time.time() - datetime.fromisoformat(since).timestamp() < 10
        if hub.observer(webhook["id"])["state"] == "active":
            # Does not match if it is disabled meanwhile: a PUT would enable it again.
            tag = hub.get(path).headers["ETag"]
            if hub.observer(webhook["id"])["state"] == "active":
                hub.request("PUT", path, json=members, headers={"If-Match": tag})
    disabled = hub.observer(webhook["id"])
    assert disabled["reason"] == "failing" and disabled["failingSince"] == since
    assert "failingSince" not in hub.request("PATCH", path, json={"enabled": True}).json()
    hub.post(topic, "y")
    again = wait_until(lambda: hub.observer(webhook["id"]).get("failingSince"))
    assert again > since
    assert "failingSince" not in hub.request("PATCH", path, json={"url": "http://127.0.0.1:65530/", "enabled": False}).json()


def test_what_began_before_it_was_enabled_again_disables_nothing(hub, receiver, topic):
    answered, held = threading.Event(), threading.Event()

    def answer(delivery):
        if delivery.body == b"held":
            answered.set()
            held.wait(10)
        return 204 if delivery.body == b"after" else 410

    receiver.answer = answer
    webhook = hub.register(receiver.url(), topic)
    path = f"/observers/{webhook['id']}"
    hub.post(topic, "held")
    assert answered.wait(10)
    hub.post(topic, "gone")
    wait_until(lambda: hub.observer(webhook["id"])["state"] == "disabled")
    assert hub.request("PATCH", path, json={"enabled": True}).json()["state"] == "active"
    held.set()
    wait_until(lambda: hub.get(f"{path}/deliveries").json()["deliveries"][-1]["attempts"] >= 1, what="the answer to the first")
    hub.post(topic, "after")
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == 1)
    assert hub.observer(webhook["id"])["state"] == "active"
    assert [kind for kind, _ in told(hub, 3)] == ["registered", "disabled", "recovered"]


def test_a_webhook_hears_of_others_and_of_itself_and_there_is_no_loop(hub, receiver, topic):
    with WebhookReceiver(lambda delivery: 410) as gone:
        watcher = hub.register(receiver.url(), "clarion.**")
        other = hub.register(gone.url(), "**")
        hub.post(topic, "x")
        heard = receiver.wait_for(3)
        kinds = [delivery.headers["event-type"] for delivery in sorted(heard, key=lambda heard: heard.id)]
        wait_until(lambda: hub.observer(watcher["id"])["stats"]["delivered"] == 3)
        assert sorted(kinds) == [
            "clarion.observer.disabled", "clarion.observer.registered", "clarion.observer.registered"]
        assert hub.observer(other["id"])["state"] == "disabled"
        # It got what was posted while it was well: at most its own registration and the event.
        assert 1 <= len(gone.deliveries) <= 2
        told(hub, 3)


def test_long_failure_disables(start_hub, receiver, topic):
    hub = start_hub(*LOOPBACK, *RETRIES, "--webhooks-disable-after", "1500ms")
    receiver.answer = lambda delivery: 500
    with WebhookReceiver() as well:
        webhook = hub.register(receiver.url(), topic)
        other = hub.register(well.url(), topic)
        began = time.monotonic()
        for number in range(3):
            hub.post(topic, str(number))
        observer = wait_until(lambda: (found := hub.observer(webhook["id"]))["state"] == "disabled" and found)
        assert time.monotonic() - began > 1.4
        assert observer["reason"] == "failing"
        wait_until(lambda: hub.observer(webhook["id"])["stats"]["deadLetters"] == 3)
        assert hub.observer(webhook["id"])["stats"]["pending"] == 0
        last = told(hub, 3)[2]
        assert last[0] == "disabled" and last[1]["reason"] == "failing" and last[1]["deadLetters"] == 3
        letters = hub.get(f"/observers/{webhook['id']}/deliveries?state=dead").json()["deliveries"]
        assert {letter["failure"] for letter in letters} == {"failing"}
        assert hub.observer(other["id"])["state"] == "active"
        # Enabled again it has its time anew.
        hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": True})
        hub.post(topic, "again")
        wait_until(lambda: hub.observer(webhook["id"])["stats"]["lastStatus"] == 500)
        assert hub.observer(webhook["id"])["state"] == "active"


def test_one_success_in_between_is_enough(start_hub, receiver, topic):
    hub = start_hub(*LOOPBACK, *RETRIES, "--webhooks-disable-after", "1s")
    receiver.answer = lambda delivery: 500 if delivery.body == b"bad" else 204
    webhook = hub.register(receiver.url(), topic)
    hub.post(topic, "bad")
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        # Until it arrived, so that the next failure comes after it.
        count = hub.observer(webhook["id"])["stats"]["delivered"]
        hub.post(topic, "good")
        wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] > count)
    assert hub.observer(webhook["id"])["state"] == "active"
    wait_until(lambda: hub.observer(webhook["id"])["state"] == "disabled")


@pytest.mark.measured
def test_the_time_of_failing_goes_on_across_a_restart(start_hub, receiver, topic, figure):
    hub = start_hub(*LOOPBACK, *RETRIES, "--webhooks-disable-after", "2s")
    receiver.answer = lambda delivery: 500
    webhook = hub.register(receiver.url(), topic)
    hub.post(topic, "x")
    since = wait_until(lambda: hub.observer(webhook["id"]).get("failingSince"))
    began = time.monotonic()
    hub.kill()
    hub.restart()
    assert hub.observer(webhook["id"])["failingSince"] == since
    wait_until(lambda: hub.observer(webhook["id"])["state"] == "disabled")
    figure.at_most(time.monotonic() - began, 3.5, "the time until it is disabled, in seconds,")


@pytest.mark.parametrize("value", ["0s", "5", "soon", "-1s"])
def test_a_patience_that_cannot_be(clarion, value):
    run = clarion("serve", f"--webhooks-disable-after={value}")
    assert run.returncode == 64 and "--webhooks-disable-after" in run.stderr
