"""A browser whose clock is wrong: what the hub tells is by the hub's clock."""

from __future__ import annotations

import re

import pytest

from waiting import wait_until

HOUR = 3_600_000

STEPPED = """
    const Real = Date
    globalThis.Date = class extends Real {
        constructor(...parts) { parts.length === 0 ? super(Real.now() + %d) : super(...parts) }
        static now() { return Real.now() + %d }
    }
"""


@pytest.fixture
def hub(start_hub):
    return start_hub("--allow-egress", "127.0.0.0/8", "--durability", "process", "--webhooks-retry", "50ms")


@pytest.fixture(params=[2, -2], ids=["ahead", "behind"])
def stepped(request, console):
    """The browser's clock, two hours off."""
    step = request.param * HOUR
    added = console.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": STEPPED % (step, step)})
    yield
    console.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


@pytest.fixture
def kathmandu(console):
    """5:45 hours before UTC."""
    console.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kathmandu"})
    yield
    console.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ""})


def test_the_last_hour_is_the_hubs(hub, console, receiver, topic, stepped):
    receiver.answer = lambda _: 500
    webhook = hub.register(receiver.url(), topic, description="fails")
    for number in range(5):
        hub.post(topic, str(number).encode())
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["deadLetters"] == 5)
    console.open_at(f"#/webhooks/{webhook['id']}")
    console.wait_for_text("h2", "fails")
    console.run("""
        const ask = window.fetch
        window.asked = []
        window.fetch = (url, options) => { asked.push([String(url), options?.body ?? ""]); return ask(url, options) }
    """)
    console.fill(".repeat select", "the last hour")
    answers = {"Replay everything…": "5 events will be", "Recover dead letters…": "5 dead letters will be"}
    for question, words in answers.items():
        console.press(question)
        console.wait_for_text(".repeat-count", words)
    console.press("Recover 5 dead letters")
    console.wait_for_text(".repeat .message-problem", "5 failed again")
    # By the hub's clock both times, and not so that it happens to fit.
    asked = console.run("return asked")
    assert any("since=1h" in url for url, _ in asked)
    assert [body for url, body in asked if url.endswith("/recover")] == ['{"since":"1h"}']
    assert re.match(r"Failing for \d+ s ", console.texts(".state-words")[0])


def test_ages_are_by_the_hubs_clock(hub, console, topic, stepped):
    hub.post(topic, b"1")
    console.open_at(f"#/topics/{topic}")
    console.wait(lambda: re.fullmatch(r"[1-9]\d* s ago", console.texts(".tile-value")[3]), "its age to grow")


def test_the_time_of_the_newest_event_is_local(hub, console, topic, kathmandu):
    hub.post(topic, b"1")
    [event] = hub.history(topic)
    console.open_at(f"#/topics/{topic}")
    hour, minute = int(event["time"][11:13]), int(event["time"][14:16])
    local = (hour * 60 + minute + 345) % 1_440
    console.wait_for_text(".tile-note", f"{local // 60:02}:{local % 60:02}")
