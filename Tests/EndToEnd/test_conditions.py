"""Conditional requests by RFC 9110, sections 8.8 and 13: one parser for all routes."""

import pytest

from hub_process import events_path
from problems import assert_problem
from raw_http import exchange, request

URL = "https://example.com/hook"

#: No list of entity tags (RFC 9110 sections 8.8.3 and 13.1.1).
MALFORMED = [
    "a", '"', '"a', 'a"', '"a" "b"', '"a""b"', 'w/"a"', 'W/a', "W/", 'W /"a"', "*, *", '*, "a"', '"a", *', "* x", "nope * x",
    "**", '"a\t"', '"a";q=1', "'a'", '"a", "b', "\\*", '"a\x7f"']

#: Legal lists that name nothing that there is.
OF_NOTHING = ['"a,*,b"', '"*"', 'W/"*"', '"", ""', ',, "a" ,', '"\\"', '"x*"', '", "', '"\xff"', '"W/*"', '"nope * x"']


def conditional(hub, method, path, fields, body=b"", kind="application/json"):
    """One request with header fields as they are given, in order, also several of one name."""
    data = request(method, path, {"Content-Type": kind, "Connection": "close"} if body else {"Connection": "close"}, body)
    head, _, rest = data.partition(b"\r\n\r\n")
    lines = b"".join(f"\r\n{name}: {value}".encode("latin-1") for name, value in fields)
    return exchange(hub.port, head + lines + b"\r\n\r\n" + rest)


def register(hub, topic, id=None):
    body = {"topics": [topic], "url": URL}
    response = hub.request("PUT", f"/observers/{id}", json=body) if id else hub.request("POST", "/observers", json=body)
    assert response.status_code == 201
    return f"/observers/{response.json()['id']}", response.headers["ETag"]


@pytest.fixture(scope="module")
def site(start_shared_hub, tmp_path_factory):
    folder = tmp_path_factory.mktemp("public")
    (folder / "index.html").write_text("<!doctype html><title>Known</title>")
    return start_shared_hub("--public", str(folder))


@pytest.mark.parametrize("value", MALFORMED)
@pytest.mark.parametrize("field", ["If-Match", "If-None-Match"])
def test_what_is_no_condition_is_refused_and_nothing_is_done(site, topic, field, value):
    receipt = site.post(topic, "x")
    observer, _ = register(site, topic)
    members = f'{{"topics": ["{topic}"], "url": "{URL}"}}'.encode()
    for method, path, body in [
            ("GET", f"/topics/{topic}/value", b""), ("PUT", f"/topics/{topic}/value", b"1"),
            ("GET", f"{events_path(topic)}/{receipt['id']}", b""), ("POST", events_path(topic), b"1"),
            ("PUT", observer, members), ("PATCH", observer, b"{}"), ("POST", f"{observer}/secret/rotate", b"{}"),
            ("DELETE", observer, b""), ("POST", "/observers", members), ("DELETE", f"/topics/{topic}/observers", b""),
            ("DELETE", f"/topics/{topic}", b""), ("PUT", f"/topics/{topic}", b"{}"), ("GET", "/", b"")]:
        response = conditional(site, method, path, [(field, value)], body)
        assert_problem(response, 400, "parameter-invalid", parameter=field)
    assert len(site.history(topic)) == 1
    assert len(site.observers(topic=topic)) == 1


@pytest.mark.parametrize("accept", ["*/*", "application/cloudevents+json"])
def test_what_is_not_modified_has_the_length_of_what_would_be_sent(site, topic, accept):
    receipt = site.post(topic, "twelve bytes")
    for path in [f"/topics/{topic}/value", f"{events_path(topic)}/{receipt['id']}", "/"]:
        for method in ["GET", "HEAD"]:
            whole = site.request(method, path, headers={"Accept": accept})
            same = site.request(method, path, headers={"Accept": accept, "If-None-Match": "*"})
            assert (same.status_code, same.content) == (304, b"")
            assert same.headers["Content-Length"] == whole.headers["Content-Length"] != "0"


@pytest.mark.parametrize("value", OF_NOTHING)
def test_a_list_of_other_tags_is_none_of_ours(site, topic, value):
    receipt = site.post(topic, "x")
    observer, _ = register(site, topic)
    members = f'{{"topics": ["{topic}"], "url": "{URL}"}}'.encode()
    for method, path, body, code in [
            ("PUT", f"/topics/{topic}/value", b"1", "value-changed"), ("PUT", observer, members, "observer-changed"),
            ("PATCH", observer, b"{}", "observer-changed"), ("DELETE", observer, b"", "observer-changed"),
            ("GET", f"/topics/{topic}/value", b"", "value-changed"), ("GET", "/", b"", "precondition-failed"),
            ("GET", f"{events_path(topic)}/{receipt['id']}", b"", "precondition-failed"),
            ("POST", events_path(topic), b"1", "precondition-failed"),
            ("POST", "/observers", members, "precondition-failed"),
            ("DELETE", f"/topics/{topic}/observers", b"", "precondition-failed"),
            ("POST", f"{observer}/deliveries/{receipt['id']}/redeliver", b"", "precondition-failed"),
            ("POST", f"{observer}/recover", b'{"since": "1h"}', "precondition-failed"),
            ("POST", f"{observer}/replay", b'{"since": "1h"}', "precondition-failed"),
            ("POST", f"{observer}/test", b"", "precondition-failed"),
            ("PUT", f"/topics/{topic}", b"{}", "precondition-failed"),
            ("DELETE", f"/topics/{topic}", b"", "precondition-failed")]:
        response = conditional(site, method, path, [("If-Match", value)], body)
        assert_problem(response, 412, code, parameter="If-Match")
    for path in (f"/topics/{topic}/value", f"{events_path(topic)}/{receipt['id']}", "/"):
        assert conditional(site, "GET", path, [("If-None-Match", value)]).status == 200
    assert conditional(site, "DELETE", observer, [("If-None-Match", value)]).status == 204


def test_a_tag_in_one_of_several_fields(site, topic):
    observer, tag = register(site, topic)
    response = conditional(site, "DELETE", observer, [("If-Match", '"a,b"'), ("if-match", ""), ("IF-MATCH", f'"c" , {tag}')])
    assert response.status == 204
    observer, tag = register(site, topic)
    for fields in ([("If-Match", "*"), ("If-Match", tag)], [("If-Match", "*"), ("If-Match", "*")]):
        assert_problem(conditional(site, "DELETE", observer, fields), 400, "parameter-invalid", parameter="If-Match")


def test_putting_only_what_is_not_there(site, topic):
    body = {"topics": [topic], "url": URL}
    path = f"/observers/{topic}"
    first = site.request("PUT", path, json=body, headers={"If-None-Match": "*"})
    assert first.status_code == 201
    second = site.request("PUT", path, json={**body, "description": "second"}, headers={"If-None-Match": "*"})
    assert_problem(second, 412, "observer-changed", parameter="If-None-Match")
    assert site.get(path).json()["description"] is None
    for method, json in (("PUT", body), ("PATCH", {}), ("DELETE", None)):
        for tags in ("*", first.headers["ETag"], f'W/{first.headers["ETag"]}'):
            response = site.request(method, path, json=json, headers={"If-None-Match": tags})
            assert_problem(response, 412, "observer-changed", parameter="If-None-Match")
    # If-Match comes first, and its comparison is strong.
    both = {"If-Match": '"x"', "If-None-Match": "*"}
    assert_problem(site.request("DELETE", path, headers=both), 412, "observer-changed", parameter="If-Match")
    weak = {"If-Match": f'W/{first.headers["ETag"]}'}
    assert_problem(site.request("DELETE", path, headers=weak), 412, "observer-changed", parameter="If-Match")
    assert site.request("DELETE", path, headers={"If-None-Match": '"x"', "If-Match": first.headers["ETag"]}).status_code == 204
    # What is not there is 404, whatever the condition (RFC 9110 section 13.2.1).
    assert_problem(site.request("DELETE", path, headers={"If-Match": "*"}), 404, "observer-unknown")


def test_a_stream_has_no_tag(site, topic):
    with site.stream(topic) as stream:
        path = f"/observers/{stream.observer_id}"
        assert "ETag" not in site.get(path).headers
        for headers in ({"If-Match": '"1"'}, {"If-None-Match": "*"}):
            assert_problem(site.request("DELETE", path, headers=headers), 412, "observer-changed")
        assert site.request("DELETE", path, headers={"If-Match": "*"}).status_code == 204


def test_a_tag_of_the_data_is_not_that_of_the_cloudevent(site, topic):
    receipt = site.post(topic, "x")
    for path in (f"{events_path(topic)}/{receipt['id']}", f"/topics/{topic}/value"):
        cloudevent = {"Accept": "application/cloudevents+json"}
        data_tag = site.get(path).headers["ETag"]
        event_tag = site.get(path, headers=cloudevent).headers["ETag"]
        assert data_tag == f'"{receipt["id"]}"' != event_tag
        for accept, own, other in (({}, data_tag, event_tag), (cloudevent, event_tag, data_tag)):
            for method in ("GET", "HEAD"):
                same = site.request(method, path, headers={**accept, "If-None-Match": f'"a", W/{own}'})
                assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", own)
                assert site.request(method, path, headers={**accept, "If-None-Match": other}).status_code == 200
                assert site.request(method, path, headers={**accept, "If-Match": own}).status_code == 200
                for tags in (other, f"W/{own}"):
                    assert site.request(method, path, headers={**accept, "If-Match": tags}).status_code == 412
                # If-Match comes first (RFC 9110 section 13.2.2).
                both = {**accept, "If-Match": other, "If-None-Match": own}
                assert site.request(method, path, headers=both).status_code == 412


def test_conditions_of_what_is_refused_anyway_are_not_looked_at(site, topic):
    assert_problem(site.get(f"/topics/{topic}/value", headers={"If-Match": '"x"'}), 404, "value-absent")
    assert_problem(site.request("POST", "/", headers={"If-Match": '"x"'}), 405, "method-not-allowed")
    assert_problem(site.request("DELETE", f"/topics/{topic}", headers={"If-Match": '"x"'}), 404, "topic-unknown")


def test_an_observer_is_shown_whatever_was_shown_before(site, topic):
    # Its tag is of what it was registered with: the figures beside that change without it.
    path, tag = register(site, topic)
    assert site.get(path, headers={"If-None-Match": tag}).status_code == 200
