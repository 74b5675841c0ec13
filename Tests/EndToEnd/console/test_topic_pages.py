"""The pages of topics and observers: what there is, who hears it, what is kept, and the topic as a value."""

from __future__ import annotations

import json

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from hub_process import events_path
from waiting import wait_until


def open_topic(console, topic):
    console.open_at(f"#/topics/{topic}")
    console.wait_for_text("h2", topic)


def value_of(hub, topic):
    return hub.get(f"/topics/{topic}/value").text


def test_topics_are_listed_with_counts_and_last_times_and_searched(hub, console, topic):
    for number in range(0, 1_030, 10):
        hub.post(f"{topic}.{number:04}", b"x")
    lines = "\n".join(json.dumps({"n": n}) for n in range(7))
    hub.request("POST", events_path(f"a.{topic}"), data=lines, headers={"Content-Type": "application/x-ndjson"})
    console.open_at("#/topics")
    console.wait_for_text(".page-summary", "104 topics, 110 events")
    first = console.wait(lambda: console.all(".row"), "the topics")[0]
    console.wait(lambda: " ago" in first.text, "the time of its newest event")
    assert f"a.{topic}" in first.text and "7 events" in first.text
    console.fill(".page-head .search", ".0050")
    assert console.texts(".row-name") == [f"{topic}.0050"]
    hub.post(f"{topic}.0050", b"y")
    console.wait_for_text(".row-number", "2 events")
    console.press(f"{topic}.0050")
    console.wait_for_text("h2", f"{topic}.0050")
    console.press("Its events")
    console.wait(lambda: console.texts(".chip-text") == [f"{topic}.0050"], "its events alone")


def test_more_topics_than_the_hub_lists_are_searched_by_the_hub(hub, console):
    for number in range(1_005):
        hub.request("PUT", f"/topics/b.{number:04}", json={"retention": {"events": 5}})
    hub.post("z.last", b"x")
    console.open_at("#/topics")
    console.wait_for_text(".page-summary", "the first 1,000 topics")
    assert len(console.all(".row")) == 200
    console.fill(".page-head .search", "z.l")
    console.wait(lambda: console.texts(".row-name") == ["z.last"], "a topic beyond the first")


def test_a_value_is_set_only_if_it_is_still_what_was_seen(hub, console, topic):
    console.forgiven = "status of 412"
    hub.request("PUT", f"/topics/{topic}/value", data=b'{"lamp": "on"}', headers={"Content-Type": "application/json"})
    open_topic(console, topic)
    form = "form[aria-label='Set the value']"
    console.wait(lambda: console.run("return document.querySelector(arguments[0]).value", f"{form} [name=data]") == '{"lamp": "on"}', "the value")
    console.fill(f"{form} [name=data]", "mine")
    hub.request("PUT", f"/topics/{topic}/value", data=b"theirs", headers={"Content-Type": "text/plain"})
    console.press("Set the value")
    console.wait_for_text(".value .message-problem", "Somebody else has set the value meanwhile")
    assert value_of(hub, topic) == "theirs"
    console.wait_for_text(".value-current", "theirs")
    assert console.run("return document.querySelector(arguments[0]).value", f"{form} [name=data]") == "mine"
    console.press("Set mine over it")
    console.wait_for_text(".value .message-success", "Set.")
    assert value_of(hub, topic) == "mine"


SET_FORM = "form[aria-label='Set the value']"


def put_value(hub, topic, data, content_type="text/plain", **query):
    hub.request("PUT", f"/topics/{topic}/value", data=data, headers={"Content-Type": content_type}, params=query)


def set_button(console):
    return console.find(f"{SET_FORM} [type=submit]")


def field_text(console, name):
    return console.run("return document.querySelector(arguments[0]).value", f"{SET_FORM} [name={name}]")


@pytest.mark.parametrize("data, reason", [
    (b"x" * 100_001, "more than 100,000 characters"), (b"\xff\x00", "is binary")], ids=["long", "binary"])
def test_a_value_that_the_field_does_not_hold_is_not_emptied(hub, console, topic, data, reason):
    put_value(hub, topic, data, "application/octet-stream")
    open_topic(console, topic)
    console.wait_for_text(f"{SET_FORM} .hint", reason)
    assert not set_button(console).is_enabled()
    # Of another type alone the data would still be empty.
    console.fill(f"{SET_FORM} [name=type]", "other")
    assert not set_button(console).is_enabled()
    console.fill(f"{SET_FORM} [name=data]", "mine")
    assert set_button(console).is_enabled()
    console.press("Start from the current one")
    assert not set_button(console).is_enabled()
    put_value(hub, topic, b"short")
    console.wait(lambda: field_text(console, "data") == "short", "data that the field holds")
    assert set_button(console).is_enabled()
    assert not any(reason in text for text in console.texts(f"{SET_FORM} .hint"))


@pytest.mark.parametrize("kind", ["gr\u00f6\u00dfe", "\u65e5\u672c", "100% \u0007", "created"])
def test_what_is_not_edited_of_a_value_stays(hub, console, topic, kind):
    data = b"\xef\xbb\xbfa\r\nb\r\n"
    put_value(hub, topic, data, "text/csv", type=kind)
    open_topic(console, topic)
    console.wait(lambda: field_text(console, "type") == kind, "its type")
    console.press("Set the value")
    console.wait_for_text(".value .message-success", "Set.")
    [first, second] = hub.history(topic)
    assert (second["type"], second["contentType"], second["data"]) == (kind, "text/csv", first["data"])
    assert hub.get(f"/topics/{topic}/value").content == data
    # What is written has the line breaks that were there.
    console.fill(f"{SET_FORM} [name=data]", "a\nc\n")
    console.press("Set the value")
    wait_until(lambda: hub.get(f"/topics/{topic}/value").content == b"a\r\nc\r\n")


def test_a_value_is_set_with_a_type_of_any_letters(hub, console, topic):
    console.forgiven = "status of 404"
    open_topic(console, topic)
    console.wait_for_text(".value-current", "There is no value yet")
    console.fill(f"{SET_FORM} [name=data]", "1")
    console.fill(f"{SET_FORM} [name=type]", "\u65e5\u672c")
    console.press("Set the value")
    console.wait_for_text(".value .message-success", "Set.")
    assert hub.history(topic)[0]["type"] == "\u65e5\u672c"


@pytest.mark.parametrize("written, words", [
    ("\u65e5\u672c", "This cannot be sent"), ("gr\u00f6\u00dfe", "parameter-invalid")])
def test_a_content_type_that_cannot_be_sent_is_blamed(hub, console, topic, written, words):
    console.forgiven = "status of 40"
    open_topic(console, topic)
    console.wait_for_text(".value-current", "There is no value yet")
    console.fill(f"{SET_FORM} [name=contentType]", written)
    console.press("Set the value")
    console.wait_for_text(".value .message-problem", words)
    assert console.find(f"{SET_FORM} [name=contentType]").get_attribute("aria-invalid") == "true"
    assert hub.get(f"/topics/{topic}/value").status_code == 404


def test_a_form_that_is_not_edited_does_not_bring_back_a_former_value(hub, console, topic):
    put_value(hub, topic, b"first")
    open_topic(console, topic)
    console.wait(lambda: field_text(console, "data") == "first", "the value")
    put_value(hub, topic, b"second")
    console.wait_for_text(".value-current", "second")
    console.press("Set the value")
    console.wait_for_text(".value .message-success", "Set.")
    assert value_of(hub, topic) == "second"


def test_a_change_is_told_before_it_becomes_a_conflict(hub, console, topic):
    hub.post(topic, b"first")
    open_topic(console, topic)
    console.wait_for_text(".value-current", "first")
    console.fill("form[aria-label='Set the value'] [name=data]", "mine")
    hub.post(topic, b"second")
    console.wait_for_text(".value .message", "The value has changed since you began to write")
    console.press("Start from the current one")
    assert console.run("return document.querySelector('[name=data]').value") == "second"


def test_the_first_value_is_set_only_if_there_is_none(hub, console, topic):
    console.forgiven = "status of 4"
    open_topic(console, topic)
    console.wait_for_text(".value-current", "There is no value yet")
    console.fill("form[aria-label='Set the value'] [name=data]", "first")
    hub.post(topic, b"theirs")
    console.press("Set the value")
    console.wait_for_text(".value .message-problem", "Somebody else has set the value meanwhile")
    assert value_of(hub, topic) == "theirs"


def test_retention_is_shown_changed_and_taken_away(hub, console, topic):
    console.forgiven = "status of 4"
    hub.request("PUT", f"/topics/{topic}", json={"retention": {"events": 9}})
    for number in range(9):
        hub.post(topic, str(number).encode())
    open_topic(console, topic)
    form = "form[aria-label='Retention']"
    console.wait(lambda: console.run("return document.querySelector(arguments[0]).value", f"{form} [name=events]") == "9", "its bound")
    console.fill(f"{form} [name=age]", "7 days")
    console.press("Save", form)
    console.wait(lambda: console.find(f"{form} [name=age]").get_attribute("aria-invalid") == "true", "the fault at its field")
    console.fill(f"{form} [name=age]", "7d")
    console.fill(f"{form} [name=events]", "3")
    console.press("Save", form)
    console.wait_for_text(f"{form} .message-success", "Saved")
    assert hub.get(f"/topics/{topic}").json()["retention"] == {"events": 3, "age": "7d", "bytes": None}
    console.wait(lambda: console.texts(".tile-value")[0] == "3", "the oldest to be gone")
    console.press("Take all bounds away")
    wait_until(lambda: hub.get(f"/topics/{topic}").json()["retention"] is None)
    console.press("Delete the topic")
    console.press("Really delete all its events?")
    console.wait(lambda: console.driver.current_url.endswith("#/topics"), "the list")
    assert hub.get(f"/topics/{topic}").status_code == 404


def test_bounds_that_are_being_written_are_not_overwritten(hub, console, topic):
    hub.request("PUT", f"/topics/{topic}", json={"retention": {"events": 9}})
    hub.post(topic, b"1")
    open_topic(console, topic)
    form = "form[aria-label='Retention']"
    read = "return document.querySelector(arguments[0]).value"
    console.wait(lambda: console.run(read, f"{form} [name=events]") == "9", "its bound")
    console.fill(f"{form} [name=age]", "7d")
    hub.request("PUT", f"/topics/{topic}", json={"retention": {"events": 5}})
    # Two answers later the page has seen it.
    for number in ("2", "3"):
        hub.post(topic, b"1")
        console.wait(lambda number=number: console.texts(".tile-value")[0] == number, "the next answer")
    assert [console.run(read, f"{form} [name={name}]") for name in ("events", "age")] == ["9", "7d"]
    console.press("Take all bounds away")
    console.wait_for_text(f"{form} .message-success", "Saved")
    assert [console.run(read, f"{form} [name={name}]") for name in ("events", "age")] == ["", ""]
    hub.request("PUT", f"/topics/{topic}", json={"retention": {"events": 4}})
    console.wait(lambda: console.run(read, f"{form} [name=events]") == "4", "what others set, shown again")


def test_a_double_click_or_a_key_held_down_is_not_its_own_confirmation(hub, console, topic):
    hub.post(topic, b"1")
    open_topic(console, topic)
    buttons = lambda: [one for one in console.all(".actions button") if one.text == "Delete the topic"]
    delete = console.wait(buttons, "the button")[0]
    ActionChains(console.driver).double_click(delete).perform()
    assert delete.text == "Really delete all its events?"
    ActionChains(console.driver).send_keys(Keys.ESCAPE).perform()
    assert delete.text == "Delete the topic"
    key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
    for repeated in (False, True, True):
        console.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyDown", "autoRepeat": repeated, **key})
    assert delete.text == "Really delete all its events?"
    console.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp", **key})
    assert hub.get(f"/topics/{topic}").status_code == 200
    console.forgiven = "status of 404"
    ActionChains(console.driver).send_keys(Keys.ENTER).perform()
    console.wait(lambda: console.driver.current_url.endswith("#/topics"), "the list")
    assert hub.get(f"/topics/{topic}").status_code == 404


def test_who_hears_a_topic_is_told(hub, console, topic):
    hub.post(f"{topic}.a", b"x")
    hub.register("https://example.com/hook", f"{topic}.*", description="The ledger")
    with hub.stream(f"{topic}.a", query="observer=the-lamp"):
        open_topic(console, f"{topic}.a")
        console.wait(lambda: {"The ledger"} <= set(console.texts(".observer-row .row-name")), "the webhook")
        console.wait(lambda: any("the-lamp" in name for name in console.texts(".observer-row .row-name")), "the stream")
        console.open_at("#/observers")
        row = console.wait(lambda: [row for row in console.all(".observer-row") if "the-lamp" in row.text], "the stream")[0]
        assert "up to date" in row.text and "for " in row.text and "Listening" in row.text
        console.wait(lambda: any("(this page)" in text for text in console.texts(".row-name")), "this page's own")
        console.press("Streams", ".choice")
        assert not any("The ledger" in row.text for row in console.all(".observer-row") if row.is_displayed())
        console.fill(".page-head .search", "the-lamp")
        console.press("End")
        console.press("Really end it?")
        console.wait(lambda: not any("the-lamp" in name for name in console.texts(".row-name")), "the stream to be gone")


def test_what_ends_a_stream_says_which(hub, console, topic):
    with hub.stream(topic, query="observer=the-lamp"), hub.stream(topic, query="observer=the-door"):
        console.open_at("#/observers")
        console.wait(lambda: len(console.all(".observer-row button")) >= 2, "the streams")
        names = console.run("""
            return [...document.querySelectorAll(".observer-row button")]
                .map((button) => document.getElementById(button.getAttribute("aria-describedby"))?.textContent)
        """)
        assert len(names) == len(set(names))
        assert all(any(id in name for name in names) for id in ("the-lamp", "the-door"))


@pytest.fixture
def crowded(start_hub, console):
    """A hub with one more webhook than the hub lists at a time, and one on `mine`, which is listed last."""
    hub = start_hub("--durability", "process")
    console.url = hub.url
    for number in range(1_001):
        hub.request("PUT", f"/observers/w{number:04}", json={"topics": ["other"], "url": "https://example.com/"})
    hub.register("https://example.com/", "mine", description="The ledger")
    hub.post("mine", b"1")
    return hub


#: What the hub lists at a time is as short as the console's own bound of pages wants it.
SHORT_PAGES = """
    const asked = window.fetch
    window.fetch = (url, options) => asked(url.replace("limit=1000", "limit=100"), options)
"""


def test_observers_beyond_the_first_page_are_found(crowded, console):
    open_topic(console, "mine")
    console.wait(lambda: "The ledger" in console.texts(".observer-row .row-name"), "who hears it")
    console.run("location.hash = '#/observers'")
    console.wait_for_text(".page-summary", "1,002 webhooks")
    console.wait_for_text(".panel-list .hint", "The first 1,000 are shown.")
    console.fill(".page-head .search", "ledger")
    console.wait(lambda: console.texts(".observer-row .row-name") == ["The ledger"], "it alone")
    console.fill(".page-head .search", "nobody")
    assert console.texts(".panel-list .hint") == ["There is none like that."]


def test_what_is_beyond_the_pages_that_are_followed_is_not_denied(crowded, console):
    # So that 500 are what is followed.
    console.open_at("#/events")
    console.run(SHORT_PAGES)
    console.run("location.hash = '#/topics/mine'")
    console.wait_for_text(".panel .hint", "not among the first 500 observers of the hub")
    assert not any("Nobody hears it" in text for text in console.texts(".hint"))
    for page in ("webhooks", "observers"):
        console.run(f"location.hash = '#/{page}'")
        console.wait_for_text(".page-summary", "irst 500")
        console.fill(".page-head .search", "ledger")
        console.wait_for_text(".panel-list .hint", "There is none like that among the first 500.")


def test_nobody_is_told_where_nobody_hears(hub, console, topic):
    hub.post(topic, b"1")
    console.open_at("#/events?topic=elsewhere")
    console.run("location.hash = arguments[0]", f"#/topics/{topic}")
    console.wait_for_text(".panel .hint", "Nobody hears it right now.")
