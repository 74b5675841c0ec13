"""What strangers write – data, types, topics, headers, answers – is shown as text, wherever the console shows it."""

from __future__ import annotations

import json

import pytest

from hub_process import events_path
from waiting import wait_until

#: Runs if it is taken for markup, in text, in an attribute, in a URL, in a style.
MARKUP = """"'><img src=x onerror="window.hacked=1"><script>window.hacked=1</script><svg/onload=window.hacked=1>{{7*7}}${7*7}"""
#: The same without the blanks that no topic may have.
NAME = """'"><img/src=x/onerror=window.hacked=1><a/href="javascript:window.hacked=1">"""

FOUND = """
    const bad = document.querySelectorAll("main img, main script, main iframe, main svg[onload], [onerror], [onload], a[href^='javascript:']")
    return [window.hacked ?? null, bad.length]
"""


@pytest.fixture
def hub(start_hub):
    return start_hub("--allow-egress", "127.0.0.0/8", "--durability", "process", "--webhooks-retry", "1h")


def assert_harmless(console, *shown):
    for text in shown:
        console.wait(lambda: text in console.run("return document.body.innerText"), repr(text))
    assert console.run(FOUND) == [None, 0]


def test_markup_is_text_on_every_page(hub, console, receiver):
    receiver.answer = lambda _: (500, {}, MARKUP.encode())
    webhook = hub.register(
        receiver.url("/<img/src=x>"), NAME, description=MARKUP, types=[MARKUP[:100], "x"], headers={"X-Markup": MARKUP})
    event = {"specversion": "1.0", "id": MARKUP, "source": "/s", "type": MARKUP[:100], "buyer": MARKUP, "data": {MARKUP: MARKUP}}
    answer = hub.request("POST", events_path(NAME), json=event, headers={"Content-Type": "application/cloudevents+json"})
    assert answer.status_code == 201, answer.text
    hub.post(NAME, MARKUP.encode(), headers={"Content-Type": "text/html"})
    hub.request("PUT", events_path(NAME).removesuffix("/events"), json={"retention": {"events": 5}})
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["failed"] > 0)

    console.open_live()
    console.wait(lambda: len(console.all(".event-row")) >= 2, "the events")
    for row in console.all(".event-row"):
        row.click()
    console.wait(lambda: any(MARKUP in text for text in console.texts(".event-members dd")), "the attributes")
    assert_harmless(console, NAME, MARKUP)
    console.fill("#filter-text", MARKUP)
    console.run("document.querySelector('#filter-type').focus()")
    assert_harmless(console, MARKUP)

    console.open_at("#/webhooks")
    assert_harmless(console, MARKUP, NAME)
    console.open_at(f"#/webhooks/{webhook['id']}")
    console.press("Send a test")
    console.wait(lambda: any(MARKUP in text for text in console.texts(".attempt-response")), "the endpoint's answer")
    console.find(".delivery-line").click()
    console.wait(lambda: len(console.all(".attempt-response")) == 2, "the answer to the delivery")
    console.press("Edit")
    console.press("Rotate the secret")
    console.press("Really rotate?")
    console.wait(lambda: console.texts(".secret-text"), "the secret")
    assert_harmless(console, MARKUP, NAME)

    for page in ("topics", "observers"):
        console.open_at(f"#/{page}")
        assert_harmless(console, NAME)
    console.open_at("#/topics")
    console.press(NAME)
    console.wait_for_text(".value-current", "window.hacked")
    assert_harmless(console, NAME)
    assert hub.process.poll() is None


def test_nothing_is_shown_in_another_direction_than_it_is_written(hub, console):
    """A topic that is turned looks like another's."""
    for mark in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069":
        hub.post(f"{mark}sredro", json.dumps({mark + "live": mark}))
    console.open_live()
    console.wait(lambda: len(console.all(".event-row")) >= 9, "the events")
    for row in console.all(".event-row"):
        row.click()
    for page in ("#/events", "#/topics"):
        if page != "#/events":
            console.open_at(page)
        console.wait_for_text("main", "\\u202esredro")
        assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(console.run("return document.body.innerText"))


def test_nothing_that_is_written_is_unseen(hub, console):
    """A topic with it looks like one without."""
    marks = "\u00ad\u061c\u180e\u200b\u200d\u200e\u200f\u2060\u2064\u3164\ufe0f\ufeff\U000e0041"
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f"
    for mark in marks:
        hub.post(f"o{mark}rders", f"da{mark}ta {family}".encode())
    console.open_live()
    console.wait(lambda: len(console.all(".event-row")) >= len(marks), "the events")
    for row in console.all(".event-row"):
        row.click()
    for page in ("#/events", "#/topics", f"#/topics/o{marks[0]}rders"):
        if page != "#/events":
            console.open_at(page)
        console.wait_for_text("main", "o\\u00adrders")
        text = console.run("return document.body.innerText + document.title")
        assert not set(marks) & set(text.replace(family, ""))
    console.wait_for_text(".value-current", f"da\\u00adta {family}")


@pytest.mark.parametrize("depth", [5_000, 49_000])
def test_what_is_nested_deeply_is_shown_in_bounds(hub, console, topic, depth):
    hub.post(topic, b"[" * depth + b"]" * depth)
    console.open_live()
    console.wait(lambda: console.all(".event-row"), "the event").pop().click()
    shown = console.wait(lambda: console.run("return document.querySelector('.event-body')?.textContent.length"), "its data")
    assert 2 * depth <= shown < 200 * depth


@pytest.mark.parametrize("fragment", [
    "#/topics/%3Cimg%20src=x%20onerror=window.hacked=1%3E", "#/webhooks/%3Cimg%20src=x%20onerror=window.hacked=1%3E",
    "#/%3Cimg%20src=x%20onerror=window.hacked=1%3E", "#/topics/%E0%A4%A", "#/events?topic=%3Cimg/src=x/onerror=window.hacked=1%3E&text=%3Cimg%3E",
    "#/events?topic=..&topic=a*", "#/webhooks/..%2F..%2Ftopics", "#javascript:window.hacked=1",
    "#/constructor", "#/toString", "#/__proto__", "#/hasOwnProperty", "#/topics/..", "#/topics/.", "#/webhooks/.."])
def test_an_address_that_somebody_made_up_does_no_harm(hub, console, fragment):
    console.forgiven = "status of 4"
    console.open_at(fragment)
    assert console.run(FOUND) == [None, 0]
    assert console.run("return location.origin") == hub.url
    assert console.run("return [...document.querySelectorAll('main > *')].filter((part) => part.checkVisibility()).length") == 1
    console.run("location.hash = '#/health'")
    console.wait(lambda: console.driver.title == "Health – Clarion", "another page")
