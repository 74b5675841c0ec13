"""Endpoints that answer without end what is no body: lines of heads and trailers, heads of chunks, records of TLS."""

import pytest
from tlslite.api import HandshakeSettings, TLSConnection, X509CertChain, parsePEMKey
from tlslite.messages import NewSessionTicket

from certificates import Authority
from listener import Listener
from waiting import wait_until

OPTIONS = ("--allow-egress", "127.0.0.0/8", "--webhooks-retry", "1h")
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

#: What comes first, and what comes after it again and again.
LINES = {
    "fields": (b"HTTP/1.1 200 OK\r\n", b"X: a\r\n" * 10_000),
    "interim heads": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" * 2_000),
    "trailers": (CHUNKED + b"0\r\n", b"X: a\r\n" * 10_000),
    "long trailers": (CHUNKED + b"0\r\n", (b"X: " + b"a" * 1_000 + b"\r\n") * 60),
}


class Flood(Listener):
    """Sends whoever connects the one, and then the other until they have had enough."""

    def __init__(self, first, again):
        super().__init__()
        self.first, self.again = first, again
        self.sent = 0

    def _serve(self, connection):
        with connection:
            try:
                connection.recv(65536)
                connection.sendall(self.first)
                while True:
                    connection.sendall(self.again)
                    self.sent += len(self.again)
            except OSError:
                pass


@pytest.mark.parametrize("kind", LINES)
def test_lines_without_end_are_too_large(start_hub, topic, kind):
    hub = start_hub(*OPTIONS)
    before = hub.rss()
    with Flood(*LINES[kind]) as flood:
        webhook = hub.register(flood.url, topic)
        event = hub.post(topic, "x")
        path = f"/observers/{webhook['id']}/deliveries/{event['id']}"
        wait_until(lambda: hub.get(path).json()["attempts"] == 1)
        assert hub.get(path).json()["failure"] == "response-too-large"
        assert hub.rss() - before < 16 << 20
        # Asking for consent is answered in the same way.
        response = hub.request("POST", f"/observers/{webhook['id']}/test")
        assert response.json()["failure"] == "response-too-large", response.text
    assert hub.rss() - before < 16 << 20


@pytest.mark.parametrize("again", [b"a" * 65536, b"a" * 300_000 + b"\r\nb\r\n1;"], ids=["one", "many"])
def test_extensions_of_chunks_without_end_are_too_large(start_hub, topic, figure, again):
    """One, or one for each byte of a body."""
    hub = start_hub(*OPTIONS)
    with Flood(CHUNKED + b"1;", again) as flood:
        webhook = hub.register(flood.url, topic)
        processor_time = hub.processor_time()
        event = hub.post(topic, "x")
        path = f"/observers/{webhook['id']}/deliveries/{event['id']}"
        wait_until(lambda: hub.get(path).json()["attempts"] == 1)
        spent = hub.processor_time() - processor_time
        assert hub.get(path).json()["failure"] == "response-too-large"
        figure(f"{flood.sent >> 20} MiB read, for {spent:.2f} s of processor")
        assert flood.sent < 1 << 30


def test_a_body_in_many_chunks_with_extensions_is_an_answer(start_hub, topic):
    """4,000 of them, which are 60 KB of a body, and each has an extension that is longer."""
    hub = start_hub(*OPTIONS)
    with Flood(CHUNKED + (b"f;" + b"a" * 100 + b"\r\n" + b"b" * 15 + b"\r\n") * 4_000 + b"0\r\n\r\n", b"") as endpoint:
        webhook = hub.register(endpoint.url, topic)
        hub.post(topic, "x")
        wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == 1)


class Recorder:
    """Takes what is sent."""

    def __init__(self):
        self.sent = bytearray()

    def send(self, data):
        self.sent += data
        return len(data)


class Tickets(Flood):
    """Sends many session tickets (RFC 8446 section 4.6.1) in place of an answer, each a record of 41 bytes, all at once."""

    def __init__(self, authority, count):
        super().__init__(b"", b"")
        self.chain = X509CertChain()
        self.chain.parsePemList(authority.certificate.read_text())
        self.key = parsePEMKey(authority.key.read_text(), private=True)
        self.count = count
        self.url = self.url.replace("http:", "https:")

    def _serve(self, connection):
        with connection:
            tls, settings = TLSConnection(connection), HandshakeSettings()
            settings.ticket_count = 0
            tls.handshakeServer(certChain=self.chain, privateKey=self.key, settings=settings, alpn=[bytearray(b"http/1.1")])
            tls.recv(1)
            tls._recordLayer._recordSocket.sock = tls.sock = recorder = Recorder()
            for number in range(self.count):
                ticket = NewSessionTicket().create(3600, number, bytearray(b"n"), bytearray(b"t"), [])
                for _ in tls._sendMsg(ticket):
                    pass
            try:
                connection.sendall(recorder.sent)
                connection.recv(1)
            except OSError:
                pass


def test_tickets_without_end_are_too_large(start_hub, topic, tmp_path, figure):
    """OpenSSL would read them all in one call, and hold up all other transfers meanwhile."""
    authority = Authority(tmp_path)
    hub = start_hub(*OPTIONS, "--webhooks-ca-file", str(authority.file))
    with Tickets(authority, 20_000) as flood:
        webhook = hub.register(flood.url, topic)
        processor_time = hub.processor_time()
        event = hub.post(topic, "x")
        path = f"/observers/{webhook['id']}/deliveries/{event['id']}"
        wait_until(lambda: hub.get(path).json()["attempts"] == 1, 30)
        figure(f"{hub.processor_time() - processor_time:.2f} s of processor")
        assert hub.get(path).json()["failure"] == "response-too-large"
