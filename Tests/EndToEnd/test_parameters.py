"""Query parameters: every route names those that it takes, and refuses the others."""

import pytest

from event_stream import EventStream
from hub_process import events_path
from openapi_document import operations
from problems import assert_problem
from raw_http import exchange, request

#: Every route, with the parameters that it takes.
LIST = {"limit", "cursor"}
EVENTS = {"since", "last", "last-event-id", "type", "observer", "envelope", "after", "limit"}
#: Other spellings of one of them, which the document's own list leaves out: programs that write clients make one name of all four.
OTHER_SPELLINGS = {"last_event_id", "lastEventID", "lastEventId"}
ROUTES = [
    ("GET", "/", set()), ("GET", "/healthz", set()), ("GET", "/readyz", set()), ("GET", "/errors", set()), ("GET", "/metrics", set()),
    ("GET", "/openapi.json", set()), ("GET", "/docs", set()),
    ("GET", "/topics", LIST | {"prefix"}), ("GET", "/topics/t", set()), ("PUT", "/topics/t", set()), ("DELETE", "/topics/t", set()),
    ("GET", "/events", EVENTS | {"topic"}), ("GET", "/topics/t/events", EVENTS), ("POST", "/topics/t/events", {"type", "key"}),
    ("GET", "/topics/t/events/x", set()), ("GET", "/topics/t/value", set()), ("PUT", "/topics/t/value", {"type", "key"}),
    ("DELETE", "/topics/t/observers", set()),
    ("GET", "/observers", LIST | {"topic", "kind"}), ("POST", "/observers", set()), ("GET", "/observers/x", set()),
    ("PUT", "/observers/x", set()), ("PATCH", "/observers/x", set()), ("DELETE", "/observers/x", set()),
    ("POST", "/observers/x/secret/rotate", set()), ("GET", "/observers/x/deliveries", LIST | {"state"}),
    ("GET", "/observers/x/deliveries/y", set()), ("POST", "/observers/x/deliveries/y/redeliver", set()),
    ("POST", "/observers/x/recover", set()), ("POST", "/observers/x/replay", set()), ("POST", "/observers/x/test", set()),
]
READS = [route for route in ROUTES if route[0] == "GET"]


def test_the_table_has_what_the_document_has():
    """The two are written by different hands: the one here knows nothing of the sources."""
    described = {}
    for method, path, operation in operations():
        path = path.replace("{topic}", "t").replace("{id}", "x").replace("{event}", "y")
        described[method.upper(), path] = {one["name"] for one in operation.get("parameters", []) if one["in"] == "query"}
    assert described == {(method, path): known for method, path, known in ROUTES}


@pytest.mark.parametrize("method, end", [("POST", "events"), ("PUT", "value")])
@pytest.mark.parametrize("field, parameter, good, bad, code", [
    ("Event-Type", "type", "a", "a\n", "event-type-invalid"), ("Event-Type", "type", "a", "", "event-type-invalid"),
    ("Idempotency-Key", "key", "a", "é", "idempotency-key-invalid"), ("Idempotency-Key", "key", "a", "", "idempotency-key-invalid"),
])
def test_what_a_header_field_makes_irrelevant_must_be_right_too(shared_hub, topic, method, end, field, parameter, good, bad, code):
    def answer(in_query, in_head):
        return shared_hub.request(method, f"/topics/{topic}/{end}", params={parameter: in_query}, headers={field: in_head})

    assert_problem(answer(bad, good), 400, code, parameter=parameter)
    assert answer("b", good).status_code == 201


def code_of(response):
    return response.json()["code"] if response.headers.get("Content-Type") == "application/problem+json" else None


def ids(routes):
    return [f"{method} {path}" for method, path, _ in routes]


@pytest.mark.parametrize("method, path, known", ROUTES, ids=ids(ROUTES))
def test_an_unknown_parameter_is_refused_on_every_route(shared_hub, method, path, known):
    for name in ("sinse", "", "Limit", "limit ", "access-token", "%25", "ü"):
        response = shared_hub.request(method, path, params={name: "1"})
        problem = assert_problem(response, 400, "parameter-unknown", parameter=name)
        for parameter in known:
            assert parameter in problem["detail"]
    assert_problem(shared_hub.request(method, path + "?x"), 400, "parameter-unknown", parameter="x")


@pytest.mark.parametrize("method, path, known", READS, ids=ids(READS))
def test_head_refuses_what_get_refuses(shared_hub, method, path, known):
    assert shared_hub.request("HEAD", path + "?sinse=1").status_code == 400


@pytest.mark.parametrize("method, path, known", ROUTES, ids=ids(ROUTES))
def test_names_that_begin_with_an_underscore_are_ignored(shared_hub, method, path, known):
    response = shared_hub.request(method, path + "?_=1&_=2&_dc=3&_")
    assert code_of(response) not in ("parameter-unknown", "parameter-invalid") or "topic" in known


@pytest.mark.parametrize("method, path, known", ROUTES, ids=ids(ROUTES))
def test_a_known_parameter_is_never_called_unknown(shared_hub, method, path, known):
    for name in known | (OTHER_SPELLINGS if "last-event-id" in known else set()):
        # Nothing that any of them takes: no route opens a stream or changes anything for it.
        response = shared_hub.request(method, path, params={name: "…"})
        assert code_of(response) != "parameter-unknown"


@pytest.mark.parametrize("method, path, known", ROUTES, ids=ids(ROUTES))
def test_a_parameter_that_counts_once_is_refused_the_second_time(shared_hub, method, path, known):
    for name in known - ({"topic"} if path == "/events" else set()):
        response = shared_hub.request(method, path, params=[(name, "1"), (name, "1")])
        assert_problem(response, 400, "parameter-invalid", parameter=name)


def test_the_parameter_that_was_meant_is_named(shared_hub, topic):
    problem = shared_hub.get(events_path(topic), params={"sinse": "earliest"}).json()
    assert 'Did you mean "since"?' in problem["detail"]


def test_a_stream_with_a_typo_is_refused_before_it_opens(shared_hub, topic):
    response = shared_hub.get(events_path(topic), params={"types": "a"}, headers={"Accept": "text/event-stream"})
    assert_problem(response, 400, "parameter-unknown", parameter="types")
    with EventStream.of(shared_hub.port, topic, query="_=17&type=a") as stream:
        stream.wait_for_comment()


def test_a_post_with_a_typo_stores_nothing(shared_hub, topic):
    response = shared_hub.request("POST", events_path(topic), params={"tpye": "created"}, data=b"x")
    assert_problem(response, 400, "parameter-unknown", parameter="tpye")
    assert shared_hub.history(topic) == []


def test_path_and_method_are_judged_before_the_query(shared_hub):
    assert_problem(shared_hub.get("/no/such/route?x=1"), 404, "route-unknown")
    assert_problem(shared_hub.request("DELETE", "/observers?x=1"), 405, "method-not-allowed")
    assert shared_hub.request("OPTIONS", "/observers?x=1").status_code == 204


def test_many_parameters_cost_no_more_than_their_bytes(start_hub):
    hub = start_hub("--connection-memory", "1048576")
    response = exchange(hub.port, request("GET", "/healthz?" + "_&" * 1000 + "x" * 500_000), timeout=5)
    assert response.status in (400, 414)
    assert hub.get("/healthz").status_code == 200
