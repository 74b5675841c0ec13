"""History that is gone: what streams say of it, and where they go on."""

import json
from urllib.parse import quote

import pytest

from event_stream import EventStream
from hub_process import events_path
from raw_http import RawConnection, request
from waiting import wait_until


def post_many(hub, topic, count, body=b"x"):
    """Posts on one connection, so in order, and returns the ids."""
    ids = []
    with RawConnection(hub.port) as connection:
        for start in range(0, count, 50):
            part = min(50, count - start)
            connection.send(request("POST", events_path(topic), body=body) * part)
            for _ in range(part):
                response = connection.receive()
                assert response.status == 201, response
                ids.append(response.json()["id"])
    return ids


def keep(hub, topic, events):
    """Has the topic keep so many events, and waits until it does."""
    response = hub.request("PUT", f"/topics/{quote(topic, safe='')}", json={"retention": {"events": events}})
    assert response.status_code == 200, response.text
    wait_until(lambda: hub.get(f"/topics/{quote(topic, safe='')}").json()["events"] <= events, what="retention")


def gap_of(message):
    assert message.type == "gap"
    assert not message.has_id
    return json.loads(message.data)


def resume(hub, target, id):
    return EventStream(hub.port, target, last_event_id=id)


TARGETS = ["/topics/{}/events", "/events?topic={0}&topic={0}.none", "/topics/{}.**/events", "/events?topic={}.*&topic={}"]


def test_below_what_is_retained_there_is_one_gap(shared_hub, topic):
    ids = post_many(shared_hub, topic, 100)
    keep(shared_hub, topic, 40)
    for index in (0, 30, 58):
        with EventStream.of(shared_hub.port, topic, last_event_id=ids[index]) as stream:
            assert stream.headers["clarion-last-event-id"] == ids[index]
            gap, *messages = stream.take(41)
            assert gap_of(gap) == {"after": ids[index], "resumed": ids[60], "reason": "retention"}
            # Its own last id has not moved: a client that goes now comes back to the same gap.
            assert gap.id == ""
            assert [message.id for message in messages] == ids[60:]
            live = shared_hub.post(topic, "live")["id"]
            ids.append(live)
            wait_until(lambda: shared_hub.get(f"/topics/{topic}").json()["events"] == 40)
            del ids[0]
            assert stream.next().id == live


def test_where_nothing_is_missing_there_is_no_gap(shared_hub, topic):
    ids = post_many(shared_hub, topic, 20)
    keep(shared_hub, topic, 10)
    # The last one that is gone was got: what follows is all there.
    for index in (9, 10, 18):
        with EventStream.of(shared_hub.port, topic, last_event_id=ids[index]) as stream:
            messages = stream.take(19 - index)
            assert [(message.id, message.type) for message in messages] == [(id, "message") for id in ids[index + 1:]]
    # Other topics' losses are not this one's.
    own = shared_hub.post(f"{topic}.own", "x")["id"]
    with EventStream.of(shared_hub.port, f"{topic}.own", last_event_id=ids[0]) as stream:
        assert stream.next().id == own


@pytest.mark.parametrize("since", ["earliest", "1h", "1970-01-01T00:00:00Z", "last"])
def test_who_asks_for_what_there_is_gets_no_gap(shared_hub, topic, since):
    ids = post_many(shared_hub, topic, 20)
    keep(shared_hub, topic, 10)
    with EventStream.of(shared_hub.port, topic, query=f"since={since}") as stream:
        expected = ids[-1:] if since == "last" else ids[10:]
        assert [(message.id, message.type) for message in stream.take(len(expected))] == [(id, "message") for id in expected]


def test_a_gap_before_nothing(shared_hub, topic):
    first = shared_hub.post(topic, "first")["id"]
    shared_hub.post(topic, "second")
    assert shared_hub.request("DELETE", f"/topics/{topic}").status_code == 204
    with EventStream.of(shared_hub.port, topic, last_event_id=first) as stream:
        assert gap_of(stream.next()) == {"after": first, "resumed": None, "reason": "retention"}
        live = shared_hub.post(topic, "live")["id"]
        assert stream.next().id == live


def test_of_an_unknown_id_and_of_retention_there_is_one_gap(shared_hub, topic):
    ids = post_many(shared_hub, topic, 20)
    keep(shared_hub, topic, 10)
    with EventStream.of(shared_hub.port, topic, last_event_id="never") as stream:
        gap, *messages = stream.take(11)
        assert gap_of(gap) == {"after": "never", "resumed": ids[10], "reason": "unknown-id"}
        assert [message.id for message in messages] == ids[10:]


@pytest.mark.parametrize("pages", [1, 3])
def test_with_many_topics_a_loss_is_told_once_although_pages_meet_it_again(hub, topic, pages):
    """One topic has lost what lies between the events of another, over several pages of the log."""
    one, other = f"{topic}.one", f"{topic}.other"
    asked = hub.post(one, "asked")["id"]
    kept = []
    for _ in range(6 * pages):
        kept += post_many(hub, one, 150)
        post_many(hub, other, 2)
    kept += post_many(hub, other, 1)
    keep(hub, other, 1)
    for target in (f"/events?topic={one}&topic={other}", f"/topics/{topic}.*/events", f"/events?topic={topic}.**"):
        with resume(hub, target, asked) as stream:
            gap, *messages = stream.take(len(kept) + 1)
            assert gap_of(gap) == {"after": asked, "resumed": kept[0], "reason": "retention"}
            assert [(message.id, message.type) for message in messages] == [(id, "message") for id in kept]
            kept.append(hub.post(one, "end")["id"])
            assert stream.next().id == kept[-1]


def test_a_gap_is_told_although_the_type_would_not_have_been_wanted(shared_hub, topic):
    """Nobody knows any more of which types the events were."""
    asked = shared_hub.post(topic, "x", type="a")["id"]
    for _ in range(5):
        shared_hub.post(topic, "x", type="b")
    wanted = shared_hub.post(topic, "x", type="a")["id"]
    keep(shared_hub, topic, 3)
    with EventStream.of(shared_hub.port, topic, last_event_id=asked, query="type=a") as stream:
        gap, message = stream.take(2)
        assert gap_of(gap) == {"after": asked, "resumed": wanted, "reason": "retention"}
        assert message.id == wanted
    with EventStream.of(shared_hub.port, topic, last_event_id=asked, query="type=none") as stream:
        assert gap_of(stream.next()) == {"after": asked, "resumed": None, "reason": "retention"}


def test_in_an_envelope_a_gap_is_the_same(shared_hub, topic):
    ids = post_many(shared_hub, topic, 5)
    keep(shared_hub, topic, 2)
    with EventStream.of(shared_hub.port, topic, last_event_id=ids[0], query="envelope=cloudevents") as stream:
        gap, message, _ = stream.take(3)
        assert gap_of(gap) == {"after": ids[0], "resumed": ids[3], "reason": "retention"}
        assert json.loads(message.data)["id"] == ids[3]


def test_a_gap_survives_a_restart(hub, topic):
    ids = post_many(hub, topic, 10)
    keep(hub, topic, 4)
    hub.restart()
    with EventStream.of(hub.port, topic, last_event_id=ids[2]) as stream:
        assert gap_of(stream.next()) == {"after": ids[2], "resumed": ids[6], "reason": "retention"}
        assert [message.id for message in stream.take(4)] == ids[6:]


@pytest.mark.parametrize("query", ["since=earliest", ""])
def test_a_slow_reader_that_retention_overtakes(start_hub, topic, figure, query):
    """It gets everything up to where it was overtaken, is told so once, and goes on from what there still is."""
    hub = start_hub("--retention-events", "100", "--durability", "process")
    with EventStream.of(hub.port, topic, query=query, receive_buffer=4096) as stream:
        stream.wait_for_comment()
        ids = post_many(hub, topic, 400, body=b"x" * 50_000)
        wait_until(lambda: hub.get(f"/topics/{topic}").json()["events"] == 100, what="retention")
        heard, gaps = [], []
        last = hub.post(topic, "end")["id"]
        ids.append(last)
        while not heard or heard[-1] != last:
            message = stream.next()
            if message.type == "gap":
                gap = gap_of(message)
                following = stream.next()
                assert gap == {"after": heard[-1], "resumed": following.id, "reason": "retention"}
                gaps.append((ids.index(heard[-1]), ids.index(following.id)))
                heard.append(following.id)
            else:
                heard.append(message.id)
        assert len(gaps) == 1
        [(before, after)] = gaps
        assert heard == ids[:before + 1] + ids[after:]
        assert after >= 300
        figure(f"{before + 1} events, a gap over {after - before - 1}, then {len(ids) - after}")
        live = hub.post(topic, "live")["id"]
        assert stream.next().id == live
