"""`/openapi.json` of the hub under test: its routes, for tests that go over all of them."""

import functools
import tempfile

from hub_process import HubProcess, executable_path

METHODS = ("get", "put", "post", "delete", "patch")


@functools.cache
def document():
    """The document of a hub with default options; it is read once, while tests are collected."""
    path = executable_path()
    if path is None:
        # Whatever test is run then says so.
        return {"paths": {}}
    with tempfile.TemporaryDirectory() as folder:
        hub = HubProcess(path, f"{folder}/data").start()
        try:
            return hub.get("/openapi.json").json()
        finally:
            hub.stop()


def operations(described=None):
    """Every operation, as its method, its path and what is said of it."""
    described = document() if described is None else described
    return [(method, path, item[method]) for path, item in described["paths"].items() for method in METHODS if method in item]


def routes():
    """Every route but the console's files, as its method and its path."""
    return [(method, path) for method, path, _ in operations() if path != "/"]


def resolved(node, described):
    """A part of the document with what it refers to in place of the references."""
    if isinstance(node, list):
        return [resolved(element, described) for element in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = described
        for segment in node["$ref"].removeprefix("#/").split("/"):
            target = target[segment]
        return resolved(target, described)
    return {name: resolved(value, described) for name, value in node.items()}
