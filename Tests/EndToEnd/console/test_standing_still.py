"""On a wide screen the page itself stands still: only its parts scroll, however much they hold."""

from __future__ import annotations

import pytest

from test_accessibility import media
from waiting import wait_until

MANY = 40

MEASURES = "const { scrollHeight, clientHeight, scrollTop } = document.scrollingElement; return [scrollHeight - clientHeight, scrollTop]"

#: What is positioned absolutely in a part that scrolls, and belongs to a box around that part.
ESCAPED = """
    const scrolls = (part) => /auto|scroll/.test(getComputedStyle(part).overflowY)
    const scroller = (part) => part === null || scrolls(part) ? part : scroller(part.parentElement)
    return [...document.querySelectorAll("body *")].filter((part) => part.checkVisibility() && getComputedStyle(part).position === "absolute")
        .filter((part) => scroller(part.parentElement)?.contains(part.offsetParent) === false).map((part) => part.outerHTML)
"""
ADD_SECRETS = """
    const [number, done] = arguments
    import("/scripts/webhooks/secret-tray.js").then(({ secretTray }) => {
        for (let index = 0; index < number; index += 1) secretTray.add({ id: `w${index}`, url: "https://example.com/", secret: "whsec_x" })
        done()
    })
"""


@pytest.fixture(scope="module")
def crowded(start_shared_hub):
    """A hub with many topics, events, webhooks and streams."""
    hub = start_shared_hub("--allow-egress", "127.0.0.0/8", "--durability", "process")
    for number in range(MANY):
        webhook = hub.register("http://127.0.0.1:9999/", f"silent.{number}", "orders.first", description=f"Webhook {number}", enabled=False)
        hub.post(f"topic.{number}", b"{}")
    for number in range(MANY):
        hub.post("orders.first", b'{"total": 12}')
    hub.webhook = webhook["id"]
    streams = [hub.stream("orders.*", query=f"observer=reader-{number}") for number in range(MANY)]
    wait_until(lambda: len(hub.observers(kind="stream")) >= MANY)
    yield hub
    for stream in streams:
        stream.close()


@pytest.fixture
def console(console, crowded):
    console.url, console.forgiven = crowded.url, "metrics"
    media(console, still="reduce")
    yield console
    media(console)


PAGES = {
    "events": ("#/events", ".observer"), "topics": ("#/topics", ".topic-row"), "topic": ("#/topics/orders.first", ".observer-row"),
    "webhooks": ("#/webhooks", ".webhook-row"), "webhook": ("#/webhooks/{webhook}", ".delivery-line"),
    "observers": ("#/observers", ".observer-row"), "health": ("#/health", ".chart"),
}


@pytest.mark.parametrize("page", PAGES)
def test_no_page_can_be_scrolled_as_a_whole(crowded, console, page):
    fragment, mark = PAGES[page]
    console.open_at(fragment.format(webhook=crowded.webhook), width=1280, height=800)
    console.wait(lambda: console.all(mark), mark)
    # Whatever can be opened takes room, too.
    console.run("for (const part of document.querySelectorAll('main details')) part.open = true")
    assert console.run(MEASURES) == [0, 0]
    assert console.run(ESCAPED) == []


def test_secrets_without_number_can_all_be_reached_and_leave_room_for_the_page(crowded, console):
    console.open_at("#/webhooks", width=1280, height=800)
    console.wait(lambda: console.all(".webhook-row"), "the webhooks")
    console.driver.execute_async_script(ADD_SECRETS, 12)
    assert console.run(MEASURES) == [0, 0]
    assert console.find("#page").rect["height"] > 200
    last = console.all(".secret")[-1]
    console.run("arguments[0].scrollIntoView()", last)
    assert 0 <= last.rect["y"] < 800
    assert console.run(MEASURES) == [0, 0]


def test_a_link_to_an_event_moves_the_list_and_not_the_page(crowded, console):
    console.open_at("#/events", width=1280, height=800)
    console.wait(lambda: len(console.all(".observer")) > MANY, "the observers")
    console.wait(lambda: len(console.all(".event-row")) >= 2 * MANY, "the events")
    console.run("document.querySelectorAll('.event-row')[arguments[0]].click()", MANY - 1)
    console.press("Link to this event")
    identity = crowded.history("orders.first")[0]["id"]
    console.wait(lambda: console.texts(".chip-text") == ["orders.first"], "the topic that the address names")
    console.wait(lambda: any(identity in text for text in console.texts(".event.is-open")), "the event that it names")
    console.wait(lambda: console.run("return document.activeElement.closest('.event.is-open') !== null"), "the focus")
    assert console.run(MEASURES) == [0, 0]
    assert console.find(".masthead").rect["y"] == 0


def test_topics_without_number_leave_room_for_their_events(crowded, console):
    topics = "&".join(f"topic=region.{number}.orders.created" for number in range(100))
    console.open_at(f"#/events?topic=orders.first&{topics}", width=1280, height=800)
    console.wait(lambda: len(console.all(".event-row")) == MANY, "the events")
    assert console.run(MEASURES) == [0, 0]
    assert console.find(".event-scroll").rect["height"] > 100
    console.find(".event-row").click()
    assert console.all(".event.is-open")


def test_a_page_that_waits_comes_to_rest(console):
    # What moves for ever is drawn sixty times a second for as long as the tab is open.
    console.open_live()
    media(console, still="no-preference")
    assert console.run("return matchMedia('(prefers-reduced-motion: no-preference)').matches")
    forever = "return document.getAnimations().filter((one) => one.effect.getComputedTiming().activeDuration === Infinity).length"
    console.wait(lambda: console.run("return document.getAnimations().length"), "something that moves")
    assert console.run(forever) == 0
    media(console)
