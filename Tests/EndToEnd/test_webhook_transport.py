"""How attempts travel: TLS, connections that are kept, a proxy, and resolvers that lie."""

import asyncio
import contextlib
import re
import select
import shutil
import socket
import ssl
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from standardwebhooks import Webhook

from certificates import Authority
from hub_process import events_path
from listener import Listener
from problems import assert_problem
from proxy import Proxy
from secure_receiver import SecureReceiver
from test_webhooks import Trap
from waiting import wait_until
from webhook_receiver import WebhookReceiver

LOOPBACK = ("--allow-egress", "127.0.0.0/8")
RETRIES = ("--webhooks-retry", ",".join(["50ms", "100ms"] + ["300ms"] * 60))


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def shared_hub(start_shared_hub, authority):
    return start_shared_hub(*LOOPBACK, *RETRIES, "--webhooks-ca-file", str(authority.file), "--log-level", "debug")


def failures(hub, webhook):
    """The failure classes of a webhook's attempts, as the log of the hub has them."""
    # One line for each attempt that failed; others tell that the endpoint has begun to fail, and works again.
    lines = [line for line in hub.log_path.read_text().splitlines()
             if f"observer={webhook['id']}" in line and ("attempt failed" in line or "given up" in line)]
    return [match.group(1) for line in lines if (match := re.search(r"failure=([a-z-]+)", line))]


def attempts(hub, webhook, event):
    """The attempts of a webhook to deliver an event, as the hub shows them."""
    return hub.get(f"/observers/{webhook['id']}/deliveries/{event['id']}").json()["attemptLog"]


def post_lines(hub, topic, count):
    """Posts so many events at once."""
    body = "".join(f"{number}\n" for number in range(count))
    response = hub.request("POST", events_path(topic), data=body, headers={"Content-Type": "application/x-ndjson"})
    assert response.status_code == 201, response.text


class TLSEndpoint:
    """Serves whoever connects over TLS by a coroutine of what reads and what writes."""

    def __init__(self, authority, serve, protocol):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(authority.certificate, authority.key)
        context.set_alpn_protocols([protocol])
        self._loop = asyncio.new_event_loop()
        server = self._loop.run_until_complete(asyncio.start_server(serve, "127.0.0.1", 0, ssl=context))
        self.url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"

    def __enter__(self):
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)


# TLS

@pytest.mark.parametrize("protocols", [["h2", "http/1.1"], ["http/1.1"]], ids=["h2 offered", "not"])
def test_over_tls_http1_is_spoken(shared_hub, authority, topic, figure, protocols):
    async def answer(delivery):
        await asyncio.sleep(0.002)
        return 204

    with SecureReceiver(authority, answer, protocols) as receiver:
        webhook = shared_hub.register(receiver.url("/hook"), topic, maxInFlight=4)
        post_lines(shared_hub, topic, 500)
        deliveries = receiver.wait_for(500)
        assert set(receiver.versions) == {"1.1"}
        for delivery in deliveries[::50]:
            Webhook(webhook["secret"]).verify(delivery.body, delivery.headers)
        assert receiver.most_concurrent <= 4
        assert len({delivery.id for delivery in deliveries}) == 500
        figure(f"{len(set(receiver.ports))} connections, at most {receiver.most_concurrent} at once")
        assert len(set(receiver.ports)) <= 4


def test_several_webhooks_of_one_host_have_slots_of_their_own(shared_hub, authority, topic):
    release = threading.Event()

    async def answer(delivery):
        while delivery.path == "/slow" and not release.is_set():
            await asyncio.sleep(0.01)
        return 204

    with SecureReceiver(authority, answer) as receiver:
        shared_hub.register(receiver.url("/slow"), topic, maxInFlight=2)
        shared_hub.register(receiver.url("/fast"), topic)
        post_lines(shared_hub, topic, 50)
        wait_until(lambda: len([one for one in receiver.deliveries if one.path == "/fast"]) == 50)
        assert len([one for one in receiver.deliveries if one.path == "/slow"]) == 2
        release.set()
        receiver.wait_for(100)


def test_a_body_that_is_too_long_ends_its_own_attempt_only(shared_hub, authority, topic):
    async def answer(delivery):
        if delivery.path == "/long" and delivery.headers["clarion-attempt"] == "1":
            return 200, b"x" * 1_000_000
        await asyncio.sleep(0.01)
        return 204

    with SecureReceiver(authority, answer) as receiver:
        long = shared_hub.register(receiver.url("/long"), topic)
        short = shared_hub.register(receiver.url("/short"), topic)
        post_lines(shared_hub, topic, 20)
        receiver.wait_for(60)
        wait_until(lambda: failures(shared_hub, long).count("response-too-large") == 20)
        assert failures(shared_hub, short) == []


def test_after_a_timeout_another_connection_is_used(shared_hub, authority, topic):
    async def answer(delivery):
        if delivery.headers["clarion-attempt"] == "1":
            await asyncio.sleep(60)
        return 204

    with SecureReceiver(authority, answer) as receiver:
        webhook = shared_hub.register(receiver.url(), topic)
        shared_hub.post(topic, "x")
        wait_until(lambda: len(receiver.deliveries) == 2, deadline=30)
        assert len(set(receiver.ports)) == 2
        wait_until(lambda: failures(shared_hub, webhook) == ["timeout"])


def test_a_certificate_of_an_unknown_authority(start_hub, authority, topic, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for options in ((), ("--webhooks-ca-file", str(Authority(other).file))):
        hub = start_hub(*LOOPBACK, *RETRIES, "--log-level", "debug", *options)
        with SecureReceiver(authority) as receiver:
            webhook = hub.register(receiver.url(), topic)
            hub.post(topic, "x")
            wait_until(lambda: failures(hub, webhook))
            assert set(failures(hub, webhook)) == {"tls-error"}
            assert receiver.deliveries == []


def test_a_certificate_of_another_name(shared_hub, authority, topic):
    with SecureReceiver(authority, host="127.0.0.2") as receiver:
        webhook = shared_hub.register(receiver.url(), topic)
        shared_hub.post(topic, "x")
        wait_until(lambda: failures(shared_hub, webhook))
        assert set(failures(shared_hub, webhook)) == {"tls-error"}
        assert receiver.deliveries == []


@pytest.mark.parametrize("content", [None, "", "no certificate"])
def test_what_is_no_file_of_authorities_is_refused(clarion, tmp_path, content):
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    run = clarion("serve", "--webhooks-ca-file", file)
    assert run.returncode == 64
    assert run.stderr.startswith("clarion: --webhooks-ca-file: ")


def test_this_machine_is_not_dialled_over_tls_either(start_hub, authority, topic):
    hub = start_hub(*RETRIES, "--webhooks-ca-file", str(authority.file), "--log-level", "debug")
    with Trap() as trap:
        webhook = hub.register(f"https://localhost:{trap.port}/", topic)
        hub.post(topic, "x")
        wait_until(lambda: failures(hub, webhook))
        assert set(failures(hub, webhook)) == {"egress-blocked"}
        assert not trap.was_dialled


# Connections

def test_connections_opened_for_ten_thousand_deliveries(start_hub, receiver, topic, figure):
    hub = start_hub(*LOOPBACK)
    webhook = hub.register(receiver.url(), topic, maxInFlight=8)
    for _ in range(5):
        post_lines(hub, topic, 2000)
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == 10_000, deadline=120)
    figure(f"{receiver.accepted} connections for 10,000 deliveries, 8 in flight")
    assert receiver.accepted <= 8


def test_a_connection_that_was_given_up_on_is_closed(start_hub, authority, topic):
    hub = start_hub(*LOOPBACK, "--webhooks-ca-file", str(authority.file))
    requests = []

    async def serve(reader, writer):
        requests.append(await reader.readuntil(b"\r\n\r\n"))

    with TLSEndpoint(authority, serve, "http/1.1") as endpoint:
        webhook = hub.register(endpoint.url, topic)
        before = hub.sockets()
        hub.post(topic, "x")
        wait_until(lambda: requests)
        assert hub.sockets() > before
        hub.request("DELETE", f"/observers/{webhook['id']}")
        # The requests keep their own connection open.
        wait_until(lambda: hub.observers() == [] and hub.sockets() == before, 10, "the sockets from before")


@pytest.mark.parametrize("is_known", [False, True], ids=["strange", "known"])
def test_connections_that_endpoints_end_are_closed_without_another_attempt(start_hub, topic, is_known):
    """Each was used once. Attempts at an endpoint that has answered before are made on another thread."""
    count = 8
    hub = start_hub(*LOOPBACK)
    assert hub.observers() == []  # over the connection that is kept for all further requests
    before = hub.sockets()
    together = threading.Barrier(count)

    def answer(delivery):
        if delivery.body == b"first":
            return 204, {"Connection": "close"}
        together.wait(10)
        return 204

    with WebhookReceiver(answer) as receiver:
        webhook = hub.register(receiver.url(), topic, maxInFlight=count)
        if is_known:
            hub.post(topic, "first")
            wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == 1)
        post_lines(hub, topic, count)
        wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == count + is_known)
        assert hub.sockets() >= before + count
    wait_until(lambda: hub.sockets() == before, 10, "the sockets from before")


class Attempts(Listener, list):
    """What an endpoint was sent over all connections, which it keeps: event and number of the attempt."""

    def __init__(self, answers):
        super().__init__()
        #: For each request: nothing ends its connection after so many seconds, without an answer.
        self._answers = iter(answers)

    @staticmethod
    def _requests(lines):
        """The path and the fields of each request that comes."""
        while line := lines.readline():
            path, fields = line.split()[1].decode(), {}
            while (line := lines.readline().strip()):
                name, _, value = line.decode().partition(": ")
                fields[name.lower()] = value
            lines.read(int(fields["content-length"]))
            yield path, fields

    def _serve(self, connection):
        with connection, connection.makefile("rb") as lines:
            for _, fields in self._requests(lines):
                self.append((fields["webhook-id"], int(fields["clarion-attempt"])))
                silence = next(self._answers, 0)
                if silence:
                    time.sleep(silence)
                    return
                connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")


def test_what_a_kept_connection_leaves_without_an_answer_is_a_failed_attempt(shared_hub, topic):
    """libcurl would send it again by itself, whatever became of the webhook and its event meanwhile."""
    with Attempts([0, 1.5]) as endpoint:
        webhook = shared_hub.register(endpoint.url, topic)
        first = shared_hub.post(topic, "first")
        wait_until(lambda: shared_hub.observer(webhook["id"])["stats"]["delivered"] == 1)
        second = shared_hub.post(topic, "second")
        wait_until(lambda: shared_hub.observer(webhook["id"])["stats"]["delivered"] == 2)
        assert endpoint == [(first["id"], 1), (second["id"], 1), (second["id"], 2)]
        failed, delivered = attempts(shared_hub, webhook, second)
        assert failed["failure"] == "connection-reset" and "without an answer" in failed["message"]
        assert failed["durationMs"] >= 1_400 and delivered["status"] == 204


def test_a_kept_connection_that_ends_as_it_is_used_costs_no_attempt(shared_hub, topic):
    with Attempts([0, 0.01]) as endpoint:
        webhook = shared_hub.register(endpoint.url, topic)
        first = shared_hub.post(topic, "first")
        wait_until(lambda: shared_hub.observer(webhook["id"])["stats"]["delivered"] == 1)
        second = shared_hub.post(topic, "second")
        wait_until(lambda: shared_hub.observer(webhook["id"])["stats"]["delivered"] == 2)
        assert endpoint == [(first["id"], 1), (second["id"], 1), (second["id"], 1)]
        assert len(attempts(shared_hub, webhook, second)) == 1


class TalkingEndpoint(Attempts):
    """Says something over each connection when it has answered, as if it were asked once more."""

    def __init__(self, more, context=None):
        super().__init__([])
        self._more, self._context = more, context
        self.said = threading.Semaphore(0)
        if context:
            self.url = self.url.replace("http:", "https:")

    def _serve(self, connection):
        with self._context.wrap_socket(connection, server_side=True) if self._context else connection as connection:
            with connection.makefile("rb") as lines:
                for path, fields in self._requests(lines):
                    self.append((path, fields["webhook-id"]))
                    connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
                    # When the answer was taken, and the connection is idle.
                    select.select([], [], [], 0.02)
                    with contextlib.suppress(OSError):
                        connection.sendall(self._more)
                    self.said.release()


@pytest.mark.parametrize("is_secure", [False, True], ids=["http", "https"])
@pytest.mark.parametrize("more", [
    b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b"body"],
    ids=["gone", "ok", "body"])
def test_what_comes_unasked_is_no_answer_to_the_next_delivery(shared_hub, authority, topic, more, is_secure):
    context = None
    if is_secure:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(authority.certificate, authority.key)
    with TalkingEndpoint(more, context) as endpoint:
        # Two webhooks of one host share its connections.
        first, second = [shared_hub.register(f"{endpoint.url}{name}", f"{topic}.{name}") for name in "ab"]
        expected = []
        for _ in range(5):
            for webhook, name in [(first, "a"), (second, "b")]:
                expected.append((f"/{name}", shared_hub.post(f"{topic}.{name}", name)["id"]))
                assert endpoint.said.acquire(timeout=30), endpoint
        for webhook in (first, second):
            wait_until(lambda: shared_hub.observer(webhook["id"])["stats"]["pending"] == 0)
            now = shared_hub.observer(webhook["id"])
            assert (now["state"], now["stats"]["delivered"], now["stats"]["failed"]) == ("active", 5, 0), now
            assert now["stats"]["lastStatus"] == 204
        assert endpoint == expected


# International names

def test_an_international_name_is_taken_in_its_ascii_form_only(shared_hub, topic):
    webhook = shared_hub.register("https://XN--bcher-kva.example/hook?ä", topic)
    assert webhook["url"] == "https://xn--bcher-kva.example/hook?%c3%a4"
    response = shared_hub.request("POST", "/observers", json={"topics": [topic], "url": "https://bücher.example/"})
    problem = assert_problem(response, 400, "url-invalid", pointer="/url")
    assert "xn--" in problem["detail"]


# A proxy

def test_through_a_proxy(start_hub, receiver, authority, topic):
    with Proxy() as proxy, SecureReceiver(authority) as secure:
        # The proxy's address is no public one, and is dialled all the same: the operator named it.
        hub = start_hub(
            *RETRIES, "--egress-proxy", f"http://user:pass@127.0.0.1:{proxy.port}", "--webhooks-ca-file",
            str(authority.file), "--log-level", "debug")
        plain = hub.register(f"http://example.test:{receiver.port}/plain", topic)
        tunnelled = hub.register(f"https://localhost:{secure.port}/tls", topic, headers={"Authorization": "Bearer t"})
        hub.post(topic, '"x"')
        [delivery] = receiver.wait_for(1)
        Webhook(plain["secret"]).verify(delivery.body, delivery.headers)
        [delivery] = secure.wait_for(1)
        Webhook(tunnelled["secret"]).verify(delivery.body, delivery.headers)
        asked = {method: (target, head) for method, target, head in proxy.asked}
        assert asked["POST"][0] == f"http://example.test:{receiver.port}/plain"
        assert asked["CONNECT"][0] == f"localhost:{secure.port}"
        # What is for the endpoint is not shown to the proxy.
        assert "webhook-signature" not in asked["CONNECT"][1].lower() and "Bearer" not in asked["CONNECT"][1]
        assert "Proxy-Authorization: Basic dXNlcjpwYXNz" in asked["CONNECT"][1]
        assert "pass" not in hub.log


def test_through_a_proxy_over_tls(start_hub, authority, topic):
    """An endpoint's session ticket and its answer come to the hub in one record of the proxy's."""
    with Proxy(authority=authority) as proxy, SecureReceiver(authority, keeps=60) as secure:
        hub = start_hub(
            *RETRIES, "--egress-proxy", f"https://localhost:{proxy.port}", "--webhooks-ca-file", str(authority.file))
        webhook = hub.register(f"https://localhost:{secure.port}/", topic)
        events = [hub.post(topic, str(number)) for number in range(10)]
        wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == len(events))
        assert [len(attempts(hub, webhook, event)) for event in events] == [1] * len(events)
        assert len(secure.deliveries) == len(events)


def test_addresses_in_urls_are_judged_with_a_proxy_too(start_hub, topic):
    with Proxy() as proxy:
        hub = start_hub(*RETRIES, "--egress-proxy", f"http://127.0.0.1:{proxy.port}", "--log-level", "debug")
        for host in ["127.0.0.1", "0x7f.1", "[::1]", "[::ffff:10.0.0.1]", "10.0.0.1", "169.254.169.254", "127.0.0.1.",
                     "2130706433.", "0x7f.1.", "127.1.", "127.1%2e"]:
            webhook = hub.register(f"http://{host}:8000/", topic)
            hub.post(topic, "x")
            wait_until(lambda: failures(hub, webhook))
            assert set(failures(hub, webhook)) == {"egress-blocked"}
        assert proxy.asked == []


class KeptProxy(BaseHTTPRequestHandler):
    """A proxy that answers itself, on one connection for all hosts."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, self.headers["Host"], self.client_address))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def test_each_host_has_its_own_name_on_a_kept_connection_to_a_proxy(start_hub, topic):
    with ThreadingHTTPServer(("127.0.0.1", 0), KeptProxy) as proxy:
        proxy.asked = []
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        hub = start_hub(*RETRIES, "--egress-proxy", f"http://127.0.0.1:{proxy.server_port}", "--allow-egress", "::1/128")
        hosts = ["[::1]:8080", "example.test", "[::1]", "example.test:8080"]
        # One after the other, so that the connection is used again.
        for number, host in enumerate(hosts):
            hub.register(f"http://{host}/{number}", f"{topic}{number}")
            hub.post(f"{topic}{number}", "x")
            wait_until(lambda: len(proxy.asked) > number)
        proxy.shutdown()
    assert [(path, name) for path, name, _ in proxy.asked] == [
        (f"http://{host}/{number}", host) for number, host in enumerate(hosts)]
    assert len({client for _, _, client in proxy.asked}) == 1


@pytest.mark.parametrize(("refusal", "failure"), [
    ("403 Forbidden", "egress-blocked"), ("500 Unable to connect", "connection-refused"),
    ("502 Bad Gateway", "connection-refused"), ("504 Gateway Timeout", "timeout")])
def test_what_a_proxy_refuses(start_hub, topic, refusal, failure):
    with Proxy(allows=lambda target: False, refusal=refusal) as proxy:
        hub = start_hub(*RETRIES, "--egress-proxy", f"http://127.0.0.1:{proxy.port}", "--log-level", "debug")
        webhook = hub.register("https://internal.example/", topic)
        event = hub.post(topic, "x")
        wait_until(lambda: failures(hub, webhook))
        assert set(failures(hub, webhook)) == {failure}
        # The endpoint has not answered: what the proxy did is not its status.
        assert {attempt["status"] for attempt in attempts(hub, webhook, event)} == {None}
        assert hub.observer(webhook["id"])["stats"]["lastStatus"] is None


@pytest.mark.parametrize(("answers", "failure"), [
    ([b"\5\xff"], "egress-blocked"), ([b"\5\0", b"\5\2\0\1" + bytes(6)], "egress-blocked"),
    ([b"\5\0", b"\5\5\0\1" + bytes(6)], "connection-refused"), ([b"\5\0", b"\5\4\0\1" + bytes(6)], "connection-refused"),
    ([b"\5\0", b"\5\1\0\1" + bytes(6)], "connection-refused"), ([b"\5\0"], "connection-reset")])
def test_what_a_socks_proxy_refuses(start_hub, topic, answers, failure):
    """Who may not use it, a rule, nobody who listens, no such host, a failure of its own; and nothing at all."""
    def serve():
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                with client:
                    for answer in answers:
                        client.recv(1024)
                        client.sendall(answer)
                    client.recv(1024)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        proxy = f"socks5h://127.0.0.1:{listener.getsockname()[1]}"
        hub = start_hub(*RETRIES, "--egress-proxy", proxy, "--log-level", "debug")
        webhook = hub.register("https://internal.example/", topic)
        hub.post(topic, "x")
        wait_until(lambda: failures(hub, webhook))
        assert set(failures(hub, webhook)) == {failure}


def test_an_unknown_certificate_behind_a_proxy_has_no_status(start_hub, authority, topic):
    with Proxy() as proxy, SecureReceiver(authority) as secure:
        hub = start_hub(*RETRIES, "--egress-proxy", f"http://127.0.0.1:{proxy.port}", "--log-level", "debug")
        webhook = hub.register(f"https://localhost:{secure.port}/", topic)
        event = hub.post(topic, "x")
        wait_until(lambda: failures(hub, webhook))
        assert {(attempt["failure"], attempt["status"]) for attempt in attempts(hub, webhook, event)} == {("tls-error", None)}


@pytest.mark.parametrize("url", ["", "127.0.0.1:3128", "ftp://a:1", "socks5://a:1", "http://", "http://a b:1"])
def test_what_is_no_proxy_is_refused(clarion, url):
    run = clarion("serve", environment={"CLARION_EGRESS_PROXY": url})
    assert run.returncode == 64 and run.stderr.startswith("clarion: --egress-proxy: ")


# A resolver that lies

LIAR = r"""
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Names below liar.test: another address at every second question, this machine's, as if the name had been looked up
   to be checked and was looked up again to be dialled. Below both.liar.test: both at once. The other address is of the
   range for documentation, opened for the test, where nobody answers. */
static atomic_int asked;

static struct addrinfo *answer(const char *text, const char *service, struct addrinfo *next) {
    struct { struct addrinfo info; struct sockaddr_in address; } *one = calloc(1, sizeof *one);
    one->address.sin_family = AF_INET;
    one->address.sin_port = htons(service ? atoi(service) : 0);
    inet_pton(AF_INET, text, &one->address.sin_addr);
    one->info = (struct addrinfo){.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_protocol = IPPROTO_TCP,
        .ai_addrlen = sizeof one->address, .ai_addr = (struct sockaddr *)&one->address, .ai_next = next};
    return &one->info;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    if (name && strstr(name, "liar.test")) {
        if (strstr(name, "both")) *result = answer("198.51.100.1", service, answer("127.0.0.1", service, NULL));
        else *result = answer(asked++ % 2 ? "127.0.0.1" : "198.51.100.1", service, NULL);
        return 0;
    }
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(RTLD_NEXT, "getaddrinfo");
    return real(name, service, hints, result);
}

void freeaddrinfo(struct addrinfo *list) {
    /* Leaked: the real function would not know these. */
    (void)list;
}
"""


@pytest.fixture(scope="module")
def liar(tmp_path_factory):
    """A library that answers for the resolver."""
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "Swift's toolchain brings clang"
    folder = tmp_path_factory.mktemp("liar")
    (folder / "liar.c").write_text(LIAR)
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", str(folder / "liar.so"), str(folder / "liar.c"), "-ldl"], check=True)
    return folder / "liar.so"


def test_a_name_that_leads_elsewhere_the_second_time(start_hub, liar, topic):
    with Trap() as trap:
        hub = start_hub(
            "--allow-egress", "198.51.100.1/32", "--webhooks-retry", ",".join(["5s"] * 60), "--log-level", "debug",
            environment={"LD_PRELOAD": str(liar)})
        # Each name is looked up by itself, and again only when its endpoint is tried again on the other thread.
        webhooks = [hub.register(f"http://{number}.liar.test:{trap.port}/", topic) for number in range(6)]
        webhooks.append(hub.register(f"http://both.liar.test:{trap.port}/", topic))
        hub.post(topic, "x")
        wait_until(lambda: all(failures(hub, webhook) for webhook in webhooks), deadline=40)
        assert not trap.was_dialled
        assert sum("egress-blocked" in failures(hub, webhook) for webhook in webhooks[:6]) == 3


def test_the_liar_is_believed_where_that_is_allowed(start_hub, liar, topic):
    with Trap() as trap:
        hub = start_hub(*LOOPBACK, *RETRIES, environment={"LD_PRELOAD": str(liar)})
        hub.register(f"http://both.liar.test:{trap.port}/", topic)
        hub.post(topic, "x")
        wait_until(lambda: trap.was_dialled, deadline=30)


def test_what_ends_in_the_first_quiet_moment_is_taken_in(start_hub, topic):
    """Then the hub gets ready for TLS, and must not lose what else happens: a slot, and the deliveries after it."""
    delays = [0.2 + number / 200 for number in range(40)]
    with WebhookReceiver(lambda delivery: time.sleep(delays[int(delivery.path[1:])]) or 204) as receiver:
        for _ in range(3):
            hub = start_hub(*LOOPBACK)
            webhooks = [hub.register(receiver.url(f"/{number}"), topic) for number in range(len(delays))]
            hub.post(topic, "x")
            wait_until(lambda: all(hub.observer(webhook["id"])["stats"]["delivered"] == 1 for webhook in webhooks))
            hub.stop()
