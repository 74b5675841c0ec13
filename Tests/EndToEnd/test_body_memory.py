"""What bodies cost that do not come to their end, or that wait for their answer: one budget for all, whoever sends them. The
oracle: others are served meanwhile, and the gauge returns to zero."""

import json
import socket
import threading
import time

import pytest

from credentials import CredentialsFile, ask, grant
from hub_process import events_path
from metrics import Reading, wait_for
from problems import assert_problem
from raw_http import RawConnection, request
from waiting import wait_until

MEBIBYTE = 1 << 20
GAUGE = "clarion_request_body_bytes"


def unfinished(hub, topic, size, missing=1, headers=None):
    """A post that lacks its end."""
    connection = RawConnection(hub.port)
    fields = {"Content-Length": str(size), "Content-Type": "text/plain", **(headers or {})}
    connection.send(request("POST", events_path(topic), fields) + b"x" * (size - missing))
    return connection


def taken(hub, least, **options):
    """Waits until the gauge says that so much is taken, and tells how much it is."""
    return wait_for(hub, lambda reading: reading[GAUGE] >= least, f"{least} bytes of bodies", **options)[GAUGE]


def wait_until_none_is_taken(hub, **options):
    wait_for(hub, lambda reading: reading[GAUGE] == 0, "the room of all bodies given back", **options)


@pytest.mark.measured
def test_bodies_without_end_share_one_budget(start_hub, tmp_path, topic, figure):
    """81 MB for 100 clients without a credential, for half an hour."""
    file = CredentialsFile(tmp_path, {"admin": grant("**")})
    hub = start_hub("--credentials", str(file.path), "--max-body", "8MiB", "--max-body-memory", "16MiB",
                    "--durability", "process")
    admin = {"Authorization": f"Bearer {file.keys['admin']}"}
    before = hub.rss()
    began = time.monotonic()
    connections = [unfinished(hub, topic, MEBIBYTE) for _ in range(100)]
    assert 14 * MEBIBYTE < taken(hub, 14 * MEBIBYTE, headers=admin) <= 16 * MEBIBYTE
    figure.at_most((hub.rss() - before) / MEBIBYTE, 40, "the growth by 100 MiB of bodies that do not end, in MiB,")
    # Others are served: small posts at once, a large one when the first have had their time.
    for _ in range(20):
        assert ask(hub, "POST", events_path(topic), file.keys["admin"], data=b"x" * 1000).status_code == 201
    large = b"y" * MEBIBYTE

    def refusal():
        """Of those that came at once so many may have been refused half-way that there is room for one of them again."""
        answer = ask(hub, "POST", events_path(topic), file.keys["admin"], data=large)
        if answer.status_code == 503:
            return answer
        connections.append(unfinished(hub, topic, MEBIBYTE))
        return None

    refused = wait_until(refusal, what="the refusal of a large post")
    assert_problem(refused, 503, "overloaded")
    assert int(refused.headers["Retry-After"]) > 0
    wait_until(lambda: ask(hub, "POST", events_path(topic), file.keys["admin"], data=large).status_code == 201, 30, "room")
    figure(f"{time.monotonic() - began:.0f} s until a post of 1 MiB got through")
    # Those who kept it go as long as room is wanted, though nobody has closed them. A body of half of the budget wants all of
    # it; after the large post the rest would be in nobody's way, and could stay. Of what found no room nothing is kept.
    wait_until(lambda: is_let_in(hub, topic, 8 * MEBIBYTE), 30, "room for the largest body")
    wait_until_none_is_taken(hub, headers=admin)
    for connection in connections:
        connection.close()


def test_room_is_taken_as_bytes_come_and_given_back(hub, topic):
    announced = [RawConnection(hub.port) for _ in range(10)]
    for connection in announced:
        connection.send(request("POST", events_path(topic), {"Content-Length": str(MEBIBYTE)}) + b"x" * 1000)
    assert taken(hub, 10_000) == 10_000
    finished, left, reset = announced[0], announced[1], announced[2:]
    finished.send(b"x" * (MEBIBYTE - 1000))
    assert finished.receive().status == 201
    wait_for(hub, lambda reading: reading[GAUGE] == 9000, "the room of a whole body")
    left.finish_sending()
    wait_for(hub, lambda reading: reading[GAUGE] == 8000, "the room of a client that sends no more")
    for connection in reset:
        connection.close()
    wait_until_none_is_taken(hub)


def test_a_body_that_is_allowed_is_taken_however_much_may_wait(start_hub, topic):
    """What waits to be written is bound to 64 MiB, and a larger post was told to try again for ever."""
    hub = start_hub("--max-body", "80MiB", "--durability", "process")
    size = 65 * MEBIBYTE
    hub.post(topic, b"x" * size)
    assert len(hub.get(f"/topics/{topic}/value").content) == size
    wait_until_none_is_taken(hub)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_without_room_is_read_out_and_the_connection_goes_on(start_hub, topic, chunked):
    hub = start_hub("--max-body-memory", "2MiB", "--durability", "process")
    holder = unfinished(hub, topic, MEBIBYTE)
    taken(hub, MEBIBYTE - 1)
    body = b"y" * (MEBIBYTE * 3 // 4)
    if chunked:
        message = request("POST", events_path(topic), {"Transfer-Encoding": "chunked"})
        message += f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
    else:
        message = request("POST", events_path(topic), body=body)
    with RawConnection(hub.port) as connection:
        connection.send(message)
        answer = connection.receive()
        assert_problem_of(answer)
        if not chunked:
            connection.send(request("POST", events_path(topic), body=b"small"))
            assert connection.receive().status == 201
    # Nothing of it was posted.
    assert [event["data"] for event in hub.history(topic)] == ([] if chunked else ["small"])
    # Its room is free when the holder is done.
    holder.send(b"x")
    assert holder.receive().status == 201
    with RawConnection(hub.port) as connection:
        connection.send(message)
        assert connection.receive().status == 201
    wait_until_none_is_taken(hub)
    holder.close()


def assert_problem_of(answer):
    assert answer.status == 503 and answer.json()["code"] == "overloaded"
    assert int(answer.headers["retry-after"]) > 0


def test_who_asks_first_is_refused_before_the_body(start_hub, topic):
    hub = start_hub("--max-body-memory", "2MiB", "--durability", "process")
    holder = unfinished(hub, topic, MEBIBYTE)
    taken(hub, MEBIBYTE - 1)
    with RawConnection(hub.port) as connection:
        connection.send(request("POST", events_path(topic), {"Content-Length": str(MEBIBYTE), "Expect": "100-continue"}))
        assert_problem_of(connection.receive())
    assert not is_let_in(hub, topic, MEBIBYTE)
    with RawConnection(hub.port) as connection:
        connection.send(request("POST", events_path(topic), {"Content-Length": "5", "Expect": "100-continue"}))
        assert connection.receive().status == 100
        connection.send(b"hello")
        assert connection.receive().status == 201
    holder.close()
    wait_until_none_is_taken(hub)


def test_who_sends_at_a_fair_pace_is_waited_for(start_hub, topic, figure):
    hub = start_hub("--max-body", "2MiB", "--max-body-memory", "4MiB", "--durability", "process")
    still = [unfinished(hub, topic, MEBIBYTE) for _ in range(3)]
    taken(hub, 3 * MEBIBYTE - 3)
    size = 448 * 1024
    steady = unfinished(hub, topic, size, missing=size - 96 * 1024)
    taken(hub, 3 * MEBIBYTE - 3 + 96 * 1024)
    is_done = threading.Event()

    def send():
        for _ in range(0, size - 96 * 1024, 8192):
            steady.send(b"x" * 8192)
            # 32 KiB a second, and the rest at once.
            is_done.wait(0.25)

    sending = threading.Thread(target=send)
    sending.start()
    try:
        began = time.monotonic()
        # There is none for this one beside any that has stopped. If less were wanted the last could stay, in nobody's way.
        wait_until(lambda: is_let_in(hub, topic, MEBIBYTE * 3 // 2), 30, "room for another")
        figure(f"{time.monotonic() - began:.0f} s until who had stopped was given up")
    finally:
        is_done.set()
        sending.join()
    assert steady.receive().status == 201
    wait_until_none_is_taken(hub)
    for connection in still:
        assert connection.is_closed()


def is_let_in(hub, topic, size):
    """Whether there is room for a body, whose client asks and sends nothing."""
    with RawConnection(hub.port) as connection:
        connection.send(request("POST", events_path(topic), {"Content-Length": str(size), "Expect": "100-continue"}))
        return connection.receive().status == 100


def test_a_slow_body_is_waited_for_as_long_as_nobody_wants_its_room(start_hub, topic):
    hub = start_hub("--max-body-memory", "2MiB", "--durability", "process")
    with unfinished(hub, topic, MEBIBYTE) as slow:
        taken(hub, MEBIBYTE - 1)
        # Longer than a period.
        end = time.monotonic() + 12
        while time.monotonic() < end:
            assert hub.request("POST", events_path(topic), data=b"x" * 100_000).status_code == 201
            assert Reading.of(hub)[GAUGE] == MEBIBYTE - 1
        slow.send(b"x")
        assert slow.receive().status == 201
    wait_until_none_is_taken(hub)


def registering(hub, id, body, size=None):
    """A `PUT` of an observer whose answer nobody has read yet; with a size, its body may lack its end."""
    connection = RawConnection(hub.port)
    fields = {"Content-Type": "application/json", "Content-Length": str(size or len(body))}
    connection.send(request("PUT", f"/observers/{id}", fields, body))
    return connection


def test_whole_bodies_that_wait_are_counted(start_hub, topic):
    hub = start_hub("--max-body-memory", "2MiB", "--durability", "process", "--allow-egress", "127.0.0.0/8",
                    "--webhooks-origin", "hub.example.com")
    size = 128 * 1024
    # Endpoints that are asked for their consent, and say nothing.
    endpoints = socket.create_server(("0.0.0.0", 0), backlog=64)
    port = endpoints.getsockname()[1]

    def webhook(number):
        return json.dumps({"topics": [topic], "url": f"http://127.0.1.{number}:{port}/", "handshake": True}).encode().ljust(size)

    waiting = []
    for number in range(1, 16):
        waiting.append(registering(hub, number, webhook(number)))
        assert taken(hub, number * size) == number * size
    # The last would leave less than it takes.
    with registering(hub, 16, webhook(16)) as refused:
        assert_problem_of(refused.receive())
    assert Reading.of(hub)[GAUGE] == 15 * size
    hub.post(topic, b"small")
    endpoints.close()
    for connection in waiting:
        assert_problem(connection.receive(), 422, "handshake-failed")
        connection.close()
    wait_until_none_is_taken(hub)
    with registering(hub, 16, webhook(16)) as again:
        assert_problem(again.receive(), 422, "handshake-failed")
    wait_until_none_is_taken(hub)


@pytest.mark.parametrize("member, code", [("topics", "member-invalid"), ("x", "member-unknown")])
def test_documents_that_wait_are_bytes(start_hub, member, code):
    """As trees they took 22 times what was sent, and as many as came waited for their turn."""
    hub = start_hub("--durability", "disk")
    item = b'{"":0},'
    body = b'{"%s":[' % member.encode() + item * ((250 << 10) // len(item)) + b"0]}"
    # Every tenth is taken, and has the others wait while it is committed.
    valid = b'{"topics":["a"],"url":"https://example.com/"}'.ljust(len(body) - 1) + b"\n"
    bodies = [body if number % 10 else valid for number in range(100)]
    waiting = [registering(hub, number, content[:-1], len(content)) for number, content in enumerate(bodies)]
    taken(hub, 100 * (len(body) - 1))
    before = hub.peak_rss()
    # All at once: faster than they are taken apart.
    for connection, content in zip(waiting, bodies):
        connection.send(content[-1:])
    for connection, content in zip(waiting, bodies):
        answer = connection.receive()
        if content is valid:
            assert answer.status == 201
        else:
            assert_problem(answer, 400, code)
        connection.close()
    # They took 480 MiB.
    assert hub.peak_rss() - before < 200 * MEBIBYTE
    wait_until_none_is_taken(hub)


DOCUMENTS = [
    ("POST", "/observers"), ("PUT", "/observers/a"), ("PATCH", "/observers/a"), ("POST", "/observers/a/secret/rotate"),
    ("POST", "/observers/a/deliveries/b/redeliver"), ("POST", "/observers/a/recover"), ("POST", "/observers/a/replay"),
    ("POST", "/observers/a/test"), ("PUT", "/topics/a")]


@pytest.mark.parametrize("method, path", DOCUMENTS)
def test_a_document_has_a_bound_of_its_own(shared_hub, method, path):
    headers = {"Content-Type": "application/json"}
    most = 256 << 10
    response = shared_hub.request(method, path, data=b"{}".ljust(most + 1), headers=headers)
    assert str(most) in assert_problem(response, 413, "body-too-large")["detail"]
    assert shared_hub.request(method, path, data=b"{}".ljust(most), headers=headers).status_code in (200, 400, 404)


def test_the_description_names_every_document_that_has_the_bound(shared_hub):
    paths = shared_hub.get("/openapi.json").json()["paths"]
    bounded = {
        (method.upper(), path.replace("{id}", "a").replace("{topic}", "a").replace("{event}", "b"))
        for path, item in paths.items() for method, operation in item.items()
        if method in ("get", "post", "put", "patch", "delete")
        and f"At most {256 << 10} bytes." in operation.get("requestBody", {}).get("description", "")}
    assert bounded == set(DOCUMENTS)


def test_the_largest_webhook_is_not_too_large(shared_hub):
    members = {
        "topics": [f"{number:03}" + "\u00e9" * 126 for number in range(100)], "url": "https://example.com/" + "u" * 8000,
        "types": [f"{number:03}" + "\U0001f600" * 125 for number in range(100)], "description": "d" * 1024,
        "headers": {f"x-{number}": "v" * 4090 for number in range(4)}}
    body = json.dumps(members, ensure_ascii=False).encode()
    assert len(body) > 100_000
    response = shared_hub.request("POST", "/observers", data=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 201, response.text
    assert len(response.json()["types"]) == 100
    shared_hub.request("DELETE", f"/observers/{response.json()['id']}")
