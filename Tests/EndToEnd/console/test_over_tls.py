"""The console of a hub that speaks TLS by itself, in a browser that takes this hub's certificate and no other."""

from __future__ import annotations

import base64
import hashlib
import signal

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from selenium.webdriver.common.keys import Keys

from certificates import Authority
from conftest import Console, browser_options, start_browser
from waiting import wait_until


def pin(authority):
    """The hash of a certificate's key, as Chromium wants it."""
    key = x509.load_pem_x509_certificate(authority.certificate.read_bytes()).public_key()
    written = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(written).digest()).decode()


def test_the_console_listens_and_posts(start_hub, tmp_path, topic):
    authority = Authority(tmp_path)
    hub = start_hub("--tls-cert", str(authority.certificate), "--tls-key", str(authority.key))
    hub.session.verify = str(authority.file)
    options = browser_options()
    options.add_argument(f"--ignore-certificate-errors-spki-list={pin(authority)}")
    browser = start_browser(options)
    try:
        console = Console(browser, hub.url, tmp_path)
        console.open_live()
        # A post of the page: the hub takes the page's origin for its own.
        field = console.find("#post-topic")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(topic, Keys.CONTROL, Keys.ENTER)
        console.wait_for_row(topic)
        # Its stream goes on with the certificate that it began with.
        authority.issue()
        hub.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "The certificate was read again." in hub.log)
        hub.post(topic, "after the reload")
        console.wait_for_row("after the reload")
        console.wait_for_state("live")
        assert console.complaints() == []
    finally:
        browser.quit()
