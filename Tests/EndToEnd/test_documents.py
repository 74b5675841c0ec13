"""The pages of docs/ and those beside README: what they refer to is there."""

import re

import pytest

from hub_process import REPOSITORY

PAGES = sorted((REPOSITORY / "docs").glob("*.md"))
BESIDE_README = sorted(page for page in REPOSITORY.glob("*.md") if page.name not in ("README.md", "CHANGELOG.md"))
LINKING = [*PAGES, *sorted(REPOSITORY.glob("*.md")), *sorted(REPOSITORY.glob("*/README.md"))]


def anchor(heading):
    """A heading, as links write it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def anchors(page):
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.M)}


@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_leads_to_a_file_and_a_heading(page):
    for target, name in re.findall(r"\]\((?!https?:|/)([^)#]*)#?([^)]*)\)", page.read_text()):
        other = page.parent / target if target else page
        assert other.exists(), target
        assert not name or name in anchors(other), (target, name)


def test_the_readme_names_every_page():
    readme = (REPOSITORY / "README.md").read_text()
    names = [str(page.relative_to(REPOSITORY)) for page in PAGES + BESIDE_README]
    assert not [name for name in names if f"]({name})" not in readme]


@pytest.mark.parametrize("page", [*BESIDE_README, REPOSITORY / "docs/threat-model.md"], ids=lambda page: page.stem)
def test_every_test_that_is_named_is_there(page):
    """`test_x.py` and `console/test_x.py` of Tests/EndToEnd; `XTests` of the unit tests, a target or a suite."""
    text, unit_tests = page.read_text(), {path.stem for path in (REPOSITORY / "Tests").rglob("*Tests*")}
    for name in re.findall(r"((?:console/)?\btest_\w+\.py)", text):
        assert list((REPOSITORY / "Tests/EndToEnd").rglob(name)), name
    assert not set(re.findall(r"\b(\w+Tests)\b", text)) - unit_tests


@pytest.mark.parametrize("page", [page for page in LINKING if page.stem != "decisions"], ids=lambda page: page.stem)
def test_every_source_that_is_named_is_there(page):
    """`Sources/X/Y.swift`, `Sources/X/Y/`, and `Z.swift` of whatever folder. Decisions may name what is gone."""
    files = {path.name for folder in ("Sources", "Tests", "Examples") for path in (REPOSITORY / folder).rglob("*.swift")}
    text = page.read_text()
    assert not [name for name in re.findall(r"\b[\w+]+\.swift\b", text) if name not in files | {"Package.swift"}]
    assert not [path for path in re.findall(r"`(Sources/[\w/+.]+)`", text) if not (REPOSITORY / path).exists()]
