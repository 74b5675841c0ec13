"""What waits for webhooks is counted for whoever lists them: what that costs, and whom it holds up."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from raw_http import RawConnection, request
from waiting import wait_until

#: Nothing is ever delivered to it: they are paused.
NOWHERE = "http://127.0.0.1:6553/"
WEBHOOKS = 30
EVENTS = 60_000
#: Seconds that another's request may take meanwhile: it was 6.5 s and more.
SOON = 3.0


def post_many(hub, topic, type, count):
    for start in range(0, count, 5000):
        lines = "\n".join(f'{{"type": "{type}", "data": 0}}' for _ in range(min(5000, count - start)))
        response = hub.request(
            "POST", f"/topics/{topic}/events", data=lines, headers={"Content-Type": "application/x-ndjson"}, timeout=60)
        assert response.status_code == 201, response.text


def start_with_backlogs(start_hub, webhooks=WEBHOOKS):
    """A hub with webhooks for each of which everything that was posted has to be looked at to count one event."""
    hub = start_hub("--allow-egress", "127.0.0.0/8", "--durability", "process")
    for number in range(webhooks):
        body = {"topics": ["t.b"], "types": ["x"], "enabled": False, "url": NOWHERE}
        assert hub.request("PUT", f"/observers/w{number}", json=body).status_code == 201
    hub.post("t.b", type="x")
    hub.post("other", "of another tenant")
    post_many(hub, "t.b", "y", EVENTS)
    return hub


def processor_time_of(hub, action):
    before = hub.processor_time()
    action()
    return hub.processor_time() - before


def assert_counted(observers, pending, count=WEBHOOKS):
    assert [observer["stats"]["pending"] for observer in observers] == [pending] * count


def took(action):
    began = time.monotonic()
    action()
    return time.monotonic() - began


def test_what_was_counted_once_is_not_counted_again(start_hub):
    hub = start_with_backlogs(start_hub)
    first = processor_time_of(hub, lambda: assert_counted(hub.observers(), 1))
    # As it was, all of it took as long each time.
    ten = processor_time_of(hub, lambda: [assert_counted(hub.observers(), 1) for _ in range(10)])
    assert ten < max(first, 0.2), f"{ten:.2f} s after {first:.2f} s"
    # What comes later counts at once.
    hub.post("t.b", type="x")
    hub.post("t.b", type="y")
    assert_counted(hub.observers(), 2)
    assert hub.observer("w7")["stats"]["pending"] == 2


def test_lists_that_nobody_waits_for_hold_up_nobody(start_hub):
    hub = start_with_backlogs(start_hub)
    before = hub.processor_time()
    connections = [RawConnection(hub.port) for _ in range(40)]
    for connection in connections:
        connection.send(request("GET", "/observers"))
    wait_until(lambda: hub.processor_time() - before > 0.1, what="counting")
    for connection in connections:
        connection.close()
    for path in ("/readyz", "/topics/other/value", "/topics"):
        seconds = took(lambda: hub.get(path, timeout=60).raise_for_status())
        assert seconds < SOON, f"{path}: {seconds:.2f} s"


def test_lists_that_are_waited_for_hold_up_nobody(start_hub):
    hub = start_with_backlogs(start_hub)
    with ThreadPoolExecutor(40) as pool:
        before = hub.processor_time()
        lists = [pool.submit(lambda: hub.get("/observers", timeout=60).json()) for _ in range(40)]
        wait_until(lambda: hub.processor_time() - before > 0.02, what="counting")
        for path in ("/readyz", "/topics/other/value"):
            seconds = took(lambda: hub.get(path, timeout=60).raise_for_status())
            assert seconds < SOON, f"{path}: {seconds:.2f} s"
        for list in lists:
            assert_counted(list.result()["observers"], 1)


@pytest.mark.parametrize("change", [{"description": "other"}, {"types": ["z"]}, {"enabled": True, "url": NOWHERE + "other"}])
def test_the_answer_to_a_change_says_what_waits(start_hub, change):
    hub = start_with_backlogs(start_hub, webhooks=2)
    changed = hub.request("PATCH", "/observers/w0", json=change)
    assert changed.status_code == 200
    assert changed.json()["stats"]["pending"] == 1
    assert hub.observer("w0")["stats"]["pending"] == 1
    rotated = hub.request("POST", "/observers/w1/secret/rotate", json={})
    assert rotated.json()["secret"] and rotated.json()["stats"]["pending"] == 1


def test_what_is_removed_does_not_count(start_hub):
    hub = start_with_backlogs(start_hub, webhooks=2)
    assert_counted(hub.observers(), 1, 2)
    assert hub.request("DELETE", "/topics/t.b").status_code == 204
    assert_counted(hub.observers(), 0, 2)
    hub.post("t.b", type="x")
    assert_counted(hub.observers(), 1, 2)
    hub.restart()
    assert_counted(hub.observers(), 1, 2)
