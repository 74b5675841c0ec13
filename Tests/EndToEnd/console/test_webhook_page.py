"""The page of a webhook: its state in words, what was delivered, and each thing that can be done about it."""

from __future__ import annotations

import json

import pytest

from hub_process import events_path
from waiting import wait_until
from webhook_receiver import WebhookReceiver


@pytest.fixture
def hub(start_hub):
    return start_hub("--allow-egress", "127.0.0.0/8", "--durability", "process", "--webhooks-retry", "50ms,50ms")


@pytest.fixture
def webhook(hub, receiver, topic):
    return hub.register(receiver.url("/hook"), topic, description="Shop to ledger")


def open_page(console, webhook):
    console.open_at(f"#/webhooks/{webhook['id']}")
    console.wait_for_text("h2", webhook["description"] or "127.0.0.1")


def state(console):
    return console.wait(lambda: console.texts(".title-row .state"), "the state")[0]


def wait_for_state(console, name, words=""):
    console.wait(lambda: state(console) == name and words in console.texts(".state-words")[0], f"{name}: {words}")


def tiles(console):
    return dict(zip(console.texts(".tile dt"), console.texts(".tile-value")))


def test_deliveries_are_shown_with_their_attempts_and_what_was_answered(hub, console, receiver, webhook, topic):
    answers = iter([(503, {}, b"<b>busy</b>"), 204])
    receiver.answer = lambda _: next(answers, 204)
    hub.post(topic, b"1", type="created")
    receiver.wait_for(2)
    open_page(console, webhook)
    wait_for_state(console, "Delivering", "Everything is delivered")
    console.wait(lambda: tiles(console)["Delivered"] == "1" and tiles(console)["Failed attempts"] == "1", "the numbers")
    console.find(".delivery-line").click()
    console.wait(lambda: len(console.all(".attempt")) == 2, "both attempts")
    newest, oldest = console.texts(".attempt")
    assert "Attempt 2" in newest and "204" in newest and "delivered" in newest
    assert "Attempt 1" in oldest and "503" in oldest and "<b>busy</b>" in oldest
    assert len(console.all(".chart-dot")) == 1 and len(console.all(".chart-delivered")) == 1
    assert "1 in all" in console.find(".chart").get_attribute("aria-label")
    # What comes while the page is open is seen to come.
    hub.post(topic, b"2")
    console.wait(lambda: len(console.all(".delivery")) == 2, "the next delivery")
    assert len(console.all(".attempt")) == 2, "what is open stays open"


def test_a_delivery_that_is_closed_and_opened_before_the_answer_shows_it(hub, console, receiver, webhook, topic):
    hub.post(topic, b"1")
    receiver.wait_for(1)
    open_page(console, webhook)
    console.wait(lambda: console.all(".delivery-line"), "the delivery")
    console.run("const line = document.querySelector('.delivery-line'); for (let n = 0; n < 3; n += 1) line.click()")
    console.wait_for_text(".delivery-detail .attempt", "Attempt 1")
    assert console.find(".delivery-line").get_attribute("aria-expanded") == "true"
    console.find(".delivery-line").click()
    assert console.all(".delivery-detail") == []


def test_a_test_says_what_the_endpoint_answered(console, receiver, webhook):
    open_page(console, webhook)
    receiver.answer = lambda _: (418, {}, b"a teapot")
    console.press("Send a test")
    console.wait_for_text(".actions .message-problem", "The test failed")
    assert "418" in console.texts(".actions .attempt")[0] and "a teapot" in console.texts(".attempt-response")
    receiver.answer = lambda _: 204
    console.press("Send a test")
    console.wait_for_text(".actions .message-success", "The test was delivered")


@pytest.mark.parametrize("answer, words", [
    ("new Response('<html>')", "The answer is no JSON"),
    ("new Response(new ReadableStream({ start: (body) => body.error(new TypeError('cut')) }))", "The answer broke off"),
], ids=["html", "cut"])
def test_an_answer_that_cannot_be_read_is_told(hub, console, webhook, answer, words):
    open_page(console, webhook)
    console.run(f"""
        const asked = fetch
        window.fetch = async (url, options) => (url.endsWith('/test') ? {answer} : asked(url, options))
    """)
    console.press("Send a test")
    console.wait_for_text(".actions .message-problem", words)
    assert not any("Waiting for the endpoint" in text for text in console.texts(".actions .message"))


def test_it_is_paused_enabled_edited_and_unregistered(hub, console, receiver, webhook, topic):
    open_page(console, webhook)
    wait_for_state(console, "Ready")
    console.press("Pause")
    wait_for_state(console, "Paused")
    assert hub.observer(webhook["id"])["state"] == "paused"
    hub.post(topic, b"1")
    wait_for_state(console, "Paused", "1 event pending")
    console.press("Enable")
    receiver.wait_for(1)
    wait_for_state(console, "Delivering", "Everything is delivered")

    console.press("Edit")
    form = "form[aria-label='Edit the webhook']"
    console.fill(f"{form} [name=headers]", "X-Team: blue\nAuthorization: Bearer x")
    console.fill(f"{form} [name=types]", "created,paid")
    console.fill(f"{form} [name=description]", "Renamed")
    console.press("Save", form)
    console.wait_for_text("h2", "Renamed")
    changed = hub.observer(webhook["id"])
    assert (changed["headers"], changed["types"]) == ({"X-Team": "blue", "Authorization": "[redacted]"}, ["created", "paid"])
    console.press("Edit")
    console.fill(f"{form} [name=headers]", "Authorization: [redacted]")
    console.press("Save", form)
    wait_until(lambda: hub.observer(webhook["id"])["headers"] == {"Authorization": "[redacted]"})

    console.press("Unregister")
    console.press("Really unregister?")
    console.wait(lambda: console.driver.current_url.endswith("#/webhooks"), "the list")
    assert hub.observers(kind="webhook") == []


@pytest.mark.parametrize("end", ["Cancel", "Save"])
def test_the_end_of_an_edit_leaves_the_focus_where_it_began(console, webhook, end):
    open_page(console, webhook)
    console.press("Edit")
    form = "form[aria-label='Edit the webhook']"
    console.press(end, form)
    console.wait(lambda: not console.find(form).is_displayed(), "the form to be gone")
    assert console.run("return document.activeElement.textContent") == "Edit"


def test_what_is_not_edited_of_a_webhook_stays(hub, console, receiver):
    registered = {"topics": ["a,", "b"], "types": ["x,y", "z "], "description": "line one\nline two",
                  "headers": {"Authorization": "Bearer x", "X-Two": "a  b"}}
    webhook = hub.register(receiver.url("/hook"), **registered)
    before = hub.observer(webhook["id"])
    console.open_at(f"#/webhooks/{webhook['id']}")
    console.press("Edit")
    form = "form[aria-label='Edit the webhook']"
    console.fill(f"{form} [name=maxInFlight]", "5")
    console.press("Save", form)
    wait_until(lambda: hub.observer(webhook["id"])["maxInFlight"] == 5)
    assert hub.observer(webhook["id"]) == before | {"maxInFlight": 5}
    hub.post("a,", b"1", type="x,y")
    assert receiver.wait_for(1)[0].headers["authorization"] == "Bearer x"


def test_an_edit_does_not_go_over_what_somebody_else_has_changed(hub, console, webhook):
    console.forgiven = "status of 412"
    open_page(console, webhook)
    console.press("Edit")
    hub.request("PATCH", f"/observers/{webhook['id']}", json={"description": "Theirs"})
    form = "form[aria-label='Edit the webhook']"
    console.fill(f"{form} [name=description]", "Mine")
    console.press("Save", form)
    console.wait_for_text(f"{form} .message-problem", "Somebody else has changed this webhook")
    assert hub.observer(webhook["id"])["description"] == "Theirs"


def test_topics_are_written_side_by_side_with_commas_or_without(hub, console, topic):
    console.open_at("#/webhooks")
    console.press("Register a webhook")
    form = "form[aria-label='A new webhook']"
    console.fill(f"{form} [name=url]", f"https://example.com/{topic}")
    console.fill(f"{form} [name=topics]", f"{topic}.a, {topic}.b  {topic}.c,d")
    console.press("Register webhook", form)
    console.wait(lambda: console.texts(".secret-text"), "the secret")
    [registered] = [one for one in hub.observers(kind="webhook") if one["url"].endswith(topic)]
    assert registered["topics"] == [f"{topic}.a", f"{topic}.b", f"{topic}.c,d"]


def test_a_fault_in_a_registration_is_shown_at_its_field(hub, console):
    console.forgiven = "status of 400"
    console.open_at("#/webhooks")
    console.press("Register a webhook")
    form = "form[aria-label='A new webhook']"
    console.fill(f"{form} [name=url]", "ftp://example.com/")
    console.fill(f"{form} [name=topics]", "orders.*")
    console.press("Register webhook", form)
    console.wait_for_text(f"{form} .message-problem", "url-invalid")
    assert console.find(f"{form} [name=url]").get_attribute("aria-invalid") == "true"


def test_secrets_stay_until_each_is_dismissed(hub, console, webhook, receiver, topic):
    console.open_at("#/webhooks")
    console.press("Register a webhook")
    form = "form[aria-label='A new webhook']"
    console.fill(f"{form} [name=url]", receiver.url("/second"))
    console.fill(f"{form} [name=topics]", topic)
    console.press("Register webhook", form)
    console.wait(lambda: len(console.all(".secret-text")) == 1, "the first secret")
    # It leads to the new one's page; the other one's is elsewhere.
    console.run("location.hash = arguments[0]", f"#/webhooks/{webhook['id']}")
    console.wait_for_text("h2", "Shop to ledger")
    console.press("Rotate the secret")
    console.press("Really rotate?")
    console.wait(lambda: len(console.all(".secret-text")) == 2, "the second beside the first")
    newest, first = console.texts(".secret-text")
    assert newest.startswith("whsec_") and first.startswith("whsec_") and newest not in (first, webhook["secret"])
    assert "previousSecretUntil" in hub.observer(webhook["id"])
    console.press("Rotate the secret")
    console.press("Really rotate?")
    console.wait(lambda: len(console.all(".secret-text")) == 3, "the third")
    said = ["The signing secret of", "The former signing secret of", "The signing secret of"]
    assert [text.strip() for text in console.texts(".secret strong")] == said
    assert console.texts(".secret-text")[1:] == [newest, first]
    for kept in ([newest, first], [first]):
        console.press("I have kept it")
        assert console.texts(".secret-text") == kept
    console.run("location.hash = '#/events'")
    assert console.texts(".secret-text") == [first]


def test_dead_letters_are_counted_and_recovered_and_one_delivered_again(hub, console, receiver, webhook, topic):
    receiver.answer = lambda _: 500
    for number in range(3):
        hub.post(topic, str(number).encode())
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["deadLetters"] == 3)
    open_page(console, webhook)
    wait_for_state(console, "Failing", "it answers 500")
    console.press("Dead letters", ".choice")
    console.wait(lambda: console.texts(".delivery .state") == ["Dead letter"] * 3, "the dead letters")
    receiver.answer = lambda _: 204
    console.find(".delivery-line").click()
    console.press("Deliver again")
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["deadLetters"] == 2)
    console.press("Recover dead letters…")
    console.wait_for_text(".repeat-count", "2 dead letters will be delivered again")
    assert hub.observer(webhook["id"])["stats"]["deadLetters"] == 2, "nothing begins before it is confirmed"
    console.press("Recover 2 dead letters")
    console.wait_for_text(".repeat .message-success", "All 2 events delivered again")
    wait_for_state(console, "Delivering", "Everything is delivered")
    assert hub.observer(webhook["id"])["stats"]["deadLetters"] == 0


def test_what_fails_again_is_not_said_to_be_delivered(hub, console, receiver, webhook, topic):
    refused = {b"0", b"1", b"2", b"3", b"4"}
    receiver.answer = lambda delivery: 500 if delivery.body in refused else 204
    for number in range(5):
        hub.post(topic, str(number).encode())
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["deadLetters"] == 5)
    open_page(console, webhook)
    ways = {"Recover dead letters…": "Recover 5 dead letters", "Replay everything…": "Replay 5 events"}
    for question, answer in ways.items():
        console.press(question)
        console.press(answer)
        console.wait_for_text(".repeat .message-problem", "None of 5 events delivered, 5 failed again")
        assert hub.observer(webhook["id"])["stats"]["deadLetters"] == 5
        # With the next question the last answer goes.
        console.press(question)
        console.wait(lambda: console.texts(".repeat .message") == [], "the answer to go")
    refused.difference_update({b"0", b"1", b"2"})
    console.press("Replay 5 events")
    console.wait_for_text(".repeat .message-problem", "3 delivered, 2 failed again")
    assert console.run("return document.querySelector('.repeat-progress').value") == 5


def test_a_replay_is_counted_before_it_starts_and_followed_while_it_runs(hub, console, receiver, topic):
    lines = "\n".join(json.dumps(number) for number in range(1_200))
    hub.request("POST", events_path(topic), data=lines, headers={"Content-Type": "application/x-ndjson", "Event-Type": "created"})
    hub.post(topic, b"of another type", type="other")
    webhook = hub.register(receiver.url("/slow"), topic, types=["created"], maxInFlight=8, ratePerSecond=300)
    open_page(console, webhook)
    console.press("Replay everything…")
    console.wait_for_text(".repeat-count", "1,200 events will be delivered again")
    console.press("Replay 1,200 events")
    console.wait(lambda: console.run("return document.querySelector('.repeat-progress').value") > 0, "progress")
    console.wait_for_text(".repeat .message-success", "All 1,200 events delivered again")
    assert len(receiver.to("/slow")) >= 1_200


TROUBLES = {
    "gone": (410, "Disabled", "answered 410"),
    "refused": (None, "Braked", "nobody listens at its address"),
    "error": (500, "Braked", "it answers 500"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_is_told_in_words(start_hub, console, topic, trouble):
    hub = start_hub("--allow-egress", "127.0.0.0/8", "--durability", "process")
    console.url = hub.url
    status, name, words = TROUBLES[trouble]
    with WebhookReceiver(lambda _: status) as receiver:
        url = receiver.url()
        if status is None:
            receiver.stop()
        webhook = hub.register(url, topic, description=trouble)
        for number in range(20):
            hub.post(topic, str(number).encode())
        open_page(console, webhook)
        wait_for_state(console, name, words)
        if status is None:
            receiver.start()


def test_an_address_that_is_not_dialled_is_told_to_be_blocked(start_hub, console, topic):
    hub = start_hub("--durability", "process")
    console.url = hub.url
    webhook = hub.register("http://10.0.0.1/", topic, description="Inside")
    open_page(console, webhook)
    wait_for_state(console, "Blocked", "--allow-egress 10.0.0.0/8")


def test_those_in_trouble_come_first_and_are_searched_for(hub, console, receiver, topic):
    well = hub.register(receiver.url("/well"), topic, description="a is well")
    hub.register(receiver.url("/paused"), topic, description="b is paused", enabled=False)
    receiver.answer = lambda delivery: 500 if delivery.path == "/bad" else 204
    hub.register(receiver.url("/bad"), topic, description="c fails")
    hub.post(topic, b"1")
    receiver.wait_for(2)
    console.open_at("#/webhooks")
    console.wait(lambda: console.texts(".row-name") == ["c fails", "b is paused", "a is well"], "the worst first")
    console.wait_for_text(".page-summary", "3 webhooks: 1 in trouble, 1 paused, 1 delivering")
    console.fill(".page-head .search", "WELL")
    assert [row.text.split("\n")[0] for row in console.all(".row") if row.is_displayed()] == ["Delivering"]
    console.press("a is well")
    console.wait_for_text("h2", well["description"])
