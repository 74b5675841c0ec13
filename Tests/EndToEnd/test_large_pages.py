"""What one page of a list may take, and one webhook of it."""

import pytest

from hub_process import events_path
from problems import assert_problem

NOWHERE = "http://127.0.0.1:6553/"
#: Of the names and values of a webhook's headers together.
MOST = 16 << 10
PAGE = 4 << 20


def headers_of(size):
    """Four headers that take so many bytes with their names."""
    return {f"X-{number}": "v" * (size // 4 - 3) for number in range(4)}


def webhook(size, **members):
    return {"topics": ["a"], "url": NOWHERE, "enabled": False, "headers": headers_of(size), **members}


def test_a_page_of_large_webhooks_ends_earlier(start_hub):
    hub = start_hub("--allow-egress", "127.0.0.0/8", "--durability", "process")
    names = [f"w{number:03}" for number in range(300)]
    for name in names:
        assert hub.request("PUT", f"/observers/{name}", json=webhook(MOST)).status_code == 201
    listed, sizes, query = [], [], {"limit": 1000}
    while True:
        page = hub.get("/observers", params=query)
        sizes.append(len(page.content))
        listed += [observer["id"] for observer in page.json()["observers"]]
        if page.json()["next"] is None:
            break
        query = {"limit": 1000, "cursor": page.json()["next"]}
    assert sorted(listed) == names
    assert len(sizes) == 2 and PAGE * 0.9 < sizes[0] < PAGE * 1.1, sizes


def test_the_headers_of_a_webhook_are_bounded_together(start_hub):
    hub = start_hub("--allow-egress", "127.0.0.0/8")
    assert hub.request("PUT", "/observers/w", json=webhook(MOST)).status_code == 201
    more = headers_of(MOST) | {"X-0": "v" * (MOST // 4 - 2)}
    for method, path, body in [
        ("PUT", "/observers/w", webhook(MOST, headers=more)), ("PUT", "/observers/new", webhook(MOST, headers=more)),
        ("POST", "/observers", webhook(MOST, headers=more)), ("PATCH", "/observers/w", {"headers": {"X-4": "v"}}),
    ]:
        assert_problem(hub.request(method, path, json=body), 400, "header-invalid", pointer="/headers")
    assert hub.observer("w")["headers"] == headers_of(MOST)
    assert hub.request("PATCH", "/observers/w", json={"description": "as before"}).status_code == 200
    assert hub.request("PATCH", "/observers/w", json={"headers": {"X-3": None, "X-4": "v"}}).status_code == 200


@pytest.mark.parametrize("state", ["", "&state=pending"])
def test_few_deliveries_among_much_that_is_not_wanted_are_found_page_by_page(start_hub, state):
    hub = start_hub("--allow-egress", "127.0.0.0/8", "--durability", "process")
    body = {"topics": ["t.b", "t.c"], "types": ["x"], "enabled": False, "url": NOWHERE}
    assert hub.request("PUT", "/observers/w", json=body).status_code == 201
    wanted = []
    for number in range(5):
        wanted.append(hub.post("t.c" if number % 2 else "t.b", type="x")["id"])
        lines = "\n".join('{"type": "y", "data": 0}' for _ in range(5000))
        posted = hub.request("POST", events_path("t.b"), data=lines, headers={"Content-Type": "application/x-ndjson"})
        assert posted.status_code == 201
    found, query = [], ""
    while query is not None:
        page = hub.get(f"/observers/w/deliveries?limit=2{state}{query}").json()
        found += [delivery["event"] for delivery in page["deliveries"]]
        query = page["next"] and f"&cursor={page['next']}"
    assert found == wanted[::-1]
