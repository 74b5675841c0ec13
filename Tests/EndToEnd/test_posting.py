"""An event from its post to everywhere it can be read."""

import base64
import json
import re
import subprocess
import threading
from urllib.parse import urlencode, urljoin

import pytest

from event_stream import EventStream
from hub_process import events_path
from problems import assert_problem
from raw_http import RawConnection, exchange, request

MEBIBYTE = 1 << 20


def as_streamed(data):
    """What a stream shows of text: every kind of line end becomes a border of `data:` lines."""
    return re.sub("\r\n|\r", "\n", data.decode())


BODIES = {
    "one line": b"hello",
    "empty": b"",
    "two lines": b"one\ntwo",
    "line ends of all kinds": b"one\ntwo\r\nthree\rfour\n\rfive\r\r\nsix",
    "ends with a line end": b"one\n",
    "ends with CR": b"one\r",
    "ends with CRLF": b"one\r\n",
    "only line ends": b"\n\n\r\n\r",
    "leading spaces": b"  two spaces\n three",
    "looks like fields": b"id: 1\nevent: fake\n\nretry: 1\n: comment\ndata",
    "colons": b":\n::\n: :",
    "UTF-8": "Grüße, 世界 👋🏽\nzweite Zeile\u2028dieselbe\u0085immer noch".encode(),
    "a byte order mark": "\ufeffmarked".encode(),
    "NUL": b"a\0b",
    "control characters": bytes(range(1, 32)) + b"\x7f",
    "binary": bytes(range(256)) * 3,
    "one byte that is not UTF-8": b"\xff",
    "UTF-8 cut off": "é".encode()[:1],
    "a surrogate": b"\xed\xa0\x80",
    "1 MiB of text": (b"0123456789abcde\n" * (MEBIBYTE // 16)),
    "1 MiB in one line": b"x" * MEBIBYTE,
    "1 MiB of line ends": b"\n" * MEBIBYTE,
    "1 MiB binary": (bytes(range(256)) * (MEBIBYTE // 256)),
}


def is_text(data):
    try:
        data.decode()
        return True
    except UnicodeDecodeError:
        return False


@pytest.mark.parametrize("name", BODIES)
def test_a_body_arrives_everywhere_as_it_was_posted(shared_hub, topic, name):
    data = BODIES[name]
    with shared_hub.stream(topic) as live:
        receipt = shared_hub.post(topic, data, headers={"Content-Type": "application/x-test"})
        marker = shared_hub.post(topic, "marker")
        heard, end = live.take(2, timeout=30)
    with EventStream.of(shared_hub.port, topic, query="since=earliest") as late:
        replayed, _ = late.take(2, timeout=30)

    assert (end.id, end.data) == (marker["id"], "marker")
    assert replayed == heard
    # That of the beginning of a stream is in the block of its first event.
    assert heard.comments.pop(0) == "clarion"
    assert heard.id == receipt["id"]
    assert heard.type == "message"
    if is_text(data):
        assert heard.comments == []
        assert heard.data == as_streamed(data)
    else:
        assert heard.comments == ["base64"]
        assert base64.b64decode(heard.data, validate=True) == data

    event = shared_hub.history(topic)[0]
    assert event["id"] == receipt["id"]
    if is_text(data):
        assert event["data"].encode() == data
        assert "dataBase64" not in event
    else:
        assert base64.b64decode(event["dataBase64"], validate=True) == data
        assert "data" not in event

    response = shared_hub.get(f"{events_path(topic)}/{receipt['id']}")
    assert response.status_code == 200
    assert response.content == data
    assert response.headers["Content-Type"] == "application/x-test"


def test_curl_as_the_readme_shows_it(shared_hub, topic):
    result = subprocess.run(
        ["curl", "-sS", "-i", "-d", "hello", f"{shared_hub.url}/topics/{topic}/events"], capture_output=True, text=True,
        timeout=20, check=True)
    head, _, body = result.stdout.partition("\n\n")
    assert head.startswith("HTTP/1.1 201")
    assert f"Location: /topics/{topic}/events/{json.loads(body)['id']}" in head
    [event] = shared_hub.history(topic)
    # The form that curl claims is not one.
    assert event["data"] == "hello"
    assert event["contentType"].startswith("text/plain")


LOOKS = {
    '{"total": 12}': "application/json",
    ' \r\n\t[1, {"a": null}] \n': "application/json",
    "{}": "application/json",
    # Not valid, or neither an object nor an array: text, which is what it was before.
    '{"total": 12': "text/plain; charset=utf-8",
    "[1] [2]": "text/plain; charset=utf-8",
    '{"a": 1e999}': "text/plain; charset=utf-8",
    "[" * 65 + "]" * 65: "text/plain; charset=utf-8",
    "\ufeff{}": "text/plain; charset=utf-8",
    "12": "text/plain; charset=utf-8",
    '"quoted"': "text/plain; charset=utf-8",
    "true": "text/plain; charset=utf-8",
    "a=1&b=2": "text/plain; charset=utf-8",
    "": "text/plain; charset=utf-8",
    b'{"a": "\xff"}': "application/octet-stream",
    b"\xff\x00": "application/octet-stream",
}


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("claimed", [
    {}, {"Content-Type": "application/x-www-form-urlencoded"},
    {"Content-Type": "Application/X-WWW-Form-URLencoded; charset=UTF-8"}])
def test_data_of_no_type_is_what_it_looks_like(shared_hub, topic, method, claimed):
    path = events_path(topic) if method == "POST" else f"/topics/{topic}/value"
    for data in LOOKS:
        data = data if isinstance(data, bytes) else data.encode()
        response = exchange(shared_hub.port, request(method, path, {"Content-Length": str(len(data)), **claimed}, data))
        assert response.status == 201, response.body
    events = shared_hub.history(topic)
    assert [event["contentType"] for event in events] == list(LOOKS.values())
    assert events[0]["data"] == {"total": 12}
    for event, data in zip(events, LOOKS):
        kept = shared_hub.get(f"{events_path(topic)}/{event['id']}")
        assert kept.content == (data if isinstance(data, bytes) else data.encode())
        assert kept.headers["Content-Type"] == event["contentType"]


def test_a_type_that_is_given_is_kept_whatever_the_data_looks_like(shared_hub, topic):
    for type in ("text/plain", "application/x-test", "application/json"):
        shared_hub.post(topic, '{"total": 12}', headers={"Content-Type": type})
    assert [event["contentType"] for event in shared_hub.history(topic)] == [
        "text/plain", "application/x-test", "application/json"]


@pytest.mark.parametrize("data", ['{"total": 12}', "[1]", "hello"])
def test_curl_s_post_under_a_key_is_the_same_post_each_time(shared_hub, topic, data):
    def post(*options):
        command = ["curl", "-sS", "-d", data, "-H", "Idempotency-Key: once", *options, shared_hub.url + events_path(topic)]
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout

    first = post()
    assert first.endswith("}\n")
    # Said or not said, and also by its full name, it is the same post.
    assert post() == post("-H", "Content-Type:") == first
    [event] = shared_hub.history(topic)
    assert post("-H", f"Content-Type: {event['contentType']}") == first
    assert len(shared_hub.history(topic)) == 1


def test_the_receipt(shared_hub, topic):
    response = shared_hub.request("POST", events_path(topic), data=b"x")
    assert response.status_code == 201
    assert response.headers["Content-Type"] == "application/json"
    receipt = response.json()
    assert set(receipt) == {"id", "topic", "time"}
    assert receipt["topic"] == topic
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", receipt["time"])
    # An id is also a webhook-id, which is signed with dots around it.
    assert re.fullmatch(r"[!-~]{1,64}", receipt["id"]) and "." not in receipt["id"]
    assert response.headers["Location"] == f"/topics/{topic}/events/{receipt['id']}"


def test_the_event_at_its_location(shared_hub, topic):
    response = shared_hub.request(
        "POST", events_path(topic), data='{"n": 1}', headers={"Content-Type": "application/json", "Event-Type": "created"})
    location, id = response.headers["Location"], response.json()["id"]
    event = shared_hub.get(location)
    assert event.status_code == 200
    assert event.text == '{"n": 1}'
    assert event.headers["Content-Type"] == "application/json"
    assert event.headers["Event-Type"] == "created"
    assert event.headers["ETag"] == f'"{id}"'
    for tags in (f'"{id}"', f'W/"{id}"', f'"other", "{id}"', "*"):
        same = shared_hub.get(location, headers={"If-None-Match": tags})
        assert (same.status_code, same.content) == (304, b"")
        assert same.headers["ETag"] == f'"{id}"'
    assert shared_hub.get(location, headers={"If-None-Match": '"other"'}).status_code == 200


def test_an_event_without_a_type_has_none(shared_hub, topic):
    receipt = shared_hub.post(topic, "x")
    assert "Event-Type" not in shared_hub.get(f"{events_path(topic)}/{receipt['id']}").headers
    [event] = shared_hub.history(topic)
    assert event["type"] is None


def test_the_type_from_header_or_query(shared_hub, topic):
    with shared_hub.stream(topic) as stream:
        shared_hub.post(topic, "1", type="by.header")
        shared_hub.request("POST", events_path(topic) + "?type=by%20query%20%C3%BC", data=b"2")
        assert [(message.type, message.data) for message in stream.take(2)] == [("by.header", "1"), ("by query ü", "2")]
    assert [event["type"] for event in shared_hub.history(topic)] == ["by.header", "by query ü"]


def test_a_type_of_128_characters(shared_hub, topic):
    with shared_hub.stream(topic) as stream:
        shared_hub.post(topic, "x", type="t" * 128)
        assert stream.next().type == "t" * 128


def test_history_shows_data_by_its_content_type(shared_hub, topic):
    posts = [
        ("application/json", b'{"a": [1, 2.5, null], "b": "\xc3\xbc"}', {"a": [1, 2.5, None], "b": "ü"}),
        ("application/vnd.x+json; charset=utf-8", b" [1] \n", [1]),
        ("application/json", b'"text"', "text"),
        ("application/json", b"12345678901234567890", 12345678901234567890),
        ("application/json", b'{"broken":', '{"broken":'),
        ("application/json", b"1} , {", "1} , {"),
        ("application/json", b"", ""),
        ("text/plain", b'{"a": 1}', '{"a": 1}'),
    ]
    for type, data, _ in posts:
        shared_hub.post(topic, data, headers={"Content-Type": type})
    events = shared_hub.history(topic)
    assert [event["data"] for event in events] == [shown for _, _, shown in posts]
    assert [event["contentType"] for event in events] == [type for type, _, _ in posts]
    for event in events:
        assert set(event) == {"id", "topic", "type", "time", "contentType", "data"}


def test_history_as_lines(shared_hub, topic):
    for number in range(3):
        shared_hub.post(topic, f"line {number}\nsecond")
    response = shared_hub.get(events_path(topic), headers={"Accept": "application/x-ndjson"})
    assert response.headers["Content-Type"] == "application/x-ndjson"
    assert [json.loads(line) for line in response.text.splitlines()] == shared_hub.history(topic)
    assert response.text.endswith("\n")


def test_history_page_by_page(shared_hub, topic):
    ids = [shared_hub.post(topic, str(number))["id"] for number in range(25)]
    shared_hub.post(f"{topic}.other", "not this one")
    pages, after = [], None
    while True:
        page = shared_hub.get(events_path(topic), params={"limit": 10} | ({"after": after} if after else {})).json()
        pages.append([event["id"] for event in page["events"]])
        after = page["next"]
        if after is None:
            break
        assert after == pages[-1][-1]
    assert sum(pages, []) == ids
    assert [len(page) for page in pages] == [10, 10, 5]
    assert shared_hub.get(events_path(topic), params={"after": ids[-1]}).json() == {"events": [], "next": None}


def following_links(hub, path, accept, **query):
    """The pages that the `Link` fields lead to."""
    pages, url = [], f"{hub.url}{path}?{urlencode(query)}"
    while url:
        response = hub.session.get(url, headers={"Accept": accept}, timeout=15)
        assert response.status_code == 200, response.text
        pages.append(response)
        link = response.links.get("next")
        url = link and urljoin(url, link["url"])
    return pages


@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
def test_history_by_its_links(shared_hub, topic, accept):
    """Also lines have no other way to tell that there is more."""
    name = f"{topic}.ü&=+"
    ids = [shared_hub.post(name, str(number), type=type)["id"] for number in range(5) for type in ("a,b", "x&+= c", "d")]
    wanted = ids[1::3]
    shared_hub.post(name, "later", type="d")
    pages = following_links(
        shared_hub, "/events", accept, topic=name, type="x&+= c,y", limit=2, since="earliest")
    assert [page.headers["Content-Type"] for page in pages] == [accept] * 3
    found = [
        [json.loads(line) for line in page.text.splitlines()] if accept.endswith("ndjson") else page.json()["events"]
        for page in pages]
    assert [[event["id"] for event in page] for page in found] == [wanted[:2], wanted[2:4], wanted[4:]]
    assert "Link" not in pages[-1].headers


def test_a_page_that_ends_early_has_a_link(shared_hub, topic):
    ids = [shared_hub.post(topic, b"x" * MEBIBYTE)["id"] for _ in range(6)]
    pages = following_links(shared_hub, events_path(topic), "application/x-ndjson", limit=100)
    found = [[json.loads(line)["id"] for line in page.text.splitlines()] for page in pages]
    assert sum(found, []) == ids
    assert [len(page) for page in found] == [4, 2]


@pytest.mark.parametrize("pattern", ["{}", "{}.**", "{}.*.b"])
def test_next_is_null_exactly_at_the_end(shared_hub, topic, pattern):
    name = f"{topic}.a.b"
    names = [topic] if pattern == "{}" else [name]
    ids = [shared_hub.post(names[0], str(number), type="t")["id"] for number in range(4)]
    # What comes later elsewhere, or of another type, does not follow.
    shared_hub.post(f"{topic}x", "elsewhere", type="t")
    shared_hub.post(names[0], "last", type="u")
    path = events_path(pattern.format(topic))
    for limit, lengths in ((4, [4]), (2, [2, 2]), (3, [3, 1]), (100, [4])):
        found, after = [], None
        while True:
            query = {"limit": limit, "type": "t"} | ({"after": after} if after else {})
            page = shared_hub.get(path, params=query).json()
            found.append([event["id"] for event in page["events"]])
            after = page["next"]
            if after is None:
                break
            assert after == found[-1][-1]
        assert [len(page) for page in found] == lengths and sum(found, []) == ids


def test_types_are_compared_by_their_bytes(shared_hub, topic):
    composed, decomposed = "\u00e9", "e\u0301"
    for type in (composed, decomposed):
        shared_hub.request("POST", events_path(topic), params={"type": type}, data=type.encode())
    for type in (composed, decomposed):
        page = shared_hub.get(events_path(topic), params={"type": type}).json()
        assert [event["data"] for event in page["events"]] == [type]
        with shared_hub.stream(topic, query=urlencode({"type": type, "since": "earliest"})) as stream:
            assert stream.next().data == type


def test_history_is_from_the_earliest_unless_told_otherwise(shared_hub, topic):
    for number in range(3):
        shared_hub.post(topic, str(number))
    assert [event["data"] for event in shared_hub.get(events_path(topic)).json()["events"]] == ["0", "1", "2"]
    latest = shared_hub.get(events_path(topic), params={"since": "latest"}).json()
    assert latest == {"events": [], "next": None}


def test_history_has_a_hundred_at_a_time(shared_hub, topic):
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("POST", events_path(topic), body=b"x") * 120)
        for _ in range(120):
            assert connection.receive().status == 201
    page = shared_hub.get(events_path(topic)).json()
    assert len(page["events"]) == 100
    assert page["next"] == page["events"][-1]["id"]


def test_history_of_a_pattern_and_of_many_topics(shared_hub, topic):
    for name in ("a", "b", "a.x"):
        shared_hub.post(f"{topic}.{name}", name)
    assert [event["data"] for event in shared_hub.history(f"{topic}.*")] == ["a", "b"]
    assert [event["data"] for event in shared_hub.history(f"{topic}.**")] == ["a", "b", "a.x"]
    response = shared_hub.get("/events", params=[("topic", f"{topic}.b"), ("topic", f"{topic}.*.x")])
    assert [event["topic"] for event in response.json()["events"]] == [f"{topic}.b", f"{topic}.a.x"]


def test_history_of_a_topic_without_events(shared_hub, topic):
    assert shared_hub.get(events_path(topic)).json() == {"events": [], "next": None}


# The bound

def test_1_mib_and_one_byte_is_too_large(shared_hub, topic):
    response = shared_hub.request("POST", events_path(topic), data=b"x" * (MEBIBYTE + 1))
    assert_problem(response, 413, "body-too-large")
    assert shared_hub.history(topic) == []


def test_too_large_is_told_before_the_body_to_those_who_ask(shared_hub, topic):
    with RawConnection(shared_hub.port) as connection:
        connection.send(request(
            "POST", events_path(topic), {"Content-Length": str(MEBIBYTE + 1), "Expect": "100-continue"}))
        assert_problem(connection.receive(), 413, "body-too-large")
    assert shared_hub.history(topic) == []


def test_who_asks_first_is_told_to_go_on(shared_hub, topic):
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("POST", events_path(topic), {"Content-Length": str(MEBIBYTE), "Expect": "100-continue"}))
        assert connection.receive().status == 100
        connection.send(b"x" * MEBIBYTE)
        assert connection.receive().status == 201


def test_too_large_in_chunks(shared_hub, topic):
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("POST", events_path(topic), {"Transfer-Encoding": "chunked"}))
        connection.send(chunk * 16 + b"1\r\nx\r\n0\r\n\r\n")
        assert_problem(connection.receive(), 413, "body-too-large")
    assert shared_hub.history(topic) == []


def test_the_largest_in_chunks(shared_hub, topic):
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("POST", events_path(topic), {"Transfer-Encoding": "chunked"}))
        connection.send(chunk * 16 + b"0\r\n\r\n")
        receipt = connection.receive().json()
    assert shared_hub.get(f"{events_path(topic)}/{receipt['id']}").content == b"x" * MEBIBYTE


def test_curl_with_1_mib_and_one_byte(shared_hub, topic, tmp_path):
    file = tmp_path / "large"
    for size, status in ((MEBIBYTE, "201"), (MEBIBYTE + 1, "413")):
        file.write_bytes(b"x" * size)
        for expect in ("Expect: 100-continue", "Expect:"):
            result = subprocess.run(
                ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-H", expect, "--data-binary", f"@{file}",
                 f"{shared_hub.url}{events_path(topic)}"], capture_output=True, text=True, timeout=30)
            assert result.stdout == status, (size, expect, result.stderr)


def test_a_body_far_beyond_the_bound_still_reads_413(shared_hub, topic):
    # A client that sends everything before it listens must not find a reset connection.
    response = shared_hub.request("POST", events_path(topic), data=b"x" * (20 * MEBIBYTE))
    assert_problem(response, 413, "body-too-large")


@pytest.mark.parametrize("listens_first", [False, True], ids=["listens-after", "listens-first"])
@pytest.mark.parametrize("is_chunked", [False, True], ids=["length", "chunks"])
def test_a_body_that_is_not_read_in_silence_gets_its_413(shared_hub, topic, is_chunked, listens_first):
    """Beyond 64 MiB the connection was ended under who sends: Go, Ruby, Java, Python and Node saw a reset."""
    part = b"x" * MEBIBYTE
    head = {"Transfer-Encoding": "chunked"} if is_chunked else {"Content-Length": str(100 * MEBIBYTE)}
    frame = (b"%x\r\n%s\r\n" % (len(part), part)) if is_chunked else part
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("POST", events_path(topic), head))
        for sent in range(100):
            if listens_first and sent == 70:
                assert_problem(connection.receive(), 413, "body-too-large")
            assert connection.send(frame)
        if is_chunked:
            connection.send(b"0\r\n\r\n")
        if not listens_first:
            assert_problem(connection.receive(), 413, "body-too-large")
        assert connection.is_closed()


def test_the_bound_is_an_option(start_hub, topic):
    hub = start_hub("--max-body", "10")
    hub.post(topic, b"x" * 10)
    problem = assert_problem(hub.request("POST", events_path(topic), data=b"x" * 11), 413, "body-too-large")
    assert "10" in problem["detail"]


# Many

def test_many_posters_one_sequence(shared_hub, topic):
    receipts = {}

    def post(name):
        with RawConnection(shared_hub.port) as connection:
            receipts[name] = []
            for number in range(100):
                connection.send(request("POST", events_path(topic), body=f"{name} {number}".encode()))
                response = connection.receive()
                assert response.status == 201
                receipts[name].append(response.json()["id"])

    with shared_hub.stream(topic) as stream:
        threads = [threading.Thread(target=post, args=(name,)) for name in "abcdefgh"]
        for thread in threads:
            thread.start()
        messages = stream.take(800, timeout=60)
        for thread in threads:
            thread.join()
    history = shared_hub.history(topic)
    assert [message.id for message in messages] == [event["id"] for event in history]
    assert len({event["id"] for event in history}) == 800
    for name, ids in receipts.items():
        assert [event["id"] for event in history if event["data"].startswith(name)] == ids


def test_an_acknowledged_event_can_be_read_at_once(shared_hub, topic):
    with RawConnection(shared_hub.port) as connection:
        for number in range(100):
            connection.send(request("POST", events_path(topic), body=str(number).encode()))
            location = connection.receive().headers["location"]
            connection.send(request("GET", location))
            assert connection.receive().body == str(number).encode()
