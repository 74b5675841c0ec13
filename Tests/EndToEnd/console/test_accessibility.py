"""Each page by axe, in either light, wide and narrow, and in forced colours; and by the keyboard."""

from __future__ import annotations

from pathlib import Path

import axe_core_python
import pytest
from selenium.webdriver.common.keys import Keys

from test_console import press, tab_to
from waiting import wait_until

AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
RUN = """
    const done = arguments[arguments.length - 1]
    axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(violations.map(({ id, nodes }) =>
        [id, ...nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`)])), (error) => done(String(error)))
"""
PAGES = ["events", "topics", "topic", "webhooks", "webhook", "observers", "health"]


@pytest.fixture(scope="module")
def busy(start_shared_hub):
    """A hub with something of everything."""
    hub = start_shared_hub("--allow-egress", "127.0.0.0/8", "--durability", "process", "--webhooks-retry", "10ms,1h")
    hub.webhook = hub.register("http://127.0.0.1:9999/", "orders.*", description="Fails")["id"]
    hub.register("http://127.0.0.1:9999/", "orders.*", description="Paused", enabled=False)
    hub.register("http://10.0.0.1/", "other.*", description="Blocked")
    for number in range(12):
        hub.post("orders.created", b'{"total": 12, "paid": true}', type="created", headers={"Content-Type": "application/json"})
    wait_until(lambda: hub.observer(hub.webhook)["stats"]["failed"] >= 12)
    return hub


def address(hub, page):
    return {"topic": "#/topics/orders.created", "webhook": f"#/webhooks/{hub.webhook}"}.get(page, f"#/{page}")


def show(console, hub, page, **options):
    console.url, console.forgiven = hub.url, "metrics"
    console.open_at(address(hub, page), **options)
    # What is there to be seen: an open row, an open form, the outcome of an action.
    if page == "events":
        console.wait(lambda: console.all(".event-row"), "the events")[0].click()
    if page == "webhooks":
        console.wait(lambda: console.all(".row"), "the webhooks")
        console.press("Register a webhook", "main .page")
    if page == "webhook":
        console.wait(lambda: console.all(".delivery-line"), "the deliveries")[0].click()
        console.wait(lambda: console.all(".attempt"), "the attempts")
        console.press("Edit")
    if page == "topic":
        console.wait(lambda: console.all(".event-body"), "the value")
    if page == "health":
        console.wait(lambda: console.all(".chart"), "the drawings")


def violations(console):
    console.driver.execute_script(AXE)
    return console.driver.execute_async_script(RUN)


def media(console, **features):
    names = {"dark": "prefers-color-scheme", "forced": "forced-colors", "still": "prefers-reduced-motion"}
    values = [{"name": names[key], "value": value} for key, value in features.items()]
    console.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": values})


@pytest.mark.parametrize("page", PAGES)
def test_no_page_violates_a_rule_of_axe(busy, console, page):
    media(console, dark="light", still="reduce")
    show(console, busy, page)
    assert violations(console) == []
    media(console, dark="dark", still="reduce")
    console.resize(390, 844)
    assert violations(console) == []
    assert console.run("return document.documentElement.scrollWidth") <= 390
    media(console, forced="active", still="reduce")
    # Colours are the system's then; what counts is that nothing has gone.
    assert [rule for rule, *_ in violations(console) if rule != "color-contrast"] == []
    media(console)


def test_the_pages_are_gone_through_by_keyboard(busy, console):
    console.url = busy.url
    console.open_live()
    press(console, Keys.TAB, Keys.ENTER)
    assert console.run("return document.activeElement.id") == "events", "the first Tab leads past the head"
    assert console.driver.current_url.endswith("/"), "and the address stays"
    console.find(".pages a[data-page=webhooks]").send_keys(Keys.ENTER)
    console.wait_for_text("h2", "Webhooks")
    assert console.run("return document.activeElement.id") == "page", "the focus goes to the page"
    assert console.find(".pages a[data-page=webhooks]").get_attribute("aria-current") == "page"
    assert "Webhooks" in console.driver.title
    console.wait(lambda: console.all(".row-name"), "the webhooks")
    press(console, Keys.TAB)
    for _ in range(10):
        if console.run("return document.activeElement.matches('.row-name')"):
            break
        press(console, Keys.TAB)
    press(console, Keys.ENTER)
    console.wait(lambda: console.all(".title-row .state"), "a webhook's page")
    console.driver.back()
    console.wait_for_text("h2", "Webhooks")
    console.driver.back()
    console.wait(lambda: console.find("#events").is_displayed(), "the events")
    tab_to(console, "post-topic")
