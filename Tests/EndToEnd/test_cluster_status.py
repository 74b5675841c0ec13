"""`clarion cluster status`, and what each node's metrics say of the cluster."""

import json
import os
import pty
import signal
import subprocess
import time

import pytest

from hub_process import environment_without_settings
from metrics import Reading, promtool
from nats_servers import PROGRAM, NATSServers, log, server  # noqa: F401: fixtures
from test_metrics import documented_metrics
from waiting import wait_until

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no nats-server: apt-get install nats-server")


@pytest.fixture
def nodes(start_hub, server, log):
    return [start_hub("--log", server.log(log)) for _ in range(2)]


def status(executable, *options, **settings):
    return subprocess.run([executable, "cluster", "status", *options], capture_output=True, text=True, timeout=30,
                          env=environment_without_settings(**settings))


def assert_well(executable, address):
    def well():
        done = status(executable, "--log", address, "--json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    return wait_until(well, 30, "a cluster that is well")


def test_shows_nodes_streams_leases_and_lag(executable, nodes, server, log):
    with nodes[1].stream("a"):
        shown = wait_until(lambda: (found := assert_well(executable, server.log(log)))
                           and {len(node["leases"]) for node in found["nodes"]} == {32} and found, what="equal shares")
    assert shown["healthy"] and shown["faults"] == [] and shown["unreachable"] == []
    by_port = {node["port"]: node for node in shown["nodes"]}
    assert set(by_port) == {hub.port for hub in nodes}
    assert [by_port[hub.port]["streams"] for hub in nodes] == [0, 1]
    assert sorted(int(part) for node in shown["nodes"] for part in node["leases"]) == list(range(64)), "each is one's"
    assert {node["lag"] for node in shown["nodes"]} == {0}
    assert {node["version"] for node in shown["nodes"]} == {nodes[0].version}
    assert shown["stream"]["last"] >= shown["stream"]["messages"] > 0


def test_reads_the_environment_and_the_file_and_prints_a_table(executable, nodes, server, log, tmp_path):
    assert_well(executable, server.log(log))
    file = tmp_path / "clarion.json"
    file.write_text(json.dumps({"log": server.log(log)}))
    tables = [
        status(executable, CLARION_LOG=server.log(log)), status(executable, "--config", str(file)),
        status(executable, CLARION_CONFIG=str(file))]
    for table in tables:
        assert (table.returncode, table.stderr) == (0, "")
        rows = [line.split("\t") for line in table.stdout.splitlines()]
        assert [len(row) for row in rows] == [7, 7]
        assert {row[1].rsplit(":", 1)[1] for row in rows} == {str(hub.port) for hub in nodes}
    # To people the columns are named.
    mine, theirs = pty.openpty()
    subprocess.run([executable, "cluster", "status", "--log", server.log(log)], stdout=theirs, check=True, timeout=30,
                   env=environment_without_settings(NO_COLOR="1"))
    os.close(theirs)
    text = os.read(mine, 65_536).decode()
    os.close(mine)
    assert text.split()[:7] == ["NODE", "WHERE", "VERSION", "SINCE", "STREAMS", "LEASES", "LAG"]
    assert "The stream has" in text


def test_a_node_that_hangs_is_a_fault(executable, nodes, server, log):
    assert_well(executable, server.log(log))
    os.kill(nodes[1].process.pid, signal.SIGSTOP)
    began = time.monotonic()
    try:
        done = status(executable, "--log", server.log(log), "--json")
    finally:
        os.kill(nodes[1].process.pid, signal.SIGCONT)
    shown = json.loads(done.stdout)
    assert done.returncode == 1
    [missing] = shown["unreachable"]
    assert f"clarion: {missing} does not answer\n" in done.stderr
    # Seven seconds after it was heard of last, which may be two before that, the other takes over.
    if time.monotonic() - began < 5:
        assert "nobody delivers to webhooks of 32 of 64 parts" in done.stderr
    assert [node["port"] for node in shown["nodes"]] == [nodes[0].port]


def test_says_why_there_is_nothing_to_show(executable, server, log, tmp_path):
    unknown = status(executable, "--log", server.log(log))
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "no log of this name" in unknown.stderr and len(unknown.stderr.splitlines()) == 1
    nobody = status(executable, "--log", "nats://127.0.0.1:1?name=shop")
    assert nobody.returncode == 2 and "127.0.0.1:1" in nobody.stderr and len(nobody.stderr.splitlines()) == 1
    for options, words in [((), "which cluster?"), (("--log", "http://a"), "--log: "), (("--config", "/nowhere"), "/nowhere")]:
        wrong = status(executable, *options)
        assert wrong.returncode == 64, wrong
        assert words in wrong.stderr and len(wrong.stderr.splitlines()) == 1, wrong.stderr


def test_a_cluster_without_nodes_is_not_well(executable, start_hub, server, log):
    start_hub("--log", server.log(log)).stop()
    done = status(executable, "--log", server.log(log))
    assert (done.returncode, done.stdout) == (1, "")
    assert "no node answers" in done.stderr


def test_metrics_of_a_node(nodes, server, log):
    one, other = nodes
    for number in range(20):
        one.post("a", str(number))
    wait_until(lambda: Reading.of(other)["clarion_cluster_commands_total"] >= 20, what="what the other node takes")
    readings = [wait_until(lambda: settled(hub), what="no lag") for hub in nodes]
    assert {reading["clarion_cluster_connected"] for reading in readings} == {1}
    assert {reading["clarion_cluster_nodes"] for reading in readings} == {2}
    assert 0 < sum(reading["clarion_cluster_leases"] for reading in readings) <= 64
    assert {reading["clarion_cluster_reconnects_total"] for reading in readings} == {0}
    checked = promtool("check", "metrics", input=readings[0].text)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")
    found = {line.split(" ")[2] for line in readings[0].text.splitlines() if line.startswith("# TYPE ")}
    assert found == {name for name in documented_metrics() if not name.startswith("clarion_tls_")}


def settled(hub):
    reading = Reading.of(hub)
    return reading if reading["clarion_cluster_lag_messages"] == 0 and reading["clarion_cluster_nodes"] == 2 else None


def test_metrics_show_a_connection_that_is_lost_and_made_anew(start_hub, tmp_path, log):
    with NATSServers(tmp_path, 1) as servers:
        hub = start_hub("--log", servers.log(log))
        assert Reading.of(hub)["clarion_cluster_connected"] == 1
        servers.kill(0)
        wait_until(lambda: Reading.of(hub)["clarion_cluster_connected"] == 0, what="the loss")
        servers.start(0)
        wait_until(lambda: Reading.of(hub)["clarion_cluster_reconnects_total"] == 1, 30, "another connection")
        wait_until(lambda: Reading.of(hub)["clarion_cluster_connected"] == 1, what="its being noticed")
