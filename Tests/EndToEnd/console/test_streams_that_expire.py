"""The browser's own `EventSource` when its credential does not count any more: it stops, and asks no more."""

from __future__ import annotations

import signal

import pytest

from credentials import CredentialsFile, grant
from waiting import wait_until

OPEN = """
    window.opened = 0
    window.source = new EventSource(arguments[0])
    source.onopen = () => window.opened += 1
"""
CLOSED = 2


@pytest.fixture
def file(tmp_path):
    return CredentialsFile(tmp_path, {"console": grant("**"), "kept": grant("**")})


def open_stream(chromium, hub, credential):
    chromium.get(hub.url + "/healthz")
    chromium.execute_script(OPEN, f"/topics/a/events?access_token={credential}")
    wait_until(lambda: chromium.execute_script("return window.opened") == 1)


def wait_until_closed(chromium):
    wait_until(lambda: chromium.execute_script("return source.readyState") == CLOSED, what="the EventSource to give up")
    assert chromium.execute_script("return window.opened") == 1


def test_it_stops_when_its_token_has_expired(start_hub, chromium, file):
    hub = start_hub("--credentials", str(file.path))
    open_stream(chromium, hub, file.token(expires_in=3))
    wait_until_closed(chromium)


def test_it_stops_when_its_key_is_gone(start_hub, chromium, file):
    hub = start_hub("--credentials", str(file.path))
    open_stream(chromium, hub, file.keys["console"])
    file.remove_key("console")
    file.write()
    hub.process.send_signal(signal.SIGHUP)
    wait_until_closed(chromium)
