"""Replays and recoveries under way: how many there may be, who goes before them, and when they end."""

import json
import signal
import time

import pytest

from credentials import CredentialsFile, ask, grant
from metrics import Reading
from problems import assert_problem
from raw_http import RawConnection
from test_changing_hands import post, register, stats
from waiting import wait_until

OPTIONS = ("--allow-egress", "127.0.0.0/8", "--durability", "process", "--webhooks-retry", "20ms")
#: A replay of so many takes two seconds and more.
EVENTS = 100_000
#: Seconds that others' changes of webhooks may take beside replays; it was as many as there were replays.
PROMPT = 2.0
SINCE = b'{"since": "earliest"}'
#: How many may be under way: of one credential, and in all.
OF_CREDENTIAL, OF_HUB = 4, 16


@pytest.fixture
def file(tmp_path):
    return CredentialsFile(tmp_path, {name: grant(f"{name}.**") for name in "abcde"} | {"admin": grant("**")})


@pytest.fixture
def hub(start_hub, file):
    hub = start_hub("--credentials", str(file.path), *OPTIONS)
    lines = b"\n".join([b"0"] * 10_000)
    for _ in range(EVENTS // 10_000):
        post(hub, "a.x", file.keys["admin"], lines, **{"Content-Type": "application/x-ndjson"})
    return hub


def register_paused(hub, file, id, key="a", *topics, **members):
    register(hub, id, file.keys[key], "http://127.0.0.1:65530/", *(topics or ["a.x"]), enabled=False, **members)


class Redelivery:
    """A replay whose answer may be waited for or not."""

    def __init__(self, hub, id, key, what="replay"):
        self.connection = RawConnection(hub.port)
        self.connection.send(
            f"POST /observers/{id}/{what} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Length: {len(SINCE)}\r\n\r\n".encode() + SINCE)

    def leave(self):
        self.connection.close()

    def answer(self):
        return self.connection.receive()


def begin(hub, file, id, key="a"):
    """A replay that is under way."""
    replay = Redelivery(hub, id, file.keys[key])
    wait_until(lambda: stats(hub, id, file.keys[key])["pending"])
    return replay


def again(hub, id, key, what="replay"):
    return ask(hub, "POST", f"/observers/{id}/{what}", key, data=SINCE)


def assert_busy(answer, words):
    problem = assert_problem(answer, 429, "redelivery-busy")
    assert words in problem["detail"] and int(answer.headers["Retry-After"]) > 0


def reload(hub, file):
    file.write()
    hub.process.send_signal(signal.SIGHUP)


def pending(hub, file):
    return Reading.of(hub, headers={"Authorization": f"Bearer {file.keys['admin']}"})["clarion_webhook_pending"]


def test_a_webhook_has_one_at_a_time(hub, file):
    a = file.keys["a"]
    register_paused(hub, file, "w")
    register_paused(hub, file, "other", "a", "a.nothing")
    replay = begin(hub, file, "w")
    for what in ("replay", "recover"):
        assert_busy(again(hub, "w", a, what), "of this webhook")
    # Others of the same client go on, and so do single events.
    assert again(hub, "other", a).status_code == 202
    event = ask(hub, "GET", "/topics/a.x/events?last=1", a).json()["events"][0]["id"]
    assert ask(hub, "POST", f"/observers/w/deliveries/{event}/redeliver", a).status_code == 202
    answer = replay.answer()
    assert answer.status == 202 and answer.json() == {"replayed": EVENTS}
    assert stats(hub, "w", a)["pending"] == pending(hub, file) == EVENTS
    assert again(hub, "w", a, "recover").json() == {"recovered": 0}


def test_one_credential_leaves_room_for_others_and_all_of_them_are_bounded(hub, file):
    """All of them may hear the one topic that has events."""
    for key in "bcde":
        file.members["keys"] = [
            entry | {right: ["a.x", f"{key}.**"] for right in ("publish", "subscribe", "manage")}
            if entry["name"] == key else entry for entry in file.members["keys"]]
    reload(hub, file)
    wait_until(lambda: ask(hub, "GET", "/topics/a.x", file.keys["e"]).status_code == 200)
    replays = []
    for key in "abcd":
        for number in range(OF_CREDENTIAL + 1):
            register_paused(hub, file, f"{key}{number}", key)
    register_paused(hub, file, "e0", "e", "e.nothing")
    for key in "abcd":
        replays += [begin(hub, file, f"{key}{number}", key) for number in range(OF_CREDENTIAL)]
        if key == "a":
            assert_busy(again(hub, f"a{OF_CREDENTIAL}", file.keys["a"]), "this credential")
    assert len(replays) == OF_HUB
    for key in ("e", "admin"):
        assert_busy(again(hub, "e0", file.keys[key]), f"{OF_HUB} ")
    # One that has ended leaves its place.
    replays.pop().leave()
    wait_until(lambda: again(hub, "e0", file.keys["e"]).status_code == 202)
    for replay in replays:
        replay.leave()


def changes(key_of, hub):
    """Everything of webhooks that is done one after the other, with how long each took."""
    webhook = json.dumps({"url": "http://127.0.0.1:65530/", "topics": ["b.x"], "enabled": False}).encode()
    event = post(hub, "b.x", key_of["b"], b"x")["id"]
    for method, path, data, expected in [
        ("PUT", "", webhook, 201), ("PATCH", "", b'{"description": "x"}', 200), ("POST", "/secret/rotate", b"{}", 200),
        ("POST", f"/deliveries/{event}/redeliver", None, 202), ("POST", "/recover", SINCE, 202),
        ("POST", "/replay", SINCE, 202), ("DELETE", "", None, 204),
    ]:
        began = time.monotonic()
        answer = ask(hub, method, f"/observers/b-hook{path}", key_of["b"], data=data)
        assert answer.status_code == expected, (method, path, answer.content)
        yield f"{method} {path}", time.monotonic() - began


@pytest.mark.parametrize("stay", [False, True], ids=["clients that left", "clients that wait"])
def test_others_manage_their_webhooks_beside_hundreds_of_replays(hub, file, stay):
    """Replays went on for minutes when nobody waited for them, and every change of any webhook waited for a step of each."""
    for number in range(10):
        register_paused(hub, file, f"w{number}")
    replays = [Redelivery(hub, f"w{number % 10}", file.keys["a"]) for number in range(600)]
    wait_until(lambda: pending(hub, file) > 0)
    if not stay:
        for replay in replays:
            replay.leave()
    # A request may be read only now.
    for what, seconds in changes(file.keys, hub):
        assert seconds < PROMPT, what
    for replay in replays:
        replay.leave()
    # Nothing of them goes on.
    for number in range(10):
        wait_until(lambda: again(hub, f"w{number}", file.keys["a"], "recover").status_code == 202)
    waiting = pending(hub, file)
    assert waiting == sum(stats(hub, f"w{number}", file.keys["a"])["pending"] for number in range(10)) < 10 * EVENTS
    list(changes(file.keys, hub))
    wait_until(lambda: pending(hub, file) == waiting)
    # What was renewed is renewed, not made twice.
    assert again(hub, "w0", file.keys["a"]).json() == {"replayed": EVENTS}
    assert stats(hub, "w0", file.keys["a"])["pending"] == EVENTS


def test_an_ordered_webhook_delivers_when_whoever_replayed_is_gone(hub, file, receiver):
    a = file.keys["a"]
    register(hub, "w", a, receiver.url(), "a.x", ordered=True)
    replay = begin(hub, file, "w")
    assert receiver.deliveries == []
    replay.leave()
    receiver.wait_for(1)
    seen = stats(hub, "w", a)
    assert seen["pending"] + seen["delivered"] < EVENTS, "the replay went on to its end"
    ask(hub, "DELETE", "/observers/w", a)


def test_a_replay_ends_with_its_credential(hub, file):
    register_paused(hub, file, "w")
    replay = begin(hub, file, "w")
    file.remove_key("a")
    reload(hub, file)
    assert_problem(replay.answer(), 401, "credential-invalid")
    waiting = stats(hub, "w", file.keys["admin"])["pending"]
    assert waiting < EVENTS
    # Its place is free, and what was renewed stays so.
    assert again(hub, "w", file.keys["admin"], "recover").json() == {"recovered": 0}
    assert stats(hub, "w", file.keys["admin"])["pending"] == waiting
