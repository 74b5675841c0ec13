"""The console through nginx and Caddy, at another port, by HTTP/2, and under a path."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from certificates import Authority
from conftest import Console, browser_options, start_browser
from credentials import CredentialsFile, grant
from documented_proxies import DocumentedProxy
from ports import free_port


@pytest.fixture(scope="module")
def trusting_chromium():
    options = browser_options()
    options.accept_insecure_certs = True
    started = start_browser(options)
    yield started
    started.quit()


@pytest.fixture(params=["nginx", "caddy"])
def behind(request, start_hub, tmp_path):
    port = free_port()
    file = CredentialsFile(tmp_path, {"admin": grant("**")})
    options = ("--credentials", str(file.path), "--durability", "process", "--trusted-proxy", "127.0.0.1")
    hubs = [start_hub(*options, "--public-url", f"https://localhost:{port}{path}") for path in ("", "/clarion")]
    proxy = DocumentedProxy(request.param, Authority(tmp_path), tmp_path / "proxy", port, *(hub.port for hub in hubs))
    proxy.hubs, proxy.key = hubs, file.keys["admin"]
    yield proxy
    proxy.stop()


@pytest.mark.parametrize("path", ["", "/clarion"], ids=["own host", "under a path"])
def test_the_console_works_and_comes_back_after_a_restart(behind, trusting_chromium, tmp_path, topic, path):
    hub = behind.hubs[1 if path else 0]
    console = Console(trusting_chromium, behind.url + path, tmp_path)
    console.open()
    console.wait(lambda: console.find("#token-form").is_displayed(), "the question for a credential")
    console.find("#token").send_keys(behind.key, Keys.ENTER)
    console.wait_for_state("live")
    protocols = console.run("return performance.getEntriesByType('resource').map((entry) => entry.nextHopProtocol)")
    assert set(protocols) <= {"h2", "h3"}
    origins = console.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert all(name.startswith(f"{behind.url}{path}/") for name in origins), origins

    # A post of the page: the hub takes the page's origin for its own.
    field = console.find("#post-topic")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(topic, Keys.CONTROL, Keys.ENTER)
    console.wait_for_row(topic)
    command = console.run("return document.querySelector('#post-command code').textContent")
    assert command.endswith(f" {behind.url}{path}/topics/{topic}/events")

    hub.stop()
    console.wait_for_state("reconnecting")
    # Once refused with 502 or 503, too.
    problem = "return document.querySelector('#stream-problem').textContent"
    console.run("document.querySelector('#connection-retry').click()")
    console.wait(lambda: "50" in console.run(problem), "the proxy's own answer")
    hub.restart()
    console.wait_for_state("live")
    hub.session.headers["Authorization"] = f"Bearer {behind.key}"
    hub.post(topic, b"after the restart")
    console.wait_for_row("after the restart")
    trusting_chromium.get("about:blank")
