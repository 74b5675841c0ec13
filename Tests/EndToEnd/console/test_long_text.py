"""What strangers name may be as long as the hub takes it, or of letters that no font has room for: no page loses its form by it."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from event_stream import EventStream
from hub_process import events_path
from waiting import wait_until
from webhook_receiver import WebhookReceiver

WORDS = ("a description that somebody has pasted from elsewhere " * 20)[:1024].strip()
URL = f"http://127.0.0.1:9999/hook?{'token=0123456789abcdef&' * 400}"[:8192]
WIDTHS = [320, 1280]
#: As high as a row may be: two lines of each of its texts, and, where it is narrow, its numbers below.
MOST_HEIGHT = 220

HEIGHTS = "return [...document.querySelectorAll(arguments[0])].map((row) => row.getBoundingClientRect().height)"


@pytest.fixture(scope="module")
def wordy(start_shared_hub):
    """A hub with webhooks whose texts are as long as they may be."""
    hub = start_shared_hub("--allow-egress", "127.0.0.0/8", "--durability", "process")
    patterns = [f"orders.region-{number}.created" for number in range(60)]
    hub.wordy = hub.register("http://127.0.0.1:9999/", *patterns, description=WORDS, enabled=False)["id"]
    hub.register("http://127.0.0.1:9999/", "orders.*", description="W" * 1024, enabled=False)
    hub.far = hub.register(URL, "orders.*", enabled=False)["id"]
    hub.post("orders.first", b"1")
    query = "&".join(f"topic={pattern}" for pattern in patterns)
    with EventStream(hub.port, f"/events?{query}").wait_for_comment():
        yield hub


ROWS = {"#/webhooks": ".webhook-row", "#/observers": ".observer-row", "#/topics/orders.first": ".observer-row", "#/events": ".observer"}


# A narrow screen shows no observers beside the events.
@pytest.mark.parametrize("page, width", [(page, width) for page in ROWS for width in WIDTHS if (page, width) != ("#/events", 320)])
def test_long_texts_take_a_few_lines_of_a_list_and_are_whole_in_a_title(wordy, console, page, width):
    console.url = wordy.url
    row = ROWS[page]
    console.open_at(page, width=width, height=800)
    least = 2 if "topics" in page else 3
    console.wait(lambda: len(console.all(row)) >= least, row)
    console.take_picture(f"long-{width}")
    assert max(console.run(HEIGHTS, row)) <= MOST_HEIGHT
    titles = console.run("return [...document.querySelectorAll(arguments[0])].map((part) => part.title)", f"{row} .clamped")
    assert any(URL.removeprefix("http://") in title for title in titles)
    if page != "#/events":
        assert "W" * 1024 in titles
    assert console.run("return document.documentElement.scrollWidth") <= width


def test_the_page_of_a_webhook_begins_with_its_name_and_has_all_of_it_below(wordy, console):
    console.url = wordy.url
    for id, text in [(wordy.wordy, WORDS), (wordy.far, URL)]:
        console.open_at(f"#/webhooks/{id}", width=360, height=800)
        console.wait_for_text("h2", text[10:100])
        assert max(console.run(HEIGHTS, "h2")) <= 120
        console.wait(lambda: text in console.texts(".facts dd"), "all of it")
        assert console.run("return document.documentElement.scrollWidth") <= 360


#: Nowhere in it may a line break: a letter and what is drawn over it is one character, however wide a font makes it.
MARKS = "e" + "\u0345\u0301\u0363\u20dd\u0bcd\U0001d165" * 100


def marks(most_bytes):
    return MARKS.encode()[:most_bytes].decode(errors="ignore")


@pytest.fixture(scope="module")
def marked(start_shared_hub):
    """A hub whose names and data are of such characters, wherever somebody else chooses them."""
    hub = start_shared_hub("--allow-egress", "127.0.0.0/8", "--durability", "process", "--webhooks-retry", "1h")
    hub.topic, kind = marks(255), MARKS[:128]
    with WebhookReceiver(lambda _: (500, {}, MARKS.encode())) as receiver:
        webhook = hub.register(
            receiver.url("/hook"), hub.topic, description=marks(1024), types=[kind, "x"], headers={"X-Marks": "W" * 500})
        posts = {"application/json": json.dumps({MARKS: MARKS}, ensure_ascii=False), f"text/{marks(240)}": MARKS}
        for content_type, data in posts.items():
            answer = hub.request("POST", events_path(hub.topic), params={"type": kind}, data=data.encode(), headers={"Content-Type": content_type.encode()})
            assert answer.status_code == 201, answer.text
        wait_until(lambda: hub.observer(webhook["id"])["stats"]["failed"] > 0)
        hub.webhook = webhook["id"]
        with hub.stream(hub.topic):
            yield hub


MARKED_PAGES = {
    "#/events": ".event-row", "#/events?topic={topic}&type=x&text={topic}": ".chip", "#/topics": ".topic-row", "#/topics/{topic}": ".observer-row",
    "#/webhooks": ".webhook-row", "#/webhooks/{webhook}": ".delivery-line", "#/observers": ".observer-row",
}

#: What reaches beyond the page, without a box around it that cuts it off.
BEYOND = """
    const cut = (part) => part !== null && (getComputedStyle(part).overflowX !== "visible" || cut(part.parentElement))
    const most = document.documentElement.clientWidth
    return [...document.querySelectorAll("body *")].filter((part) => part.checkVisibility() && part.getBoundingClientRect().right > most + 1)
        .filter((part) => !cut(part.parentElement)).map((part) => part.outerHTML.slice(0, 120))
"""


@pytest.mark.parametrize("page, width", [(page, width) for page in MARKED_PAGES for width in WIDTHS])
def test_what_cannot_break_makes_no_page_wider(marked, console, page, width):
    console.url = marked.url
    console.open_at(page.format(topic=quote(marked.topic, safe=""), webhook=marked.webhook), width=width, height=800)
    row = MARKED_PAGES[page]
    console.wait(lambda: console.all(row), row)
    if row in (".event-row", ".delivery-line"):
        console.run("for (const button of document.querySelectorAll(arguments[0])) button.click()", row)
    if row == ".delivery-line":
        console.wait(lambda: console.texts(".attempt-response"), "what the endpoint answered")
        console.press("Edit")
    if "topics/" in page:
        console.wait(lambda: console.texts(".value-current .event-body"), "the value")
    console.take_picture(f"marks-{width}")
    assert console.run(BEYOND) == []
    assert console.run("return document.documentElement.scrollWidth") <= width
