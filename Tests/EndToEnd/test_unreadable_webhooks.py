"""A webhook that is stored and cannot be read: damaged, or written by another version. It shows, and can be got rid of."""

import json
import sqlite3

import pytest

from problems import assert_problem

OPTIONS = ("--allow-egress", "127.0.0.0/8")


def documents(hub):
    """The database of a hub that is stopped."""
    return sqlite3.connect(hub.data / "clarion.db")


def damage(hub, id, change):
    """Changes what is stored of a webhook while the hub is stopped."""
    hub.stop()
    with documents(hub) as database:
        [[text]] = database.execute("SELECT document FROM observer WHERE name = ?", (id,)).fetchall()
        document = change(json.loads(text))
        database.execute("UPDATE observer SET document = ? WHERE name = ?", (document.encode(), id))
    database.close()
    return hub.restart()


def with_url(url):
    def change(document):
        document["specification"]["url"] = url
        return json.dumps(document)

    return change


@pytest.fixture
def broken(start_hub, receiver, topic):
    """A hub with a webhook `w` that cannot be read, for which something waited, and one beside it that can."""
    hub = start_hub(*OPTIONS)
    body = {"topics": [topic, "more.**"], "url": receiver.url("/w"), "types": ["created"], "enabled": False}
    assert hub.request("PUT", "/observers/w", json=body).status_code == 201
    hub.register(receiver.url("/beside"), topic)
    hub.post(topic, "before", type="created")
    receiver.wait_for(1, "/beside")
    return damage(hub, "w", with_url("http://a%252fb.example/x"))


def test_it_is_shown_and_says_what_is_wrong(broken, topic):
    webhook = broken.observer("w")
    assert (webhook["state"], webhook["reason"], webhook["kind"]) == ("disabled", "unreadable", "webhook")
    assert webhook["topics"] == [topic, "more.**"] and webhook["types"] == ["created"]
    [warning] = webhook["warnings"]
    assert warning["code"] == "unreadable" and warning["pointer"] == "/url" and "PUT" in warning["detail"]
    assert [observer["id"] for observer in broken.observers(kind="webhook", topic="more.**")] == ["w"]
    assert broken.get("/observers/w").headers["ETag"]
    assert "cannot read a registered webhook" in broken.log


def test_it_collects_nothing_and_what_waited_is_dead(broken, receiver, topic):
    stats = broken.observer("w")["stats"]
    assert (stats["pending"], stats["deadLetters"]) == (0, 1)
    broken.post(topic, "after", type="created")
    receiver.wait_for(2, "/beside")
    stats = broken.observer("w")["stats"]
    assert (stats["pending"], stats["deadLetters"]) == (0, 1)
    broken.restart()
    assert broken.observer("w")["stats"] == stats and receiver.to("/w") == []


def test_what_needs_to_read_it_says_so(broken):
    for method, path, body in [
            ("PATCH", "/observers/w", {"enabled": True}), ("POST", "/observers/w/secret/rotate", None),
            ("POST", "/observers/w/test", None), ("POST", "/observers/w/replay", {"since": "earliest"}),
            ("GET", "/observers/w/deliveries", None)]:
        assert_problem(broken.request(method, path, json=body), 409, "observer-unreadable")


def test_it_is_deleted(broken, receiver, topic):
    tag = broken.get("/observers/w").headers["ETag"]
    assert_problem(broken.request("DELETE", "/observers/w", headers={"If-Match": '"0"'}), 412, "observer-changed")
    assert broken.request("DELETE", "/observers/w", headers={"If-Match": tag}).status_code == 204
    assert broken.get("/observers/w").status_code == 404
    broken.restart()
    assert broken.get("/observers/w").status_code == 404
    assert broken.log.count("cannot read") == 1


def test_it_goes_with_its_topic(broken, topic):
    assert broken.request("DELETE", "/topics/more.**/observers").json() == {"unregistered": 1}
    assert broken.get("/observers/w").status_code == 404


def test_it_is_replaced(broken, receiver, topic):
    body = {"topics": [topic], "url": receiver.url("/w")}
    assert_problem(
        broken.request("PUT", "/observers/w", json=body, headers={"If-None-Match": "*"}), 412, "observer-changed")
    tag = broken.get("/observers/w").headers["ETag"]
    response = broken.request("PUT", "/observers/w", json=body, headers={"If-Match": tag})
    assert response.status_code == 200 and response.json()["secret"]
    assert response.json()["state"] == "active" and "warnings" not in response.json()
    broken.post(topic, "after", type="created")
    receiver.wait_for(1, "/w")
    assert broken.request("POST", "/observers/w/recover", json={"since": "earliest"}).json() == {"recovered": 1}
    assert {delivery.body for delivery in receiver.wait_for(2, "/w")} == {b"before", b"after"}


def test_one_that_can_be_read_again_goes_on(broken, receiver, topic):
    """An older version could not read it, and this one can."""
    url = receiver.url("/w")
    hub = damage(broken, "w", with_url(url))
    webhook = hub.observer("w")
    assert webhook["state"] == "paused" and webhook["url"] == url and "warnings" not in webhook
    hub.post(topic, "after", type="created")
    assert hub.observer("w")["stats"]["pending"] == 1


@pytest.mark.parametrize("change", [
    lambda document: "", lambda document: "{", lambda document: "null", lambda document: "[" * 5000,
    lambda document: json.dumps({}),
    lambda document: json.dumps(document | {"credentials": None}),
    lambda document: json.dumps(document | {"disabledReason": 1}),
    lambda document: json.dumps(document | {"consent": {"url": "http://a/", "perMinute": 9_223_372_036_854_775_807}}),
    lambda document: json.dumps(document | {"credentials": document["credentials"] | {
        "previous": {"secret": document["credentials"]["secret"], "until": 1e300}}}),
    lambda document: json.dumps(document | {"specification": document["specification"] | {"maxInFlight": 1e19}}),
    lambda document: json.dumps(document | {"specification": document["specification"] | {"ratePerSecond": 1e-300}})])
def test_whatever_is_stored_the_hub_starts(start_hub, receiver, topic, change):
    hub = start_hub(*OPTIONS)
    assert hub.request("PUT", "/observers/w", json={"topics": [topic], "url": receiver.url()}).status_code == 201
    damage(hub, "w", change)
    assert hub.observer("w")["reason"] == "unreadable"
    hub.post(topic, "x")
    assert hub.request("DELETE", "/observers/w").status_code == 204
    assert hub.observers() == []


@pytest.mark.parametrize("rate", [
    "9223372036854775807", "9223372036854775808", "9007199254740991", "9007199254740992", "1"])
def test_a_rate_that_was_accepted_is_there_after_a_restart(start_hub, receiver, topic, rate):
    hub = start_hub(*OPTIONS)
    receiver.answer = lambda delivery: (200, {"WebHook-Allowed-Origin": "*", "WebHook-Allowed-Rate": rate})
    webhook = hub.register(receiver.url(), topic, handshake=True)
    hub.restart()
    shown = {name: value for name, value in webhook.items() if name != "secret"}
    assert hub.observer(webhook["id"]) == shown
