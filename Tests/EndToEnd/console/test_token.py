"""The console of a hub that asks for credentials."""

from __future__ import annotations

import time

import pytest
from selenium.webdriver.common.keys import Keys

from credentials import CredentialsFile, grant
from hub_process import events_path
from test_console import focused_id, press

EVERYWHERE = """
    const urls = performance.getEntries().map((entry) => entry.name)
    return [location.href, document.referrer, ...urls, document.cookie, document.documentElement.outerHTML, JSON.stringify(localStorage)]
"""


@pytest.fixture
def file(tmp_path):
    return CredentialsFile(tmp_path, {"admin": grant("**"), "reader": grant("orders.**", rights=["subscribe"])})


@pytest.fixture
def hub(start_hub, file):
    hub = start_hub("--credentials", str(file.path), "--durability", "process")
    hub.session.headers["Authorization"] = f"Bearer {file.keys['admin']}"
    return hub


@pytest.fixture
def console(console):
    # The browser itself reports every answer of 400 and above.
    console.forgiven = "status of 4"
    return console


def wait_to_be_asked(console):
    console.wait(lambda: console.find("#token-form").is_displayed(), "the question for a credential")


def show(console, token):
    wait_to_be_asked(console)
    console.find("#token").send_keys(token)
    console.find("#token-form [type=submit]").click()


def text(console, selector):
    return console.run("return document.querySelector(arguments[0]).textContent", selector)


def assert_shown_nowhere(console, hub, token):
    assert [place for place in console.run(EVERYWHERE) if token in place] == []
    assert token not in hub.log_path.read_text()


def test_who_is_asked_is_not_told_that_it_listens(hub, console):
    console.open()
    wait_to_be_asked(console)
    assert console.find("#token-form [type=submit]").is_displayed()
    console.wait(lambda: not console.find(".empty-listening").is_displayed(), "the page to say that it is refused")
    assert not console.find(".empty-idle").is_displayed()


def test_it_asks_once_and_keeps_the_credential_for_the_tab(hub, file, console, topic):
    key = file.keys["admin"]
    console.open()
    show(console, key)
    console.wait_for_state("live")
    assert not console.find("#token-form").is_displayed()
    hub.post(topic, b"seen")
    console.wait_for_row("seen")
    console.wait(lambda: any("this page" in item for item in console.texts(".observer")), "the list of observers")
    # All of it works: it posts, and what it shows to be pasted names a variable.
    console.find("#post-body").send_keys(Keys.CONTROL, Keys.ENTER)
    console.wait(lambda: text(console, "#post-result").startswith("Committed"), "the answer to the post")
    assert '-H "Authorization: Bearer $CLARION_TOKEN"' in text(console, "#post-command code")
    assert '-H "Authorization: Bearer $CLARION_TOKEN"' in text(console, "#listen-command code")
    assert_shown_nowhere(console, hub, key)
    # A link would have to carry it.
    console.find(".event-row").click()
    assert console.all(".event-actions a") == [] and console.all("#post-result a") == []

    console.driver.refresh()
    console.wait_for_state("live")
    assert not console.find("#token-form").is_displayed()
    first = console.driver.current_window_handle
    console.driver.switch_to.new_window("tab")
    try:
        console.open()
        wait_to_be_asked(console)
    finally:
        console.driver.close()
        console.driver.switch_to.window(first)

    console.find("#forget-token").click()
    wait_to_be_asked(console)
    assert console.run("return sessionStorage.length") == 0
    assert "Authorization" not in text(console, "#post-command code")


@pytest.mark.parametrize("page", ["events", "topics/secret.topic", "webhooks", "observers", "health"])
def test_nothing_is_left_of_what_a_credential_saw_when_it_is_forgotten(hub, file, console, page):
    hub.post("secret.topic", b"secret data")
    webhook = hub.register("http://receiver.invalid/secret", "secret.*")
    console.open()
    show(console, file.keys["admin"])
    console.listen_to("secret.*")
    console.wait_for_row("secret data")
    console.run("document.querySelector('.registration').open = true")
    console.fill("#webhook-url", "http://receiver.invalid/another")
    console.press("Register webhook")
    console.wait_for_text(".secret-text", "whsec_")
    console.run("location.hash = arguments[0]", f"#/{page}")
    console.wait(lambda: page == "health" or "secret" in console.run("return document.querySelector('main').innerText"), "the page")
    console.press("Forget token")
    wait_to_be_asked(console)

    def left():
        return console.run("""
            const stored = [localStorage, sessionStorage].flatMap((storage) => Object.entries(storage).flat())
            return [...stored, location.href, document.title, document.body.innerText].filter((text) => /secret|whsec_/.test(text))
        """)

    console.wait(lambda: left() == [], "nothing to be left")
    show(console, file.keys["reader"])
    console.wait_for_text("#stream-problem", "right-missing")
    assert left() == [] and webhook["id"] not in console.run("return document.body.innerText")


def test_a_credential_that_is_not_valid_is_said_to_be_and_not_shown_again(hub, file, console):
    console.open()
    for number in range(4):
        show(console, f"clk_wrong{number}")
        console.wait(lambda: "credential-invalid" in text(console, "#token-problem"), "what is wrong")
        assert console.run("return sessionStorage.length") == 0
        assert console.find("#token").get_attribute("value") == f"clk_wrong{number}"
        console.find("#token").clear()
    show(console, file.keys["admin"])
    console.wait_for_state("live")
    console.driver.refresh()
    console.wait_for_state("live")


@pytest.mark.parametrize("page", ["events", "health"])
def test_a_wrong_credential_is_one_guess_and_what_comes_after_too_many_is_not_kept(hub, file, console, page):
    console.open()
    console.run("location.hash = arguments[0]", f"#/{page}")
    # The hub looks at 20 within a minute.
    for number in range(19):
        answer = hub.request("GET", "/observers", headers={"Authorization": f"Bearer clk_guess{number}"})
        assert answer.status_code == 401
    show(console, "clk_wrong")
    console.wait(lambda: "credential-invalid" in text(console, "#token-problem"), "what is wrong")
    console.find("#token").clear()
    show(console, "clk_another")
    console.wait(lambda: "rate-limited" in text(console, "#token-problem"), "that these were too many")
    assert console.run("return !Object.values(sessionStorage).includes('clk_another')")
    assert console.find("#forget-token").get_attribute("hidden") is not None


#: The hub hangs while a credential is tried out.
HANGING = """
    const real = window.fetch
    window.fetch = (url, options) => String(url).includes("limit=1") && !String(url).includes("1000")
        ? new Promise((_, fail) => options.signal?.addEventListener("abort", () => fail(options.signal.reason))) : real(url, options)
"""


def test_a_hub_that_hangs_keeps_nobody_from_using_a_credential(hub, file, console):
    console.open()
    wait_to_be_asked(console)
    console.run(HANGING)
    show(console, file.keys["admin"])
    console.wait_for_state("live")


def test_what_is_dismissed_while_it_is_tried_out_is_not_used(hub, file, console):
    console.open()
    wait_to_be_asked(console)
    console.run(HANGING)
    show(console, file.keys["admin"])
    console.wait(lambda: console.find("#token-form").get_attribute("aria-busy") == "true", "the trial")
    console.find("#token-dismissal").click()
    console.wait(lambda: console.find("#token-form").get_attribute("aria-busy") is None, "its end")
    assert console.run("return sessionStorage.length") == 0
    assert console.find("#forget-token").get_attribute("hidden") is not None


def test_the_right_that_is_missing_is_named(hub, file, console):
    hub.post("orders.eu", b"first")
    console.open()
    show(console, file.keys["reader"])
    # What it said before it had the credential may stand there for a moment.
    console.wait(lambda: "right-missing" in text(console, "#stream-problem"), "why nothing is heard")
    assert '"subscribe" on "**"' in text(console, "#stream-problem")
    console.wait(lambda: '"manage"' in text(console, "#observer-message"), "why no observers are listed")
    console.listen_to("orders.*")
    hub.post("orders.eu", b"heard")
    console.wait_for_row("heard")
    field = console.find("#post-topic")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys("orders.eu", Keys.CONTROL, Keys.ENTER)
    console.wait(lambda: '"publish" on "orders.eu"' in text(console, "#post-result"), "why nothing is posted")
    assert not console.find("#token-form").is_displayed()


def test_it_asks_again_when_the_token_is_over_and_misses_nothing(hub, file, console, topic):
    console.open()
    began = time.monotonic()
    show(console, file.token(expires_in=6))
    console.wait_for_state("live")
    hub.post(topic, b"before")
    console.wait_for_row("before")
    wait_to_be_asked(console)
    assert time.monotonic() - began > 5
    hub.post(topic, b"meanwhile")
    show(console, file.token())
    console.wait_for_row("meanwhile")
    console.wait_for_state("live")


@pytest.mark.parametrize("field", ["#post-body", "#pattern", "#filter-text", "#webhook-url"])
def test_who_writes_is_not_disturbed_when_the_credential_ends(hub, file, console, field):
    console.open()
    show(console, file.token(expires_in=6))
    console.wait_for_state("live")
    console.press("Register a webhook")
    console.run("document.querySelector(arguments[0]).value = ''; document.querySelector(arguments[0]).focus()", field)
    press(console, "half")
    wait_to_be_asked(console)
    assert console.run("return document.activeElement.matches(arguments[0])", field)
    console.wait_for_text("#announcer", "This hub asks for a credential")
    press(console, "written")
    assert console.find(field).get_attribute("value") == "halfwritten"
    assert console.find("#token").get_attribute("value") == ""


def test_who_does_not_write_is_led_to_where_the_credential_goes(hub, file, console):
    console.open()
    show(console, file.token(expires_in=6))
    console.wait_for_state("live")
    console.find("#pause").click()
    wait_to_be_asked(console)
    assert focused_id(console) == "token"


def test_what_anonymous_requests_may_is_shown_without_a_credential(start_hub, tmp_path, console):
    file = CredentialsFile(tmp_path, {"admin": grant("**")}, anonymous={"subscribe": ["public.**"], "publish": ["public.**"]})
    hub = start_hub("--credentials", str(file.path), "--durability", "process")
    console.url = hub.url
    console.open()
    wait_to_be_asked(console)
    console.find("#token-dismissal").click()
    console.listen_to("public.*")
    assert hub.request("POST", events_path("public.news"), data=b"for all").status_code == 201
    console.wait_for_row("for all")
    assert not console.find("#token-form").is_displayed()
