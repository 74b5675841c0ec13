"""`/docs`: the interface for people, in a browser."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from conftest import Console
from test_behind_proxies import behind, trusting_chromium  # noqa: F401


def open_manual(page: Console, width: int = 1280, dark: bool = False) -> None:
    page.open(width=width, dark=dark)
    page.driver.get(page.url + "/docs")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_shows_every_operation_and_fits(console: Console, hub, width: int, dark: bool) -> None:
    open_manual(console, width, dark)
    described = hub.get("/openapi.json").json()
    ids = [one["operationId"] for item in described["paths"].values() for one in item.values() if isinstance(one, dict)]
    assert console.run("return arguments[0].filter((id) => !document.getElementById(id))", ids) == []
    assert console.run("return document.documentElement.scrollWidth <= window.innerWidth"), "it does not fit"
    loaded = console.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert loaded == []
    # Text and what is behind it differ enough to be read (WCAG 2.2, 1.4.3).
    assert console.run(CONTRAST) >= 4.5
    console.take_picture(f"docs-{width}-{'dark' if dark else 'light'}")


#: The least contrast of the texts of the page with its background.
CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true})
const rgb = (color) => { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data] }
const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
const behind = (element) => {
    for (; element; element = element.parentElement) {
        const color = getComputedStyle(element).backgroundColor
        if (color !== "rgba(0, 0, 0, 0)") return color
    }
}
return Math.min(...["p", "dt", "dd", "span", "a", "pre code", "summary", "h3 a"].map((selector) => {
    const element = document.querySelector("main " + selector)
    const [a, b] = [getComputedStyle(element).color, behind(element)].map(rgb).map(light)
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}))
"""


def test_every_link_leads_somewhere(console: Console, hub) -> None:
    open_manual(console)
    broken = console.run("""
        return [...document.querySelectorAll("a[href^='#']")].map((link) => link.getAttribute("href").slice(1))
            .filter((id) => !document.getElementById(id))""")
    assert broken == []
    outside = set(console.run(
        "return [...document.querySelectorAll('a:not([href^=\"#\"])')].map((link) => link.href)"))
    assert outside == {f"{hub.url}/openapi.json"}
    assert console.run("""
        const seen = new Set(), twice = []
        for (const {id} of document.querySelectorAll("[id]")) { if (seen.has(id)) twice.push(id); seen.add(id) }
        return twice""") == []


def test_the_keyboard_reaches_what_a_mouse_does(console: Console) -> None:
    open_manual(console)
    body = console.find("body")
    body.send_keys(Keys.TAB)
    assert console.run("return document.activeElement.className") == "skip"
    console.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert console.run("return document.activeElement.id") == "content"
    details = console.find("details")
    details.find_element("css selector", "summary").send_keys(Keys.ENTER)
    assert details.get_attribute("open")


def test_it_works_under_a_path(behind, trusting_chromium, tmp_path) -> None:  # noqa: F811
    console = Console(trusting_chromium, behind.url + "/clarion", tmp_path)
    console.complaints()
    console.driver.get(console.url + "/docs")
    assert console.find("header a").get_attribute("href") == f"{behind.url}/clarion/openapi.json"
    console.find("nav a[href='#postEvents']").click()
    assert console.driver.current_url == f"{behind.url}/clarion/docs#postEvents"
    assert console.complaints() == []
    trusting_chromium.get("about:blank")
