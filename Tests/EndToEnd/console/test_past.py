"""The past in the console's list of events: what is there when it opens, more by scrolling, filters, and peace for who reads."""

from __future__ import annotations

import json
import threading
from datetime import datetime, timedelta

import pytest

from hub_process import events_path

LINES = {"Content-Type": "application/x-ndjson"}


def post_many(hub, topic, numbers, type=None):
    """Posts events with these numbers as data, in batches."""
    numbers = list(numbers)
    headers = LINES | ({"Event-Type": type} if type else {})
    for start in range(0, len(numbers), 500):
        lines = "\n".join(json.dumps({"number": number}) for number in numbers[start:start + 500])
        assert hub.request("POST", events_path(topic), data=lines, headers=headers).status_code == 201


def shown_numbers(console):
    return [json.loads(text)["number"] for text in console.texts(".event-data")]


def scroll(console, end):
    console.run("""
        const part = document.querySelector(".event-scroll")
        part.scrollTop = arguments[0] === "down" ? part.scrollHeight : 0
    """, end)


def assert_in_sequence(numbers):
    assert numbers == list(range(numbers[0], numbers[0] - len(numbers), -1))


def test_it_opens_with_the_newest_200_and_goes_on_live_without_gap_or_duplicate(hub, console, topic):
    post_many(hub, topic, range(300))
    console.open_live()
    assert shown_numbers(console) == list(range(299, 99, -1))
    post_many(hub, topic, range(300, 303))
    console.wait(lambda: shown_numbers(console)[:1] == [302], "what came live")
    assert_in_sequence(shown_numbers(console))


#: Has what the stream brings come 300 ms late, so that the past knows more than the stream has brought.
LATE_STREAM = """
    const add = MessagePort.prototype.addEventListener
    MessagePort.prototype.addEventListener = function (type, handler, ...rest) {
        const late = (event) => event.data?.kind === "events" ? setTimeout(() => handler(event), 300) : handler(event)
        return add.call(this, type, type === "message" ? late : handler, ...rest)
    }
"""


@pytest.mark.parametrize("script", ["", LATE_STREAM], ids=["stream in time", "stream late"])
def test_past_and_present_meet_while_events_arrive(hub, console, topic, script):
    added = console.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    posted = 0
    ending = threading.Event()

    def flood():
        nonlocal posted
        # No more than the list holds until it is looked at.
        while not ending.wait(0.01):
            post_many(hub, topic, range(posted, posted + 5))
            posted += 5

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        # Whatever the past brings and whatever the stream does: each event once, in order.
        for _ in range(3):
            console.open_live()
            console.wait(lambda: console.texts(".event-data"), "events")
            newest = shown_numbers(console)[0]
            console.wait(lambda: shown_numbers(console)[0] > newest + 50, "what the stream brings")
            assert_in_sequence(shown_numbers(console))
    finally:
        ending.set()
        thread.join()
        console.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    console.wait(lambda: shown_numbers(console)[0] == posted - 1, "the last one")
    assert_in_sequence(shown_numbers(console))


@pytest.mark.parametrize("spread", ["one moment", "many moments"])
def test_scrolling_down_reaches_the_oldest_and_up_the_newest_in_bounded_memory(hub, console, topic, spread):
    total = 1_300
    if spread == "one moment":
        # All have the same time, so that no time divides them.
        lines = "\n".join(json.dumps({"number": number}) for number in range(total))
        assert hub.request("POST", events_path(topic), data=lines, headers=LINES).status_code == 201
    else:
        for start in range(0, total, 65):
            post_many(hub, topic, range(start, start + 65))
    console.open_live()
    most = 0

    def reaches(number, end, place):
        nonlocal most
        scroll(console, end)
        numbers = shown_numbers(console)
        assert_in_sequence(numbers)
        most = max(most, len(numbers))
        return numbers[place] == number

    console.wait(lambda: reaches(0, "down", -1), "the oldest event")
    console.wait(lambda: reaches(total - 1, "up", 0), "the newest event")
    assert most <= 500
    post_many(hub, topic, [total])
    console.wait(lambda: scroll(console, "up") or shown_numbers(console)[0] == total, "the list to be live again")


def test_an_open_row_stays_where_it_is_while_a_thousand_events_a_second_arrive(hub, console, topic):
    post_many(hub, topic, range(50))
    console.open_live()
    row = console.all(".event-row")[5]
    row.click()
    before, text = row.rect, console.find(".event-body").text
    ending = threading.Event()
    posted = []

    def flood():
        while not ending.wait(0.05):
            post_many(hub, topic, range(50))
            posted.append(50)

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        console.wait(lambda: sum(posted) >= 1_000, "a thousand events")
        assert row.rect == before and console.find(".event-body").text == text
        console.wait(lambda: console.find("#events-newest").is_displayed(), "the way to what is new")
        assert len(console.all(".event-row")) == 50
    finally:
        ending.set()
        thread.join()
    # The number of elements does not grow with what waits.
    assert console.run("return document.querySelectorAll('*').length") < 1_500
    post_many(hub, topic, [-1])
    console.find("#events-newest").click()
    console.wait(lambda: shown_numbers(console)[0] == -1, "what is new")
    assert len(console.all(".event-row")) <= 500


def test_a_text_narrows_the_list_at_once_and_finds_what_lies_further_back(hub, console, topic):
    hub.post(topic, b"a needle of long ago")
    post_many(hub, topic, range(1_500))
    hub.post(topic, b"a Needle of today")
    console.open_live()
    console.fill("#filter-text", "needle")
    console.wait(lambda: len(console.all(".event-row")) == 2, "both, and nothing else")
    assert ["needle" in row.lower() for row in console.texts(".event-row")] == [True, True]
    hub.post(topic, b"hay")
    hub.post(topic, b"one more needle")
    console.wait_for_row("one more needle")
    assert console.rows_with("hay") == []
    assert "text=needle" in console.driver.current_url
    console.fill("#filter-text", "")
    console.wait_for_row("hay")


def test_types_are_chosen_by_the_hub_and_kept_in_the_address(hub, console, topic):
    post_many(hub, topic, range(300), type="noise")
    hub.post(topic, b"rare", type="signal")
    post_many(hub, topic, range(300), type="noise")
    console.open_live()
    console.fill("#filter-type", "signal")
    console.wait(lambda: len(console.all(".event-row")) == 1, "the rare one alone")
    hub.post(topic, b"rarer", type="signal")
    hub.post(topic, b"common", type="noise")
    console.wait_for_row("rarer")
    console.driver.refresh()
    console.wait_for_state("live")
    assert [("rare" in row) for row in console.texts(".event-row")] == [True, True]


def test_rows_go_that_no_longer_match_when_fewer_topics_are_chosen(hub, console, topic):
    hub.post(f"{topic}.kept", b"kept")
    hub.post(f"{topic}.left", b"left")
    console.open_live()
    console.wait_for_row("left")
    console.listen_to(f"{topic}.kept")
    assert console.rows_with("left") == [] and len(console.rows_with("kept")) == 1
    assert f"topic={topic}.kept" in console.driver.current_url


def test_an_address_leads_to_an_event_however_old_it_is(hub, console, topic):
    post_many(hub, topic, range(800))
    wanted = hub.history(topic)[321]
    console.open_at(f"#/events?topic={topic}&event={wanted['id']}")
    console.wait(lambda: console.texts(".event-body"), "the event to be open")
    assert json.loads(console.find(".event-body").text) == {"number": 321}
    assert wanted["id"] in console.find(".event.is-open").text
    assert_in_sequence(shown_numbers(console))
    scroll(console, "down")
    console.wait(lambda: shown_numbers(console)[-1] < 321, "what was before it")
    assert_in_sequence(shown_numbers(console))
    # What is opened is what the address says.
    console.press("Newest")
    console.wait(lambda: shown_numbers(console)[0] == 799, "the newest")
    console.all(".event-row")[0].click()
    newest = hub.history(topic)[-1]["id"]
    console.wait(lambda: console.driver.current_url.endswith(f"event={newest}"), "the address of the open event")


def test_an_address_of_an_event_that_is_gone_says_so_and_shows_the_newest(hub, console, topic):
    console.forgiven = "status of 404"
    hub.post(topic, b"here")
    console.open_at(f"#/events?topic={topic}&event=gone-1")
    console.wait_for_row("here")
    console.wait_for_text("#stream-problem", "event-unknown")


def test_a_past_cloudevent_shows_what_its_poster_says_of_it(hub, console, topic):
    event = {"specversion": "1.0", "id": "17", "source": "/shop", "type": "order.created", "time": "1999-12-31T23:59:59Z", "data": {"a": 1}}
    answer = hub.request("POST", events_path(topic), json=event, headers={"Content-Type": "application/cloudevents+json"})
    assert answer.status_code == 201
    console.open_live()
    console.find(".event-row").click()
    console.wait(lambda: "/shop" in console.texts(".event-members dd"), "its source")
    assert "1999-12-31T23:59:59Z" in console.texts(".event-members dd")


BATCH = {"Content-Type": "application/cloudevents-batch+json"}


def cloudevents(numbers):
    """A batch of CloudEvents with these numbers as data, and a time of their own."""
    return json.dumps([
        {"specversion": "1.0", "id": str(number), "source": "/s", "type": "t", "time": "1999-12-31T23:59:59Z", "data": {"number": number}}
        for number in numbers])


def post_cloudevents(hub, topic, numbers):
    assert hub.request("POST", events_path(topic), data=cloudevents(numbers), headers=BATCH).status_code == 201


#: What a page has asked the hub for so far.
ASKED = "return performance.getEntriesByType('resource').map(({ name }) => decodeURIComponent(name)).filter((url) => url.includes('since='))"


@pytest.mark.parametrize("place", ["first of a batch", "within a batch", "last of a batch"])
def test_an_address_leads_to_a_cloudevent_of_the_time_when_it_was_committed(hub, console, topic, place):
    post_many(hub, topic, range(300))
    # More than a page of history, all of one time.
    post_cloudevents(hub, topic, range(300, 1_500))
    post_many(hub, topic, range(1_500, 1_800))
    number = {"first of a batch": 300, "within a batch": 900, "last of a batch": 1_499}[place]
    wanted = hub.history(topic)[number]
    console.open_at(f"#/events?topic={topic}&event={wanted['id']}")
    console.wait(lambda: console.texts(".event.is-open .event-body"), "the event to be open")
    time = console.run("return document.querySelector('.event.is-open .event-time').title")
    assert time == wanted["time"]
    assert wanted["time"] in console.texts(".event.is-open .event-members dd")
    console.wait(lambda: "/s" in console.texts(".event.is-open .event-members dd"), "what its poster says of it")
    scroll(console, "down")
    console.wait(lambda: shown_numbers(console)[-1] < number, "what was before it")
    assert_in_sequence(shown_numbers(console))
    # From the beginning only once it has come there.
    assert "earliest" not in console.run(ASKED)[0]


def test_an_address_leads_to_the_only_cloudevent_of_another_topic(hub, console, topic):
    """Nothing follows it, and the list is of others."""
    post_cloudevents(hub, f"{topic}.alone", [0])
    post_many(hub, topic, range(300))
    wanted = hub.history(f"{topic}.alone")[0]
    console.open_at(f"#/events?topic={topic}&of={topic}.alone&event={wanted['id']}")
    console.wait(lambda: console.texts(".event.is-open .event-body"), "the event to be open")
    assert console.run("return document.querySelector('.event.is-open .event-time').title") == wanted["time"]


OLDER = """
    const [topic, id, span, done] = arguments
    import("/scripts/events/history.js").then(async ({ History }) => {
        const history = new History({ patterns: [topic], types: "" }, new AbortController().signal)
        const { events, isAll } = await history.older({ id, time: null }, 200, span)
        done([events.map(({ data }) => JSON.parse(data).number), isAll])
    })
"""


def test_what_was_before_a_cloudevent_is_found_whatever_came_since(hub, console, topic):
    """One that came live does not tell when it was committed. What lies between it and now is not what was before it."""
    posted = 0
    times = []
    while not times or times[-1] - times[0] < timedelta(seconds=2):
        post_cloudevents(hub, topic, range(posted, posted + 100))
        posted += 100
        times = [datetime.fromisoformat(event["time"]) for event in hub.history(topic)]
    console.open()
    edge = hub.history(topic)[100]["id"]
    for span in (1, 10, 100, 500, 1_000, 1_500, 60_000):
        numbers, is_all = console.driver.execute_async_script(OLDER, topic, edge, span)
        assert (numbers, is_all) == (list(range(100)), True) or (numbers == list(range(100 - len(numbers), 100)) and len(numbers) >= 50)


def test_what_was_cleared_comes_back_only_when_asked_for(hub, console, topic):
    post_many(hub, topic, range(5))
    console.open_live()
    console.find("#clear").click()
    post_many(hub, topic, [5])
    console.wait(lambda: shown_numbers(console) == [5], "only what is new")
    console.press("Show earlier events")
    console.wait(lambda: shown_numbers(console) == [5, 4, 3, 2, 1, 0], "all of it")
