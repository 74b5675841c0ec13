"""`GET /openapi.json`: whole, valid, and true of the hub as far as one can see without asking it much."""

import json
import re

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from credentials import CredentialsFile, ask, grant
from hub_process import REPOSITORY
from openapi_document import document, operations, resolved
from problems import NEVER_ANSWERED, documented_codes

#: What a proxy, a browser or another hub says in place of the client, and what OpenAPI has a place of its own for.
NOT_PARAMETERS = {"Accept", "Authorization", "Content-Type", "Cookie", "Origin", "Sec-Fetch-Site", "Sec-Fetch-Dest", "Host", "Forwarded",
                  "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Access-Control-Request-Method",
                  "Access-Control-Request-Headers", "Expect", "Content-Encoding", "Content-Length", "Transfer-Encoding", "Connection"}


def test_it_is_openapi_3_1():
    assert document()["openapi"].startswith("3.1.")
    assert [error.message for error in OpenAPIV31SpecValidator(document()).iter_errors()] == []


def test_everything_is_described_and_has_an_example():
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(ids) == len(set(ids)) > 25
    for method, path, operation in operations():
        assert operation["summary"] and operation["description"] and operation["tags"], (method, path)
        for parameter in operation.get("parameters", []):
            assert parameter["description"] and "example" in parameter, (path, parameter)
        for place in [operation.get("requestBody", {}), *operation["responses"].values()]:
            for type, content in resolved(place, document()).get("content", {}).items():
                # Of lines there may be none: see the program.
                assert content.get("examples") or type == "application/x-ndjson", (method, path)
        for segment in re.findall(r"\{(\w+)\}", path):
            assert any(one["in"] == "path" and one["name"] == segment for one in operation["parameters"])


def patterns(node):
    for name, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if name == "pattern" and isinstance(value, str):
            yield value
        else:
            yield from patterns(value)


def test_patterns_are_regular_expressions_in_all_languages():
    """Ruby loads no byte beyond ASCII, PHP no `\\u`, and Go's generated validators no pattern beside `null` in a `oneOf`;
    `Object` is a word of PHP's."""
    found = set(patterns(document()))
    assert len(found) > 5 and not [pattern for pattern in found if re.search(r"\\(x[89a-fA-F]|u|p)", pattern)]
    schemas = document()["components"]["schemas"]
    assert "Object" not in schemas and "contentSchema" not in json.dumps(document())
    for one in schemas["Observer"]["oneOf"]:
        members = resolved(one, document())["properties"].values()
        assert not [member for member in members if "pattern" in member and "null" in member.get("type", [])]


def examples(node, schema=None):
    """Every example in a part of the document, with the schema that it is one of."""
    if isinstance(node, list):
        for element in node:
            yield from examples(element)
    elif isinstance(node, dict):
        if "schema" in node:
            found = [node["example"]] if "example" in node else [one["value"] for one in node.get("examples", {}).values()]
            yield from ((example, node["schema"]) for example in found)
        elif "type" in node and isinstance(node.get("examples"), list):
            yield from ((example, node) for example in node["examples"])
        for value in node.values():
            yield from examples(value)


def test_every_example_is_one_of_its_schema():
    described = resolved({"paths": document()["paths"], "components": document()["components"]}, document())
    checked = 0
    for example, schema in examples(described):
        jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(example)
        checked += 1
    assert checked > 300


def test_every_code_of_an_error_is_in_it():
    components = document()["components"]
    assert set(components["responses"]) == set(components["examples"]) == documented_codes() - NEVER_ANSWERED
    told = set()
    for _, _, operation in operations():
        for status, response in resolved(operation["responses"], document()).items():
            for content in response.get("content", {}).get("application/problem+json", {}).get("schema", {}), :
                told |= set(content.get("properties", {}).get("code", {}).get("enum", []))
    # A method that a path does not take is nobody's.
    assert set(components["responses"]) - told == {"method-not-allowed"}


def test_every_field_that_the_sources_read_is_described():
    sources = "".join(path.read_text() for module in ("Clarion", "MicroHTTP")
                      for path in (REPOSITORY / "Sources" / module).rglob("*.swift"))
    read = set(re.findall(r'(?:headers\[|\(of: |contains\()"([A-Z][A-Za-z]*(?:-[A-Za-z]+)*|traceparent)"[\])]', sources))
    read |= set(re.findall(r'case (?:match|noneMatch) = "([^"]+)"', sources))
    assert len(read) > 15
    parameters = {parameter["name"] for _, _, operation in operations() for parameter in operation.get("parameters", [])
                  if parameter["in"] == "header"} | set(document()["components"]["parameters"])
    assert read - NOT_PARAMETERS == {name for name in parameters if not name.startswith("ce-")}


def test_http_api_md_has_the_same_routes():
    text = (REPOSITORY / "docs/http-api.md").read_text()
    told = {(method.lower(), re.sub(r"\{[^}]*\}", "{}", path))
            for method, path in re.findall(r"`(GET|POST|PUT|PATCH|DELETE) (/[^\s`?]*)", text)}
    described = {(method, re.sub(r"\{[^}]*\}", "{}", path)) for method, path, _ in operations()}
    assert told == described


def test_it_says_what_a_credential_is_needed_for(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, {"admin": grant("**")})
    hub = start_hub("--credentials", str(file.path))
    for path in ["/openapi.json", "/docs"]:
        for credential in [None, "clk_wrong"]:
            assert ask(hub, "GET", path, credential).status_code == 200
    closed = json.loads(ask(hub, "GET", "/openapi.json").content)
    for (_, path, one), (_, _, other) in zip(operations(), operations(closed)):
        ways = [{"bearer": []}, {"cookie": []}, {"query": []}]
        assert other["security"] == ([] if other["x-clarion-need"] == "nothing" else ways), path
        # An open hub needs none.
        assert one["security"] == ([] if one["x-clarion-need"] == "nothing" else ways + [{}]), path
        assert ({**one, "security": 0}) == ({**other, "security": 0})


def test_its_server_is_the_public_url(start_hub):
    hub = start_hub("--public-url", "https://hub.example/clarion", "--allow-origin", "https://app.example")
    response = hub.get("/openapi.json", headers={"Origin": "https://app.example"})
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Access-Control-Allow-Origin"] == "https://app.example"
    assert response.json()["servers"] == [{"url": "https://hub.example/clarion"}]
    assert document()["servers"] == [{"url": "/"}]
    assert hub.request("HEAD", "/openapi.json").content == b""
    assert hub.get("/openapi.json?x=1").status_code == 400
    assert hub.request("POST", "/docs").status_code == 405


@pytest.mark.parametrize("headers", [{}, {"Accept": "application/x-ndjson"}, {"Accept": "text/event-stream"}])
def test_the_fields_of_streams_and_history_are_described(shared_hub, topic, headers):
    for number in range(2):
        shared_hub.post(topic, f"{number}")
    described = resolved(document()["paths"]["/topics/{topic}/events"]["get"]["responses"]["200"], document())
    with shared_hub.get(f"/topics/{topic}/events?limit=1", headers=headers, stream=True) as response:
        assert response.headers["Content-Type"].split(";")[0] in described["content"]
        sent = set(response.headers) - {"Date", "Connection", "Content-Length", "Content-Type", "Transfer-Encoding"}
        assert sent <= set(described["headers"]) and sent > {"Server", "Request-Id", "Cache-Control"}


@pytest.mark.parametrize("envelope", ["json", "cloudevents"])
def test_a_page_of_history_is_what_is_described(shared_hub, topic, envelope):
    shared_hub.post(topic, "x")
    page = shared_hub.get(f"/topics/{topic}/events", params={"envelope": envelope}).json()
    content = document()["paths"]["/topics/{topic}/events"]["get"]["responses"]["200"]["content"]["application/json"]
    jsonschema.Draft202012Validator(resolved(content["schema"], document())).validate(page)
    assert ("specversion" in page["events"][0]) == (envelope == "cloudevents")


def test_a_refused_patch_has_the_fields_that_are_described(shared_hub, topic):
    patch = document()["paths"]["/observers/{id}"]["patch"]
    observer = shared_hub.register("https://example.com/", topic)
    for type in ("application/merge-patch+json", "application/json", "application/json-patch+json"):
        response = shared_hub.request("PATCH", f"/observers/{observer['id']}", data="{}", headers={"Content-Type": type})
        assert (response.status_code == 200) == (type in patch["requestBody"]["content"])
    described = resolved(patch["responses"]["415"], document())
    assert response.headers["Accept-Patch"] == ", ".join(patch["requestBody"]["content"])
    assert "Accept-Patch" in described["headers"]


def test_a_refused_coding_has_the_fields_that_are_described(shared_hub, topic):
    response = shared_hub.request("POST", f"/topics/{topic}/events", data=b"x", headers={"Content-Encoding": "gzip"})
    described = resolved(document()["paths"]["/topics/{topic}/events"]["post"]["responses"]["415"], document())
    assert response.status_code == 415 and response.headers["Accept-Encoding"] == "identity"
    assert "Accept-Encoding" in described["headers"]
