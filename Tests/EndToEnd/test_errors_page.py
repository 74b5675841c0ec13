"""`GET /errors`: where the `type` of a problem leads."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from urllib.parse import urljoin

import pytest

from problems import NEVER_ANSWERED, documented_codes


class Anchors(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.ids += [value for name, value in attributes if name == "id"]


@pytest.fixture(scope="module", params=["console", "none"])
def hub_with(request, start_shared_hub, tmp_path_factory):
    """A hub with the console, and one whose folder has none."""
    return start_shared_hub(*(() if request.param == "console" else ("--public", str(tmp_path_factory.mktemp("empty")))))


def test_the_type_of_a_problem_leads_to_its_explanation(hub_with):
    problem = hub_with.get("/observers?x=1").json()
    page = hub_with.session.get(urljoin(hub_with.url, problem["type"]), timeout=5)
    assert page.status_code == 200
    assert problem["code"] in Anchors(page.text).ids
    assert set(Anchors(page.text).ids) == documented_codes() - NEVER_ANSWERED


@pytest.mark.parametrize("accept, type", [
    (None, "text/html"), ("*/*", "text/html"), ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html"),
    ("text/plain", "text/plain"), ("text/plain;q=0.5, text/html", "text/html"), ("text/plain, */*;q=0.1", "text/plain")])
def test_a_page_for_browsers_and_text_for_who_prefers_it(hub_with, accept, type):
    page = hub_with.get("/errors", headers={"Accept": accept})
    assert page.status_code == 200
    assert page.headers["Content-Type"] == f"{type}; charset=utf-8"
    assert page.headers["Vary"] == "Accept"
    assert "topic-invalid" in page.text
    if type == "text/plain":
        assert "<" not in page.text and "`" not in page.text and "](" not in page.text


def test_the_page_is_allowed_its_one_style_and_nothing_else(hub_with):
    page = hub_with.get("/errors")
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    policy = page.headers["Content-Security-Policy"]
    [style] = re.findall(r"<style>(.*?)</style>", page.text, re.S)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy and "default-src 'none'" in policy
    assert "unsafe" not in policy and "<script" not in page.text


def test_head_and_other_methods(hub_with):
    head = hub_with.request("HEAD", "/errors")
    assert head.status_code == 200 and head.content == b""
    assert hub_with.request("POST", "/errors").status_code == 405
    assert hub_with.get("/errors/").status_code == 200
