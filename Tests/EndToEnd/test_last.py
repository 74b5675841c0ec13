"""Beginning with the newest events: `last=N`, for history and for streams."""

from urllib.parse import quote

import pytest

from event_stream import EventStream
from hub_process import events_path
from problems import assert_problem
from test_subscribing import Posters

STREAM = {"Accept": "text/event-stream"}


def page(hub, target, **options):
    response = hub.get(target, **options)
    assert response.status_code == 200, response.text
    return response.json()


def data(events):
    return [event["data"] for event in events]


def test_the_newest_ten_are_one_request(shared_hub, topic):
    for number in range(25):
        shared_hub.post(topic, str(number))
        shared_hub.post(f"{topic}.other", "not asked for")
    ten = page(shared_hub, f"{events_path(topic)}?last=10")
    assert data(ten["events"]) == [str(number) for number in range(15, 25)]
    assert ten["next"] is None
    # All there are, if there are fewer.
    assert len(page(shared_hub, f"{events_path(topic)}?last=1000")["events"]) == 25
    assert page(shared_hub, f"{events_path(topic + '.none')}?last=10") == {"events": [], "next": None}
    lines = shared_hub.get(f"{events_path(topic)}?last=2", headers={"Accept": "application/x-ndjson"})
    assert len(lines.text.splitlines()) == 2 and "Link" not in lines.headers


def test_a_page_has_all_of_them_unless_a_limit_is_given(shared_hub, topic):
    texts = [str(number) for number in range(150)]
    body = "\n".join(f'"{text}"' for text in texts)
    shared_hub.request(
        "POST", events_path(topic), data=body, headers={"Content-Type": "application/x-ndjson"}).raise_for_status()
    whole = page(shared_hub, f"{events_path(topic)}?last=120")
    assert data(whole["events"]) == texts[30:] and whole["next"] is None
    found = []
    target = f"{events_path(topic)}?last=120&limit=50"
    while target:
        response = shared_hub.get(target)
        found += data(response.json()["events"])
        # The reference to the next page does not begin anew.
        target = events_path(topic) + response.links["next"]["url"] if response.json()["next"] else None
    assert found == texts[30:]


def test_they_are_the_newest_of_the_types_that_are_asked_for(shared_hub, topic):
    for number in range(30):
        shared_hub.post(topic, str(number), type="rare" if number % 10 == 0 else "common")
    assert data(page(shared_hub, f"{events_path(topic)}?last=2&type=rare")["events"]) == ["10", "20"]
    assert data(page(shared_hub, f"{events_path(topic)}?last=5&type=rare,none")["events"]) == ["0", "10", "20"]
    assert data(page(shared_hub, f"{events_path(topic)}?last=2&type=rare,common")["events"]) == ["28", "29"]
    assert page(shared_hub, f"{events_path(topic)}?last=5&type=none")["events"] == []
    with EventStream.of(shared_hub.port, topic, query="last=2&type=rare") as stream:
        assert [message.data for message in stream.take(2)] == ["10", "20"]
        shared_hub.post(topic, "not of the type", type="common")
        shared_hub.post(topic, "live", type="rare")
        assert stream.next().data == "live"


@pytest.mark.parametrize("target", ["/events?topic={0}.a&topic={0}.b&", "/topics/{0}.*/events?", "/topics/{0}.**/events?"])
@pytest.mark.parametrize("types", ["", "&type=odd"])
def test_of_several_topics_they_are_the_newest_together(shared_hub, topic, target, types):
    expected = []
    for number in range(40):
        name, type = ("a", "odd") if number % 3 == 1 else ("b", "odd" if number % 2 else "even")
        shared_hub.post(f"{topic}.{name}", str(number), type=type)
        shared_hub.post(topic, "not matched", type="odd")
        if not types or type == "odd":
            expected.append(str(number))
    target = target.format(topic)
    for count in (1, 7, 20):
        assert data(page(shared_hub, f"{target}last={count}{types}")["events"]) == expected[-count:]
        with EventStream(shared_hub.port, f"{target}last={count}{types}") as stream:
            assert [message.data for message in stream.take(len(expected[-count:]))] == expected[-count:]


@pytest.mark.parametrize("bad", ["0", "-1", "1001", "99999999999999999999", "", "ten", "1.5", "+5", "5 ", "0x5", "\u0665"])
def test_what_is_no_number_from_1_to_1000_is_refused(shared_hub, topic, bad):
    for path in (events_path(topic) + "?", f"/events?topic={topic}&"):
        for headers in (STREAM, {}):
            response = shared_hub.get(f"{path}last={quote(bad)}", headers=headers)
            assert_problem(response, 400, "parameter-invalid", parameter="last")
    # Also where an id makes it irrelevant.
    response = shared_hub.get(f"{events_path(topic)}?last={quote(bad)}&last-event-id=x", headers=STREAM)
    assert_problem(response, 400, "parameter-invalid", parameter="last")
    assert shared_hub.observers(topic=topic) == []


@pytest.mark.parametrize("since", ["latest", "earliest", "last", "10m"])
@pytest.mark.parametrize("headers", [STREAM, {}])
def test_it_cannot_come_together_with_since(shared_hub, topic, since, headers):
    response = shared_hub.get(f"{events_path(topic)}?last=5&since={since}", headers=headers)
    assert_problem(response, 400, "parameter-invalid", parameter="last")


def test_an_id_wins(shared_hub, topic):
    receipts = [shared_hub.post(topic, str(number)) for number in range(5)]
    id = receipts[3]["id"]
    assert data(page(shared_hub, f"{events_path(topic)}?last=3&after={id}")["events"]) == ["4"]
    for options in ({"last_event_id": id, "query": "last=3"}, {"query": f"last=3&last-event-id={id}"}):
        with EventStream.of(shared_hub.port, topic, **options) as stream:
            assert stream.next().data == "4"
    # An empty one is none.
    with EventStream.of(shared_hub.port, topic, query="last=3&last-event-id=") as stream:
        assert stream.next().data == "2"


def test_a_topic_without_events_begins_with_what_comes(shared_hub, topic):
    with shared_hub.stream(topic, query="last=5") as stream:
        shared_hub.post(topic, "first")
        assert stream.next().data == "first"


def test_a_stream_shows_where_it_begins(shared_hub, topic):
    receipts = [shared_hub.post(topic, str(number)) for number in range(5)]
    head = shared_hub.request("HEAD", f"{events_path(topic)}?last=2", headers=STREAM)
    with EventStream.of(shared_hub.port, topic, query="last=2") as stream:
        assert stream.headers["clarion-last-event-id"] == receipts[2]["id"] == head.headers["Clarion-Last-Event-Id"]


def test_what_was_deleted_does_not_count(shared_hub, topic):
    for number in range(5):
        shared_hub.post(topic, f"old {number}")
        shared_hub.post(f"{topic}.b", f"b {number}")
    assert shared_hub.request("DELETE", f"/topics/{topic}").status_code == 204
    shared_hub.post(topic, "new")
    assert data(page(shared_hub, f"{events_path(topic)}?last=3")["events"]) == ["new"]
    for target in (f"/events?topic={topic}&topic={topic}.b&", f"/events?topic={topic}&topic={topic}.*&"):
        with EventStream(shared_hub.port, f"{target}last=3") as stream:
            # Nor is it told of: nobody was promised it.
            assert [message.data for message in stream.take(3)] == ["b 3", "b 4", "new"]


def test_while_others_post_nothing_is_missed_or_heard_twice(shared_hub, topic):
    """The newest are looked for, then the stream is registered, then read for: events come at every moment of that."""
    first = [shared_hub.post(topic, f"before {number}")["id"] for number in range(20)]
    with Posters(shared_hub, topic, connections=4, each=200):
        streams = [EventStream.of(shared_hub.port, topic, query=f"last={count}") for count in (1, 5, 20) * 10]
    ids = [event["id"] for event in shared_hub.history(topic)]
    assert ids[:20] == first and len(ids) == 820
    for count, stream in zip((1, 5, 20) * 10, streams):
        with stream:
            began = ids.index(stream.next().id)
            assert len(ids) - began >= count
            assert [message.id for message in stream.take(len(ids) - began - 1)] == ids[began + 1:]
