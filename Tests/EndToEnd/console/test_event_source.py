"""The browser's own `EventSource`, direct and through nginx."""

from __future__ import annotations

import json
import time

import pytest

from hub_process import events_path
from nginx_proxy import NginxProxy
from waiting import wait_until

OPEN = """
    const [target, types] = arguments
    window.heard = []
    window.opened = 0
    window.source = new EventSource(target)
    source.onopen = () => window.opened += 1
    const hear = ({ type, data, lastEventId }) => heard.push({ type, data, id: lastEventId, at: performance.now() })
    source.onmessage = hear
    for (const type of types) source.addEventListener(type, hear)
"""


@pytest.fixture(params=["direct", "through nginx"])
def base(request, hub, tmp_path):
    if request.param == "direct":
        yield hub.url
        return
    proxy = NginxProxy(hub.port, tmp_path / "nginx")
    yield proxy.url
    proxy.stop()


@pytest.fixture
def page(chromium, base):
    """A page of the hub's origin with nothing on it."""
    chromium.get(base + "/healthz")
    yield chromium
    chromium.execute_script("window.source?.close()")
    chromium.get("about:blank")


def heard(page, count):
    script = "return window.heard"
    return wait_until(lambda: len(found := page.execute_script(script)) >= count and found, what=f"event {count}")


def test_on_message_hears_every_type_in_an_envelope(hub, page, topic, figure):
    page.execute_script(OPEN, f"/topics/{topic}.*/events?envelope=json", [])
    wait_until(lambda: page.execute_script("return window.opened") == 1, what="onopen, before any event")
    hub.wait_for_observers(1)
    delays = []
    for number in range(10):
        began = time.monotonic()
        hub.post(f"{topic}.{number % 2}", f"event {number}", type="created" if number % 3 else None)
        heard(page, number + 1)
        delays.append(time.monotonic() - began)
    figure(f"{sorted(delays)[5] * 1000:.0f} ms from a post to the event in the page, driver included")
    messages = heard(page, 10)
    assert [message["type"] for message in messages] == ["message"] * 10
    events = [json.loads(message["data"]) for message in messages]
    assert [event["data"] for event in events] == [f"event {number}" for number in range(10)]
    assert [event["topic"] for event in events] == [f"{topic}.{number % 2}" for number in range(10)]
    assert [event["type"] for event in events] == ["created" if number % 3 else None for number in range(10)]
    assert [event["id"] for event in events] == [message["id"] for message in messages]


def test_after_the_hub_has_ended_it_the_stream_goes_on_where_it_was(hub, page, topic):
    page.execute_script(OPEN, events_path(topic), ["created"])
    [stream] = hub.wait_for_observers(1)
    posted = [hub.post(topic, str(number), type="created" if number % 2 else None)["id"] for number in range(4)]
    heard(page, 4)
    assert hub.request("DELETE", f"/observers/{stream['id']}").status_code == 204
    posted += [hub.post(topic, str(number), type="created" if number % 2 else None)["id"] for number in range(4, 8)]
    messages = heard(page, 8)
    assert [message["id"] for message in messages] == posted
    assert [message["data"] for message in messages] == [str(number) for number in range(8)]
