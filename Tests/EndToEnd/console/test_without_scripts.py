"""The console where no scripts run: it says so first, claims nothing that it does not do, and names no hub but its own."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest
import requests


@pytest.fixture
def console(console):
    console.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    yield console
    console.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("width, height", [(360, 640), (1280, 800)])
def test_it_says_first_that_it_needs_scripts_and_nothing_of_listening(hub, console, width, height):
    console.open(width=width, height=height)
    console.take_picture(f"without-scripts-{width}")
    body = console.find("body").text
    assert body.startswith("This console needs JavaScript")
    assert not re.search(r"(?i)listening|connecting|nothing has come", body)
    notice = console.find(".without-scripts").rect
    assert notice["y"] + notice["height"] <= height and notice["width"] <= width
    shown = [part for part in console.all("main, nav, form, button") if part.is_displayed()]
    assert shown == []


def test_its_command_listens_once_the_address_of_the_page_is_put_in(hub, console):
    console.open()
    command = next(code.text for code in console.all(".without-scripts code") if code.text.startswith("curl"))
    assert not re.search(r"127\.0\.0\.1|localhost|:[0-9]", command)
    line = shlex.split(command.replace("HUB", console.driver.current_url.removesuffix("/")))
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as curl:
        hub.wait_for_observers(1, kind="stream")
        hub.post("orders", b"heard")
        assert any("heard" in text for text in curl.stdout)
        curl.terminate()
    manual = console.find(".without-scripts a").get_attribute("href")
    assert requests.get(manual, timeout=10).headers["Content-Type"].startswith("text/html")


def test_nothing_is_said_to_be_listened_to_before_scripts_say_so(hub):
    page = requests.get(hub.url, timeout=10).text
    assert re.search(r'id="events-empty" data-listening="loading"', page)
