"""Servers of a cluster that are spoken to by TLS: who is not trusted is not spoken to, and why is said."""

import subprocess

import pytest

from certificates import Authority
from hub_process import environment_without_settings
from nats_servers import PROGRAM, NATSServers, log  # noqa: F401: fixture
from test_cluster import ask, post
from waiting import wait_until

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no nats-server: apt-get install nats-server")


@pytest.fixture
def authorities(tmp_path):
    folders = [tmp_path / name for name in ("ours", "other")]
    for folder in folders:
        folder.mkdir()
    return [Authority(folder) for folder in folders]


def test_a_certificate_that_is_wrong_is_refused_with_the_reason_and_a_renewed_one_taken(start_hub, tmp_path, log, authorities):
    ours, other = authorities
    settings = f'tls {{ cert_file: "{ours.certificate}", key_file: "{ours.key}" }}'
    with NATSServers(tmp_path, 1, settings=settings) as servers:
        address = servers.log(log).replace("nats://127.0.0.1", "tls://localhost")
        hub = start_hub("--log", address, environment={"SSL_CERT_FILE": str(ours.file)})
        assert post(hub, "a", "1").status_code == 201

        def starting(trusted):
            return subprocess.Popen(
                [hub.executable, "serve", "--port", "0", "--log", address, "--data", tmp_path / "none"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                env=environment_without_settings(SSL_CERT_FILE=str(trusted.file)))

        # One that ends while the hub runs is seen when the connection is made anew.
        servers.kill(0)
        ours.issue(days=-1)
        servers.start(0)
        servers.wait_until_ready(0)
        assert post(hub, "a", "2").status_code == 503
        assert ask(hub, "GET", "/readyz").status_code == 503
        runs = [(starting(other), "SSL handshake error"), (starting(ours), "certificate has expired")]
        for run, reason in runs:
            status, said = run.wait(20), run.stderr.read()
            assert status == 1 and reason in said, f"{status}: {said}"
        ours.issue()
        servers.kill(0)
        servers.start(0)
        wait_until(lambda: post(hub, "a", "2").status_code == 201, 30, "the server's return")
