#!/usr/bin/env python3
"""Proves that the load generator's checks pass when they should and fail when they must.

Runs build/load against build/hub, once without a fault in each mode and for each target, then with every
fault the hub knows. `make check` builds both first. Takes about half a minute.
"""

import contextlib
import json
import pathlib
import subprocess
import unittest

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build"
SHORT = ["--seconds", "0.3", "--warmup", "0.1", "--patience", "0.5"]


@contextlib.contextmanager
def hub(*options):
    """Runs the test hub; yields its process and port."""
    process = subprocess.Popen([BUILD / "hub", *options], stdout=subprocess.PIPE, text=True)
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def load(mode, port, *options):
    """Runs the generator; returns its status, its JSON (None if it could not run) and its words."""
    done = subprocess.run(
        [BUILD / "load", mode, "--port", port, *SHORT, *options], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


class FaithfulHub(unittest.TestCase):
    """Nothing is wrong: every mode must end with 0 and have counted everything."""

    def passes(self, mode, *options, hub_options=()):
        with hub(*hub_options) as (process, port):
            status, result, words = load(mode, port, "--pid", str(process.pid), *options)
        self.assertEqual(status, 0, words)
        self.assertTrue(result["ok"])
        self.assertEqual(result["faults"], 0)
        self.assertGreater(result["posts_acknowledged"], 0)
        return result

    def test_fanout_keeps_to_the_offered_rate(self):
        result = self.passes("fanout", "--streams", "20", "--rate", "1000", "--seconds", "1")
        self.assertAlmostEqual(result["posts_per_s"], 1000, delta=100)
        self.assertAlmostEqual(result["deliveries_per_s"], 20000, delta=2000)
        self.assertLess(result["latency_p50_us"], result["latency_max_us"])

    def test_closed_has_one_post_under_way_on_each_connection(self):
        self.assertEqual(self.passes("closed", "--streams", "5")["posters"], 1)
        self.passes("closed", "--streams", "5", "--posters", "8")

    def test_posts_needs_no_streams(self):
        self.assertNotIn("deliveries_per_s", self.passes("posts"))

    def test_idle_reports_memory(self):
        self.assertIn("pss_bytes_per_stream", self.passes("idle", "--streams", "500"))

    def test_drop_sees_the_gauge_fall(self):
        result = self.passes("drop", "--streams", "50", "--drops", "20")
        self.assertGreater(result["drop_p99_us"], 0)

    def test_streams_on_silent_topics_hear_nothing(self):
        self.passes("fanout", "--streams", "2", "--idle", "50")

    def test_replay_reads_all_from_the_beginning(self):
        options = ("--history", "20000", "--streams", "5", "--rate", "500", "--posters", "4")
        result = self.passes("replay", *options, hub_options=("--history",))
        self.assertGreaterEqual(result["replayed"], 20000)

    def test_chunks_pieces_and_line_ends_do_not_matter(self):
        for split in ("1", "7", "100"):
            self.passes("closed", "--streams", "3", hub_options=("--split", split))
            self.passes("closed", "--streams", "3", "--target", "nchan", hub_options=("--nchan", "--split", split))
        self.passes("closed", "--streams", "3", hub_options=("--crlf", "--split", "3"))

    def test_any_size_of_event(self):
        for size in ("32", "5000", "16384"):
            self.passes("closed", "--streams", "3", "--size", size)

    def test_a_refused_post_is_counted_and_no_fault(self):
        result = self.passes("closed", "--streams", "3", hub_options=("--fault", "refuse", "--at", "20"))
        self.assertEqual(result["posts_refused"], 1)


class FaultyHub(unittest.TestCase):
    """One thing is wrong: the generator must end with 1 and name it."""

    def fails(self, fault, words, *options, mode="closed", hub_options=()):
        with hub("--fault", fault, "--at", "20", *hub_options) as (process, port):
            status, result, said = load(mode, port, "--pid", str(process.pid), "--streams", "4", *options)
        self.assertEqual(status, 1, said)
        self.assertFalse(result["ok"])
        self.assertRegex(said, words)

    def fails_for_one_and_for_all(self, fault, words_one, words_all):
        for target in ([], ["--nchan"]):
            options = ["--target", "nchan"] if target else []
            self.fails(fault, words_one, *options, hub_options=target)
            self.fails(fault, words_all, *options, hub_options=[*target, "--everyone"])

    def test_an_event_twice(self):
        self.fails_for_one_and_for_all("duplicate", "again or late", "again or late")

    def test_an_event_lost(self):
        lost_by_one = "1 missing|where another stream heard another"
        self.fails_for_one_and_for_all("drop", lost_by_one, "acknowledged events were heard by no stream")

    def test_two_events_in_the_wrong_order(self):
        wrong_on_one = "1 missing|where another stream heard another"
        self.fails_for_one_and_for_all("reorder", wrong_on_one, "sent after a later one in the order had been acknowledged")

    def test_wrong_order_with_several_posting_connections(self):
        options = ("--posters", "8", "--rate", "2000")
        self.fails("reorder", "missing|where another", *options, mode="fanout")

    def test_the_last_event_lost(self):
        """Nothing follows that would show the gap: only the count at the end does."""
        self.fails("drop", "at place", "--posters", "1", mode="idle", hub_options=("--at", "9"))

    def test_a_byte_changed(self):
        self.fails_for_one_and_for_all("corrupt", "data that was not posted", "data that was not posted")

    def test_an_event_nobody_posted(self):
        self.fails_for_one_and_for_all("foreign", "never posted|missing|again", "never posted|missing|again")

    def test_a_hole_in_the_history(self):
        options = ("--history", "2000", "--streams", "5")
        lost = "acknowledged events were heard by no stream|missing"
        self.fails("drop", lost, *options, mode="replay", hub_options=("--history", "--everyone"))

    def test_an_event_without_id(self):
        self.fails("noid", "without an id")

    def test_a_gap_announced(self):
        self.fails("gap", "heard event: gap")

    def test_a_refused_event_delivered(self):
        self.fails("phantom", "refused and yet delivered")

    def test_a_post_without_answer(self):
        self.fails("stall", "never answered")

    def test_a_stream_ended_by_the_server(self):
        self.fails("end", "ended by the server|cut by the server")

    def test_an_event_on_a_silent_topic(self):
        self.fails("silent", "silent topic", "--idle", "4")

    def test_a_dropped_stream_that_stays_counted(self):
        self.fails("ghost", "gauge did not fall", "--drops", "2", mode="drop")

    def test_a_server_that_is_not_there(self):
        with hub() as (_, port):
            pass
        status, _, _ = load("closed", port)
        self.assertEqual(status, 2)


if __name__ == "__main__":
    unittest.main()
