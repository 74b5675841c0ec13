"""What one stranger does touches no other: each of these was once seen to."""

import select
import socket
import time

import pytest

import one_node_cluster
from event_stream import EventStream, StreamRefused
from hub_process import events_path
from metrics import wait_for
from other_machine import OtherMachine
from raw_http import RawConnection, exchange, request
from waiting import wait_until

#: A chunk's head that does not come to its end.
ENDLESS = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5;" + b"x" * 9000

#: What libmicrohttpd refuses by itself, on a connection that was just used.
GARBAGE = [b"GET / http/1.1\r\nHost: localhost\r\n\r\n", b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", b"GET /" + b"a" * 9000,
           b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 9000, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
           ENDLESS, b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " + b"x" * 9000]


@pytest.mark.parametrize("cut", [4, 20, 60, -5], ids=["in the request line", "in the target", "in the head", "in the body"])
@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_a_malformed_request_is_answered_to_nobody_else(shared_hub, topic, garbage, cut):
    whole = request("POST", events_path(topic), {"Content-Type": "text/plain"}, b"hello world")
    for _ in range(3):
        with RawConnection(shared_hub.port) as victim:
            victim.send(whole[:cut])
            # Enough of them that one is handled by the victim's thread.
            for _ in range(6):
                with RawConnection(shared_hub.port) as stranger:
                    stranger.send(request("GET", "/healthz"))
                    assert stranger.receive().status == 200
                    stranger.send(garbage)
                    try:
                        stranger._more()
                    except TimeoutError:
                        pass
            victim.send(whole[cut:])
            assert victim.receive().status == 201


class ChunkedPost:
    """A post on a connection whose body comes chunk by chunk: the numbers of its chunks."""

    def __init__(self, connection, topic, extension=b""):
        self.connection = connection
        self._extension = extension
        self.body = b""
        fields = {"Content-Type": "text/plain", "Transfer-Encoding": "chunked"}
        connection.send(request("POST", events_path(topic), fields))

    def pieces(self, chunks):
        """So many chunks more, in pieces which are no chunks."""
        numbers = [b"%05d" % number for number in range(len(self.body) // 5, len(self.body) // 5 + chunks)]
        self.body += b"".join(numbers)
        data = b"".join(b"5%s\r\n%s\r\n" % (self._extension, number) for number in numbers)
        return [data[start:start + 7] for start in range(0, len(data), 7)]

    def end(self):
        """Sends the end, and returns the id of the event that is stored."""
        self.connection.send(b"0\r\n\r\n")
        answer = self.connection.receive()
        assert answer is not None, "closed without an answer"
        assert answer.status == 201, answer
        return answer.json()["id"]


#: Connections that one event loop gets before the next one gets any.
OF_A_LOOP = 32


def connections_of_two_loops(hub, **settings):
    """Connections, one half to be victims and one half strangers: both are on either loop, which get them by turns."""
    sockets = hub.sockets()
    connections = [RawConnection(hub.port, **settings) for _ in range(2 * OF_A_LOOP)]
    wait_until(lambda: hub.sockets() >= sockets + len(connections), what="connections that are accepted")
    return connections[::2], connections[1::2]


def wait_until_read(hub, posts):
    """Waits until the hub has read all that was sent of posts that are under way."""
    taken = sum(len(post.body) for post in posts)
    wait_for(hub, lambda reading: reading["clarion_request_body_bytes"] == taken, f"{taken} bytes of bodies")


def assert_each_is_ended(strangers):
    """Answered or not: among several of them the hub may not know whose fault it was."""
    for stranger in strangers:
        answer = stranger.receive()
        assert answer is None or 400 <= answer.status < 500, answer
        assert stranger.is_closed()
        stranger.close()


def assert_all_are_stored(hub, topic, posts):
    bodies = {post.end(): post.body.decode() for post in posts}
    assert {event["id"]: event["data"] for event in hub.history(topic)} == bodies


@pytest.mark.parametrize("posts, chunks, extension", [
    (0, 300, b""), (0, 300, b';a="' + b"b" * 60 + b'"'), (30 if one_node_cluster.IS_ON else 300, 5, b"")
], ids=["of many chunks", "of chunks with extensions", "after many posts"])
def test_a_chunk_head_without_end_ends_no_posts_of_others(start_hub, tmp_path, topic, posts, chunks, extension):
    hub = start_hub("--durability", "process", environment=OtherMachine(tmp_path, processors=2).environment)
    victims, strangers = connections_of_two_loops(hub)
    for victim in victims:
        # Some clients send an empty line after a body.
        victim.send(posts * (request("POST", events_path(f"{topic}.before"), body=b"x") + b"\r\n"))
        assert all(victim.receive().status == 201 for _ in range(posts))
    under_way = [ChunkedPost(victim, topic, extension) for victim in victims]
    for _ in range(5):
        # Some while the posts go on, the others while these wait for their clients.
        early, late = strangers[::2], strangers[1::2]
        rounds = list(zip(*[post.pieces(chunks // 5) for post in under_way]))
        for number, pieces in enumerate(rounds):
            for victim, piece in zip(victims, pieces):
                victim.send(piece)
            for stranger in early[number::len(rounds)]:
                stranger.send(ENDLESS)
        assert_each_is_ended(early)
        assert_none_is_answered(victims)
        wait_until_read(hub, under_way)
        for stranger in late:
            stranger.send(ENDLESS)
        assert_each_is_ended(late)
        assert_none_is_answered(victims)
        strangers = [RawConnection(hub.port) for _ in strangers]
    assert_all_are_stored(hub, topic, under_way)
    for connection in victims + strangers:
        connection.close()


def assert_none_is_answered(connections):
    ready, _, _ = select.select([connection.socket for connection in connections], [], [], 0)
    assert not ready, f"{len(ready)} of {len(connections)} posts were ended, the first with {ready[0].recv(4096)!r}"


def test_a_kept_connection_has_all_its_time_for_the_next_head(hub):
    with RawConnection(hub.port) as connection:
        connection.send(request("GET", "/healthz"))
        assert connection.receive().status == 200
        time.sleep(11)
        connection.send(b"GET /he")
        time.sleep(2)
        connection.send(b"althz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.receive().status == 200


def test_an_empty_line_after_a_body_is_not_the_beginning_of_a_head(hub, topic):
    with RawConnection(hub.port) as connection:
        connection.send(request("POST", events_path(topic), {"Content-Type": "text/plain"}, b"hello") + b"\r\n")
        assert connection.receive().status == 201
        time.sleep(12)
        connection.send(request("GET", "/healthz"))
        assert connection.receive().status == 200


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/1.2", "HTTP/1.9"])
def test_a_later_minor_version_is_read_as_1_1(shared_hub, topic, version):
    shared_hub.post(topic, "x" * 200_000)
    response = exchange(shared_hub.port, request("GET", events_path(topic), version=version))
    assert response.status == 200 and response.json()["events"][0]["data"] == "x" * 200_000
    chunks = request("POST", events_path(topic), {"Transfer-Encoding": "chunked", "Content-Type": "text/plain"}, version=version)
    assert exchange(shared_hub.port, chunks + b"5\r\nhello\r\n0\r\n\r\n").status == 201
    no_host = f"GET /healthz {version}\r\n\r\n".encode()
    assert exchange(shared_hub.port, no_host).status == 400


def test_every_head_that_does_not_fit_is_told(shared_hub):
    for filling in range(7300, 8200, 16):
        response = exchange(shared_hub.port, request("GET", "/healthz", {"X": "a" * filling}))
        assert response is not None and response.status in (200, 431), filling
        assert response.status == 200 or response.json()["code"] == "headers-too-large"


def test_a_method_is_a_token(shared_hub):
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("GE(T", "/healthz") + request("GET", "/healthz"))
        assert connection.receive().status == 400
        assert connection.is_closed()


def test_no_more_streams_than_there_may_be_however_many_come_at_once(start_hub, topic):
    hub = start_hub("--max-streams", "2")
    head = request("GET", events_path(topic), {"Accept": "text/event-stream"})
    for _ in range(30):
        connections = [socket.create_connection(("127.0.0.1", hub.port), timeout=10) for _ in range(8)]
        for connection in connections:
            connection.sendall(head)
        statuses = [int(connection.recv(4096).split(b" ")[1]) for connection in connections]
        assert sorted(statuses) == [200] * 2 + [503] * 6
        for connection in connections:
            connection.close()
        hub.wait_for_observers(0, kind="stream")


def test_a_named_stream_takes_its_own_place_in_a_full_hub(start_hub, topic):
    hub = start_hub("--max-streams", "1")
    with EventStream.of(hub.port, topic, query="observer=me").wait_for_comment():
        with EventStream.of(hub.port, topic, query="observer=me").wait_for_comment() as second:
            hub.post(topic, "heard")
            assert second.next().data == "heard"
            with pytest.raises(StreamRefused):
                EventStream.of(hub.port, topic, query="observer=other")
    wait_until(lambda: hub.observers() == [], what="no stream")
    hub.stream(topic).close()


@pytest.mark.parametrize("query, parameter", [("envelope=zz", "envelope"), ("observer=%21", "observer")])
def test_what_only_streams_look_at_is_checked_for_histories_too(shared_hub, topic, query, parameter):
    response = shared_hub.get(f"{events_path(topic)}?{query}")
    assert response.status_code == 400 and response.json()["parameter"] == parameter


def test_names_that_begin_with_an_underscore_are_ignored_by_their_bytes(shared_hub):
    assert shared_hub.get("/topics?_%CC%88=1").status_code == 200


def test_an_old_client_that_closes_its_half_reads_a_history(shared_hub, topic):
    for _ in range(200):
        shared_hub.post(topic, "x" * 900)
    for query in ("?limit=1", ""):
        with RawConnection(shared_hub.port) as connection:
            connection.send(request("GET", events_path(topic) + query, version="HTTP/1.0"))
            connection.finish_sending()
            assert connection.receive().status == 200
