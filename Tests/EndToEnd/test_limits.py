"""What one client may have and do: each bound with its answer, and what is left when the client is gone."""

import re
import select
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from credentials import CredentialsFile, ask, fresh_address, grant
from event_stream import EventStream, StreamRefused
from hub_process import events_path
from problems import assert_problem
from waiting import wait_until
from webhook_receiver import WebhookReceiver

STREAM = {"Accept": "text/event-stream"}


def open_stream(hub, source, topic="a", credential=None, query=""):
    headers = {"Authorization": f"Bearer {credential}"} if credential else None
    return EventStream.of(hub.port, topic, source=source, headers=headers, query=query)


def assert_refused(hub, source, **options):
    with pytest.raises(StreamRefused) as refused:
        open_stream(hub, source, **options)
    assert_problem(refused.value, 429, "rate-limited")
    assert int(refused.value.headers["retry-after"]) > 0


def wait_until_it_opens(hub, source, **options):
    """A stream's place is free again when the hub has noticed that its client is gone."""
    def opened():
        try:
            return open_stream(hub, source, **options)
        except StreamRefused:
            return None

    return wait_until(opened, what="a stream that is let in")


# Streams of one client

def test_streams_of_one_address_are_bounded(start_hub):
    hub = start_hub("--max-streams-per-client", "3")
    one, two = fresh_address(), fresh_address()
    streams = [open_stream(hub, one) for _ in range(3)]
    assert_refused(hub, one)
    # What ends by itself, and the other clients, are not concerned.
    assert ask(hub, "GET", events_path("a"), address=one).status_code == 200
    assert ask(hub, "HEAD", events_path("a"), headers=STREAM, address=one).status_code == 200
    others = [open_stream(hub, two) for _ in range(3)]
    for stream in streams:
        stream.close()
        wait_until_it_opens(hub, one).close()
    for stream in others:
        stream.close()


def test_streams_of_one_credential_are_bounded_wherever_they_come_from(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, {"one": grant("**"), "two": grant("**")})
    hub = start_hub("--credentials", str(file.path), "--max-streams-per-client", "3")
    streams = [open_stream(hub, fresh_address(), credential=file.keys["one"]) for _ in range(3)]
    assert_refused(hub, fresh_address(), credential=file.keys["one"])
    # Tokens of one subject are one, whichever they are.
    for expiry in (100, 200, 300):
        streams.append(open_stream(hub, fresh_address(), credential=file.token(expires_in=expiry)))
    assert_refused(hub, fresh_address(), credential=file.token(expires_in=400))
    streams.append(open_stream(hub, fresh_address(), credential=file.token(sub="another")))
    # An address is one, whatever its credentials are.
    address = fresh_address()
    streams += [open_stream(hub, address, credential=file.token(sub=f"s{number}")) for number in range(3)]
    assert_refused(hub, address, credential=file.keys["two"])
    for stream in streams:
        stream.close()


def test_of_hundreds_at_once_as_many_are_let_in_as_may_be(start_hub):
    hub = start_hub("--max-streams-per-client", "50")
    source = fresh_address()
    request = f"GET {events_path('a')} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode()
    for _ in range(2):
        sockets = []
        for _ in range(300):
            connection = socket.create_connection(("127.0.0.1", hub.port), source_address=(source, 0))
            sockets.append(connection)
        for connection in sockets:
            connection.sendall(request)
        statuses = []
        for connection in sockets:
            assert select.select([connection], [], [], 15)[0]
            statuses.append(int(connection.recv(65536).split(b" ")[1]))
        assert (statuses.count(200), statuses.count(429)) == (50, 250)
        for connection in sockets:
            connection.close()
        # Nothing is left of them, so as many are let in again.
        wait_until(lambda: not hub.observers(), what="no stream")


def test_clients_that_are_gone_before_their_stream_is_open_leave_nothing(start_hub):
    hub = start_hub("--max-streams-per-client", "5")
    source = fresh_address()
    for number in range(3000):
        hub.post("a", b"x" * 10) if number % 1000 == 0 else None
        # One half looks for its beginning in the log first.
        query = "?last=100" if number % 2 else ""
        connection = socket.create_connection(("127.0.0.1", hub.port), source_address=(source, 0))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.sendall(f"GET {events_path('a')}{query} HTTP/1.1\r\nHost: h\r\nHost: localhost\r\n\r\n".encode()
                           if number % 5 == 0 else
                           f"GET {events_path('a')}{query} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
                           .encode())
        connection.close()
    streams = [wait_until_it_opens(hub, source) for _ in range(5)]
    assert_refused(hub, source)
    for stream in streams:
        stream.close()


def test_a_client_that_has_its_share_may_come_back_for_its_name(start_hub):
    hub = start_hub("--max-streams-per-client", "2")
    source, other = fresh_address(), fresh_address()
    streams = [open_stream(hub, source, query=f"observer=n{number}") for number in range(2)]
    for _ in range(20):
        streams.append(wait_until_it_opens(hub, source, query="observer=n0"))
    assert_refused(hub, source, query="observer=n2")
    foreign = open_stream(hub, other, query="observer=n3")
    # A name of somebody else is no reason.
    assert_refused(hub, source, query="observer=n3")
    assert len(hub.observers(kind="stream")) == 3
    for stream in [*streams, foreign]:
        stream.close()


# Changes a second

def change(hub, address=None, credential=None, method="POST", target=None, data=b"x"):
    return ask(hub, method, target or events_path("a"), credential, data=data, address=address)


def assert_limited(response, burst):
    assert_problem(response, 429, "rate-limited")
    # draft-ietf-httpapi-ratelimit-headers-11: a List of Items with parameters (RFC 9651).
    wait = int(response.headers["Retry-After"])
    assert wait >= 1
    assert response.headers["RateLimit"] == f'"changes";r=0;t={wait}'
    assert response.headers["RateLimit-Policy"] == f'"changes";q={burst};w=2'


@pytest.mark.parametrize("text, environment, file", [
    ("2/s", {}, None), (None, {"CLARION_RATE": "2/s"}, None), (None, {}, '{"rate": "2/s"}'), (None, {}, '{"rate": 2}')])
def test_changes_of_one_address_are_bounded(start_hub, tmp_path, text, environment, file):
    options = ["--rate", text] if text else []
    if file:
        (tmp_path / "settings.json").write_text(file)
        options = ["--config", str(tmp_path / "settings.json")]
    hub = start_hub(*options, environment=environment)
    address = fresh_address()
    answers = [change(hub, address) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 201, 429]
    assert_limited(answers[-1], 4)
    # Whatever is to be changed; reading is not.
    for method, target in [("PUT", "/topics/a/value"), ("PUT", "/topics/a"), ("DELETE", "/topics/a"), ("POST", "/observers"),
                           ("PUT", "/observers/x"), ("PATCH", "/observers/x"), ("DELETE", "/observers/x")]:
        assert_limited(change(hub, address, method=method, target=target), 4)
    for _ in range(20):
        assert change(hub, address, method="GET", data=None).status_code == 200
    assert change(hub, fresh_address()).status_code == 201
    time.sleep(int(answers[-1].headers["Retry-After"]))
    assert change(hub, address).status_code == 201


def test_changes_of_one_credential_are_bounded_and_do_not_count_for_the_address(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, {"one": grant("**"), "two": grant("**"), "nothing": {}}, anonymous={"publish": ["a"]})
    hub = start_hub("--credentials", str(file.path), "--rate", "1/s")
    address = fresh_address()
    assert [change(hub, fresh_address(), file.keys["one"]).status_code for _ in range(3)] == [201, 201, 429]
    assert [change(hub, address, file.keys["two"]).status_code for _ in range(3)] == [201, 201, 429]
    # Tokens of one subject are one.
    assert [change(hub, address, file.token(expires_in=100 + n)).status_code for n in range(3)] == [201, 201, 429]
    # Who shows none is the address.
    assert [change(hub, address).status_code for _ in range(3)] == [201, 201, 429]
    assert change(hub, fresh_address()).status_code == 201
    # What one may not do counts, too: else it would be asked for without end.
    assert [change(hub, address, file.keys["nothing"]).status_code for _ in range(3)] == [403, 403, 429]
    assert [change(hub, address, file.keys["nothing"], method="GET", data=None).status_code for _ in range(3)] == [403] * 3


def test_without_a_rate_nothing_is_bounded(start_hub):
    for options in [(), ("--rate", "0"), ("--rate", "0/s")]:
        hub = start_hub(*options, "--durability", "memory")
        for _ in range(200):
            hub.post("a")


def test_a_rate_that_is_none(clarion):
    for text in ["", "x", "-1/s", "1/m", "1.5/s", "/s", "1 /s", "1000001/s", "1/s/s"]:
        result = clarion("serve", "--rate", text)
        assert result.returncode == 64 and "--rate" in result.stderr, text


# Topics, observers, idempotency keys

def assert_full(response, what):
    assert what in assert_problem(response, 507, "limit-reached")["detail"]


def test_topics_are_bounded(start_hub, receiver):
    hub = start_hub("--max-topics", "3", "--allow-egress", "127.0.0.0/8")
    hub.post("a")
    assert hub.request("PUT", "/topics/b", json={"retention": {"events": 5}}).status_code == 200
    assert hub.request("PUT", "/topics/c/value", data="1").status_code == 201
    assert_full(hub.request("POST", events_path("d"), data="x"), "3 topics")
    assert_full(hub.request("POST", events_path("d"), data="1\n2", headers={"Content-Type": "application/x-ndjson"}), "3 topics")
    assert_full(hub.request("PUT", "/topics/d/value", data="x"), "3 topics")
    assert_full(hub.request("PUT", "/topics/d", json={"retention": {"events": 5}}), "3 topics")
    # A posted CloudEvent, which has a key.
    event = {"specversion": "1.0", "id": "1", "source": "/x", "type": "t"}
    structured = {"Content-Type": "application/cloudevents+json"}
    assert_full(hub.request("POST", events_path("d"), json=event, headers=structured), "3 topics")
    for name in "abc":
        hub.post(name)
    assert hub.get("/readyz").status_code == 200
    # The hub tells of its observers nevertheless, and how much of that is kept can be set before.
    assert hub.request("PUT", "/topics/clarion.observers", json={"retention": {"events": 5}}).status_code == 200
    hub.register(receiver.url(), "a")
    wait_until(lambda: hub.history("clarion.observers"), what="what the hub tells")
    hub.restart()
    assert_full(hub.request("POST", events_path("d"), data="x"), "3 topics")
    assert hub.request("DELETE", "/topics/b").status_code == 204
    hub.post("d")
    assert_full(hub.request("POST", events_path("b"), data="x"), "3 topics")
    # What a bound alone had made goes with it.
    assert hub.request("DELETE", "/topics/d").status_code == 204
    assert hub.request("PUT", "/topics/e", json={"retention": {"age": "1h"}}).status_code == 200
    assert_full(hub.request("POST", events_path("d"), data="x"), "3 topics")
    assert hub.request("PUT", "/topics/e", json={}).status_code == 200
    hub.post("d")


def test_of_topics_made_at_once_as_many_are_made_as_may_be(start_hub):
    hub = start_hub("--max-topics", "30")
    with ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(lambda n: ask(hub, "POST", events_path(f"t{n % 60}"), data=b"x").status_code, range(240)))
    assert set(statuses) == {201, 507}
    assert len(hub.get("/topics?limit=1000").json()["topics"]) == 30
    assert statuses.count(201) == 30 * 4


def test_observers_are_bounded(start_hub, receiver):
    hub = start_hub("--max-observers", "2", "--allow-egress", "127.0.0.0/8")
    one = hub.register(receiver.url("/1"), "a")
    body = {"url": receiver.url("/2"), "topics": ["a"]}
    assert hub.request("PUT", "/observers/two", json=body).status_code == 201
    assert_full(hub.request("POST", "/observers", json=body), "2 observers")
    assert_full(hub.request("PUT", "/observers/three", json=body), "2 observers")
    # Those that are there can be changed, and streams are not counted.
    assert hub.request("PUT", "/observers/two", json=body).status_code == 200
    assert hub.request("PATCH", "/observers/two", json={"topics": ["b"]}).status_code == 200
    streams = [hub.stream("a") for _ in range(3)]
    hub.restart()
    assert_full(hub.request("POST", "/observers", json=body), "2 observers")
    assert hub.request("DELETE", f"/observers/{one['id']}").status_code == 204
    assert hub.request("POST", "/observers", json=body).status_code == 201
    for stream in streams:
        stream.close()


def test_observers_are_bounded_by_what_they_take(start_hub, receiver):
    """The largest that is allowed takes a hundred times as much as an ordinary one: 100,000 of those took 24 GB."""
    hub = start_hub("--max-observers", "1000", "--allow-egress", "127.0.0.0/8")
    body = {"url": receiver.url("/x"), "topics": [f"t{number}." + "x" * 240 for number in range(100)],
            "headers": {f"X-{number}": "x" * 1000 for number in range(10)}}
    def register():
        return hub.request("POST", "/observers", json=body)
    answers = [register() for _ in range(60)]
    assert answers[0].status_code == 201
    assert_full(answers[-1], "bytes of observers")
    hub.restart()
    assert_full(register(), "bytes of observers")
    # Whatever others take, an ordinary one can be registered, and gets another secret.
    assert hub.request("PUT", "/observers/ordinary", json={"url": receiver.url("/z"), "topics": ["a"]}).status_code == 201
    for _ in range(3):
        assert hub.request("POST", "/observers/ordinary/secret/rotate").status_code == 200
    # What is there can be changed to less, and deleted.
    one = answers[0].json()["id"]
    assert hub.request("PATCH", f"/observers/{one}", json={"headers": {}}).status_code == 200
    assert hub.request("PUT", "/observers/small", json={"url": receiver.url("/y"), "topics": ["a"]}).status_code == 201
    assert hub.request("DELETE", f"/observers/{one}").status_code == 204
    assert register().status_code == 201


def test_idempotency_keys_are_bounded(start_hub):
    hub = start_hub("--max-idempotency-keys", "3")
    def post(key, topic="a"):
        headers = {"Idempotency-Key": key} if key else {}
        return hub.request("POST", events_path(topic), data="x", headers=headers)
    assert [post(key).status_code for key in "123"] == [201] * 3
    for _ in range(2):
        assert_full(post("4"), "3 idempotency keys")
        assert_full(post("1", "b"), "3 idempotency keys")
        assert [post(key).status_code for key in "123"] == [200] * 3
        assert post(None).status_code == 201
        hub.restart()


def test_every_limit_says_what_it_may_be(clarion):
    for option in ["max-streams-per-client", "max-topics", "max-observers", "max-idempotency-keys"]:
        for text in ["", "x", "-1", "1.5", "10000000000"]:
            result = clarion("serve", f"--{option}", text)
            assert result.returncode == 64 and f"--{option}" in result.stderr, (option, text)
