"""Other people's clients of server-sent events: each event at once, exactly once and in order, and nothing else."""

import json
import statistics
import time
from contextlib import ExitStack

import pytest

from hub_process import events_path
from nginx_proxy import NginxProxy
from sse_clients import CLIENTS, NodeEventSource, node_with_event_source
from waiting import wait_until

#: Seconds from the beginning of a post to the event at a client, for most of them: a busy machine delays a few.
AT_ONCE = 0.1

TYPES = ("created", "paid")


@pytest.fixture(scope="module")
def quiet_hub(start_shared_hub):
    """A hub that soon takes a stream for silent: keep-alive comments come between the events."""
    return start_shared_hub("--keep-alive", "1")


@pytest.fixture(scope="module")
def nginx(quiet_hub, tmp_path_factory):
    proxy = NginxProxy(quiet_hub.port, tmp_path_factory.mktemp("proxy") / "nginx")
    yield proxy
    proxy.stop()


@pytest.fixture(params=["direct", "through nginx"])
def base(request, quiet_hub):
    return quiet_hub.url if request.param == "direct" else request.getfixturevalue("nginx").url


@pytest.fixture(params=CLIENTS.values(), ids=CLIENTS.keys())
def client(request):
    if request.param is NodeEventSource and node_with_event_source() is None:
        pytest.skip("needs a Node with --experimental-eventsource, 20.18 or later")
    return request.param


def texts(listener):
    return [data for _, _, data, _ in listener.heard]


def post(hub, topic, number):
    """Posts the event of a number: some have a type, some have several lines."""
    text = f"event {number}" + ("\nof two lines" if number % 3 == 0 else "")
    hub.post(topic, text, type=TYPES[number % 2] if number % 4 else None)
    return text


def assert_ids(hub, topic, listener):
    """Each event was heard under its own id; an empty one, or that of another, would be where the client goes on from."""
    assert [id for id, _, _, _ in listener.heard] == [event["id"] for event in hub.history(topic)]


def test_each_event_comes_at_once_and_nothing_else(quiet_hub, base, client, topic, figure):
    with client(base + events_path(topic), types=TYPES) as listener:
        quiet_hub.wait_for_observers(1, topic=topic)
        posted, delays = [], []
        for number in range(20):
            began = time.monotonic()
            posted.append(post(quiet_hub, topic, number))
            delays.append(listener.wait_for(number + 1)[-1][3] - began)
            if number == 10:
                # Long enough for a comment to come in between.
                silent = quiet_hub.observers(topic=topic)[0]["id"]
                time_of_silence = time.monotonic()
                wait_until(lambda: time.monotonic() - time_of_silence > 1.3, what="silence")
                assert [stream["id"] for stream in quiet_hub.observers(topic=topic)] == [silent]
        assert texts(listener) == posted
        types = [type or "message" for _, type, _, _ in listener.heard]
        assert types == [TYPES[number % 2] if number % 4 else "message" for number in range(20)]
        assert_ids(quiet_hub, topic, listener)
    figure(f"{statistics.median(delays) * 1000:.1f} ms from the beginning of a post to the event, "
           f"at most {max(delays) * 1000:.0f} ms")
    assert statistics.median(delays) < AT_ONCE


def test_after_a_reconnect_each_event_comes_exactly_once(quiet_hub, base, client, topic):
    url = base + events_path(topic)
    posted = []
    with client(url, types=TYPES) as first:
        quiet_hub.wait_for_observers(1, topic=topic)
        posted += [post(quiet_hub, topic, number) for number in range(5)]
        first.wait_for(5)
    posted += [post(quiet_hub, topic, number) for number in range(5, 10)]
    with client(url, first.heard[-1][0], types=TYPES) as second:
        second.wait_for(5)
        posted += [post(quiet_hub, topic, number) for number in range(10, 15)]
        second.wait_for(10)
        assert texts(first) + texts(second) == posted
        assert [id for id, _, _, _ in first.heard + second.heard] == [event["id"] for event in quiet_hub.history(topic)]


def test_a_stream_that_the_hub_ends_leaves_no_event_behind(quiet_hub, base, topic):
    """What a stream ends with is no event to anyone, and those that connect again by themselves miss nothing."""
    clients = [client for client in CLIENTS.values() if client is not NodeEventSource or node_with_event_source()]
    with ExitStack() as stack:
        listeners = [stack.enter_context(client(base + events_path(topic), types=TYPES)) for client in clients]
        streams = quiet_hub.wait_for_observers(len(clients), topic=topic)
        posted = [post(quiet_hub, topic, number) for number in range(3)]
        for listener in listeners:
            listener.wait_for(3)
        for stream in streams:
            assert quiet_hub.request("DELETE", f"/observers/{stream['id']}").status_code == 204
        posted += [post(quiet_hub, topic, number) for number in range(3, 6)]
        for listener in listeners:
            if listener.reconnects:
                listener.wait_for(6)
                assert texts(listener) == posted
                assert_ids(quiet_hub, topic, listener)
            else:
                wait_until(lambda: listener.is_over, what="the end of a client")
                assert listener.failure is None
                assert texts(listener) == posted[:3]


def test_envelopes_are_heard_as_messages_whatever_their_type(quiet_hub, base, client, topic):
    with client(base + f"/topics/{topic}.*/events?envelope=json") as listener:
        quiet_hub.wait_for_observers(1, topic=f"{topic}.*")
        for number in range(6):
            post(quiet_hub, f"{topic}.{number % 2}", number)
        heard = listener.wait_for(6)
        assert {type or "message" for _, type, _, _ in heard} == {"message"}
        history = [event for number in range(2) for event in quiet_hub.history(f"{topic}.{number}")]
        assert sorted((json.loads(data)["id"] for _, _, data, _ in heard)) == sorted(event["id"] for event in history)
        assert all(json.loads(data) in history for _, _, data, _ in heard)
