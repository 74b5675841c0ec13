"""What the protocol compares is bytes, never characters as Unicode sees them.

U+212A, the sign for kelvins, is canonically equivalent to `K`, and `k` in lower case; U+037E to `;`. A combining accent joins
the character before it.
"""

import json
from urllib.parse import quote

import pytest

from hub_process import events_path
from problems import assert_problem
from raw_http import exchange, request

ACCENT, KELVIN, QUESTION = "\u0301", "\u212a", "\u037e"


@pytest.mark.parametrize("name, token", [
    (f"~{ACCENT}", f"~0{ACCENT}"), (f"/{ACCENT}", f"~1{ACCENT}"), (f"a~{ACCENT}/b/{ACCENT}~", f"a~0{ACCENT}~1b~1{ACCENT}~0")])
def test_pointers_are_escaped(shared_hub, topic, name, token):
    response = shared_hub.request("POST", "/observers", json={"topics": [topic], "url": "https://example.com/", name: 1})
    assert_problem(response, 400, "member-unknown", pointer=f"/{token}")
    response = shared_hub.request(
        "POST", "/observers", json={"topics": [topic], "url": "https://example.com/", "headers": {name: "x"}})
    assert_problem(response, 400, "header-invalid", pointer=f"/headers/{token}")
    event = {"specversion": "1.0", "id": "1", "source": "/s", "type": "t", name: "x"}
    response = shared_hub.request(
        "POST", events_path(topic), data=json.dumps(event), headers={"Content-Type": "application/cloudevents+json"})
    assert_problem(response, 400, "cloudevent-invalid", pointer=f"/{token}")


def test_a_host_that_is_not_ascii_is_none_though_its_lower_case_were(shared_hub, topic):
    for host in (f"{KELVIN}elvin.example", f"example.{KELVIN}", "bücher.example"):
        response = shared_hub.request("POST", "/observers", json={"topics": [topic], "url": f"https://{host}/"})
        assert_problem(response, 400, "url-invalid", pointer="/url")
    assert shared_hub.observers(topic=topic) == []


def test_a_patch_takes_no_header_away_by_a_name_that_is_none(shared_hub, topic):
    made = shared_hub.register("https://example.com/", topic, headers={"X-Key": "v", "K": "w"})
    path = f"/observers/{made['id']}"
    for name in (f"X-{KELVIN}ey", f"x-{KELVIN}ey", KELVIN, "a b", ""):
        response = shared_hub.request("PATCH", path, json={"headers": {name: None}})
        assert_problem(response, 400, "header-invalid", pointer=f"/headers/{name}")
    assert shared_hub.observer(made["id"])["headers"] == {"X-Key": "v", "K": "w"}
    assert shared_hub.request("PATCH", path, json={"headers": {"x-key": None, "never": None}}).json()["headers"] == {"K": "w"}


@pytest.mark.parametrize("kind, is_json", [
    (f"application/json;{ACCENT}", True), (f"application/json{QUESTION}x", False), (f"application/json{ACCENT}", False),
    ("Application/JSON ; a", True)])
def test_content_types(shared_hub, topic, kind, is_json):
    data = request("POST", events_path(topic), {"Content-Type": kind.encode().decode("latin-1")}, b'{"a":1}')
    assert exchange(shared_hub.port, data).status == 201
    [event] = shared_hub.history(topic)
    assert event["contentType"] == kind
    assert event["data"] == ({"a": 1} if is_json else '{"a":1}')


@pytest.mark.parametrize("weight", ["nan", "inf", "-inf", "-1", "1e3", "0x1", "", "+1", "0", "0.000", "\xd9\xa1"])
def test_a_weight_that_is_none_chooses_nothing(shared_hub, topic, weight):
    data = request("GET", events_path(topic), {"Accept": f"application/json;q={weight}"})
    assert_problem(exchange(shared_hub.port, data), 406, "not-acceptable")
    data = request("GET", events_path(topic), {"Accept": f"text/event-stream;q={weight}, application/json;q=0.001"})
    assert exchange(shared_hub.port, data).headers["content-type"] == "application/json"


@pytest.mark.parametrize("accept", [
    "application/json;q=7", 'text/html;a="x,text/event-stream";q=1, application/json;q=0.5', ",, application/json ,",
    'text/html;a="\\",text/event-stream", */*;q=0.1'])
def test_what_is_accepted_is_read_with_its_quotes(shared_hub, topic, accept):
    response = exchange(shared_hub.port, request("GET", events_path(topic), {"Accept": accept}))
    assert (response.status, response.headers["content-type"]) == (200, "application/json")


@pytest.mark.parametrize("limit", ["+5", "-5", " 5", "5 ", "٣", "５", "0x5", "5.0", "1e2", "", "0", "1001", "9" * 40])
def test_a_limit_is_decimal_digits(shared_hub, topic, limit):
    for path in (events_path(topic), "/topics", "/observers"):
        response = shared_hub.get(f"{path}?limit={quote(limit)}")
        assert_problem(response, 400, "parameter-invalid", parameter="limit")


def test_names_in_two_normal_forms_are_two(shared_hub, topic):
    for one, other in (("\u00e9", f"e{ACCENT}"), ("K", KELVIN)):
        for name in (one, other):
            shared_hub.post(topic + name, name, type=name.encode().decode("latin-1"))
        for name in (one, other):
            assert [event["data"] for event in shared_hub.history(topic + name)] == [name]
            value = shared_hub.get(f"{events_path(topic + name)}?type={quote(name)}").json()["events"]
            assert [event["type"] for event in value] == [name]
        assert shared_hub.get(f"{events_path(topic + one)}?type={quote(other)}").json()["events"] == []
        assert shared_hub.request("DELETE", f"/topics/{quote(topic + one)}").status_code == 204
        assert len(shared_hub.history(topic + other)) == 1
