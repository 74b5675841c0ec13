"""Where streams and history begin: every form of `since=`, and what stands beside it."""

from datetime import datetime, timedelta, timezone
from urllib.parse import quote

import pytest

from event_stream import EventStream, StreamRefused
from hub_process import events_path
from problems import assert_problem
from raw_http import RawConnection, request
from waiting import wait_until

STREAM = {"Accept": "text/event-stream"}

BAD = ["whenever", "", "Latest", "10", "10x", "-10m", "1m1h", "5m5m", "1.5h", "10 m", "36501d", "P1D", "2026-11-20",
       "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-20T23:19:00", "1700000000", "\u0663m"]


def first_data(hub, topic, since, count=1, **options):
    """The data of the first events of a stream."""
    with EventStream.of(hub.port, topic, query=f"since={since}", **options) as stream:
        return [message.data for message in stream.take(count)]


def history_data(hub, topic, since):
    response = hub.get(f"{events_path(topic)}?since={since}")
    assert response.status_code == 200, response.text
    return [event["data"] for event in response.json()["events"]]


def post_apart(hub, topic, *texts):
    """Posts events whose times differ, and returns their receipts."""
    receipts = []
    for text in texts:
        if receipts:
            wait_until(lambda: parse(receipts[-1]["time"]) < datetime.now(timezone.utc) - timedelta(milliseconds=3))
        receipts.append(hub.post(topic, text))
    return receipts


def parse(time):
    return datetime.fromisoformat(time.replace("Z", "+00:00"))


@pytest.mark.parametrize("bad", BAD)
def test_what_is_no_beginning_is_refused(shared_hub, topic, bad):
    for path in (events_path(topic), f"/events?topic={topic}&"):
        path += ("" if "?" in path else "?") + f"since={quote(bad)}"
        for headers in (STREAM, {}):
            assert_problem(shared_hub.get(path, headers=headers), 400, "since-invalid", parameter="since")
    # Also where an id makes it irrelevant.
    response = shared_hub.get(f"{events_path(topic)}?since={quote(bad)}&last-event-id=x", headers=STREAM)
    assert_problem(response, 400, "since-invalid", parameter="since")
    assert shared_hub.observers(topic=topic) == []


def test_from_a_time(shared_hub, topic):
    first, second, third = post_apart(shared_hub, topic, "first", "second", "third")
    moment = parse(second["time"])
    berlin = moment.astimezone(timezone(timedelta(hours=1))).isoformat(timespec="milliseconds")
    assert berlin.endswith("+01:00")
    just_after = (moment + timedelta(milliseconds=1)).isoformat(timespec="milliseconds")
    forms = {
        second["time"]: ["second", "third"],
        quote(berlin, safe=""): ["second", "third"],
        # The plus not escaped.
        berlin: ["second", "third"],
        quote(just_after): ["third"],
        first["time"]: ["first", "second", "third"],
        "1970-01-01T00:00:00Z": ["first", "second", "third"],
    }
    for form, expected in forms.items():
        assert first_data(shared_hub, topic, form, len(expected)) == expected, form
        assert history_data(shared_hub, topic, form) == expected, form


def test_from_a_time_that_is_yet_to_come(shared_hub, topic):
    shared_hub.post(topic, "before")
    assert history_data(shared_hub, topic, "2999-01-01T00:00:00Z") == []
    with shared_hub.stream(topic, query="since=2999-01-01T00:00:00Z") as stream:
        shared_hub.post(topic, "next")
        assert stream.next().data == "next"


def test_from_a_while_ago(shared_hub, topic):
    old = parse(shared_hub.post(topic, "old")["time"])
    wait_until(lambda: datetime.now(timezone.utc) - old > timedelta(seconds=2.1), what="an old event")
    shared_hub.post(topic, "new")
    for form, expected in {
            "2s": ["new"], "2000ms": ["new"], "1m": ["old", "new"], "10m": ["old", "new"], "2h": ["old", "new"],
            "7d": ["old", "new"], "1h30m": ["old", "new"], "36500d": ["old", "new"]}.items():
        assert first_data(shared_hub, topic, form, len(expected)) == expected, form
        assert history_data(shared_hub, topic, form) == expected, form
    with shared_hub.stream(topic, query="since=0s") as stream:
        shared_hub.post(topic, "live")
        assert stream.next().data == "live"


def test_the_newest_event_first(shared_hub, topic):
    for number in range(3):
        shared_hub.post(topic, str(number))
        shared_hub.post(f"{topic}.x", f"x {number}")
    with shared_hub.stream(topic, query="since=last") as stream:
        assert stream.next().data == "2"
        shared_hub.post(topic, "live")
        assert stream.next().data == "live"
    assert history_data(shared_hub, topic, "last") == ["live"]


@pytest.mark.parametrize("target", [
    "/events?topic={0}.a&topic={0}.b&since=last", "/topics/{0}.*/events?since=last", "/events?topic={0}.**&since=last"])
def test_the_newest_event_of_many_topics_is_one(shared_hub, topic, target):
    for name in ("a", "b", "a", "b"):
        newest = shared_hub.post(f"{topic}.{name}", name)
    shared_hub.post(topic, "not matched")
    with EventStream(shared_hub.port, target.format(topic)) as stream:
        assert stream.next().id == newest["id"]
        live = shared_hub.post(f"{topic}.a", "live")
        assert stream.next().id == live["id"]
    page = shared_hub.get(target.format(topic)).json()
    assert [event["id"] for event in page["events"]] == [live["id"]]


def test_the_newest_event_of_none(shared_hub, topic):
    assert history_data(shared_hub, topic, "last") == []
    with shared_hub.stream(topic, query="since=last") as stream:
        first = shared_hub.post(topic, "first")
        assert stream.next().id == first["id"]


def test_the_newest_event_is_chosen_whatever_its_type(shared_hub, topic):
    shared_hub.post(topic, "wanted", type="a")
    shared_hub.post(topic, "newest", type="b")
    with shared_hub.stream(topic, query="since=last&type=a") as stream:
        shared_hub.post(topic, "live", type="a")
        assert stream.next().data == "live"


def test_nothing_is_lost_or_doubled_after_the_newest_event(hub, topic):
    hub.post(topic, "0")
    streams = []
    with RawConnection(hub.port) as connection:
        for round in range(40):
            connection.send(request("POST", events_path(topic), body=b"x") * 25)
            streams.append(EventStream.of(hub.port, topic, query="since=last"))
            for _ in range(25):
                assert connection.receive().status == 201
    end = hub.post(topic, "end")["id"]
    history = [event["id"] for event in hub.history(topic)]
    for stream in streams:
        with stream:
            heard = [stream.next().id]
            while heard[-1] != end:
                heard.append(stream.next().id)
            assert heard == history[-len(heard):]


@pytest.mark.parametrize("since", ["latest", "earliest", "last", "1h", "time", "2999-01-01T00:00:00Z", None])
@pytest.mark.parametrize("target", ["/topics/{}/events?", "/events?topic={0}&topic={0}.none&"])
def test_the_position_that_is_told_leads_to_the_same_events(shared_hub, topic, since, target):
    """`Clarion-Last-Event-Id` is where the stream starts: who resumes there gets the same."""
    _, second, _ = post_apart(shared_hub, topic, "first", "second", "third")
    since = second["time"] if since == "time" else since
    target = target.format(topic) + (f"since={since}" if since else "")
    with EventStream(shared_hub.port, target) as stream:
        end = shared_hub.post(topic, "end")["id"]
        heard = [stream.next().id]
        while heard[-1] != end:
            heard.append(stream.next().id)
        position = stream.headers["clarion-last-event-id"]
    with EventStream.of(shared_hub.port, topic, last_event_id=position) as stream:
        assert stream.headers["clarion-last-event-id"] == position
        again = stream.take(len(heard))
    assert [(message.id, message.type) for message in again] == [(id, "message") for id in heard]
    expected = {"latest": 1, None: 1, "earliest": 4, "last": 2, "1h": 4, second["time"]: 3}
    assert len(heard) == expected.get(since, 1)


def test_an_id_wins_over_since(shared_hub, topic):
    ids = [shared_hub.post(topic, str(number))["id"] for number in range(4)]
    for query in ("since=last", "since=earliest", "since=1h"):
        with EventStream.of(shared_hub.port, topic, query=query, last_event_id=ids[1]) as stream:
            assert stream.next().id == ids[2]
        page = shared_hub.get(f"{events_path(topic)}?{query}&after={ids[1]}").json()
        assert [event["id"] for event in page["events"]] == ids[2:]


def test_an_empty_id_is_none_wherever_it_stands(shared_hub, topic):
    ids = [shared_hub.post(topic, str(number))["id"] for number in range(3)]
    with EventStream.of(
            shared_hub.port, topic, query=f"last-event-id=&lastEventId={ids[0]}", last_event_id="") as stream:
        assert stream.next().id == ids[1]
    # What a polyfill adds to the URL when it comes back.
    query = f"last-event-id={ids[0]}&after={ids[0]}&lastEventId={ids[1]}"
    with EventStream.of(shared_hub.port, topic, query=query) as stream:
        assert stream.next().id == ids[2]
    with EventStream.of(shared_hub.port, topic, query="last-event-id=&since=last", last_event_id="") as stream:
        assert stream.next().id == ids[2]


def test_a_name_is_taken_also_where_the_log_must_be_asked_first(shared_hub, topic):
    shared_hub.post(topic, "x")
    with shared_hub.stream(topic, query="since=last&observer=since-last") as first:
        assert first.next().data == "x"
        with shared_hub.stream(topic, query="since=1h&observer=since-last") as second:
            assert second.next().data == "x"
            assert first.read_to_end() == []
            assert shared_hub.request("DELETE", "/observers/since-last").status_code == 204
    with pytest.raises(StreamRefused) as refused:
        EventStream.of(shared_hub.port, topic, query="since=last&observer=since-last")
    assert refused.value.status == 204


def test_clients_that_leave_while_the_log_is_asked_leave_nothing(hub, topic):
    hub.post(topic, "x")
    before = hub.descriptors()
    for _ in range(100):
        with RawConnection(hub.port) as connection:
            connection.send(request("GET", events_path(topic) + "?since=last", STREAM))
    hub.wait_for_observers(0)
    # Besides the sockets there are the files of a few connections to the database, opened when first needed.
    wait_until(lambda: hub.descriptors() <= before + 20, what="closed connections")


def test_a_head_of_a_stream_says_whether_it_would_be_refused(shared_hub, topic):
    response = shared_hub.request("HEAD", f"{events_path(topic)}?since=last", headers=STREAM)
    assert response.status_code == 200
    response = shared_hub.request("HEAD", f"{events_path(topic)}?since=never", headers=STREAM)
    assert response.status_code == 400


@pytest.mark.parametrize("query", ["", "since=earliest", "since=last", "since=10m", "observer={}"])
def test_a_head_of_a_stream_has_the_fields_of_the_stream(shared_hub, topic, query):
    shared_hub.post(topic, "x")
    query = query.format(topic)
    head = shared_hub.request("HEAD", f"{events_path(topic)}?{query}", headers=STREAM)
    with EventStream.of(shared_hub.port, topic, query=query) as stream:
        # Libmicrohttpd would send the last chunk after a head that names the coding.
        of_connections = {"connection", "transfer-encoding"}
        assert {name.lower() for name in head.headers} - of_connections == set(stream.headers) - of_connections
        assert head.headers["Clarion-Last-Event-Id"] == stream.headers["clarion-last-event-id"]
        if query.startswith("observer"):
            assert head.headers["Clarion-Observer-Id"] == stream.observer_id == topic


def test_a_head_of_a_stream_that_was_unregistered(shared_hub, topic):
    with EventStream.of(shared_hub.port, topic, query=f"observer={topic}").wait_for_comment():
        assert shared_hub.request("DELETE", f"/observers/{topic}").status_code == 204
        response = shared_hub.request("HEAD", f"{events_path(topic)}?observer={topic}", headers=STREAM)
        assert response.status_code == 204
