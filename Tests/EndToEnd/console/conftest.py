"""A headless Chromium for the tests of the console. The `hub` comes from the folder above."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from severable_line import SeverableLine

DEADLINE = 15.0


class Console:
    """The console's page in a browser, as its tests speak of it."""

    def __init__(self, driver: webdriver.Chrome, url: str, pictures: Path) -> None:
        self.driver = driver
        self.url = url
        self.pictures = pictures
        # Part of what the browser may complain of, in a test that breaks something on purpose.
        self.forgiven = ""

    def open(self, width: int = 1280, height: int = 800, dark: bool = False) -> None:
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get(self.url + "/")

    def open_live(self, **options: object) -> None:
        self.open(**options)
        self.wait_for_state("live")

    def open_at(self, fragment: str, **options: object) -> None:
        """Opens one of its pages by its address, and waits until the console listens."""
        # A fragment alone would not load the page anew.
        self.driver.get("about:blank")
        self.resize(options.get("width", 1280), options.get("height", 800))
        self.driver.get(f"{self.url}/{fragment}")
        self.wait_for_state("live")

    def resize(self, width: int, height: int) -> None:
        # The window of a browser has a least width; an emulated device has none.
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """The texts of all matching elements, read in one go so that none can go stale in between."""
        script = "return Array.from(document.querySelectorAll(arguments[0]), (element) => element.textContent)"
        return self.driver.execute_script(script, selector)

    def run(self, script: str, *arguments: object) -> object:
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition: Callable[[], object], what: str) -> object:
        """Waits until the condition is true, and returns what it returned."""
        end = time.monotonic() + DEADLINE
        while True:
            try:
                value = condition()
            except StaleElementReferenceException:
                value = None
            if value:
                return value
            if time.monotonic() > end:
                self.take_picture("failure")
                raise AssertionError(f"waited {DEADLINE:.0f} s in vain for {what}")
            time.sleep(0.05)

    def wait_for_text(self, selector: str, text: str) -> None:
        self.wait(lambda: any(text in found for found in self.texts(selector)), f"{text!r} in {selector}")

    def press(self, label: str, within: str = "body") -> None:
        """Clicks the button or link of exactly this label, as soon as it is there and can be pressed."""
        script = """
            const [label, within] = arguments
            const all = document.querySelectorAll(`${within} button, ${within} a, ${within} summary`)
            const found = [...all].find((one) => one.textContent.trim() === label && !one.disabled && one.checkVisibility())
            found?.scrollIntoView({ block: "center" })
            found?.click()
            return Boolean(found)
        """
        self.wait(lambda: self.run(script, label, within), f"a button {label!r} in {within}")

    def fill(self, selector: str, text: str) -> None:
        """Writes into a field in place of what is there, as if it had been typed."""
        script = """
            const [field, text] = arguments
            field.value = text
            field.dispatchEvent(new Event("input", { bubbles: true }))
        """
        self.run(script, self.find(selector), text)

    def wait_for_state(self, state: str) -> None:
        script = "return document.getElementById('connection').dataset.state"
        self.wait(lambda: self.run(script) == state, f"the connection to be {state}")

    def rows_with(self, text: str) -> list[str]:
        return [row for row in self.texts(".event-row") if text in row]

    def wait_for_row(self, text: str) -> str:
        return self.wait(lambda: self.rows_with(text), f"a row with {text!r}")[0]

    def listen_to(self, *patterns: str) -> None:
        field = self.find("#pattern")
        for pattern in patterns:
            field.send_keys(pattern, "\n")
        self.wait(lambda: self.texts(".chip-text")[-len(patterns):] == list(patterns), "the chips")
        self.wait_for_state("live")

    def take_picture(self, name: str) -> None:
        self.driver.save_screenshot(str(self.pictures / f"{name}.png"))

    def complaints(self) -> list[str]:
        """What the browser's console has said since the last call, warnings included."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


#: What opens below the browser's own address bar: two pages with scripts, which take half of the processor's time of a start.
ADDRESS_BAR = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup")


def browser_options(*disabled_features: str) -> webdriver.ChromeOptions:
    options = webdriver.ChromeOptions()
    options.add_argument("--headless=new")
    options.add_argument(f"--disable-features={','.join(ADDRESS_BAR + disabled_features)}")
    options.add_argument("--disable-dev-shm-usage")
    # What moves is drawn by the processor here, sixty times a second.
    options.add_argument("--force-prefers-reduced-motion")
    if os.geteuid() == 0:
        # Chromium refuses to run as root inside its sandbox.
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return options


def start_browser(options: webdriver.ChromeOptions) -> webdriver.Chrome:
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not browser or not driver:
        pytest.skip("needs the packages chromium and chromium-driver")
    options.binary_location = browser
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


@pytest.fixture(scope="session")
def chromium() -> Iterator[webdriver.Chrome]:
    started = start_browser(browser_options())
    yield started
    started.quit()


@pytest.fixture
def console(chromium: webdriver.Chrome, hub, tmp_path: Path) -> Iterator[Console]:
    """The console of the hub, not yet opened. At the end the browser must not have complained of anything."""
    page = Console(chromium, hub.url, tmp_path)
    # What it said of pages that other tests have opened is not this one's.
    page.complaints()
    yield page
    complaints = [complaint for complaint in page.complaints() if not page.forgiven or page.forgiven not in complaint]
    chromium.execute_script("try { localStorage.clear() } catch {}")
    chromium.get("about:blank")
    page.complaints()
    assert complaints == []


@pytest.fixture
def line(hub, console: Console) -> Iterator[SeverableLine]:
    """A line to the hub that can be cut; the console opens at its end."""
    with SeverableLine(hub.url) as made:
        console.url = made.url
        yield made
    # A request that was under way may fail when the line is closed, and the browser says so.
    console.driver.get("about:blank")
    console.forgiven = "net::ERR_"
