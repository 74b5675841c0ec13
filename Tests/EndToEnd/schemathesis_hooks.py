"""What schemathesis is told beside the document: read by it, see test_schemathesis.py."""

import json
import os
import zlib

import schemathesis

#: Where the hub under test delivers nothing.
HOOK = "http://127.0.0.1:9999/hook"
#: What HTTP itself sends.
OF_HTTP = {"date", "connection", "content-length", "content-type", "transfer-encoding"}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """No answer has a member that is not described. The document itself leaves that open: a later version may have more."""
    # Examples go out as they stand.
    text = json.dumps(raw_schema).replace("https://example.com/hook", HOOK)
    raw_schema.clear()
    raw_schema.update(json.loads(text))
    left_out = os.environ.get("CLARION_LEFT_OUT", "").split()
    for item in raw_schema["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and "parameters" in operation:
                operation["parameters"] = [one for one in operation["parameters"] if one["name"] not in left_out]
    close(raw_schema["components"]["schemas"])
    close({path: item for path, item in raw_schema["paths"].items() if path != "/openapi.json"})


def close(node):
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node:
            node.setdefault("additionalProperties", False)
        for value in node.values():
            close(value)
    elif isinstance(node, list):
        for value in node:
            close(value)


@schemathesis.hook
def map_body(context, body):
    """Webhooks lead to this machine, and not to whoever has the name that was made up."""
    if isinstance(body, dict) and isinstance(body.get("url"), str) and body["url"].lower().startswith("http"):
        return {**body, "url": HOOK}
    return body


@schemathesis.hook
def map_query(context, query):
    """What is refused together comes together seldom, or nothing else would be tried."""
    if query and "since" in query and "last" in query and mostly(query["since"]):
        return {name: value for name, value in query.items() if name != "last"}
    return query


@schemathesis.hook
def map_headers(context, headers):
    """Conditions that are made up do not hold, and some attributes of a CloudEvent are seldom those that it needs."""
    left_out = set()
    if headers and mostly(headers):
        left_out = {"If-Match", "If-None-Match"}
        if not {"ce-specversion", "ce-id", "ce-source", "ce-type"} <= set(headers):
            left_out |= {name for name in headers if name.startswith("ce-")}
    return {name: value for name, value in headers.items() if name not in left_out} if headers else headers


def mostly(value):
    """Three times of four; the same each time for the same value, which hypothesis counts on."""
    return zlib.crc32(repr(value).encode()) % 4


@schemathesis.check
def fields_are_described(ctx, response, case):
    """Every header field of an answer is one of those that are described for its status."""
    described = case.operation.schema.raw_schema
    if case.method.lower() != case.operation.method.lower():
        # The answer to a method that the path does not take.
        return
    responses = described["paths"][case.operation.path][case.operation.method.lower()]["responses"]
    answer = responses.get(str(response.status_code))
    if answer is None:
        # That is for another check to judge.
        return
    if "$ref" in answer:
        answer = described["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
    undescribed = {name.lower() for name in response.headers} - {name.lower() for name in answer["headers"]} - OF_HTTP
    assert not undescribed, f"fields that are not described: {undescribed}"
