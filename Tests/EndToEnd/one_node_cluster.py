"""The end-to-end tests with hubs that are each the one node of a cluster: `CLARION_TEST_CLUSTER=1`.

The HTTP contract is the same to the letter, whoever keeps the log. What a test needs that only a log in a folder has is in
``SKIPPED``, with the reason.
"""

import hashlib
import os
from pathlib import Path

import pytest

from nats_servers import PROGRAM, NATSServers

#: Whether hubs are nodes. Each folder of data stands for a log of its own, so that a hub that is started again has the log it had.
IS_ON = os.environ.get("CLARION_TEST_CLUSTER") == "1"

FULL = "a node whose own disk is full refuses posts with 503 until it is started anew (docs/clustering.md)"

#: What is skipped, files and tests of files, and why.
SKIPPED = {
    "test_backups.py": "`clarion backup` copies a folder",
    "test_check.py": "`clarion check` is for a log in a folder",
    "test_clock.py::test_what_the_store_failed_to_record_is_recorded": "another process locks the log's database",
    "test_clock.py::test_a_clock_that_steps_all_the_time_stops_nothing":
        "what connects a node goes by the clock of the day: posts are answered 503 until it has connected anew (docs/clustering.md)",
    "test_slow_disk.py": "the disk of the log's folder is slow",
    "test_durability.py::test_a_log_in_memory_is_another_one_after_a_restart": "a log in memory is another log",
    "test_durability.py::test_a_full_disk_refuses_posts_and_loses_nothing": FULL,
    "test_durability.py::test_a_webhook_that_is_gone_is_disabled_when_there_is_room_again": FULL,
    "test_durability.py::test_a_webhook_is_deleted_on_a_full_disk_and_not_made_by_half": FULL,
    "test_durability.py::test_a_hub_is_ready_again_without_a_post": FULL,
    "test_durability.py::test_starting_on_a_full_disk_says_what_to_do": FULL,
    "test_failing_writes.py": "writes of the log's files fail; a node whose copy cannot be written says so and is started anew",
    "test_observers.py::test_what_is_the_same_keeps_its_tag": "each change is one of the cluster's, also one that changes nothing",
    "test_unreadable_webhooks.py": "rows of the log's database are changed by hand",
    "test_copies.py::test_a_backup_under_load_passes_the_check": "`clarion backup` copies a folder",
    "test_copies.py::test_what_cannot_be_backed_up": "`clarion backup` copies a folder",
    "test_copies.py::test_a_copy_takes_the_place_of_no_file_that_a_log_has": "`clarion backup` copies a folder",
    "test_copies.py::test_a_former_copy_that_was_in_use_is_not_half_replaced": "`clarion backup` copies a folder",
    "test_durability.py::test_pages_of_another_size_are_no_full_disk_and_a_full_one_can_be_left": FULL,
    "test_durability.py::test_the_reserve_overwrites_nothing_that_a_link_leads_to": "a node's copy has a folder of its own",
    "test_limits.py::test_of_topics_made_at_once_as_many_are_made_as_may_be": "what is on its way to the servers does not count (docs/clustering.md)",
    "test_log_output.py::test_what_cannot_be_printed_is_a_failure": "`clarion check` is for a log in a folder",
    "test_settings.py::test_a_body_of_the_largest_size_finds_room": "the servers of the tests keep less",
    "test_serving.py::test_the_start_tells_where_the_log_and_the_console_are": "of the folder of the log",
    "test_serving.py::test_the_start_tells_that_memory_keeps_nothing": "a log in memory is another log",
    "test_serving.py::test_memory_leaves_nothing_behind": "a log in memory is another log",
    "test_serving.py::test_a_data_folder_in_use_by_another_hub": "nodes share a folder: each has its copy in one of its own",
    "test_serving.py::test_a_data_folder_whose_files_are_no_log": "nothing is read that was in the folder",
}

_servers = None


def start(folder):
    """Starts the server that keeps the logs of all hubs of this run."""
    global _servers
    if PROGRAM is None:
        raise pytest.UsageError("CLARION_TEST_CLUSTER=1 needs a nats-server: apt-get install nats-server")
    servers = NATSServers(folder, 1)
    servers.__enter__()
    _servers = servers


def stop():
    if _servers:
        _servers.__exit__()


def log(data):
    """What `--log` is given for the hub that would have this folder."""
    return _servers.log(_name(data))


def options(given):
    """Without what a node refuses: that nothing is kept."""
    if "memory" not in given:
        return given
    place = given.index("memory")
    return given[:place - 1] + given[place + 1:]


def folder(data):
    """Where the server keeps that log."""
    return _servers.folder_of(_name(data))


def _name(data):
    return hashlib.sha256(str(data).encode()).hexdigest()[:16]


def skip(items):
    """Marks what is not for a cluster. What the table names must be there."""
    names = {}
    for item in items:
        names.setdefault(item.path.name, set()).add(item.originalname)
    for name in SKIPPED:
        file, _, test = name.partition("::")
        if test and file in names and test not in names[file]:
            raise pytest.UsageError(f"one_node_cluster.py: there is no {name}")
        if not (Path(__file__).parent / file).exists():
            raise pytest.UsageError(f"one_node_cluster.py: there is no {file}")
    for item in items:
        reason = SKIPPED.get(item.path.name) or SKIPPED.get(f"{item.path.name}::{item.originalname}")
        if reason:
            item.add_marker(pytest.mark.skip(reason=f"in a cluster: {reason}"))
