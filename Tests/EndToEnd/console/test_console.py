"""The console, driven in a real browser as its user would."""

from __future__ import annotations

import json
import uuid

import pytest
import requests
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


def unique(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:8]}"


def post(hub, topic: str, data: str, **headers: str) -> str:
    response = requests.post(f"{hub.url}/topics/{topic}/events", data=data, headers=headers, timeout=10)
    assert response.status_code == 201, response.text
    return response.json()["id"]


def press(console, *keys: str) -> None:
    ActionChains(console.driver).send_keys(*keys).perform()


def press_with_control(console, key: str) -> None:
    ActionChains(console.driver).key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()


def focused_id(console) -> str:
    return console.run("return document.activeElement.id")


def tab_to(console, element_id: str) -> None:
    for _ in range(60):
        if focused_id(console) == element_id:
            return
        press(console, Keys.TAB)
    raise AssertionError(f"the Tab key does not lead to #{element_id}")


def test_an_event_posted_over_http_appears_with_its_topic_type_data_and_id(hub, console):
    console.open_live()
    console.take_picture("empty")
    topic, data = unique("orders.created"), unique("lamp")
    event_id = post(hub, topic, json.dumps({"item": data}), **{"Event-Type": "created", "Content-Type": "application/json"})
    row = console.wait_for_row(data)
    assert topic in row
    assert "created" in row
    assert event_id in row
    console.take_picture("event")


def members_of_open_row(console) -> dict[str, str]:
    return dict(zip(console.texts(".event-members dt"), console.texts(".event-members dd")))


def test_a_cloudevent_is_shown_with_its_topic_and_what_its_poster_says_as_that(hub, console):
    console.open_live()
    topic, data = unique("orders"), unique("lamp")
    event = {
        "specversion": "1.0", "id": "17", "source": "/shop", "type": "order.created", "subject": "not.the.topic",
        "time": "1999-12-31T23:59:59Z", "topic": "nor.this", "buyer": "Jürgen", "count": 7, "paid": False, "data": {"item": data}}
    event_id = post(hub, topic, json.dumps(event), **{"Content-Type": "application/cloudevents+json"})
    row = console.wait_for_row(data)
    assert topic in row and "order.created" in row and event_id in row
    assert "not.the.topic" not in row and "nor.this" not in row
    console.find(".event-row").send_keys(Keys.ENTER)
    members = members_of_open_row(console)
    assert members.pop("Arrived").startswith("20")
    assert members == {
        "Topic": topic, "Type": "order.created", "Id": event_id, "CloudEvent source": "/shop",
        "CloudEvent subject": "not.the.topic", "CloudEvent time": "1999-12-31T23:59:59Z", "CloudEvent id": "17",
        "CloudEvent buyer": "Jürgen", "CloudEvent count": "7", "CloudEvent paid": "false", "CloudEvent topic": "nor.this"}
    link = console.find(".event-actions a").get_attribute("href")
    assert requests.get(link, timeout=10).json() == {"item": data}
    console.take_picture("cloudevent")


def test_a_cloudevent_without_a_subject_has_its_topic_too(hub, console):
    console.open_live()
    topic, data = unique("orders"), unique("lamp")
    headers = {"ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "t", "Content-Type": "text/plain"}
    post(hub, topic, data, **headers)
    assert topic in console.wait_for_row(data)
    console.find(".event-row").send_keys(Keys.ENTER)
    assert console.find(".event-body").text == data


def test_an_event_that_was_posted_as_data_has_the_hubs_time_and_no_more(hub, console):
    console.open_live()
    topic = unique("plain")
    # Data that is an envelope itself is data.
    data = json.dumps({"specversion": "1.0", "clariontopic": "forged", "subject": "forged", "note": unique("note")})
    event_id = post(hub, topic, data, **{"Content-Type": "application/json"})
    row = console.wait_for_row(topic)
    assert event_id in row
    console.find(".event-row").send_keys(Keys.ENTER)
    members = members_of_open_row(console)
    committed = requests.get(f"{hub.url}/topics/{topic}/events", timeout=10).json()["events"][0]["time"]
    assert set(members) == {"Topic", "Content type", "Committed", "Arrived", "Id"}
    assert (members["Topic"], members["Committed"]) == (topic, committed)


def test_an_event_opens_into_json_with_every_digit_kept(hub, console):
    console.open_live()
    data = unique("digits")
    post(hub, "numbers", f'{{"name":"{data}","big":12345678901234567890,"list":[1,{{}}]}}', **{"Content-Type": "application/json"})
    console.wait_for_row(data)
    console.find(".event-row").send_keys(Keys.ENTER)
    assert console.find(".event-row").get_attribute("aria-expanded") == "true"
    shown = console.find(".event-body").text
    assert shown == f'{{\n  "name": "{data}",\n  "big": 12345678901234567890,\n  "list": [\n    1,\n    {{}}\n  ]\n}}'


def test_an_event_is_posted_with_the_keyboard_alone(hub, console):
    console.open_live()
    topic, data = unique("greetings"), unique("hello")
    tab_to(console, "post-topic")
    press_with_control(console, "a")
    press(console, topic)
    tab_to(console, "post-type")
    press(console, "waved")
    tab_to(console, "post-body")
    press_with_control(console, "a")
    press(console, data)
    command = console.find("#post-command code").text
    press_with_control(console, Keys.ENTER)
    row = console.wait_for_row(data)
    assert "waved" in row
    result = console.wait(lambda: console.find("#post-result").text, "the answer to the post")
    assert result.startswith("Committed as ")
    assert result.removeprefix("Committed as ") in row
    assert command == f"curl -H 'Event-Type: waved' -d {data} {hub.url}/topics/{topic}/events"
    assert focused_id(console) == "post-body", "the focus stays where the next event will be written"


def test_a_refused_post_says_why_beside_the_form(hub, console):
    console.open_live()
    field = console.find("#post-topic")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys("orders.*", Keys.CONTROL, Keys.ENTER)
    problem = console.wait(lambda: console.texts("#post-result .message-problem"), "the problem")[0]
    answer = requests.post(f"{hub.url}/topics/orders.*/events", data="hello", timeout=10).json()
    assert answer["title"] in problem
    assert answer["code"] in problem
    # The browser itself reports every answer of 400 and above.
    assert all("status of 400" in complaint for complaint in console.complaints())


def test_a_post_whose_answer_is_lost_is_stored_once_when_it_is_sent_again(hub, console):
    console.open_live()
    topic = unique("lost")
    console.fill("#post-topic", topic)
    console.run("""
        const send = window.fetch
        window.fetch = async (...request) => {
            const answer = await send(...request)
            if (request[1]?.method !== "POST") return answer
            window.fetch = send
            throw new TypeError("The connection was lost.")
        }
    """)
    field = console.find("#post-topic")
    field.send_keys(Keys.CONTROL, Keys.ENTER)
    console.wait_for_text("#post-result .message-problem", "It may have done what was asked.")
    field.send_keys(Keys.CONTROL, Keys.ENTER)
    console.wait_for_text("#post-result .message-success", "Posted before")
    field.send_keys(Keys.CONTROL, Keys.ENTER)
    console.wait_for_text("#post-result .message-success", "Committed")
    assert len(requests.get(f"{hub.url}/topics/{topic}/events", timeout=10).json()["events"]) == 2


def test_only_the_chosen_patterns_are_heard_and_the_choice_outlives_a_reload(hub, console):
    console.open_live()
    name = unique("room")
    console.listen_to(f"{name}.*", f"{name}-other")
    outside, inside, beside = unique("outside"), unique("inside"), unique("beside")
    post(hub, f"{name}.a.b", outside)
    post(hub, f"{name}.a", inside)
    post(hub, f"{name}-other", beside)
    console.wait_for_row(inside)
    console.wait_for_row(beside)
    assert console.rows_with(outside) == []

    console.driver.refresh()
    console.wait_for_state("live")
    assert console.texts(".chip-text") == [f"{name}.*", f"{name}-other"]
    again = unique("again")
    post(hub, f"{name}.a", again)
    console.wait_for_row(again)


@pytest.mark.parametrize("fault", ["orders*", "**.created", ".."])
def test_a_pattern_that_is_none_is_explained_and_not_added(hub, console, fault):
    console.open_live()
    console.find("#pattern").send_keys(fault, Keys.ENTER)
    assert console.find("#subscription-fault").text != ""
    assert console.texts(".chip-text") == ["**"]


def test_a_lost_connection_is_resumed_without_a_gap_or_a_duplicate(hub, console, line):
    console.open_live()
    name = unique("resume")
    console.listen_to(name)
    before, meanwhile, after = unique("before"), unique("meanwhile"), unique("after")
    post(hub, name, before)
    console.wait_for_row(before)
    line.cut()
    console.wait_for_state("reconnecting")
    post(hub, name, meanwhile)
    console.take_picture("reconnecting")
    line.mend()
    console.wait_for_state("live")
    post(hub, name, after)
    console.wait_for_row(after)
    shown = [next(word for word in (before, meanwhile, after) if word in row) for row in console.texts(".event-row")]
    assert shown == [after, meanwhile, before]
    # By the hub's clock, also of what came late.
    times = [event["time"] for event in requests.get(f"{hub.url}/topics/{name}/events", timeout=10).json()["events"]]
    assert console.run("return [...document.querySelectorAll('.event-time')].map((time) => time.title)") == times[::-1]
    assert all("net::ERR_" in complaint for complaint in console.complaints())


def test_a_page_left_behind_keeps_no_connection(hub, console):
    def own_streams() -> list[str]:
        observers = requests.get(f"{hub.url}/observers", timeout=10).json()["observers"]
        return [observer["id"] for observer in observers if observer["topics"] == [name]]

    # Browsers keep a page for the way back, and with it what it leaves open: six such pages, and no seventh loads.
    name = unique("left")
    console.open_live()
    console.listen_to(name)
    console.wait(lambda: len(own_streams()) == 1, "the page's stream")
    console.driver.get("about:blank")
    console.wait(lambda: own_streams() == [], "the stream to end")
    console.driver.back()
    console.wait_for_state("live")
    data = unique("back")
    post(hub, name, data)
    console.wait_for_row(data)


def test_a_paused_list_waits_and_then_shows_what_came(hub, console):
    console.open_live()
    console.find("#pause").click()
    console.wait_for_state("paused")
    data = unique("patience")
    post(hub, "pauses", data)
    console.wait(lambda: "1 waiting" in console.find("#event-total").text, "the event to wait")
    assert console.rows_with(data) == []
    console.find("#pause").click()
    console.wait_for_row(data)
    console.find("#clear").click()
    assert console.texts(".event-row") == []


def test_the_list_keeps_the_newest_500(hub, console):
    console.open_live()
    name = unique("many")
    console.listen_to(name)
    with requests.Session() as session:
        for number in range(520):
            session.post(f"{hub.url}/topics/{name}/events", data=f"number {number}.", timeout=10)
    console.wait_for_row("number 519.")
    assert len(console.texts(".event-row")) == 500
    assert console.rows_with("number 19.") == []
    assert len(console.rows_with("number 20.")) == 1


def test_observers_are_seen_to_come_and_go(hub, console):
    console.open_live()
    console.wait(lambda: any("this page" in text for text in console.texts(".observer")), "the page's own stream")
    topic = unique("visitor")
    with requests.get(f"{hub.url}/topics/{topic}/events", headers={"Accept": "text/event-stream"}, stream=True, timeout=10):
        console.wait(lambda: any(topic in text for text in console.texts(".observer")), "the visitor to come")
    console.wait(lambda: not any(topic in text for text in console.texts(".observer")), "the visitor to go")


def test_a_stream_is_unregistered_after_asking_once(hub, console):
    console.open_live()
    topic = unique("evicted")
    with requests.get(f"{hub.url}/topics/{topic}/events", headers={"Accept": "text/event-stream"}, stream=True, timeout=10) as stream:
        item = console.wait(lambda: [item for item in console.all(".observer") if topic in item.text], "the stream")[0]
        button = item.find_element("css selector", "button")
        button.click()
        assert button.text == "Really unregister?"
        button.click()
        for _ in stream.iter_content(chunk_size=None):
            pass  # Ends, because the hub ends the stream; the request's own timeout is the deadline.
    console.wait(lambda: not any(topic in text for text in console.texts(".observer")), "the stream to go")


def test_a_registered_webhook_shows_its_secret_once(hub, console):
    console.open_live()
    url = f"https://example.com/{unique('hook')}"
    console.find(".registration summary").click()
    topics = console.find("#webhook-topics")
    topics.send_keys(Keys.CONTROL, "a")
    # A topic to which nothing is ever posted: no delivery leaves this machine.
    topics.send_keys(unique("silence"))
    console.find("#webhook-url").send_keys(url, Keys.ENTER)
    secret = console.wait(lambda: console.texts(".secret-text"), "the secret")[0]
    console.take_picture("secret")
    assert secret.startswith("whsec_")
    console.wait(lambda: any(url in text for text in console.texts(".observer")), "the webhook in the list")
    console.find(".secret-actions .button-quiet").click()
    assert secret not in console.run("return document.documentElement.textContent")
    listed = requests.get(f"{hub.url}/observers?kind=webhook", timeout=10).json()["observers"]
    for observer in listed:
        if observer.get("url") == url:
            requests.delete(f"{hub.url}/observers/{observer['id']}", timeout=10)


def test_a_double_click_registers_one_webhook(hub, console):
    console.open_live()
    url = f"https://example.com/{unique('hook')}"
    console.find(".registration summary").click()
    console.fill("#webhook-topics", unique("silence"))
    console.fill("#webhook-url", url)
    # The second comes before the first is answered.
    console.run("const button = document.querySelector('#webhook-form [type=submit]'); button.click(); button.click()")
    console.wait_for_text("#webhook-result .message-success", "Registered")
    console.wait(lambda: any(url in text for text in console.texts(".observer")), "the webhook in the list")
    assert len(console.texts(".secret-text")) == 1
    webhooks = requests.get(f"{hub.url}/observers?kind=webhook", timeout=10).json()["observers"]
    listed = [one for one in webhooks if one.get("url") == url]
    for observer in listed:
        requests.delete(f"{hub.url}/observers/{observer['id']}", timeout=10)
    assert len(listed) == 1


@pytest.mark.parametrize("width", [1280, 390, 320])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_fits_and_can_be_read_in_either_light(hub, console, width, dark):
    console.open_live(width=width, height=844 if width < 600 else 800, dark=dark)
    data = unique("readable")
    post(hub, "orders.created", json.dumps({"item": data}), **{"Event-Type": "created"})
    console.wait_for_row(data)
    console.take_picture(f"{width}-{'dark' if dark else 'light'}")
    assert console.run("return document.documentElement.scrollWidth") <= width
    ground, ink = console.run("""
        const style = getComputedStyle(document.documentElement)
        const luminance = (colour) => {
            const [red, green, blue] = colour.match(/[\\d.]+/g).map((part) => {
                const value = part / 255
                return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
            })
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue
        }
        return [luminance(style.backgroundColor), luminance(style.color)]
    """)
    assert (ground < ink) == dark
    # WCAG 2.2, success criterion 1.4.6: 7 to 1 for text.
    assert (max(ground, ink) + 0.05) / (min(ground, ink) + 0.05) >= 7


def test_a_narrow_page_shows_one_part_at_a_time(hub, console):
    console.open_live(width=390, height=844)
    assert console.find("#events").is_displayed()
    assert not console.find("#post").is_displayed()
    console.find("[data-shows='post']").click()
    assert console.find("#post").is_displayed()
    assert not console.find("#events").is_displayed()
    console.take_picture("post")


def test_nothing_is_asked_of_another_origin(hub, console):
    console.open_live()
    origins = console.run("return [...new Set(performance.getEntriesByType('resource').map((entry) => new URL(entry.name).origin))]")
    assert origins == [hub.url]
