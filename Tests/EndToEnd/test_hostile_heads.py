"""Requests that others may read otherwise than the hub does (RFC 9112 sections 2.2, 3.2, 5, 6 and 11.2): behind a proxy each
of them would be a way to smuggle a second request in. None is carried out, and each gets one well-formed answer or none."""

import re
import socket
import time
from email.utils import parsedate_to_datetime

import pytest

from http_fuzzer import FIELDS
from hub_process import events_path
from problems import assert_problem
from raw_http import RawConnection, RawResponse
from waiting import DEADLINE, wait_until

#: What a smuggler hides behind the first request.
HIDDEN = (b"POST /topics/hidden/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nhidden")
LENGTH = str(len(HIDDEN)).encode()
POST = b"POST /topics/open/events HTTP/1.1"


def head(*fields, first=POST, host=b"Host: localhost"):
    return b"\r\n".join([first, *([host] if host else []), *fields]) + b"\r\n\r\n"


def answers(port, data, pieces=1):
    """Everything the hub sends for bytes that are sent in that many pieces, and whether it closed."""
    with RawConnection(port, timeout=1) as connection:
        size = max(1, -(-len(data) // pieces))
        for start in range(0, len(data), size):
            if not connection.send(data[start:start + size]):
                break
            if pieces > 1:
                # Its own segment: whether the hub has read it by then is up to chance, which is the point.
                connection.socket.settimeout(0.002)
                try:
                    connection._more()
                except TimeoutError:
                    pass
        connection.socket.settimeout(1)
        try:
            while connection._more():
                pass
            closed = True
        except TimeoutError:
            closed = False
        return connection._received, closed


def statuses(received):
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] ([0-9]{3}) ", received)]


AMBIGUOUS = {
    "blank before the colon of Content-Length": head(b"Content-Length : " + LENGTH) + HIDDEN,
    "tab before the colon of Content-Length": head(b"Content-Length\t: " + LENGTH) + HIDDEN,
    "blank before the colon of Transfer-Encoding": head(b"Transfer-Encoding : chunked") + b"0\r\n\r\n" + HIDDEN,
    "blank before the first field": POST + b"\r\n Content-Length: " + LENGTH + b"\r\nHost: localhost\r\n\r\n" + HIDDEN,
    "tab before the first field": POST + b"\r\n\tHost: localhost\r\n\r\n" + HIDDEN,
    "a folded value": head(b"X: a", b" b") + HIDDEN,
    "a folded value, by a tab": head(b"X: a", b"\tb", b"Y: c") + HIDDEN,
    "a name that a fold completes": head(b"Transfer-Enco: chunked", b" ding") + b"0\r\n\r\n" + HIDDEN,
    "a length that a fold hides": head(b"Content-Length: " + LENGTH, b" x") + HIDDEN,
    "a fold of nothing": head(b"X: a", b" ") + HIDDEN,
    "a NUL in a value": head(b"X: a\0b") + HIDDEN,
    "a NUL at the end of a value": head(b"X: a\0") + HIDDEN,
    "a NUL instead of a line break": head(b"X: a\0Content-Length: " + LENGTH) + HIDDEN,
    "a NUL in a name": head(b"Content-\0Length: " + LENGTH) + HIDDEN,
    "a bare CR in a value": head(b"X: a\rContent-Length: " + LENGTH) + HIDDEN,
    "a bare CR at the end": head(b"X: a\r") + HIDDEN,
    "a bare LF between fields": head(b"X: a\nContent-Length: " + LENGTH) + HIDDEN,
    "a bare LF after the request line": POST + b"\nHost: localhost\r\n\r\n" + HIDDEN,
    "a bare LF before the empty line": head(b"X: a")[:-4] + b"\n\r\n" + HIDDEN,
    "a bare LF as the empty line": head(b"X: a")[:-2] + b"\n" + HIDDEN,
    "a blank in a name": head(b"Content Length: " + LENGTH) + HIDDEN,
    "an empty name": head(b": a") + HIDDEN,
    "a name that is no token": head(b"X(a): b") + HIDDEN,
    "two blanks in the request line": head(first=b"POST  /topics/open/events HTTP/1.1") + HIDDEN,
    "a blank in the target": head(first=b"POST /topics/op en/events HTTP/1.1") + HIDDEN,
    "a blank after the version": head(first=POST + b" ") + HIDDEN,
    "a NUL in the target": head(first=b"POST /topics/open\0/events HTTP/1.1") + HIDDEN,
    "a NUL before a question mark": head(first=b"POST /topics/open\0/events?a=b HTTP/1.1") + HIDDEN,
    "a NUL and another version": head(first=b"POST /topics/open/events\0HTTP/1.1?a=b HTTP/1.1") + HIDDEN,
    "Transfer-Encoding in HTTP/1.0": head(b"Transfer-Encoding: chunked", first=POST[:-1] + b"0") + b"0\r\n\r\n" + HIDDEN,
    "both lengths": head(b"Transfer-Encoding: chunked", b"Content-Length: 5") + b"0\r\n\r\n" + HIDDEN,
    "two different lengths": head(b"Content-Length: 0", b"Content-Length: " + LENGTH) + HIDDEN,
    "two codings": head(b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity") + b"0\r\n\r\n" + HIDDEN,
    "a coding that is not chunked": head(b"Transfer-Encoding: \x0bchunked") + b"0\r\n\r\n" + HIDDEN,
    "a blank after the coding": head(b"Transfer-Encoding: chunked ") + b"0\r\n\r\n" + HIDDEN,
    "a tab after the coding": head(b"tRANSFER-encoding: chunked\t") + b"0\r\n\r\n" + HIDDEN,
    "a length with a sign": head(b"Content-Length: +" + LENGTH) + HIDDEN,
    "a length in hexadecimal": head(b"Content-Length: 0x10") + HIDDEN,
    "a list of lengths": head(b"Content-Length: 5, 5") + HIDDEN,
    "an empty length": head(b"Content-Length:") + HIDDEN,
    "a length beyond any": head(b"Content-Length: 18446744073709551616") + HIDDEN,
    "a bad length and a cookie that does not fit": head(b"Cookie: " + b"a=b; " * 900, b"Content-Length: 5x") + HIDDEN,
    "a line without a colon": head(b"Content-Length") + HIDDEN,
    "no Host": head(host=None) + HIDDEN,
    "two types of the body": head(b"Content-Type: text/plain", b"Content-Type: application/x-ndjson") + HIDDEN,
    "two Hosts": head(b"Host: localhost") + HIDDEN,
    "an empty Host": head(host=b"Host:") + HIDDEN,
    "a Host with a path": head(host=b"Host: a/b") + HIDDEN,
    "a Host with user information": head(host=b"Host: u@a") + HIDDEN,
    "a Host with a blank": head(host=b"Host: a b") + HIDDEN,
    "a Host of HTTP/1.0 that is none": head(host=b"Host: a/b", first=POST[:-1] + b"0") + HIDDEN,
}


@pytest.mark.parametrize("pieces", [1, 2, 7])
@pytest.mark.parametrize("name", AMBIGUOUS)
def test_what_can_be_read_in_two_ways_is_refused_once_and_carries_nothing_out(shared_hub, name, pieces):
    before = len(shared_hub.history("**"))
    received, closed = answers(shared_hub.port, AMBIGUOUS[name], pieces)
    assert closed, "where the next request begins is not known"
    found = statuses(received)
    assert len(found) <= 1 and all(400 <= status < 500 for status in found), received
    assert len(shared_hub.history("**")) == before
    if pieces == 1:
        # Whole in one piece, there is nothing that keeps the hub from saying what is wrong.
        status, _, rest = received.partition(b"\r\n\r\n")
        fields = dict(line.split(b": ", 1) for line in status.split(b"\r\n")[1:])
        problem = RawResponse(found[0], {k.decode().lower(): v.decode() for k, v in fields.items()}, rest)
        code = problem.json()["code"]
        assert_problem(problem, found[0], code)
        assert len(rest) == int(problem.headers["content-length"])
        assert problem.headers["connection"].lower() == "close"


@pytest.mark.parametrize("field", [field for field in FIELDS if not field.startswith((b"Transfer-Encoding", b"Content-Length"))],
                         ids=lambda field: field[:40].decode("latin-1"))
def test_blanks_after_a_value_are_none_of_it(shared_hub, field):
    """RFC 9112 section 5. Those after what frames a body are refused above."""
    def status(field):
        fields = [field, b"Content-Length: 5", *([] if field.startswith(b"Connection: close") else [b"Connection: close"])]
        received, closed = answers(shared_hub.port, head(*fields) + b"hello")
        assert closed
        return statuses(received)[-1:]

    # The first with a key is the only one of its kind.
    status(field)
    assert len(status(field)) == 1
    assert status(field) == status(field + b" ") == status(field + b" \t ")


CHUNKS = {
    "a bare LF in an extension": b"5;x\nhello\r\n0\r\n\r\n",
    "a bare LF after a size": b"5\nhello\r\n0\r\n\r\n",
    "a bare LF after a chunk": b"5\r\nhello\n0\r\n\r\n",
    "a bare LF after the last chunk": b"5\r\nhello\r\n0\n\r\n",
    "a bare LF at the end": b"5\r\nhello\r\n0\r\n\n",
    "a bare LF in a trailer": b"5\r\nhello\r\n0\r\nX: y\n\n",
    "an extension of the last chunk": b"5\r\nhello\r\n0;x\n\r\n",
    "a size that is none": b"5g\r\nhello\r\n0\r\n\r\n",
    "a negative size": b"-5\r\nhello\r\n0\r\n\r\n",
    "a size with a blank": b"5 \r\nhello\r\n0\r\n\r\n",
    "a size beyond any": b"fffffffffffffffff\r\nhello\r\n0\r\n\r\n",
    "a chunk that is longer than it says": b"4\r\nhello\r\n0\r\n\r\n",
    "an endless extension": b"5;" + b"x" * 65_536 + b"\r\nhello\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("pieces", [1, 2, 9])
@pytest.mark.parametrize("name", CHUNKS)
def test_no_request_follows_chunks_that_others_may_read_otherwise(shared_hub, name, pieces):
    data = head(b"Transfer-Encoding: chunked", b"Content-Type: text/plain") + CHUNKS[name] + HIDDEN
    received, closed = answers(shared_hub.port, data, pieces)
    assert closed
    assert len(statuses(received)) <= 1 and not any(status >= 500 for status in statuses(received)), received
    assert shared_hub.history("hidden") == []


@pytest.mark.parametrize("target, status", [
    ("/healthz#a", 400), ("/healthz?#", 400), ("*", 400), ("http://a b/healthz", 400), ("http://u@a/healthz", 400),
    ("http:///healthz", 400), ("healthz", 400), ("http://localhost:80/healthz", 200),
    ("http://a:80/healthz", 421), ("/healthz", 200), ("http://[::1]/healthz", 200)])
def test_a_target_has_one_of_the_four_forms(shared_hub, target, status):
    received, _ = answers(shared_hub.port, head(b"Connection: close", first=f"GET {target} HTTP/1.1".encode()))
    assert statuses(received) == [status], received


@pytest.mark.parametrize("host", ["a", "a:80", "127.0.0.1:1", "[::1]:8080", "A.b-c_d", "a%41", "localhost:"])
def test_a_host_that_is_one_is_taken(shared_hub, host):
    received, _ = answers(shared_hub.port, head(b"Connection: close", first=b"GET /healthz HTTP/1.1", host=b"Host: " + host.encode()))
    # Read, and then perhaps none that a hub on this machine answers to (test_origins.py).
    is_ours = host.startswith(("127.", "[::1]", "localhost"))
    assert statuses(received) == [200 if is_ours else 421], received


def test_blanks_around_values_are_none_of_them(shared_hub, topic):
    fields = (b"Event-Type: \t a b \t ", b"Content-Type:text/plain", b"Content-Length: \t 5")
    received, _ = answers(shared_hub.port, head(
        *fields, b"Connection: close", first=b"POST " + events_path(topic).encode() + b" HTTP/1.1") + b"hello")
    assert statuses(received) == [201], received
    event = shared_hub.history(topic)[0]
    assert (event["type"], event["data"], event["contentType"]) == ("a b", "hello", "text/plain")


@pytest.mark.parametrize("data, status, code", [
    (head(b"X: " + b"a" * 20_000), 431, "headers-too-large"),
    (head(first=b"GET /" + b"a" * 20_000 + b" HTTP/1.1"), 414, "target-too-long"),
    (head(first=b"GET / HTTP/2.0"), 505, "version-unsupported"),
    (head(first=b"GET / HTTP/0.9"), 505, "version-unsupported"),
    (head(b"Content-Length: 99999999999999999999"), 413, "body-too-large"),
    (head(b"Content-Length: 9223372036854775808"), 413, "body-too-large"),
    (head(b"Content-Length: 18446744073709551615"), 413, "body-too-large"),
    (head(b"Content-Length: 5x"), 400, "framing-invalid"),
    (head(b"Transfer-Encoding: chunked") + b"5;" + b"x" * 65_536, 400, "framing-invalid"),
    (head(b"Transfer-Encoding: chunked") + b"xyz\r\n", 400, "framing-invalid")])
def test_what_libmicrohttpd_refuses_is_a_problem_document_too(shared_hub, data, status, code):
    received, closed = answers(shared_hub.port, data)
    assert closed and statuses(received) == [status], received
    fields, _, body = received.partition(b"\r\n\r\n")
    headers = {name.lower(): value for name, value in re.findall(r"([\w-]+): ([^\r]*)", fields.decode())}
    assert_problem(RawResponse(status, headers, body), status, code)
    assert abs(parsedate_to_datetime(headers["date"]).timestamp() - time.time()) < 60


def test_who_has_just_closed_a_connection_is_told_so_as_well(shared_hub):
    # The end of the connection before is there, and the hub has not come to it: it has begun no request.
    for _ in range(40):
        with socket.create_connection(("127.0.0.1", shared_hub.port)) as before:
            before.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert before.recv(65_536).startswith(b"HTTP/1.1 200 ")
        received, _ = answers(shared_hub.port, head(first=b"GET / HTTP/2.0"))
        assert b"version-unsupported" in received, received


def test_a_body_in_chunks_is_the_last_on_its_connection(shared_hub, topic):
    first = b"POST " + events_path(topic).encode() + b" HTTP/1.1"
    data = head(b"Transfer-Encoding: chunked", first=first) + b"5\r\nhello\r\n0\r\n\r\n"
    received, closed = answers(shared_hub.port, data + HIDDEN)
    assert closed and statuses(received) == [201]
    assert b"\r\nConnection: close\r\n" in received
    assert shared_hub.history(topic)[0]["data"] == "hello"


#: Each of another class, and the highest first: to sort them takes longest.
MARKS = "".join(mark * 300 for mark in "\u0345\u035d\u0315\u0300\u0316\u031b\u0321\u0334").encode()
GET = b"GET /events?topic=a HTTP/1.1"


@pytest.mark.parametrize("data, code", [
    (head(first=b"GET /x" + MARKS + b" HTTP/1.1"), "target-invalid"),
    (head(first=b"GET /topics/a/events?since=x" + MARKS + b" HTTP/1.1"), "parameter-invalid"),
    (head(first=b"GET /events?topic=a&x" + MARKS[:80] + b"=1 HTTP/1.1"), "parameter-invalid"),
    (head(b"Accept: text/x" + MARKS, first=b"GET /errors HTTP/1.1"), "request-malformed"),
    (head(b"Origin: x" + MARKS, first=GET), "request-malformed"),
    (head(b"Sec-Fetch-Site: x" + MARKS, b"Content-Length: 0"), "request-malformed"),
    (head(b"X: x" + MARKS, first=GET), "request-malformed")])
def test_text_that_takes_long_to_compare_is_refused_before_it_is(shared_hub, data, code):
    """Each of these had an event loop sort marks for 30 ms and more, most of them before a credential was asked for."""
    connection = b"Connection: close\r\n\r\n"
    received, closed = answers(shared_hub.port, data[:-2] + connection)
    assert closed and statuses(received) == [400], received
    assert f'"code":"{code}"'.encode() in received


def test_a_topic_may_be_of_marks_alone(shared_hub):
    topic = "e" + "\u0345\u0316" * 63 + "\u0345"
    assert len(topic.encode()) == 255
    first = b"POST " + events_path(topic).encode() + b" HTTP/1.1"
    received, _ = answers(shared_hub.port, head(b"Content-Length: 1", b"Connection: close", first=first) + b"1")
    assert statuses(received) == [201], received
    assert [event["topic"] for event in shared_hub.history(topic)] == [topic]


@pytest.mark.parametrize(("start", "status"), [
    (b"GET /?" + b"q" * 20_000, 414), (head(b"X: " + b"v" * 20_000)[:-4], 431), (head(b"Content-Length: x"), 400)])
def test_who_is_still_sending_what_was_refused_sees_the_answer(hub, start, status):
    descriptors = hub.descriptors()
    with socket.create_connection(("127.0.0.1", hub.port), DEADLINE) as client:
        client.sendall(start)
        assert client.recv(1, socket.MSG_PEEK), "it is refused"
        # Whoever sends on meanwhile, as a proxy does, is not cut off.
        for _ in range(20):
            client.sendall(b"x" * 10_000)
        received = b""
        while more := client.recv(65536):
            received += more
        assert received.startswith(b"HTTP/1.1 %d " % status) and received.endswith(b"}\n")
    wait_until(lambda: hub.descriptors() <= descriptors, what="the socket that is closed")
