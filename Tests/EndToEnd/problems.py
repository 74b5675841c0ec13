"""What every error must look like (RFC 9457)."""

import functools
import json
import re

from hub_process import REPOSITORY


#: Codes of the library's errors and of those at the start: no request is answered with them.
NEVER_ANSWERED = {
    "topic-bound", "notification-bound", "route-taken", "route-invalid", "public-folder-unreadable", "public-url-invalid",
    "value-invalid", "origin-invalid", "master-key-invalid", "master-key-missing", "master-key-wrong"}


@functools.cache
def documented_codes():
    """The codes that docs/errors.md explains, by their anchors: what `type` refers to."""
    return set(re.findall(r'<a id="([a-z-]+)"></a>', (REPOSITORY / "docs" / "errors.md").read_text()))


def assert_problem(response, status, code, *, pointer=None, parameter=None):
    """Asserts a problem of that status and code on a `requests` or a raw response, and returns its members."""
    got = getattr(response, "status_code", None) or response.status
    body = getattr(response, "content", None)
    body = response.body if body is None else body
    headers = {name.lower(): value for name, value in response.headers.items()}
    assert got == status, f"{got} instead of {status}: {body!r}"
    assert headers["content-type"] == "application/problem+json"
    problem = json.loads(body)
    assert problem["code"] == code, problem
    assert problem["type"] == f"/errors#{code}"
    assert code in documented_codes()
    assert problem["status"] == status
    for member in ("title", "detail", "instance"):
        assert isinstance(problem[member], str) and problem[member]
    # What is told to a client and what the hub logs are found together by it.
    assert headers["request-id"] in problem["instance"]
    if pointer is not None:
        assert problem.get("pointer") == pointer, problem
    if parameter is not None:
        assert problem.get("parameter") == parameter, problem
    return problem
