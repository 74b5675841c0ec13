"""A page whose name comes to lead to this machine (DNS rebinding), in a real browser; and one that is allowed."""

from __future__ import annotations

import http.server
import threading

import pytest
from selenium import webdriver

from conftest import browser_options, start_browser
from hub_process import events_path

READ = """
    const [target, options, done] = arguments
    fetch(target, options).then(async (answer) => done([answer.status, await answer.text()]), (error) => done([0, `${error}`]))
"""


@pytest.fixture(scope="module")
def rebound():
    """A browser for which a name that its page's author owns leads to 127.0.0.1, as after his name server says so."""
    options = browser_options()
    options.add_argument("--host-resolver-rules=MAP attacker.example 127.0.0.1, MAP app.example 127.0.0.1")
    driver: webdriver.Chrome = start_browser(options)
    driver.set_script_timeout(15)
    yield driver
    driver.quit()


@pytest.fixture
def website():
    """An empty site on this machine."""
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802: the library's name
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def test_a_rebound_page_reads_and_changes_nothing(hub, rebound, topic):
    hub.post(topic, b"secret")
    rebound.get(f"http://attacker.example:{hub.port}/healthz")
    assert "host-unknown" in rebound.page_source
    status, text = rebound.execute_async_script(READ, events_path(topic), {})
    assert status == 421 and "secret" not in text
    status, _ = rebound.execute_async_script(READ, events_path(topic), {"method": "POST", "body": "forged"})
    assert status == 421
    assert [event["data"] for event in hub.history(topic)] == ["secret"]


def test_a_page_of_an_allowed_origin_does_both(start_hub, rebound, website, topic):
    hub = start_hub("--allow-origin", f"http://app.example:{website}")
    target = f"http://127.0.0.1:{hub.port}{events_path(topic)}"
    options = {"method": "POST", "body": "hello", "credentials": "include", "headers": {"Idempotency-Key": "a"}}
    rebound.get(f"http://app.example:{website}/")
    status, _ = rebound.execute_async_script(READ, target, options)
    assert status == 201
    status, text = rebound.execute_async_script(READ, target, {"credentials": "include"})
    assert status == 200 and "hello" in text
    # The same page from an origin that is not allowed.
    rebound.get(f"http://attacker.example:{website}/")
    assert rebound.execute_async_script(READ, target, options)[0] == 0
    assert rebound.execute_async_script(READ, target, {})[0] == 0
    assert len(hub.history(topic)) == 1
