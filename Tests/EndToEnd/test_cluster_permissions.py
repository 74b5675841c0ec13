"""What the users of a cluster's servers may do, and what operators set for the stream of a log."""

import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from metrics import Reading
from nats_servers import PROGRAM, NATSServers, log, server  # noqa: F401: fixtures
from test_cluster import ask, post
from waiting import wait_until

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no nats-server: apt-get install nats-server")

LARGE = "x" * 200_000

DOCS = Path(__file__).parents[2] / "docs/clustering.md"


def documented(name):
    """The subjects that docs/clustering.md says a user needs, for a log of this name."""
    [sentence] = re.findall(r"permissions, these need to publish and\s+subscribe to ([^:]*):", DOCS.read_text())
    return [subject.replace("NAME", name) for subject in re.findall(r"`([^`]+)`", sentence)]


def user_of(subjects):
    quoted = ", ".join(f'"{subject}"' for subject in subjects)
    return f"""authorization {{ users: [{{ user: "u", password: "p",
        permissions: {{ publish: [{quoted}], subscribe: [{quoted}] }} }}] }}"""


def test_the_documented_permissions_are_enough(start_hub, tmp_path, log):
    with NATSServers(tmp_path, 1, settings=user_of(documented(log))) as servers:
        address = servers.log(log, "u:p@")
        hubs = [start_hub("--log", address) for _ in range(2)]
        # More than consumers are sent before they say that they have taken it.
        for number in range(50):
            assert post(hubs[number % 2], "large", LARGE).status_code == 201
        hubs.append(start_hub("--log", address))
        for hub in hubs:
            assert len(hub.history("large")) == 50
            assert ask(hub, "GET", "/readyz").status_code == 200
            assert "unreachable" not in ask(hub, "GET", "/observers").json()
        status = subprocess.run([hubs[0].executable, "cluster", "status", "--log", address], capture_output=True, text=True)
        assert (status.returncode, status.stderr) == (0, "")
        assert "Violation" not in (tmp_path / "nats0.log").read_text()


def test_a_post_that_is_lost_on_its_way_is_told_when_later_ones_are_there(start_hub, tmp_path, log):
    """As a server does that leads no more: it answers nothing, and others go on. Here it may not take this one."""
    permissions = user_of(documented(log)).replace("publish: [", f'publish: {{ deny: ["clarion.{log}.topic.lost"], allow: [', 1) \
        .replace("], subscribe", "] }, subscribe", 1)
    with NATSServers(tmp_path, 1, settings=permissions) as servers, ThreadPoolExecutor() as pool:
        hub = start_hub("--log", servers.log(log, "u:p@"))
        lost = pool.submit(post, hub, "lost", "x")
        begun = time.monotonic()
        while not lost.done():
            assert post(hub, "a", "x").status_code == 201
        answer = lost.result()
        assert (answer.status_code, answer.json()["code"]) == (503, "log-unavailable")
        assert time.monotonic() - begun < 5


def test_a_node_that_takes_nothing_of_the_stream_is_not_ready(start_hub, tmp_path, log):
    """It may not say that it has taken what it was sent."""
    subjects = [subject for subject in documented(log) if "FC" not in subject]
    with NATSServers(tmp_path, 1, settings=user_of(subjects)) as servers:
        hub = start_hub("--log", servers.log(log, "u:p@"))
        wait_until(lambda: post(hub, "large", LARGE * 5, timeout=20).status_code != 201, 60, "the refusal of a post")
        wait_until(lambda: ask(hub, "GET", "/readyz").status_code == 503, 15, "its readiness to end")
        assert ask(hub, "GET", "/readyz").json()["code"] == "log-unavailable"
        assert "does not come back to this node" in hub.log


@pytest.mark.parametrize("subject", ["_INBOX.>", "clarion-nodes.>"])
def test_what_nodes_may_not_hear_for_a_while_they_hear_again(start_hub, tmp_path, log, subject):
    def user(denied):
        return f"""authorization {{ users: [{{ user: "u", password: "p",
            permissions: {{ subscribe: {{ deny: [{denied}] }} }} }}] }}"""

    with NATSServers(tmp_path, 1, settings=user("")) as servers:
        hubs = [start_hub("--log", servers.log(log, "u:p@")) for _ in range(2)]

        def know_each_other():
            return all(Reading.of(hub)["clarion_cluster_nodes"] == 2 for hub in hubs)

        wait_until(know_each_other, what="the nodes' acquaintance")
        servers.set(user(f'"{subject}"'))
        for hub in hubs:
            wait_until(lambda: "for want of permission" in hub.log, 30, "a line about it")
        servers.set(user(""))
        for hub in hubs:
            wait_until(lambda: post(hub, "a", "1", timeout=20).status_code == 201, 60, "a post")
            wait_until(lambda: ask(hub, "GET", "/readyz").status_code == 200, 30, "a node that is ready")
        # Where they did not hear each other they have forgotten each other by now.
        wait_until(know_each_other, 60, "the nodes' acquaintance")
        with hubs[0].stream("b") as stream:
            wait_until(lambda: stream.observer_id in [one["id"] for one in hubs[1].observers()], 30, "the other's stream")


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


@pytest.mark.parametrize("settings", [
    {"max_age": 10**12}, {"max_msgs_per_subject": 1000}, {"max_msgs": 10**6, "discard": "old"}, {"max_bytes": 10**9, "discard": "old"},
], ids=["max_age", "max_msgs_per_subject", "max_msgs", "max_bytes"])
def test_a_stream_that_loses_messages_by_itself_is_not_used(start_hub, server, log, settings):
    hub = start_hub("--log", server.log(log))
    assert post(hub, "a", "1").status_code == 201
    server.change_settings(log, **settings)
    wait_until(lambda: ask(hub, "GET", "/readyz").status_code == 503, what="its readiness to end")
    assert ask(hub, "GET", "/readyz").json()["code"] == "log-unavailable"
    assert post(hub, "a", "2").status_code == 503
    name = next(iter(settings))
    assert f"remove what was acknowledged ({name}" in hub.log
    run = subprocess.run([hub.executable, "serve", "--log", server.log(log), "--port", "0"], capture_output=True, text=True, timeout=20)
    assert run.returncode == 1 and f"({name}" in run.stderr
    server.change_settings(log, max_age=0, max_msgs=-1, max_bytes=-1, max_msgs_per_subject=-1, discard="new")
    hub.restart()
    assert post(hub, "a", "2").status_code == 201


def test_bounds_of_the_stream_that_refuse_are_taken(start_hub, server, log):
    hub = start_hub("--log", server.log(log))
    server.change_settings(log, max_msgs=10**6, max_bytes=10**9, discard="new")
    hub.restart()
    assert post(hub, "a", "1").status_code == 201
