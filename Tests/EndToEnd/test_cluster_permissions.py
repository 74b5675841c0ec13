"""What the users of a cluster's servers may do, and what operators set for the stream of a log."""

import subprocess

import pytest

from nats_servers import PROGRAM, NATSServers, log  # noqa: F401: fixture
from test_cluster import post

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no nats-server: apt-get install nats-server")


def test_the_log_of_an_account_that_may_have_no_more_streams_is_opened(start_hub, tmp_path, log):
    accounts = 'accounts { A { jetstream: { max_streams: 1 }, users: [{ user: "u", password: "p" }] } }'
    with NATSServers(tmp_path, 1, settings=accounts) as servers:
        hubs = [start_hub("--log", servers.log(log, "u:p@")) for _ in range(2)]
        hubs[0].restart()
        for hub in hubs:
            assert post(hub, "a", "1").status_code == 201


def test_the_log_is_opened_by_users_who_may_not_make_one(start_hub, tmp_path, log):
    settings = f"""authorization {{ users: [{{ user: "u", password: "p" }}, {{ user: "v", password: "p",
        permissions: {{ publish: {{ deny: ["$JS.API.STREAM.CREATE.>"] }} }} }}] }}"""
    with NATSServers(tmp_path, 1, settings=settings) as servers:
        start_hub("--log", servers.log(log, "u:p@"))
        assert post(start_hub("--log", servers.log(log, "v:p@")), "a", "1").status_code == 201


def test_nodes_that_start_together_make_one_log(executable, start_hub, tmp_path, log):
    with NATSServers(tmp_path, 3) as servers:
        command = [executable, "serve", "--port", "0", "--log", servers.log(log)]
        folders = [tmp_path / f"together{number}" for number in range(4)]
        for folder in folders:
            folder.mkdir()
        processes = [subprocess.Popen([*command, "--data", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                     for folder in folders]
        try:
            for process in processes:
                assert "is listening" in process.stdout.readline()
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.communicate(timeout=20)
