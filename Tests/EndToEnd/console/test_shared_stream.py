"""One stream for all tabs: a browser has six connections to a host, and the console needs but one of them."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import threading

import pytest
import requests

from conftest import Console, browser_options, start_browser
from credentials import CredentialsFile, grant
from waiting import wait_until


@pytest.fixture
def tabs(chromium, console):
    """Opens further tabs, which are closed at the end."""
    first = chromium.current_window_handle
    opened = []

    def open_tab():
        chromium.switch_to.new_window("tab")
        opened.append(chromium.current_window_handle)
        return opened[-1]

    yield open_tab
    for handle in opened:
        chromium.switch_to.window(handle)
        chromium.close()
    chromium.switch_to.window(first)


def streams(hub, headers=None):
    observers = requests.get(f"{hub.url}/observers?kind=stream", headers=headers, timeout=10).json()["observers"]
    return sorted(observer["topics"] for observer in observers)


def listen_to_new(console, *patterns):
    console.driver.get(f"{console.url}/#/events?{'&'.join(f'topic={pattern}' for pattern in patterns)}")
    console.wait_for_state("live")


def test_an_eighth_tab_works_and_all_share_one_stream(hub, console, tabs, topic):
    handles = []
    for number in range(8):
        handles.append(tabs())
        # Half of them want something else.
        listen_to_new(console, topic, *([f"{topic}.{number}"] if number % 2 else []))
    wanted = [topic, *(f"{topic}.{number}" for number in (1, 3, 5, 7))]
    console.wait(lambda: streams(hub) == [wanted], "one stream of what any of them wants")
    hub.post(topic, b"for all")
    hub.post(f"{topic}.3", b"for one")
    for number, handle in enumerate(handles):
        console.driver.switch_to.window(handle)
        console.wait_for_row("for all")
        if number == 3:
            console.wait_for_row("for one")
        else:
            assert console.rows_with("for one") == []


def test_a_tab_that_is_closed_takes_with_it_what_only_it_wanted(hub, console, tabs, topic):
    first = tabs()
    listen_to_new(console, topic)
    tabs()
    listen_to_new(console, f"{topic}.other")
    console.wait(lambda: streams(hub) == [[topic, f"{topic}.other"]], "both in one stream")
    console.driver.get("about:blank")
    console.wait(lambda: streams(hub) == [[topic]], "the first's alone")
    hub.post(topic, b"still heard")
    console.driver.switch_to.window(first)
    console.wait_for_row("still heard")
    console.driver.get("about:blank")
    console.wait(lambda: streams(hub) == [], "no stream to be left")


def test_a_page_that_was_to_be_left_and_stays_listens_again(hub, console, topic):
    """What shares the stream hears of the end before the page goes: one that is kept for the way back says nothing more in WebKit."""
    listen_to_new(console, topic)
    console.run("dispatchEvent(new Event('beforeunload'))")
    console.wait(lambda: streams(hub) == [], "the stream to be let go")
    hub.post(topic, b"meanwhile")
    console.wait(lambda: streams(hub) == [[topic]], "a stream again")
    hub.post(topic, b"afterwards")
    for text in ("meanwhile", "afterwards"):
        console.wait_for_row(text)


def test_a_page_that_is_left_leaves_no_stream(hub, console, topic):
    # Chromium keeps pages for the way back, and freezes their worker: that is a race, so once is not enough.
    for _ in range(6):
        listen_to_new(console, topic)
        console.driver.get("about:blank")
        console.wait(lambda: streams(hub) == [], "no stream to be left")


def test_a_tab_misses_nothing_while_another_changes_what_is_wanted(hub, console, tabs, topic):
    first = tabs()
    listen_to_new(console, topic)
    second = tabs()
    ending = threading.Event()

    def post():
        for number in itertools.count():
            if ending.is_set() or number == 450:
                return
            hub.post(topic, f"number {number}.".encode())

    thread = threading.Thread(target=post)
    thread.start()
    try:
        for number in range(6):
            console.driver.switch_to.window(second)
            listen_to_new(console, f"{topic}.{number}")
    finally:
        ending.set()
        thread.join()
    last = requests.get(f"{hub.url}/topics/{topic}/value", timeout=10).text
    console.driver.switch_to.window(first)
    console.wait_for_row(last)
    numbers = [int(text.removeprefix("number ").rstrip(".")) for text in console.texts(".event-data")]
    assert numbers == list(range(numbers[0], -1, -1))


#: Keeps from the worker that the tab has read, as if it were frozen, while `isFrozen`.
FREEZER = """
    const post = MessagePort.prototype.postMessage
    const held = []
    window.isFrozen = false
    window.thaw = () => { window.isFrozen = false; for (const go of held.splice(0)) go() }
    MessagePort.prototype.postMessage = function (message, ...rest) {
        const go = () => post.call(this, message, ...rest)
        if (window.isFrozen && message?.kind === "read") held.push(go)
        else go()
    }
"""


def test_a_tab_that_does_not_read_is_sent_no_more_and_catches_up(hub, console, topic):
    added = console.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": FREEZER})
    try:
        listen_to_new(console, topic)
        console.run("window.isFrozen = true")
        for number in range(160):
            hub.post(topic, f"number {number}.".encode())
            # Each in a message of its own, of which so many may be unread; those that come together are in one.
            if number < 100:
                console.wait_for_row(f"number {number}.")
        wait_until(lambda: hub.get("/observers?kind=stream").json()["observers"][0]["lastEventId"] == hub.history(topic)[-1]["id"])
        assert console.rows_with("number 100.") == [], "what is not read is not sent for ever"
        console.run("window.thaw()")
        console.wait_for_row("number 159.")
        hub.post(topic, b"number 160.")
        console.wait_for_row("number 160.")
        numbers = [int(text.removeprefix("number ").rstrip(".")) for text in console.texts(".event-data")]
        assert numbers == list(range(160, -1, -1))
    finally:
        console.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_what_waited_in_a_tab_that_did_not_read_is_not_shown_above_what_came_later(hub, console, topic):
    added = console.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": FREEZER})
    try:
        listen_to_new(console, topic)
        console.press("Pause")
        console.run("window.isFrozen = true")
        for number in range(400):
            hub.post(topic, f"number {number}.".encode())
        console.wait_for_text("#event-total", "waiting")
        wait_until(lambda: hub.get("/observers?kind=stream").json()["observers"][0]["lastEventId"] == hub.history(topic)[-1]["id"])
        console.run("window.thaw()")
        console.wait_for_row("number 399.")
        console.press("Resume")
        hub.post(topic, b"number 400.")
        console.wait_for_row("number 400.")
        numbers = [int(text.removeprefix("number ").rstrip(".")) for text in console.texts(".event-data")]
        assert numbers == list(range(400, 400 - len(numbers), -1))
    finally:
        console.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


@pytest.fixture
def own_console(hub, tmp_path):
    """A console in a browser of its own, which may be broken."""
    # Tabs of one site have processes of their own.
    browser = start_browser(browser_options("ProcessPerSiteUpToMainFrameThreshold", "SpareRendererForSitePerProcess"))
    yield Console(browser, hub.url, tmp_path)
    browser.quit()


def renderers(browser):
    """The processes in which pages and workers of a browser run."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout.splitlines()
    processes = [(int(line.split()[0]), int(line.split()[1]), line) for line in listed]
    family = {browser.service.process.pid}
    while more := {pid for pid, parent, _ in processes if parent in family} - family:
        family |= more
    return {pid for pid, _, line in processes if pid in family and "--type=renderer" in line}


@pytest.mark.parametrize("sharer_crashes", [True, False])
def test_a_tab_that_crashes_takes_nothing_from_the_others(hub, own_console, topic, sharer_crashes):
    console = own_console
    handles, processes = [], []
    for name in ("first", "second"):
        before = renderers(console.driver)
        console.driver.switch_to.new_window("tab")
        listen_to_new(console, topic, f"{topic}.{name}")
        handles.append(console.driver.current_window_handle)
        processes.append(renderers(console.driver) - before)
    console.wait(lambda: streams(hub) == [[topic, f"{topic}.first", f"{topic}.second"]], "one stream")
    # The worker runs in the process of the tab that has started it.
    crashed, other = (0, 1) if sharer_crashes else (1, 0)
    console.driver.switch_to.window(handles[other])
    for process in processes[crashed]:
        os.kill(process, signal.SIGKILL)
    hub.post(topic, b"meanwhile")
    console.wait_for_row("meanwhile")
    name = ("first", "second")[other]
    console.wait(lambda: streams(hub) == [[topic, f"{topic}.{name}"]], "a stream of what the other wants")
    hub.post(topic, b"afterwards")
    console.wait_for_row("afterwards")
    assert console.texts(".event-data") == ["afterwards", "meanwhile"]


def test_a_tab_that_joins_is_not_sent_what_the_others_did_not_want(hub, console, tabs, topic):
    first = tabs()
    listen_to_new(console, f"{topic}.quiet")
    hub.post(f"{topic}.quiet", b"before")
    console.wait_for_row("before")
    lines = "\n".join(f'"number {number}."' for number in range(3_000))
    assert hub.request("POST", f"/topics/{topic}.busy/events", data=lines, headers={"Content-Type": "application/x-ndjson"}).ok
    tabs()
    listen_to_new(console, f"{topic}.busy")
    console.wait_for_row("number 2999.")
    stream, = hub.get("/observers?kind=stream").json()["observers"]
    hub.post(f"{topic}.busy", b"number 3000.")
    console.wait_for_row("number 3000.")
    assert console.texts(".event-data")[:3] == ["number 3000.", '"number 2999."', '"number 2998."']
    assert stream["lastEventId"] == hub.history(f"{topic}.busy")[-2]["id"], "it began at the newest event"
    console.driver.switch_to.window(first)
    hub.post(f"{topic}.quiet", b"after")
    console.wait_for_row("after")


def test_tabs_resume_together_without_gap_or_duplicate(hub, console, tabs, line, topic):
    handles = [tabs(), tabs()]
    for handle in handles:
        console.driver.switch_to.window(handle)
        listen_to_new(console, topic)
    hub.post(topic, b"before")
    console.wait_for_row("before")
    line.cut()
    console.wait_for_state("reconnecting")
    hub.post(topic, b"meanwhile")
    line.mend()
    for handle in handles:
        console.driver.switch_to.window(handle)
        console.wait_for_state("live")
        console.wait_for_row("meanwhile")
        assert [row for row in ("meanwhile", "before") for _ in console.rows_with(row)] == ["meanwhile", "before"]
        console.driver.get("about:blank")


@pytest.mark.parametrize("absence", ["no SharedWorker", "one that cannot be started"])
def test_without_a_worker_a_tab_has_a_stream_of_its_own(hub, console, topic, absence):
    script = {
        "no SharedWorker": "delete globalThis.SharedWorker",
        "one that cannot be started": "globalThis.SharedWorker = class extends SharedWorker { constructor(_, options) { super('/absent.js', options) } }",
    }[absence]
    added = console.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    try:
        listen_to_new(console, topic)
        hub.post(topic, b"heard all the same")
        console.wait_for_row("heard all the same")
        assert streams(hub) == [[topic]]
        assert all("worker script" in complaint or "status of 404" in complaint for complaint in console.complaints())
    finally:
        console.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


# Credentials

@pytest.fixture
def file(tmp_path):
    return CredentialsFile(tmp_path, {"admin": grant("**"), "orders": grant("orders.**", rights=["subscribe"])})


@pytest.fixture
def guarded(start_hub, file, console):
    hub = start_hub("--credentials", str(file.path), "--durability", "process")
    hub.session.headers["Authorization"] = f"Bearer {file.keys['admin']}"
    console.url, console.forgiven = hub.url, "status of 40"
    return hub


def show(console, key, *patterns):
    console.driver.get(f"{console.url}/#/events?{'&'.join(f'topic={pattern}' for pattern in patterns)}")
    console.wait(lambda: console.find("#token-form").is_displayed(), "the question for a credential")
    console.fill("#token", key)
    console.find("#token-form [type=submit]").click()


def test_a_tab_hears_nothing_by_the_credential_of_another(guarded, file, console, tabs):
    admin = tabs()
    show(console, file.keys["admin"], "**")
    console.wait_for_state("live")
    reader = tabs()
    show(console, file.keys["orders"], "orders.eu")
    console.wait_for_state("live")
    nobody = tabs()
    console.driver.get(f"{console.url}/#/events?topic=orders.eu")
    console.wait(lambda: console.find("#token-form").is_displayed(), "the question for a credential")
    headers = {"Authorization": f"Bearer {file.keys['admin']}"}
    assert streams(guarded, headers) == [["**"], ["orders.eu"]]

    guarded.post("orders.eu", b"for both")
    guarded.post("secrets", b"for one")
    console.driver.switch_to.window(admin)
    console.wait_for_row("for both")
    console.wait_for_row("for one")
    console.driver.switch_to.window(reader)
    console.wait_for_row("for both")
    console.driver.switch_to.window(nobody)
    assert console.texts(".event-row") == []
    for handle, key in ((nobody, "admin"), (nobody, "orders"), (reader, "admin"), (admin, "orders")):
        console.driver.switch_to.window(handle)
        everything = console.run("""
            const urls = performance.getEntries().map((entry) => entry.name)
            return [location.href, ...urls, document.documentElement.outerHTML, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join()
        """)
        assert file.keys[key] not in everything


def test_what_a_credential_may_not_hear_in_one_tab_does_not_end_the_others(guarded, file, console, tabs):
    well = tabs()
    show(console, file.keys["orders"], "orders.eu")
    console.wait_for_state("live")
    # A tab that is opened by a page has its session, and so its credential.
    console.run("window.open(location.href.replace('orders.eu', 'secrets'))")
    refused = next(handle for handle in console.driver.window_handles if handle not in (well,) and handle != console.driver.window_handles[0])
    console.driver.switch_to.window(refused)
    try:
        console.wait_for_state("refused")
        console.wait_for_text("#stream-problem", "right-missing")
        console.driver.switch_to.window(well)
        guarded.post("orders.eu", b"heard on")
        console.wait_for_row("heard on")
        console.wait_for_state("live")
    finally:
        console.driver.switch_to.window(refused)
        console.driver.close()
        console.driver.switch_to.window(well)
