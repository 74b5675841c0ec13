"""The instrument itself: a parser that overlooks something would let a broken hub pass."""

import pytest

import figures
from event_stream import EventStreamParser

STREAM = (
    "\ufeffretry: 3000\n: hello\n\nid: 1\nevent: a\ndata: one\ndata: two\n\n"
    ": base64\r\nid: 2\r\ndata: x\r\n\r\nid: 3\rdata\r\rdata: é\n\nid: 4\n\nevent: gap\ndata: {}\n\n"
).encode()


def parse(pieces):
    parser = EventStreamParser()
    messages = [message for piece in pieces for message in parser.feed(piece)]
    return parser, [(message.id, message.type, message.data, message.has_id, message.comments) for message in messages]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, len(STREAM)])
def test_events_are_the_same_wherever_the_pieces_are_cut(size):
    parser, messages = parse(STREAM[start:start + size] for start in range(0, len(STREAM), size))
    assert messages == [
        ("1", "a", "one\ntwo", True, []),
        ("2", "message", "x", True, ["base64"]),
        ("3", "message", "", True, []),
        ("3", "message", "é", False, []),
        ("4", "gap", "{}", False, []),
    ]
    assert parser.retry == 3000
    assert parser.comments == ["hello", "base64"]
    assert parser.is_between_events


def test_an_unfinished_event_is_not_dispatched():
    parser, messages = parse([b"id: 9\ndata: x\n"])
    assert messages == []
    assert not parser.is_between_events


def test_bytes_that_are_not_utf8_are_an_error():
    with pytest.raises(UnicodeDecodeError):
        parse([b"data: \xff\n\n"])


class Node:
    name = "test_of_mine"

    def __init__(self, marker):
        self.marker = marker

    def get_closest_marker(self, name):
        return self.marker if name == "measured" else None


@pytest.mark.parametrize("enforced", [False, True])
def test_a_figure_beyond_its_bound_fails_only_where_figures_are_enforced(monkeypatch, enforced):
    monkeypatch.setattr(figures, "ENFORCED", enforced)
    lines = []
    judge = figures.Figures(Node("marked"), lines)
    judge.at_most(2, 2, "the longest")
    assert lines == []
    if enforced:
        with pytest.raises(pytest.fail.Exception, match="the longest is 3, more than 2"):
            judge.at_most(3, 2, "the longest")
    else:
        judge.at_most(3, 2, "the longest")
        assert lines == ["test_of_mine: BEYOND ITS BOUND: the longest is 3, more than 2"]


def test_a_test_with_such_a_figure_is_marked():
    with pytest.raises(AssertionError, match="marked"):
        figures.Figures(Node(None), []).at_most(1, 2, "the longest")
