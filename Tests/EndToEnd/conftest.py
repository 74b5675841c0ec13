"""What every end-to-end test starts from: a hub in a process of its own, reached over sockets only."""

import subprocess
import tempfile
import uuid
from pathlib import Path

import pytest

import one_node_cluster
from figures import Figures
from hub_process import HubProcess, environment_without_settings, executable_path
from webhook_receiver import WebhookReceiver

_figures = pytest.StashKey[list]()


def pytest_configure(config):
    config.stash[_figures] = []


def pytest_sessionstart(session):
    if one_node_cluster.IS_ON:
        folder = tempfile.TemporaryDirectory(prefix="clarion-servers-")
        session.config.add_cleanup(folder.cleanup)
        one_node_cluster.start(Path(folder.name))
        session.config.add_cleanup(one_node_cluster.stop)


def pytest_collection_modifyitems(items):
    if one_node_cluster.IS_ON:
        one_node_cluster.skip(items)


def pytest_terminal_summary(terminalreporter, config):
    if config.stash[_figures]:
        terminalreporter.section("measured")
        for line in config.stash[_figures]:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def executable():
    """The path of `clarion`."""
    path = executable_path()
    if path is None:
        pytest.exit("there is no clarion to test: run `make build`, or name one in CLARION_EXECUTABLE", 1)
    return path


@pytest.fixture
def figure(request):
    """`figure(text)` shows a measurement; `figure.at_most(value, bound, what)` also judges it."""
    return Figures(request.node, request.config.stash[_figures])


def _starter(executable, folder):
    hubs = []

    def start(*options, environment=None, data=None, folder_of_process=None, prefix=()):
        hub = HubProcess(
            executable, data or folder / f"hub{len(hubs)}", options, environment=environment, folder=folder_of_process,
            prefix=prefix)
        hubs.append(hub)
        return hub.start()

    def finish():
        failures = []
        for hub in hubs:
            try:
                hub.finish()
            except AssertionError as failure:
                failures.append(failure)
            # Captured by pytest, and shown only with a failure.
            print(f"--- standard error of the hub with data in {hub.data} ---\n{hub.log}")
        if failures:
            raise failures[0]

    return start, finish


@pytest.fixture
def start_hub(executable, tmp_path):
    """Starts hubs with options: `start_hub("--max-body", "10", environment={…})`."""
    start, finish = _starter(executable, tmp_path)
    yield start
    finish()


@pytest.fixture
def hub(start_hub):
    """A hub of this test's own, with default options."""
    return start_hub()


@pytest.fixture(scope="module")
def start_shared_hub(executable, tmp_path_factory):
    start, finish = _starter(executable, tmp_path_factory.mktemp("shared"))
    yield start
    finish()


@pytest.fixture(scope="module")
def shared_hub(start_shared_hub):
    """A hub that the tests of a file share: each uses topics of its own (`topic`)."""
    return start_shared_hub()


@pytest.fixture
def topic():
    """The name of a topic that nobody else uses."""
    return f"t{uuid.uuid4().hex[:12]}"


@pytest.fixture
def clarion(executable, tmp_path):
    """Runs `clarion` with arguments to its end: for what does not serve."""
    def run(*arguments, environment=None):
        return subprocess.run(
            [str(executable), *map(str, arguments)], capture_output=True, text=True, timeout=10, cwd=tmp_path,
            stdin=subprocess.DEVNULL, env=environment_without_settings(**(environment or {})))

    return run


@pytest.fixture
def receiver():
    """A webhook's endpoint that answers 204 until told otherwise."""
    with WebhookReceiver() as receiver:
        yield receiver
