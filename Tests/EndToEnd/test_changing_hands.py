"""Webhooks that change hands: what one tenant began with a webhook, or was delivered to it, is nothing to the next."""

import json
import threading

import pytest

from credentials import CredentialsFile, ask, grant
from problems import assert_problem
from waiting import wait_until

OPTIONS = ("--allow-egress", "127.0.0.0/8", "--durability", "process", "--webhooks-retry", "20ms")
#: How many events a replay goes through after the first, which take it a tenth of a second and more.
UNWANTED = 300_000
#: How many webhooks are unregistered before the one that changes hands meanwhile.
WEBHOOKS = 600


@pytest.fixture
def file(tmp_path):
    return CredentialsFile(tmp_path, {
        "a": grant("a.**"), "b": grant("b.**"), "admin": grant("**"),
        # Hears its own topics, and looks after those of others as well.
        "keeper": {"manage": ["a.**", "b.**"], "subscribe": ["b.**"], "publish": ["b.**"]}})


@pytest.fixture
def hub(start_hub, file):
    return start_hub("--credentials", str(file.path), *OPTIONS)


def post(hub, topic, key, data, **headers):
    posted = ask(hub, "POST", f"/topics/{topic}/events", key, data=data, headers=headers)
    assert posted.status_code == 201, posted.content
    return posted.json()


def register(hub, id, key, url, *topics, **members):
    webhook = {"url": url, "topics": list(topics), **members}
    registered = ask(hub, "PUT", f"/observers/{id}", key, data=json.dumps(webhook).encode())
    assert registered.status_code == 201, registered.content


def change(hub, id, key, **members):
    changed = ask(hub, "PATCH", f"/observers/{id}", key, data=json.dumps(members).encode())
    assert changed.status_code == 200, changed.content


def unregister(hub, id, key):
    assert ask(hub, "DELETE", f"/observers/{id}", key).status_code == 204


def stats(hub, id, key):
    return ask(hub, "GET", f"/observers/{id}", key).json()["stats"]


def deliveries(hub, id, key, **query):
    """The topic and the state of every delivery, page by page."""
    found = []
    while True:
        parameters = "&".join(f"{name}={value}" for name, value in query.items())
        page = ask(hub, "GET", f"/observers/{id}/deliveries?{parameters}", key).json()
        found += [(delivery["topic"], delivery["state"]) for delivery in page["deliveries"]]
        if page["next"] is None:
            return found
        query["cursor"] = page["next"]


class UnderWay:
    """A request on a thread of its own."""

    def __init__(self, *request, **options):
        self.answer = None
        self._thread = threading.Thread(target=self._ask, args=request, kwargs=options)
        self._thread.start()

    def _ask(self, *request, **options):
        self.answer = ask(*request, **options)

    @property
    def is_answered(self):
        return not self._thread.is_alive()

    def wait(self):
        self._thread.join()
        return self.answer


@pytest.mark.parametrize("ordered", [False, True])
def test_a_replay_ends_with_its_webhook(hub, file, receiver, ordered):
    """It went on into the webhook of whoever took the id, which delivered others' events with its own signature."""
    a, b = file.keys["a"], file.keys["b"]
    wanted = {"Event-Type": "wanted"}
    post(hub, "a.x", a, b"the first", **wanted)
    lines = b"\n".join([b"0"] * 10_000)
    for _ in range(UNWANTED // 10_000):
        post(hub, "a.x", a, lines, **{"Content-Type": "application/x-ndjson"})
    for _ in range(3):
        post(hub, "a.x", a, b"one of the last", **wanted)
    register(hub, "w", a, receiver.url("/a"), "a.x", types=["wanted"], ordered=ordered, enabled=False)
    replay = UnderWay(hub, "POST", "/observers/w/replay", a, data=b'{"since": "earliest"}')
    pending = wait_until(lambda: stats(hub, "w", a)["pending"])
    assert pending == 1, "the replay is not among the unwanted events any more, which proves nothing"
    unregister(hub, "w", a)
    register(hub, "w", b, receiver.url("/b"), "b.y", ordered=ordered)
    answer = replay.wait()
    assert deliveries(hub, "w", b) == []
    assert_problem(answer, 404, "observer-unknown")
    # What is its own is all it delivers.
    post(hub, "b.y", b, b"mine")
    wait_until(lambda: stats(hub, "w", b)["delivered"] == 1)
    assert [delivery.body for delivery in receiver.deliveries] == [b"mine"]
    assert deliveries(hub, "w", b) == [("b.y", "delivered")]


def to_another_tenant(hub, id, keys):
    unregister(hub, id, keys["a"])
    register(hub, id, keys["b"], "http://127.0.0.1:65530/", "b.y", enabled=False)
    return keys["b"]


def to_topics_of_others_too(hub, id, keys):
    change(hub, id, keys["admin"], topics=["a.x", "secret.y"])
    return keys["admin"]


def to_another_topic(hub, id, keys):
    change(hub, id, keys["a"], topics=["a.other"])
    return keys["a"]


@pytest.mark.parametrize("goes", [to_another_tenant, to_topics_of_others_too, to_another_topic])
def test_what_has_changed_meanwhile_is_not_unregistered_with_the_others_of_a_topic(hub, file, goes):
    a = file.keys["a"]
    ids = [f"w{number}" for number in range(WEBHOOKS)]
    for id in ids:
        register(hub, id, a, "http://127.0.0.1:65530/", "a.x", enabled=False)
    unregistering = UnderWay(hub, "DELETE", "/topics/a.x/observers", a)
    # They go oldest first.
    wait_until(lambda: ask(hub, "GET", f"/observers/{ids[0]}/deliveries", a).status_code != 200)
    owner = goes(hub, ids[-1], file.keys)
    assert not unregistering.is_answered, "it was too late to change anything, which proves nothing"
    answer = unregistering.wait()
    assert ask(hub, "GET", f"/observers/{ids[-1]}", owner).status_code == 200
    assert (answer.status_code, answer.json()) == (200, {"unregistered": WEBHOOKS - 1})
    assert len(ask(hub, "GET", "/observers", file.keys["admin"]).json()["observers"]) == 1


@pytest.fixture
def given(hub, file, receiver):
    """An admin's webhook `w` that has heard a secret and is given to `a` with its dead letters. The secret's id."""
    admin = file.keys["admin"]
    receiver.answer = lambda delivery: 500 if delivery.path == "/admin" else 204
    register(hub, "w", admin, receiver.url("/admin"), "a.x", "secret.**")
    post(hub, "a.x", admin, b"own")
    secret = post(hub, "secret.plans", admin, b"secret")["id"]
    wait_until(lambda: stats(hub, "w", admin)["deadLetters"] == 2)
    assert ask(hub, "GET", "/observers/w", file.keys["a"]).status_code == 404
    change(hub, "w", admin, topics=["a.x"])
    change(hub, "w", file.keys["a"], url=receiver.url("/a"))
    return secret


@pytest.mark.parametrize("query", [{}, {"limit": 1}, {"state": "dead"}, {"state": "dead", "limit": 1}])
def test_deliveries_of_former_topics_are_listed_to_none_but_who_may_hear_them(hub, file, given, query):
    assert deliveries(hub, "w", file.keys["a"], **query) == [("a.x", "dead")]
    assert deliveries(hub, "w", file.keys["admin"], **query) == [("secret.plans", "dead"), ("a.x", "dead")]


def test_a_delivery_of_a_former_topic_is_shown_to_none_but_who_may_hear_it(hub, file, given):
    path = f"/observers/w/deliveries/{given}"
    assert_problem(ask(hub, "GET", path, file.keys["a"]), 404, "delivery-unknown")
    assert ask(hub, "GET", path, file.keys["admin"]).json()["state"] == "dead"


def test_dead_letters_of_former_topics_are_recovered_by_none_but_who_may_hear_them(hub, file, receiver, given):
    """They went to the endpoint of whoever the webhook was given to."""
    a, admin = file.keys["a"], file.keys["admin"]

    def recover(key):
        answer = ask(hub, "POST", "/observers/w/recover", key, data=b'{"since": "earliest"}')
        assert answer.status_code == 202, answer.content
        return answer.json()["recovered"]

    assert [recover(a), recover(a)] == [1, 0]
    wait_until(lambda: stats(hub, "w", admin)["delivered"] == 1)
    assert [delivery.body for delivery in receiver.to("/a")] == [b"own"]
    assert deliveries(hub, "w", admin) == [("secret.plans", "dead"), ("a.x", "delivered")]
    assert recover(admin) == 1
    wait_until(lambda: stats(hub, "w", admin)["delivered"] == 2)
    assert [delivery.body for delivery in receiver.to("/a")] == [b"own", b"secret"]


#: How somebody who manages it might have what waits for a webhook sent to a place of theirs.
DIVERSIONS = {
    "PUT": [("PUT", {"topics": ["b.x"], "url": "/keeper"})],
    "PATCH": [("PATCH", {"topics": ["b.x"], "url": "/keeper", "enabled": True})],
    "two PATCHes": [("PATCH", {"topics": ["b.x"]}), ("PATCH", {"url": "/keeper", "enabled": True})],
    "more topics, then fewer": [("PATCH", {"topics": ["a.x", "b.x"]}), ("PATCH", {"topics": ["b.x"], "url": "/keeper"})],
    "consent": [("PATCH", {"topics": ["b.x"], "url": "/keeper", "handshake": True})],
}


@pytest.mark.parametrize("steps", DIVERSIONS.values(), ids=DIVERSIONS)
def test_what_waits_goes_nowhere_at_the_word_of_who_may_not_hear_it(hub, file, receiver, steps):
    """Only the new topics were looked at: who managed a webhook and heard none of it had what waited sent to their URL."""
    a, keeper = file.keys["a"], file.keys["keeper"]
    register(hub, "w", a, receiver.url("/a"), "a.x", enabled=False)
    post(hub, "a.x", a, b"for a alone")
    before = ask(hub, "GET", "/observers/w", a).json()
    for method, members in steps:
        if "url" in members:
            members = members | {"url": receiver.url(members["url"])}
        problem = assert_problem(
            ask(hub, method, "/observers/w", keeper, data=json.dumps(members).encode()), 403, "right-missing")
        assert (problem["right"], problem["topic"]) == ("subscribe", "a.x")
    assert ask(hub, "GET", "/observers/w", a).json() == before
    change(hub, "w", a, enabled=True)
    wait_until(lambda: stats(hub, "w", a)["delivered"] == 1)
    assert [(delivery.path, delivery.body) for delivery in receiver.deliveries] == [("/a", b"for a alone")]


def test_who_hears_what_it_had_gives_a_webhook_fewer_topics(hub, file, receiver):
    """An administrator, say, when whoever registered it has left."""
    a, admin = file.keys["a"], file.keys["admin"]
    register(hub, "w", a, receiver.url("/a"), "a.x", "a.y", enabled=False)
    post(hub, "a.x", a, b"waits")
    change(hub, "w", a, topics=["a.y"])
    change(hub, "w", admin, url=receiver.url("/admin"), topics=["a.z"], enabled=True)
    wait_until(lambda: stats(hub, "w", a)["delivered"] == 1)
    assert [(delivery.path, delivery.body) for delivery in receiver.deliveries] == [("/admin", b"waits")]


@pytest.mark.parametrize("again", ["recover", "replay"])
def test_who_only_manages_a_webhook_has_no_more_than_its_name(hub, file, receiver, again):
    a, keeper = file.keys["a"], file.keys["keeper"]
    register(hub, "w", a, receiver.url("/a"), "a.x", enabled=False)
    event = post(hub, "a.x", a, b"for a alone")["id"]
    unregister(hub, "w", keeper)
    register(hub, "w", keeper, receiver.url("/keeper"), "b.x")
    assert deliveries(hub, "w", keeper) == []
    assert ask(hub, "POST", f"/observers/w/{again}", keeper, data=b'{"since": "earliest"}').status_code == 202
    asked = ask(hub, "POST", f"/observers/w/deliveries/{event}/redeliver", keeper)
    assert_problem(asked, 404, "event-unknown")
    post(hub, "b.x", keeper, b"its own")
    wait_until(lambda: stats(hub, "w", keeper)["delivered"] == 1)
    assert [delivery.body for delivery in receiver.deliveries] == [b"its own"]
