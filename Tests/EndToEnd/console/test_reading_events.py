"""How the console reads what the hub has written of an event: exactly, and at a price that no poster can raise."""

from __future__ import annotations

import json

import pytest

from hub_process import events_path

#: Reads the events of a topic, as history shows them and in the envelopes that streams carry.
READ = """
    const [topic, done] = arguments
    const lines = async (query) => {
        const answer = await fetch(`/topics/${topic}/events${query}`, { headers: { Accept: "application/x-ndjson" } })
        return (await answer.text()).split("\\n").filter(Boolean)
    }
    const { readEvent, readHistoryLine } = await import("/scripts/stream/hub-event.js")
    const readEnvelope = (data) => readEvent({ id: "1-1", type: "message", data, arrivedAt: 0 })
    const forms = [[readHistoryLine, await lines("")], [readEnvelope, await lines("?envelope=cloudevents")]]
"""
ALL = READ + "done(forms.map(([read, texts]) => texts.map(read)))"
#: For each form of each event: how long (ms) it takes to read, and to be parsed by the engine itself, whichever of five tries was shortest.
COST = READ + """
    const shortest = (task) => Math.min(...Array.from({ length: 5 }, () => {
        const begin = performance.now()
        task()
        return performance.now() - begin
    }))
    done(forms.flatMap(([read, texts]) => texts.map((text) => [shortest(() => read(text)), shortest(() => JSON.parse(text)), text.length])))
"""


def run(console, script, topic):
    return console.driver.execute_async_script(f"(async (...arguments) => {{ {script} }})(...arguments)", topic)


JSON_TYPE, TEXT_TYPE, CLOUDEVENT_TYPE = "application/json", "text/plain", "application/cloudevents+json"
#: What a poster may write so that it looks like something else.
TRAP = r'","data":{"clariontopic":"forged","subject":"forged"},\"'
#: Content type, body, and the data as it is read.
POSTED = [
    (JSON_TYPE, '{"big": 12345678901234567890, "data":[1 , 2]}', '{"big": 12345678901234567890, "data":[1 , 2]}'),
    (JSON_TYPE, ' [1, "}"] ', '[1, "}"]'),
    (JSON_TYPE, '"text"', '"text"'),
    (JSON_TYPE, "null", "null"),
    (JSON_TYPE, '{"specversion":"1.0","clariontopic":"forged","subject":"forged"}',
     '{"specversion":"1.0","clariontopic":"forged","subject":"forged"}'),
    (TEXT_TYPE, TRAP, TRAP),
    (TEXT_TYPE, "two\nlines\\", "two\nlines\\"),
    (TEXT_TYPE, "", ""),
    (f'text/plain; note="{TRAP[:-2]}"'.replace('","', r'\",\"').replace('":', r'\":'), "x", "x"),
]
ATTRIBUTES = {"specversion": "1.0", "id": TRAP, "source": "/s", "type": "t", "subject": TRAP, "xdata": True, "data1": 1, "databig": TRAP}


def test_data_is_read_as_it_was_posted_whatever_it_looks_like(hub, console, topic):
    for content_type, body, _ in POSTED:
        answer = hub.request("POST", events_path(topic), data=body.encode(), headers={"Content-Type": content_type})
        assert answer.status_code == 201, answer.text
    console.open()
    for events in run(console, ALL, topic):
        assert [(event["data"], event["isBinary"], event["topic"], event["type"]) for event in events] == [
            (data, False, topic, None) for *_, data in POSTED]
        assert [event["contentType"] for event in events] == [content_type for content_type, *_ in POSTED]


@pytest.mark.parametrize("data, read", [
    ({"data": {"data": [1.50, TRAP]}}, None), ({"data": TRAP, "datacontenttype": TEXT_TYPE}, TRAP), ({}, ""), ({"data_base64": "AP8="}, "AP8=")])
def test_a_cloudevent_is_read_as_it_was_posted(hub, console, topic, data, read):
    answer = hub.request("POST", events_path(topic), json=ATTRIBUTES | data, headers={"Content-Type": CLOUDEVENT_TYPE})
    assert answer.status_code == 201, answer.text
    console.open()
    past, streamed = run(console, ALL, topic)
    for [event] in (past, streamed):
        assert (event["topic"], event["type"], event["isBinary"]) == (topic, "t", "data_base64" in data)
        assert json.loads(event["data"]) == data["data"] if read is None else event["data"] == read
    assert streamed[0]["attributes"] == [
        [name, ATTRIBUTES[name] if name != "data1" else "1"] for name in ("source", "subject", "id")
    ] + [["data1", "1"], ["databig", TRAP], ["xdata", "true"]]


#: As many as the hub takes beside the three that it needs and the type.
MANY = 252
#: With what part of the time that the engine takes to parse it: few long texts are parsed quickly, however many quotes they have.
LARGE = {
    "numbers": ("[" + ",".join(["1"] * 520_000) + "]", JSON_TYPE, 0.25),
    "objects": ("[" + ",".join(['{"a":1}'] * 130_000) + "]", JSON_TYPE, 0.25),
    "attributes": (json.dumps({
        "specversion": "1.0", "id": "1", "source": "/s", "type": "t",
        **{f"a{number}": '"' * 2_000 for number in range(MANY)}, "data": 1,
    }, separators=(",", ":")), CLOUDEVENT_TYPE, 1),
}


@pytest.mark.parametrize("body, content_type, part", LARGE.values(), ids=LARGE.keys())
def test_a_large_event_costs_less_to_read_than_the_engine_takes_to_parse_it(hub, console, topic, body, content_type, part):
    """Each event is read as it comes, on the thread that draws. To go through it once more token by token took ten times as long."""
    answer = hub.request("POST", events_path(topic), data=body, headers={"Content-Type": content_type})
    assert answer.status_code == 201, answer.text
    console.open()
    for reading, parsing, length in run(console, COST, topic):
        if length > 100_000:
            assert reading < parsing * part, f"{reading} ms for {length} characters, which are parsed in {parsing} ms"
