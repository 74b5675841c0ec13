"""The console's reader of event streams against the examples and rules of the WHATWG HTML standard, in the browser."""

from __future__ import annotations

import pytest

PARSE = """
    const [portions, lastEventID, done] = arguments
    import("/scripts/stream/event-stream-parser.js").then(({ EventStreamParser }) => {
        const parser = new EventStreamParser(lastEventID)
        done(portions.flatMap((portion) => parser.push(portion)))
    })
"""


def event(data: str, id: str = "", type: str = "message", own: bool = False) -> dict:
    return {"kind": "event", "id": id, "type": type, "data": data, "hasOwnID": own}


CASES = {
    "several data lines are joined by line feeds": ("data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")]),
    "ids last until another comes": (
        ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        [{"kind": "comment", "text": "test stream"}, event("first event", "1", own=True), event("second event", "", own=True), event(" third event")],
    ),
    "empty data is data": ("data\n\ndata\ndata\n\ndata:", [event(""), event("\n")]),
    "one space after the colon is not part of the value": ("data:test\n\ndata: test\n\n", [event("test"), event("test")]),
    "an event that the stream's end cuts off is dropped": ("data: whole\n\ndata: half\n", [event("whole")]),
    "a type is for one event only": ("event: add\ndata: 1\n\ndata: 2\n\n", [event("1", type="add"), event("2")]),
    "a block without data moves the position only": ("id: 7\nevent: add\n\ndata: x\n\n", [{"kind": "position", "id": "7"}, event("x", "7")]),
    "an id with a null character is ignored": ("id: 1\0\ndata: x\n\n", [event("x")]),
    "a retry of digits only is taken": ("retry: 250\nretry: 2s\nretry:\n\n", [{"kind": "retry", "milliseconds": 250}]),
    "unknown fields are ignored": ("colour: red\n data: no\ndata: yes\n\n", [event("yes")]),
    "all three line ends count": ("data: a\rdata: b\r\ndata: c\n\r\ndata: d\r\r", [event("a\nb\nc"), event("d")]),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_a_stream_is_parsed_whatever_portions_it_comes_in(console, text, expected):
    console.open()
    for size in (1, 2, 3, len(text)):
        portions = [text[start:start + size] for start in range(0, len(text), size)]
        assert console.driver.execute_async_script(PARSE, portions, "") == expected, f"in portions of {size}"


def test_an_earlier_connection_s_id_is_inherited(console):
    console.open()
    assert console.driver.execute_async_script(PARSE, ["data: x\n\n"], "41") == [event("x", "41")]
